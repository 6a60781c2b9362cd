"""What the values of a column say that they are, under any name.

Codes of a classification, the two sexes, groups of people, degrees, places, words of illness and of
life and death are told from how they are written. A name decides only where values cannot: every
number of three digits could be a code of ICD-9.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, cached_property

import numpy as np
import polars as pl

from indistinct.analytics.profile.abbreviations import abbreviated
from indistinct.analytics.profile.concepts import concept_of
from indistinct.analytics.profile.names import (
    all_words,
    names_one_of,
    says_nothing,
    starts_with_one_of,
    words,
)
from indistinct.analytics.profile.unread import (
    SPSS,
    are_counted_days,
    counted_since,
    ends_in_a_year,
    is_of_a_life,
    mixed_ages,
)
from indistinct.analytics.profile.values import MISSING_AMONG_NUMBERS, Values
from indistinct.frozen import dataclass
from indistinct.hierarchies import code_systems
from indistinct.hierarchies.month_names import DAYS, MONTHS
from indistinct.types import Floats
from indistinct.word_lists import lists_of

LOOKED_AT = 1000
"""How many of the most frequent values are looked at."""

NEARLY_ALL = 0.9
MOST = 0.7
SOME = 0.4

_OF_ILLNESS = (
    "icd", "diag", "diagnosis", "diagnoses", "dx", "condition", "disease", "cause",
    "causa", "causas", "ursache", "todesursache", "doodsoorzaak", "przyczyna",
)  # fmt: skip
_ILL_STEMS = ("diag", "icd")
_ILL_FORMS = ("cid", "cie", "causa", "causabas", "causab")
CODES_OF = "its values are codes of"
"""How the reason begins where values are codes of a system."""

_OF_A_MOMENT = ("age", "birth", "time", "stay")
_OF_PROCEDURES = ("procedure", "procedures", "proc", "prcdr", "px", "surgical")
_OF_STATES = ("state", "st", "province", "region", "territory")
_OF_COUNTRIES = (
    "country",
    "ctry",
    "cntry",
    "nation",
    "nationality",
    "citizenship",
    "origin",
    "birthplace",
    "land",
)
_OF_ZIP = ("zip", "zip code", "zip5", "zip3", "zcta")
_OF_PLACES = ("cabin", "room", "bed", "seat", "ward", "ticket", "locker", "plot", "block")


_SPAN = re.compile(
    r"[\[(]?(?:<=?|>=?|≤|≥|before|after|until|from)? ?(?:1[89]|20)\d\d"
    r"(?: ?(?:[-–—/,]|to|and) ?(?:(?:1[89]|20)\d\d|\d\d|before|after|later)?|\+)?[\])]?",
    re.IGNORECASE,
)
_WEEK = re.compile(
    r"(19|20)\d\d[-_/ ]?[QqTt][1-4]|[QqTt][1-4][-_/ ]?(19|20)\d\d"
    r"|(19|20)\d\d[-_/ ]?([Ww]|[-_/ ]|[Ss][Ee]?)([0-4]?\d|5[0-3])"
)
_CLOCK = re.compile(r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?( ?[AaPp][Mm])?")


@dataclass(frozen=True)
class Content:
    """What values are: the concept they speak of, why, and a code system that they belong to."""

    concept: str
    why: str
    code_system: str | None = None
    missing: tuple[str, ...] = ()
    """Values that are no code of the system and stand for a missing one."""
    stray: bool = False
    """Whether other values are no code of the system either."""
    certain: bool = True
    """Whether values outweigh the name of the column."""
    since: str | None = None
    """The format of dates that are numbers of days."""
    ages: bool = False
    """Whether values are ages that are not all written as numbers."""
    parts_of_years: bool = False
    """Whether values are numbers of four digits for the year and two for a month or a week."""


class _Texts:
    """The most frequent values of a column, and how many records have each."""

    def __init__(self, name: str, values: Values) -> None:
        texts, counts = values.texts, values.counts
        if values.distinct > LOOKED_AT:
            frame = pl.DataFrame({"text": texts, "count": counts})
            frame = frame.top_k(LOOKED_AT, by=["count", "text"], reverse=[False, True])
            texts, counts = frame.get_columns()
        held = sorted(zip([-one for one in counts.to_list()], texts.to_list(), strict=True))
        self.name, self.values = name, values
        self.texts = [text.strip() for _, text in held]
        self.counts: list[int] = [-count for count, _ in held]

    @cached_property
    def words(self) -> list[tuple[str, ...]]:
        """The words of every value, without its numbers."""
        return [tuple(one for one in all_words(text) if not one.isdigit()) for text in self.texts]

    @cached_property
    def seen(self) -> frozenset[str]:
        """All words of the values."""
        found = set(all_words("\n".join(self.texts)))
        return frozenset(word for word in found if not word.isdigit())

    def share(self, fits: Iterable[bool]) -> float:
        """The share of records of which the value fits."""
        held = sum(count for fit, count in zip(fits, self.counts, strict=True) if fit)
        return held / max(1, sum(self.counts))

    def every(self, vocabulary: frozenset[str]) -> float:
        """The share of records of which every word is one of these."""
        return self.share(bool(one) and vocabulary.issuperset(one) for one in self.words)

    def any(self, vocabulary: frozenset[str]) -> float:
        """The share of records of which a word is one of these."""
        return self.share(not vocabulary.isdisjoint(one) for one in self.words)


def content_of(name: str, values: Values) -> Content | None:
    """What the values of a column are, where they say so by themselves.

    Arguments:
        name: the name of the column, for values that could be several things.
        values: its values.
    """
    if not values.distinct or values.kind in ("date", "datetime", "boolean"):
        return None
    since = counted_since(name, values)
    if since is not None or are_counted_days(name, values):
        why = f"its values are numbers of {'seconds' if since == SPSS else 'days'}"
        return Content("time", why, certain=not is_of_a_life(name), since=since)
    named = concept_of(name)
    if named and named[0].name == "age" and (words := _words_among_ages(values)):
        return Content("age", f"its name says {named[1]}", missing=words)
    if named and named[0].name == "age" and (read := mixed_ages(values)):
        return Content("age", f"its name says {named[1]}", ages=True, stray=not all(read))
    texts = _Texts(name, values)
    found = _code_system(texts) or _terms(texts)
    if found is None and values.kind == "text":
        found = _of_texts(texts)
    elif found is None and _are_parts_of_years(values):
        found = Content("time", "its values are months or weeks of years", parts_of_years=True)
    elif found is None and _are_years(values, names_one_of(name, _OF_YEARS) is not None):
        compound = ends_in_a_year(name) and not is_of_a_life(name)
        certain = compound or names_one_of(name, _OF_YEARS) is not None
        found = Content("time", "its values are years", certain=certain)
    elif found is None and (of_a_day := _in_a_day(name, values)):
        found = Content("time", of_a_day)
    elif found is None and _numbers_a_question(name) and could_be_ages(values):
        found = Content("age", "its values could be ages", certain=False)
    return found


_AN_AGE = r"^\s*\d{1,3}(\.\d+)?\s*$"
_FEW_WORDS = 3


def _words_among_ages(values: Values) -> tuple[str, ...]:
    """The few words without a digit that stand among many ages: x."""
    if values.kind != "text" or values.distinct < _SPREAD:
        return ()
    words = ~values.texts.str.contains(_AN_AGE)
    others = values.texts.filter(words)
    few = 0 < len(others) <= _FEW_WORDS and not others.str.contains(r"\d").any()
    share = int(values.counts.filter(words).sum()) / values.filled
    return tuple(others.to_list()) if few and share <= 1 - MOST else ()


def _of_texts(texts: _Texts) -> Content | None:
    """What texts are that are no codes of one system: times before words."""
    several = texts.values.distinct > 1
    if _are_times_of_the_day(texts):
        return Content("time", "its values are times of the day")
    if texts.values.distinct > 2 and texts.share(map(_is_a_week, texts.texts)) >= NEARLY_ALL:
        return Content("time", "its values are weeks or quarters of years")
    found = _several_codes(texts) or _subdivisions(texts)
    found = found or _padded_parts(texts) or _words(texts)
    if found is None and several and _are_spans_of_years(texts):
        return Content("time", "its values are spans of years")
    if found is None and several and _are_terms(texts):
        return Content("time", "its values are seasons or terms of years")
    return found


def _is_a_week(text: str) -> bool:
    """Whether a text is a week or a quarter of a year."""
    return _WEEK.fullmatch(text) is not None


def _are_times_of_the_day(texts: _Texts) -> bool:
    """Whether values are hours and minutes, or words for parts of the day."""
    clocks = texts.share(_CLOCK.fullmatch(text) is not None for text in texts.texts)
    return (clocks >= NEARLY_ALL and texts.values.distinct > 2) or _are_parts_of_the_day(texts)


def _numbers_a_question(name: str) -> bool:
    """Whether a name says nothing but the number of a column or a question: SQ2, V_14."""
    return says_nothing(name) or _QUESTION.fullmatch(name) is not None


_QUESTION = re.compile(r"[DFPQSVdfpqsv]{1,2}_?\d+[A-Za-z]?")


# Codes of a classification ---------------------------------------------------------------------


def _code_system(texts: _Texts) -> Content | None:
    for name, concept, likely in (
        ("atc", "health", _likely_atc),
        ("icd-10", "health", _likely_icd10),
        ("icd-9-cm", "health", _likely_icd9),
        ("us-zip", "place", _likely_zip),
        ("us-state", "place", _likely_state),
        ("country", "nationality", _likely_country),
    ):
        possible = _POSSIBLE.get(name)
        fitting = _fitting(name, texts) if possible is None or possible(texts) else None
        if fitting is None:
            continue
        read, known = fitting
        if not likely(texts, read):
            continue
        pairs = zip(texts.texts, read, known, strict=True)
        missing = tuple(text for text, fits, gone in pairs if gone and not fits)
        return Content(concept, f"{CODES_OF} {name}", name, missing, not all(known))
    return None


def _possibly_icd9(texts: _Texts) -> bool:
    """Whether the name speaks of illness, or some values have the letters of these codes."""
    return _speaks_of_illness(texts.name) or (
        sum(text.startswith(tuple("VEve")) for text in texts.texts) >= _LETTERED
    )


def _possibly_zip(texts: _Texts) -> bool:
    return names_one_of(texts.name, _OF_ZIP) is not None


_POSSIBLE = {"icd-9-cm": _possibly_icd9, "us-zip": _possibly_zip}
"""What is asked of a column before its values are, of the systems that nearly every number fits."""

_LETTERED = 3
"""The fewest values with a letter that make codes of ICD-9 of a column with another name."""

_CODED = re.compile(r"-\d")
_CALLED_ICD = ("icd", "icd 10", "icd10", "cie 10", "cie10", "cim 10", "cim10", "cid 10", "cid10")


def _fitting(name: str, texts: _Texts) -> tuple[list[bool], list[bool]] | None:
    """Which values are codes of a system, and which these or missing; None where too few are.

    A column that is called a country may also hold a continent here and there, one that is called
    after the ICD what says that a code is wrong.
    """
    said = _names_countries(texts.name) if name == "country" else name == "icd-10"
    said = said and (name == "country" or names_one_of(texts.name, _CALLED_ICD) is not None)
    least = MOST if said else NEARLY_ALL
    records = left = sum(texts.counts)
    read, known = [], []
    for text, count in zip(texts.texts, texts.counts, strict=True):
        fits = code_systems.read(name, text) is not None
        read.append(fits)
        gone = text.lower() in MISSING_AMONG_NUMBERS or bool(_CODED.fullmatch(text))
        gone = gone or (name == "us-zip" and not text.strip("0"))
        fits = fits and not gone
        read[-1] = fits
        known.append(fits or gone)
        left -= 0 if known[-1] else count
        if left / records < least:
            return None
    return read, known


def _likely_atc(texts: _Texts, read: list[bool]) -> bool:
    return texts.share(len(text) >= 5 for text in texts.texts) >= MOST and sum(read) >= 3


def _likely_icd10(texts: _Texts, read: list[bool]) -> bool:
    if _speaks_of_illness(texts.name):
        return True
    codes = [text for text, fits in zip(texts.texts, read, strict=True) if fits]
    letters = {code[0].upper() for code in codes}
    dotted = sum(re.fullmatch(r"[A-Za-z]\d.\.\w{1,4}", code) is not None for code in codes)
    if names_one_of(texts.name, _OF_PLACES) or _names_a_place(texts.name) or _are_padded(codes):
        return False
    padded = any(re.fullmatch(r"[A-Z]\d\dX", code) for code in codes)
    many = len(codes) >= 20 and len(letters) >= (2 if padded else 8)
    return (dotted >= 3 and len(letters) >= 2) or many


def _are_padded(codes: Sequence[str]) -> bool:
    """Whether many codes are all a letter and as many digits, five or more, as numbers are."""
    padded = len(codes) >= 20 and len({*map(len, codes)}) == 1
    return padded and all(re.fullmatch(r"[A-Za-z]\d{5,}", code) for code in codes)


def _names_a_place(name: str) -> bool:
    found = concept_of(name)
    return found is not None and found[0].name in ("place", "stay")


def _likely_icd9(texts: _Texts, read: list[bool]) -> bool:
    if names_one_of(texts.name, _OF_PROCEDURES):
        return False
    if _are_years(texts.values):
        return False
    codes = [text for text, fits in zip(texts.texts, read, strict=True) if fits]
    lettered = sum(text[:1] in "VEve" for text in codes)
    if _speaks_of_illness(texts.name):
        long = texts.share(len(text) >= 3 for text in texts.texts) >= MOST
        return lettered > 0 or (long and texts.values.distinct < texts.values.filled)
    return lettered >= _LETTERED and len(codes) >= 20


def _speaks_of_illness(name: str) -> bool:
    """Whether a name speaks of codes of diseases, and not of when or at what age there was one."""
    about = concept_of(name)
    if about is not None and about[0].name in _OF_A_MOMENT:
        return False
    if names_one_of(name, _OF_ILLNESS) or starts_with_one_of(name, _ILL_STEMS):
        return True
    if any(word.endswith("dx") for word in words(name)):  # admdx
        return True
    short = abbreviated(name)
    return short is not None and short[1] in _ILL_FORMS


def _likely_zip(texts: _Texts, read: list[bool]) -> bool:
    del read
    return texts.share(len(text) >= 3 for text in texts.texts) >= NEARLY_ALL


def _likely_state(texts: _Texts, read: list[bool]) -> bool:
    named = names_one_of(texts.name, _OF_STATES) is not None
    return sum(read) >= (1 if named else 5) and texts.values.kind == "text"


def _likely_country(texts: _Texts, read: list[bool]) -> bool:
    if _names_countries(texts.name):
        return sum(read) >= 1
    codes = texts.share(len(text) <= 3 for text in texts.texts) > 1 - NEARLY_ALL
    capital = texts.share(text[:1].isupper() for text in texts.texts) >= NEARLY_ALL
    return capital and sum(read) >= (15 if codes else 5)


def _names_countries(name: str) -> bool:
    named = names_one_of(name, _OF_COUNTRIES) or starts_with_one_of(name, ("countr",))
    return named is not None


_BETWEEN_CODES = re.compile(r"[/*+,;|\s]+")


def _several_codes(texts: _Texts) -> Content | None:
    """Cells with one or several codes of ICD-10 each, of which some have a letter and a digit."""
    if _are_padded(texts.texts):
        return None

    def holds(text: str) -> bool:
        parts = [part for part in _BETWEEN_CODES.split(text) if part]
        return bool(parts) and all(code_systems.read("icd-10", part) is not None for part in parts)

    held: list[bool] = []
    left = records = sum(texts.counts)
    for text, count in zip(texts.texts, texts.counts, strict=True):
        held.append(holds(text))
        left -= 0 if held[-1] else count
        if left < MOST * records:
            return None
    letters = {text.strip("*")[:1] for text, fits in zip(texts.texts, held, strict=True) if fits}
    if sum(held) < 10 or len(letters) < 5:
        return None
    return Content("health", f"{CODES_OF} diseases")


def _subdivisions(texts: _Texts) -> Content | None:
    """Codes of ISO 3166-2 such as GT-SA."""
    fits = [_SUBDIVISION.fullmatch(text) is not None for text in texts.texts]
    if texts.share(fits) < NEARLY_ALL or sum(fits) < 3:
        return None
    return Content("place", f"{CODES_OF} regions")


_SUBDIVISION = re.compile(r"[A-Z]{2}-(?=.*[A-Z0-9])[A-Z0-9]{1,3}")


def _are_spans_of_years(texts: _Texts) -> bool:
    """Whether values are years and spans of years such as 1993-1996, 1997-99 and 2000-."""
    fits = [_SPAN.fullmatch(text) is not None for text in texts.texts]
    spans = sum(not text.isdigit() for text, fit in zip(texts.texts, fits, strict=True) if fit)
    return texts.share(fits) >= NEARLY_ALL and 2 * spans > len(fits)


_SEASON_OF_A_YEAR = re.compile(r"(?:19|20)\d\d[-_/ ]?([A-Za-z]+)|([A-Za-z]+)[-_/ ]?(?:19|20)\d\d")


def _are_terms(texts: _Texts) -> bool:
    """Whether values are years beside a season or the letter of a term: 2012 Summer, 2013J."""
    found = [_SEASON_OF_A_YEAR.fullmatch(text) for text in texts.texts]
    said = {(match[1] or match[2]).lower() for match in found if match}
    letters = all(len(word) == 1 for word in said)
    return texts.share(map(bool, found)) >= NEARLY_ALL and (letters or said <= _TIMES_OF_YEAR)


_MINUTES = 1440
_FEWEST_TIMES = 50


def _are_parts_of_days(values: Values) -> bool:
    """Whether numbers are minutes as parts of a day, as spreadsheets and R write times: 0.6375.

    Some may have the number of a day before them.
    """
    if values.kind != "float" or values.numbers is None or values.distinct < _FEWEST_TIMES:
        return False
    numbers = _known(values.numbers)
    minutes = (numbers % 1) * _MINUTES
    whole = abs(minutes - minutes.round()) < 1 / _MINUTES
    exact = abs(numbers * _HUNDRED - (numbers * _HUNDRED).round()) < 1 / _MINUTES
    within = (numbers >= 0) & (numbers < 1)
    most = within.mean() >= SOME and whole.mean() >= NEARLY_ALL
    return bool(most and 2 * exact.sum() < len(numbers))


def _in_a_day(name: str, values: Values) -> str:
    """What says that numbers are times of a day; empty where nothing does."""
    if _are_parts_of_days(values):
        return "its values are times as parts of a day"
    return (
        "its values are hours of the day" if _are_hours(name, values) else _in_a_year(name, values)
    )


_PARTS_OF_YEARS = (
    (12, 9, "months", ("month", "mon", "mes", "mois", "monat", "mese", "maand", "miesiac", "ay")),
    (53, 30, "weeks", ("week", "semana", "semaine", "woche", "settimana", "sem", "hafta", "uke")),
    (7, 7, "days of the week", ("weekday", "dow", "wday", "wochentag", "diasem")),
)
"""The last number of a part of a year, the fewest of its numbers, and what it is called."""


def _in_a_year(name: str, values: Values) -> str:
    """What says that numbers are parts of a year: those of all months, under the name of one."""
    if values.kind != "integer" or values.numbers is None:
        return ""
    numbers = _known(values.numbers)
    for most, several, what, called in _PARTS_OF_YEARS:
        whole = most - 1 <= numbers.max() <= most and numbers.min() in (0, 1)
        if whole and len(numbers) >= several and names_one_of(name, called):
            return f"its values are {what}"
    return ""


_OF_HOURS = ("hour", "hora", "heure", "stunde", "ora", "uur", "saat", "godzina")
_FEWEST_HOURS = 12
_EVENING, _MORNING = 20, 4


def _are_hours(name: str, values: Values) -> bool:
    """Whether whole numbers that are called an hour are those of a clock, from night to night."""
    if values.kind != "integer" or values.numbers is None or not names_one_of(name, _OF_HOURS):
        return False
    numbers = _known(values.numbers)
    clock = numbers.min() >= 0 and _EVENING <= numbers.max() <= 24
    return bool(clock and numbers.min() <= _MORNING) and values.distinct >= _FEWEST_HOURS


_HUNDRED = 100
"""Shares are rounded to hundredths; hardly one minute in a hundred is."""


def _are_parts_of_years(values: Values) -> bool:
    """Whether numbers are years followed by a month or a week: 202053."""
    if values.numbers is None or values.kind != "integer" or values.distinct < 3:
        return False
    numbers = _known(values.numbers)
    if not np.isfinite(numbers).all():
        return False
    years, parts = numbers // 100, numbers % 100
    return bool(((years >= 1900) & (years <= 2099) & (parts >= 1) & (parts <= 53)).all())


def _known(numbers: pl.Series) -> Floats:
    """The numbers of a column without its strays, which are null."""
    return numbers.drop_nulls().to_numpy() if numbers.null_count() else numbers.to_numpy()


_OF_YEARS = ("year", "yr", "ano", "annee", "anno", "jahr")


def _are_years(values: Values, named: bool = False) -> bool:
    """Whether all numbers are years of our time, whole or with the day as a fraction.

    Under the name of a year they may be moved into times to come, as where dates are shifted.
    """
    if values.numbers is None or values.distinct < 3:
        return False
    numbers = _known(values.numbers)
    within = (
        bool(((numbers >= 1880) & (numbers <= (_SHIFTED if named else 2099))).all())
        and not values.numbers.null_count()
    )
    return within and (values.kind == "integer" or len(numbers) > _FRACTIONS)


_TERM = re.compile(r"20[0-3]\d\.[123]")


_DAYS_OF_MONTHS = (31, 20, "days of months", ("day", "dia", "jour", "tag", "giorno", "dag"))


def _padded_parts(texts: _Texts) -> Content | None:
    """Texts of two digits such as 09 that are called a month, a week or a day of a month."""
    if not all(_TWO_DIGITS.fullmatch(text) for text in texts.texts):
        return None
    numbers = [int(text) for text in texts.texts]
    for most, several, what, called in (*_PARTS_OF_YEARS, _DAYS_OF_MONTHS):
        whole = most - 1 <= max(numbers) <= most and min(numbers) in (0, 1, 2)
        if whole and len(numbers) >= several and names_one_of(texts.name, called):
            return Content("time", f"its values are {what}")
    return None


_TWO_DIGITS = re.compile(r"\d\d")


def _terms(texts: _Texts) -> Content | None:
    """Years with the number of a term behind a point, but for a few: 2018.1, 2018.2."""
    if texts.values.kind not in ("float", "text") or texts.values.distinct <= _PER_YEAR:
        return None
    named = texts.share(_TERM.fullmatch(text) is not None for text in texts.texts)
    return Content("time", "its values are terms of years") if named >= NEARLY_ALL else None


_PER_YEAR = 2


_SHIFTED = 2299
_FRACTIONS = 100
"""From so many different ones on, numbers such as 2004.87 are days written as parts of a year."""

_FEWEST_AGES = 8


def could_be_years_of_life(values: Values) -> bool:
    """Whether numbers lie within a life, and there are several of them."""
    if values.numbers is None or values.distinct < _FEWEST_AGES:
        return False
    numbers = _known(values.numbers)
    return len(numbers) > 0 and bool(numbers.min() >= 0) and bool(numbers.max() <= _OLDEST)


_OLDEST = 110
_BUT_MISTYPED = 0.998
"""The share of ages that are none above those of people: some are mistyped."""
_SPREAD = 25


def could_be_ages(values: Values) -> bool:
    """Whether whole numbers are within a life, nearly all of a wide range occur, and none often."""
    if values.numbers is None or values.kind != "integer" or values.numbers.null_count():
        return False
    numbers, counts = values.numbers.to_numpy(), values.counts.to_numpy()
    order = np.argsort(numbers)
    share = np.cumsum(counts[order]) / values.filled
    low, high = numbers[order][0], numbers[order][np.searchsorted(share, _BUT_MISTYPED)]
    if not (low >= 0 and 60 <= high <= _OLDEST):
        return False
    inner = numbers[order][(share >= 0.05) & (share <= 0.95)]
    if len(inner) < _SPREAD:
        return False
    often = 10 * int(counts.max()) > values.filled
    return bool(len(inner) >= 0.9 * (inner[-1] - inner[0] + 1)) and not often


# Words -----------------------------------------------------------------------------------------


def _vocabulary(text: str) -> frozenset[str]:
    return frozenset(text.split())


WORDS = {name: _vocabulary(text) for name, text in lists_of(__file__)["words"].items()}
"""What values are told by, as the file beside this one lists it."""


_BOTH_SEXES = (frozenset(("masc", "fem")), frozenset(("nam", "nu")), frozenset(("bay", "bayan")))
_SEX_PAIRS = tuple(map(frozenset, ("mf", "mw", "mh", "fh", "mv", "mk", "ke", "lp", "mz", "mn")))
"""Letters of the two sexes in several languages; some mean something else in others."""
_FAMILIES_ALSO = WORDS["families"] | WORDS["beside_families"]
_SEVERAL_STATES = 4
"""So many words of marriage are enough, with any other words."""
_TIMES_OF_YEAR = WORDS["seasons"].union(*(name.split() for name in (*MONTHS, *DAYS)))
_FEWEST_WORKS = 2
_FEWEST_SIGNS = 4
_ILL_ENDS = re.compile(
    r"\w{2,}(itis|osis|emia|aemia|oma|pathy|uria|ectomy|plasty|algia|penia|megaly|plegia|trophy)"
)
_DRUG = re.compile(
    r"\w{2,}(cillin|mycin|micin|cycline|floxacin|penem|azole|vastatin|pril|sartan|olol|dipine"
    r"|triptan|oxetine|azepam|azolam|tinib|gliptin|formin|thiazide|semide|caine|profen|coxib|navir"
    r"|ciclovir|parin|setron|phylline|terol|isone|asone|solone|barbital|codone|tidine|platin)e?"
)
"""Names of drugs, by the stems that the WHO gives to them (International Nonproprietary Names)."""
_FEWEST_DRUGS = 3
_FEWEST_HOSPITALS = 4
_NUMBER = re.compile(r"\d")
_UNIT = re.compile(
    r"(?i:mg|kg|ml|dl|mcg|ug|iu|meq)\.?|(milli|micro|kilo)(grams?|lit(er|re)s?)|%|"
    r"[µμ]?[A-Za-z0-9^]{1,7}/(?:[µμ]?[A-Za-z]{1,2}[23²³]?|[A-Za-z]{3,4}(?<![A-Z]{3}))(/\w+)?"
    r"|mm ?Hg|[kmc]?g|[cm]?m|bpm|°[CF]|mOsm|mEq"
    r"|[Rr]atio|[Ss]ec(onds)?|index|(?i:deg ?[cf]|scores?|points?|beats)|(breaths|beats)/min"
)
"""What units of laboratory values look like."""


_BOTH_ENDINGS = re.compile(r"\w{4,}/(?:[aeo]|[aeo]s|[aei]?[dt][ao]s?|in|innen|n?e|trice|ice|va)$")
"""Words with the endings for both sexes, such as Casat/ada, are no units."""


_STAGE = re.compile(
    r"(?i:[cpy]*T[0-4xi]s?[a-d]?\s*[cpy]*N[0-3x][a-c]?\s*([cpy]*M[01x][a-c]?)?.{0,4})"
)
"""How a tumour, its nodes and metastases are staged: pT2N0M0."""


def _names_of_hospitals(texts: _Texts) -> bool:
    """Whether most values name or number a hospital."""
    named = [
        not WORDS["hospitals"].isdisjoint(one)
        and (len(one) > 1 or _NUMBER.search(text) is not None)
        for one, text in zip(texts.words, texts.texts, strict=True)
    ]
    return sum(named) >= _FEWEST_HOSPITALS and texts.share(named) >= MOST


_YEARS = r"(?:[\])]|years?|yrs?|a[nñ]os|ans|jahre|anni|jaar|lat|let|tahun|yaş)"
_UP_TO = (
    r"[<>]=?|over|under|above|below|less than|more than|up to|moins de|plus de|menos de|m[aá]s de"
    r"|mais de|hasta|at[eé]|meno di|pi[uù] di|oltre|fino a|unter|[uü]ber|bis|poni[zż]ej|powy[zż]ej"
    r"|onder|boven|onder de|tot"
)
_AND_MORE = (
    r"\+|(?:and|or) (?:over|above|more|older)|et plus|ans et plus|y m[aá]s|o m[aá]s|e mais|ou mais"
    r"|e oltre|und (?:[aä]lter|mehr)|i wi[eę]cej|en ouder|ve [uü]zeri|lat i wi[eę]cej"
    r"|a[nñ]os (?:y|o) m[aá]s|anos ou mais"
)
_BAND = re.compile(
    r"(?:de |da |von |od |van )?[\[(]?\s*(\d{1,3})\s*(?:-|–|to|_|a|à|bis|do|tot|ile)\s*(\d{1,3})"
    rf"\s*{_YEARS}?"
    rf"|(\d{{1,3}})\s*(?:{_AND_MORE})|(\d0)(?:'?s|[대代])(?: ?이상| ?以上| ?이하)?"
    rf"|(?:{_UP_TO})\s*(\d{{1,3}})\s*{_YEARS}?",
    re.IGNORECASE,
)


def _judged(texts: _Texts) -> str:
    """What values say of readings, of drugs and of lives; empty where they judge none of these."""
    if {"r", "s"} <= texts.seen <= WORDS["resistance"]:
        return "its values say what resists a drug"
    for vocabulary, what in (
        (WORDS["flags"], "flags of readings"),
        (WORDS["blames"], "what causes an event"),
    ):
        if texts.values.distinct < 3 or _kinds(texts, vocabulary) < 2:
            continue
        if texts.every(vocabulary | WORDS["of_flags"]) >= NEARLY_ALL:
            return f"its values are {what}"
    return "its values speak of life and death" if _fates(texts) else ""


def _are_parts_of_the_day(texts: _Texts) -> bool:
    """Whether most values are words for parts of the day, as shifts are called."""
    return _kinds(texts, WORDS["times_of_day"]) > 1 and texts.every(WORDS["times_of_day"]) >= MOST


def _are_times_of_year(texts: _Texts) -> bool:
    """Whether values are several months, days of the week or seasons, and hardly anything else."""
    several = _kinds(texts, _TIMES_OF_YEAR) > 2
    return several and texts.every(_TIMES_OF_YEAR | WORDS["times_beside"]) >= NEARLY_ALL


def _written_as(texts: _Texts) -> str:
    """What values are by how they are written: stages or units; empty where they are neither."""
    if texts.share(_STAGE.fullmatch(text) is not None for text in texts.texts) >= NEARLY_ALL:
        return "its values are stages of tumours"
    units = texts.share(_UNIT.fullmatch(text) is not None for text in texts.texts)
    both = any(map(_BOTH_ENDINGS.search, texts.texts))
    several = texts.values.distinct > (1 if names_one_of(texts.name, ("unit", "units")) else 2)
    if units >= MOST and several and not both:
        return "its values are units of measurement"
    return ""


_FEW_WORDS = 100
"""Columns with more values than this hold no groups of people."""


_TASTES = (
    "cuisine", "cuisines", "food", "foods", "dish", "meal", "restaurant", "music", "movie", "film",
    "genre", "cocina", "comida", "plato", "musica", "pelicula", "cozinha", "culinaria", "prato",
    "cucina", "cibo", "piatto", "plat", "musique", "kuche", "essen", "gericht", "yemek", "masakan",
)  # fmt: skip
"""Words for what somebody likes: an Italian dish is nobody's language or nation."""


def _words(texts: _Texts) -> Content | None:
    few = texts.values.distinct <= _FEW_WORDS
    if few and (found := _sexes(texts)):
        return found
    if told := _written_as(texts):
        return Content("health", told, certain=max(map(len, texts.texts)) > 1)
    if few and (found := _answers(texts)):
        return found
    if names_one_of(texts.name, _TASTES):
        return None
    if few and (found := _groups(texts)):
        return found
    return _named(texts) or (_phrased(texts) if few else None)


_FEWEST_ANSWERS = 3
_KNOWN_ANYHOW = ("age", "birth", "death", "sex", "time")


def _answers(texts: _Texts) -> Content | None:
    """Answers on a scale: what somebody thinks, even where the question speaks of a country."""
    asked, degrees = (_vocabulary(one) for one in lists_of(__file__)["answers"].values())
    said = sum(not asked.isdisjoint(one) for one in texts.words)
    told = asked | degrees | _vocabulary(lists_of(__file__)["beside"])
    if min(said + 1, texts.values.distinct) < _FEWEST_ANSWERS or texts.every(told) < NEARLY_ALL:
        return None
    about = concept_of(texts.name)
    if about and (about[0].role != "quasi-identifier" or about[0].name in _KNOWN_ANYHOW):
        return None
    return Content("opinion", "its values are answers on a scale")


def _phrased(texts: _Texts) -> Content | None:
    """What several values speak of, by phrases: in paid work, never had paid work."""
    spoken = [" ".join(all_words(text)) for text in texts.texts]
    for concept, what, pattern in _phrases():
        found = [pattern.search(one) is not None for one in spoken]
        if sum(found) > 1 and texts.share(found) >= SOME:
            return Content(concept, f"its values are {what}", certain=False)
    return None


@cache
def _phrases() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """Phrases, what they speak of, and what they are called."""
    return tuple(
        (
            one["concept"],
            one["what"],
            re.compile(rf"\b(?:{one['pattern'].strip().replace(chr(10), '')})"),
        )
        for one in lists_of(__file__)["phrases"]
    )


def _groups(texts: _Texts) -> Content | None:
    """What few words are: groups that people are known to be in, times, readings, fates."""
    if _kinds(texts, WORDS["pronouns"]) > 1 and texts.every(WORDS["pronouns"]) >= MOST:
        return Content("sex", "its values are pronouns")
    if told := _judged(texts):
        about = concept_of(texts.name)
        return Content("health", told, certain=about is None or about[0].name != "stay")
    for concept, vocabulary, what in (
        ("ethnicity", WORDS["groups"], "groups of people"),
        ("education", WORDS["degrees"], "degrees"),
        ("religion", WORDS["faiths"], "faiths"),
        ("language", WORDS["languages"], "languages"),
    ):
        least = 1 if texts.values.distinct == 2 and texts.any(WORDS["not"]) > 0 else 2
        if texts.any(vocabulary) >= SOME and _kinds(texts, vocabulary) >= least:
            return Content(concept, f"its values are {what}")
    if _kinds(texts, WORDS["signs"]) >= _FEWEST_SIGNS and texts.every(WORDS["signs"]) >= MOST:
        return Content("birth", "its values are signs of the zodiac")
    if _are_times_of_year(texts):
        return Content("time", "its values are months, days of the week or seasons")
    plain = (
        texts.every(_FAMILIES_ALSO) >= MOST or _kinds(texts, WORDS["families"]) >= _SEVERAL_STATES
    )
    if plain and texts.any(WORDS["families"]) >= SOME:
        return Content("family", "its values are states of marriage")
    if texts.any(WORDS["works"]) >= SOME and _kinds(texts, WORDS["works"]) >= _FEWEST_WORKS:
        return Content("occupation", "its values are states of work", certain=False)
    for concept, vocabulary, what in (
        ("family", WORDS["relatives"] | WORDS["not_said"], "relatives"),
        ("occupation", WORDS["contracts"], "contracts of work"),
        ("occupation", WORDS["departments"] | WORDS["not_said"], "departments of a firm"),
        ("place", WORDS["settings"] | WORDS["not_said"], "towns and the country"),
        ("place", WORDS["directions"], "parts of a country"),
        ("place", WORDS["housings"] | WORDS["not_said"], "kinds of housing"),
    ):
        if vocabulary >= WORDS["housings"] and not _kinds(texts, WORDS["lived_in"]):
            continue
        if (
            texts.every(vocabulary) >= NEARLY_ALL
            and _kinds(texts, vocabulary - WORDS["not_said"]) > 1
        ):
            return Content(concept, f"its values are {what}", certain=False)
    return None


@cache
def _listed_groups() -> tuple[tuple[str, str, frozenset[str], frozenset[str]], ...]:
    """What listed words are about, what they are called, and those of which one has to occur."""
    return tuple(
        (one["concept"], one["what"], words, _vocabulary(one.get("only_with", "")) or words)
        for one in lists_of(__file__)["groups"]
        for words in (_vocabulary(one["words"]),)
    )


def _of_listed_words(texts: _Texts) -> Content | None:
    """What the words of all values are listed for; several of them have to occur."""
    beside = _vocabulary(lists_of(__file__)["beside"])
    for concept, what, listed, some in _listed_groups():
        several = len((listed - beside) & texts.seen) > 1 and not some.isdisjoint(texts.seen)
        if several and texts.every(listed | beside) >= NEARLY_ALL:
            return Content(concept, f"its values are {what}", certain=False)
    return None


def _named(texts: _Texts) -> Content | None:
    """What any number of words name: illnesses, drugs, hospitals, places, ages."""
    if _kinds(texts, WORDS["ills"]) >= 1 and texts.share(map(_ill, texts.words)) >= SOME:
        return Content("health", "its values are about illness", certain=False)
    drugs = [any(map(_DRUG.fullmatch, one)) for one in texts.words]
    if sum(drugs) >= _FEWEST_DRUGS and texts.share(drugs) >= SOME:
        return Content("health", "its values are names of drugs", certain=False)
    if _names_of_hospitals(texts):
        return Content("stay", "its values are hospitals", certain=False)
    if _kinds(texts, WORDS["places"]) >= 1 and texts.any(WORDS["places"]) >= SOME:
        return Content("place", "its values are places", certain=False)
    if _kinds(texts, WORDS["stages_of_life"]) > 1 and texts.every(WORDS["stages_of_life"]) >= MOST:
        return Content("age", "its values are stages of life", certain=False)
    if _bands(texts):
        return Content("age", "its values are groups as of ages", certain=False)
    return _of_listed_words(texts) if texts.values.distinct <= _FEW_WORDS else None


_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_LETTER_AND_NUMBER = re.compile(r"(?<![A-Za-z])[A-Za-z]\d")


_FEW_LETTERS = 4
"""M and F, and what stands for another or an unknown sex; more letters are codes."""


def _sexes(texts: _Texts) -> Content | None:
    """Whether values are the sexes: by words, or by letters of which M and F (or W, H) are two."""
    told = WORDS["sexes"] | WORDS["sex_letters"] | WORDS["not_said"] | {"non"}
    seen = texts.seen
    two = frozenset(seen & _LETTERS)
    letters = two in _SEX_PAIRS or ("m" in seen and bool(seen & {"f", "w", "h"}))
    letters = letters and len(two) <= _FEW_LETTERS
    told |= two if letters else frozenset()
    named = texts.every(told)
    named_both = any(pair <= seen for pair in _BOTH_SEXES)
    if named < MOST or not (seen & WORDS["sexes"] - WORDS["either"] or letters or named_both):
        return None
    if any(map(_LETTER_AND_NUMBER.search, texts.texts)):
        return None
    about = concept_of(texts.name)
    # M and F are also a misdemeanor and a felony, if the name speaks of them.
    plain = {"m"} <= two and bool(two & {"f", "w", "h"})
    certain = (
        named_both or bool(seen & WORDS["sexes"] - WORDS["either"]) or (about is None and plain)
    )
    certain = certain or (about is not None and about[0].name == "sex")
    return Content("sex", "its values are the sexes", certain=certain)


def _fates(texts: _Texts) -> bool:
    ended = not WORDS["families"].isdisjoint(texts.seen)  # a marriage, by death or divorce
    return texts.values.distinct <= 20 and texts.any(WORDS["fates"]) > 0 and not ended


def _kinds(texts: _Texts, vocabulary: frozenset[str]) -> int:
    """How many words of the vocabulary occur."""
    return len(vocabulary & texts.seen)


def _ill(one: tuple[str, ...]) -> bool:
    return any(word in WORDS["ills"] or _ILL_ENDS.fullmatch(word) for word in one)


def are_parts_of_the_body(values: Values) -> bool:
    """Whether most records have a word for a part of the body."""
    texts = _Texts("", values)
    return texts.any(WORDS["body"]) >= MOST and _kinds(texts, WORDS["body"]) > 1


def _bands(texts: _Texts) -> bool:
    """Whether values are groups such as 0-9, 10-19, 80+, none beyond the age of people."""
    if not 4 <= texts.values.distinct <= 30:
        return False
    found = [_BAND.fullmatch(text) for text in texts.texts]
    if texts.share(match is not None for match in found) < NEARLY_ALL:
        return False
    ends = [int(part) for match in found if match for part in match.groups() if part]
    return max(ends) <= 120 and min(ends) <= 30 and max(ends) >= 45
