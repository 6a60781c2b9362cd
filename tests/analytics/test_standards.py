"""Standards: each concrete test of Safe Harbor, and the thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import indistinct as ind
from indistinct.analytics.profile.columns import profile
from indistinct.analytics.risk.standards import (
    NOT_ADVICE,
    RESTRICTED,
    StandardCheck,
    StandardVerdict,
    by_threshold,
    people_by_zip,
    safe_harbor,
    standard_names,
)
from indistinct.errors import DataError, PolicyError
from indistinct.sources.engines import open_table


def held(people: dict[str, int] | None = None, **columns: Any) -> StandardVerdict:
    table = open_table(pl.DataFrame(columns))
    return safe_harbor(table, profile(table), people, year=2025)


def about(verdict: StandardVerdict, attribute: str) -> list[StandardCheck]:
    return [check for check in verdict.checks if check.attribute == attribute]


def test_a_table_without_any_of_the_eighteen_kinds_holds() -> None:
    found = held(sex=["f", "m"] * 20, state=["OH", "NY"] * 20, year=["2020", "2021"] * 20)
    assert found.holds is True
    assert len(found.checks) >= 18
    assert NOT_ADVICE in found.note
    assert "knows of no way" in found.note
    assert found.to_dict()["note"] == found.note


@pytest.mark.parametrize(
    ("name", "values", "letter"),
    [
        ("patient_name", [f"Ann Other{i}" for i in range(30)], "A"),
        ("street", [f"{i} Main Street" for i in range(30)], "B"),
        ("city", ["Columbus", "Dayton", "Akron"] * 10, "B"),
        ("phone", [f"+1 614 555 0{i:03}" for i in range(30)], "D"),
        ("fax", [f"+1 614 555 0{i:03}" for i in range(30)], "E"),
        ("contact", [f"a{i}@example.org" for i in range(30)], "F"),
        ("ssn", [f"123-45-6{i:03}" for i in range(30)], "G"),
        ("mrn", [f"{i:07}" for i in range(30)], "H"),
        ("website", [f"https://example.org/{i}" for i in range(30)], "N"),
        ("ip_address", [f"10.0.0.{i}" for i in range(30)], "O"),
        ("subject_id", [f"S{i:04}" for i in range(30)], "R"),
    ],
)
def test_what_looks_like_one_of_the_kinds_fails(name: str, values: list[str], letter: str) -> None:
    found = held(**{name: values})
    assert found.holds is False
    assert any(
        check.holds is False and check.what.startswith(f"({letter})")
        for check in about(found, name)
    )


@pytest.mark.parametrize(
    ("values", "holds"),
    [
        (["20", "89", None, "*"], True),
        (["20", "90"], None),
        (["20", "91"], False),
        (["[20, 25)", "[85, 90)", ">=90"], True),
        (["20-24", "85-89", "90+"], True),
        (["85-94"], False),
        (["90-94"], False),
        ([">=95"], False),
        ([">=85"], True),
        (["*"], True),
    ],
)
def test_ages_above_89(values: list[str | None], holds: bool | None) -> None:
    (check,) = about(held(age=values * 8), "age")
    assert check.holds is holds


@pytest.mark.parametrize(
    ("values", "holds"),
    [
        (["2020", "2021", "1999"], True),
        (["2020-01-03", "2021-05-06", "2021-07-08"], False),
        (["2020-01", "2021-05", "2021-06"], False),
        (["2020-Q1", "2021-Q2", "2021-Q3"], False),
        (["2020s", "1990s", "*"], True),
    ],
)
def test_dates_more_exact_than_a_year(values: list[str], holds: bool) -> None:
    found = held(admission_date=values * 8)
    assert [check.holds for check in found.checks if check.what.startswith("(C)")] == [holds]


@pytest.mark.parametrize(
    ("values", "holds"),
    [
        (["2020-01", "2021-05", "*"], False),
        (["2020-Q1", "2021", "2019"], False),
        (["2020-W03", "2021-W17"], False),
        (["[2020-01-01, 2020-06-30]", "2021"], False),
        (["1/2020", "12/2021"], False),
        (["March 2020", "May 2021"], False),
        (["March", "May"], False),
        (["2020", "2021"], True),
        (["2020s", "1990s"], True),
        (["2000-3000", "1000-2000"], True),
        (["A-2020-17x", "mar-kup"], True),
    ],
)
def test_dates_are_known_by_their_values_where_no_name_tells(
    values: list[str], holds: bool
) -> None:
    found = held(visit=values * 8)
    assert [check.holds for check in found.checks if check.what.startswith("(C)")] == [holds]


@pytest.mark.parametrize(
    "name", ["age_group", "AgeGroup", "age_at_diagnosis", "current_age", "AgeAtVisit", "ageyears"]
)
def test_ages_are_found_in_longer_names(name: str) -> None:
    for values, holds in ((["97", "40"], False), (["[90, 95)", "3"], False), (["<90", "8"], True)):
        assert about(held(**{name: values * 8}), name)[0].holds is holds


def test_ages_in_other_units_than_years() -> None:
    assert about(held(age_days=["9000", "32000"] * 9), "age_days")[0].holds is True
    assert about(held(age_in_days=["9000", "33000"] * 9), "age_in_days")[0].holds is False
    assert about(held(age_months=["900", "1100"] * 9), "age_months")[0].holds is False


def test_zip_codes_that_became_numbers_keep_their_zeros() -> None:
    (check,) = about(held({"036": 900, "432": 30_000}, zip=[36, 432] * 8), "zip")
    assert check.holds is False
    assert "036" in check.why
    (check,) = about(held({"036": 30_000}, zip=[36] * 8), "zip")
    assert check.holds is True
    assert people_by_zip(pl.DataFrame({"zip": [36, 432], "people": [5, 6]})) == {"036": 5, "432": 6}


def test_a_year_of_birth_tells_an_age() -> None:
    assert about(held(birth_year=["1930", "1980"] * 9), "birth_year")[0].holds is False
    assert about(held(birth_year=["1936", "1980"] * 9), "birth_year")[0].holds is True


@pytest.mark.parametrize(
    ("values", "people", "holds"),
    [
        (["43210", "43211"], None, False),
        (["432", "100"], None, None),
        (["432**", "100**"], None, None),
        (["432", min(RESTRICTED)], None, False),
        (["432**", "100**"], {"432": 20_001, "100": 900_000}, True),
        (["432", "100"], {"432": 20_000, "100": 900_000}, False),
        (["432", "000"], {"432": 20_001}, True),
        (["432", "433"], {"432": 20_001}, False),
        (["43***", "10***"], None, True),
        (["*", "*"], None, True),
    ],
)
def test_zip_areas(values: list[str], people: dict[str, int] | None, holds: bool | None) -> None:
    (check,) = about(held(people, zip=values * 8), "zip")
    assert check.holds is holds, check.why


def test_free_text_is_for_people_to_read() -> None:
    text = [
        f"the patient came on a {day} with pain in knee number {i} and left again soon after that"
        for i, day in enumerate(["Monday", "Tuesday", "Friday"] * 12)
    ]
    found = held(remark=text)
    assert found.holds is None
    assert any(check.what == "free text" for check in about(found, "remark"))


def test_people_by_zip_area() -> None:
    counts = pl.DataFrame({"zip": ["43210", "43299", "1001", None], "population": [10, 20, 5, 9]})
    assert people_by_zip(counts) == {"432": 30, "010": 5}
    assert people_by_zip(pl.DataFrame({"zip3": ["432", "432", "036"]})) == {"432": 2, "036": 1}
    with pytest.raises(DataError, match="zip codes"):
        people_by_zip(pl.DataFrame({"age": [1]}))
    with pytest.raises(DataError, match="not a number of people") as caught:
        people_by_zip(pl.DataFrame({"zip": ["432", "433"], "people": ["7", "many"]}))
    assert caught.value.problems[0].rows == (2,)


@pytest.mark.parametrize(
    ("name", "least", "holds"),
    [("0.05", 20, True), ("0.05", 19, False), ("0.09", 11, True), ("0.09", 10, False),
     ("0.1", 10, True), ("0.2", 5, True), ("0.2", 4, False), ("0.33", 3, True),
     ("0.33", 2, False)],
)  # fmt: skip
def test_a_threshold_is_a_smallest_class(name: str, least: int, holds: bool) -> None:
    found = by_threshold(name, np.array([least, 100]))
    assert found.holds is holds
    assert found.source
    assert str(least) in found.checks[0].why


def test_a_threshold_counts_the_people_of_a_class_where_they_are_known() -> None:
    found = by_threshold("0.09", np.array([1, 100]), np.array([11, 400]))
    assert found.holds is True
    assert "journalist" in found.checks[0].what
    assert by_threshold("0.09", np.zeros(0, dtype=np.int64)).holds is True


def test_a_threshold_counts_rows_of_stars() -> None:
    """Who is in the table and fits no class is one of them."""
    large, none = np.array([100]), np.zeros(0, dtype=np.int64)
    for size in (large, none):
        found = by_threshold("0.09", size, suppressed=3)
        assert [check.holds for check in found.checks] == [True, False]
        assert "one of 3 records: a risk of 0.333" in found.checks[1].why
        assert by_threshold("0.09", size, suppressed=11).holds is True
    assert by_threshold("0.09", large, np.array([400]), suppressed=3).holds is None


def test_names_of_standards() -> None:
    assert standard_names(["hipaa", "ema", "health-canada", "0.2"]) == (
        "hipaa-safe-harbor",
        "0.09",
        "0.2",
    )
    with pytest.raises(PolicyError, match="did you mean 'hipaa-safe-harbor'"):
        standard_names(["hipaa-safe-harbour"])


def test_the_verb_holds_a_table_against_standards() -> None:
    table = pl.DataFrame({"zip": ["432"] * 12, "age": ["40"] * 12})
    zips = pl.DataFrame({"zip": ["43210"], "people": [70_000]})
    found = ind.risk(
        table,
        quasi=["zip", "age"],
        standard=["hipaa-safe-harbor", "0.09", "0.05"],
        zip_population=zips,
    )
    assert [verdict.holds for verdict in found.standards] == [True, True, False]
    assert [item["name"] for item in found.to_dict()["standards"]] == [
        "hipaa-safe-harbor",
        "0.09",
        "0.05",
    ]
    people = pl.DataFrame({"zip": ["432"] * 20_001, "age": ["40"] * 20_001})
    again = ind.risk(table, quasi=["zip", "age"], standard="hipaa", population=people)
    assert again.standards[0].holds is True
