"""Periods of days and the ranges that they make, against the calendar."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.hierarchies.cells import Coverage, dates_of, range_text
from indistinct.hierarchies.dates import dates_taxonomy
from indistinct.hierarchies.moments import LEVELS, Moment, Timeline, days_of, label_of
from indistinct.hierarchies.taxonomy import Taxonomy

DAYS = st.dates(date(1, 1, 1), date(9999, 12, 31))
NEAR = st.dates(date(2018, 11, 1), date(2020, 3, 1))


def label(day: date, level: str) -> str:
    return label_of(Moment(day.year, day.month, day.day), level)


@given(DAYS, st.sampled_from(LEVELS))
def test_a_period_begins_and_ends_where_its_name_changes(day: date, level: str) -> None:
    name = label(day, level)
    first, last = days_of(name) or (0, 0)
    assert first <= day.toordinal() <= last
    for inside in (first, last):
        assert label(date.fromordinal(inside), level) == name
    if first > 1:
        assert label(date.fromordinal(first - 1), level) != name
    if last < date.max.toordinal():
        assert label(date.fromordinal(last + 1), level) != name


@pytest.mark.parametrize(
    "cell", ["2019-13", "2019-02-29", "0000", "2019-Q5", "2015s", "[2019-02, 2019-01]", "20", None]
)
def test_what_is_no_period_has_no_days(cell: str | None) -> None:
    assert dates_of(cell) is None


@given(st.lists(NEAR, min_size=1, max_size=20), st.sampled_from(LEVELS), st.data())
def test_a_range_stands_for_the_days_between(
    days: list[date], level: str, data: st.DataObject
) -> None:
    texts = sorted({str(day) for day in days})
    taxonomy = dates_taxonomy("day", texts, levels=[level]).extended("value", ["2019-01-01 ?"])
    held = sorted(data.draw(st.lists(st.sampled_from(texts), min_size=1)))
    dates = taxonomy.dates
    assert dates is not None
    cell = range_text(dates.end(held[0]), dates.end(held[-1]))
    names = [label(date.fromisoformat(text), level) for text in texts]
    low, high = names.index(dates.end(held[0])), names[::-1].index(dates.end(held[-1]))
    covered = Coverage(taxonomy).mask(cell)
    inside = texts[low : len(texts) - high]
    assert [leaf for leaf, own in zip(taxonomy.leaves, covered, strict=True) if own] == inside


@pytest.mark.parametrize(
    ("values", "form", "level", "unit", "end"),
    [
        (["2019-03-04", "2020-05-06"], "iso", "day", "day", "2019-03-04"),
        (["2019-03-04", "2020-05-06"], "iso", "month", "month", "2019-03"),
        (["2019-03-04T10:20", "2020-05-06"], "iso", "day", "day", "2019-03-04"),
        (["2019-03-04  10:20:00", "2020-05-06"], "iso", "day", "day", "2019-03-04"),
        (["2019-03", "2020-05-06"], "iso", "day", "month", "2019-03"),
        (["1970", "1970-05-06"], "iso", "month", "year", "1970"),
        (["4.3.2019", "6.5.2020"], "day-first", "day", "day", "2019-03-04"),
        (["4.3.2019", "6.5.2020"], "day-first", "quarter", "quarter", "2019-Q1"),
        (["43528", "43957"], "days since 1899-12-30", "month", "month", "2019-03"),
        (["13771296000", "1.38072e+10"], "seconds since 1582-10-14", "month", "month", "2019-03"),
        (["2019-03-99", "2020-05-06"], "iso", "day", "month", "2019-03"),
        (["2019-00-00", "2020-05-06"], "iso", "month", "year", "2019"),
    ],
)
def test_ranges_end_with_what_the_hierarchy_publishes_and_all_values_are_known_to(
    values: list[str], form: str, level: str, unit: str, end: str
) -> None:
    found = Timeline.of(values, form, level)
    assert found is not None
    assert (found.unit, found.end(values[0])) == (unit, end)


def test_years_are_numbers_and_codes_are_no_dates() -> None:
    years = dates_taxonomy("birth", ["1970", "1981"])
    assert years.dates is None
    months = Taxonomy("month", [("2019-03", "*"), ("2019-04", "*")])
    assert months.dates is not None
    assert months.of_codes().dates is None
    assert Taxonomy("month", [("2019-03", "*"), ("spring", "*")]).dates is None
    assert Taxonomy("month", [("2019-03", "*")], suppressed=["spring"]).dates is not None


def test_a_cell_of_another_exactness_stands_for_what_lies_within() -> None:
    first = date(2019, 1, 1)
    days = [str(first + timedelta(days=at)) for at in range(0, 400, 30)]
    coverage = Coverage(dates_taxonomy("day", days, levels=["month", "year"]))
    inside = [day for day, own in zip(days, coverage.mask("[2019, 2019-Q4]"), strict=True) if own]
    assert inside == [day for day in days if day < "2020"]
    assert coverage.places("[2019-01-02, 2019-02-15]") == [1]
    assert coverage.places("{[2019-01-02, 2019-01-31], 2020-01-26}") == [1, 13]
    assert coverage.places("[20, 24]") is None
