"""The generalization lattice: every choice of one level per attribute (Samarati 2001)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from indistinct.errors import PolicyError, Problems, refuse
from indistinct.frozen import dataclass
from indistinct.microdata.leveled import LeveledTable
from indistinct.types import Ints


@dataclass(frozen=True)
class Lattice:
    """The nodes between a lowest and a highest level per attribute.

    ``first`` and ``last`` [m] are inclusive. Nodes are numbered with the last attribute varying
    fastest; node number 0 is the most specific one, the largest number the most general.
    """

    first: Ints
    last: Ints

    @classmethod
    def of(
        cls,
        data: LeveledTable,
        lowest: Mapping[str, int] | None = None,
        highest: Mapping[str, int] | None = None,
    ) -> Lattice:
        """The lattice over a table's hierarchies.

        Arguments:
            data: the table.
            lowest: level bounds by attribute; 0 where not given.
            highest: level bounds by attribute; the top of the hierarchy where not given.

        Raises:
            PolicyError: bounds that a hierarchy does not have.
        """
        lowest, highest = lowest or {}, highest or {}
        problems = Problems()
        first, last = np.zeros_like(data.heights), data.heights.copy()
        for j, name in enumerate(data.attributes):
            top = int(data.heights[j])
            low, high = lowest.get(name, 0), highest.get(name, top)
            if not 0 <= low <= high <= top:
                problems.add(
                    "bad-level-bounds",
                    f"levels {low} to {high} are not within 0 to {top}, "
                    "the levels of its hierarchy",
                    attribute=name,
                    remedy=f"choose 0 <= min_level <= max_level <= {top}",
                )
            else:
                first[j], last[j] = low, high
        refuse(PolicyError, problems)
        return cls(first, last)

    @property
    def size(self) -> int:
        """Number of nodes; exact however large."""
        return math.prod(int(count) for count in self.last - self.first + 1)

    @cached_property
    def stride(self) -> Ints:
        """What one level more of attribute j adds to the number of a node, [m]."""
        counts = [int(count) for count in self.last - self.first + 1]
        steps = [math.prod(counts[j + 1 :]) for j in range(len(counts))]
        return np.array(steps, dtype=np.int64)

    @cached_property
    def levels(self) -> NDArray[np.int16]:
        """The levels of every node, [N, m]."""
        spans = self.last - self.first + 1
        found = np.empty((self.size, len(self.first)), dtype=np.int16)
        for j, (step, span) in enumerate(zip(self.stride, spans, strict=True)):
            cycle = np.repeat(np.arange(span, dtype=np.int16), step)
            found[:, j] = self.first[j] + np.tile(cycle, self.size // len(cycle))
        return found

    def node(self, levels: Sequence[int] | Ints | NDArray[np.int16]) -> int:
        """The number of the node with these levels."""
        return int(((np.asarray(levels, dtype=np.int64) - self.first) * self.stride).sum())

    def finer(self, node: int) -> list[int]:
        """The nodes with one attribute one level lower."""
        below: list[int] = (node - self.stride[self.levels[node] > self.first]).tolist()
        return below

    def strata(self, rank: Ints) -> list[Ints]:
        """Nodes of equal rank together, in ascending order of rank [N]."""
        small = rank - rank.min(initial=0)
        if small.max(initial=0) < 1 << 16:
            small = small.astype(np.uint16)  # sorted by radix
        order = np.argsort(small, kind="stable")
        cuts = np.flatnonzero(np.diff(rank[order])) + 1
        return np.split(order, cuts)

    @cached_property
    def below(self) -> Ints:
        """How many nodes are at most as general as each, itself counted, [N]."""
        counts: Ints = (self.levels - self.first + 1).prod(axis=1, dtype=np.int64)
        return counts

    @cached_property
    def height(self) -> Ints:
        """The sum of the levels of each node, [N]."""
        total: Ints = self.levels.sum(axis=1, dtype=np.int64)
        return total
