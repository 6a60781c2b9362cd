"""Ends of ranges that are the values of few, far from all others."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.warnings.range_ends import FAR, lone_ends

QUASI = {"role": "quasi-identifier", "hierarchy": "suppress", "type": "number"}


def told(ages: list[str], **more: Any) -> list[str]:
    """The warnings about ends of ranges of a release by mondrian, of ages and areas."""
    rows = len(ages)
    frame = pl.DataFrame({"age": ages, "area": [str(at % 3) for at in range(rows)]})
    policy = {
        "attributes": {"age": {**QUASI, **more}, "area": {**QUASI, "type": "category"}},
        "promises": [{"model": "k-anonymity", "k": 5}],
        "method": {"algorithm": "mondrian", "seed": 1},
    }
    told = ind.anonymize(frame, policy).run.told
    return [one for one in told if "ranges end at values of records" in one]


def ages(*further: int) -> list[str]:
    return [str(age) for age in (*range(20, 80), *range(20, 80), *further)]


def test_the_oldest_of_all_is_told_of_without_the_age() -> None:
    (said,) = told(ages(108))
    assert said.startswith("'age': ranges end at values of records")
    assert "the highest end is that of 1 record far" in said
    assert "108" not in said


@pytest.mark.parametrize("further", [[], [83], [108, 108, 107, 107, 106]])
def test_nobody_is_told_of_where_others_are_near(further: list[int]) -> None:
    assert not told(ages(*further))


def test_both_ends() -> None:
    said = told(ages(1, 2, 108))
    assert ["the lowest end is that of 2 records" in one for one in said].count(True) == 1
    assert ["the highest end is that of 1 record " in one for one in said].count(True) == 1


def test_a_date_far_from_all_others_is_told_of_without_the_date() -> None:
    born = [f"{1950 + at % 50}-0{1 + at % 9}-11" for at in range(120)] + ["1899-03-04"]
    rules = {"type": "date", "hierarchy": {"date": ["month", "year"]}}
    (said,) = told(born, **rules)
    assert "the lowest end is that of 1 record far" in said
    assert "1899" not in said
    assert "shows the date: let its hierarchy begin with a longer period" in said
    assert not told([*born[:-1], "1948-03-04"], **rules)


def test_what_is_put_together_hides_the_end() -> None:
    hierarchy = {"intervals": {"width": 10, "top": 75}}
    assert not told(ages(108), hierarchy=hierarchy)


@pytest.mark.parametrize("style", ["level", "ancestor", "range"])
@pytest.mark.parametrize("hierarchy", ["suppress", {"intervals": 5}])
@pytest.mark.parametrize("missing", [False, True])
def test_a_range_in_place_of_a_label_that_says_nothing(
    style: str, hierarchy: Any, missing: bool
) -> None:
    """One class of all is published as the range from its youngest to its oldest."""
    frame = pl.DataFrame({"age": [*ages(108), *([None] * missing)]}, schema={"age": pl.String})
    policy = {
        "attributes": {"age": {"role": "quasi-identifier", "hierarchy": hierarchy}},
        "promises": [{"model": "k-anonymity", "k": 70}],
        "method": {"algorithm": "mondrian", "seed": 1, "cells": style},
    }
    release = ind.anonymize(frame, policy)
    (cell,) = release.tables["age"].unique()
    assert "[20, 108]" in cell
    (said,) = (one for one in release.run.told if "the highest end is that of 1 record" in one)
    assert ('method.cells.age = "level"' in said) == (style == "range")


def test_a_range_of_others_in_place_of_a_label_is_not_told_of() -> None:
    """The class of the oldest has a label, and the one of those without an area a range."""
    frame = pl.DataFrame({"age": ages(108), "area": ["1", "2"] * 60 + ["1"]})
    policy = {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 5}},
            "area": {"role": "quasi-identifier", "type": "category"},
        },
        "promises": [{"model": "k-anonymity", "k": 30}],
        "method": {"algorithm": "mondrian", "seed": 1, "cells": {"age": "level"}},
    }
    release = ind.anonymize(frame, policy)
    assert not any("108" in str(cell) for cell in release.tables["age"].unique())
    assert not [one for one in release.run.told if "ranges end at values of records" in one]


COUNTS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3)), min_size=1, max_size=12)


@given(COUNTS, st.integers(1, 6))
def test_lone_ends_are_those_of_the_definition(cells: list[tuple[int, int]], few: int) -> None:
    scale = np.array([float(value) for value, _ in cells])
    have = np.array([many for _, many in cells], dtype=np.int64)
    records = sorted(float(value) for value, many in cells for _ in range(many))
    expected = []
    if len(set(records)) > 1 and len(records) >= few:
        low, high = (
            next(one for at, one in enumerate(records, 1) if at >= share * len(records))
            for share in (0.05, 0.95)
        )
        for end, value in (("lowest", records[0]), ("highest", records[-1])):
            near = sum(abs(one - value) < FAR * (high - low) or one == value for one in records)
            if high > low and near < few:
                expected.append((end, near))
    assert list(lone_ends(scale, have, few)) == expected
