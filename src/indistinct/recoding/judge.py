"""Which equivalence classes of a table break a promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from indistinct.microdata.frequencies import ClassTable, Counts
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise


class Judge:
    """Holds classes of one table's combinations against promises.

    A promise that compares with the ``original`` distribution is held against that of ``data``, or
    of ``original`` where that is another table; one that compares with the ``published`` one
    against the records of the classes that break nothing.
    """

    def __init__(
        self,
        data: LeveledTable,
        promises: Sequence[Promise],
        original: LeveledTable | None = None,
    ) -> None:
        self.data = data
        self.promises = tuple(promises)
        names = {part.sensitive for part in promises if part.sensitive is not None}
        cells = data.table.sensitive
        source = (original or data).table.sensitive
        self._original = {name: source[name].totals for name in names if name in cells}
        self._domains = {name: cells[name].about for name in names if name in cells}
        self._scratch: dict[str, NDArray[np.int64]] = {}
        self._nothing = np.zeros(data.table.combinations, dtype=np.bool_)

    def broken(
        self,
        class_of: NDArray[np.int32],
        size: Counts,
        dropped: NDArray[np.bool_] | None = None,
        promises: Sequence[Promise] | None = None,
    ) -> NDArray[np.bool_]:
        """Which classes break a promise, [G].

        With published references this goes on until the classes that are left break nothing when
        compared with each other.

        Arguments:
            class_of: the class of every combination, [C].
            size: units of each class, dropped ones not counted, [G].
            dropped: combinations that are in no class, [C]; none where not given.
            promises: those to look at; all where not given.
        """
        asked = self.promises if promises is None else promises
        dropped = self._nothing if dropped is None else dropped
        cells = self._counts(asked, class_of, size, dropped)
        population = self._population(asked, class_of, size)
        broken = np.zeros(len(size), dtype=np.bool_)
        moving = []
        for promise in asked:
            if promise.compares and promise.reference == "published":
                moving.append(promise)
            else:
                seen = self._seen(promise, class_of, size, cells, population, self._original)
                broken |= promise.breaks(seen)
        while moving:
            before = int(np.count_nonzero(broken))
            for promise in moving:
                assert promise.sensitive is not None
                left = {promise.sensitive: cells[promise.sensitive][~broken].sum(axis=0)}
                seen = self._seen(promise, class_of, size, cells, population, left)
                broken |= promise.breaks(seen)
            if int(np.count_nonzero(broken)) == before:
                break
        return broken

    def table(
        self,
        promise: Promise,
        class_of: NDArray[np.int32],
        size: Counts,
        dropped: NDArray[np.bool_] | None = None,
        reference: Counts | None = None,
    ) -> ClassTable:
        """The classes as one promise sees them.

        ``reference`` [D] is what it compares with; the original distribution where not given.
        """
        dropped = self._nothing if dropped is None else dropped
        cells = self._counts([promise], class_of, size, dropped)
        references = dict(self._original)
        if reference is not None and promise.sensitive is not None:
            references[promise.sensitive] = reference
        population = self._population([promise], class_of, size)
        return self._seen(promise, class_of, size, cells, population, references)

    def _seen(
        self,
        promise: Promise,
        class_of: NDArray[np.int32],
        size: Counts,
        cells: Mapping[str, NDArray[np.int64]],
        population: Counts | None,
        reference: Mapping[str, Counts],
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

    def _counts(
        self,
        promises: Sequence[Promise],
        class_of: NDArray[np.int32],
        size: Counts,
        dropped: NDArray[np.bool_],
    ) -> dict[str, NDArray[np.int64]]:
        """How often each sensitive value occurs in each class, [G, D]; good until the next call."""
        found = {}
        for name in {part.sensitive for part in promises if part.sensitive is not None}:
            from indistinct.kernels.grouping import histogram

            cells = self.data.table.sensitive[name]
            scratch = self._scratch.get(name)
            if scratch is None or len(scratch) < len(size):
                shape = (max(len(size), 64), len(cells.domain))
                scratch = self._scratch[name] = np.empty(shape, np.int64)
            found[name] = scratch[: len(size)]
            histogram(class_of, dropped, cells.indptr, cells.value, cells.count, found[name])
        return found

    def _population(
        self, promises: Sequence[Promise], class_of: NDArray[np.int32], size: Counts
    ) -> Counts | None:
        people = self.data.table.population
        if people is None or not any(promise.needs_population for promise in promises):
            return None
        found = np.bincount(class_of, weights=people, minlength=len(size))
        return np.rint(found).astype(np.int64)
