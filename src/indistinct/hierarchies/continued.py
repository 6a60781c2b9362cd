"""The hierarchy of an earlier table, continued to the values of another one.

What an earlier release was made with stays as it was: a value that both tables have is published
under the same labels. A value that only the new table has goes where the builder of the hierarchy
puts it, if that puts the earlier values where they were. If it does not (a file that was edited),
it goes below a label that is there already; a number in bins of equal frequency between two
neighbours that share a label. Below that level no label of the earlier release covers it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from fractions import Fraction

from indistinct.frozen import dataclass
from indistinct.hierarchies import decimals
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy

Row = tuple[Label, ...]


@dataclass(frozen=True)
class Continued:
    """An earlier hierarchy over the values of both tables.

    Arguments:
        taxonomy: the hierarchy; its levels are those of the earlier one.
        covered_from: the lowest level with an earlier label for each new value that is not where
            the builder puts it; below it the value stands for itself.
        differs: whether the builder puts earlier values under other labels than they had.
    """

    taxonomy: Taxonomy
    covered_from: Mapping[Label, int]
    differs: bool = False


def labels_of(taxonomy: Taxonomy) -> list[list[Label]]:
    """A row for every leaf: the leaf, and its labels from level 0 upwards."""
    levels = [taxonomy.level(level) for level in range(taxonomy.levels)]
    return [list(row) for row in zip(taxonomy.leaves, *levels, strict=True)]


def continued(
    attribute: str,
    before: Mapping[Label, Row],
    now: Taxonomy,
    both: Taxonomy | None,
    *,
    ranked: bool = False,
    highest: int | None = None,
) -> Continued:
    """The earlier hierarchy with the new values.

    Arguments:
        attribute: the attribute's name.
        before: the labels of every earlier value, from level 0 upwards.
        now: the hierarchy that is built for the values of the new table.
        both: the one that is built for the values of both, where there is one.
        ranked: whether labels stand for what lies between two numbers, wherever these lie.
        highest: new values that have their first label above this level are ``*`` throughout;
            none for level 0, where every value is its own label.

    >>> before = {"20": ("20", "[20, 29]", "*"), "27": ("27", "[20, 29]", "*")}
    >>> now = Taxonomy("age", [("25", "[25, 31]", "*"), ("31", "[25, 31]", "*")])
    >>> found = continued("age", before, now, None, ranked=True)
    >>> found.taxonomy.generalize("25", 1), found.covered_from
    ('[20, 29]', {'25': 1, '31': 2})
    """
    new = [leaf for leaf in now.leaves if leaf not in before]
    rows, gaps = dict(before), dict[Label, int]()
    built = both or now
    matched = _matched(before, built)
    if matched is not None:
        rows |= {leaf: tuple(built.generalize(leaf, level) for level in matched) for leaf in new}
    else:
        neighbours = _Neighbours(before, ranked=ranked)
        for leaf in new:
            rows[leaf], lowest = neighbours.placed(leaf, now)
            if lowest > 0 and leaf is not None and leaf not in now.suppressed:
                gaps[leaf] = lowest
    if highest:
        above = [leaf for leaf, level in gaps.items() if level > highest]
        rows |= {leaf: (SUPPRESSED,) * len(rows[leaf]) for leaf in above}
        gaps = {leaf: level for leaf, level in gaps.items() if level <= highest}
    starred = [leaf for leaf, row in rows.items() if set(row) == {SUPPRESSED}]
    kept = {leaf: row for leaf, row in rows.items() if leaf not in set(starred)}
    taxonomy = Taxonomy(
        attribute,
        [(leaf, *row[1:]) for leaf, row in kept.items()],
        suppressed=starred,
        shown={leaf: row[0] for leaf, row in kept.items() if row[0] != leaf},
    )
    known = any(built.covers(leaf) for leaf in before)
    return Continued(taxonomy.like(now), gaps, known and matched is None and not ranked)


def _matched(before: Mapping[Label, Row], built: Taxonomy) -> list[int] | None:
    """The level of another hierarchy that is each earlier one; None where one is missing."""
    shared = [leaf for leaf in before if built.covers(leaf)]
    if not shared:
        return None
    found: list[int] = []
    for level in range(len(before[shared[0]])):
        first = found[-1] if found else 0
        same = (
            at
            for at in range(first, built.levels)
            if all(built.generalize(leaf, at) == before[leaf][level] for leaf in shared)
        )
        place = next(same, None)
        if place is None:
            return None
        found.append(place)
    return found


class _Neighbours:
    """Where an earlier hierarchy has room for a value it does not know."""

    def __init__(self, before: Mapping[Label, Row], *, ranked: bool) -> None:
        self._ranked = ranked
        self._before = before
        numbers = sorted((number, leaf) for leaf in before if (number := _number(leaf)) is not None)
        self._numbers = [number for number, _ in numbers]
        self._leaves = [leaf for _, leaf in numbers]
        self._above: dict[Label, tuple[int, Row]] = {}
        for row in before.values():
            for level, label in enumerate(row):
                lowest = min(level, self._above.get(label, (level, row))[0])
                self._above[label] = (lowest, row)
        self._height = len(next(iter(before.values())))

    def placed(self, leaf: Label, now: Taxonomy) -> tuple[Row, int]:
        """The labels of a value, and the lowest level at which they are earlier ones."""
        if leaf in now.suppressed:
            return (SUPPRESSED,) * self._height, 0
        own = now.generalize(leaf, 0)
        row = self._between(leaf) if self._ranked else None
        if row is None:
            row = self._below([own, *now.ancestors(leaf)])
        lowest = next((at for at, label in enumerate(row) if label is not None), self._height)
        return (*(own,) * lowest, *row[lowest:]), lowest

    def _between(self, leaf: Label) -> Row | None:
        """The labels that both neighbours of a number have, None where they differ."""
        number = _number(leaf)
        if number is None or not self._leaves:
            return None
        at = bisect_left(self._numbers, number)
        sides = [self._before[one] for one in self._leaves[max(at - 1, 0) : at + 1]]
        if at < len(self._numbers) and self._numbers[at] == number:
            return self._before[self._leaves[at]]
        if at in (0, len(self._leaves)):
            return tuple(label if _open(label) else None for label in sides[0])
        return tuple(low if low == high else None for low, high in zip(*sides, strict=True))

    def _below(self, labels: Sequence[Label]) -> Row:
        """The earlier labels from the first of these upwards."""
        found = next((self._above[label] for label in labels if label in self._above), None)
        if found is None:
            return (None,) * self._height
        return (*(None,) * found[0], *found[1][found[0] :])


def _open(label: Label) -> bool:
    """Whether a label covers everything beyond the values at that end."""
    return label is not None and (label == SUPPRESSED or label.startswith(("<", ">")))


def _number(leaf: Label) -> Fraction | None:
    found = decimals.parsed(leaf)
    return None if found is None else Fraction(found[0], 10 ** found[1])
