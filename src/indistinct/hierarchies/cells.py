"""What a published cell looks like, and which values it stands for.

A cell is an exact value, a node of the attribute's hierarchy, a range of numbers ``[20, 24]`` (both
ends belong to it; ``[85, >=90]`` has no upper end) or of dates ``[2019-03, 2020-11]``, an interval
``[20, 25)``, a set ``{flu, asthma}``, or ``*``. Ranges and sets are what local recoding publishes
of a class; both can be read back without knowing how they came about. Intervals may be those of
another release.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation

import numpy as np

from indistinct.hierarchies.moments import days_of
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy
from indistinct.types import Bools, Ints

_RANGE = re.compile(r"\[(<?)(-?[0-9.eE+-]+), ((?:>=)?)(-?[0-9.eE+-]+)\]")
_DATES = re.compile(r"\[([^\s,\]]+), ([^\s,\]]+)\]")
_HALF_OPEN = re.compile(r"\[(-?\d+(?:\.\d+)?), (-?\d+(?:\.\d+)?)\)", re.ASCII)
_PLAIN = re.compile(r'[^\s{}\[\],"\\](?:[^{}\[\],"\\]*[^\s{}\[\],"\\])?')
_ITEM = re.compile(r'\s*("(?:[^"\\]|\\.)*"|\[[^\]"]*\]|[^{},"]*[^{},"\s])\s*(,|$)')

MISSING = "missing"
"""What stands for the missing value inside a set."""


def range_text(low: str, high: str) -> str:
    """The cell for all numbers from ``low`` to ``high``, both included.

    >>> range_text("20", "24"), range_text("20", "20"), range_text("-0.0", ">=90")
    ('[20, 24]', '20', '[0.0, >=90]')
    """
    return low if low == high else f"[{_unsigned(low)}, {_unsigned(high)}]"


def _unsigned(end: str) -> str:
    """Zero without a sign, as an end of a range; any other end as it is."""
    return end[1:] if end[:1] == "-" and not end.strip("-0.") and end != "-" else end


def set_text(values: Sequence[Label]) -> Label:
    """The cell for exactly these values, in the order given; one value stands for itself.

    >>> set_text(["flu", "asthma, mild"]), set_text(["flu"]), set_text(["flu", None])
    ('{flu, "asthma, mild"}', 'flu', '{flu, missing}')
    """
    if len(values) == 1:
        return values[0]
    return "{" + ", ".join(MISSING if value is None else _quoted(value) for value in values) + "}"


def range_of(cell: Label) -> tuple[Decimal, Decimal] | None:
    """The ends of a range, or None where the cell is none.

    >>> range_of("[20, 24]")
    (Decimal('20'), Decimal('24'))
    >>> range_of("[<20, >=90]")
    (Decimal('-Infinity'), Decimal('Infinity'))
    >>> range_of("[20, 25)"), range_of("20")
    (None, None)
    """
    found = None if cell is None else _RANGE.fullmatch(cell)
    if found is None:
        return None
    try:
        low, high = Decimal(found[2]), Decimal(found[4])
    except InvalidOperation:
        return None
    return Decimal("-Infinity") if found[1] else low, Decimal("Infinity") if found[3] else high


def dates_of(cell: Label) -> tuple[Decimal, Decimal] | None:
    """The first and the last day of a range of dates, or of one period; None where it is neither.

    >>> first, last = dates_of("[2019-12, 2020-Q1]")
    >>> last - first + 1, dates_of("[2019-12, 2019-11]"), dates_of("[20, 24]")
    (Decimal('122'), None, None)
    """
    if cell is None:
        return None
    found = _DATES.fullmatch(cell)
    ends = [days_of(part) for part in (found.groups() if found else (cell, cell))]
    if ends[0] is None or ends[1] is None or ends[0][0] > ends[1][1]:
        return None
    return Decimal(ends[0][0]), Decimal(ends[1][1])


def ends_of(cell: Label, taxonomy: Taxonomy) -> tuple[Decimal, Decimal] | None:
    """The ends of a range of an attribute's numbers, or of its dates; None where the cell is none.

    A range of dates is told by its first and its last day.
    """
    return range_of(cell) if taxonomy.dates is None else dates_of(cell)


def members_of(cell: Label) -> tuple[Label, ...] | None:
    """The values of a set, or None where the cell is none.

    >>> members_of('{flu, "asthma, mild", missing}')
    ('flu', 'asthma, mild', None)
    """
    if cell is None or not (cell.startswith("{") and cell.endswith("}")):
        return None
    text, at, found = cell[1:-1], 0, []
    while at < len(text):
        item = _ITEM.match(text, at)
        if item is None:
            return None
        quoted = item[1].startswith('"')
        plain: Label = json.loads(item[1]) if quoted else item[1]
        found.append(None if plain == MISSING and not quoted else plain)
        at = item.end()
    return tuple(found) if len(found) > 1 else None


class Coverage:
    """Which leaves of an attribute's hierarchy each published cell stands for.

    >>> from indistinct.hierarchies.taxonomy import Taxonomy
    >>> ages = Taxonomy("age", [["20", "*"], ["22", "*"], ["30", "*"]])
    >>> Coverage(ages).mask("[20, 24]").tolist()
    [True, True, False]
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.taxonomy = taxonomy
        self.leaves = taxonomy.leaves
        self._place = {leaf: at for at, leaf in enumerate(self.leaves)}
        self._under = _under(taxonomy)
        numbers = [
            (number, at)
            for at, leaf in enumerate(self.leaves)
            if (number := _number(leaf)) is not None
        ]
        numbers.sort()
        self._numbers = [number for number, _ in numbers]
        self._numbered = [at for _, at in numbers]
        self._days = _days_of_leaves(taxonomy)

    def mask(self, cell: Label) -> Bools:
        """The leaves that a cell stands for, [D]; none of them for a cell that cannot be read."""
        covered = np.zeros(len(self.leaves), dtype=np.bool_)
        covered[self.places(cell) or []] = True
        return covered

    def places(self, cell: Label) -> Sequence[int] | None:
        """Places of the leaves that a cell stands for, rising; None for a cell that cannot be read.

        Members of a set that are neither values nor nodes stand for nothing.
        """
        if cell == SUPPRESSED:
            return range(len(self.leaves))
        known = self._under.get(cell)
        if known is None and cell in self._place:
            known = [self._place[cell]]
        ends = ends_of(cell, self.taxonomy) if known is None or self._days is not None else None
        if ends is not None and self._days is not None:
            first, last = (int(end) for end in ends)
            inside = (self._days[0] >= first) & (self._days[1] <= last)
            return sorted({*np.flatnonzero(inside).tolist(), *(known or ())})
        if known is not None:
            return known
        if ends is not None:
            low = bisect.bisect_left(self._numbers, ends[0])
            high = bisect.bisect_right(self._numbers, ends[1])
            return self._numbered[low:high]
        if cell is not None and (interval := _HALF_OPEN.fullmatch(cell)):
            # One of a hierarchy of other widths or breaks.
            low, high = (
                bisect.bisect_left(self._numbers, Decimal(end)) for end in interval.groups()
            )
            return self._numbered[low:high]
        if (members := members_of(cell)) is not None:
            parts = [part for part in map(self.places, members) if part is not None]
            return sorted(set().union(*parts)) if parts else None
        return None

    def is_like(self, cell: Label) -> bool:
        """Whether a cell is a number where all leaves are, though none of them."""
        return (
            bool(self._numbers)
            and _number(cell) is not None
            and len(self._numbers) == len([leaf for leaf in self.leaves if leaf is not None])
        )

    def matrix(self, cells: Sequence[Label]) -> Bools:
        """The leaves that each cell stands for, [cells, D]."""
        if not cells:
            return np.zeros((0, len(self.leaves)), dtype=np.bool_)
        return np.stack([self.mask(cell) for cell in cells])


def in_terms_of(cells: Iterable[Label], own: Taxonomy, other: Taxonomy) -> dict[Label, Label]:
    """Cells that another hierarchy reads otherwise than their own, as the sets that they stand for.

    Arguments:
        cells: what is published.
        own: the hierarchy that it was made with.
        other: the hierarchy that is to read it; of its leaves the cells stand for some.

    >>> from indistinct.hierarchies.taxonomy import Taxonomy
    >>> here = Taxonomy("town", [["Ulm", "south"], ["Isny", "south"], ["Kiel", "north"]])
    >>> there = Taxonomy("town", [["Ulm", "south"], ["Isny", "north"], ["Kiel", "north"]])
    >>> in_terms_of(["south", "Kiel", "north"], here, there)
    {'south': '{Isny, Ulm}', 'north': 'Kiel'}
    """
    mine, theirs, found = Coverage(own), Coverage(other), dict[Label, Label]()
    common = {*own.leaves} & {*other.leaves}
    for cell in cells:
        places = mine.places(cell)
        if places is None or cell == SUPPRESSED:
            continue
        stands_for = {own.leaves[at] for at in places} & common
        read = {other.leaves[at] for at in theirs.places(cell) or ()} & common
        if stands_for and stands_for != read:
            found[cell] = set_text(sorted(stands_for, key=lambda v: (v is None, v or "")))
    return found


def _days_of_leaves(taxonomy: Taxonomy) -> Ints | None:
    """The first and the last day of every leaf, [2, D], which no range has where it is no date.

    None where leaves are no dates.
    """
    dates = taxonomy.dates
    if dates is None:
        return None
    found = np.zeros((2, len(taxonomy.leaves)), dtype=np.int64)
    found[1] = np.iinfo(np.int64).max
    for at, leaf in enumerate(taxonomy.leaves):
        if leaf is not None and leaf in dates.days:
            found[:, at] = dates.days[leaf]
    return found


def _under(taxonomy: Taxonomy) -> Mapping[Label, Sequence[int]]:
    found: dict[Label, dict[int, None]] = {}
    for level in range(taxonomy.levels):
        for at, label in enumerate(taxonomy.level(level)):
            found.setdefault(label, {})[at] = None
    return {label: sorted(places) for label, places in found.items()}


def _number(text: Label) -> Decimal | None:
    try:
        number = None if text is None else Decimal(text)
    except InvalidOperation:
        return None
    return number if number is not None and number.is_finite() else None


def _quoted(value: str) -> str:
    plain = _PLAIN.fullmatch(value) or _RANGE.fullmatch(value) or _DATES.fullmatch(value)
    if value == MISSING or not plain:
        return json.dumps(value, ensure_ascii=False)
    return value
