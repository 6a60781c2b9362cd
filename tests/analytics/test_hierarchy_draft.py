from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.analytics.profile.hierarchy_draft import (
    Draft,
    draft_hierarchy,
    round_width,
    type_of,
)
from indistinct.analytics.profile.values import read_values
from indistinct.hierarchies.build import build_taxonomy


def draft(values: list[str], name: str = "x", measured: bool = True) -> Draft:
    counted = pl.DataFrame({"value": values}, schema={"value": pl.String})
    read = read_values(counted.group_by("value").len(name="count"), "text")
    return draft_hierarchy(name, read, "number" if measured else "category")


@given(st.floats(1e-6, 1e12), st.booleans())
def test_round_widths(span: float, whole: bool) -> None:
    width = round_width(span, whole=whole)
    assert span / width <= 20 * (1 + 1e-9)
    assert f"{width:e}"[0] in "125"
    if whole:
        assert isinstance(width, int)
        assert width >= 2
    if width > 2 or not whole:
        assert span / width > 7.9


@pytest.mark.parametrize(
    ("values", "spec"),
    [
        ([str(age) for age in range(83)], {"intervals": {"width": 5}}),
        ([str(at / 100) for at in range(90)], {"intervals": {"width": 0.05}}),
        ([str(at) for at in range(200)] + ["1000000"], {"intervals": {"width": 10, "top": 200}}),
        ([str(at) for at in range(200)] + ["-1000000"], {"intervals": {"width": 10, "bottom": 0}}),
        (["2020-01-31", "1980-01-31", "2000-01-01"],
         {"date": {"levels": ["month", "year", "decade"]}}),
        (["31.1.2020", "1.2.2020", "2.2.2020"],
         {"date": {"format": "day-first", "levels": ["day", "month", "quarter", "year"]}}),
        (["2020-01-31", "2022-02-01", "2034-01-01"],
         {"date": {"levels": ["day", "month", "quarter", "year"]}}),
        (["2020-01-31T10:00", "2020-01-31T11:00", "2020-01-30T11:00"],
         {"date": {"levels": ["day", "month", "quarter", "year"]}}),
        ([f"A{at:02d}" for at in range(40)], {"mask": {"from": "right"}}),
        ([f"A{at:08d}" for at in range(40)], {"mask": {"from": "right", "step": 2}}),
        (["a", "b"], "suppress"),
        (["red", "green", "blue"], "suppress"),
        ([f"name {at}" for at in range(40)], "suppress"),
        (["Feb", "JAN", "Dec", "Jun", "May"],
         {"order": {"runs": [["JAN", "Feb"], ["May", "Jun"], ["Dec"]], "run": 2}}),
        (["Mittwoch", "So", "Montag", "Samstag", "Sonntag"], "suppress"),
        (["miércoles", "lunes", "domingo", "martes", "sábado"],
         {"order": {"runs": [["lunes", "martes", "miércoles"], ["sábado", "domingo"]]}}),
        (["January", "Jan", "Feb", "Mar", "Apr"], "suppress"),
        (["Jan", "Feb", "Mar", "Mon", "Tue"], "suppress"),
        (["May", "June", "April", "Augusta"], "suppress"),
        (["0-9", "10-19", "20-29", "30+"],
         {"order": {"values": ["0-9", "10-19", "20-29", "30+"], "run": 2}}),
        (["<10", "10-19", "20-29", "30+"],
         {"order": {"values": ["<10", "10-19", "20-29", "30+"], "run": 2}}),
    ],
)  # fmt: skip
def test_drafts(values: list[str], spec: str | Mapping[str, Any]) -> None:
    made = draft(values)
    assert made.spec == spec
    taxonomy = build_taxonomy("x", made.spec, values, [1] * len(values), directory=".")
    assert taxonomy.has_root


def test_zip_codes_are_masked_whatever_their_type() -> None:
    for name in ("zip", "ZIPCODE", "postal_code", "Postleitzahl"):
        assert draft(["12345", "12346", "22222"], name).spec == {"mask": {"from": "right"}}


def test_ages_over_89_are_put_together() -> None:
    ages = [str(age) for age in range(100)]
    assert draft(ages, "age").spec == {"intervals": {"width": 5, "top": 90}}
    assert draft(ages, "score").spec == {"intervals": {"width": 5}}


def test_numbers_that_are_codes() -> None:
    few = draft(["1", "2", "3"], measured=False)
    assert (few.spec, few.categories) == ("suppress", ("1", "2", "3"))
    many = draft([str(at) for at in range(1000, 1050)], measured=False)
    assert many.spec == {"mask": {"from": "right"}}
    assert draft([str(at) for at in range(990, 1050)], measured=False).spec == "suppress"


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("education", "1234", "category"),
        ("grade", ["1", "2", "3"], "category"),
        ("admission_type_id", "1234567", "category"),
        ("discharge_disposition_id", map(str, range(1, 29)), "category"),
        ("concept_id", ["8507", "8532", "8527"], "category"),
        ("x", ["0", "1"], "category"),
        ("x", ["0.0", "1.0", "2.0"], "category"),
        ("n_visits", "0123", "number"),
        ("days", "1234", "number"),
        ("age", ["61", "62", "63"], "number"),
        ("x", map(str, range(60)), "number"),
        ("x", ["0.5", "1", "1.5"], "number"),
        ("x", ["2020-01-31", "2021-01-31"], "date"),
        ("x", ["red", "green"], "category"),
        ("x", [f"word {at}" for at in range(60)], "text"),
    ],
)
def test_what_values_are(name: str, values: Iterable[str], kind: str) -> None:
    counted = pl.DataFrame({"value": list(values)}).with_columns(count=pl.lit(9))
    assert type_of(name, read_values(counted, "text")) == kind


def test_categories_are_told_only_where_they_are_few() -> None:
    assert draft([f"kind {at}" for at in "abcdefghijklmnopqrst"]).categories != ()
    assert draft([f"kind {at}" for at in "abcdefghijklmnopqrstu"]).categories == ()


def test_strays_are_suppressed() -> None:
    values = [*map(str, range(100)), "4e"]
    made = draft(values)
    assert made.uncovered == "suppress"
    build_taxonomy("x", made.spec, values, [1] * 101, directory=".", uncovered="suppress").compile()


_NUMBERS = st.floats(allow_nan=False, allow_infinity=False).map(lambda number: f"{number:.6g}")


@settings(max_examples=40)
@given(st.lists(_NUMBERS | st.integers().map(str), min_size=1, max_size=60, unique=True))
def test_any_numbers_get_a_hierarchy_that_can_be_built(values: list[str]) -> None:
    made = draft(values)
    build_taxonomy("x", made.spec, values, [1] * len(values), directory=".")


@settings(max_examples=40)
@given(st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=60, unique=True))
def test_any_texts_get_a_hierarchy_that_can_be_built(values: list[str]) -> None:
    made = draft(values)
    build_taxonomy(
        "x", made.spec, values, [1] * len(values), directory=".",
        uncovered="suppress" if made.uncovered else "error",
    )  # fmt: skip
