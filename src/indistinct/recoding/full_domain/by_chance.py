"""Full-domain generalization under differential privacy: levels and records are drawn by chance.

    R. Bild, K. A. Kuhn, F. Prasser: "SafePub: A Truthful Data Anonymization Algorithm With Strong
    Privacy Guarantees". PoPETs 2018(1).

The walk begins at the top of the lattice. Every step goes to one of the nodes right below, and at
the end one of the nodes on the way is taken; each choice is by the exponential mechanism (McSherry
and Talwar 2007) with the same part of what the search may spend. A node is as good as the records
of its classes, times the share of precision that its levels keep. A class counts from the records
on that it needs to be published, and wholly from twice as many: so one record more adds at most 2.
The paper scores by the loss of all records of a class, which one record more changes by k.

Levels are chosen with a look at all records, and only then are records drawn for them; so what both
spend adds up.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from indistinct.errors import Problem, Unsatisfiable
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.differential_privacy import DifferentialPrivacy
from indistinct.randomness import Random, stream
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.method import Asked
from indistinct.recoding.plan import LevelPlan, SearchReport
from indistinct.types import Bools, Ints

NAME = "safepub"

STEEP = 2.0
"""How much one record adds to a score, at most: a class counts wholly from twice its need on."""


def by_chance(
    data: LeveledTable, promise: DifferentialPrivacy, size: int, asked: Asked
) -> LevelPlan:
    """Records and levels drawn so that none of them depends much on any record.

    Arguments:
        data: the records, each a combination of its own, [C].
        promise: what is spent.
        size: records that every class needs: those that the promise asks for, or more.
        asked: what the policy says: bounds of levels, weights, the seed.

    Raises:
        Unsatisfiable: no class of the levels that were drawn has so many records.
    """
    began = time.perf_counter()
    lattice, grouper = asked.lattice(data), Grouper(data)
    weights = np.array([asked.weights.get(name, 1.0) for name in data.attributes])
    walk = Walk(data, lattice, weights, size / promise.chance, grouper)
    levels = walk.drawn(promise.on_levels, stream(asked.seed, "safepub.levels"))
    drawn = stream(asked.seed, "safepub.records").random(len(data.weight))
    stays = drawn < np.nextafter(promise.chance, 0.0)
    class_of, _ = grouper.classes(levels)
    counts = np.bincount(class_of[stays], minlength=int(class_of.max(initial=-1)) + 1)
    kept: Bools = stays & (counts[class_of] >= size)
    if not kept.any():
        raise Unsatisfiable(
            Problem(
                "unsatisfiable",
                f"no class has the {size} records that {promise} asks for at the levels that were "
                "drawn",
                remedy="choose higher levels (min_level), a larger epsilon or delta, or fewer "
                "quasi-identifiers",
            )
        )
    report = SearchReport(
        algorithm=NAME,
        measure="precision",
        value=1 - walk.precision(levels) * float(kept.mean()),
        nodes=lattice.size,
        checked=walk.looked_at,
        seconds=time.perf_counter() - began,
        counters={"drawn": int(stays.sum())},
    )
    node_of = np.where(kept, 0, -1).astype(np.int32)
    return LevelPlan(data.attributes, (tuple(levels.tolist()),), node_of, report)


class Walk:
    """A way down the lattice by chance.

    Arguments:
        data: the records, [C].
        lattice: between which levels.
        weights: what each attribute counts, [m].
        needed: records that a class needs before any of them is drawn, so that enough stay.
        grouper: makes the classes of a node.
    """

    def __init__(
        self,
        data: LeveledTable,
        lattice: Lattice,
        weights: NDArray[np.float64],
        needed: float,
        grouper: Grouper,
    ) -> None:
        self._heights = np.maximum(data.heights, 1)
        self._lattice = lattice
        self._shares = weights / weights.sum()
        self._needed = needed
        self._grouper = grouper
        self.looked_at = 0

    def precision(self, levels: Ints) -> float:
        """The weighted share of levels that values stay below, from 0 to 1."""
        return float((self._shares * (1 - levels / self._heights)).sum())

    def score(self, levels: Ints) -> float:
        """Records of classes that are likely to be published, times precision, from 0 to 1."""
        self.looked_at += 1
        _, size = self._grouper.classes(levels)
        counted = np.minimum(size, STEEP * np.maximum(size - self._needed, 0.0))
        return self.precision(levels) * float(counted.sum())

    def drawn(self, epsilon: float, random: Random) -> Ints:
        """The levels of a node, chosen with epsilon; the only one if there is one."""
        at = self._lattice.last.copy()
        steps = int((self._lattice.last - self._lattice.first).sum())
        if not steps:
            return at
        each = epsilon / (steps + 1)
        way, scores = [at], [self.score(at)]
        for _ in range(steps):
            below = [at - one for one in np.eye(len(at), dtype=at.dtype)]
            below = [node for node in below if (node >= self._lattice.first).all()]
            found = [self.score(node) for node in below]
            chosen = _drawn(found, each, random)
            at = below[chosen]
            way.append(at)
            scores.append(found[chosen])
        return way[_drawn(scores, each, random)]


def _drawn(scores: list[float], epsilon: float, random: Random) -> int:
    """One of several by the exponential mechanism, where one record adds 2 at most to a score.

    >>> _drawn([0.0, 1000.0], 1.0, stream(1, "example"))
    1
    """
    gains = np.array(scores) * (epsilon / (2 * STEEP))
    parts = np.exp(gains - gains.max()).cumsum()
    return int(
        np.searchsorted(parts, random.random() * parts[-1], side="right").clip(0, len(parts) - 1)
    )
