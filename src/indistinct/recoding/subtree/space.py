"""The tables that can be reached by generalizing step by step, and what they come to.

A *row* is a distinct record over all published attributes; a row *violates* a requirement if the
class it is in, over the requirement's attributes, breaks it (Arca and Hewett 2021, sections
3.2 and 3.3). Three scopes say how far one step goes:

``domain``
    every value of an attribute goes one level up its chain.
``siblings``
    only the values whose parent is the parent of a value in a violating row, all such parents of an
    attribute at once.
``subtree``
    one such parent at a time. Everything below the new node is lifted with it, so that what is
    published is a cut of the hierarchy.

Records that are ``*`` throughout are in no class for readers of the table. A requirement is
violated if a class breaks it with them or without them. Where none does with them, what the other
attributes show decides who counts, and so a step may generalize any of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from indistinct.frozen import dataclass
from indistinct.kernels import grouping as kernels
from indistinct.microdata.frequencies import ClassTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.fully_suppressed import FullySuppressed
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.judge import Judge
from indistinct.recoding.lattice import Lattice
from indistinct.types import Bools, Ints, Ints32


@dataclass(frozen=True)
class Reading:
    """What a table comes to: violating rows, rows, and the requirements that are violated."""

    violations: int
    rows: int
    broken: tuple[int, ...]


class Space(ABC):
    """The tables reachable from one table under one set of requirements.

    ``data`` holds the attributes of the requirements' shields and all else that is published, which
    is never generalized but counts for what a row is. ``lattice`` gives the lowest and the highest
    level of every attribute (all levels of its hierarchy).
    """

    def __init__(
        self, data: LeveledTable, promises: Sequence[Promise], lattice: Lattice | None = None
    ) -> None:
        bounds = Lattice.of(data) if lattice is None else lattice
        self.first = [int(level) for level in bounds.first]
        self.last = [int(level) for level in bounds.last]
        self.data = data
        self.promises = tuple(promises)
        self._judge = Judge(data, promises)
        names = data.attributes
        self._on = [
            tuple(sorted(names.index(name) for name in promise.on or ())) for promise in promises
        ]
        # In the order in which the requirements name them: it decides ties.
        self._named = [
            tuple(names.index(name) for name in promise.on or ()) for promise in promises
        ]
        self.shield = tuple(dict.fromkeys(j for on in self._named for j in on))
        self._broken: dict[Hashable, tuple[int, ...]] = {}
        self._starred = FullySuppressed(data, promises)
        # Violated only without the records that are "*" throughout.
        self._torn: set[Hashable] = set()

    @property
    @abstractmethod
    def root(self) -> Hashable:
        """The table as it is."""

    @abstractmethod
    def steps(
        self, state: Hashable, *, all_shields: bool = False
    ) -> Iterator[tuple[str, Hashable]]:
        """The tables one step further, each with the name of the step.

        Only attributes of violated requirements are generalized, unless ``all_shields`` or none is
        violated but for records that are ``*`` throughout.
        """

    @abstractmethod
    def height(self, state: Hashable) -> int:
        """How far a table is from the root: the sum over attributes, then over values."""

    @abstractmethod
    def loss(self, state: Hashable) -> float:
        """Mean (leaves - 1) / (domain - 1) over the cells of the shields (NCP), for ties."""

    @abstractmethod
    def levels_of(self, state: Hashable) -> list[NDArray[np.int16]]:
        """For every attribute, the level at which each leaf is published, [domain]."""

    @abstractmethod
    def _throughout(self, state: Hashable) -> Bools | None:
        """Combinations that are ``*`` throughout, [C]; None where none or all are."""

    @abstractmethod
    def _classes(self, state: Hashable, on: Sequence[int] | None) -> tuple[Ints32, Ints]:
        """Class of every combination and units per class, over some attributes (all)."""

    def read(self, state: Hashable) -> Reading:
        """Violating rows, rows, and violated requirements of a table."""
        found = self.violating(state)
        marked = np.zeros(self.data.table.combinations, dtype=np.bool_)
        for mask in found:
            marked |= mask
        broken = tuple(at for at, mask in enumerate(found) if mask.any())
        class_of, size = self._classes(state, None)
        violating = np.zeros(len(size), dtype=np.bool_)
        violating[class_of[marked]] = True
        self._broken[state] = broken
        return Reading(int(violating.sum()), len(size), broken)

    def violating(self, state: Hashable) -> list[Bools]:
        """For each requirement, the combinations whose row violates it, [C]."""
        found = []
        for promise, on in zip(self.promises, self._on, strict=True):
            class_of, size = self._classes(state, on)
            found.append(self._judge.breaks(promise, class_of, size)[class_of])
        starred = self._throughout(state)
        if starred is None:
            return found
        whole = any(mask.any() for mask in found)
        for at, (promise, on) in enumerate(zip(self.promises, self._on, strict=True)):
            class_of, size = self._classes(state, on)
            found[at] |= self._breaking_without(starred, promise, class_of, size)[class_of]
        if not whole and any(mask.any() for mask in found):
            self._torn.add(state)
        return found

    def _breaking_without(
        self, starred: Bools, promise: Promise, class_of: Ints32, size: Ints
    ) -> Bools:
        """The classes that break a promise where some combinations are in none of them."""
        left = np.empty_like(size)
        kernels.class_sizes(class_of, self.data.weight, starred, left)
        return self._judge.breaks(promise, class_of, left, starred)


class DomainSpace(Space):
    """Whole attributes, one level at a time: a state is a tuple of levels."""

    def __init__(
        self, data: LeveledTable, promises: Sequence[Promise], lattice: Lattice | None = None
    ) -> None:
        super().__init__(data, promises, lattice)
        self._grouper = Grouper(data, lattice)
        telling = {j for j, codes in enumerate(data.table.codes) if len(codes) and codes.any()}
        # Where nothing else is published, a row is a class of the shield.
        self._rows_are_classes = not self._starred and all(
            promise.sensitive is None and telling <= set(on)
            for promise, on in zip(promises, self._on, strict=True)
        )

    @property
    def root(self) -> tuple[int, ...]:
        """The lowest level everywhere."""
        return tuple(self.first)

    def read(self, state: Hashable) -> Reading:
        """Violating rows, rows, and violated requirements of a table."""
        if not self._rows_are_classes:
            return super().read(state)
        classes = self._grouper.condensed(np.array(_levels(state), dtype=np.int64))
        seen = ClassTable(classes.class_of, classes.size)
        bad = [promise.breaks(seen) for promise in self.promises]
        broken = tuple(at for at, mask in enumerate(bad) if mask.any())
        self._broken[state] = broken
        return Reading(int(np.logical_or.reduce(bad).sum()), len(classes.size), broken)

    def steps(
        self, state: Hashable, *, all_shields: bool = False
    ) -> Iterator[tuple[str, Hashable]]:
        """One level up, attribute by attribute."""
        levels = _levels(state)
        if all_shields:
            wanted = self.shield
        else:
            broken = self._broken[state] if state in self._broken else self.read(state).broken
            wanted = tuple(dict.fromkeys(j for at in broken for j in self._named[at]))
            if state in self._torn:
                wanted = self.shield
        for j in wanted:
            if levels[j] < self.last[j]:
                yield self.data.attributes[j], (*levels[:j], levels[j] + 1, *levels[j + 1 :])

    def height(self, state: Hashable) -> int:
        """The sum of the levels."""
        return sum(_levels(state))

    def loss(self, state: Hashable) -> float:
        """The sum over attributes of the share of the domain that cells cover."""
        return float(sum(self._losses[j][level] for j, level in enumerate(_levels(state))))

    def levels_of(self, state: Hashable) -> list[NDArray[np.int16]]:
        """The same level for every leaf of an attribute."""
        return [
            np.full(int(domain), level, dtype=np.int16)
            for domain, level in zip(self.data.domain, _levels(state), strict=True)
        ]

    def _throughout(self, state: Hashable) -> Bools | None:
        return self._starred.at(np.array(_levels(state), dtype=np.int64))

    @cached_property
    def _losses(self) -> list[list[float]]:
        found = []
        for j in range(len(self.data.attributes)):
            under = zip(self.data.leaves[j], self.data.tallies[j], strict=True)
            spread = max(int(self.data.domain[j]) - 1, 1) * self.data.table.records
            found.append([float(((leaves - 1) * units).sum()) / spread for leaves, units in under])
        return found

    def _classes(self, state: Hashable, on: Sequence[int] | None) -> tuple[Ints32, Ints]:
        return self._grouper.classes(_levels(state), on)


class CutSpace(Space):
    """Single subtrees: a state is, for every attribute, the level of each leaf.

    ``together`` lifts all violating values of an attribute in one step (scope ``siblings``), else
    one parent at a time (scope ``subtree``).
    """

    def __init__(
        self,
        data: LeveledTable,
        promises: Sequence[Promise],
        lattice: Lattice | None = None,
        *,
        together: bool = False,
    ) -> None:
        super().__init__(data, promises, lattice)
        self._together = together
        rows = max(data.table.combinations, 1)
        self._columns = np.zeros((len(data.attributes), rows), dtype=np.int32)
        self._every = np.arange(data.table.combinations, dtype=np.int32)
        self._scratch = kernels.Scratch.of(rows)
        self._nodes = [_numbered(data, j) for j in range(len(data.attributes))]
        # Where some leaves are, from the start, at a node to which others can still be lifted.
        self._ahead = [
            bool((np.isin(nodes[low:], nodes[low]) & (nodes[low:] != nodes[low])).any())
            for nodes, low in zip(self._nodes, self.first, strict=True)
        ]
        # One column per attribute, as if each had a single level.
        self._row_of = np.arange(len(self._nodes), dtype=np.int64)[:, None]
        self._card = np.array([[int(nodes.max()) + 1] for nodes in self._nodes], dtype=np.int64)
        self._levels = np.zeros(len(self._nodes), dtype=np.int64)
        self._loaded: Hashable = None

    @property
    def root(self) -> tuple[bytes, ...]:
        """Every leaf at the lowest level."""
        return tuple(
            np.full(int(domain), level, dtype=np.int16).tobytes()
            for domain, level in zip(self.data.domain, self.first, strict=True)
        )

    def steps(
        self, state: Hashable, *, all_shields: bool = False
    ) -> Iterator[tuple[str, Hashable]]:
        """Lift values of violating rows to their parents, with all that is below these."""
        cuts = _cuts(state)
        violating = self.violating(state)
        every = all_shields or state in self._torn
        seen: set[tuple[int, int]] = set()
        lifts: dict[int, list[int]] = {}
        for at, marked in enumerate(violating):
            rows = self._every if every else np.flatnonzero(marked)
            for j in self._named[at]:
                for parent in self._parents(cuts, j, rows):
                    if (j, parent) not in seen:
                        seen.add((j, parent))
                        if self._within(j, parent):
                            lifts.setdefault(j, []).append(parent)
        for j in self.shield:
            parents = lifts.get(j, [])
            groups = [parents] if self._together and parents else [[one] for one in parents]
            for group in groups:
                levels = np.frombuffer(cuts[j], dtype=np.int16).copy()
                for parent in group:
                    self._lift(levels, j, parent)
                name = self.data.attributes[j]
                yield name, (*cuts[:j], levels.tobytes(), *cuts[j + 1 :])

    def height(self, state: Hashable) -> int:
        """The sum over attributes and leaves of the levels."""
        return int(sum(np.frombuffer(cut, dtype=np.int16).sum() for cut in _cuts(state)))

    def loss(self, state: Hashable) -> float:
        """The sum over attributes of the share of the domain that cells cover."""
        total = 0.0
        for j, cut in enumerate(_cuts(state)):
            levels = np.frombuffer(cut, dtype=np.int16)
            table = self.data.compiled[j]
            under = table.leaves[levels, np.arange(len(levels))]
            spread = max(len(levels) - 1, 1) * self.data.table.records
            total += float(((under - 1) * self.data.tallies[j][0][table.code[0]]).sum()) / spread
        return total

    def levels_of(self, state: Hashable) -> list[NDArray[np.int16]]:
        """The levels of the leaves."""
        return [np.frombuffer(cut, dtype=np.int16) for cut in _cuts(state)]

    def _parents(self, cuts: tuple[bytes, ...], j: int, rows: NDArray[np.integer]) -> list[int]:
        """Nodes one step above the cells of some rows, in order of first appearance.

        Where other values can be lifted to one of these cells, as to that of a suppressed one, the
        nodes above those values come last.
        """
        levels = np.frombuffer(cuts[j], dtype=np.int16)
        nodes = self._nodes[j]
        codes, first = np.unique(self.data.table.codes[j][rows], return_index=True)
        leaves = codes[np.argsort(first)].tolist()
        if self._ahead[j]:
            now = nodes[levels, np.arange(len(levels))]
            cells = np.unique(now[codes])
            below = np.isin(nodes, cells).any(axis=0) & ~np.isin(now, cells)
            leaves += np.flatnonzero(below).tolist()
        found: dict[int, None] = {}
        for leaf in leaves:
            here = nodes[levels[leaf], leaf]
            above = [node for node in nodes[levels[leaf] : self.last[j] + 1, leaf] if node != here]
            if above:
                found.setdefault(int(above[0]))
        return list(found)

    def _within(self, j: int, parent: int) -> bool:
        """Whether no value below a node has to go above the highest level to reach it."""
        nodes = self._nodes[j]
        return bool(
            (nodes[: self.last[j] + 1] == parent).any(axis=0)[(nodes == parent).any(axis=0)].all()
        )

    def _lift(self, levels: NDArray[np.int16], j: int, parent: int) -> None:
        nodes = self._nodes[j]
        under = (nodes == parent).any(axis=0)
        first = (nodes == parent).argmax(axis=0)
        levels[under] = np.maximum(levels[under], first[under])

    def _throughout(self, state: Hashable) -> Bools | None:
        return self._starred.under(self.levels_of(state)) if self._starred else None

    def _classes(self, state: Hashable, on: Sequence[int] | None) -> tuple[Ints32, Ints]:
        if state is not self._loaded:
            for j, cut in enumerate(_cuts(state)):
                levels = np.frombuffer(cut, dtype=np.int16)
                cells = self._nodes[j][levels, np.arange(len(levels))]
                self._columns[j, : len(self._every)] = cells[self.data.table.codes[j]]
            self._loaded = state
        which = np.arange(len(self._nodes)) if on is None else np.array(on, dtype=np.int64)
        scratch = self._scratch
        groups = kernels.group(
            self._columns, self._row_of, self._card, which, self._levels, self._every,
            self.data.weight, scratch,
        )  # fmt: skip
        return scratch.class_of[: len(self._every)].copy(), scratch.size[:groups].copy()


def space(
    scope: str, data: LeveledTable, promises: Sequence[Promise], lattice: Lattice | None = None
) -> Space:
    """The tables that a search can reach.

    Arguments:
        scope: ``domain``, ``subtree`` or ``siblings``.
        data: the table.
        promises: the requirements.
        lattice: the level bounds; all levels where not given.
    """
    if scope == "domain":
        return DomainSpace(data, promises, lattice)
    return CutSpace(data, promises, lattice, together=scope == "siblings")


def _levels(state: Hashable) -> tuple[int, ...]:
    assert isinstance(state, tuple)
    return state


def _cuts(state: Hashable) -> tuple[bytes, ...]:
    assert isinstance(state, tuple)
    return state


def _numbered(data: LeveledTable, j: int) -> Ints32:
    """The node of every leaf on every level, numbered over all levels: equal labels, equal node."""
    table = data.compiled[j]
    if len(table.card) == 1:
        return table.code.astype(np.int32)
    numbers: dict[str | None, int] = {}
    nodes = np.empty(table.code.shape, dtype=np.int32)
    for level, labels in enumerate(table.labels):
        known = np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.int32)
        nodes[level] = known[table.code[level]]
    return nodes
