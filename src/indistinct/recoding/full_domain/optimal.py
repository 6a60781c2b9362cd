"""The best node of a lattice, proved so: bounded search over full-domain generalizations.

Every node inherits from its neighbours what can no longer improve: units suppressed by promises
that stay broken in every more specific node, what their suppression costs, and for objectives over
class sizes what no more general node can undercut. A node is looked at only if its bound beats the
best found so far. Search starts from a greedy descent from the top and goes on in strata whose
nodes do not bound each other, those that decide most others first.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from indistinct.frozen import dataclass
from indistinct.kernels.lattice import inherit
from indistinct.measures import BoundObjective
from indistinct.measures.aggregate import ascending, better
from indistinct.measures.discernibility import BoundDiscernibility
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.full_domain.evaluation import Evaluation, Evaluator
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.limits import Limits, Progress, silent
from indistinct.types import Bools, Floats, Ints

LARGEST = 1_000_000
"""Nodes of the largest lattice that is searched exhaustively in principle."""


@dataclass(frozen=True)
class Found:
    """The best node, its key, and a lower bound of the key over the whole lattice.

    ``levels`` and ``key`` are None where no node is allowed; ``closest`` is the node that
    suppressed the fewest units. ``order_matters`` says that each node was looked at with one order
    of suppression, and that another might do better: then ``bound`` is that of any order.
    """

    levels: Ints | None
    key: Floats | None
    bound: Floats | None
    checked: int
    seconds: float
    stopped_by: str | None
    closest: Ints
    order_matters: bool = False


class _Stopped(Exception):  # noqa: N818, never leaves this module
    pass


class OptimalSearch:
    """Bounded search over one table and one lattice.

    Bounds that were learnt under some promises hold under stricter ones: a search for k = 6 after
    one for k = 5 starts from what the first has excluded.
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
        self._levels = lattice.levels
        self._least = np.zeros(lattice.size, dtype=np.int64)
        self._inherited = np.zeros((lattice.size, objective.width))
        self._unbounded = np.zeros(lattice.size, dtype=np.int64)
        self._strata = lattice.strata(lattice.height if objective.inherits_up else -lattice.below)
        self._start: list[int] = []

    def run(
        self,
        promises: Sequence[Promise],
        allowed: int,
        limits: Limits | None = None,
        progress: Progress = silent,
        *,
        start: Sequence[Ints] = (),
    ) -> Found:
        """The best node that keeps the promises.

        A run starts from what earlier ones learnt.

        Arguments:
            promises: what has to be kept; at least as strict as in earlier runs.
            allowed: units that may be suppressed; not more than in earlier runs.
            limits: when to stop before the end.
            progress: is told the share of the search that is done.
            start: nodes worth looking at first, levels [m] each.
        """
        tell_broken_at_most(self.objective, promises, self.data.table.records)
        self._evaluator = Evaluator(
            self.data, promises, self.objective, allowed, self._grouper, self._original
        )
        self._seen: dict[int, Evaluation] = {}
        self._best: int | None = None
        self._key: Floats | None = None
        self._closest: tuple[float, int] = (np.inf, self.lattice.size - 1)
        self._limits = limits or Limits()
        self._began = time.perf_counter()
        self._stopped_by: str | None = None
        self._open: list[Floats] = []
        try:
            for node in [*self._start, *(self.lattice.node(levels) for levels in start)]:
                self._look(node)
            self._descend(self.lattice.size - 1 if self._best is None else self._best)
        except _Stopped:
            pass
        self._sweep(progress)
        if self._best is not None:
            self._start = [self._best]
        return Found(
            levels=None if self._best is None else self._at(self._best),
            key=self._key,
            bound=self._bound(),
            checked=len(self._seen),
            seconds=time.perf_counter() - self._began,
            stopped_by=self._stopped_by,
            closest=self._at(self._closest[1]),
            order_matters=self._evaluator.order_matters,
        )

    def key_at(self, levels: Ints) -> Floats | None:
        """The key of one node under the last run's promises, None for one that is not allowed."""
        return self._evaluator.evaluate(levels).key

    def suppressed(self, levels: Ints) -> Bools:
        """Which combinations the last run's promises suppress at a node, [C]."""
        return self._evaluator.suppressed(levels)

    def _at(self, node: int) -> Ints:
        levels: Ints = self._levels[node].astype(np.int64)
        return levels

    def _look(self, node: int) -> Evaluation:
        known = self._seen.get(node)
        if known is not None:
            return known
        if self._limits.nodes is not None and len(self._seen) >= self._limits.nodes:
            self._stopped_by = "node_limit"
            raise _Stopped
        if (
            self._limits.seconds is not None
            and time.perf_counter() - self._began > self._limits.seconds
        ):
            self._stopped_by = "time_limit"
            raise _Stopped
        looked = self._seen[node] = self._evaluator.evaluate(self._at(node))
        self._least[node] = max(self._least[node], looked.least)
        if looked.inherited is not None:
            np.maximum(self._inherited[node], looked.inherited, out=self._inherited[node])
        units = looked.least if looked.suppressed is None else looked.suppressed
        self._closest = min(self._closest, (units, node))
        if looked.key is not None and better(looked.key[None, :], self._key).all():
            self._best, self._key = node, looked.key
        return looked

    def _descend(self, node: int) -> None:
        """Go down from a node to the best allowed neighbour, as long as that is an improvement."""
        here = self._look(node).key
        while here is not None:
            below = [(self._look(at).key, at) for at in self.lattice.finer(node)]
            allowed = [(tuple(key), at) for key, at in below if key is not None]
            best, node = min(allowed, default=(tuple(here), node))
            if best >= tuple(here):
                return
            here = self._seen[node].key

    def _sweep(self, progress: Progress) -> None:
        if not self.objective.inherits_up:
            for at, nodes in enumerate(self._strata):
                self._inherit(nodes, downward=True)
                self._decide(nodes)
                progress((at + 1) / len(self._strata))
            return
        start = self.lattice.size - 1 if self._best is None else self._best
        middle = int(self.lattice.height[start] - self.lattice.first.sum())
        order = [*range(middle, -1, -1), *range(middle + 1, len(self._strata))]
        for at, height in enumerate(order):
            nodes = self._strata[height]
            self._inherit(nodes, downward=height <= middle)
            self._decide(nodes)
            progress((at + 1) / len(order))

    def _inherit(self, nodes: Ints, *, downward: bool) -> None:
        if downward:
            carried = self._inherited[:, :0] if self.objective.inherits_up else self._inherited
            least = self._least
        else:
            carried, least = self._inherited, self._unbounded
        inherit(
            nodes,
            self._levels,
            self.lattice.first,
            self.lattice.last,
            self.lattice.stride,
            downward,
            least,
            carried,
        )

    def _decide(self, nodes: Ints) -> None:
        """Look at those nodes of a stratum whose bound beats the best found so far."""
        nodes = nodes[self._least[nodes] <= self._evaluator.allowed]
        if not len(nodes):
            return
        keys = self.objective.lower(self._levels[nodes], self._least[nodes], self._inherited[nodes])
        promising = better(keys, self._key)
        nodes, keys = nodes[promising], keys[promising]
        for at in ascending(keys):
            node = int(nodes[at])
            if not better(keys[at : at + 1], self._key).all():
                return
            if node in self._seen:
                continue
            if self._stopped_by is None:
                try:
                    self._look(node)
                except _Stopped:
                    pass
                else:
                    continue
            # The others of this stratum come later in order, so this bound speaks for them.
            self._open.append(keys[at])
            return

    def _bound(self) -> Floats | None:
        """The best key, or what an unseen node could still reach.

        Where the order of suppression matters, what any node could reach by lasting promises alone.
        """
        candidates = [tuple(key) for key in self._open]
        if self._evaluator.order_matters:
            nodes = np.flatnonzero(self._least <= self._evaluator.allowed)
            keys = self.objective.lower(
                self._levels[nodes], self._least[nodes], self._inherited[nodes]
            )
            if len(keys):
                candidates.append(tuple(keys[ascending(keys)[0]]))
        if self._key is not None:
            candidates.append(tuple(self._key))
        return np.array(min(candidates)) if candidates else None


def tell_broken_at_most(
    objective: BoundObjective, promises: Sequence[Promise], records: int
) -> None:
    """Tell an objective over class sizes how large a class these promises can break.

    Arguments:
        objective: is told it, where it asks.
        promises: what is promised.
        records: those of the table.
    """
    if isinstance(objective, BoundDiscernibility):
        sizes = [promise.largest_violating_size for promise in promises]
        objective.broken_at_most = max(
            (records if size is None else size for size in sizes), default=records
        )
