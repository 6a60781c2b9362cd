"""Plans that score better than a full-domain release, and what their absence tells of values.

See :mod:`~indistinct.analytics.attacks.minimality` for how beliefs follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial, prod

import numpy as np

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.lattice_node import Levels, Node
from indistinct.analytics.attacks.promised_values import (
    Asked,
    class_table,
    reference_of,
    values_of,
)
from indistinct.analytics.attacks.refusals import Tried, assignments
from indistinct.frozen import dataclass
from indistinct.kernels.ragged import Ragged
from indistinct.microdata.encoding import count_combinations
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy.promise import Promise
from indistinct.randomness import simulation
from indistinct.types import Bools, Floats, Ints

CELLS_AT_ONCE = 1 << 22

PLANS = 10
"""More specific plans that are looked at; of more, those nearest to the release."""

NODES = 4096
"""Nodes that are looked at for plans."""

DEVIATIONS = 5.0
"""Standard deviations by which a belief has to change, where assignments are drawn."""

LEAST_EXPECTED = 5.0
"""Drawn assignments that should show a value and break all plans, for a belief to be looked at."""

SURE = 1e-12
"""A chance this near to certainty changes no belief."""

NEVER = 1e-9
"""With a smaller chance that all plans are broken, the release was not made minimal."""


def better_plans(node: Node, asked: Asked) -> tuple[list[Levels], int]:
    """More specific nodes that score better and whose classes are large enough.

    Where promises are monotone, the topmost alone. Returns them from the nearest to the farthest
    and how many were left out.
    """
    losses = {
        (j, level): node.loss(j, level)
        for j, top in enumerate(node.levels)
        for level in range(top + 1)
    }

    def better(levels: Levels) -> bool:
        pairs = zip(enumerate(levels), enumerate(node.levels), strict=True)
        return any(losses[own] < losses[top] for own, top in pairs)

    found: list[Levels] = []
    layer, seen = [node.levels], {node.levels}
    cut = 0
    while layer:
        below: list[Levels] = []
        for levels in layer:
            for lower in node.below(levels):
                if lower in seen:
                    continue
                if len(seen) >= NODES:
                    cut += 1
                    continue
                seen.add(lower)
                is_better = better(lower)
                if is_better and not _large_enough(node, lower, asked):
                    continue  # Neither is any node below it.
                if is_better:
                    found.append(lower)
                if not is_better or not asked.monotone:
                    below.append(lower)
        layer = below
    if asked.monotone:
        found = [
            own for own in found if not any(_under(own, other) for other in found if other != own)
        ]
    return found[:PLANS], max(len(found) - PLANS, 0) + cut


def _under(one: Levels, other: Levels) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True))


def _large_enough(node: Node, levels: Levels, asked: Asked) -> bool:
    shown = node.class_of >= 0
    for on, k in asked.sizes:
        size = np.bincount(node.grouped(levels, on)[shown], node.places.weight[shown])
        if (size[size > 0] < k).any():
            return False
    return True


@dataclass(frozen=True)
class _Looked:
    """The assignments of one class that were looked at.

    Arguments:
        combinations: those of the people in it.
        keeps: for each assignment the plans under which it keeps the promises, as bits.
        exact: whether these are all assignments.
    """

    combinations: Ints
    keeps: Ints
    exact: bool


class Worlds:
    """The assignments of sensitive values that every better plan has to break."""

    def __init__(
        self,
        context: AttackContext,
        node: Node,
        sensitive: str,
        asked: Asked,
        plans: Sequence[Levels],
        limits: tuple[int, int],
    ) -> None:
        self.context, self.node, self.places = context, node, node.places
        self.sensitive = sensitive
        self.asked = asked
        self.most, self.drawn = limits
        self.enumerated_classes = self.drawn_classes = self.tried = 0
        self.chance = 1.0
        every = range(len(self.places.quasi))
        self.part_of = [node.grouped(levels, list(every)) for levels in plans]
        names = [str(item.sensitive) for item in asked.about]
        self.names = tuple(dict.fromkeys([sensitive, *names]))
        self.values = {name: values_of(context, name) for name in self.names}
        self.domains = {name: own.domain for name, own in self.values.items()}
        self.reference = {
            item: reference_of(context, self.values[str(item.sensitive)], item)
            for item in asked.about
        }
        kinds, _, kind_of = count_combinations(
            [self.values[name].published for name in self.names],
            [len(self.domains[name]) for name in self.names],
            np.ones(self.places.records, np.int64),
        )
        self.kinds = dict(zip(self.names, kinds, strict=True))
        order = np.argsort(self.places.class_of, kind="stable")
        starts = np.searchsorted(
            self.places.class_of[order], np.arange(len(self.places.classes) + 1)
        )
        self.kinds_in = [
            np.sort(kind_of[order[starts[g] : starts[g + 1]]])
            for g in range(len(self.places.classes))
        ]

    @property
    def exact(self) -> bool:
        """Whether all assignments of all classes were tried."""
        return self.drawn_classes == 0

    @property
    def broken(self) -> bool:
        """Whether a published class breaks a promise about values."""
        ordinary = self.places.classes.ordinary
        size = self.places.classes.size[ordinary]
        return any(
            item.breaks(self._table(item, size, self._counts(str(item.sensitive))[ordinary])).any()
            for item in self.asked.about
        )

    def beliefs(self) -> tuple[Floats, Floats]:
        """Belief in each person's value in random worlds, and in those that are left, [n]."""
        places = self.places
        base = self.context.true_belief(self.sensitive)
        of = self.node.class_of[places.combination_of]
        truth = self.values[self.sensitive].truth
        inside = np.maximum(of, 0)
        if len(places.classes):
            within = self._counts(self.sensitive)[inside, truth] / places.classes.size[inside]
            base = np.where(of >= 0, within, base)
        if not self.part_of:
            return base, base.copy()
        looked = self._look()
        if looked is None:
            return base, base.copy()
        sets = np.arange(1 << len(self.part_of))
        sign = np.array([(-1.0) ** int(s).bit_count() for s in sets])
        keeps = np.stack(
            [np.ones(len(sets)), *((_over(one, sets)).mean(axis=0) for one in looked.values())]
        )
        zeros = keeps <= 0
        logs = np.where(zeros, 0.0, np.log(np.where(zeros, 1.0, keeps)))
        no, sums = zeros.sum(axis=0), logs.sum(axis=0)
        self.chance = float(np.clip((sign * np.where(no > 0, 0.0, np.exp(sums))).sum(), 0.0, 1.0))
        if self.chance < NEVER:
            self.chance = 0.0
            return base, base.copy()
        wanted: dict[int, set[tuple[int, int]]] = {}
        pairs = list(zip(places.combination_of.tolist(), truth.tolist(), strict=True))
        for g, pair in zip(of.tolist(), pairs, strict=True):
            wanted.setdefault(g, set()).add(pair)
        factors: dict[tuple[int, int], float] = {}
        for at, (g, one) in enumerate(looked.items(), 1):
            others = np.where(no - zeros[at] > 0, 0.0, np.exp(sums - logs[at]))
            broken = _over(one, sets) @ (sign * others)
            factors |= self._factors(g, one, broken, sorted(wanted.get(g, ())))
        factor = np.array([factors.get(pair, 1.0) for pair in pairs])
        belief = np.where(of >= 0, np.minimum(base * factor, 1.0), base)
        belief[belief < NEVER] = 0.0
        return base, belief

    def tried_plans(self) -> Tried:
        """The better plans, each an attempt."""
        of = self.places.combination_of
        class_of = self.node.class_of[of]
        shown = np.flatnonzero(class_of >= 0)
        attempts, parts = [], []
        for at, part in enumerate(self.part_of):
            own = np.unique(part[of[shown]], return_inverse=True)[1]
            order = np.argsort(own, kind="stable")
            parts += np.split(shown[order], np.cumsum(np.bincount(own))[:-1])
            attempts += [at] * (int(own.max()) + 1)
        return Tried(class_of, np.array(attempts, np.int64), Ragged.of(parts))

    def _look(self) -> dict[int, _Looked] | None:
        """The assignments of every class that a plan splits; None once they cannot matter."""
        order = np.argsort(self.node.class_of, kind="stable")
        classes = np.arange(len(self.places.classes))
        starts = np.searchsorted(self.node.class_of[order], classes)
        ends = np.searchsorted(self.node.class_of[order], classes, side="right")
        found: dict[int, _Looked] = {}
        plans = len(self.part_of)
        total, least = np.zeros(plans), np.zeros(plans)
        for g in np.argsort(-self.places.classes.size, kind="stable").tolist():
            own = order[starts[g] : ends[g]]
            if all(len(np.unique(part[own])) < 2 for part in self.part_of):
                continue
            found[g] = self._look_at(g, own)
            share = [np.mean((found[g].keeps >> at) & 1) for at in range(plans)]
            logs = np.log(np.maximum(share, np.finfo(np.float64).tiny))
            total += logs
            least = np.minimum(least, logs)
            # Even without any one of the classes, all plans are as good as surely broken.
            if (total - least < np.log(SURE)).all():
                return None
        return found

    def _look_at(self, g: int, own: Ints) -> _Looked:
        worlds, exact = self._assigned(g, own)
        if exact:
            self.enumerated_classes += 1
        else:
            self.drawn_classes += 1
        self.tried += len(worlds)
        slots = np.repeat(np.arange(len(own)), self.places.weight[own])
        keeps = np.zeros(len(worlds), np.int64)
        for at, part in enumerate(self.part_of):
            numbers = np.unique(part[own], return_inverse=True)[1]
            keeps |= self._keeps(worlds, numbers[slots]).astype(np.int64) << at
        return _Looked(own, keeps, exact)

    def _assigned(self, g: int, own: Ints) -> tuple[Ints, bool]:
        """Assignments of a class's kinds of records to its people, and whether these are all."""
        kinds = self.kinds_in[g].astype(np.int64)
        values, counts = np.unique(kinds, return_counts=True)
        if factorial(len(kinds)) // prod(factorial(int(n)) for n in counts) <= self.most:
            return values[assignments(counts.tolist())], True
        width = max(len(np.unique(part[own])) for part in self.part_of)
        cells = max(width * max(map(len, self.domains.values())), len(kinds))
        times = min(self.drawn, max(CELLS_AT_ONCE // cells, 100))
        random = simulation([self.context.seed, 0x3131, g])
        return random.permuted(np.tile(kinds, (times, 1)), axis=1), False

    def _factors(
        self, g: int, one: _Looked, broken: Floats, pairs: Sequence[tuple[int, int]]
    ) -> dict[tuple[int, int], float]:
        """By how much the belief changes that people of a combination have a value.

        Of drawn assignments only where it changes by more than what drawing explains.

        Arguments:
            g: a class.
            one: its assignments.
            broken: the chance that all plans are broken under each of them.
            pairs: combinations and values.
        """
        worlds, _ = self._assigned(g, one.combinations)
        code = self.kinds[self.sensitive][worlds]
        weight = self.places.weight[one.combinations]
        first = np.cumsum(weight) - weight
        place = {int(c): at for at, c in enumerate(one.combinations)}
        mean, spread = float(broken.mean()), float(broken.std())
        found = {}
        for c, v in pairs:
            own = slice(first[place[c]], first[place[c]] + weight[place[c]])
            has = (code[:, own] == v).sum(axis=1)
            usual = float(has.mean())
            if not usual or not mean:
                continue
            both = float((has @ broken) / len(has))
            if not one.exact:
                noise = float(has.std()) * spread / len(has) ** 0.5
                expected = usual * mean * len(has)
                if expected < LEAST_EXPECTED or abs(both - usual * mean) < DEVIATIONS * noise:
                    continue
            found[c, v] = max(both, 0.0) / (usual * mean)
        return found

    def _keeps(self, worlds: Ints, part: Ints) -> Bools:
        """Whether each assignment keeps every promise in all parts of a class."""
        parts = int(part.max()) + 1
        size = np.bincount(part, minlength=parts).astype(np.int64)
        row = np.arange(len(worlds))[:, None] * parts + part
        broken = np.zeros(len(worlds), np.bool_)
        cells: dict[str, Ints] = {}
        for item in self.asked.about:
            name = str(item.sensitive)
            if name not in cells:
                domain = len(self.domains[name])
                flat = row * domain + self.kinds[name][worlds]
                counted = np.bincount(flat.ravel(), minlength=len(worlds) * parts * domain)
                cells[name] = counted.reshape(-1, domain).astype(np.int64)
            table = self._table(item, np.tile(size, len(worlds)), cells[name])
            broken |= item.breaks(table).reshape(len(worlds), parts).any(axis=1)
        return ~broken

    def _table(self, item: Promise, size: Ints, cells: Ints) -> ClassTable:
        own = self.values[str(item.sensitive)]
        return class_table(item, size, cells, self.reference[item], own)

    def _counts(self, name: str) -> Ints:
        """How often each value occurs in each class, [G, D]."""
        own, groups = self.values[name], len(self.places.classes)
        keys = self.places.class_of.astype(np.int64) * len(own.domain) + own.published
        counted = np.bincount(keys, minlength=groups * len(own.domain))
        return counted.reshape(groups, len(own.domain)).astype(np.int64)


def _over(one: _Looked, sets: Ints) -> Bools:
    """Whether each assignment keeps the promises under all plans of each set, [assignments, 2^m]"""
    found: Bools = (one.keeps[:, None] & sets) == sets
    return found
