"""Dates published as months, quarters, years and decades."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from indistinct.errors import PolicyError, Problem, did_you_mean, refuse
from indistinct.hierarchies.domain import texts, unplaced
from indistinct.hierarchies.moments import (
    EXACTNESS,
    FORMATS,
    LEVELS,
    counted_since,
    exactness_of,
    knows,
    label_of,
    reader,
)
from indistinct.hierarchies.settings import rising_levels, unknown, wrong
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy

KEYS = ("format", "levels")


def dates_taxonomy(
    attribute: str,
    values: Iterable[Label],
    *,
    format: str = "iso",  # noqa: A002, the policy's word
    levels: Sequence[str] = LEVELS,
) -> Taxonomy:
    """Level 0 the values, then one level for each of ``levels``, then ``*``.

    A level is left out when no value is more exact than it, because level 0 is that already: "day"
    for plain dates, "month" too for months. Among exact dates, one that is known less exactly
    (1970, 1970-05) stays as it is on finer levels. Leaves are in the order of time.

    Arguments:
        attribute: the attribute's name.
        values: the texts in the data, dates or dates with a time.
        format: ``"iso"`` (2024-01-31, 2024-01, 2024, 2024-01-31T10:20:00, 2024-01-99 or 2024-00-00
            where the day or the month is not known), ``"day-first"``
            (31.1.2024, 31/01/24), ``"month-first"`` (1/31/2024), or a pattern of Python's
            ``strptime`` such as ``"%d %b %Y"``, which reads names of months in other languages,
            too. Day and month are never guessed. ``"days since 1899-12-30"`` reads numbers of
            days as spreadsheets count them (R counts since 1970-01-01, SAS and Stata since
            1960-01-01), ``"seconds since 1582-10-14"`` those of SPSS.
        levels: some of "day", "month", "quarter", "year", "decade", in this order.

    Raises:
        PolicyError: for settings that make no sense.
        HierarchyError: for values that are no dates in that format, and when there are no values.

    >>> dates_taxonomy("admitted", ["2024-01-31"]).rows()
    [('2024-01-31', '2024-01', '2024-Q1', '2024', '2020s', '*')]
    """
    refuse(PolicyError, check({"format": format, "levels": levels}))
    found = texts(values)
    read = reader(format)
    moments = [(read(text), text) for text in found]
    known = sorted((moment, text) for moment, text in moments if moment is not None)
    if bad := len(found) - len(known):
        kind, first = f"a date in the format '{format}'", how_written(found, format)
        raise unplaced(attribute, bad, kind, first=first)
    exact = max((exactness_of(moment) for moment, _ in known), default=0)
    wanted = [level for level in levels if exact > EXACTNESS[level]]
    chains = [
        (text, *(label_of(moment, level) for level in wanted), SUPPRESSED) for moment, text in known
    ]
    return Taxonomy(attribute, chains, periods=(format, levels[0]))


def check(settings: Mapping[str, object]) -> list[Problem]:
    """What is wrong with the settings, without looking at data."""
    name = "date"
    problems = unknown(name, settings, KEYS)
    form = settings.get("format", "iso")
    if isinstance(form, str) and counted_since(form) is not None:
        pass
    elif not isinstance(form, str) or (form not in FORMATS and "%" not in form):
        problems.append(
            wrong(
                name,
                f"format is {form!r}: {did_you_mean(str(form), FORMATS)}",
                'a pattern such as "%d %b %Y" is also a format',
            )
        )
    elif "%" in form and (not knows(form, "year") or (knows(form, "day") > knows(form, "month"))):
        problems.append(wrong(name, f"format '{form}' does not say year and month of a day"))
    elif "%" in form and not _is_pattern(form):
        problems.append(wrong(name, f"format '{form}' is not a pattern of strptime"))
    levels = settings.get("levels", LEVELS)
    if isinstance(levels, (list, tuple)) and "week" in levels:
        remedy = 'write transform = { round = "week" } beside it, and "day" here'
        return [*problems, wrong(name, "no month or year is made of weeks", remedy)]
    return problems + rising_levels(name, levels, LEVELS, ("month", "year"))


def unreadable(values: Iterable[str], *, format: object = "iso", **_: object) -> list[str]:  # noqa: A002
    """The texts that are no dates in a format.

    Arguments:
        values: the texts.
        format: how dates are written, as in a hierarchy of dates.
        _: further settings of the hierarchy, which do not count here.
    """
    read = reader(str(format))
    return [value for value in values if read(value) is None]


PATTERNS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d%b%Y", "%d%b%y", "%d-%b-%Y", "%d-%b-%y"),
    *("%d %b %Y", "%d %B %Y"),
    *("%b %d, %Y", "%B %d, %Y", "%Y%m%d", "%d%m%Y", "%m%d%Y", "%d/%b/%Y", "%Y-%b-%d", "%d. %B %Y"),
    *("%d. %b %Y", "%b %d %Y", "%B %d %Y", "%A, %d %B %Y", "%A, %B %d, %Y", "%a, %d %b %Y"),
    *("%a %d %b %Y", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d de %B de %Y", "%d de %b de %Y"),
)
"""Other ways to write a day, as ``strptime`` has them."""

SEEN = 1000
"""Values that are looked at to tell how dates are written."""

READ = 0.9
"""The share of them that a format has to read."""

YEARS = range(1800, 2200)
"""Years that dates of people are from: digits may be read as a date of any other."""

_CLOCK = re.compile(
    r"([ T:]|, )\d{1,2}:\d\d(:\d\d)?(\.\d+)?( ?[ap]m)?"
    r"(Z|[+-]\d\d(:?\d\d)?| ?(?:GMT|UTC)(?:[+-]\d{1,2})?| (?-i:[A-Z]{3,4}))?$",
    re.ASCII | re.IGNORECASE,
)
_UNSIGNED = re.compile(r"(?<=\d{8})([ T]?)(\d{4}|\d{6})(Z?)$", re.ASCII)


def formats(values: Iterable[str]) -> dict[str, tuple[str, str]]:
    """The formats that read these texts, each with an example and the date it is read as.

    >>> formats(["2014/12/01 16:10:00+00"])
    {'%Y/%m/%d %H:%M:%S+00': ('2014/12/01 16:10:00+00', '2014-12-01')}
    """
    every = list(values)
    seen = every[:: max(1, -(-len(every) // SEEN))]
    clocks = dict.fromkeys(map(_clock, seen[:: max(1, len(seen) // 20)]))
    found: dict[str, tuple[str, str]] = {}
    for form in (*FORMATS, *(day + clock for clock in clocks for day in PATTERNS)):
        if form not in FORMATS and not found.keys().isdisjoint(FORMATS):
            break
        read = reader(form)
        told = [(text, moment) for text in seen if (moment := read(text)) and moment.year in YEARS]
        if told and len(told) >= READ * len(seen):
            text, moment = max(told, key=lambda item: item[1].day)
            known = (f"{part:02}" for part in moment[:3] if part)
            found[form] = text, "-".join(known)
    return found


def _clock(text: str) -> str:
    """How the time behind a date is written."""
    found = _CLOCK.search(text)
    if found is None:
        unsigned = _UNSIGNED.search(text)
        if unsigned is None:
            return ""
        between, time, zone = unsigned.groups()
        return between + "%H%M" + "%S" * (len(time) == len("hhmmss")) + zone
    between, seconds, parts, half, zone, minutes = found.groups()
    hour = "%I" if half else "%H"
    time = hour + ":%M" + (":%S" if seconds else "") + (".%f" if parts else "")
    noon = "" if half is None else half[:-2] + "%p"
    return between + time + noon + ("%z" if minutes else zone or "")


def how_written(values: Iterable[str], form: object) -> str:
    """What to write so that dates can be read; empty where no other format reads them."""
    fitting = [f'format = "{other}"' for other in formats(values) if other != form]
    return f"say in its hierarchy how dates are written: {' or '.join(fitting)}" * bool(fitting)


def _is_pattern(form: str) -> bool:
    try:
        datetime.strptime("", form)
    except re.error:
        return False
    except ValueError as error:
        return "does not match" in str(error)
    return True
