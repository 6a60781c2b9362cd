"""The classes of a node, grouped from a table that was condensed beforehand as far as possible.

Attributes fall into two halves. The first, the trunk, are those that tell most records apart: for
each choice of their levels, combinations that differ in nothing else become one row of a *stem*,
condensed step by step from the whole table. The second are the rest: for each choice of their
levels a *part* numbers the distinct combinations of these attributes alone. The classes of a node
are one pass over the rows of its stem, with the part looked up. Stems and parts serve many nodes
and are kept while memory allows.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np

from indistinct.frozen import dataclass
from indistinct.kernels import grouping as kernels
from indistinct.microdata.leveled import LeveledTable
from indistinct.recoding.lattice import Lattice
from indistinct.types import Ints, Ints32

MEMORY = 96 << 20
"""Bytes of stems kept, and of parts as well."""

STEMS = 256
"""Choices of levels of the trunk, at most."""

PARTS = 4096
"""Choices of levels of the rest from which on a part is too seldom used twice."""

Part = tuple[Ints32, int]
"""What each combination of some attributes became, and how many different ones there are."""

Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Stem:
    """A condensed table: combinations [R] that stand for others like them, and the units of each.

    ``upper`` [R] is the combination of the trunk's attributes, ``became`` what each of those
    became, one of ``card``; ``lower`` [R] the combination of the rest. ``step`` is where every row
    of the ``parent`` went.
    """

    rows: Ints32
    weight: Ints
    upper: Ints32
    became: Ints32
    card: int
    lower: Ints32
    step: Ints32
    parent: Stem | None = None

    @cached_property
    def position(self) -> Ints32:
        """Where every combination of the whole table went, [C]."""
        return self.step if self.parent is None else self.step[self.parent.position]


@dataclass(frozen=True)
class Classes:
    """Equivalence classes of a stem: the class of each of its rows [R]; units and a row per class.

    All three are views that the next grouping overwrites.
    """

    class_of: Ints32
    size: Ints
    first: Ints32


class Grouper:
    """Equivalence classes of one table at the nodes of a lattice, over any of its attributes."""

    def __init__(self, data: LeveledTable, lattice: Lattice | None = None) -> None:
        """Without a lattice, nodes may have any levels of the hierarchies."""
        self._data = data
        lattice = lattice or Lattice.of(data)
        rows = data.table.combinations
        self._scratch = kernels.Scratch.of(rows)
        self._of_all = np.empty(rows, dtype=np.int32)
        self._all = np.arange(len(data.attributes))
        self._lowest = lattice.first
        self._trunk, self._rest, parts = _halves(data, lattice)
        self._paired = parts <= PARTS
        every = np.arange(rows, dtype=np.int32)
        whole = Stem(every, data.weight, every, every, rows, every, every)
        if self._paired:
            # Each half alone, as a table of its distinct combinations.
            self._upper = self._condensed_by(whole, self._trunk)
            self._lower = self._condensed_by(whole, self._rest)
            upper, lower = self._upper, self._lower
            whole = Stem(
                every, data.weight, upper.step, upper.became, upper.card, lower.step, every
            )
        self._whole = whole
        self._stems: OrderedDict[tuple[int, ...], Stem] = OrderedDict()
        self._parts: OrderedDict[tuple[int, ...], Part] = OrderedDict()

    def classes(
        self, levels: Sequence[int] | Ints, on: Sequence[int] | None = None
    ) -> tuple[Ints32, Ints]:
        """Class of every combination [C] and units per class [G], over attributes ``on`` (all).

        Both are views that the next grouping overwrites.
        """
        at = np.asarray(levels, dtype=np.int64)
        if on is None or self._tells_all(at, on):
            found = self.condensed(at)
            return self.spread(at, found), found.size
        found = self._group(self._whole, at, np.asarray(on, dtype=np.int64))
        return found.class_of, found.size

    def _tells_all(self, levels: Ints, on: Sequence[int]) -> bool:
        """Whether every attribute that is left out has one code only."""
        card = self._data.card
        return all(j in on or card[j, levels[j]] == 1 for j in range(len(levels)))

    def condensed(self, levels: Ints) -> Classes:
        """The classes of a node, of the rows of its stem."""
        stem = self._stem_of(levels)
        if not self._paired:
            return self._group(stem, levels, self._all)
        return self._pairs(stem, (stem.became, stem.card), self._part(levels))

    def spread(self, levels: Ints, classes: Classes) -> Ints32:
        """The class of every combination [C], from the classes of a node's stem."""
        return np.take(classes.class_of, self._stem_of(levels).position, out=self._of_all)

    def _stem_of(self, levels: Ints) -> Stem:
        return self._stem(tuple(levels[self._trunk].tolist()))

    def _stem(self, at: tuple[int, ...]) -> Stem:
        if not at:
            return self._whole
        found = self._stems.get(at)
        if found is not None:
            self._stems.move_to_end(at)
            return found
        parent = self._stem(at[:-1])
        found = parent
        if at[-1] > self._lowest[self._trunk[len(at) - 1]]:
            found = self._condense(parent, at)
        return _keep(self._stems, at, found, MEMORY // max(24 * len(self._whole.rows), 1))

    def _condense(self, parent: Stem, at: tuple[int, ...]) -> Stem:
        levels = self._lowest.copy()
        levels[self._trunk[: len(at)]] = at
        if not self._paired:
            return self._condensed_by(parent, self._all, levels)
        upper = self._group(self._upper, levels, self._trunk)
        became, card = upper.class_of.copy(), len(upper.size)
        classes = self._pairs(parent, (became, card), (self._lower.became, self._lower.card))
        rows = classes.first.copy()
        return Stem(
            rows=rows,
            weight=classes.size.copy(),
            upper=self._whole.upper[rows],
            became=became,
            card=card,
            lower=self._whole.lower[rows],
            step=classes.class_of.copy(),
            parent=parent,
        )

    def _condensed_by(self, stem: Stem, on: Ints, levels: Ints | None = None) -> Stem:
        classes = self._group(stem, self._lowest if levels is None else levels, on)
        every = np.arange(len(classes.size), dtype=np.int32)
        return Stem(
            rows=classes.first.copy(),
            weight=classes.size.copy(),
            upper=every,
            became=every,
            card=len(every),
            lower=every,
            step=classes.class_of.copy(),
            parent=stem,
        )

    def _part(self, levels: Ints) -> Part:
        at = tuple(levels[self._rest].tolist())
        found = self._parts.get(at)
        if found is None:
            classes = self._group(self._lower, levels, self._rest)
            found = classes.class_of.copy(), len(classes.size)
            _keep(self._parts, at, found, MEMORY // max(4 * len(self._lower.rows), 1))
        return found

    def _group(self, stem: Stem, levels: Ints, on: Ints) -> Classes:
        data = self._data
        groups = kernels.group(
            data.columns, data.row_of, data.card, on, levels, stem.rows, stem.weight, self._scratch
        )
        return self._grouped(stem, groups)

    def _pairs(self, stem: Stem, upper: Part, lower: Part) -> Classes:
        groups = kernels.group_pairs(
            stem.upper,
            upper[0],
            stem.lower,
            lower[0],
            lower[1],
            upper[1] * lower[1],
            stem.rows,
            stem.weight,
            self._scratch,
        )
        return self._grouped(stem, groups)

    def _grouped(self, stem: Stem, groups: int) -> Classes:
        room = self._scratch
        return Classes(room.class_of[: len(stem.rows)], room.size[:groups], room.first[:groups])


def _keep(
    kept: OrderedDict[tuple[int, ...], Kept], at: tuple[int, ...], found: Kept, most: int
) -> Kept:
    kept[at] = found
    while len(kept) > max(most, 16):
        kept.popitem(last=False)
    return found


def _halves(data: LeveledTable, lattice: Lattice) -> tuple[Ints, Ints, int]:
    """The trunk, the rest, and how many choices of levels the rest has.

    The trunk takes the attributes with the most information about records, as long as it has no
    more choices of levels than the rest.
    """
    bits = []
    for j, tallies in enumerate(data.tallies):
        units = tallies[lattice.first[j]]
        share = units[units > 0] / max(units.sum(), 1)
        bits.append(float(-(share * np.log2(share)).sum()))
    spans = [int(span) for span in lattice.last - lattice.first + 1]
    most = min(math.isqrt(lattice.size), STEMS)
    trunk: list[int] = []
    stems = 1
    for j in np.argsort(-np.array(bits), kind="stable").tolist():
        if spans[j] == 1:
            continue
        if stems * spans[j] > most:
            break
        trunk.append(j)
        stems *= spans[j]
    rest = [j for j in range(len(spans)) if j not in trunk]
    return (
        np.array(trunk, dtype=np.int64),
        np.array(rest, dtype=np.int64),
        math.prod(spans[j] for j in rest),
    )
