from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import HierarchyError, PolicyError
from indistinct.hierarchies import dates_taxonomy


def test_a_plain_date_climbs_from_month_to_decade() -> None:
    taxonomy = dates_taxonomy("d", ["2024-12-31", "1999-01-01"])
    assert taxonomy.rows() == [
        ("1999-01-01", "1999-01", "1999-Q1", "1999", "1990s", "*"),
        ("2024-12-31", "2024-12", "2024-Q4", "2024", "2020s", "*"),
    ]


def test_times_get_a_level_of_days() -> None:
    taxonomy = dates_taxonomy("d", ["2024-01-31T10:20:00", "2024-01-31 23:59:59+02:00"])
    assert set(taxonomy.level(1)) == {"2024-01-31"}
    assert taxonomy.levels == 7


def test_day_and_month_are_never_guessed() -> None:
    assert dates_taxonomy("d", ["1.2.2024", "31/12/2023"], format="day-first").level(1) == (
        "2023-12",
        "2024-02",
    )
    with pytest.raises(HierarchyError, match="2 distinct values"):
        dates_taxonomy("d", ["31.2.2024", "1.2/2024"], format="day-first")
    with pytest.raises(HierarchyError, match="1 distinct value"):
        dates_taxonomy("d", ["31 Feb 24"], format="%d %b %y")
    assert dates_taxonomy("d", ["1/2/2024 10:15"], format="month-first").level(1) == ("2024-01-02",)
    with pytest.raises(HierarchyError, match="2 distinct values cannot be read as a date"):
        dates_taxonomy("d", ["1.2.2024", "31/12/2023"])
    for written, form in WRITTEN.items():
        with pytest.raises(HierarchyError) as told:
            dates_taxonomy("d", [written])
        first = f"say in its hierarchy how dates are written: {form}; or " if form else ""
        assert told.value.problems[0].remedy.startswith(f"{first}correct the values")


WRITTEN = {
    "2014/12/31 16:10:00+00": 'format = "%Y/%m/%d %H:%M:%S+00"',
    "1/31/2024 4:10 pm": 'format = "month-first"',
    "1.2.2024": 'format = "day-first" or format = "month-first"',
    "31-Jan-2024 04:10:20.5 PM": 'format = "%d-%b-%Y %I:%M:%S.%f %p"',
    "2024/1/31 3:02:11 PM GMT-3": 'format = "%Y/%m/%d %I:%M:%S %p GMT-3"',
    "2024-01-31 15:02 UTC": 'format = "%Y-%m-%d %H:%M UTC"',
    "20240131T10:20+0100": 'format = "%Y%m%dT%H:%M%z"',
    "soon": "",
}


def test_patterns() -> None:
    assert dates_taxonomy("d", ["31 Jan 24"], format="%d %b %y").level(1) == ("2024-01",)
    assert dates_taxonomy("d", ["20240131"], format="%Y%m%d").level(1) == ("2024-01",)
    assert dates_taxonomy("d", ["01/2024"], format="%m/%Y").rows() == [
        ("01/2024", "2024-Q1", "2024", "2020s", "*")
    ]
    assert dates_taxonomy("d", ["2024"], format="%Y").rows() == [("2024", "2020s", "*")]
    assert dates_taxonomy("d", ["20240131 07"], format="%Y%m%d %H").level(1) == ("2024-01-31",)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("%d. %B %Y", "12. März 2020"),
        ("%d. %b %Y", "12. Mrz. 2020"),
        ("%d %B %Y", "12 mars 2020"),
        ("%d de %B de %Y", "12 de marzo de 2020"),
        ("%d de %B de %Y", "12 de Março de 2020"),
        ("%d-%b-%Y", "12-mär-2020"),
        ("%d %B %Y", "12 March 2020"),
    ],
)
def test_months_have_names_in_several_languages(form: str, text: str) -> None:
    assert dates_taxonomy("d", [text], format=form).rows()[0][:2] == (text, "2020-03")


def test_another_format_is_proposed_for_a_month_by_name() -> None:
    with pytest.raises(HierarchyError, match="%d de %B de %Y"):
        dates_taxonomy("d", ["12 de marzo de 2020", "1 de abril de 2020"])


def test_dates_known_less_exactly() -> None:
    taxonomy = dates_taxonomy("born", ["1970", "1970-05", "1970-05-03"])
    assert taxonomy.rows() == [
        ("1970", "1970", "1970", "1970", "1970s", "*"),
        ("1970-05", "1970-05", "1970-Q2", "1970", "1970s", "*"),
        ("1970-05-03", "1970-05", "1970-Q2", "1970", "1970s", "*"),
    ]


def test_chosen_levels() -> None:
    taxonomy = dates_taxonomy("d", ["2024-05-03"], levels=["quarter", "decade"])
    assert taxonomy.rows() == [("2024-05-03", "2024-Q2", "2020s", "*")]


@pytest.mark.parametrize(
    "text",
    ["2023-02-29", "2024-13-01", "2024-1-1", "20240101", "2024-01-01T25:00", "x", "2024-W05-1"],
)
def test_what_is_no_date(text: str) -> None:
    with pytest.raises(HierarchyError, match=" 1 distinct value cannot") as error:
        dates_taxonomy("d", ["2024-01-01", "2024-01-02", "2024-01-03", text])
    assert text not in str(error.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"format": "european"},
        {"format": 5},
        {"format": "%d"},
        {"format": "%d %Y"},
        {"format": "%Y %Q"},
        {"format": "%Y %Y"},
        {"levels": []},
        {"levels": "month"},
        {"levels": ["week"]},
        {"levels": ["year", "month"]},
        {"levels": ["year", "year"]},
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any]) -> None:
    with pytest.raises(PolicyError):
        dates_taxonomy("d", ["2024-01-01"], **settings)


def test_weeks_are_what_days_are_rounded_to() -> None:
    with pytest.raises(PolicyError, match="no month or year is made of weeks") as error:
        dates_taxonomy("d", ["2024-01-01"], levels=["week", "year"])
    assert 'transform = { round = "week" }' in str(error.value.problems[0].remedy)


@given(st.sets(st.dates(date(1000, 1, 1)), min_size=1))
def test_any_dates_are_in_the_order_of_time_and_nested(days: set[date]) -> None:
    taxonomy = dates_taxonomy("d", [day.isoformat() for day in days])
    assert list(taxonomy.leaves) == [day.isoformat() for day in sorted(days)]
    assert taxonomy.level(3) == tuple(f"{day:%Y}".rjust(4, "0") for day in sorted(days))
    assert taxonomy.compile().order.tolist() == list(range(len(days)))
