"""Minimality: what follows from the release not being more specific (Wong and others 2007).

An algorithm generalizes only as far as its promises ask. So every plan that is more specific, and
scores better, has broken one. Where the classes of such a plan were large enough, it must have
been the promise about the sensitive values that was broken; and who knows everybody's
quasi-identifiers knows who would have been in these classes. Only some assignments of the values
of the published classes to the people in them break it; the others are struck out, and beliefs are
taken from what is left.

Where the program that made a release is run again and says what it tried in place of each class
(the cuts of Mondrian, the classes that local recoding would have made sooner), every class is
looked at by itself, and all that was tried in its place broke a promise; see
:mod:`~indistinct.analytics.attacks.refusals`. That is less than all that follows: what was refused
of parts that were cut further in another way, or decided between several ways to go on, is not
looked at, so beliefs may be too small. No order is struck out under which the program makes the
same classes.

Of other programs that have single records in classes (k-member, MDAV, theta) only the classes are
known that they make of any values. So they are run again with the values of a class in every order,
the other classes as they are, and orders are struck out that lead to other classes. That is what
somebody learns who knows what people of other classes have, and what was drawn. Only small classes
and tables can be looked at so; the finding says how many people are passed over.

Otherwise a release is taken for a full-domain one, whose levels are read off the cells. More
specific plans are the nodes below; where the promises are closed under union (a plan that breaks
them stands above plans that do) the topmost of them decide. They are taken to suppress whom the
release suppresses and nobody else.

Assignments of one class are independent of those of another, so nothing has to be drawn for the
whole table: of every class the assignments are enumerated, or drawn where there are too many, and
q(S), the share of them that keeps the promises under all plans of a set S, is counted. The chance
that all plans are broken is the sum over S of (-1)^|S| times the product of all q(S); a belief of
random worlds changes by the factor by which this chance changes when it is true. With enumerated
classes the beliefs are exact; of drawn ones a belief changes only where chance does not explain it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial, prod

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import (
    NOT_ONE_LEVEL,
    Finding,
    Skipped,
    of_people,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.lattice_node import Levels, Node, node_of
from indistinct.analytics.attacks.refusals import Rerun, Tried, assignments, left_over
from indistinct.analytics.attacks.remedies import cut_classes
from indistinct.document import many
from indistinct.kernels.ragged import Ragged
from indistinct.metadata import NO_METADATA
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.encoding import count_combinations
from indistinct.microdata.frequencies import ClassTable
from indistinct.microdata.microdata import sorted_values
from indistinct.privacy.promise import Promise, known_promise
from indistinct.randomness import simulation

NAME = "minimality"
KIND = "attribute"
PLACE = 170
KNOWLEDGE = (
    "the exact quasi-identifiers of everybody, the algorithm, its objective and the promises"
)
SOURCE = "Wong, Fu, Wang and Pei (2007)"
REMEDY = cut_classes

ENUMERATED = 5040
"""Assignments of a class up to which all are tried."""

DRAWN = 2000
"""Assignments that are drawn of a class which has more."""

RERUN = 60
"""Orders of a class up to which the program is run again with each."""

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


def run(
    context: AttackContext,
    sensitive: str,
    *,
    enumerated: int = ENUMERATED,
    drawn: int = DRAWN,
) -> Finding | Skipped:
    """Strike out assignments under which a better plan would have kept the promises.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute it learns.
        enumerated: assignments of a class up to which all are tried.
        drawn: how many are drawn of a class which has more.
    """
    if not context.one_record_each:
        return Skipped(NAME, "it attacks tables in which every record is a person")
    asked = _promises(context, sensitive)
    if isinstance(asked, str):
        return Skipped(NAME, asked, sensitive)
    if context.tried is not None:
        return _by_refusals(context, sensitive, asked, context.tried, enumerated)
    node = node_of(context.places)
    if node is None:
        return Skipped(NAME, NOT_ONE_LEVEL, sensitive)
    plans, left_out = better_plans(node, asked)
    worlds = _Worlds(context, node, sensitive, asked, plans, (enumerated, drawn))
    if worlds.broken:
        return Skipped(NAME, "the release itself breaks a promise about values", sensitive)
    before = context.true_prior(sensitive)
    base, belief = worlds.beliefs()
    if not worlds.chance and not worlds.exact:
        # None of those drawn explains the release: all that do are to be found from the truth on.
        found = _by_refusals(context, sensitive, asked, worlds.tried_plans(), enumerated)
        if isinstance(found, Finding) and found.figures["plans"]:
            return found
    sure = (belief >= 1 - NEVER) & (worlds.exact | (base >= 1))
    changed = np.abs(belief - base) > NEVER
    gain = np.zeros(len(context.classes))
    inside = node.class_of[context.places.combination_of]
    np.maximum.at(gain, inside[inside >= 0], (belief - base)[inside >= 0])
    return summarize(
        context,
        sensitive,
        belief,
        before,
        sure & context.found,
        figures={
            "plans": len(plans),
            "plans_left_out": left_out,
            "people_passed_over": 0,
            "kept": worlds.chance,
            "classes_enumerated": worlds.enumerated_classes,
            "classes_drawn": worlds.drawn_classes,
            "assignments": worlds.tried,
            "changed": float(changed.mean()) if len(changed) else 0.0,
            "gain_over_random_worlds": float((belief - base).mean()) if len(belief) else 0.0,
            "largest_gain_over_random_worlds": float((belief - base).max(initial=0.0)),
        },
        worst=worst_class(context, gain, gain_over_random_worlds=gain) if changed.any() else {},
        note=_note(len(plans), worlds.chance, float(changed.mean()) if len(changed) else 0.0),
    )


def _by_refusals(
    context: AttackContext, sensitive: str, asked: Asked, tried: Tried | Rerun, enumerated: int
) -> Finding | Skipped:
    """What follows from every class by itself: what was tried in its place broke a promise."""
    seen = _Seen(context, sensitive, asked)
    inside = tried.class_of >= 0
    if seen.changed(tried.class_of):
        return Skipped(NAME, "the published values are not those of the people", sensitive)
    size = np.bincount(tried.class_of[inside], minlength=len(context.classes))
    if seen.breaks(size[size > 0], seen.counted(tried.class_of)[size > 0]).any():
        return Skipped(NAME, "the release itself breaks a promise about values", sensitive)
    concerned = np.zeros(len(tried.class_of), np.bool_)
    same = seen.same(sensitive)
    if isinstance(tried, Rerun):
        concerned[inside] = seen.mixed(tried.class_of)[tried.class_of[inside]]
        left = tried.left_over(seen.kind, same, RERUN, context.seed)
        plans = left.enumerated
        left_out = int((np.bincount(tried.class_of[concerned & np.isnan(left.likely)]) > 0).sum())
    else:
        refused = np.zeros(0, np.bool_)
        if tried.attempts:
            part = seen.breaks(tried.parts.lengths, seen.counted_in(tried.parts))
            refused = tried.all_broken(part) & ~tried.with_others
        looked = tried.some(refused)
        plans, left_out = looked.attempts, tried.attempts - looked.attempts
        concerned[inside] = np.isin(tried.class_of[inside], looked.touching[1])
        left = left_over(
            looked, seen.kind, same, seen.breaks, enumerated=enumerated, seed=context.seed
        )
    passed = int((concerned & np.isnan(left.likely)).sum())
    before, base = context.true_prior(sensitive), context.true_belief(sensitive).copy()
    within = seen.shares(sensitive, tried.class_of)
    base[inside] = within[inside]
    belief = np.where(np.isnan(left.likely), base, left.likely)
    small = ~left.exact & (np.abs(belief - base) <= DEVIATIONS * left.noise)
    belief[small] = base[small]
    sure = (belief >= 1 - NEVER) & (left.exact | (base >= 1))
    changed = np.abs(belief - base) > NEVER
    gain = np.zeros(len(context.classes))
    np.maximum.at(gain, tried.class_of[inside], (belief - base)[inside])
    share = float(changed.mean()) if len(changed) else 0.0
    return summarize(
        context,
        sensitive,
        belief,
        before,
        sure & context.found,
        figures={
            "plans": plans,
            "plans_left_out": left_out,
            "people_passed_over": passed,
            "kept": None,
            "classes_enumerated": left.enumerated,
            "classes_drawn": left.walked,
            "assignments": left.orders,
            "changed": share,
            "gain_over_random_worlds": float((belief - base).mean()) if len(belief) else 0.0,
            "largest_gain_over_random_worlds": float((belief - base).max(initial=0.0)),
        },
        worst=worst_class(context, gain, gain_over_random_worlds=gain) if changed.any() else {},
        note=(
            _note_of_runs(plans, float(changed[left.exact].sum() / max(left.exact.sum(), 1)))
            if isinstance(tried, Rerun)
            else _note_of_attempts(plans, share)
        )
        + _note_of_passed(passed),
    )


class _Seen:
    """The values of people, as promises and this attacker see them."""

    def __init__(self, context: AttackContext, sensitive: str, asked: Asked) -> None:
        self.asked = asked
        names = [str(item.sensitive) for item in asked.about]
        self.values = {name: _values(context, name) for name in dict.fromkeys([sensitive, *names])}
        self.class_of_row = context.places.class_of
        kinds, _, self.of_person = count_combinations(
            [own.truth for own in self.values.values()],
            [len(own.domain) for own in self.values.values()],
            np.ones(context.people.height, np.int64),
        )
        self.kinds = dict(zip(self.values, kinds, strict=True))
        self.number = len(kinds[0])
        self.kind = self.of_person.astype(np.int64)
        self.reference = {
            item: np.bincount(
                self.values[str(item.sensitive)].truth,
                minlength=len(self.values[str(item.sensitive)].domain),
            ).astype(np.int64)
            for item in asked.about
        }

    def changed(self, class_of: NDArray[np.int32]) -> bool:
        """Whether classes list other values than those of their people."""
        inside, groups = class_of >= 0, int(self.class_of_row.max(initial=-1)) + 1
        for own in self.values.values():
            width = len(own.domain)
            true = class_of[inside].astype(np.int64) * width + own.truth[inside]
            told = self.class_of_row.astype(np.int64) * width + own.published
            there = np.zeros(groups, np.bool_)
            there[class_of[inside]] = True
            told = told[there[self.class_of_row]]
            counts = [np.bincount(of, minlength=groups * width) for of in (true, told)]
            if (counts[0] != counts[1]).any():
                return True
        return False

    def same(self, sensitive: str) -> NDArray[np.bool_]:
        """Which kinds of records have the same value, [K, K]."""
        own = self.kinds[sensitive]
        found: NDArray[np.bool_] = own[:, None] == own[None, :]
        return found

    def mixed(self, class_of: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which classes have people of several kinds, [G]."""
        found: NDArray[np.bool_] = (self.counted(class_of) > 0).sum(axis=1) > 1
        return found

    def shares(self, sensitive: str, class_of: NDArray[np.int32]) -> NDArray[np.float64]:
        """The share of everybody's own value in the class, [n]; of no meaning outside of one."""
        own = self.values[sensitive]
        inside = np.maximum(class_of, 0)
        width = len(own.domain)
        keys = inside.astype(np.int64) * width + own.truth
        there = class_of >= 0
        counts = np.bincount(keys[there], minlength=int(keys.max(initial=-1)) + 1)
        size = np.bincount(inside[there], minlength=int(inside.max(initial=-1)) + 1)
        found: NDArray[np.float64] = counts[keys] / np.maximum(size[inside], 1)
        return found

    def counted(self, class_of: NDArray[np.int32]) -> NDArray[np.int64]:
        """How often every kind occurs in each class, [G, K]."""
        there, groups = class_of >= 0, int(self.class_of_row.max(initial=-1)) + 1
        keys = class_of[there].astype(np.int64) * self.number + self.kind[there]
        found = np.bincount(keys, minlength=groups * self.number)
        return found.reshape(groups, self.number).astype(np.int64)

    def counted_in(self, parts: Ragged) -> NDArray[np.int64]:
        """The same of parts, [P, K]."""
        keys = parts.row_of * self.number + self.kind[parts.value]
        found = np.bincount(keys, minlength=len(parts) * self.number)
        return found.reshape(len(parts), self.number).astype(np.int64)

    def breaks(self, size: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which parts break a promise about values, [P], by their kinds, [P, K]."""
        broken = np.zeros(len(size), np.bool_)
        for item in self.asked.about:
            name = str(item.sensitive)
            cells = np.zeros((len(size), len(self.values[name].domain)), np.int64)
            for kind, value in enumerate(self.kinds[name].tolist()):
                cells[:, value] += counts[:, kind]
            broken |= item.breaks(
                ClassTable(
                    np.zeros(0, np.int32),
                    size,
                    {name: cells},
                    {name: self.reference[item]},
                    {name: self.values[name].domain},
                )
            )
        return broken


@dataclass(frozen=True)
class Asked:
    """The promises as this attacker reads them.

    Arguments:
        sizes: attributes (by place) over which classes have at least so many records.
        about: promises about sensitive values.
    """

    sizes: tuple[tuple[tuple[int, ...], int], ...]
    about: tuple[Promise, ...]

    @property
    def monotone(self) -> bool:
        """Whether a plan that breaks a promise stands above plans that break it, too.

        Closed under union is enough. What a promise compares with is the same for all plans here,
        since all publish the same records.
        """
        return all(item.closure in ("superset", "union") for item in self.about)


def _promises(context: AttackContext, sensitive: str) -> Asked | str:
    """The promises, or why they are none that this attacker can use."""
    sizes: list[tuple[tuple[int, ...], int]] = []
    about: list[Promise] = []
    if not any(item.sensitive == sensitive for item in context.promises):
        return "no promise is about this attribute, so none made the release less specific"
    for item in context.promises:
        on = tuple(
            context.quasi.index(name) for name in item.on or context.quasi if name in context.quasi
        )
        if item.unit != "record":
            return "promises that count people and not records are not looked at"
        made = known_promise(item)
        if made is None:
            return f"the promise {item.model} cannot be computed here"
        if made.class_size > 1:
            sizes.append((on, made.class_size))
        if made.needs_population:
            return "promises about a population are not looked at"
        if item.sensitive is None:
            if made.largest_violating_size != made.class_size - 1:
                return f"the promise {item.model} is not looked at"
            continue
        if item.sensitive not in context.sensitive:
            return f"a promise is about '{item.sensitive}', which is not published"
        if len(on) < len(context.quasi):
            return "promises about some of the quasi-identifiers are not looked at"
        if made.missing_metadata(_values(context, item.sensitive).domain) is not None:
            return f"what {item.model} needs to know of the values is not known"
        about.append(made)
    return Asked(tuple(sizes), tuple(about))


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
class _Values:
    """One sensitive attribute, its values those of the source and of the release.

    Arguments:
        domain: the values, and what is known of them.
        truth: the value of every person, [n].
        published: that of every published row, [r].
    """

    domain: SensitiveDomain
    truth: NDArray[np.int32]
    published: NDArray[np.int32]


def _values(context: AttackContext, name: str) -> _Values:
    assert context.shown is not None
    people, rows = context.values[name], context.buckets[name].labels
    labels = sorted_values(pl.Series([*people.labels, *rows], dtype=pl.String))
    place = {label: at for at, label in enumerate(labels)}
    own, theirs = (np.array([place[v] for v in part], np.int32) for part in (people.labels, rows))
    known = context.known.get(name, NO_METADATA)
    return _Values(SensitiveDomain(labels, known), own[people.index], theirs[context.shown[name]])


@dataclass(frozen=True)
class _Looked:
    """The assignments of one class that were looked at.

    Arguments:
        combinations: those of the people in it.
        keeps: for each assignment the plans under which it keeps the promises, as bits.
        exact: whether these are all assignments.
    """

    combinations: NDArray[np.int64]
    keeps: NDArray[np.int64]
    exact: bool


class _Worlds:
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
        self.values = {name: _values(context, name) for name in self.names}
        self.domains = {name: own.domain for name, own in self.values.items()}
        self.reference = {item: self._reference(item) for item in asked.about}
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

    def beliefs(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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

    def _look_at(self, g: int, own: NDArray[np.int64]) -> _Looked:
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

    def _assigned(self, g: int, own: NDArray[np.int64]) -> tuple[NDArray[np.int64], bool]:
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
        self,
        g: int,
        one: _Looked,
        broken: NDArray[np.float64],
        pairs: Sequence[tuple[int, int]],
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

    def _keeps(self, worlds: NDArray[np.int64], part: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether each assignment keeps every promise in all parts of a class."""
        parts = int(part.max()) + 1
        size = np.bincount(part, minlength=parts).astype(np.int64)
        row = np.arange(len(worlds))[:, None] * parts + part
        broken = np.zeros(len(worlds), np.bool_)
        cells: dict[str, NDArray[np.int64]] = {}
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

    def _table(
        self, item: Promise, size: NDArray[np.int64], cells: NDArray[np.int64]
    ) -> ClassTable:
        name = str(item.sensitive)
        return ClassTable(
            np.zeros(0, np.int32),
            size,
            {name: cells},
            {name: self.reference[item]},
            {name: self.domains[name]},
        )

    def _reference(self, item: Promise) -> NDArray[np.int64]:
        own = self.values[str(item.sensitive)]
        shown = own.published[self.places.classes.ordinary[self.places.class_of]]
        values = own.truth if item.reference == "original" else shown
        return np.bincount(values, minlength=len(own.domain)).astype(np.int64)

    def _counts(self, name: str) -> NDArray[np.int64]:
        """How often each value occurs in each class, [G, D]."""
        own, groups = self.values[name], len(self.places.classes)
        keys = self.places.class_of.astype(np.int64) * len(own.domain) + own.published
        counted = np.bincount(keys, minlength=groups * len(own.domain))
        return counted.reshape(groups, len(own.domain)).astype(np.int64)


def _over(one: _Looked, sets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each assignment keeps the promises under all plans of each set, [assignments, 2^m]"""
    found: NDArray[np.bool_] = (one.keeps[:, None] & sets) == sets
    return found


def _note(plans: int, chance: float, changed: float) -> str:
    if not plans:
        return "No better plan has classes that are large enough: nothing follows from its absence."
    if not chance:
        return (
            "A better plan keeps the promises under every assignment tried: the release was not "
            "made minimal."
        )
    many = "one better plan was" if plans == 1 else f"{plans} better plans were"
    return (
        f"That {many} not published leaves {chance:.1%} of all assignments of values to people, "
        f"and changes what is believed of {of_people(changed)}."
    )


def _note_of_attempts(attempts: int, changed: float) -> str:
    if not attempts:
        return "No class was kept from being made finer by its values: nothing follows from it."
    many = "one way" if attempts == 1 else f"{attempts} ways"
    return (
        f"{many[0].upper()}{many[1:]} to make classes finer {'was' if attempts == 1 else 'were'} "
        f"refused because of values. That changes what is believed of {of_people(changed)}."
    )


def _note_of_runs(classes: int, changed: float) -> str:
    if not classes:
        return "The program was run again for no class."
    return (
        f"The program was run again with the values of {many(classes, 'class', 'classes')} in "
        "every order, one class at a time, the others as they are. That it makes the published "
        f"classes changes what is believed of {of_people(changed)} in them."
    )


def _note_of_passed(people: int) -> str:
    if not people:
        return ""
    are = "person is" if people == 1 else "people are"
    return f" {people:,} {are} passed over, in classes with more orders than can be tried."
