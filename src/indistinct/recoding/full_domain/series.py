"""The best node for each of many k, in one search.

A node's classes are the same for every k: one grouping tells for every k how much is
suppressed there and what it costs. So each node is looked at once, for all k together, and what is
learnt of it bounds the nodes below it for every k. Beyond that it is the search of
:mod:`~indistinct.recoding.full_domain.optimal`: a greedy descent for every k, then all nodes in
strata that do not bound each other, each looked at where its bound beats the best found for some k.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from indistinct.kernels.grouping import smallest_first
from indistinct.kernels.lattice import inherit
from indistinct.measures.aggregate import better
from indistinct.measures.objective import CellObjective
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.promise import Promise
from indistinct.recoding.full_domain.evaluation import Evaluator
from indistinct.recoding.full_domain.optimal import Found
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.lattice import Lattice
from indistinct.types import Bools, Floats, Ints

MEMORY = 256 << 20
"""Bytes of bounds; more k than have room are searched in several goes."""


def ks_of(series: Sequence[Sequence[Promise]], attributes: Sequence[str]) -> list[int] | None:
    """The k of each member of a series, none below the one before; None for any other series.

    A member is k-anonymity over all attributes, and nothing else.
    """
    ks: list[int] = []
    for promises in series:
        match promises:
            case [KAnonymity(k=k, on=on)] if on is None or not {*attributes} - {*on}:
                ks.append(k)
            case _:
                return None
    return ks if all(one <= other for one, other in pairwise(ks)) else None


class SeriesSearch:
    """Searches for k-anonymity over all attributes, one table and one lattice, many k."""

    def __init__(self, data: LeveledTable, lattice: Lattice, objective: CellObjective) -> None:
        self.data = data
        self.lattice = lattice
        self.objective = objective
        self._grouper = Grouper(data, lattice)
        self._levels = lattice.levels
        self._strata = lattice.strata(-lattice.below)
        self._unbounded = np.zeros(lattice.size, dtype=np.int64)
        self._rows = np.empty(data.table.combinations, dtype=np.int32)
        self._units = np.empty(data.table.combinations, dtype=np.int64)

    @property
    def at_once(self) -> int:
        """How many k there is room for."""
        return max(MEMORY // (8 * self.lattice.size * (self.objective.width + 1)), 1)

    def run(self, ks: Sequence[int], allowed: int) -> list[Found]:
        """The best node for every k with at most ``allowed`` units suppressed.

        ``ks`` rise, at most :attr:`at_once` of them. ``checked`` and ``seconds`` of what is found
        are those of the whole series.
        """
        began = time.perf_counter()
        self._ks = list(ks)
        self._allowed = allowed
        number, width = len(self._ks), self.objective.width
        # For every size up to the largest k, the first k that breaks a class of it.
        sizes = np.arange(max(self._ks, default=0) + 1)
        self._first_broken = np.searchsorted(np.array(self._ks), sizes, side="right")
        self._first_broken[0] = number
        self._lost = np.empty(number, dtype=np.int64)
        self._ends = np.empty(number, dtype=np.int64)
        # What suppression costs at least, of every k one after the other, and how much it is.
        self._bounds = np.zeros((self.lattice.size, number * (width + 1)))
        self._keys: dict[int, Floats] = {}
        self._best = np.full(number, -1, dtype=np.int64)
        top = self.lattice.size - 1
        self._key = np.full_like(self._look(top), np.inf)
        self._keep(top)
        for at in reversed(range(number)):
            self._descend(at, top if self._best[at] < 0 else int(self._best[at]))
        for nodes in self._strata:
            self._decide(nodes)
        seconds = time.perf_counter() - began
        return [self._found(at, seconds) for at in range(number)]

    def alone(self, k: int, levels: Ints | None) -> Alone:
        """The search as it is for one of the k, near the node that was best for it, if any."""
        return Alone(self, k, levels)

    def _found(self, at: int, seconds: float) -> Found:
        best = int(self._best[at])
        levels = self._at(best) if best >= 0 else None
        key = None
        if levels is not None:
            # As a search for this k alone computes it, to the last digit.
            key = self.evaluator(self._ks[at]).evaluate(levels).key
        return Found(
            levels=levels,
            key=key,
            bound=key,
            checked=len(self._keys),
            seconds=seconds,
            stopped_by=None,
            closest=self.lattice.last,
        )

    def evaluator(self, k: int) -> Evaluator:
        """What looks at nodes for one k."""
        return Evaluator(self.data, [KAnonymity(k=k)], self.objective, self._allowed, self._grouper)

    def known(self, k: int, levels: Ints) -> Floats | None:
        """The key of a node for one k, where it was looked at; infinite where it is not allowed."""
        keys = self._keys.get(self.lattice.node(levels))
        return None if keys is None else keys[self._ks.index(k)]

    def _at(self, node: int) -> Ints:
        levels: Ints = self._levels[node].astype(np.int64)
        return levels

    def _look(self, node: int) -> Floats:
        """The keys [K, q] of a node, infinite for those k for which it is not allowed."""
        known = self._keys.get(node)
        if known is not None:
            return known
        levels = self._at(node)
        classes = self._grouper.condensed(levels)
        smallest_first(
            classes.size,
            classes.first,
            self._first_broken,
            self._rows,
            self._units,
            self._ends,
            self._lost,
        )
        extra = self.objective.extras(levels, self._rows, self._units, self._ends, self._lost)
        keys = self.objective.keys(levels, extra)
        keys[self._lost > self._allowed] = np.inf
        self._keys[node] = keys
        known = self._bounds[node]
        number, width = len(self._ks), self.objective.width
        known[: number * width] = extra[:, :width].ravel()
        known[number * width :] = self._lost
        return keys

    def _keep(self, node: int) -> None:
        """Remember a node for those k for which it is the best that was looked at."""
        keys = self._keys[node]
        improved = better(keys, self._key)
        self._key[improved] = keys[improved]
        self._best[improved] = node

    def _descend(self, at: int, node: int) -> None:
        """Go down from a node to the cheapest allowed neighbour, while that is an improvement."""
        while True:
            here = tuple(self._look(node)[at])
            found: tuple[tuple[float, ...], int] | None = None
            for below in self.lattice.finer(node):
                key = tuple(self._look(below)[at])
                self._keep(below)
                found = (key, below) if found is None else min(found, (key, below))
            if found is None or found[0] >= here:
                return
            node = found[1]

    def _decide(self, nodes: Ints) -> None:
        """Look at those nodes of a stratum whose bound beats the best found for some k."""
        lattice, number, width = self.lattice, len(self._ks), self.objective.width
        inherit(
            nodes,
            self._levels,
            lattice.first,
            lattice.last,
            lattice.stride,
            True,
            self._unbounded,
            self._bounds,
        )
        known = self._bounds[nodes]
        least = known[:, number * width :]
        place, of = np.nonzero(least <= self._allowed)
        inherited = known[:, : number * width].reshape(len(nodes), number, width)[place, of]
        keys = self.objective.lower(
            self._levels[nodes[place]], least[place, of].astype(np.int64), inherited
        )
        promising = better(keys, self._key[of])
        place, of, keys = place[promising], of[promising], keys[promising]
        ends = np.flatnonzero(np.diff(place, append=len(nodes))) + 1
        for start, end in pairwise([0, *ends]):
            node = int(nodes[place[start]])
            if better(keys[start:end], self._key[of[start:end]]).any():
                self._look(node)
                self._keep(node)


class Alone:
    """One k of a series, as :class:`~indistinct.recoding.full_domain.optimal.OptimalSearch` is."""

    def __init__(self, series: SeriesSearch, k: int, levels: Ints | None) -> None:
        self.data, self.lattice, self.objective = series.data, series.lattice, series.objective
        self._series = series
        self._k = k
        self._evaluator = series.evaluator(k)
        self._best = None if levels is None else series.known(k, levels)

    def key_at(self, levels: Ints) -> Floats | None:
        """The key of one node, None for one that is not allowed or known to cost more."""
        known = self._series.known(self._k, levels)
        if known is not None and self._best is not None and not np.allclose(known, self._best):
            return None
        return self._evaluator.evaluate(levels).key

    def suppressed(self, levels: Ints) -> Bools:
        """Which combinations are suppressed at a node, [C]."""
        return self._evaluator.suppressed(levels)
