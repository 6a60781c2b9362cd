"""Mondrian: a table is cut in parts, and each part again, as long as every part keeps the promises.

    K. LeFevre, D. J. DeWitt, R. Ramakrishnan: "Mondrian Multidimensional K-Anonymity". ICDE 2006.

A part is cut in one attribute: numbers in their order, other values by the branches of the
hierarchy below their lowest common ancestor (a run of them against the rest), sets by the most
frequent value against the rest. The paper cuts the widest attribute at its median: ``dimension =
"width", cut = "median"``. The default loses less: each attribute offers the cut whose sides lose
least in it, and the one after which both sides lose least in all attributes is taken.

All children of a cut must keep all promises. If the best cut is refused, the others are tried: one
of each attribute by the criterion, and one at its median. If all are refused, the part is a class.
Without ``strict``, equal records are separated if no cut keeps them together: the part is cut in
halves. The parts of one depth are looked at together, and a promise sees the children of all their
cuts as one table of classes.

A table that as a whole breaks a promise is cut so that as few records as possible are left in parts
that break it; these are suppressed. Its records are also merged anew from the smallest parts
upwards (:mod:`~indistinct.recoding.partition.regrouping`), and the release within the limit that
loses least is taken. Large tables are regrouped only if cutting alone exceeds the limit, in fewer
of the four ways: the time grows with the square of the rows.

The loss in an attribute is from 0 to 1: the length of a range out of that of all numbers; the
number of values of a set; for a node its share of the leaves, and half as much by the number of
values that are there, so that of two parts under one node the one with fewer values is better.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from indistinct.errors import Problem, Unsatisfiable
from indistinct.kernels import mondrian as kernels
from indistinct.kernels.ragged import Ragged
from indistinct.microdata.frequencies import ClassTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.cells import cells_of, styles_of
from indistinct.recoding.judge import Judge
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.partition import publishing
from indistinct.recoding.partition.cutting import (
    Acceptance,
    Cutter,
    Tree,
    criterion_of,
    space_of,
    starts_of,
)
from indistinct.recoding.partition.deficits import Deficits, least_units, too_wide
from indistinct.recoding.partition.distance import domains_of
from indistinct.recoding.partition.regrouping import Manner, Parts, Recipes, Regrouping
from indistinct.recoding.partition.repair import MOST, Repair
from indistinct.recoding.partition.settings import PartitionSettings
from indistinct.recoding.plan import CellPlan
from indistinct.recoding.recoded import ncp
from indistinct.recoding.refused import Refused
from indistinct.types import Ints, Ints32

MANNERS: Final = tuple(Manner(near, sparing) for near in (True, False) for sparing in (False, True))
"""The ways of regrouping that are tried."""

LARGE: Final = 5000
"""Rows up to which all of them are compared; beyond, the first that is found is taken."""

SPARING: Final = 10_000
"""Rows beyond which only those ways are tried that make few classes: they are the quick ones."""

ONCE: Final = 20_000
"""Rows beyond which one of these is tried."""


def mondrian(
    data: LeveledTable,
    promises: Sequence[Promise],
    settings: PartitionSettings | None = None,
    progress: Progress = silent,
) -> CellPlan:
    """Classes found by cutting, and their cells. Nothing is drawn: equal tables, equal classes.

    Arguments:
        data: the table; with ``strict`` off, one combination per record.
        promises: what every class must keep.
        settings: criteria of cuts, cells, suppression.
        progress: told the share of records whose class is found.

    Raises:
        Unsatisfiable: if the promises cannot be kept within the suppression limit.
        PolicyError: for a style of cells that does not fit.
    """
    settings = settings or PartitionSettings()
    began = time.perf_counter()
    least, others = by_size_alone(promises)
    cutting = _Cutting(data, promises, settings, least)
    if others:
        return cutting.judged(others, progress, began)
    return cutting.by_size(began)


def refused_cuts(
    data: LeveledTable, promises: Sequence[Promise], settings: PartitionSettings, class_of: Ints32
) -> Refused | None:
    """The cuts that are tried of each class, and were refused where it is not cut further.

    Arguments:
        data: the table.
        promises: what every class keeps.
        settings: criteria of cuts.
        class_of: the class of every combination, [C]; -1 for suppressed ones.

    Returns:
        None where the classes may come of something else than cuts, or of cuts that depend on the
        order of records, or somebody is left out.
    """
    least, others = by_size_alone(promises)
    broken = others and Acceptance.of(data, others).whole()
    left_out = data.weight[class_of < 0].any()
    if broken or left_out or data.table.records < least or not settings.strict:
        return None
    return _Cutting(data, promises, settings, least).refused(class_of)


def by_size_alone(promises: Sequence[Promise]) -> tuple[int, list[Promise]]:
    """The units from which on a class keeps the promises that only ask for so many; the others."""
    least, others = 1, []
    for promise in promises:
        most = promise.largest_violating_size
        sizes = np.arange(1, (most or 0) + 1, dtype=np.int64)
        plain = promise.sensitive is None and not promise.needs_population
        if (
            plain
            and most is not None
            and promise.effective_closure == "superset"
            and promise.breaks(ClassTable(np.arange(most, dtype=np.int32), sizes)).all()
        ):
            least = max(least, most + 1)
        else:
            others.append(promise)
    return least, others


def manners_for(rows: int) -> tuple[Manner, ...]:
    """The ways of regrouping that are tried on so many rows: fewer on more.

    >>> [len(manners_for(rows)) for rows in (10_000, 20_000, 50_000)]
    [4, 2, 1]
    """
    if rows <= SPARING:
        return MANNERS
    few = tuple(manner for manner in MANNERS if manner.sparing)
    return few if rows <= ONCE else few[:1]


def _ways_told(rows: int, tried: int, wide: bool = False) -> str:
    what = f"{tried} of {len(MANNERS)} ways" if tried else "no way"
    why = "sensitive values are very many" if wide else f"the table has {rows} rows"
    return (
        f"{what} of putting records together anew {'were' if tried > 1 else 'was'} tried, since "
        f"{why}: fewer may need less"
    )


def _with_remedy(problem: Problem, more: str) -> Problem:
    return replace(problem, remedy=f"{problem.remedy}; {more}" if problem.remedy else more)


class _Cutting:
    """One table that is cut; its rows are permuted on the way."""

    def __init__(
        self,
        data: LeveledTable,
        promises: Sequence[Promise],
        settings: PartitionSettings,
        least: int,
    ) -> None:
        self._data = data
        self._promises = promises
        self._settings = settings
        self._least = least
        self._styles = styles_of(data, settings.cells)
        # Who only is in the population has a part in promises about it, and in nothing else.
        with_people = any(promise.needs_population for promise in promises)
        weight = data.weight
        members = np.arange(len(weight), dtype=np.int32)
        if not with_people and (weight == 0).any():
            members = members[weight > 0]
        space, rank, _ = space_of(data, self._styles, settings.weights, members)
        criterion = criterion_of(settings, least)
        self._cutter = Cutter(rank, weight[members].copy(), members.copy(), space, criterion)

    def by_size(self, began: float) -> CellPlan:
        """Cut as long as every class has enough units."""
        data, cutter = self._data, self._cutter
        rows = cutter.rows
        class_of = np.full(len(data.weight), -1, dtype=np.int32)
        starts = np.zeros(max(data.table.records // self._least, 1), dtype=np.int64)
        parts = 0
        if data.table.records >= self._least and len(rows.member):
            parts = kernels.by_size(rows, cutter.criterion, cutter.space, cutter.work, starts)
            lengths = np.diff(np.append(starts[:parts], len(rows.member)))
            class_of[rows.member] = np.repeat(np.arange(parts, dtype=np.int32), lengths)
        return plan_of_classes(data, self._promises, self._settings, class_of, began)

    def judged(self, others: Sequence[Promise], progress: Progress, began: float) -> CellPlan:
        """Cut as long as every class keeps the promises; then see how they are published.

        Arguments:
            others: the promises that need more than the number of units.
            progress: is told the share of rows in parts that are not cut further.
            began: when the search began, in seconds of ``time.perf_counter``.
        """
        acceptance = Acceptance.of(self._data, others)
        rows = len(self._cutter.rows.member)
        root_broken = acceptance.whole() or self._data.table.records < self._least
        tree = Tree(rows, broken=root_broken)
        self._cutter.grow(tree, acceptance, tree.first if rows else tree.first[:0], progress)
        if not root_broken:
            return self._plan(tree, began)
        wide = too_wide(self._data, self._promises)
        try:
            found: CellPlan | None = self._plan(tree, began)
        except Unsatisfiable as error:
            if rows > MOST or wide:
                raise Unsatisfiable(
                    [_with_remedy(part, _ways_told(rows, 0, wide)) for part in error.problems]
                ) from None
            found = None
        if found is not None and (rows > LARGE or wide):
            return found
        return self._regrouped(tree, acceptance, found, began)

    def _plan(self, tree: Tree, began: float) -> CellPlan:
        members = self._cutter.rows.member
        return plan_of_parts(self._data, self._promises, self._settings, tree, members, began)

    def _regrouped(
        self, tree: Tree, acceptance: Acceptance, found: CellPlan | None, began: float
    ) -> CellPlan:
        """The better of a plan that was found, if any, and those of records put together anew.

        No way of regrouping looks at how much may be suppressed, so that a limit that would have
        been enough is known where it is exceeded.
        """
        data, settings, promises = self._data, self._settings, self._promises
        leaves = tree.leaves()
        if all(promise.closure != "none" for promise in promises):
            leaves = leaves[tree.broken[leaves]]
        self._cutter.grow(tree, acceptance, leaves, through=True)
        costs = domains_of(data, settings)
        wants = Deficits(data, promises)
        least = least_units(promises)
        parts = Parts(tree.low, tree.high, tree.parent, tree.broken, self._cutter.rows.member)
        recipes = Recipes()
        allowed, fewest = settings.allowed(data.table.records), data.table.records
        least_value = math.inf if found is None else ncp(data, found)
        manners = manners_for(len(parts.member))
        for manner in manners:
            regrouping = Regrouping(data.weight, wants, costs, least, manner, recipes)
            class_of = regrouping.run(parts)
            mending = Repair(data, promises, wants, costs, class_of, settings)
            class_of = mending.mend(data.table.records, sparing=True)
            plan = publishing.settled(data, promises, class_of, settings, "mondrian", began)
            lost = publishing.units_suppressed(data, plan.class_of)
            fewest = min(fewest, lost)
            if lost > allowed:
                continue
            groups = int(plan.class_of.max(initial=-1)) + 1
            counters = {"parts": len(tree.low), "cuts_tried": tree.tried, "classes": groups}
            counted = publishing.report("mondrian", began, **counters)
            plan = publishing.finished(data, replace(plan, search=counted), began)
            value = ncp(data, plan)
            if value < least_value:
                found, least_value = plan, value
            if len(parts.member) > LARGE:
                break
        if found is None:
            problem = publishing.too_many(promises, fewest, data.table.records, settings)
            if settings.strict and int(data.weight.max(initial=0)) > 1:
                apart = "partition.strict = false, which treats equal records apart, may need less"
                problem = _with_remedy(problem, apart)
            if len(manners) < len(MANNERS):
                problem = _with_remedy(problem, _ways_told(len(parts.member), len(manners)))
            raise Unsatisfiable(problem)
        return found

    def refused(self, class_of: Ints32) -> Refused:
        """All cuts that are tried of these classes, each an attempt."""
        cutter = self._cutter
        rows = cutter.rows
        order = np.argsort(class_of[rows.member], kind="stable")
        for part in (rows.rank, rows.weight, rows.member):
            part[:] = part[order]
        of = class_of[rows.member]
        low = np.searchsorted(of, np.arange(of.max(initial=-1) + 1))
        high = np.append(low[1:], len(of))[: len(low)]
        cuts = np.zeros((len(low), 2 * len(self._data.attributes), 5), dtype=np.int64)
        found = np.zeros(len(low), dtype=np.int64)
        kernels.propose(rows, low, high, cutter.criterion, cutter.space, cutter.work, cuts, found)
        attempts: list[Ints] = [np.zeros(0, dtype=np.int64)]
        parts: list[Ints32] = []
        tried = 0
        for place in range(int(found.max(initial=0))):
            those = np.flatnonzero(found > place)
            own = np.ascontiguousarray(cuts[those, place])
            start = starts_of(own)
            begin, end = np.empty((2, start[-1]), dtype=np.int64)
            kernels.divide(
                rows, low[those], high[those], own, cutter.space, cutter.work, start, begin, end
            )
            attempts.append(np.repeat(np.arange(tried, tried + len(those)), np.diff(start)))
            tried += len(those)
            parts += [rows.member[a:b].copy() for a, b in zip(begin, end, strict=True)]
        return Refused(np.concatenate(attempts), Ragged.of(parts))


def plan_of_classes(
    data: LeveledTable,
    promises: Sequence[Promise],
    settings: PartitionSettings,
    class_of: Ints32,
    began: float,
) -> CellPlan:
    """The plan of classes that keep what is promised, however they are published.

    Arguments:
        data: the table.
        promises: what is promised, for messages.
        settings: how cells look, and what may be suppressed.
        class_of: the class of every combination, [C]; -1 of suppressed ones.
        began: when the search began, in seconds of ``time.perf_counter``.

    Raises:
        Unsatisfiable: if more would be suppressed than is allowed.
    """
    classes = int(class_of.max(initial=-1)) + 1
    found = publishing.report("mondrian", began, parts=classes, classes=classes)
    plan = cells_of(data, class_of, settings.cells, found)
    publishing.check_suppressed(data, promises, plan.class_of, settings)
    return publishing.finished(data, plan, began)


def plan_of_parts(
    data: LeveledTable,
    promises: Sequence[Promise],
    settings: PartitionSettings,
    tree: Tree,
    members: Ints32,
    began: float,
) -> CellPlan:
    """The plan of the parts, merged and suppressed until what is published keeps the promises.

    A class that breaks a promise only as published is suppressed if that is allowed; if not,
    the cut that made it is taken back.

    Arguments:
        data: the table.
        promises: what every class must keep.
        settings: cells, suppression.
        tree: the parts.
        members: the combinations, in the order of the tree's rows.
        began: when the search began.

    Raises:
        Unsatisfiable: if more would be suppressed than is allowed.
    """
    allowed = settings.allowed(data.table.records)
    judge = Judge(data, promises)
    nodes = tree.leaves()
    dropped = tree.broken[nodes]
    merged = False
    while True:
        number = np.where(dropped, -1, np.cumsum(~dropped) - 1).astype(np.int32)
        class_of = np.full(len(data.weight), -1, dtype=np.int32)
        class_of[members] = np.repeat(number, tree.high[nodes] - tree.low[nodes])
        lost = publishing.units_suppressed(data, class_of)
        if lost > allowed:
            raise Unsatisfiable(publishing.too_many(promises, lost, data.table.records, settings))
        counters = {"parts": len(tree.low), "cuts_tried": tree.tried, "classes": len(nodes)}
        found = publishing.report("mondrian", began, **counters)
        plan = cells_of(data, class_of, settings.cells, found)
        broken = publishing.broken_as_published(data, promises, plan, judge)
        if merged:
            broken |= publishing.broken_classes(data, promises, plan, judge)
        hidden = publishing.units_suppressed(data, plan.class_of) > lost
        if not broken.any() and not hidden:
            return publishing.finished(data, plan, began)
        of_node = np.flatnonzero(~dropped)
        broken = np.append(broken, np.zeros(len(of_node) - len(broken), dtype=np.bool_))
        if hidden:
            gone = np.ones(len(of_node), dtype=np.bool_)
            gone[plan.class_of[plan.class_of >= 0]] = False
            broken |= gone
        units = np.bincount(class_of + 1, weights=data.weight, minlength=len(of_node) + 1)[1:]
        if lost + int(units[broken].sum()) <= allowed:
            dropped[of_node[broken]] = True
            continue
        wrong = nodes[of_node[broken]]
        if (tree.parent[wrong] < 0).any():
            lost += int(units[broken].sum())
            raise Unsatisfiable(publishing.too_many(promises, lost, data.table.records, settings))
        nodes, dropped = tree.without(nodes, dropped, tree.parent[wrong])
        merged = True
