"""Which equivalence classes of a table break a promise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from indistinct.frozen import dataclass
from indistinct.kernels.grouping import histogram
from indistinct.microdata.frequencies import Cells, ClassTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.types import Bools, Ints, Ints32

CELLS: Final = 1 << 22
"""Counts of one sensitive attribute that are held at once, at most."""

TOGETHER: Final = 256
"""Values in classes up to which these are looked at together, where not all can be at once."""


class Judge:
    """Holds classes of one table's combinations against promises.

    A promise that compares with the ``original`` distribution is held against that of ``data``, or
    of ``original`` where that is another table; one that compares with the ``published`` one
    against the records of the classes that break nothing.

    Where classes and values are so many that there is no room for a count of each value in each
    class, a part of the classes is looked at at a time, and only those that break nothing so far.
    """

    def __init__(
        self, data: LeveledTable, promises: Sequence[Promise], original: LeveledTable | None = None
    ) -> None:
        self.data = data
        self.promises = tuple(promises)
        names = {part.sensitive for part in promises if part.sensitive is not None}
        cells = data.table.sensitive
        source = (original or data).table.sensitive
        self._original = {name: source[name].totals for name in names if name in cells}
        self._domains = {name: cells[name].about for name in names if name in cells}
        self._scratch: dict[str, Ints] = {}
        self._nothing = np.zeros(data.table.combinations, dtype=np.bool_)

    def broken(
        self,
        class_of: Ints32,
        size: Ints,
        dropped: Bools | None = None,
        promises: Sequence[Promise] | None = None,
    ) -> Bools:
        """Which classes break a promise, [G].

        With published references, and promises that all classes keep together, this goes on until
        the classes that are left break nothing.

        Arguments:
            class_of: the class of every combination, [C].
            size: units of each class, dropped ones not counted, [G].
            dropped: combinations that are in no class, [C]; none where not given.
            promises: those to look at; all where not given.
        """
        asked = self.promises if promises is None else promises
        dropped = self._nothing if dropped is None else dropped
        population = self._population(asked, class_of, size)
        cells = {
            name: self._counts(name, class_of, size, dropped)
            for name in {part.sensitive for part in asked if part.sensitive is not None}
            if self._fits(name, size)
        }
        broken = np.zeros(len(size), dtype=np.bool_)
        moving = []
        # Those that count no values come first: the classes that break them need no more looks.
        for promise in sorted(asked, key=lambda part: part.sensitive is not None):
            if promise.subject == "together" or (
                promise.compares and promise.reference == "published"
            ):
                moving.append(promise)
            elif promise.sensitive is None or promise.sensitive in cells:
                seen = self._seen(promise, class_of, size, cells, population, self._original)
                broken |= promise.breaks(seen)
            else:
                self._look(promise, class_of, size, dropped, self._original, broken)
        while moving:
            before = int(np.count_nonzero(broken))
            for promise in moving:
                name = promise.sensitive
                if name is None:
                    left_in = ClassTable(class_of, np.where(broken, 0, size))
                    broken |= promise.breaks(left_in)
                elif name in cells:
                    left = {name: cells[name][~broken].sum(axis=0)}
                    seen = self._seen(promise, class_of, size, cells, population, left)
                    broken |= promise.breaks(seen)
                else:
                    left = {name: self._totals(name, dropped | broken[class_of])}
                    self._look(promise, class_of, size, dropped, left, broken)
            if int(np.count_nonzero(broken)) == before:
                break
        return broken

    def breaks(
        self, promise: Promise, class_of: Ints32, size: Ints, dropped: Bools | None = None
    ) -> Bools:
        """Which classes break one promise, [G]: all of them are published, even broken ones.

        The same as :meth:`broken` but that a ``published`` reference is that of all classes.

        Arguments:
            promise: the one to look at.
            class_of: the class of every combination, [C].
            size: units of each class, dropped ones not counted, [G].
            dropped: combinations that are in no class, [C]; none where not given.
        """
        dropped = self._nothing if dropped is None else dropped
        name = promise.sensitive
        references: Mapping[str, Ints] = self._original
        if name is not None and promise.compares and promise.reference == "published":
            references = {name: self._totals(name, dropped)}
        if name is not None and not self._fits(name, size):
            broken = np.zeros(len(size), dtype=np.bool_)
            self._look(promise, class_of, size, dropped, references, broken)
            return broken
        cells = {} if name is None else {name: self._counts(name, class_of, size, dropped)}
        population = self._population([promise], class_of, size)
        return promise.breaks(self._seen(promise, class_of, size, cells, population, references))

    def _seen(
        self,
        promise: Promise,
        class_of: Ints32,
        size: Ints,
        cells: Mapping[str, Ints],
        population: Ints | None,
        reference: Mapping[str, Ints],
    ) -> ClassTable:
        name = promise.sensitive
        people = population if promise.needs_population else None
        if name is None:
            return ClassTable(class_of, size, population=people)
        return ClassTable(
            class_of,
            size,
            {name: cells[name]},
            {name: reference[name]},
            {name: self._domains[name]},
            people,
        )

    def _fits(self, name: str, size: Ints) -> bool:
        """Whether there is room for a count of every value in every class."""
        return len(size) * len(self.data.table.sensitive[name].domain) <= CELLS

    def _counts(self, name: str, class_of: Ints32, size: Ints, dropped: Bools) -> Ints:
        """How often each sensitive value occurs in each class, [G, D]; good until the next call."""
        cells = self.data.table.sensitive[name]
        scratch = self._scratch.get(name)
        if scratch is None or len(scratch) < len(size):
            shape = (max(len(size), 64), len(cells.domain))
            scratch = self._scratch[name] = np.empty(shape, np.int64)
        found = scratch[: len(size)]
        histogram(class_of, dropped, cells.indptr, cells.value, cells.count, found)
        return found

    def _totals(self, name: str, dropped: Bools) -> Ints:
        """How often each value occurs in the combinations that are not dropped, [D]."""
        cells = self.data.table.sensitive[name]
        there = ~dropped[cells.row_of]
        length = len(cells.domain)
        found = np.bincount(cells.value[there], weights=cells.count[there], minlength=length)
        return np.rint(found).astype(np.int64)

    def _look(
        self,
        promise: Promise,
        class_of: Ints32,
        size: Ints,
        dropped: Bools,
        reference: Mapping[str, Ints],
        broken: Bools,
    ) -> None:
        """Mark the classes that break a promise about values, of those that hold somebody.

        Classes that are marked are not looked at. A promise that compares with no distribution sees
        the values that its classes have, no others.
        """
        name = str(promise.sensitive)
        cells, about = self.data.table.sensitive[name], self._domains[name]
        none = np.zeros(0, dtype=np.int32)
        held = np.flatnonzero((size > 0) & ~broken)
        entries = _Sparse.of(cells, class_of, dropped | broken[class_of])
        for classes, part in entries.parts(
            held, CELLS // len(cells.domain) if promise.compares else None
        ):
            seen_of, columns = about, np.arange(len(cells.domain))
            if not promise.compares:
                columns = np.unique(part.value)
                labels = tuple(about.labels[value] for value in columns.tolist())
                seen_of = replace(about, labels=labels)
            seen = ClassTable(
                none,
                size[classes],
                {name: part.dense(classes, columns)},
                {name: reference[name]},
                {name: seen_of},
            )
            broken[classes] = promise.breaks(seen)

    def _population(self, promises: Sequence[Promise], class_of: Ints32, size: Ints) -> Ints | None:
        people = self.data.table.population
        if people is None or not any(promise.needs_population for promise in promises):
            return None
        found = np.bincount(class_of, weights=people, minlength=len(size))
        return np.rint(found).astype(np.int64)


@dataclass(frozen=True)
class _Sparse:
    """How often values occur in classes, one entry for each, in the order of the classes."""

    group: Ints32
    value: NDArray[np.integer]
    count: Ints

    @classmethod
    def of(cls, cells: Cells, class_of: Ints32, dropped: Bools) -> _Sparse:
        """The entries of combinations that are not dropped.

        Arguments:
            cells: the values of every combination.
            class_of: its class, [C].
            dropped: combinations that are in no class, [C].
        """
        row = cells.row_of
        there = np.flatnonzero(~dropped[row])
        group = class_of[row[there]]
        order = np.argsort(group, kind="stable")
        at = there[order]
        return cls(group[order], cells.value[at], cells.count[at])

    def parts(self, classes: Ints, most: int | None) -> Iterator[tuple[Ints, _Sparse]]:
        """Some of the classes at a time with their entries: ``most``, or few that have few."""
        starts = np.searchsorted(self.group, classes, side="left")
        ends = np.searchsorted(self.group, classes, side="right")
        first = 0
        while first < len(classes):
            last = first + (TOGETHER if most is None else most)
            if most is None:
                few = int(np.searchsorted(ends, starts[first] + TOGETHER, side="right"))
                last = min(last, few)
            last = min(max(last, first + 1), len(classes))
            own = slice(starts[first], ends[last - 1])
            part = _Sparse(self.group[own], self.value[own], self.count[own])
            yield classes[first:last], part
            first = last

    def dense(self, classes: Ints, values: NDArray[np.integer]) -> Ints:
        """How often each of some values occurs in each class, [classes, values]; both sorted."""
        place = np.searchsorted(classes, self.group) * len(values)
        place += np.searchsorted(values, self.value)
        shape = len(classes), len(values)
        flat = np.bincount(place, weights=self.count, minlength=shape[0] * shape[1])
        return np.rint(flat).astype(np.int64).reshape(shape)
