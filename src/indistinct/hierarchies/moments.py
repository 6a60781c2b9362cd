"""Dates as texts have them: read in one format, known as far as the text says, and named by period.

A date range ``[2019-03, 2020-11]`` begins and ends with such names: a day, a month, a quarter, a
year or a decade.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import NamedTuple

from indistinct.frozen import dataclass
from indistinct.hierarchies.month_names import in_english

LEVELS = ("day", "month", "quarter", "year", "decade")
"""What a date may be published as, from fine to coarse: 2024-01-31, 2024-01, 2024-Q1, 2024,
2020s."""

FORMATS = ("iso", "day-first", "month-first")

LAST_OF_2000 = 68
"""Years of two digits up to this one are 2000 to 2068, the others 1969 to 1999, as POSIX has it."""


class Moment(NamedTuple):
    """A date as far as it is known: month and day are 0 when the text does not give them."""

    year: int
    month: int
    day: int
    time: str = ""


def reader(form: str) -> Callable[[str], Moment | None]:
    """What reads a text of that format as a date; None when it is none."""
    if form == "iso":
        return _iso
    if since := counted_since(form):
        return lambda text: _counted(text, *since)
    if form in FORMATS:
        return lambda text: _written(text, day_first=form == "day-first")
    has_month, has_day = knows(form, "month"), knows(form, "day")
    has_time = any(mark in form for mark in ("%H", "%I", "%M", "%S", "%f", "%X", "%c"))
    named = "%b" in form or "%B" in form

    def read(text: str) -> Moment | None:
        found = _parsed(text, form)
        if found is None and named:
            found = _parsed(in_english(text), form)
        if found is None:
            return None
        time = found.time().isoformat() if has_time else ""
        return Moment(found.year, found.month * has_month, found.day * has_day, time)

    return read


SINCE = "days since "
"""What a format begins with that counts days; the first one follows."""

_COUNTED = {SINCE: timedelta(days=1), "seconds since ": timedelta(seconds=1)}


def counted_since(form: str) -> tuple[datetime, timedelta] | None:
    """The day from which a format counts, and the time that it counts in, if it counts.

    >>> counted_since("days since 1899-12-30"), counted_since("iso")
    ((datetime.datetime(1899, 12, 30, 0, 0), datetime.timedelta(days=1)), None)
    """
    for begin, unit in _COUNTED.items():
        if form.startswith(begin):
            try:
                day = date.fromisoformat(form.removeprefix(begin))
                return datetime(day.year, day.month, day.day), unit
            except ValueError:
                return None
    return None


def _counted(text: str, first: datetime, unit: timedelta) -> Moment | None:
    try:
        number = float(text)  # R writes 1.3608e+10
        found = first + int(number) * unit
    except (ValueError, OverflowError):
        return None
    if not number.is_integer():
        return None
    midnight = datetime(found.year, found.month, found.day)
    time = "" if found == midnight else found.time().isoformat()
    return Moment(found.year, found.month, found.day, time)


def _parsed(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None


_ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)([T ].+)?)?)?", re.ASCII)
UNKNOWN = re.compile(r"^([12]\d{3})-(?:00|99)-(?:00|99)$|^([12]\d{3}-\d\d)-(?:00|99)$", re.ASCII)
"""How registers end a date of which the day, or the month as well, is not known: 1987-99-99."""
_PLAIN = re.compile(
    r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)(?: (\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?"
    r"(?: ?(?:am|pm))?))?",
    re.ASCII | re.IGNORECASE,
)


def _iso(text: str) -> Moment | None:
    found = _ISO.fullmatch(UNKNOWN.sub(r"\1\2", text))
    if not found:
        return None
    year, month, day = (int(part or 0) for part in found.group(1, 2, 3))
    time = found[4] or ""
    time = time[:1] + time[1:].lstrip(" ")
    try:
        if time:
            datetime.fromisoformat(text[:10] + time)
        else:
            date(year, month if found[2] else 1, day if found[3] else 1)
    except ValueError:
        return None
    return Moment(year, month, day, time)


def _written(text: str, *, day_first: bool) -> Moment | None:
    found = _PLAIN.fullmatch(text)
    if not found:
        return None
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    if len(found[4]) == 2:
        year += 2000 if year <= LAST_OF_2000 else 1900
    day, month = (first, second) if day_first else (second, first)
    try:
        date(year, month, day)
    except ValueError:
        return None
    return Moment(year, month, day, found[5] or "")


def knows(form: str, part: str) -> bool:
    """Whether a pattern reads year, month or day."""
    marks = {
        "year": ("%Y", "%y", "%c", "%x", "%G"),
        "month": ("%m", "%b", "%B", "%j", "%c", "%x"),
        "day": ("%d", "%j", "%c", "%x"),
    }
    return any(mark in form for mark in marks[part])


EXACTNESS = {"day": 3, "month": 2, "quarter": 1, "year": 1, "decade": 0}
"""From how much on a moment is more exact than a level, as :func:`exactness_of` counts."""


def exactness_of(moment: Moment) -> int:
    """What is known: 1 the year, 2 the month, 3 the day, 4 the time."""
    return 4 if moment.time else 1 + bool(moment.month) + bool(moment.day)


def label_of(moment: Moment, level: str) -> str:
    """What a moment is published as on a level, or as far as it is known.

    >>> label_of(Moment(2024, 1, 31), "quarter"), label_of(Moment(2024, 1, 0), "day")
    ('2024-Q1', '2024-01')
    """
    year, month, day, _ = moment
    if level == "decade":
        return f"{year // 10 * 10:04d}s"
    if level == "year" or not month:
        return f"{year:04d}"
    if level == "quarter":
        return f"{year:04d}-Q{(month + 2) // 3}"
    if level == "month" or not day:
        return f"{year:04d}-{month:02d}"
    return f"{year:04d}-{month:02d}-{day:02d}"


_NAMED = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?|-Q([1-4]))?|(\d{3}0)s", re.ASCII)


def days_of(label: str) -> tuple[int, int] | None:
    """The first and the last day that a name of a period stands for, numbered from year 1 on.

    >>> first, last = days_of("2024-02")
    >>> last - first + 1, days_of("2024-02-30"), days_of("2024-02-10")[0] - first
    (29, None, 9)
    """
    found = _NAMED.fullmatch(label)
    if found is None:
        return None
    year, month, day, quarter = (int(part or 0) for part in found.groups()[:4])
    first, last = (month or 1, month or 12) if not quarter else (3 * quarter - 2, 3 * quarter)
    years = (year, year)
    if found[5]:
        years = (max(int(found[5]), 1), int(found[5]) + 9)
    try:
        end = day or monthrange(years[1], last)[1]
        return date(years[0], first, day or 1).toordinal(), date(years[1], last, end).toordinal()
    except ValueError:
        return None


@dataclass(frozen=True)
class Timeline:
    """The dates among the values of an attribute, and what their ranges begin and end with.

    Arguments:
        moments: of every value.
        unit: the level whose names ranges begin and end with; every value is known that exactly.
    """

    moments: Mapping[str, Moment]
    unit: str

    @classmethod
    def of(cls, values: Iterable[str], form: str = "iso", unit: str = "day") -> Timeline | None:
        """The dates that some values are.

        None where a value is no date, or none is known more exactly than to the year.

        Arguments:
            values: the texts.
            form: how dates are written, as in a hierarchy of dates.
            unit: the finest level that ranges begin and end with; it is a coarser one, month or
                year, where some dates are known no more exactly.
        """
        read = reader(form)
        moments: dict[str, Moment] = {}
        for value in values:
            moment = read(value)
            if moment is None:
                return None
            moments[value] = moment
        known = [exactness_of(moment) for moment in moments.values()]
        if max(known, default=0) <= EXACTNESS["year"]:
            return None
        exact = {1: "year", 2: "month"}.get(min(known), "day")
        return cls(moments, max(unit, exact, key=LEVELS.index))

    @cached_property
    def days(self) -> Mapping[str, tuple[int, int]]:
        """The first and the last day that each value may be, numbered from year 1 on."""
        return _days_by({value: label_of(moment, "day") for value, moment in self.moments.items()})

    def end(self, value: str) -> str:
        """What a range that begins or ends with a value has there.

        >>> Timeline.of(["3.4.2024", "11.5.2024"], "day-first", "month").end("3.4.2024")
        '2024-04'
        """
        return label_of(self.moments[value], self.unit)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The first day of the period that each value lies in, numbered from year 1 on."""
        days = _days_by({value: self.end(value) for value in self.moments})
        return {value: first for value, (first, _) in days.items()}


def _days_by(labels: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """The first and the last day of the period of every value."""
    days = {label: days_of(label) or (1, 1) for label in set(labels.values())}
    return {value: days[label] for value, label in labels.items()}
