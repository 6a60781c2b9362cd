"""A good node of a lattice that is too large to search, by iterated local search.

From the most general node down to a local optimum, then again and again from a disturbed copy of
the best: some attributes raised, the others free to fall. Nodes below one that lasting promises
exclude are never looked at. The result is not claimed to be optimal.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from indistinct.measures import BoundObjective
from indistinct.measures.aggregate import better
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.randomness import simulation
from indistinct.recoding.full_domain.evaluation import Evaluation, Evaluator
from indistinct.recoding.full_domain.optimal import Found, tell_broken_at_most
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.limits import Limits, Progress, silent
from indistinct.types import Bools, Floats, Ints

SECONDS = 10.0
"""How long a search goes on where no limit is set."""

PATIENCE = 400
"""Disturbances without improvement after which a search ends."""

PATIENCE_WITH_TIME = 25 * PATIENCE
"""The same where somebody has set a time: it is to be used."""

Levels = tuple[int, ...]


class HeuristicSearch:
    """Iterated local search over one table and one lattice of any size.

    The moves are drawn from a fixed seed, so that under a node limit the result is repeatable;
    under a time limit it depends on the machine.
    """

    def __init__(
        self,
        data: LeveledTable,
        lattice: Lattice,
        objective: BoundObjective,
        original: LeveledTable | None = None,
    ) -> None:
        self.data = data
        self._original = original
        self.lattice = lattice
        self.objective = objective
        self._grouper = Grouper(data, lattice)

    def run(
        self,
        promises: Sequence[Promise],
        allowed: int,
        limits: Limits | None = None,
        progress: Progress = silent,
    ) -> Found:
        """A good node that keeps the promises.

        Ends at a limit, or when nothing has improved for long.

        Arguments:
            promises: what has to be kept.
            allowed: units that may be suppressed.
            limits: when to stop before; after ``SECONDS`` where none is set.
            progress: is told the share of the search that is done.
        """
        self._evaluator = Evaluator(
            self.data, promises, self.objective, allowed, self._grouper, self._original
        )
        tell_broken_at_most(self.objective, promises, self.data.table.records)
        self._limits = limits or Limits()
        self._timed = self._limits.seconds is not None
        if self._limits.seconds is None and self._limits.nodes is None:
            self._limits = Limits(seconds=SECONDS)
        self._began = time.perf_counter()
        self._seen: dict[Levels, Evaluation] = {}
        self._excluded = np.zeros((0, len(self.lattice.first)), dtype=np.int64)
        top: Levels = tuple(int(level) for level in self.lattice.last)
        self._best: Levels | None = None
        self._key: Floats | None = None
        self._closest: tuple[float, Levels] = (np.inf, top)
        self._stopped_by: str | None = None
        self._descend(top, np.arange(len(top)))
        self._disturb(simulation(0), progress)
        (floor,) = self.objective.unsuppressed(self.lattice.first[None, :])
        return Found(
            levels=None if self._best is None else np.array(self._best, dtype=np.int64),
            key=self._key,
            bound=None if self._best is None else floor,
            checked=len(self._seen),
            seconds=time.perf_counter() - self._began,
            stopped_by=self._stopped_by,
            closest=np.array(self._closest[1], dtype=np.int64),
        )

    def key_at(self, levels: Ints) -> Floats | None:
        """The key of one node under the last run's promises, None for one that is not allowed."""
        return self._evaluator.evaluate(levels).key

    def suppressed(self, levels: Ints) -> Bools:
        """Which combinations the last run's promises suppress at a node, [C]."""
        return self._evaluator.suppressed(levels)

    def _over(self) -> bool:
        if self._stopped_by is None:
            seconds, nodes = self._limits.seconds, self._limits.nodes
            if seconds is not None and time.perf_counter() - self._began > seconds:
                self._stopped_by = "time_limit"
            elif nodes is not None and len(self._seen) >= nodes:
                self._stopped_by = "node_limit"
        return self._stopped_by is not None

    def _look(self, levels: Levels) -> Floats | None:
        known = self._seen.get(levels)
        if known is not None:
            return known.key
        here = np.array(levels, dtype=np.int64)
        if (here <= self._excluded).all(axis=1).any():
            return None
        looked = self._seen[levels] = self._evaluator.evaluate(here)
        if looked.least > self._evaluator.allowed:
            above = ~(self._excluded <= here).all(axis=1)
            self._excluded = np.vstack([self._excluded[above], here])
        units = looked.least if looked.suppressed is None else looked.suppressed
        self._closest = min(self._closest, (units, levels))
        if looked.key is not None and better(looked.key[None, :], self._key).all():
            self._best, self._key = levels, looked.key
        return looked.key

    def _descend(self, levels: Levels, order: Ints, greedy: bool = True) -> Levels:
        """Lower one attribute at a time: the best one, or the first in order that improves."""
        key = self._look(levels)
        while key is not None:
            step: tuple[tuple[float, ...], Levels] | None = None
            for j in order:
                if self._over():
                    return levels
                if levels[j] <= self.lattice.first[j]:
                    continue
                below = (*levels[:j], levels[j] - 1, *levels[j + 1 :])
                found = self._look(below)
                if found is not None and tuple(found) < tuple(key):
                    candidate = tuple(found), below
                    step = candidate if step is None else min(step, candidate)
                    if not greedy:
                        break
            if step is None:
                break
            levels = step[1]
            key = self._look(levels)
        return levels

    def _disturb(self, random: np.random.Generator, progress: Progress) -> None:
        free = np.flatnonzero(self.lattice.last > self.lattice.first)
        stale = 0
        patience = PATIENCE_WITH_TIME if self._timed else PATIENCE
        # Lasting promises alone suppress no less at any other node than at the most general one.
        top = self._seen[tuple(int(level) for level in self.lattice.last)]
        if top.least > self._evaluator.allowed:
            return
        while len(free) and stale < patience and not self._over():
            before = self._key
            levels = self._another(random, free)
            self._descend(
                tuple(levels), random.permutation(free), greedy=bool(random.random() < 0.5)
            )
            stale = stale + 1 if self._key is before else 0
            progress(self._share_done())

    def _another(self, random: np.random.Generator, free: Ints) -> list[int]:
        """A disturbed copy of the best node, or any node while none is allowed."""
        if self._best is None:
            drawn = random.integers(self.lattice.first, self.lattice.last + 1)
            return [int(level) for level in drawn]
        levels = list(self._best)
        most = max(2, len(free) // 3)
        raised = min(len(free), int(random.integers(1, most + 1)))
        for j in random.choice(free, size=raised):
            levels[j] = int(random.integers(levels[j], self.lattice.last[j] + 1))
        for j in random.choice(free, size=int(random.integers(0, 3))):
            levels[j] = int(random.integers(self.lattice.first[j], levels[j] + 1))
        return levels

    def _share_done(self) -> float:
        seconds = (time.perf_counter() - self._began, self._limits.seconds)
        nodes = (len(self._seen), self._limits.nodes)
        shares = [used / most for used, most in (seconds, nodes) if most is not None]
        return min(max(shares), 1.0)
