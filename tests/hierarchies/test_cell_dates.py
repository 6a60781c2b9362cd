"""Cells of a release read as days."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.errors import PolicyError


@pytest.mark.parametrize(
    ("cell", "ends"),
    [
        ("2024-02-03", ("2024-02-03", "2024-02-03")),
        ("2024-02-03T10:20", ("2024-02-03", "2024-02-03")),
        (date(2024, 2, 3), ("2024-02-03", "2024-02-03")),
        (datetime(2024, 2, 3, 10, 20), ("2024-02-03", "2024-02-03")),
        ("2024-02", ("2024-02-01", "2024-02-29")),
        ("2024-Q3", ("2024-07-01", "2024-09-30")),
        ("2024", ("2024-01-01", "2024-12-31")),
        ("1970s", ("1970-01-01", "1979-12-31")),
        ("[2024-02, 2024-Q2]", ("2024-02-01", "2024-06-30")),
        ("[2019, 2020]", ("2019-01-01", "2020-12-31")),
        ("{[2024-02, 2024-04], missing}", ("2024-02-01", "2024-04-30")),
        ("{2024-02-03, 2024-02-07}", ("2024-02-03", "2024-02-07")),
        ("{2024-02-03, late}", None),
        ("[20, 24]", None),
        ("*", None),
        ("", None),
        (None, None),
        (float("nan"), None),
        (pd.NaT, None),
    ],
)
def test_cells(cell: object, ends: tuple[str, str] | None) -> None:
    (row,) = ind.read_dates([cell]).rows()
    assert row == ((None, None) if ends is None else tuple(map(date.fromisoformat, ends)))


@pytest.mark.parametrize(
    ("cell", "form", "day"),
    [
        ("3.2.2024", "day-first", "2024-02-03"),
        ("2/3/2024", "month-first", "2024-02-03"),
        ("20240203", "%Y%m%d", "2024-02-03"),
        ("45325", "days since 1899-12-30", "2024-02-03"),
        ("2024-02-03", "day-first", "2024-02-03"),
    ],
)
def test_days_in_the_form_of_the_table(cell: str, form: str, day: str) -> None:
    assert ind.read_dates([cell], format=form).rows() == [(date.fromisoformat(day),) * 2]


def test_no_format() -> None:
    with pytest.raises(PolicyError, match="format is 'isoo'"):
        ind.read_dates(["2024"], format="isoo")


def test_columns_of_any_frame() -> None:
    cells = ["2024-02", None]
    one = ind.read_dates(cells)
    assert one.equals(ind.read_dates(pl.Series(cells)))
    assert one.equals(ind.read_dates(pd.Series(cells)))
    assert ind.read_dates([]).schema == one.schema


@given(
    st.lists(st.integers(0, 900), min_size=12, max_size=40),
    st.sampled_from(["optimal", "mondrian", "k-member"]),
    st.sampled_from([["day"], ["month", "year"], ["quarter", "decade"]]),
)
def test_a_release_holds_the_days_of_its_table(
    days: list[int], algorithm: str, levels: list[str]
) -> None:
    table = pl.DataFrame({"day": [date(2019, 5, 3) + timedelta(days=at) for at in days]})
    keys = {
        "attributes": {"day": {"role": "quasi-identifier", "hierarchy": {"date": levels}}},
        "promises": [{"model": "k-anonymity", "k": 3}],
        "method": {"algorithm": algorithm, "seed": 1},
    }
    found = ind.read_dates(ind.anonymize(table, keys).tables["day"])
    known = found.drop_nulls()
    held = table["day"].to_list()
    for first, last in known.unique().rows():
        rows = known.filter(first_day=first, last_day=last).height
        assert sum(first <= day <= last for day in held) >= rows
