"""Which attributes give people away, alone and together: average information loss.

Method: the entropy measure of Longpre, Kreinovich and Dumrongpokaphan (2017) as Arca and Hewett
(2021, section 3.1) use it on the columns of a table. The values of some attributes
of a person tell that the person is in one class E_j of the table; the loss is how many bits that
is worth: S0 - S_j, where S0 is the entropy over all records and S_j over those of the class. The
average over people, Delta S, equals the entropy of the partition.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from indistinct.document import PlainData
from indistinct.errors import DataError, did_you_mean
from indistinct.kernels.partitions import MASS, SELF, UNITS, add_up, pass_over, tails, take
from indistinct.microdata.encoding import numbers_of_combinations, order_of
from indistinct.microdata.frequencies import FrequencyTable
from indistinct.types import Array, Floats, Ints, Ints32

Progress = Callable[[float], None]

TINY = 1e-9
"""Losses that differ by less, in bits, count as equal."""


@dataclass(frozen=True)
class Leakage(PlainData):
    """What a person's values of some attributes tell about who the person is.

    ``loss`` is Delta S in bits, ``normalized`` its share of S0; ``maximum`` and ``deviation`` are
    those of the loss over people, weighted by their probabilities. ``alone`` is the share of
    unique records, ``distinction`` the number of distinct combinations per record,
    ``separation`` the share of pairs of records that differ.
    """

    attributes: tuple[str, ...]
    partitions: int
    loss: float
    normalized: float
    maximum: float = field(metadata={"as": "max"})
    deviation: float = field(metadata={"as": "sd"})
    alone: float
    distinction: float
    separation: float


class LeakageAnalysis:
    """The leakage of any combination of the attributes of one table.

    Everything is computed from the distinct combinations of the table. ``probabilities`` [C, 2]
    gives for each combination the sum of the re-identification probabilities p of its records and
    the sum of p log2 p; without it all records are equally likely.
    """

    def __init__(self, table: FrequencyTable, probabilities: Floats | None = None) -> None:
        self._table = table
        self._probabilities = probabilities
        self._width = 1 if probabilities is None else 3
        self._counted = probabilities is None and bool((table.weight == 1).all())
        mass, information = _parts(self._all_weights())
        self._total = float(mass.sum())
        self.records = table.records
        self.entropy = (
            max(math.log2(self._total) - float(information.sum()) / self._total, 0.0)
            if self._total > 0
            else 0.0
        )
        """S0, the entropy over all records in bits."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that can be combined."""
        return self._table.attributes

    @property
    def mass(self) -> Floats:
        """What every distinct combination weighs, [C]."""
        return _parts(self._all_weights())[0]

    @property
    def table(self) -> FrequencyTable:
        """The distinct combinations that the leakage is computed from."""
        return self._table

    def among(self, attributes: Sequence[str]) -> LeakageAnalysis:
        """The same records, with some of the attributes only."""
        if tuple(dict.fromkeys(attributes)) == self.attributes:
            return self
        places = [self._position(name) for name in dict.fromkeys(attributes)]
        part = FrequencyTable(
            attributes=tuple(self.attributes[place] for place in places),
            codes=tuple(self._table.codes[place] for place in places),
            weight=self._table.weight,
        )
        return LeakageAnalysis(part, self._probabilities)

    def of(self, attributes: Sequence[str]) -> Leakage:
        """The leakage of one combination of attributes.

        Raises :class:`DataError` for an attribute that is not there.
        """
        return self._of_classes(attributes, self.classes(attributes))

    def with_one_more(self, attributes: Sequence[str]) -> Iterator[Leakage]:
        """The leakage of these attributes with each of the others."""
        known = self.classes(attributes)
        domain = int(known.max(initial=0)) + 1
        for name in self.attributes:
            if name in attributes:
                continue
            codes = self._table.codes[self._position(name)].astype(np.int32)
            domains = [domain, int(codes.max(initial=0)) + 1]
            classes = numbers_of_combinations([known, codes], domains, self._table.weight)
            yield self._of_classes((*attributes, name), classes)

    def _of_classes(self, attributes: Sequence[str], classes: Ints32) -> Leakage:
        total = np.zeros(6)
        add_up(self._class_weights(classes), self.entropy, total)
        return self._leakage([self._position(name) for name in dict.fromkeys(attributes)], total)

    def singles(self) -> list[Leakage]:
        """The leakage of every attribute alone, in the order of the table."""
        return list(self._singles)

    def combinations(
        self, most: int, *, least: int = 1, progress: Progress | None = None
    ) -> Iterator[Leakage]:
        """The leakage of every combination of so many attributes, in no given order.

        What leaks most is taken first: where an attribute has told most records apart, the
        combinations it is in cost little (see :mod:`indistinct.kernels.partitions`).

        Arguments:
            most: attributes of a combination, at most.
            least: and at least.
            progress: gets what is done, and the share that is.
        """
        for leakage in self._walk(most, progress=progress):
            if len(leakage.attributes) >= least:
                yield leakage

    def top(
        self,
        most: int,
        number: int,
        *,
        below: float = math.inf,
        progress: Progress | None = None,
    ) -> list[Leakage]:
        """The combinations that leak most, worst first.

        Together attributes leak no more than the sum of what each leaks, so combinations that
        cannot reach the worst ones found so far are not looked at.

        Arguments:
            most: attributes of a combination, at most.
            number: how many combinations are wanted.
            below: the normalized leakage from which on an attribute is left out, 0 to 1.
            progress: gets what is done, and the share that is.
        """
        if number < 1:
            return []
        worst: list[float] = []
        found: list[Leakage] = []

        def floor() -> float:
            return worst[0] if len(worst) == number else -math.inf

        skipped = sum(item.normalized >= below for item in self._singles)
        for leakage in self._walk(most, skipped=skipped, floor=floor, progress=progress):
            if leakage.loss < floor() - TINY:
                continue
            found.append(leakage)
            if len(worst) < number:
                heapq.heappush(worst, leakage.loss)
            else:
                heapq.heappushpop(worst, leakage.loss)
        return sorted(found, key=worst_first)[:number]

    def minimal_above(
        self, threshold: float, most: int, *, progress: Progress | None = None
    ) -> list[Leakage]:
        """The smallest combinations whose normalized leakage reaches a threshold, worst first.

        A combination is minimal if no part of it reaches the threshold. Leakage never falls when an
        attribute is added, so nothing above a combination that was found is looked at.

        Arguments:
            threshold: the normalized leakage, 0 to 1.
            most: attributes of a combination, at most.
            progress: gets what is done, and the share that is.
        """
        bar = threshold * self.entropy - TINY
        reached = [
            leakage
            for leakage in self._walk(most, floor=lambda: bar, ceiling=bar, progress=progress)
            if leakage.loss >= bar
        ]
        minimal: dict[frozenset[str], Leakage] = {}
        for leakage in sorted(reached, key=lambda item: len(item.attributes)):
            together = frozenset(leakage.attributes)
            parts = (
                frozenset(part)
                for size in range(1, len(together))
                for part in itertools.combinations(leakage.attributes, size)
            )
            if not any(part in minimal for part in parts):
                minimal[together] = leakage
        return sorted(minimal.values(), key=worst_first)

    def classes(self, attributes: Sequence[str]) -> Ints32:
        """The class of every distinct combination, [C], where these attributes are known."""
        columns = [self._table.codes[self._position(name)] for name in dict.fromkeys(attributes)]
        domains = [int(column.max(initial=0)) + 1 for column in columns]
        return numbers_of_combinations(columns, domains, self._table.weight)

    def loss_of_combinations(self, attributes: Sequence[str]) -> Floats:
        """The loss in bits of the people of every distinct combination, [C]: private."""
        class_of = self.classes(attributes)
        mass, information = _parts(self._class_weights(class_of))
        safe = np.where(mass > 0, mass, 1.0)
        inside = np.where(mass > 0, np.log2(safe) - information / safe, 0.0)
        return self.entropy - inside[class_of]

    @functools.cached_property
    def _singles(self) -> tuple[Leakage, ...]:
        found = []
        for position, codes in enumerate(self._table.codes):
            total = np.zeros(6)
            add_up(self._class_weights(codes), self.entropy, total)
            found.append(self._leakage([position], total))
        return tuple(found)

    @functools.cached_property
    def _tree(self) -> _Tree:
        return _tree(self._table, self._singles)

    def _class_weights(self, class_of: Array) -> Floats:
        """What every class weighs, [classes, 3], or [classes, 1] where all records are alike."""
        if self._counted:
            return np.bincount(class_of).astype(np.float64)[:, np.newaxis]
        if not len(class_of):
            return np.zeros((0, self._width))
        known = () if self._probabilities is None else self._probabilities.T
        parts = [np.bincount(class_of, one) for one in (self._table.weight, *known)]
        summed = [np.asarray(part, np.float64) for part in parts]
        return np.stack(summed, axis=1) if len(summed) > 1 else summed[0][:, np.newaxis]

    def _all_weights(self) -> Floats:
        """What every combination weighs, [C, 3] or [C, 1]; not kept, as it takes 8 bytes each."""
        units = self._table.weight.astype(np.float64)[:, np.newaxis]
        return units if self._probabilities is None else np.hstack([units, self._probabilities])

    def _position(self, name: str) -> int:
        if name not in self._places:
            raise DataError(
                "missing-column", f"no column '{name}': {did_you_mean(name, self.attributes)}"
            )
        return self._places[name]

    @functools.cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.attributes)}

    def _walk(
        self,
        most: int,
        *,
        skipped: int = 0,
        floor: Callable[[], float] = lambda: -math.inf,
        ceiling: float = math.inf,
        progress: Progress | None = None,
    ) -> Iterator[Leakage]:
        """Every combination of at most ``most`` attributes, what leaks most alone first.

        Combinations that cannot leak ``floor()`` bits are left out, and nothing is added to one
        that leaks ``ceiling``. The first ``skipped`` attributes are in none.
        """
        count = len(self.attributes)
        most = min(most, count - skipped)
        if most < 1:
            return
        tree = self._tree
        alone = [self._singles[position].loss for position in tree.order]
        below = [[_subsets(rest, room) for room in range(most + 1)] for rest in range(count + 1)]
        wanted, done, told = below[count - skipped][most] - 1, 0, 0
        scratch = _Scratch(tree.codes, self._width)
        stack = [_Open([], 0.0, 0, *self._root(tree))]
        for _ in range(skipped):
            self._pass_over(tree, stack[0])
        while stack:
            state = stack[-1]
            at, chosen = state.at, state.chosen
            room = most - len(chosen)
            left = count - at
            possible = min(state.loss + sum(alone[at : at + room]), self.entropy)
            least = floor() - TINY
            if 0 < left <= room and math.isfinite(least) and possible >= least:
                possible = self._with_all_that_is_left(state)
            if left == 0 or possible < least:
                done += below[left][room] - 1
                stack.pop()
                continue
            child, total = self._take(tree, state, scratch, keep=room > 1 and left > 1)
            self._pass_over(tree, state)
            done += 1
            leakage = self._leakage([tree.order[place] for place in (*chosen, at)], total)
            if child is not None and leakage.loss < ceiling:
                child.loss = leakage.loss
                stack.append(child)
            else:
                done += below[left - 1][room - 1] - 1
            if progress is not None and done - told >= 64:
                progress(done / wanted)
                told = done
            yield leakage

    def _with_all_that_is_left(self, state: _Open) -> float:
        """What a combination leaks together with all attributes that are not decided yet."""
        total = np.zeros(6)
        add_up(state.weights, self.entropy, total)
        return float(total[1] + state.closed[1]) / self._total if self._total > 0 else 0.0

    def _root(self, tree: _Tree) -> tuple[Ints32, Ints, Any, Any]:
        weights = self._all_weights()
        weights = weights if self._counted else weights[tree.rows]
        entries = tree.first.copy()
        return entries, np.array([0, len(entries)], dtype=np.int64), weights, np.zeros(6)

    def _take(
        self, tree: _Tree, state: _Open, scratch: _Scratch, *, keep: bool
    ) -> tuple[_Open | None, Floats]:
        size = len(state.entries) if keep else 0
        entries = np.empty(size, dtype=np.int32)
        start = np.empty(size // 2 + 2, dtype=np.int64)
        weights = np.empty((size, self._width))
        closed, total = state.closed.copy(), np.zeros(6)
        kept, classes = take(
            state.entries,
            state.start,
            state.weights,
            tree.code[state.at],
            tree.up[state.at],
            self.entropy,
            scratch.tally,
            scratch.last,
            scratch.sums,
            closed,
            keep,
            entries,
            start,
            weights,
            total,
        )
        if not keep:
            return None, total
        entries, start, weights = entries[:kept], start[: classes + 1], weights[:kept]
        if kept < size // 2:
            entries, weights = entries.copy(), weights.copy()
        chosen = [*state.chosen, state.at]
        return _Open(chosen, 0.0, state.at + 1, entries, start, weights, closed), total

    def _pass_over(self, tree: _Tree, state: _Open) -> None:
        kept, classes = pass_over(
            state.entries,
            state.start,
            state.weights,
            tree.up[state.at],
            self.entropy,
            state.closed,
        )
        state.entries = state.entries[:kept]
        state.weights = state.weights[:kept]
        state.start = state.start[: classes + 1]
        state.at += 1

    def _leakage(self, positions: Sequence[int], total: Floats) -> Leakage:
        parts, loss, squares, pairs, alone, most = (float(entry) for entry in total)
        n = self.records
        mean = loss / self._total if self._total > 0 else 0.0
        variance = squares / self._total - mean * mean if self._total > 0 else 0.0
        mean = min(max(mean, 0.0), self.entropy)
        return Leakage(
            attributes=tuple(self.attributes[position] for position in sorted(positions)),
            partitions=int(parts),
            loss=mean,
            normalized=mean / self.entropy if self.entropy > 0 else 0.0,
            maximum=max(most, 0.0),
            deviation=math.sqrt(max(variance, 0.0)),
            alone=alone / n if n else 0.0,
            distinction=parts / n if n else 0.0,
            separation=1.0 - pairs / (n * (n - 1.0)) if n > 1 else 0.0,
        )


def _parts(weights: Floats) -> tuple[Floats, Floats]:
    """The sums of p and of p log2 p of what weighs so much, as the kernels read it."""
    if weights.shape[1] == 1:
        return weights[:, UNITS], np.zeros(len(weights))
    return weights[:, MASS], weights[:, SELF]


def worst_first(leakage: Leakage) -> tuple[float, int, tuple[str, ...]]:
    """A key to sort by: what leaks most first, of those that leak as much the smaller first."""
    return -round(leakage.loss, 9), len(leakage.attributes), leakage.attributes


@dataclass(frozen=True)
class _Tree:
    """The attributes, what leaks most first, and the tails from each of them on."""

    order: tuple[int, ...]
    rows: Ints32
    first: Ints32
    code: tuple[Ints32, ...]
    up: tuple[Ints32, ...]
    codes: int


def _tree(table: FrequencyTable, singles: Sequence[Leakage]) -> _Tree:
    order = sorted(range(len(singles)), key=lambda position: -singles[position].loss)
    columns = [table.codes[position] for position in order]
    domains = [int(column.max(initial=0)) + 1 for column in columns]
    rows = order_of(columns[::-1], domains[::-1]) if columns else np.arange(table.combinations)
    later = np.zeros(len(rows), dtype=np.int32)
    code: list[Ints32] = []
    up: list[Ints32] = []
    for column in reversed(columns):
        own = np.empty(len(rows), dtype=np.int32)
        _, codes, next_tails = tails(column[rows].astype(np.int32), later, own)
        code.insert(0, codes)
        up.insert(0, next_tails)
        later = own
    few = rows.astype(np.int32)  # kept for as long as combinations are compared
    return _Tree(tuple(order), few, later, tuple(code), tuple(up), max(domains, default=1))


class _Scratch:
    def __init__(self, codes: int, width: int) -> None:
        self.tally = np.zeros(codes, dtype=np.int32)
        self.last = np.zeros(codes, dtype=np.int32)
        self.sums = np.zeros((codes, width))


@dataclass
class _Open:
    """A combination of attributes, its open classes, and the position that is decided next."""

    chosen: list[int]
    loss: float
    at: int
    entries: Ints32
    start: Ints
    weights: Floats
    closed: Floats


def _subsets(count: int, most: int) -> int:
    """Number of subsets of at most ``most`` of ``count`` things, the empty one among them."""
    return sum(math.comb(count, size) for size in range(min(most, count) + 1))
