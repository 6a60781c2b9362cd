"""Mondrian: a table is cut in parts, and each part again, as long as every part keeps the promises.

    K. LeFevre, D. J. DeWitt, R. Ramakrishnan: "Mondrian Multidimensional K-Anonymity". ICDE 2006.

A part is cut in one attribute: numbers in their order, other values by the branches of the
hierarchy below their lowest common ancestor, in the order of the hierarchy (a run of it against the
rest), or, where sets are published, the most frequent against the rest. In the paper the widest
attribute is cut at its median. Here that is ``dimension = "width", cut = "median"``; what is done
unless asked otherwise costs less: each attribute offers the cut whose sides lose least in it, and
of these the one is taken after which both sides lose least in all attributes.

Any promises decide whether a cut is taken: all children of a cut must keep all of them. Where the
best cut is refused every other one is tried that the part offers: one of each attribute by the
criterion, and one of each at its median, so at most two for each attribute. If all are refused the
part is a class. With ``strict`` off, equal records are parted where no cut leaves them together: a
part is then cut in halves. The parts of one depth are looked at together, and a promise sees the
children of all their cuts as one table of classes. Promises that only ask for so many records need
none of this.

A table that as a whole breaks a promise is cut so that as few records as possible are left in parts
that break it; these are suppressed. Its records are also put together anew, from the smallest parts
upwards (see :mod:`~indistinct.recoding.partition.regrouping`), and of what keeps to the limit the
release that loses least is taken. Large tables are regrouped only where cutting alone does not keep
to it, and in fewer of the four ways the larger they are, for the time grows with the square of the
rows.

What is lost in an attribute is told on a scale from 0 to 1: by the length of a range out of that of
all numbers in the table; by the number of values of a set; for a node of the hierarchy by its share
of the leaves, and half as much by the number of values that are there, so that of two parts under
one node the one with fewer values counts as better: it can be cut further.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from indistinct.errors import Problem, Unsatisfiable
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.kernels import mondrian as kernels
from indistinct.kernels.mondrian import Criterion, Rows, Space, Work
from indistinct.kernels.ragged import Ragged
from indistinct.microdata.frequencies import ClassTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.cells import cells_of, numbers_in_order, paths_from_top, styles_of
from indistinct.recoding.judge import Judge
from indistinct.recoding.limits import Progress
from indistinct.recoding.partition import publishing
from indistinct.recoding.partition.deficits import Deficits, least_units, too_wide
from indistinct.recoding.partition.distance import domains_of
from indistinct.recoding.partition.regrouping import Manner, Parts, Recipes, Regrouping
from indistinct.recoding.partition.repair import MOST, Repair
from indistinct.recoding.partition.settings import PartitionSettings
from indistinct.recoding.plan import CellPlan
from indistinct.recoding.recoded import ncp
from indistinct.recoding.refused import Refused
from indistinct.types import Array, Bools, Floats, Ints, Ints32

SHARE_OF_VALUES: Final = 0.5
"""What the values under a node count beside its leaves."""

TABLE: Final = 256
"""Values of an attribute up to which what any two of them span is worked out beforehand."""

PARTS: Final = 8192
"""Parts that are looked at together, at most."""

APART: Final = 2.0
"""Where values lie that are no numbers, on the scale of 0 to 1 of those that are."""

CELLS: Final = 1 << 22
"""Counts of sensitive values that are held at once, at most."""

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
    progress: Progress | None = None,
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
    broken = others and _Acceptance(data, others).whole()
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
        self._space, rank = _space(data, self._styles, settings.weights, members)
        values, m = int(self._space.at[:, kernels.SIZE].sum()), len(data.attributes)
        self._work: Work = kernels.Work(
            values=np.zeros((8, values), dtype=np.int64),
            held=np.zeros(m, dtype=np.int64),
            cuts=np.zeros((2 * m, 5), dtype=np.int64),
            score=np.zeros(2 * m),
        )
        units = weight[members].copy()
        self._rows: Rows = kernels.Rows(
            rank=rank,
            weight=units,
            member=members.copy(),
            spare_rank=np.empty_like(rank),
            spare_weight=np.empty_like(units),
            spare_member=np.empty_like(members),
        )
        cheapest = settings.cut == "ncp"
        dimension = {
            "width": kernels.BY_WIDTH,
            "entropy": kernels.BY_ENTROPY,
            "ncp": kernels.BY_BOTH if cheapest else kernels.BY_GAIN,
        }[settings.dimension]
        self._criterion: Criterion = kernels.Criterion(least, dimension, cheapest, settings.strict)

    def by_size(self, began: float) -> CellPlan:
        """Cut as long as every class has enough units."""
        data, rows = self._data, self._rows
        class_of = np.full(len(data.weight), -1, dtype=np.int32)
        starts = np.zeros(max(data.table.records // self._least, 1), dtype=np.int64)
        parts = 0
        if data.table.records >= self._least and len(rows.member):
            parts = kernels.by_size(rows, self._criterion, self._space, self._work, starts)
            lengths = np.diff(np.append(starts[:parts], len(rows.member)))
            class_of[rows.member] = np.repeat(np.arange(parts, dtype=np.int32), lengths)
        found = publishing.report("mondrian", began, parts=parts, classes=parts)
        plan = cells_of(data, class_of, self._settings.cells, found)
        publishing.check_suppressed(data, self._promises, plan.class_of, self._settings)
        return publishing.finished(data, plan, began)

    def judged(
        self, others: Sequence[Promise], progress: Progress | None, began: float
    ) -> CellPlan:
        """Cut as long as every class keeps the promises; then see how they are published."""
        acceptance = _Acceptance(self._data, others)
        rows = len(self._rows.member)
        root_broken = acceptance.whole() or self._data.table.records < self._least
        tree = _Tree(rows, root_broken)
        waiting = [tree.first] if rows else []
        while waiting:
            nodes = waiting.pop()
            for begin in range(0, len(nodes), PARTS):
                children = self._cut(nodes[begin : begin + PARTS], tree, acceptance)
                if len(children):
                    waiting.append(children)
            if progress is not None:
                progress(min(tree.rows_closed / rows, 1.0))
        if not root_broken:
            return self._publish(tree, began)
        wide = too_wide(self._data, self._promises)
        try:
            found: CellPlan | None = self._publish(tree, began)
        except Unsatisfiable as error:
            if rows > MOST or wide:
                raise Unsatisfiable(
                    [_with_remedy(part, _ways_told(rows, 0, wide)) for part in error.problems]
                ) from None
            found = None
        if found is not None and (rows > LARGE or wide):
            return found
        return self._regrouped(tree, acceptance, found, began)

    def _regrouped(
        self, tree: _Tree, acceptance: _Acceptance, found: CellPlan | None, began: float
    ) -> CellPlan:
        """The better of a plan that was found, if any, and those of records put together anew.

        No way of regrouping looks at how much may be suppressed, so that a limit that would have
        been enough is known where it is exceeded.
        """
        data, settings, promises = self._data, self._settings, self._promises
        waiting = [tree.leaves()]
        if all(promise.closure != "none" for promise in promises):
            waiting = [waiting[0][tree.broken[waiting[0]]]]
        while waiting:
            nodes = waiting.pop()
            for begin in range(0, len(nodes), PARTS):
                some = nodes[begin : begin + PARTS]
                children = self._cut(some, tree, acceptance, through=True)
                if len(children):
                    waiting.append(children)
        costs = domains_of(data, settings)
        wants = Deficits(data, promises)
        least = least_units(promises)
        parts = Parts(tree.low, tree.high, tree.parent, tree.broken, self._rows.member)
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

    def _cut(
        self, nodes: Ints, tree: _Tree, acceptance: _Acceptance, *, through: bool = False
    ) -> Ints:
        """Cut some parts of the tree, if they can be; returns their children.

        ``through`` cuts them even if all that comes of it breaks a promise.
        """
        low, high, broken = tree.low[nodes], tree.high[nodes], tree.broken[nodes]
        cuts = np.zeros((len(nodes), 2 * len(self._data.attributes), 5), dtype=np.int64)
        found = np.zeros(len(nodes), dtype=np.int64)
        kernels.propose(
            self._rows, low, high, self._criterion, self._space, self._work, cuts, found
        )
        chosen = np.full(len(nodes), -1, dtype=np.int64)

        def look(part: Ints, place: Ints) -> tuple[Ints, Ints, Bools]:
            own = np.ascontiguousarray(cuts[part, place])
            return self._children(low[part], high[part], own, acceptance)

        # The best cut of every part first; all others only of those that it is refused.
        part = np.flatnonzero((found > 0) & ~broken)
        start, _, wrong = look(part, np.zeros_like(part))
        chosen[part[~_any(wrong, start)]] = 0
        rest = np.flatnonzero((found > 0) & (chosen < 0))
        begin = np.where(broken[rest], 0, 1)
        many = found[rest] - begin
        part = np.repeat(rest, many)
        place = np.arange(len(part)) - np.repeat(np.cumsum(many) - many - begin, many)
        start, size, wrong = look(part, place)
        tree.tried += len(part) + int((found > 0).sum())
        if len(part):
            # A part that is broken itself is cut where fewest units stay in broken children.
            lost = np.add.reduceat(np.where(wrong, size, 0), start[:-1])
            fewer = lost < np.add.reduceat(size, start[:-1])
            fine = np.where(broken[part], fewer, ~_any(wrong, start))
            fits = np.flatnonzero(fine | through)
            fits = fits[np.lexsort((place[fits], lost[fits], part[fits]))]
            found_in, best = np.unique(part[fits], return_index=True)
            chosen[found_in] = place[fits[best]]
        closed = chosen < 0
        tree.close(nodes[closed])
        taken = np.flatnonzero(~closed)
        if not len(taken):
            return nodes[:0]
        own = np.ascontiguousarray(cuts[taken, chosen[taken]])
        start = _starts(own)
        wrong = np.zeros(start[-1], dtype=np.bool_)
        if through or broken[taken].any():
            start, _, wrong = self._children(low[taken], high[taken], own, acceptance)
        child_low = np.empty(start[-1], dtype=np.int64)
        child_high = np.empty(start[-1], dtype=np.int64)
        kernels.divide(
            self._rows, low[taken], high[taken], own, self._space, self._work, start, child_low,
            child_high,
        )  # fmt: skip
        parent = np.repeat(nodes[taken], np.diff(start))
        return tree.add(child_low, child_high, parent, wrong)

    def _children(
        self, low: Ints, high: Ints, cuts: Ints, acceptance: _Acceptance
    ) -> tuple[Ints, Ints, Bools]:
        """Where the children of each cut start, their units, and whether they break a promise."""
        start = _starts(cuts)
        size = np.zeros(start[-1], dtype=np.int64)
        broken = np.zeros(start[-1], dtype=np.bool_)
        at_once = max(CELLS // acceptance.width, 64)
        begin = 0
        while begin < len(cuts):
            end = int(np.searchsorted(start, start[begin] + at_once, side="right")) - 1
            end = min(max(end, begin + 1), len(cuts))
            some, first = slice(begin, end), start[begin : end + 1] - start[begin]
            units = np.zeros(first[-1], dtype=np.int64)
            cells = {}
            for name, (indptr, value, count, domain) in acceptance.counted.items():
                cells[name] = np.zeros((first[-1], domain), dtype=np.int64)
                kernels.weigh(
                    self._rows, low[some], high[some], cuts[some], first, self._space, self._work,
                    indptr, value, count, units, cells[name],
                )  # fmt: skip
            size[start[begin] : start[end]] = units
            broken[start[begin] : start[end]] = acceptance.broken(units, cells)
            begin = end
        return start, size, broken

    def refused(self, class_of: Ints32) -> Refused:
        """All cuts that are tried of these classes, each an attempt."""
        rows = self._rows
        order = np.argsort(class_of[rows.member], kind="stable")
        for part in (rows.rank, rows.weight, rows.member):
            part[:] = part[order]
        of = class_of[rows.member]
        low = np.searchsorted(of, np.arange(of.max(initial=-1) + 1))
        high = np.append(low[1:], len(of))[: len(low)]
        cuts = np.zeros((len(low), 2 * len(self._data.attributes), 5), dtype=np.int64)
        found = np.zeros(len(low), dtype=np.int64)
        kernels.propose(rows, low, high, self._criterion, self._space, self._work, cuts, found)
        attempts: list[Ints] = [np.zeros(0, dtype=np.int64)]
        parts: list[Ints32] = []
        tried = 0
        for place in range(int(found.max(initial=0))):
            those = np.flatnonzero(found > place)
            own = np.ascontiguousarray(cuts[those, place])
            start = _starts(own)
            begin, end = np.empty((2, start[-1]), dtype=np.int64)
            kernels.divide(
                rows, low[those], high[those], own, self._space, self._work, start, begin, end
            )
            attempts.append(np.repeat(np.arange(tried, tried + len(those)), np.diff(start)))
            tried += len(those)
            parts += [rows.member[a:b].copy() for a, b in zip(begin, end, strict=True)]
        return Refused(np.concatenate(attempts), Ragged.of(parts))

    def _publish(self, tree: _Tree, began: float) -> CellPlan:
        """The plan of the parts, merged and suppressed until what is published keeps the promises.

        A class that breaks a promise only as published is suppressed if that is allowed; if not,
        the cut that made it is taken back.
        """
        data, settings, promises = self._data, self._settings, self._promises
        allowed = settings.allowed(data.table.records)
        judge = Judge(data, promises)
        nodes = tree.leaves()
        dropped = tree.broken[nodes]
        merged = False
        while True:
            class_of = self._class_of(tree, nodes, dropped)
            lost = publishing.units_suppressed(data, class_of)
            if lost > allowed:
                raise Unsatisfiable(
                    publishing.too_many(promises, lost, data.table.records, settings)
                )
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
                raise Unsatisfiable(
                    publishing.too_many(promises, lost, data.table.records, settings)
                )
            nodes, dropped = tree.without(nodes, dropped, tree.parent[wrong])
            merged = True

    def _class_of(self, tree: _Tree, nodes: Ints, dropped: Bools) -> Ints32:
        class_of = np.full(len(self._data.weight), -1, dtype=np.int32)
        number = np.where(dropped, -1, np.cumsum(~dropped) - 1).astype(np.int32)
        class_of[self._rows.member] = np.repeat(number, tree.high[nodes] - tree.low[nodes])
        return class_of


class _Tree:
    """The parts that were cut out of the table: each a run of its rows, within its parent's."""

    def __init__(self, rows: int, broken: bool) -> None:
        self.low = np.zeros(1, dtype=np.int64)
        self.high = np.full(1, rows, dtype=np.int64)
        self.parent = np.full(1, -1, dtype=np.int64)
        self.broken = np.full(1, broken)
        self.first = np.zeros(1, dtype=np.int64)
        self.tried = 0
        self.rows_closed = 0
        self._closed: list[Ints] = []

    def add(self, low: Ints, high: Ints, parent: Ints, broken: Bools) -> Ints:
        """Take in new parts; returns their numbers."""
        before = len(self.low)
        self.low = np.concatenate([self.low, low])
        self.high = np.concatenate([self.high, high])
        self.parent = np.concatenate([self.parent, parent])
        self.broken = np.concatenate([self.broken, broken])
        return np.arange(before, len(self.low))

    def close(self, nodes: Ints) -> None:
        """These parts are not cut."""
        self._closed.append(nodes)
        self.rows_closed += int((self.high[nodes] - self.low[nodes]).sum())

    def leaves(self) -> Ints:
        """The parts that were not cut, in the order of their rows."""
        found = np.concatenate([self.first[:0], *self._closed])
        return found[np.argsort(self.low[found])]

    def without(self, nodes: Ints, dropped: Bools, merged: Ints) -> tuple[Ints, Bools]:
        """The parts with the cuts below some of them taken back, and which are dropped."""
        every = np.concatenate([nodes, np.unique(merged)])
        gone = np.concatenate([dropped, np.zeros(len(every) - len(nodes), dtype=np.bool_)])
        order = np.lexsort((-self.high[every], self.low[every]))
        every, gone = every[order], gone[order]
        end = np.maximum.accumulate(np.append(0, self.high[every]))[:-1]
        outermost = self.high[every] > end
        return every[outermost], gone[outermost]


class _Acceptance:
    """Whether classes keep promises that need more than their number of units.

    What a promise compares with is the distribution in the whole table.
    """

    def __init__(self, data: LeveledTable, promises: Sequence[Promise]) -> None:
        self._promises = promises
        self._data = data
        table = data.table
        names = {part.sensitive for part in promises if part.sensitive is not None}
        self._reference = {name: table.sensitive[name].totals for name in names}
        self._domains = {name: table.sensitive[name].about for name in names}
        self.counted: dict[str | None, tuple[Ints, Ints32, Ints, int]] = {}
        for name in sorted(names):
            cells = table.sensitive[name]
            self.counted[name] = (cells.indptr, cells.value, cells.count, len(cells.domain))
        rows = len(table.weight)
        if table.population is not None and any(part.needs_population for part in promises):
            each, none = np.arange(rows + 1, dtype=np.int64), np.zeros(rows, dtype=np.int32)
            self.counted[None] = (each, none, table.population, 1)
        if not self.counted:
            nothing = np.zeros(0, dtype=np.int64)
            self.counted[None] = (nothing, nothing.astype(np.int32), nothing, 0)
        self.width = max(sum(part[3] for part in self.counted.values()), 1)

    def whole(self) -> bool:
        """Whether the whole table breaks a promise."""
        table = self._data.table
        cells: dict[str | None, Ints] = {
            name: own[None, :] for name, own in self._reference.items()
        }
        if table.population is not None:
            cells[None] = table.population.sum(keepdims=True)[:, None]
        return bool(self.broken(np.array([table.records], dtype=np.int64), cells)[0])

    def broken(self, size: Ints, cells: Mapping[str | None, Ints]) -> Bools:
        """Which classes break a promise, [G], given how often each value occurs in them."""
        found = np.zeros(len(size), dtype=np.bool_)
        people = cells[None][:, 0] if None in cells and cells[None].shape[1] else None
        none = np.zeros(0, dtype=np.int32)
        for promise in self._promises:
            name = promise.sensitive
            seen = ClassTable(none, size, population=people if promise.needs_population else None)
            if name is not None:
                seen = replace(
                    seen,
                    cells={name: cells[name]},
                    reference={name: self._reference[name]},
                    domains={name: self._domains[name]},
                )
            found |= promise.breaks(seen)
        return found


def _starts(cuts: Ints) -> Ints:
    """Where the children of each cut start, when they are numbered on; and their number."""
    children = np.where(cuts[:, kernels.HOW] == kernels.BRANCHES, cuts[:, kernels.B], 2)
    return np.concatenate([[0], np.cumsum(children)]).astype(np.int64)


def _any(marked: Bools, start: Ints) -> Bools:
    """Whether any is marked from each start to the next; there is one at least."""
    if len(start) == 1:
        return np.zeros(0, dtype=np.bool_)
    found: Bools = np.logical_or.reduceat(marked, start[:-1])
    return found


def _space(
    data: LeveledTable, styles: Sequence[str], weights: Mapping[str, float], members: Ints32
) -> tuple[Space, Array]:
    """What the kernels know of the attributes, and the ranks of some of the combinations."""
    starts = np.cumsum([0, *data.domain.tolist()])
    at = np.zeros((len(data.attributes), 6), dtype=np.int64)
    unit = np.zeros((len(data.attributes), 3))
    costs: list[Floats] = []
    paths: list[Ints] = []
    kind_of = np.uint8 if data.domain.max(initial=0) <= TABLE else np.int32
    rank = np.empty((len(members), len(data.attributes)), dtype=kind_of)
    ends, path_ends = 0, 0
    for j, (name, style) in enumerate(zip(data.attributes, styles, strict=True)):
        taxonomy, codes = data.taxonomies[name], data.table.codes[j]
        compiled, size = taxonomy.compile(), len(taxonomy.leaves)
        occurs = np.bincount(codes, weights=data.weight, minlength=size) > 0
        kind = {"range": kernels.RANGE, "set": kernels.SET}.get(style, kernels.TREE)
        order, own_costs = compiled.order, -1
        if kind == kernels.RANGE:
            order, places = _by_number(taxonomy, occurs)
            own_costs = ends
            costs.append(places)
            ends += size
        from_top, labels, covered = paths_from_top(compiled)
        of_rank = np.empty(size, dtype=np.int64)
        of_rank[order] = np.arange(size)
        nodes = from_top[:, of_rank]
        costs.append((covered - 1.0) / max(size - 1, 1))
        paths.append(np.where(nodes >= 0, nodes + ends, -1).ravel())
        at[j] = starts[j], size, kind, len(nodes), path_ends, own_costs
        ends += len(labels)
        path_ends += nodes.size
        values = max(int(occurs.sum()), 2)
        share = 1.0 if kind == kernels.SET else SHARE_OF_VALUES
        unit[j] = weights.get(name, 1.0), share / (values - 1), np.log2(values)
        rank[:, j] = order[codes[members]]
    space = kernels.Space(
        at,
        unit,
        np.concatenate([np.zeros(0), *costs]),
        np.concatenate([np.zeros(0, np.int64), *paths]).astype(np.int32),
    )
    small = (at[:, kernels.KIND] == kernels.TREE) & (at[:, kernels.SIZE] <= TABLE)
    for j in np.flatnonzero(small).tolist():
        found = np.empty((at[j, kernels.SIZE], at[j, kernels.SIZE]))
        kernels.spans(space, j, found)
        costs.append(found.ravel())
    for j in np.flatnonzero(small).tolist():
        at[j, kernels.COST] = ends
        ends += int(at[j, kernels.SIZE]) ** 2
    return space._replace(cost=np.concatenate([np.zeros(0), *costs])), rank


def _by_number(taxonomy: Taxonomy, occurs: Bools) -> tuple[Ints, Floats]:
    """The rank of every leaf by its number, and where each rank lies.

    The smallest number in the table lies at 0, the largest at 1. A missing value, and one that is
    suppressed on every level, comes last and apart, so that it is parted from numbers first.
    """
    ordered = numbers_in_order(taxonomy) or []
    size = len(taxonomy.leaves)
    order = np.full(size, -1, dtype=np.int64)
    order[[code for _, code in ordered]] = np.arange(len(ordered))
    rest = np.flatnonzero(order < 0)
    order[rest] = np.arange(len(ordered), size)
    numbers = np.array([float(number) for number, _ in ordered])
    here = numbers[[occurs[code] for _, code in ordered]]
    places = np.full(size, APART)
    if len(here):
        length = here[-1] - here[0]
        places[: len(ordered)] = (numbers - here[0]) / (length if length > 0 else 1.0)
    return order, places
