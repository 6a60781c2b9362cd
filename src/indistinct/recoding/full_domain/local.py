"""Local recoding: what full-domain generalization would suppress is recoded again among itself.

Nodes are taken in ascending order of what they cost with nothing suppressed; at each, the classes
of the remaining records that keep the promises are released, and the others go on. A record is
published at the first, so the cheapest, node where enough of its like are left.

Classes of several rounds may be published alike and become one. Promises that survive this (closure
``superset`` or ``union``) hold on the whole release because they hold in every round; for others
the whole is looked at once more.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.kernels import NONE
from indistinct.kernels.greedy_release import large_throughout, peel
from indistinct.kernels.grouping import Scratch, class_sizes, mark_rows
from indistinct.kernels.ragged import Ragged
from indistinct.measures import BoundObjective
from indistinct.measures.aggregate import ascending
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.randomness import simulation
from indistinct.recoding.full_domain.evaluation import Evaluator
from indistinct.recoding.full_domain.optimal import LARGEST
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.judge import Judge
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.plan import LevelPlan
from indistinct.recoding.refused import Refused
from indistinct.types import Bools, Ints, Ints32

AT_ONCE = 1024
"""Nodes gone through between two reports of progress."""

SAMPLED = 200_000
"""Nodes tried in a lattice too large to go through."""


LOOKED_BACK = 1000
"""Nodes that are looked at for classes that were refused, those before the last one used."""

TAKEN_BACK = 8
"""Classes, and nodes, that a rest too small by itself is published together with, on trial."""


def recode_remaining(
    data: LeveledTable,
    lattice: Lattice,
    promises: Sequence[Promise],
    objective: BoundObjective,
    nodes: Sequence[tuple[int, ...]],
    node_of: Ints32,
) -> tuple[tuple[tuple[int, ...], ...], Ints32]:
    """Release suppressed combinations at further nodes; returns all nodes and the node of each.

    A class is released only as a whole and only if it keeps every promise among the records
    released with it.

    Arguments:
        data: the table.
        lattice: the nodes that may be taken.
        promises: what has to be kept.
        objective: the cheapest node by it comes first.
        nodes: those of what is published so far, levels [m] each.
        node_of: the place in ``nodes`` of every combination, [C]; -1 of those to be recoded.
    """
    levels = _in_order(lattice, objective)
    found = list(nodes)
    node_of = node_of.copy()
    least = _large_enough(promises)
    if least is not None:
        _peel(data, levels, least, found, node_of)
        return tuple(found), node_of
    release = _Settling(data, promises, objective)
    remaining = np.flatnonzero(node_of < 0).astype(np.int32)
    for node in levels:
        if not data.weight[remaining].any():
            break
        kept = release(remaining, node.astype(np.int64))
        if kept.any():
            node_of[remaining[kept]] = len(found)
            found.append(tuple(int(level) for level in node))
            remaining = remaining[~kept]
    if _hold_on_the_whole(promises):
        settle_whole(data, promises, found, node_of)
    return tuple(found), node_of


def join_rest(
    data: LeveledTable,
    lattice: Lattice,
    promises: Sequence[Promise],
    objective: BoundObjective,
    nodes: Sequence[tuple[int, ...]],
    node_of: Ints32,
) -> Iterator[tuple[tuple[tuple[int, ...], ...], Ints32]]:
    """Ways to publish all combinations, where too few were left for a class of their own.

    Classes that were published last are taken back, one of them or all of the last nodes, if they
    keep the promises together with the rest at some node; each way is at the cheapest such node.

    Arguments:
        data: the table.
        lattice: the nodes that may be taken.
        promises: what has to be kept.
        objective: the cheapest node by it comes first.
        nodes: those of what is published so far, levels [m] each.
        node_of: the place in ``nodes`` of every combination, [C]; -1 of those left.
    """
    levels = _in_order(lattice, objective).astype(np.int64)
    rest = np.flatnonzero(node_of < 0)
    for taken in _published_last(data, nodes, node_of):
        rows = np.sort(np.concatenate([rest, taken])).astype(np.int32)
        counted = data.weight[rows] > 0
        release = _Settling(data, promises, objective)
        tried = _large_throughout(data, promises, levels, rows)
        cheapest = next((node for node in tried if release(rows, node)[counted].all()), None)
        if cheapest is not None:
            where = node_of.copy()
            where[rows] = len(nodes)
            found = [*nodes, tuple(int(level) for level in cheapest)]
            # A class that is taken back may be missed by others, by the promises that join them.
            by_part = any(part.on is not None for part in promises)
            if by_part or _hold_on_the_whole(promises):
                settle_whole(data, promises, found, where)
            yield tuple(found), where


def _large_throughout(
    data: LeveledTable, promises: Sequence[Promise], levels: Ints, rows: Ints32
) -> Iterator[Ints]:
    """The nodes at which no class of these combinations is too small for a promise by itself."""
    sizes = [part.class_size for part in promises if part.on is None and not part.needs_population]
    if not sizes:
        yield from levels
        return
    least = max(sizes)
    rows = rows[data.weight[rows] > 0]
    for start in range(0, len(levels), AT_ONCE):
        some = levels[start : start + AT_ONCE]
        large = np.empty(len(some), dtype=np.bool_)
        large_throughout(some, least, data.columns, data.row_of, rows, data.weight[rows], large)
        yield from some[large]


def refused_classes(
    data: LeveledTable,
    lattice: Lattice,
    promises: Sequence[Promise],
    objective: BoundObjective,
    plan: LevelPlan,
) -> Refused | None:
    """The classes that were large enough, and refused on the way to a plan of several nodes.

    Arguments:
        data: the table.
        lattice: the levels within their bounds.
        promises: what every class keeps.
        objective: orders the nodes.
        plan: the classes that were made.

    Returns:
        None where classes may have been refused for what others of the release are like, or were
        taken back once they were made.
    """
    start = plan.start
    if plan.scope != "local" or start is None or _hold_on_the_whole(promises):
        return None
    levels = _in_order(lattice, objective)
    place = {tuple(node): at for at, node in enumerate(levels.tolist())}
    if any(node not in place for node in plan.nodes):
        return None
    at = np.array([place[node] for node in plan.nodes])
    began = np.array_equal(plan.node_of == 0, start.node_of == 0)
    if (np.diff(at[began:]) <= 0).any():
        return None
    # Those of the last node may have had classes of their own before they were joined to a rest.
    joined = plan.node_of == len(plan.nodes) - 1
    # Suppressed combinations went through all nodes; those of the first, where there was one, none.
    later = (plan.node_of != 0) | (not began)
    when = np.append(at, len(levels))[plan.node_of] * later
    tried = [(at[0], later)] if began else []
    last = int(when.max())
    tried += [(n, when > n) for n in range(last - 1, max(last - 1 - LOOKED_BACK, -1), -1)]
    found = _Found(all(part.closure == "superset" for part in promises), len(when))
    least = max(part.class_size for part in promises)
    for node, waiting in tried:
        rows = np.flatnonzero(waiting & data.weight.astype(np.bool_)).astype(np.int32)
        together = []
        for part in _groups(data, levels[node].tolist(), rows):
            if joined[part].any():
                together.append(part)
            elif data.weight[part].sum() >= least:
                found.add([part])
        if together and min(data.weight[part].sum() for part in together) >= least:
            found.add(together)
    attempt = np.repeat(np.arange(len(found.attempts)), [len(own) for own in found.attempts])
    return Refused(attempt, Ragged.of([part for own in found.attempts for part in own]))


class _Found:
    """Attempts that do not follow from each other."""

    def __init__(self, lasting: bool, combinations: int) -> None:
        self.attempts: list[list[Ints32]] = []
        self._lasting = lasting
        self._within: list[set[int]] = [set() for _ in range(combinations)]
        self._seen: set[tuple[bytes, ...]] = set()

    def add(self, parts: list[Ints32]) -> None:
        """Take in an attempt, unless it follows from those there are that it was refused.

        Where records that join a class break no promise, what a class breaks its parts break, too.
        """
        key = tuple(part.tobytes() for part in parts)
        if key in self._seen:
            return
        self._seen.add(key)
        whole, *further = parts
        if not further:
            members = whole.tolist()
            if self._lasting and set.intersection(*(self._within[c] for c in members)):
                return
            for c in members:
                self._within[c].add(len(self.attempts))
        self.attempts.append(parts)


def _hold_on_the_whole(promises: Sequence[Promise]) -> bool:
    """Whether some promise may be broken by the union of rounds that keep it."""
    return "none" in {promise.effective_closure for promise in promises}


def _groups(data: LeveledTable, node: Sequence[int], rows: Ints32) -> Iterator[Ints32]:
    """The classes at a node of some combinations."""
    if not len(rows):
        return
    columns = [data.columns[data.row_of[j, level]][rows] for j, level in enumerate(node)]
    _, of = np.unique(np.stack(columns), axis=1, return_inverse=True)
    of = of.ravel()
    order = np.argsort(of, kind="stable")
    yield from np.split(rows[order], np.cumsum(np.bincount(of))[:-1])


def _published_last(
    data: LeveledTable, nodes: Sequence[tuple[int, ...]], node_of: Ints32
) -> Iterator[Ints32]:
    """The combinations of each of the last classes, and of all from one of the last nodes on."""
    used = np.unique(node_of[node_of >= 0])[::-1][:TAKEN_BACK].tolist()
    every = np.arange(len(node_of), dtype=np.int32)
    classes = (own for at in used for own in _groups(data, nodes[at], every[node_of == at]))
    yield from itertools.islice(classes, TAKEN_BACK)
    for at in used:
        yield every[node_of >= at]


def _in_order(lattice: Lattice, objective: BoundObjective) -> NDArray[np.int16]:
    """The nodes in ascending order of their cost with nothing suppressed."""
    levels = lattice.levels if lattice.size <= LARGEST else _sample(lattice)
    keys = objective.unsuppressed(levels)
    return levels[ascending(np.column_stack([keys, levels.sum(axis=1)]))]


def _sample(lattice: Lattice) -> NDArray[np.int16]:
    """Nodes of a large lattice: the ends, and nodes drawn from a fixed seed at every height."""
    random = simulation(0)
    share = random.random((SAMPLED, 1)) ** random.random((SAMPLED, len(lattice.first)))
    spread = lattice.last - lattice.first
    drawn = lattice.first + np.rint(share * spread).astype(np.int64)
    ends = np.vstack([lattice.first, lattice.last])
    return np.unique(np.vstack([ends, drawn]), axis=0).astype(np.int16)


def _large_enough(promises: Sequence[Promise]) -> int | None:
    """The units from which on a class keeps all promises, if their number alone decides."""
    for promise in promises:
        if promise.on is not None or promise.largest_violating_size != promise.class_size - 1:
            return None
    return max((promise.class_size for promise in promises), default=1)


def _peel(
    data: LeveledTable,
    levels: NDArray[np.int16],
    least: int,
    nodes: list[tuple[int, ...]],
    node_of: Ints32,
) -> None:
    """One pass over the nodes; adds those that are used, and the node of what they release."""
    rows = np.flatnonzero(node_of < 0).astype(np.int32)
    weight = data.weight[rows]
    released = np.full(len(node_of), NONE, dtype=np.int64)
    scratch = Scratch.of(len(rows))
    every = np.arange(len(data.attributes))
    left = len(rows)
    for start in range(0, len(levels), AT_ONCE):
        some = levels[start : start + AT_ONCE].astype(np.int64)
        before = rows[:left].copy()
        left = peel(
            some, least, data.columns, data.row_of, data.card, every, rows[:left], weight[:left],
            released, scratch,
        )  # fmt: skip
        for at in np.unique(released[before][released[before] >= 0]):
            here = before[released[before] == at]
            node_of[here] = len(nodes)
            nodes.append(tuple(int(level) for level in some[at]))
        if not left:
            break


class _Settling:
    """Any promises: the remaining rows as a table of their own."""

    def __init__(
        self, data: LeveledTable, promises: Sequence[Promise], objective: BoundObjective
    ) -> None:
        self._data = data
        self._promises = promises
        self._objective = objective
        self._rows: int | None = None

    def __call__(self, remaining: Ints32, levels: Ints) -> Bools:
        if self._rows != len(remaining):
            rest = self._data.restricted(remaining)
            records = self._data.table.records
            self._evaluator = Evaluator(
                rest, self._promises, self._objective, records, Grouper(rest), self._data
            )
            self._rows = len(remaining)
        # What only the population has stays, to be counted in every class it could be in.
        kept: Bools = ~self._evaluator.suppressed(levels)
        return kept & self._data.weight[remaining].astype(np.bool_)


def settle_whole(
    data: LeveledTable,
    promises: Sequence[Promise],
    nodes: Sequence[tuple[int, ...]],
    node_of: Ints32,
) -> None:
    """Suppress the classes of the whole release, as published, that break a promise.

    People published with ``*`` throughout are in none of them. But they are seen: where classes or
    they themselves are too far from what is published with them, they are suppressed as well.

    Arguments:
        data: the table.
        promises: what has to be kept.
        nodes: those of the release, levels [m] each.
        node_of: the place in ``nodes`` of every combination, [C]; becomes -1 of suppressed ones.
    """
    judge = Judge(data, promises)
    published, in_class = _published(data, nodes, node_of)
    dropped, starred = ~in_class, (node_of >= 0) & ~in_class
    if dropped.all():
        return

    def classes(promise: Promise, without: Bools) -> tuple[Ints32, Ints]:
        on = [name in (promise.on or data.attributes) for name in data.attributes]
        labels = np.column_stack([published[:, on], starred])
        found, inverse = np.unique(labels, axis=0, return_inverse=True)
        class_of = inverse.ravel().astype(np.int32)
        size = np.empty(len(found), dtype=np.int64)
        class_sizes(class_of, data.weight, without, size)
        return class_of, size

    def drop(promise: Promise) -> int:
        class_of, size = classes(promise, dropped)
        broken = judge.broken(class_of, size, dropped, [promise])
        return mark_rows(class_of, broken, data.weight, dropped)

    while sum(drop(promise) for promise in promises):
        pass
    node_of[dropped & in_class] = NONE
    gone = node_of < 0
    if starred.any() and any(
        judge.breaks(promise, *classes(promise, gone), gone).any()
        for promise in promises
        if promise.compares and promise.reference == "published"
    ):
        node_of[starred] = NONE


def _published(
    data: LeveledTable, nodes: Sequence[tuple[int, ...]], node_of: Ints32
) -> tuple[Ints, Bools]:
    """A number for the published label of every cell, equal for equal labels, [C, m].

    And which combinations are published, not with ``*`` in every quasi-identifier, [C].
    """
    starred = np.ones(len(node_of), dtype=np.bool_)
    published = np.full((len(node_of), len(data.attributes)), NONE, dtype=np.int64)
    for j, table in enumerate(data.compiled):
        number: dict[str | None, int] = {}
        for at, node in enumerate(nodes):
            here = node_of == at
            labels = table.labels[node[j]]
            numbers = [number.setdefault(label, len(number)) for label in labels]
            published[here, j] = np.array(numbers)[data.columns[data.row_of[j, node[j]]][here]]
        if data.attributes[j] not in data.unchanged:
            starred &= published[:, j] == number.get(SUPPRESSED)
    return published, (node_of >= 0) & ~starred
