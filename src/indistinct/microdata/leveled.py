"""A frequency table with the codes of every level of every attribute beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from indistinct.frozen import dataclass, field
from indistinct.hierarchies.taxonomy import SUPPRESSED, LevelTable, Taxonomy
from indistinct.microdata.frequencies import FrequencyTable
from indistinct.types import Bools, Ints, Ints32


@dataclass(frozen=True)
class LeveledTable:
    """The distinct combinations, and what each becomes at each level of each attribute.

    ``columns[row_of[j, l]]`` [C] are the codes of attribute j at level l; ``leaves[j][l]`` [codes]
    the number of leaves under each code, out of ``domain[j]``. Attributes in ``unchanged`` are
    published as they are; it gives the size of their domains.

    ``marginals[j]`` are the units of every leaf of attribute j, [domain], where the combinations
    only outline a table that is held elsewhere: its classes, and not who is in them.
    """

    table: FrequencyTable
    taxonomies: Mapping[str, Taxonomy]
    unchanged: Mapping[str, int] = field(default_factory=dict)
    marginals: tuple[Ints, ...] | None = None

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of every array over attributes."""
        return self.table.attributes

    @property
    def weight(self) -> Ints:
        """Units per combination, [C]."""
        return self.table.weight

    @cached_property
    def suppressed_before(self) -> Bools:
        """Which combinations are ``*`` throughout: suppressed by an earlier release, [C]."""
        mask = np.ones(self.table.combinations, dtype=np.bool_)
        for name, codes in zip(self.attributes, self.table.codes, strict=True):
            if name in self.unchanged:
                continue
            leaves = self.taxonomies[name].leaves
            mask &= np.array([leaf == SUPPRESSED for leaf in leaves], dtype=np.bool_)[codes]
        return mask

    @cached_property
    def compiled(self) -> tuple[LevelTable, ...]:
        """The compiled taxonomy of each attribute."""
        return tuple(
            _one_level(self.unchanged[name])
            if name in self.unchanged
            else self.taxonomies[name].compile()
            for name in self.attributes
        )

    @cached_property
    def heights(self) -> Ints:
        """The topmost level of each attribute, [m]."""
        return np.array([len(level.card) - 1 for level in self.compiled], dtype=np.int64)

    @cached_property
    def domain(self) -> Ints:
        """Number of leaves of each attribute's taxonomy, [m]."""
        return np.array([level.code.shape[1] for level in self.compiled], dtype=np.int64)

    @cached_property
    def row_of(self) -> Ints:
        """Row of ``columns`` for attribute j at level l, [m, largest height + 1]; -1 for none."""
        most = int(self.heights.max()) + 1 if len(self.heights) else 1
        rows = np.full((len(self.heights), most), -1, dtype=np.int64)
        at = 0
        for j, height in enumerate(self.heights):
            rows[j, : height + 1] = np.arange(at, at + height + 1)
            at += height + 1
        return rows

    @cached_property
    def columns(self) -> Ints32:
        """Codes of every combination at every level, [sum of (height + 1), C]."""
        stacked = np.empty((int((self.heights + 1).sum()), self.table.combinations), np.int32)
        for j, level in enumerate(self.compiled):
            codes = self.table.codes[j]
            for step in range(len(level.card)):
                np.take(level.code[step].astype(np.int32), codes, out=stacked[self.row_of[j, step]])
        return stacked

    @cached_property
    def card(self) -> Ints:
        """Number of codes of attribute j at level l, [m, largest height + 1]."""
        cards = np.ones(self.row_of.shape, dtype=np.int64)
        for j, level in enumerate(self.compiled):
            cards[j, : len(level.card)] = level.card
        return cards

    @cached_property
    def leaves(self) -> tuple[tuple[Ints, ...], ...]:
        """Leaves under each code of each level of each attribute."""
        found = []
        for level in self.compiled:
            per_level = []
            for step in range(len(level.card)):
                under = np.empty(int(level.card[step]), dtype=np.int64)
                under[level.code[step]] = level.leaves[step]
                per_level.append(under)
            found.append(tuple(per_level))
        return tuple(found)

    def units(self, attribute: int) -> Ints:
        """Units of every leaf of attribute j, [domain]."""
        if self.marginals is not None:
            return self.marginals[attribute]
        codes = self.table.codes[attribute]
        size = int(self.domain[attribute])
        return np.rint(np.bincount(codes, weights=self.weight, minlength=size)).astype(np.int64)

    @cached_property
    def tallies(self) -> tuple[tuple[Ints, ...], ...]:
        """Units per code of each level of each attribute."""
        found = []
        for j, level in enumerate(self.compiled):
            raw = self.units(j)
            per_level = []
            for step in range(len(level.card)):
                units = np.bincount(level.code[step], weights=raw, minlength=int(level.card[step]))
                per_level.append(np.rint(units).astype(np.int64))
            found.append(tuple(per_level))
        return tuple(found)

    def of_cells(self, amounts: Sequence[Ints], attribute: int, levels: NDArray[np.int16]) -> Ints:
        """For every combination the amount of an attribute's code at its own level, [C].

        Arguments:
            amounts: by level and code, such as ``leaves[j]`` or ``tallies[j]``.
            attribute: j, the place of the attribute.
            levels: its level in every combination, [C].
        """
        found = np.empty(self.table.combinations, dtype=np.int64)
        for level in np.unique(levels):
            here = levels == level
            found[here] = amounts[level][self.columns[self.row_of[attribute, level]][here]]
        return found

    def which(self, levels: Sequence[int] | Ints) -> Ints:
        """Rows of ``columns`` for one level per attribute."""
        rows: Ints = self.row_of[np.arange(len(self.heights)), np.asarray(levels)]
        return rows

    def restricted(self, rows: Ints32) -> LeveledTable:
        """The table of some of its combinations, under the same taxonomies."""
        return LeveledTable(self.table.restricted(rows), self.taxonomies, self.unchanged)


def _one_level(domain: int) -> LevelTable:
    """The levels of a column that is published as it is: one, on which every code is itself."""
    codes = np.arange(max(domain, 1), dtype=np.uint32)
    return LevelTable(
        code=codes[None, :],
        card=np.array([len(codes)], dtype=np.int64),
        leaves=np.ones((1, len(codes)), dtype=np.int64),
        order=codes.astype(np.int64),
        labels=((),),
    )
