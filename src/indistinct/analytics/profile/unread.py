"""Dates and ages written so that no level can be made of them, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from indistinct.analytics.profile.concepts import concept_of
from indistinct.analytics.profile.names import names_one_of, words
from indistinct.analytics.profile.values import NUMBER, Values
from indistinct.hierarchies.ages import UNIT_OF, in_years

SPREADSHEET = "days since 1899-12-30"
"""How spreadsheets count days, as the format of a date says it."""
SPSS = "seconds since 1582-10-14"
"""How SPSS counts: no other numbers are all whole days of it."""
DAYS = "dates-as-numbers"
COUNTED_DAYS = (
    "its dates are written as numbers of days, of which it is not plain where they begin: for"
    ' months and years say hierarchy = { date = { format = "days since 1970-01-01" } } of R, or'
    " 1960-01-01 of SAS and Stata, or 1899-12-30 of spreadsheets"
)
MIXED_AGES = (
    "its ages are written in several ways, some of which are not understood: they are suppressed"
    " unless they are written as 34, 3 months or 90+"
)


def are_units_of_time(values: Iterable[str]) -> bool:
    """Whether values are several of days, weeks, months and years, as the units of ages.

    >>> are_units_of_time({"Months", "years"}), are_units_of_time({"m", "f"})
    (True, False)
    """
    units = [UNIT_OF.get("".join(words(value))) for value in values]
    return None not in units and len(set(units)) > 1


def told_of_units(unit: str) -> tuple[str, str]:
    """What to do about ages whose units stand in another column, with a code for it."""
    return (
        "ages-in-units",
        f"the units of its ages are in '{unit}', so that 3 months and 3 years are the same number:"
        f" write all ages in years, and leave '{unit}' out",
    )


_FIRST_DAY, _LAST_DAY = 7_000, 60_000
_FEWEST = 3
_OF_DATES = ("date", "dates", "datum", "fecha", "dob")
_OF_OTHERS = ("id", "number", "no", "nr", "num", "count", "code", "days", "age")
_YEARS_AT_END = ("jahr", "jaar")
_DAYS_AT_END = re.compile(r"\w*datum|(?!up)\w{1,4}date|\w{2,}dte?|\w{3,}dat")
"""Datum behind any word of a compound, and date behind a short form: bdate, sadmdte, trtsdt."""
_EARLIEST_DAY = -40_000
_LONGER_THAN_A_YEAR = 366
_LAST_OF_OTHERS = 30_000
"""Counted from 1960 or later, days after this one lie in years to come."""
_MOST_READ = 0.7


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
    if not _are_whole(values) or values.distinct < _FEWEST:
        return False
    spoken = words(name)
    dated = (
        names_one_of(name, _OF_DATES)
        or any(map(_DAYS_AT_END.fullmatch, spoken))
        or (len(spoken) == 1 and is_of_a_life(name))
    )
    if not dated or names_one_of(name, _OF_OTHERS):
        return False
    return could_count_days(values) or _are_days_before_and_after(values)


def _are_whole(values: Values) -> bool:
    """Whether numbers are whole, also where gaps or a statistics package made 19725.0 of them."""
    if values.numbers is None:
        return False
    known = values.numbers.drop_nulls()
    return values.kind == "integer" or bool((known == known.round()).all())


def _are_days_before_and_after(values: Values) -> bool:
    """Whether numbers called a date lie before and after a day of our time, as births do."""
    if values.numbers is None:
        return False
    known = values.numbers.drop_nulls()
    low, high = float(known.min()), float(known.max())  # type: ignore[arg-type]
    return _EARLIEST_DAY <= low < 0 and _LONGER_THAN_A_YEAR < high <= _LAST_DAY


def could_count_days(values: Values) -> bool:
    """Whether whole numbers of which nothing else is known lie where days of our time do.

    Bills, weights in grams and numbers of people lie there as well, so that nobody can tell.
    """
    if values.numbers is None or not _are_whole(values):
        return False
    return bool(values.numbers.drop_nulls().is_between(_FIRST_DAY, _LAST_DAY).all())


_OF_SPSS = (10_000_000_000, 14_500_000_000)
"""Seconds of SPSS from 1899 to 2042."""
_DAY = 86_400


def are_seconds(values: Values) -> bool:
    """Whether whole numbers are the seconds with which SPSS counts the days of our time."""
    if values.numbers is None or values.kind != "integer" or values.distinct < _FEWEST:
        return False
    known = values.numbers.drop_nulls()
    return bool(known.is_between(*_OF_SPSS).all()) and bool((known % _DAY == 0).all())


def counted_since(name: str, values: Values) -> str | None:
    """How dates are written that are numbers, where these are of a spreadsheet or SPSS for sure."""
    if are_seconds(values):
        return SPSS
    if not are_counted_days(name, values) or values.numbers is None:
        return None
    last = values.numbers.max()
    return SPREADSHEET if isinstance(last, float) and last > _LAST_OF_OTHERS else None


def how_to_write(name: str, values: Values, about: str | None) -> Iterator[tuple[str, str]]:
    """What to write instead, with a code for it: for dates as numbers, and for mixed ages.

    Arguments:
        name: the name of the column.
        values: its values.
        about: what it is about.
    """
    dated = about in ("time", "birth", "death") and are_counted_days(name, values)
    if dated and counted_since(name, values) is None:
        yield DAYS, COUNTED_DAYS
    if about == "age" and not all(mixed_ages(values)):
        yield "ages-in-several-ways", MIXED_AGES


def mixed_ages(values: Values) -> list[bool]:
    """Which texts are ages in years, where most are and some of these are no numbers; else none."""
    if values.numbers is not None and not values.stray:
        return []
    numbers = values.texts.str.contains(NUMBER)
    if all(in_years(text) is None for text in values.texts.filter(~numbers).to_list()):
        return []
    read = [in_years(text) is not None for text in values.texts.to_list()]
    return read if sum(read) >= _MOST_READ * len(read) else []
