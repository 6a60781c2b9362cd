"""Full-domain generalization under differential privacy: levels and records are drawn by chance.

    R. Bild, K. A. Kuhn, F. Prasser: "SafePub: A Truthful Data Anonymization Algorithm With Strong
    Privacy Guarantees". PoPETs 2018(1).

One of all nodes of the lattice is taken by the exponential mechanism (McSherry and Talwar 2007). A
node is as good as the records of its classes, times the share of precision that its levels keep. A
class counts from the records on that it needs to be published, and wholly from twice as many: so
one record more adds at most 2, and takes nothing from any node. What only grows needs half of the
noise. The paper scores by the loss of all records of a class, which one record more changes by k.

To choose with such probabilities is to take the best of all scores after adding Gumbel noise to
each. So nodes that cannot be best need no look: a node keeps no more records than one above it.
In lattices too large to list, a walk goes down from the top, as in the paper: every step is a
choice among the nodes right below, the last one among those on the way, and all of them share what
the search may spend.

Levels are chosen with a look at all records, and only then are records drawn for them; so what both
spend adds up.
"""

from __future__ import annotations

import time

import numpy as np

from indistinct.errors import Problem, Unsatisfiable
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.differential_privacy import DifferentialPrivacy
from indistinct.randomness import Random, stream
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.method import Asked
from indistinct.recoding.plan import LevelPlan, SearchReport
from indistinct.types import Bools, Floats, Ints

NAME = "safepub"

LISTED = 200_000
"""Nodes of a lattice, at most, one of which is chosen at once."""

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
    choice = Choice(data, lattice, weights, size / promise.chance, grouper)
    levels = choice.drawn(promise.on_levels, stream(asked.seed, "safepub.levels"))
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
        value=1 - choice.precision(levels) * float(kept.mean()),
        nodes=lattice.size,
        checked=choice.looked_at,
        seconds=time.perf_counter() - began,
        counters={"drawn": int(stays.sum())},
    )
    node_of = np.where(kept, 0, -1).astype(np.int32)
    return LevelPlan(data.attributes, (tuple(levels.tolist()),), node_of, report)


class Choice:
    """A node of the lattice, by chance.

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
        weights: Floats,
        needed: float,
        grouper: Grouper,
    ) -> None:
        self._heights = np.maximum(data.heights, 1)
        self._lattice = lattice
        self._shares = weights / weights.sum()
        self._needed = needed
        self._grouper = grouper
        self._records = data.weight.sum()
        self.looked_at = 0

    def precision(self, levels: Ints) -> float:
        """The weighted share of levels that values stay below, from 0 to 1."""
        return float((self._shares * (1 - levels / self._heights)).sum())

    def counted(self, levels: Ints) -> float:
        """Records of classes that are likely to be published, less the nearer they are to not."""
        self.looked_at += 1
        _, size = self._grouper.classes(levels)
        return float(np.minimum(size, STEEP * np.maximum(size - self._needed, 0.0)).sum())

    def score(self, levels: Ints) -> float:
        """Records that count, times precision."""
        return self.precision(levels) * self.counted(levels)

    def drawn(self, epsilon: float, random: Random) -> Ints:
        """The levels of a node, chosen with epsilon; the only one if there is one."""
        if self._lattice.size == 1:
            return self._lattice.last.copy()
        if self._lattice.size > LISTED:
            return self._on_a_way(epsilon, random)
        uniform = random.random(self._lattice.size) + 2.0**-54  # never 0, and below 1
        return self.best(-np.log(-np.log(uniform)) * (STEEP / epsilon))

    def best(self, noise: Floats) -> Ints:
        """The levels of the node whose score and noise [N] add up to most."""
        lattice = self._lattice
        levels = lattice.levels
        precision = 1 - (levels / self._heights) @ self._shares
        most = np.full(lattice.size, float(self._records))  # counted, or no less than that
        at = last = lattice.size - 1

        def total(node: int) -> float:
            most[node] = self.counted(levels[node].astype(np.int64))
            return float(precision[node] * most[node] + noise[node])

        found = total(last)
        while below := lattice.finer(last):
            totals = [total(node) for node in below]
            last = below[int(np.argmax(totals))]
            if max(totals) > found:
                at, found = last, max(totals)
        for nodes in reversed(lattice.strata(lattice.height)):
            for j, one in enumerate(lattice.stride):
                inner = nodes[levels[nodes, j] < lattice.last[j]]
                most[inner] = np.minimum(most[inner], most[inner + one])
            for node in nodes[precision[nodes] * most[nodes] + noise[nodes] > found]:
                if (reached := total(node)) > found:
                    at, found = int(node), reached
        return np.asarray(levels[at], dtype=np.int64)

    def _on_a_way(self, epsilon: float, random: Random) -> Ints:
        at = self._lattice.last.copy()
        steps = int((self._lattice.last - self._lattice.first).sum())
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
    """One of several by the exponential mechanism, where one record adds 0 to 2 to every score.

    >>> _drawn([0.0, 1000.0], 1.0, stream(1, "example"))
    1
    """
    gains = np.array(scores) * (epsilon / STEEP)
    parts = np.exp(gains - gains.max()).cumsum()
    return int(
        np.searchsorted(parts, random.random() * parts[-1], side="right").clip(0, len(parts) - 1)
    )
