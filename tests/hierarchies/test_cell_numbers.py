from __future__ import annotations

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind


@pytest.mark.parametrize(
    ("cell", "ends"),
    [
        ("20", (20, 20)),
        (20, (20, 20)),
        ("-1.5", (-1.5, -1.5)),
        ("[20, 24]", (20, 24)),
        ("[20, 25)", (20, 25)),
        ("20-24", (20, 24)),
        ("-5 to -1", (-5, -1)),
        ("[74, >=90]", (74, 120)),
        ("[<18, 24]", (0, 24)),
        ("[<18, >=90]", (0, 120)),
        ("<18", (0, 18)),
        (">=90", (90, 120)),
        ("*", (0, 120)),
        ("{20, 24, missing}", (20, 24)),
        ("{[20, 24], missing}", (20, 24)),
        ("{20, flu}", None),
        ("021**", None),
        ("flu", None),
        ("", None),
        (None, None),
        (float("nan"), None),
    ],
)
def test_cells(cell: object, ends: tuple[float, float] | None) -> None:
    (row,) = ind.read_numbers([cell], bottom=0, top=120).rows()
    assert row == ((None, None, None) if ends is None else (*ends, sum(ends) / 2))


def test_open_ends_are_not_invented() -> None:
    found = ind.read_numbers(["[74, >=90]", "<18", "*"])
    assert found.rows() == [(74, None, None), (None, 18, None), (None, None, None)]


def test_columns_of_any_frame() -> None:
    cells = ["[20, 24]", None, "30"]
    one = ind.read_numbers(cells)
    assert one.equals(ind.read_numbers(pl.Series(cells)))
    assert one.equals(ind.read_numbers(pd.Series(cells)))
    assert ind.read_numbers([]).schema == one.schema


@given(
    st.lists(st.integers(0, 110), min_size=12, max_size=40),
    st.sampled_from(["optimal", "mondrian", "k-member"]),
    st.sampled_from(["brackets", "range"]),
)
def test_every_value_is_within_what_is_published_of_it(
    ages: list[int], algorithm: str, style: str
) -> None:
    policy = ind.Policy.from_dict(
        {
            "attributes": {
                "age": {
                    "role": "quasi-identifier",
                    "hierarchy": {
                        "intervals": {"width": 10, "bottom": 20, "top": 90, "style": style}
                    },
                },
                "row": {"role": "insensitive"},
            },
            "promises": [{"model": "k-anonymity", "k": 3}],
            "method": {"algorithm": algorithm, "suppression_limit": 0.0}
            if algorithm == "optimal"
            else {"algorithm": algorithm},
        }
    )
    table = pl.DataFrame({"age": ages, "row": range(len(ages))})
    released = ind.anonymize(table, policy).tables
    found = ind.read_numbers(released["age"], bottom=0, top=110)
    for (low, high, middle), row in zip(found.rows(), released["row"].to_list(), strict=True):
        assert low <= ages[row] <= high
        assert low <= middle <= high
