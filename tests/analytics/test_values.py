from __future__ import annotations

from datetime import date, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.analytics.profile import values as values_of_a_column
from indistinct.analytics.profile.values import SAMPLE, Values, read_values
from indistinct.hierarchies.dates import dates_taxonomy


def read(values: list[str | None], kind: str = "text") -> Values:
    counted = pl.DataFrame({"value": values}, schema={"value": pl.String})
    return read_values(counted.group_by("value").len(name="count"), kind)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2", "30"], "integer"),
        (["1.0", "2.0", "3"], "integer"),
        (["1.5", "-2", ".25"], "float"),
        (["01234", "12345"], "text"),
        (["inf", "nan", "Infinity"], "text"),
        (["2024-01-31", "1999-12-01"], "date"),
        (["2024-1-31", "1999-12-1"], "date"),
        (["31.1.2024", "01.12.1999"], "date"),
        (["20240131", "19991201"], "date"),
        (["20240131", "19991332"], "integer"),
        (["2024-01-31T10:20:00Z", "1999-12-01 10:20"], "datetime"),
        (["2024-13-31", "1999-12-01"], "text"),
        (["true", "False"], "boolean"),
        (["true", "maybe"], "text"),
        (["a", "b"], "text"),
        ([None, None], "text"),
        ([], "text"),
    ],
)
def test_kinds(values: list[str | None], kind: str) -> None:
    assert read(values).kind == kind


def test_counts_and_missing() -> None:
    found = read(["1", "1", "2", None])
    assert (found.distinct, found.filled) == (2, 3)
    assert found.largest == 2.0


@pytest.mark.parametrize(
    "token", ["N/A", "NA", "?", "null", "-", "unknown", " na ", "keine Angabe"]
)
def test_a_token_among_numbers_and_dates_is_missing(token: str) -> None:
    numbers = read(["1.5", "2", token, token])
    assert (numbers.kind, numbers.missing_tokens, numbers.filled) == ("float", {token: 2}, 2)
    dates = read(["2024-01-31", token, "2024-02-29"])
    assert (dates.kind, dates.missing_tokens) == ("date", {token: 1})


def test_a_token_among_words_must_be_certain() -> None:
    found = read(["red", "blue", "N/A", "Unknown", "none"])
    assert found.missing_tokens == {"N/A": 1, "Unknown": 1}  # missing is written in two ways
    assert found.distinct == 3
    assert read(["red", "blue", "Unknown", "none"]).missing_tokens == {}


def test_a_point_among_words_is_missing_as_programs_of_statistics_write_it() -> None:
    assert read(["Oui", "Non", ".", "."]).missing_tokens == {".": 2}
    assert read(["-", "+", "."]).missing_tokens == {}
    assert read(["St.", "P.", "."]).missing_tokens == {".": 1}


def test_na_is_a_country_among_codes_of_two_letters() -> None:
    assert read(["DE", "FR", "NA", "BW"]).missing_tokens == {}
    assert read(["DE", "FR", "NA", "?"]).missing_tokens == {"?": 1}
    assert read(["Germany", "NA"]).missing_tokens == {"NA": 1}


@pytest.mark.parametrize(
    "texts", [["NA", "NA"], ["N/A", "?", "."], ["-", "-"], ["unknown"], ["#N/A", "(null)"], ["99"]]
)
def test_only_tokens_are_no_values(texts: list[str]) -> None:
    found = read(texts)
    gone = len(texts) if texts != ["99"] else 0
    assert (found.kind, found.filled) == ("integer" if not gone else "text", len(texts) - gone)
    assert sum(found.missing_tokens.values()) == gone


def test_one_of_many_texts_is_a_value_among_tokens() -> None:
    tokens = [" " * blanks + "NA" for blanks in range(1100)]
    assert read(tokens).filled == 0
    assert read([*tokens, "Rome"]).filled > 0
    assert read(["Rome", *tokens]).filled > 0


def test_codes_and_words_that_could_say_something_are_values_though_alone() -> None:
    assert read(["NC", "ND", "NC"]).distinct == 2  # states
    assert read(["none", "unknown"]).distinct == 2


def test_a_few_strays_leave_a_column_of_numbers() -> None:
    found = read([*map(str, range(100)), "4e"])
    assert (found.kind, found.stray, found.stray_records) == ("integer", ("4e",), 1)
    assert read([*map(str, range(20)), "4e", "5e"]).kind == "text"


@pytest.mark.parametrize(
    ("values", "written", "unclear"),
    [
        (["2024-01-31"], "iso", False),
        (["2024-1-31"], "%Y-%m-%d", False),
        (["2024/01/31"], "%Y/%m/%d", False),
        (["31/01/2024", "01/02/2024"], "day-first", False),
        (["01/31/2024", "01/02/2024"], "month-first", False),
        (["03/01/2024", "01/02/2024"], "day-first", True),
        (["31-01-2024"], "day-first", False),
        (["20240131"], "%Y%m%d", False),
        (["2024-01", "2024-12"], "iso", False),
        (["31.01.24"], "day-first", False),
        (["31/01/24", "01-02-24", "03.04.24"], "day-first", False),
        (["01/31/24 0:00", "01/02/24 10:30"], "month-first", False),
        (["31-Jan-2024"], "%d-%b-%Y", False),
        (["31JAN2024"], "%d%b%Y", False),
        (["31 January 2024"], "%d %B %Y", False),
        (["January 31, 2024"], "%B %d, %Y", False),
        (["12. März 2024", "1. Mai 2024", "3. Dezember 2024"], "%d. %B %Y", False),
        (["12. Mär. 2024", "3. Dez. 2024"], "%d. %b %Y", False),
        (["1er août 2024", "14 février 2024"], "%d %B %Y", False),
        (["3 de mayo de 2024", "14 de Septiembre de 2024"], "%d de %B de %Y", False),
        (["12-ene-2024", "14-dic-2024"], "%d-%b-%Y", False),
        (["enero 2024", "septiembre 2024"], "%B %Y", False),
        (["8/27/2024 11:29", "1/2/2024 9:05"], "month-first", False),
        (["31/01/2024 23:59:00"], "day-first", False),
    ],
)
def test_how_dates_are_written(values: list[str], written: str, unclear: bool) -> None:
    found = read(values)
    assert (found.date_format, found.ambiguous_dates) == (written, unclear)
    assert found.last is not None
    assert found.last.year == 2024


@pytest.mark.parametrize(
    ("values", "tokens"),
    [
        (["2020-03-05", "2020-04-05", "9999-99-99", "9999-99-99"], {"9999-99-99": 2}),
        (["03/05/20", "31/05/20", "9999-99-99"], {"9999-99-99": 1}),
        (["2020-03-05", "2020-04-05", "0001-01-01"], {"0001-01-01": 1}),
        (["2020-03-05", "2020-04-05", "0001-01-01", "9999-12-31"],
         {"0001-01-01": 1, "9999-12-31": 1}),
        (["2020-03-05", "2020-04-05", "00/00/0000"], {"00/00/0000": 1}),
        (["31/12/4000", "05/03/2020", "31/12/4000"], {"31/12/4000": 2}),
        (["2020-03-05", "2999-12-31"], {"2999-12-31": 1}),
        (["2150-03-11", "2999-12-30", "2999-01-01"], {}),
        (["4000-12-31", "4000-12-31"], {}),
        (["2020-03-05", "2020-04-05", "1900-01-01", "1900-01-01"], {"1900-01-01": 2}),
        (["2020-03-05", "2020-04-05", "1900-01-01"], {}),
        (["1930-03-05", "2020-04-05", "1900-01-01", "1900-01-01"], {}),
        (["2020-03-05", "2020-04-05", "2020-01-01", "2020-01-01"], {}),
    ],
)  # fmt: skip
def test_what_stands_for_no_date_leaves_a_column_of_dates(
    values: list[str | None], tokens: dict[str, int]
) -> None:
    found = read(values)
    assert (found.kind, found.missing_tokens) == ("date", tokens)
    assert found.filled == len(values) - sum(tokens.values())
    typed = [value for value in values if value is not None and value[:4] not in ("9999", "00/0")]
    if all("/" not in value for value in typed):
        assert read(list(typed), "date").missing_tokens == {
            text: count for text, count in tokens.items() if text in typed
        }


def test_texts_that_are_told_to_stand_for_missing() -> None:
    counted = pl.DataFrame({"value": ["1", "2", "99", None], "count": [5, 4, 3, 1]})
    for kind in ("text", "integer"):
        found = read_values(counted, kind, ["99"])
        assert (found.kind, found.missing_tokens, found.filled) == ("integer", {"99": 3}, 9)


def test_kinds_that_the_table_knows_are_kept() -> None:
    assert read(["2024-01-31"], "date").first == date(2024, 1, 31)
    assert read(["1", "2"], "integer").largest == 2.0
    assert read(["true"], "boolean").kind == "boolean"


def test_the_sample_does_not_depend_on_the_order() -> None:
    texts = pl.Series([f"value {at}" for at in range(20_000)])
    ones = pl.repeat(1, texts.len(), eager=True)
    sample = Values("text", texts, ones).sample
    assert sample.len() == SAMPLE
    assert sample.equals(Values("text", texts.reverse(), ones).sample)


@settings(max_examples=100)
@given(
    st.lists(
        st.from_regex(
            r"[a-z]{0,4}[0-9 .:/e_-]{0,4}|NA|true|unknown|(Jan|mai|ward|May) [0-9 ,.]{0,7}",
            fullmatch=True,
        )
    )
)
def test_words_are_read_as_if_they_could_be_numbers(values: list[str]) -> None:
    texts = pl.Series(sorted({*values, "other"}), dtype=pl.String)
    ones = pl.repeat(1, texts.len(), dtype=pl.Int64, eager=True)
    if values_of_a_column._only_words(texts.to_list()):
        found = values_of_a_column._read_text(texts, ones)
        assert (found.kind, found.texts.to_list()) == ("text", texts.to_list())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ward 12", True),
        ("Stage 3, part 1", True),
        ("diet", True),
        ("D10", True),
        ("Jan 2024", False),
        ("12 wards", False),
        ("ward 123", False),
        ("NA", False),
    ],
)
def test_what_is_told_to_be_words_at_once(text: str, words: bool) -> None:
    assert values_of_a_column._only_words([text]) is words


SIGNS = st.sampled_from(["", "-"])


def digits(most: int) -> st.SearchStrategy[str]:
    return st.text("0123456789", min_size=1, max_size=most)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.builds("{}{}".format, SIGNS, digits(6))
        | st.builds("{}{}.{}".format, SIGNS, digits(4), digits(3))
        | st.sampled_from(["99999", "999999", "9999.99", "20240131", "0099", "-0", "0.5"]),
        min_size=1,
        unique=True,
    )
)
def test_short_numbers_are_read_as_all_others(texts: list[str]) -> None:
    held = pl.Series("value", texts), pl.Series("count", [1] * len(texts))
    fast, slow = read_values(pl.DataFrame(held), "text"), values_of_a_column._read_text(*held)
    plain = ("kind", "missing_tokens", "date_format", "stray", "first", "last", "distinct")
    assert [getattr(fast, name) for name in plain] == [getattr(slow, name) for name in plain]
    assert (fast.numbers is None) == (slow.numbers is None)
    if fast.numbers is not None and slow.numbers is not None:
        assert fast.numbers.to_list() == slow.numbers.to_list()


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2", None], "integer"),
        (["1", "2.5"], "float"),
        (["20201231", "20210101", "20210102"], "date"),
        ([None], "float"),
    ],
)
def test_whole_numbers_are_whole_whatever_type_their_column_has(
    values: list[str | None], kind: str
) -> None:
    assert read(values, "float").kind == kind


@settings(max_examples=40)
@given(st.lists(st.none() | st.text(max_size=12), max_size=30))
def test_anything_can_be_read(values: list[str | None]) -> None:
    found = read(values)
    told = sum(found.missing_tokens.values())
    assert found.filled + told == sum(value is not None for value in values)
    assert found.texts.len() == found.counts.len()


def test_days_that_no_calendar_of_python_has() -> None:
    days = pl.Series("value", [-900_000, 0, 3_000_000]).cast(pl.Date).cast(pl.String)
    counted = pl.DataFrame([days, pl.Series("count", [1, 1, 1])])
    values = read_values(counted, "date")
    assert values.first == values.last == date(1970, 1, 1)


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ("%Y/%m/%d %H:%M:%S", "datetime"),
        ("%d-%b-%Y %H:%M", "datetime"),
        ("%d%b%Y:%H:%M:%S.%f", "datetime"),
        ("%Y%m%d%H%M%S", "datetime"),
        ("%Y%m%d %H%M", "datetime"),
        ("%Y%m%dT%H%M%S", "datetime"),
        ("%d %B %Y %H:%M", "datetime"),
        ("%b %d %Y", "date"),
        ("%d/%b/%Y", "date"),
        ("%Y.%m.%d", "date"),
        ("%Y-%b-%d", "date"),
        ("%d. %B %Y", "date"),
        ("%A, %d %B %Y", "date"),
        ("%b-%Y", "date"),
        ("%m/%Y", "date"),
        ("%Y/%m", "date"),
    ],
)
def test_a_date_is_read_however_it_is_written(form: str, kind: str) -> None:
    days = [
        datetime(2020, 1, 3, 9, 5) + timedelta(days=31 * at, minutes=7 * at) for at in range(30)
    ]
    found = read([day.strftime(form) for day in days])
    assert (found.kind, found.date_format) == (kind, form)
    assert found.first is not None
    assert (found.first.year, found.first.month) == (2020, 1)
    taxonomy = dates_taxonomy("day", found.texts.to_list(), format=form)
    assert taxonomy.rows()[0][-3:-1] == ("2020", "2020s")


def test_words_and_numbers_are_no_dates_with_months() -> None:
    assert read(["12 mars 24", "14 tablets 20", "3 doses 10"]).kind == "text"
    assert read(["Ward 12", "Marzo 12", "Ward 13"]).kind == "text"


def test_whole_numbers_that_are_dates() -> None:
    assert read(["20201231", "20210101", "20210228"], "integer").date_format == "%Y%m%d"
    assert (
        read(["20201231101500", "20210101000000", "20210228235959"], "integer").kind == "datetime"
    )
    assert read(["20201231", "20210101", "20219999"], "integer").kind == "integer"
    assert read(["20201231", "20210101"], "integer").kind == "integer"


def test_a_time_zone_of_two_digits() -> None:
    found = read(["2015-07-15 16:22:00+00", "2016-07-15 16:22:00+02"])
    assert (found.kind, found.date_format) == ("datetime", "iso")


def test_dates_in_several_ways() -> None:
    texts = ["2023-09-05", "05/09/2023", "17-Sep-2023", "24.09.2023", "N/A", "5 Sep 2023"]
    values = read(texts * 3)
    assert (values.kind, values.mixed_dates, values.date_format) == ("date", True, None)
    assert (values.first, values.last) == (date(2023, 9, 5), date(2023, 9, 24))
    assert values.missing_tokens == {"N/A": 3}
    assert read(["2023-09-05", "05/09/2023", *["late"] * 9]).kind == "text"


def test_one_date_with_the_year_first_does_not_say_what_is_a_day_in_the_others() -> None:
    days = [f"{1 + at % 28:02}/{1 + at % 12:02}/2020" for at in range(1200)]
    values = read([*days, "2020-06-02T00:00:00.000"])
    assert (values.kind, values.mixed_dates, values.date_format) == ("date", False, "day-first")
    assert values.stray == ("2020-06-02T00:00:00.000",)
    assert read([*days, "06/31/2020"]).date_format != "day-first"


def test_days_with_a_clock_beside_days_of_two_digits() -> None:
    texts = ["1966-10-22 00:00:00", "05-08-67", "1933-03-23 00:00:00", "17-02-55", "21-12-48"]
    values = read(texts)
    assert (values.kind, values.mixed_dates, values.stray_records) == ("date", True, 0)


def test_the_logarithm_of_nothing_is_no_number() -> None:
    values = read(["-Inf", "3.1683536897999405", "2.0012", "3.7"] * 3)
    assert (values.kind, values.missing_tokens) == ("float", {"-Inf": 3})
