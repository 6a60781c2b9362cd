"""What becomes of a table at one node: who is suppressed, and what the rest costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels import grouping as kernels
from indistinct.measures import BoundObjective, Outcome
from indistinct.measures.aggregate import Values
from indistinct.microdata.frequencies import Cells, ClassTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.grouping import Classes, Grouper

Scratch = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]
"""Rows and units of suppressed classes, units of kept ones."""

_NO_CLASSES = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Evaluation:
    """One node, looked at.

    ``least`` units are suppressed there by promises that stay broken in every more specific node;
    ``suppressed`` by all of them (None where ``least`` alone is too much). ``key`` is None for a
    node that is not allowed.
    """

    least: int
    suppressed: int | None
    key: Values | None
    inherited: Values | None


class Evaluator:
    """Looks at nodes of one table under promises, an objective and a number of allowed units.

    Several promises over different attributes are kept together by suppressing the violators of
    each until none is left: what one suppresses can break another.
    """

    def __init__(
        self,
        data: LeveledTable,
        promises: Sequence[Promise],
        objective: BoundObjective,
        allowed: int,
        grouper: Grouper,
    ) -> None:
        self.data = data
        self.promises = tuple(promises)
        self.objective = objective
        self.allowed = allowed
        self._grouper = grouper
        self._by_set = _by_attributes(data, promises)
        lasting = [promise for promise in promises if promise.closure == "superset"]
        self._lasting = _by_attributes(data, lasting)
        self.all_lasting = len(lasting) == len(self.promises)
        rows = data.table.combinations
        self._dropped = np.zeros(rows, dtype=np.bool_)
        self._nothing = np.zeros(rows, dtype=np.bool_)
        self._floor, self._rest = _scratch(rows + 1), _scratch(rows + 1)
        self._dense_cells: dict[str, NDArray[np.int64]] = {}
        self._references = _references(data)
        # Over one set of attributes, dropping whole classes leaves the other classes as they are.
        self._simple = set(self._by_set) == {None}
        self._counts_values = any(promise.sensitive is not None for promise in promises)

    def evaluate(self, levels: NDArray[np.int64]) -> Evaluation:
        """Look at the node with these levels [m]."""
        outcome, least, floor = self.outcome(levels)
        if least > self.allowed:
            return Evaluation(least, None, None, None)
        if outcome.suppressed > self.allowed:
            _, inherited = self.objective.score(floor)
            return Evaluation(least, outcome.suppressed, None, inherited)
        key, inherited = self.objective.score(outcome)
        if floor is not outcome:
            _, inherited = self.objective.score(floor)
        return Evaluation(least, outcome.suppressed, key, inherited)

    def outcome(self, levels: NDArray[np.int64]) -> tuple[Outcome, int, Outcome]:
        """What is left at a node: by all promises; units lost to lasting ones; and by those alone.

        The last two say what holds for every more specific node as well.
        """
        if self._simple:
            classes = self._grouper.condensed(levels)
            class_of = classes.class_of
            if self._counts_values:
                class_of = self._grouper.spread(levels, classes)
            lasting = self._lasting.get(None)
            if lasting is None:
                broken = np.zeros(len(classes.size), dtype=np.bool_)
            else:
                broken = self._broken(lasting, class_of, classes.size, self._nothing)
            floor = self._without(levels, classes, broken, self._floor)
            if self.all_lasting or floor.suppressed > self.allowed:
                return floor, floor.suppressed, floor
            broken = self._broken(self._by_set[None], class_of, classes.size, self._nothing)
            outcome = self._without(levels, classes, broken, self._rest)
            return outcome, floor.suppressed, floor
        self._dropped[:] = False
        least = self._settle(levels, self._lasting, self._dropped)
        floor = self._outcome(levels, self._dropped, least)
        if self.all_lasting or least > self.allowed:
            return floor, least, floor
        floor = replace(floor, size=floor.size.copy())
        suppressed = least + self._settle(levels, self._by_set, self._dropped)
        return self._outcome(levels, self._dropped, suppressed), least, floor

    def suppressed(self, levels: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which combinations are suppressed at a node, [C]."""
        if self._simple:
            class_of, size = self._grouper.classes(levels)
            return self._broken(self._by_set[None], class_of, size, self._nothing)[class_of]
        dropped = np.zeros(self.data.table.combinations, dtype=np.bool_)
        self._settle(levels, self._lasting, dropped)
        self._settle(levels, self._by_set, dropped)
        return dropped

    def use_references_of(self, data: LeveledTable) -> None:
        """Compare sensitive values with their distribution in another table."""
        self._references = _references(data)

    def class_table(
        self,
        promise: Promise,
        class_of: NDArray[np.int32],
        size: NDArray[np.int64],
        dropped: NDArray[np.bool_],
    ) -> ClassTable:
        """The classes as a promise sees them, with the counts of its sensitive attribute."""
        name = promise.sensitive
        if name is None:
            return ClassTable(class_of, size)
        cells: Cells = self.data.table.sensitive[name]
        need = len(size), len(cells.domain)
        scratch = self._dense_cells.get(name)
        if scratch is None or len(scratch) < need[0]:
            scratch = self._dense_cells[name] = np.empty((max(need[0], 64), need[1]), np.int64)
        dense = scratch[: need[0]]
        kernels.histogram(class_of, dropped, cells.indptr, cells.value, cells.count, dense)
        return ClassTable(class_of, size, {name: dense}, {name: self._references[name]})

    def _broken(
        self,
        promises: Sequence[Promise],
        class_of: NDArray[np.int32],
        size: NDArray[np.int64],
        dropped: NDArray[np.bool_],
    ) -> NDArray[np.bool_]:
        broken = promises[0].breaks(self.class_table(promises[0], class_of, size, dropped))
        for promise in promises[1:]:
            broken = broken | promise.breaks(self.class_table(promise, class_of, size, dropped))
        return broken

    def _without(
        self,
        levels: NDArray[np.int64],
        classes: Classes,
        broken: NDArray[np.bool_],
        scratch: Scratch,
    ) -> Outcome:
        rows, units, kept = scratch
        lost, total = kernels.divide(classes.size, classes.first, broken, rows, units, kept)
        held = len(broken) - lost
        return Outcome(levels, classes.size, kept[:held], rows[:lost], units[:lost], total)

    def _settle(
        self,
        levels: NDArray[np.int64],
        by_set: dict[tuple[int, ...] | None, list[Promise]],
        dropped: NDArray[np.bool_],
    ) -> int:
        """Drop violators until no promise is broken; returns the units dropped."""
        total = 0
        quiet = 0
        while by_set and quiet < len(by_set):
            for on, promises in by_set.items():
                class_of, size = self._grouper.classes(levels, on)
                kernels.class_sizes(class_of, self.data.weight, dropped, size)
                broken = self._broken(promises, class_of, size, dropped)
                lost = kernels.mark_rows(class_of, broken, self.data.weight, dropped)
                total += lost
                quiet = 0 if lost else quiet + 1
                if quiet >= len(by_set):
                    break
        return total

    def _outcome(
        self, levels: NDArray[np.int64], dropped: NDArray[np.bool_], suppressed: int
    ) -> Outcome:
        rows = np.flatnonzero(dropped).astype(np.int32)
        units = self.data.weight[rows]
        if not self.objective.needs_classes:
            return Outcome(levels, _NO_CLASSES, _NO_CLASSES, rows, units, suppressed)
        class_of, size = self._grouper.classes(levels)
        kept = np.empty_like(size)
        kernels.class_sizes(class_of, self.data.weight, dropped, kept)
        return Outcome(levels, size, kept[kept > 0], rows, units, suppressed)


def _scratch(length: int) -> Scratch:
    return (
        np.empty(length, dtype=np.int32),
        np.empty(length, dtype=np.int64),
        np.empty(length, dtype=np.int64),
    )


def _references(data: LeveledTable) -> dict[str, NDArray[np.int64]]:
    return {
        name: np.rint(
            np.bincount(cells.value, weights=cells.count, minlength=len(cells.domain))
        ).astype(np.int64)
        for name, cells in data.table.sensitive.items()
    }


def _by_attributes(
    data: LeveledTable, promises: Sequence[Promise]
) -> dict[tuple[int, ...] | None, list[Promise]]:
    """Promises by the positions of the attributes they look at; None stands for all."""
    found: dict[tuple[int, ...] | None, list[Promise]] = {}
    for promise in promises:
        on: tuple[int, ...] | None = None
        if promise.on is not None and set(promise.on) != set(data.attributes):
            on = tuple(sorted(data.attributes.index(name) for name in promise.on))
        found.setdefault(on, []).append(promise)
    return found
