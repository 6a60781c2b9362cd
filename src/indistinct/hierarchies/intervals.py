"""Numbers published as intervals of one width, or between given breaks.

Intervals are half-open: ``[20, 25)`` holds 20 and everything up to, but not including, 25. They
are disjoint, computed without rounding, and lie on a grid that starts at ``origin``, not at the
smallest value: a label says nothing of the private values but that one of them lies inside.

Why brackets: a spreadsheet takes ``1-5`` and ``10-14`` for dates and changes them when the file is
opened; it leaves ``[1, 5)`` alone. The comma is quoted in a CSV file. Codes follow the order of
the numbers; for labels that also sort as text, set ``digits`` (``[005, 010)``). For the
form ``20-24`` choose ``style = "range"``.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

from indistinct.errors import PolicyError, Problem, refuse
from indistinct.frozen import dataclass
from indistinct.hierarchies import decimals
from indistinct.hierarchies.ages import in_years
from indistinct.hierarchies.decimals import Scaled
from indistinct.hierarchies.domain import MOST_LEVELS, texts, unplaced
from indistinct.hierarchies.settings import (
    MOST,
    is_number,
    number,
    one_of,
    unknown,
    whole_number,
    wrong,
)
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy

Number = int | float | str
Style = Literal["brackets", "range"]

FEW = 4
"""Of its own accord a builder merges intervals until no more than this many are left."""

KEYS = (
    "width",
    "breaks",
    "bottom",
    "top",
    "origin",
    "levels",
    "factor",
    "style",
    "digits",
    "read",
)


def intervals_taxonomy(  # noqa: PLR0913, the keys of the builder in a policy
    attribute: str,
    values: Iterable[Label],
    *,
    width: Number | None = None,
    breaks: Sequence[Number] | None = None,
    bottom: Number | None = None,
    top: Number | None = None,
    origin: Number = 0,
    levels: int | None = None,
    factor: int = 2,
    style: Style = "brackets",
    digits: int = 0,
    read: Literal["numbers", "ages"] = "numbers",
) -> Taxonomy:
    """Level 0 the values, level 1 intervals, each further level wider ones, then ``*``.

    Arguments:
        attribute: the attribute's name.
        values: the texts in the data; each must be a number. Only intervals that hold a value
            become nodes, so a huge range costs nothing.
        width: width of the intervals of level 1, on a grid through ``origin``.
        breaks: instead of a width, the bounds of the intervals, ascending. Values below
            the first are published as ``<first``, those from the last upwards as ``>=last``.
        bottom: values below are published as ``<bottom`` on every level, level 0 too.
        top: values from ``top`` upwards are published as ``>=top`` on every level, level 0 too.
        origin: a bound of the grid.
        levels: number of interval levels; by default as many as it takes until at most four
            intervals between bottom and top hold values, at least one and at most twelve.
        factor: how many intervals of a level make one of the next.
        style: ``"brackets"`` for ``[20, 25)``; ``"range"`` for ``20-24``, for whole numbers only
            (``-5 to -1`` where a bound is negative). A spreadsheet may read a range as a date.
        digits: pad whole parts with zeros to that many digits.
        read: ``"ages"`` reads texts such as 45, 3 months, 2 y 6 m and 90+ as years.

    Raises:
        PolicyError: for settings that make no sense.
        HierarchyError: for values that are no numbers (no whole numbers, with style "range"),
            and when there are no values.

    >>> age = intervals_taxonomy("age", ["3", "17", "64"], width=5, top=60, levels=2)
    >>> age.rows()[1]
    ('17', '[15, 20)', '[10, 20)', '*')
    >>> age.level(0)
    ('3', '17', '>=60')
    >>> age.rows()[2]
    ('64', '>=60', '>=60', '*')
    """
    settings = {
        "width": width,
        "breaks": breaks,
        "bottom": bottom,
        "top": top,
        "origin": origin,
        "levels": levels,
        "factor": factor,
        "style": style,
        "digits": digits,
        "read": read,
    }
    refuse(
        PolicyError, check({name: value for name, value in settings.items() if value is not None})
    )
    found = texts(values)
    parsed_all = map(in_years if read == "ages" else decimals.parsed, found)
    numbers = [item for item in parsed_all if item and (style == "brackets" or _whole(item))]
    if bad := len(found) - len(numbers):
        kind = "a number" if style == "brackets" else "a whole number"
        kind = "an age" if read == "ages" else kind
        raise unplaced(attribute, bad, kind)

    bounds = [
        _sure(item) for item in (width, bottom, top, origin, *(breaks or ())) if item is not None
    ]
    scale = decimals.places([*numbers, *bounds])

    def scaled(value: Number) -> int:
        return decimals.at(_sure(value), scale)

    limits = (
        -math.inf if bottom is None else scaled(bottom),
        math.inf if top is None else scaled(top),
    )
    grid: _Grid
    if breaks is None:
        grid = _Even(scaled(origin), scaled(width or 1), *limits)
    else:
        ends = (scaled(end) for end in (bottom, top) if end is not None)
        cuts = sorted({*map(scaled, breaks), *ends})
        grid = _Uneven(cuts, cuts[0], cuts[-1])

    ranked = sorted(
        (decimals.at(parsed, scale), text) for parsed, text in zip(numbers, found, strict=True)
    )
    places = [grid.place(value) for value, _ in ranked]
    steps = levels or levels_needed(places, factor)
    name = _Names(scale, style, digits)
    columns: list[list[str]] = [[text for _, text in ranked]]
    for step in range(steps):
        merged = factor**step
        wider = [_wider(place, merged) for place in places]
        labels = {place: grid.label(place, merged, name) for place in set(wider)}
        columns.append([labels[place] for place in wider])
    columns.append([SUPPRESSED] * len(ranked))
    said = {-math.inf: bottom, math.inf: top}
    tails: dict[Label, Label] = {
        text: grid.label(place, 1, name)
        for (_, text), place in zip(ranked, places, strict=True)
        if said.get(place) is not None
    }
    return Taxonomy(attribute, list(zip(*columns, strict=True)), shown=tails)


def check(settings: Mapping[str, object]) -> list[Problem]:
    """What is wrong with the settings, without looking at data."""
    name = "intervals"
    problems = unknown(name, settings, KEYS)
    for key in ("width", "bottom", "top", "origin"):
        problems += number(name, settings, key)
    problems += whole_number(name, settings, "levels", 1, MOST)
    problems += whole_number(name, settings, "factor", 2)
    problems += whole_number(name, settings, "digits", 0, MOST)
    problems += one_of(name, settings, "style", ("brackets", "range"))
    problems += one_of(name, settings, "read", ("numbers", "ages"))
    if settings.get("read") == "ages" and settings.get("style") == "range":
        problems.append(wrong(name, "ages may be parts of a year, and ranges hold whole numbers"))
    width, breaks = settings.get("width"), settings.get("breaks")
    if (width is None) == (breaks is None):
        problems.append(wrong(name, "needs one of width and breaks", "for instance width = 5"))
    if is_number(width) and _sure(width)[0] <= 0:
        problems.append(wrong(name, f"width must be positive, not {width}"))
    ends = [settings.get(key) for key in ("bottom", "top")]
    if all(is_number(end) for end in ends) and not _ascending(ends):
        problems.append(wrong(name, f"bottom ({ends[0]}) must be less than top ({ends[1]})"))
    if breaks is not None:
        problems += _check_breaks(breaks, ends)
    if settings.get("style") == "range" and not problems:
        items = [settings.get(key) for key in ("width", "bottom", "top", "origin")]
        items += list(breaks) if isinstance(breaks, (list, tuple)) else []
        if not all(_is_whole(item) for item in items if item is not None):
            problems.append(wrong(name, "style 'range' needs whole numbers", "use 'brackets'"))
    return problems


def unreadable(
    values: Iterable[str], *, style: object = "brackets", read: object = "numbers", **_: object
) -> list[str]:
    """The texts that are no numbers, or no ages.

    Arguments:
        values: the texts.
        style: how intervals are written; with ``"range"`` numbers must be whole.
        read: ``"numbers"``, or ``"ages"`` for ages in words.
        _: further settings of the hierarchy, which do not count here.
    """
    if read == "ages":
        return [value for value in values if in_years(value) is None]
    test = _is_whole if style == "range" else is_number
    return [value for value in values if not test(value)]


def interval_key(label: Label) -> tuple[int, float, float, str]:
    """A key that sorts interval labels and numbers by value, other texts after them.

    >>> sorted([">=90", "[100, 105)", "[20, 25)", "*", "5-9", "<18"], key=interval_key)
    ['<18', '5-9', '[20, 25)', '>=90', '[100, 105)', '*']
    """
    if label is None:
        return (2, 0.0, 0.0, "")
    if found := _LABEL.fullmatch(label):
        low, high = (found["low"], found["high"]) if found["low"] else (found["from"], found["to"])
        return (0, float(low), float(high), label)
    if label[:2] == "<=" and is_number(label[2:]):
        return (0, -math.inf, float(label[2:]), label)
    if label[:1] == "<" and is_number(label[1:]):
        return (0, -math.inf, float(label[1:]), label)
    if label[:2] == ">=" and is_number(label[2:]):
        return (0, float(label[2:]), math.inf, label)
    if is_number(label):
        return (0, float(label), float(label), label)
    return (1, 0.0, 0.0, label)


_FIGURE = r"-?\d+(?:\.\d+)?"
_LABEL = re.compile(
    rf"\[(?P<low>{_FIGURE}), (?P<high>{_FIGURE})[\])]"
    rf"|(?P<from>{_FIGURE})(?:-| to )(?P<to>{_FIGURE})",
    re.ASCII,
)


@dataclass(frozen=True)
class _Names:
    scale: int
    style: Style
    digits: int

    def number(self, value: float) -> str:
        return decimals.written(int(value), self.scale, self.digits)

    def interval(self, low: float, high: float) -> str:
        if self.style == "brackets":
            return f"[{self.number(low)}, {self.number(high)})"
        last = high - 10**self.scale
        if low == last:
            return self.number(low)
        between = " to " if low < 0 else "-"
        return f"{self.number(low)}{between}{self.number(last)}"


class _Grid(ABC):
    """Where a number lies: a place counted along the grid, or infinity beyond bottom or top."""

    bottom: float
    top: float

    def place(self, value: int) -> float:
        if value < self.bottom:
            return -math.inf
        return math.inf if value >= self.top else self.inner(value)

    def label(self, place: float, merged: int, name: _Names) -> str:
        """What a place is published as.

        Arguments:
            place: the place among the intervals of that level, or infinity.
            merged: how many intervals of the grid make one of these.
            name: writes numbers and intervals.
        """
        if place == -math.inf:
            return f"<{name.number(self.bottom)}"
        if place == math.inf:
            return f">={name.number(self.top)}"
        low, high = self.bounds(int(place), merged)
        return name.interval(max(low, self.bottom), min(high, self.top))

    @abstractmethod
    def inner(self, value: int) -> int: ...

    @abstractmethod
    def bounds(self, place: int, merged: int) -> tuple[int, int]: ...


@dataclass(frozen=True)
class _Even(_Grid):
    origin: int
    width: int
    bottom: float
    top: float

    def inner(self, value: int) -> int:
        return (value - self.origin) // self.width

    def bounds(self, place: int, merged: int) -> tuple[int, int]:
        low = self.origin + place * merged * self.width
        return low, low + merged * self.width


@dataclass(frozen=True)
class _Uneven(_Grid):
    cuts: Sequence[int]
    bottom: float
    top: float

    def inner(self, value: int) -> int:
        return bisect_right(self.cuts, value) - 1

    def bounds(self, place: int, merged: int) -> tuple[int, int]:
        end = min((place + 1) * merged, len(self.cuts) - 1)
        return self.cuts[place * merged], self.cuts[end]


def _wider(place: float, merged: int) -> float:
    """The place among intervals of ``merged`` in one; beyond bottom and top nothing merges."""
    return place if _is_beyond(place) else int(place) // merged


def _is_beyond(place: float) -> bool:
    """Whether the place is below bottom or above top; a whole number may be too large to ask it."""
    return isinstance(place, float) and math.isinf(place)


def levels_needed(places: Iterable[float], factor: int) -> int:
    """How many interval levels it takes until few intervals between bottom and top are left."""
    left = {int(place) for place in places if not _is_beyond(place)}
    steps = 1
    while len(left) > FEW and steps < MOST_LEVELS:
        left = {place // factor for place in left}
        steps += 1
    return steps


def _check_breaks(breaks: object, ends: Sequence[object]) -> list[Problem]:
    if not isinstance(breaks, (list, tuple)) or not breaks or not all(map(is_number, breaks)):
        return [wrong("intervals", "breaks must be a list of numbers", "breaks = [18, 45, 65]")]
    if not _ascending(breaks):
        return [wrong("intervals", "breaks must ascend, each greater than the one before")]
    bottom, top = ends
    inside = [*([bottom] if is_number(bottom) else []), *breaks, *([top] if is_number(top) else [])]
    if _ascending(inside, strict=False):
        return []
    return [wrong("intervals", "breaks must lie between bottom and top")]


def _ascending(items: Sequence[object], *, strict: bool = True) -> bool:
    numbers = [_sure(item) for item in items]
    scale = decimals.places(numbers)
    flat = [decimals.at(item, scale) for item in numbers]
    return all(low < high or (low == high and not strict) for low, high in pairwise(flat))


def _is_whole(value: object) -> bool:
    found = decimals.parsed(value)
    return found is not None and _whole(found)


def _whole(number: Scaled) -> bool:
    return bool(number[0] % 10 ** number[1] == 0)


def _sure(value: Any) -> Scaled:
    found = decimals.parsed(value)
    assert found is not None, "settings are checked before"
    return found
