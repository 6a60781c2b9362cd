"""Dates and ages written so that no level can be made of them, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterator

from indistinct.analytics.profile.concepts import concept_of
from indistinct.analytics.profile.names import names_one_of, words
from indistinct.analytics.profile.values import Values

COUNTED_DAYS = (
    "its dates are written as numbers of days, as spreadsheets and statistics programs count them,"
    " and cannot become months or years: write them as dates, such as 2024-01-31"
)
MIXED_AGES = (
    "its ages are written in several ways, with and without words, and cannot become intervals:"
    " write each as a number of years, such as 34, and months as a part of a year"
)

_FIRST_DAY, _LAST_DAY = 7_000, 60_000
_FEWEST = 3
_OF_DATES = ("date", "dates", "datum", "fecha", "dob")
_OF_OTHERS = ("id", "number", "no", "nr", "num", "count", "code", "days", "age")
_YEARS_AT_END = ("jahr", "jaar")
_DAYS_AT_END = ("datum",)
_EACH_WAY = 0.1


def is_of_a_life(name: str) -> bool:
    """Whether a name speaks of a birth or a death, which others know better than other times."""
    named = concept_of(name)
    return named is not None and named[0].name in ("birth", "death")


def ends_in_a_year(name: str) -> bool:
    """Whether a word of the name is a compound of German or Dutch that ends in a year.

    >>> ends_in_a_year("Diagnosejahr"), ends_in_a_year("Diagnose")
    (True, False)
    """
    return any(word.endswith(_YEARS_AT_END) for word in words(name))


def are_counted_days(name: str, values: Values) -> bool:
    """Whether whole numbers under the name of a date count the days since some day before."""
    if values.kind != "integer" or values.numbers is None or values.distinct < _FEWEST:
        return False
    dated = names_one_of(name, _OF_DATES) or any(
        word.endswith(_DAYS_AT_END) for word in words(name)
    )
    if not dated or names_one_of(name, _OF_OTHERS):
        return False
    return bool(values.numbers.drop_nulls().is_between(_FIRST_DAY, _LAST_DAY).all())


def how_to_write(name: str, values: Values, about: str | None) -> Iterator[tuple[str, str]]:
    """What to write instead, with a code for it: for dates as numbers, and for mixed ages."""
    if about in ("time", "birth", "death") and are_counted_days(name, values):
        yield "dates-as-numbers", COUNTED_DAYS
    if about == "age" and values.kind == "text" and _in_several_ways(values):
        yield "ages-in-several-ways", MIXED_AGES


def _in_several_ways(values: Values) -> bool:
    """Whether some ages are numbers alone and some have words beside a number."""
    texts = values.texts.str.strip_chars()
    plain = texts.str.contains(r"^\d{1,3}([.,]\d+)?$")
    worded = texts.str.contains(r"\d") & texts.str.contains(r"\p{L}")
    least = _EACH_WAY * len(texts)
    return int(plain.sum()) >= least and int(worded.sum()) >= least
