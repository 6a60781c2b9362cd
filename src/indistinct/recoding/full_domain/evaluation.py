"""What becomes of a table at one node: who is suppressed, and what the rest costs."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from indistinct.frozen import dataclass
from indistinct.kernels import grouping as kernels
from indistinct.measures import BoundObjective, Outcome
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.fully_suppressed import FullySuppressed
from indistinct.recoding.grouping import Classes, Grouper
from indistinct.recoding.judge import Judge
from indistinct.types import Bools, Floats, Ints, Ints32

Scratch = tuple[Ints32, Ints, Ints]
"""Rows and units of suppressed classes, units of kept ones."""

BEYOND = sys.maxsize
"""More units than there are: what no record left out would mend."""

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
    key: Floats | None
    inherited: Floats | None


class Evaluator:
    """Looks at nodes of one table under promises, an objective and a number of allowed units.

    ``original`` is the table whose distributions promises compare with, where it is not ``data``.
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
        original: LeveledTable | None = None,
    ) -> None:
        self.data = data
        self.promises = tuple(promises)
        self.objective = objective
        # Some promises are broken by any suppression.
        self.allowed = 0 if any(part.keeps_everybody for part in promises) else allowed
        self._grouper = grouper
        self._by_set = _by_attributes(data, promises)
        lasting = [promise for promise in promises if promise.effective_closure == "superset"]
        self._lasting = _by_attributes(data, lasting)
        # Promises that all classes keep together are broken by as many in more specific nodes, but
        # perhaps by others, as long as what else is promised lasts.
        self._as_many = all(
            promise in lasting or promise.subject == "together" for promise in promises
        )
        self._starred = FullySuppressed(data, promises)
        # Where records are starred at a node, they are missing in its classes.
        self.all_lasting = len(lasting) == len(self.promises) and not self._starred
        rows = data.table.combinations
        self._dropped = np.zeros(rows, dtype=np.bool_)
        self._floor, self._rest = _scratch(rows), _scratch(rows)
        self.judge = Judge(data, promises, original)
        # Over one set of attributes, dropping whole classes leaves the other classes as they are.
        self._simple = all(on is None for on in self._by_set)
        self._counts_rows = any(
            promise.sensitive is not None or promise.needs_population for promise in promises
        )

    @property
    def order_matters(self) -> bool:
        """Whether another order of suppression could keep other records at the same node.

        It could where all classes are looked at together, where what is left out changes the
        distribution that others are compared with, or where it takes from a class some of its
        records only, which can mend or break promises that are not kept when anything is added:
        where another promise looks at attributes beyond theirs, or where records can be starred.
        """
        every = self.data.attributes
        seen = {name for part in self.promises for name in part.on or every}
        return self.allowed > 0 and any(
            part.subject == "together"
            or (part.compares and part.reference == "published")
            or bool(self._starred)
            or not seen.issubset(part.on or every)
            for part in self.promises
            if part.effective_closure != "superset"
        )

    def evaluate(self, levels: Ints) -> Evaluation:
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

    def outcome(self, levels: Ints) -> tuple[Outcome, int, Outcome]:
        """What is left at a node: by all promises; units lost to lasting ones; and by those alone.

        The last two say what holds for every more specific node as well.
        """
        starred = self._starred.at(levels)
        if self._simple and starred is None:
            classes = self._grouper.condensed(levels)
            class_of = classes.class_of
            if self._counts_rows:
                class_of = self._grouper.spread(levels, classes)
            lasting = self._lasting.get(None)
            if lasting is None:
                broken = np.zeros(len(classes.size), dtype=np.bool_)
            else:
                broken = self.judge.broken(class_of, classes.size, promises=lasting)
            floor = self._without(levels, classes, broken, self._floor)
            if self.all_lasting or floor.suppressed > self.allowed:
                return floor, floor.suppressed, floor
            broken = self.judge.broken(class_of, classes.size)
            outcome = self._without(levels, classes, broken, self._rest)
            least = outcome.suppressed if self._as_many else floor.suppressed
            return outcome, least, floor
        self._dropped[:] = False
        least = self._settle(levels, self._lasting, self._dropped)
        floor = self._outcome(levels, self._dropped, least)
        if self.all_lasting or least > self.allowed:
            return floor, least, floor
        floor = replace(floor, size=floor.size.copy())
        suppressed = least + self._settle(levels, self._by_set, self._dropped)
        if starred is not None:
            suppressed += self._settle(levels, self._by_set, self._dropped, starred)
        return self._outcome(levels, self._dropped, suppressed), least, floor

    def suppressed(self, levels: Ints) -> Bools:
        """Which combinations are suppressed at a node, [C]."""
        starred = self._starred.at(levels)
        if self._simple and starred is None:
            class_of, size = self._grouper.classes(levels)
            return self.judge.broken(class_of, size)[class_of]
        dropped = np.zeros(self.data.table.combinations, dtype=np.bool_)
        self._settle(levels, self._lasting, dropped)
        self._settle(levels, self._by_set, dropped)
        if starred is not None:
            self._settle(levels, self._by_set, dropped, starred)
        return dropped

    def _without(self, levels: Ints, classes: Classes, broken: Bools, scratch: Scratch) -> Outcome:
        rows, units, kept = scratch
        size = classes.size
        lost, total = kernels.divide(size, classes.first, broken, rows, units, kept)
        # A class that only the population has is mended by no suppression.
        if self.data.table.population is not None and (broken & (size == 0)).any():
            total = BEYOND
        return Outcome(levels, size, kept[: len(size) - lost], rows[:lost], units[:lost], total)

    def _settle(
        self,
        levels: Ints,
        by_set: dict[tuple[int, ...] | None, list[Promise]],
        dropped: Bools,
        starred: Bools | None = None,
    ) -> int:
        """Drop violators until no promise is broken; returns the units dropped.

        ``starred`` are combinations that are in no class, though they are published.
        """
        away = dropped if starred is None else dropped | starred
        total = 0
        kept: set[tuple[int, ...] | None] = set()
        for on, promises in itertools.cycle(by_set.items()):
            if on in kept:
                break
            class_of, size = self._grouper.classes(levels, on)
            kernels.class_sizes(class_of, self.data.weight, away, size)
            broken = self.judge.broken(class_of, size, away, promises)
            if self._missed(class_of, size, broken):
                return BEYOND
            lost = kernels.mark_rows(class_of, broken, self.data.weight, away)
            total += lost
            if lost:
                kept.clear()
            kept.add(on)
        if starred is not None:
            dropped |= away & ~starred
        return total

    def _missed(self, class_of: Ints32, size: Ints, broken: Bools) -> bool:
        """Whether a class breaks a promise that only people of the population are in."""
        empty = broken & (size == 0)
        if not empty.any():
            return False
        weight = np.bincount(class_of, weights=self.data.weight, minlength=len(size))
        return not weight[empty].all()

    def _outcome(self, levels: Ints, dropped: Bools, suppressed: int) -> Outcome:
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
