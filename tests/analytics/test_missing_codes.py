from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.analytics.profile.missing_codes import missing_codes, suspected
from indistinct.analytics.profile.values import read_values


def codes(*columns: list[int | float]) -> list[set[str]]:
    """The codes of each column of a table."""
    found = {}
    for at, values in enumerate(columns):
        frame = pl.DataFrame({"value": list(map(str, values))}).group_by("value").len(name="count")
        found[str(at)] = suspected(read_values(frame, "text"))
    told = missing_codes(found)
    return [set(told.get(str(at), ())) for at in range(len(columns))]


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, 2, 97, 98, 99] * 5, {"97", "98", "99"}),
        ([1, 2, 9] * 5, {"9"}),
        ([*range(1, 8), 9] * 5, set()),
        ([*range(101)] * 2, set()),
        ([*range(97), 99, 99], set()),
        ([*range(97), 999, 999], {"999"}),
        ([*range(97), 999], set()),
        ([*range(60), 66666, 66666], {"66666"}),
        ([*range(60), 66, 66], set()),
        ([*range(18), -1, -1, -1, -8, -9], {"-1", "-8", "-9"}),
        ([-1, 0, 1] * 9, set()),
        ([*range(-20, 20)], set()),
        ([1.5, 2.5, 99, 99], {"99"}),
        ([120, 130, 140, 180, 60], set()),
        ([0, 0, 0, 99], set()),
        ([5, 5], set()),
    ],
)
def test_codes_of_one_column(values: list[int | float], found: set[str]) -> None:
    assert codes(values) == [found]


def test_what_is_suspected_in_several_columns_counts() -> None:
    weak = [*range(6)] * 5 + [99]
    assert codes(weak) == [set()]
    assert codes(weak, weak) == [{"99"}, {"99"}]


@given(st.sets(st.integers(0, 120), min_size=2))
def test_numbers_in_a_row_are_no_codes(values: set[int]) -> None:
    row = [*range(min(values), max(values) + 1)] * 2
    assert codes(row, row) == [set(), set()]
