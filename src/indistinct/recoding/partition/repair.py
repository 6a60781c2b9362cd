"""What is done with the classes that break a promise after all: merged, or suppressed.

Where a promise does not survive merging, classes that would be published alike are made one first.
Each class that breaks a promise is merged with the one that makes the release cost least, among
those with which it would keep its promises if there are any. It is suppressed, within the limit,
where that costs less or where there is no such class; if it keeps its promises without some of its
records, these alone are. This goes on until nothing is broken.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indistinct.errors import PolicyError, Problem, Unsatisfiable
from indistinct.kernels.clustering import SET, class_cost, costs_together, cover_members
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.cells import cells_of, classes_as_published
from indistinct.recoding.judge import Judge
from indistinct.recoding.partition.deficits import Deficits, least_units, too_wide
from indistinct.recoding.partition.distance import Costs, empty_spans
from indistinct.recoding.partition.publishing import check_feasible, lasts, report
from indistinct.recoding.partition.settings import PartitionSettings
from indistinct.types import Bools, Floats, Ints32

MOST = 50_000
"""Records that clustering takes on: its time grows with their square."""


def check(
    data: LeveledTable, promises: Sequence[Promise], settings: PartitionSettings, algorithm: str
) -> None:
    """See before any work whether clustering can do what is asked.

    Arguments:
        data: the table.
        promises: what is promised.
        settings: what may be suppressed.
        algorithm: the name of the clustering, for messages.

    Raises:
        PolicyError: for too many records, or too many sensitive values.
        Unsatisfiable: for promises that no release of the table can keep.
    """
    people = int((data.weight > 0).sum())
    if people > MOST:
        raise PolicyError(
            "too-many-records",
            f"the table has {people} records, and {algorithm} compares each with every other: "
            f"its time grows with their square, so it takes {MOST} at most",
            remedy='choose algorithm = "mondrian"',
        )
    check_feasible(data, promises, settings)
    if too_wide(data, promises):
        raise PolicyError(
            "too-many-values",
            f"the sensitive values are too many: {algorithm} counts each of them in every "
            "record that it compares",
            remedy='choose algorithm = "mondrian", or make the values fewer with a transform',
        )


class Repair:
    """The classes of a partition, and what becomes of those that break a promise."""

    def __init__(
        self,
        data: LeveledTable,
        promises: Sequence[Promise],
        wants: Deficits,
        costs: Costs,
        class_of: Ints32,
        settings: PartitionSettings,
    ) -> None:
        self._data = data
        self._cells = settings.cells
        # Promises about a population depend on all cells: they are looked at when these are known.
        self._promises = [part for part in promises if not part.needs_population]
        self._wants = wants
        self._least = least_units(promises)
        domains, places = costs
        self._full = float(domains.full.sum())
        self._domains = domains
        self._places = places
        self.class_of = class_of
        groups = int(class_of.max(initial=-1)) + 1
        self._members = _members(class_of, groups)
        self._alive = np.ones(groups, dtype=np.bool_)
        # The last row is for what is to join a class.
        self._spans = empty_spans(groups + 1, places.shape[1])
        self._held = np.zeros(len(domains.value), dtype=np.bool_)
        self._cost = np.zeros(groups)
        self._size = np.zeros(groups, dtype=np.int64)
        self._counts = {
            name: np.zeros((groups, len(own)), dtype=np.int64)
            for name, own in wants.nothing().counts.items()
        }
        for group in range(groups):
            self._look(group)

    def take_in(self, rows: Ints32) -> None:
        """Put each row that is in no class into the one whose cost rises least."""
        groups = len(self._alive)
        for row in rows.tolist():
            alone = np.array([row], dtype=np.int32)
            cover_members(self._domains, self._spans, groups, self._held, self._places, alone)
            together = self._together(groups, alone, np.append(self._alive, False))[:groups]
            rise = together * (self._size + self._data.weight[row]) - self._cost * self._size
            best = int(np.argmin(rise))
            self.class_of[row] = best
            self._members[best] = np.append(self._members[best], alone)
            self._look(best)

    def mend(self, allowed: int, *, sparing: bool = False) -> Ints32:
        """Merge and suppress until no class breaks a promise; returns the class of every row.

        Arguments:
            allowed: units that may be suppressed.
            sparing: whether a class is suppressed only where merging does not help.

        Raises:
            Unsatisfiable: if what is left in the end, one class, breaks a promise and may not be
                suppressed.
        """
        judge = Judge(self._data, self._promises)
        while True:
            if not all(map(lasts, self._promises)):
                self._join_alike()
            broken = self._broken(judge)
            if not broken.any():
                break
            if self._alive.sum() == 1:
                last = int(np.flatnonzero(self._alive)[0])
                shed = self._in_the_way(last, allowed)
                if shed is None and self._size[last] > allowed:
                    raise Unsatisfiable(self._why(judge))
                allowed -= self._leave_out(last, self._members[last] if shed is None else shed)
                continue
            touched = np.zeros(len(self._alive), dtype=np.bool_)
            for group in np.flatnonzero(broken).tolist():
                if touched[group] or self._alive.sum() == 1:
                    continue
                other, price, kept = self._partner(group)
                lost = int(self._size[group])
                if not kept and (shed := self._in_the_way(group, allowed)) is not None:
                    allowed -= self._leave_out(group, shed)
                elif lost <= allowed and (not kept or (not sparing and lost * self._full < price)):
                    allowed -= self._leave_out(group, self._members[group])
                else:
                    self._merge(group, other)
                    touched[other] = True
        return self._numbered()

    def _join_alike(self) -> None:
        """Merge classes whose cells are all equal: readers see one."""
        plan = cells_of(self._data, self._numbered(), self._cells, report("", 0.0))
        first: dict[int, int] = {}
        alive = np.flatnonzero(self._alive).tolist()
        for group, number in zip(alive, classes_as_published(plan).tolist(), strict=True):
            other = first.setdefault(number, group)
            if other != group:
                self._merge(group, other)

    def _broken(self, judge: Judge) -> Bools:
        """Which classes break a promise; suppressed rows are in an empty class behind the last."""
        groups = len(self._alive)
        dropped = self.class_of < 0
        class_of = np.where(dropped, groups, self.class_of).astype(np.int32)
        size = np.append(np.where(self._alive, self._size, 0), 0)
        return judge.broken(class_of, size, dropped)[:groups] & self._alive

    def _partner(self, group: int) -> tuple[int, float, bool]:
        """The class to merge with, what that costs, and whether the two keep what is promised.

        The cost is that of the merged class less that of the other; only promises about sensitive
        values are looked at.
        """
        together = self._together(group, self._members[group], self._alive)
        size = self._size + self._size[group]
        price = np.full(len(together), np.inf)
        there = np.isfinite(together)
        price[there] = (together * size - self._cost * self._size)[there]
        fits = not self._wants.about
        if self._wants.about:
            counts = {name: own + own[group] for name, own in self._counts.items()}
            kept = there & (self._wants.broken(counts, size) == 0)
            fits = bool(kept.any())
            if fits:
                price[~kept] = np.inf
        other = int(np.argmin(price))
        return other, float(price[other]), fits

    def _together(self, row: int, members: Ints32, alive: Bools) -> Floats:
        """What merging a class with each other one would make their cells cost."""
        found = np.empty(len(alive))
        start = np.zeros(len(alive) + 1, dtype=np.int64)
        order = np.zeros(0, dtype=np.int32)
        if (self._domains.kind == SET).any():
            start[1 : len(self._members) + 1] = np.cumsum([len(own) for own in self._members])
            start[len(self._members) + 1 :] = start[len(self._members)]
            order = np.concatenate(self._members)
        costs_together(
            self._domains, self._spans, row, self._held, self._places, members, start, order, alive,
            found,
        )  # fmt: skip
        return found

    def _merge(self, group: int, other: int) -> None:
        self.class_of[self._members[group]] = other
        self._members[other] = np.concatenate([self._members[other], self._members[group]])
        self._forget(group)
        self._look(other)

    def _in_the_way(self, group: int, allowed: int) -> Ints32 | None:
        """Rows without which the class keeps what is promised about sensitive values.

        None if there are none, or they are more units than are allowed, or too few are left.
        """
        wants = self._wants
        rows = self._members[group]
        profile = wants.profile[rows]
        inside = np.ones(len(rows), dtype=np.bool_)
        wanted = wants.of(profile)
        while not wants.kept(wanted):
            chosen = wants.hindering(wanted, profile[inside])
            if chosen < 0:
                return None
            inside[np.flatnonzero(inside & (profile == chosen))[-1]] = False
            wanted = wants.added(wanted, chosen, -1)
            if wanted.size < self._least or self._size[group] - wanted.size > allowed:
                return None
        return None if inside.all() else rows[~inside]

    def _leave_out(self, group: int, rows: Ints32) -> int:
        """Suppress some rows of a class, or all; returns their units."""
        self.class_of[rows] = -1
        units = int(self._data.weight[rows].sum())
        if len(rows) == len(self._members[group]):
            self._forget(group)
        else:
            self._members[group] = np.setdiff1d(self._members[group], rows)
            self._look(group)
        return units

    def _forget(self, group: int) -> None:
        self._members[group] = self._members[group][:0]
        self._alive[group] = False
        self._size[group] = 0
        self._cost[group] = 0.0
        for own in self._counts.values():
            own[group] = 0

    def _look(self, group: int) -> None:
        rows = self._members[group]
        cover_members(self._domains, self._spans, group, self._held, self._places, rows)
        self._cost[group] = class_cost(self._domains, self._spans, group)
        self._size[group] = self._data.weight[rows].sum()
        if self._wants.about:
            wanted = self._wants.of(self._wants.profile[rows])
            for name, own in wanted.counts.items():
                self._counts[name][group] = own

    def _numbered(self) -> Ints32:
        number = np.full(len(self._alive) + 1, -1, dtype=np.int32)
        number[:-1][self._alive] = np.arange(self._alive.sum(), dtype=np.int32)
        return number[self.class_of]

    def _why(self, judge: Judge) -> Problem:
        dropped = self.class_of < 0
        class_of = np.where(dropped, 1, 0).astype(np.int32)
        size = np.array([self._data.weight[~dropped].sum(), 0], dtype=np.int64)
        texts = [
            str(part) for part in self._promises if judge.broken(class_of, size, dropped, [part])[0]
        ]
        return Problem(
            "unsatisfiable",
            "those that may not be suppressed break the promise even when all of them are in "
            f"one class ({'; '.join(texts)})",
            remedy="what would help: weaker parameters, a larger suppression_limit",
        )


def _members(class_of: Ints32, groups: int) -> list[Ints32]:
    order = np.argsort(class_of, kind="stable").astype(np.int32)
    bounds = np.searchsorted(class_of[order], np.arange(groups + 1))
    return [order[bounds[at] : bounds[at + 1]] for at in range(groups)]
