"""From classes to what is published, and whether that keeps the promises.

Classes with equal cells are one class to readers of the release, promises about some attributes
see larger classes, and promises that compare with the published records or with a population
depend on all cells. Promises that survive merging (closure ``superset`` or ``union``) hold for what
is published if they hold for every class; all others are looked at once more.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from indistinct.document import some_of
from indistinct.errors import Problem, Unsatisfiable, refuse
from indistinct.hierarchies.cells import Coverage
from indistinct.kernels.cells import people_under
from indistinct.microdata.frequencies import ClassTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.cells import cells_of, classes_as_published
from indistinct.recoding.judge import Judge
from indistinct.recoding.partition.settings import PartitionSettings
from indistinct.recoding.plan import CellPlan, SearchReport
from indistinct.recoding.recoded import ncp
from indistinct.types import Bools, Ints, Ints32


def check_feasible(
    data: LeveledTable, promises: Sequence[Promise], settings: PartitionSettings
) -> None:
    """See that some release of the table can keep the promises.

    Arguments:
        data: the table.
        promises: what is promised.
        settings: what may be suppressed.

    Raises:
        Unsatisfiable: for promises that none can keep.
    """
    allowed = settings.allowed(data.table.records)
    if allowed < data.table.records or data.table.records == 0:
        found = [problem for part in promises if (problem := part.infeasible(data.table, allowed))]
        refuse(Unsatisfiable, found)


def report(algorithm: str, began: float, *, value: float = 0.0, **counters: int) -> SearchReport:
    """How a partition was found. Nothing is claimed about better ones.

    Arguments:
        algorithm: its name.
        began: when the search began, in seconds of ``time.perf_counter``.
        value: what the plan costs.
        counters: what was counted on the way; ``parts`` are those looked at.
    """
    return SearchReport(
        algorithm=algorithm,
        value=value,
        nodes=counters.get("parts", 0),
        checked=counters.get("parts", 0),
        seconds=time.perf_counter() - began,
        counters=counters,
    )


def finished(data: LeveledTable, plan: CellPlan, began: float) -> CellPlan:
    """The plan with what it costs and how long it took in its report.

    Arguments:
        data: the table.
        plan: what is published instead of what.
        began: when the search began, in seconds of ``time.perf_counter``.
    """
    value = ncp(data, plan)
    seconds = time.perf_counter() - began
    return replace(plan, search=replace(plan.search, value=value, seconds=seconds))


def settled(
    data: LeveledTable,
    promises: Sequence[Promise],
    class_of: Ints32,
    settings: PartitionSettings,
    algorithm: str,
    began: float,
) -> CellPlan:
    """The plan for classes that cannot be mended by merging: what breaks a promise is suppressed.

    It may be more than is allowed.

    Arguments:
        data: the table.
        promises: what has to be kept.
        class_of: the class of every combination, [C]; -1 of suppressed ones.
        settings: how cells look.
        algorithm: what made the classes.
        began: when it began, in seconds of ``time.perf_counter``.
    """
    judge = Judge(data, promises)
    while True:
        plan = cells_of(data, class_of, settings.cells, report(algorithm, began))
        broken = broken_as_published(data, promises, plan, judge)
        if not broken.any():
            return plan
        class_of = without(plan.class_of, broken)


def published(
    data: LeveledTable,
    promises: Sequence[Promise],
    class_of: Ints32,
    settings: PartitionSettings,
    algorithm: str,
    began: float,
) -> CellPlan:
    """The same as :func:`settled` with what it costs, if no more is suppressed than is allowed.

    Arguments:
        data: the table.
        promises: what has to be kept.
        class_of: the class of every combination, [C]; -1 of suppressed ones.
        settings: how cells look, and what may be suppressed.
        algorithm: what made the classes.
        began: when it began, in seconds of ``time.perf_counter``.

    Raises:
        Unsatisfiable: if more would be suppressed than is allowed.
    """
    plan = settled(data, promises, class_of, settings, algorithm, began)
    check_suppressed(data, promises, plan.class_of, settings)
    return finished(data, plan, began)


def without(class_of: Ints32, broken: Bools) -> Ints32:
    """The classes with those that are broken suppressed."""
    return np.where(np.append(broken, False)[class_of], -1, class_of).astype(np.int32)


def units_suppressed(data: LeveledTable, class_of: Ints32) -> int:
    """Units in no class."""
    return int(data.weight[class_of < 0].sum())


def check_suppressed(
    data: LeveledTable, promises: Sequence[Promise], class_of: Ints32, settings: PartitionSettings
) -> None:
    """See that no more units are in no class than is allowed.

    Arguments:
        data: the table.
        promises: what is promised, for the message.
        class_of: the class of every combination, [C]; -1 of suppressed ones.
        settings: what may be suppressed.

    Raises:
        Unsatisfiable: there are more.
    """
    lost, records = units_suppressed(data, class_of), data.table.records
    if lost > settings.allowed(records):
        raise Unsatisfiable(too_many(promises, lost, records, settings))


def too_many(
    promises: Sequence[Promise], lost: int, records: int, settings: PartitionSettings
) -> Problem:
    """That the promises cannot be kept without suppressing more than is allowed.

    Arguments:
        promises: what is promised; one at least.
        lost: units that would be suppressed.
        records: units of the table.
        settings: what may be suppressed.
    """
    asked, unit = "; ".join(map(str, promises)), promises[0].unit
    if lost < records:
        remedy = (
            f"suppression_limit = {enough(lost, records):.3f} is enough, or choose weaker promises"
        )
    else:
        remedy = (
            f"choose weaker promises: at no limit was a release found that publishes any {unit}"
        )
    return Problem(
        "unsatisfiable",
        f"no partition was found that keeps {asked} with at most "
        f"{some_of(settings.allowed(records), records, unit)} suppressed",
        remedy=remedy,
    )


def enough(lost: int, records: int) -> float:
    """The least limit with three places under which so many of the records may be suppressed.

    >>> enough(1, 3), enough(125, 1000)
    (0.334, 0.125)
    """
    return -(-1000 * lost // records) / 1000


def lasts(promise: Promise) -> bool:
    """Whether a promise that every class keeps is kept by every form of cells of the classes."""
    return promise.effective_closure != "none" and not promise.needs_population


def broken_as_published(
    data: LeveledTable, promises: Sequence[Promise], plan: CellPlan, judge: Judge | None = None
) -> Bools:
    """Which classes break a promise in the form in which they are published, [G].

    Promises that last are taken to be kept by every class.

    Arguments:
        data: the table.
        promises: what has to be kept.
        plan: the classes and their cells.
        judge: one of the same table and promises, to be used for many plans.
    """
    judge = judge or Judge(data, promises)
    found = np.zeros(plan.groups, dtype=np.bool_)
    dropped = plan.suppressed
    by_set: dict[tuple[int, ...], list[Promise]] = {}
    for promise in promises:
        if not lasts(promise):
            on = promise.on or data.attributes
            by_set.setdefault(tuple(sorted(map(data.attributes.index, on))), []).append(promise)
    for at, asked in by_set.items():
        some = replace(
            plan,
            cell_of=tuple(plan.cell_of[j] for j in at),
            texts=tuple(plan.texts[j] for j in at),
        )
        number = classes_as_published(some)
        groups = int(number.max(initial=-1)) + 1
        class_of = np.where(dropped, groups, np.append(number, 0)[plan.class_of]).astype(np.int32)
        size = np.bincount(class_of, weights=np.where(dropped, 0, data.weight))
        size = np.rint(np.append(size, np.zeros(groups + 1 - len(size)))).astype(np.int64)
        counting = [promise for promise in asked if not promise.needs_population]
        if counting:
            found |= judge.broken(class_of, size, dropped, counting)[number]
        people = [promise for promise in asked if promise.needs_population]
        if people and data.table.population is not None:
            found |= _broken_by_people(data, people, plan, at, (number, class_of, size))
    held = np.zeros(plan.groups, dtype=np.bool_)
    held[plan.class_of[~dropped]] = True
    return found & held


def broken_either_way(data: LeveledTable, promises: Sequence[Promise], plan: CellPlan) -> Bools:
    """Which classes break a promise, as they are or as they are published, [G].

    Arguments:
        data: the table.
        promises: what has to be kept.
        plan: the classes and their cells.
    """
    judge = Judge(data, promises)
    return broken_classes(data, promises, plan, judge) | broken_as_published(
        data, promises, plan, judge
    )


def broken_classes(
    data: LeveledTable, promises: Sequence[Promise], plan: CellPlan, judge: Judge
) -> Bools:
    """Which classes break a promise as they are, about all quasi-identifiers, [G].

    Arguments:
        data: the table.
        promises: what has to be kept; only those that last are looked at.
        plan: the classes.
        judge: one of the same table and promises.
    """
    dropped = plan.suppressed
    class_of = np.where(dropped, plan.groups, plan.class_of).astype(np.int32)
    size = np.bincount(
        class_of, weights=np.where(dropped, 0, data.weight), minlength=plan.groups + 1
    )
    asked = [promise for promise in promises if lasts(promise)]
    broken = judge.broken(class_of, np.rint(size).astype(np.int64), dropped, asked)
    return broken[: plan.groups]


def _broken_by_people(
    data: LeveledTable,
    promises: Sequence[Promise],
    plan: CellPlan,
    at: Sequence[int],
    classes: tuple[Ints32, Ints32, Ints],
) -> Bools:
    """Which classes break a promise about the people of the population under their cells, [G].

    People under no class are in the one behind the last, with what is suppressed.
    """
    population = data.table.population
    assert population is not None
    number, class_of, size = classes
    groups = len(size) - 1
    first = np.zeros(groups, dtype=np.int64)
    first[number[::-1]] = np.arange(len(number) - 1, -1, -1)
    cell_of = np.stack([plan.cell_of[j][first] for j in at], axis=1).astype(np.int32)
    covers = [
        Coverage(data.taxonomies[data.attributes[j]]).matrix(plan.texts[j]).ravel() for j in at
    ]
    start = np.cumsum([0, *(len(own) for own in covers)])[:-1]
    codes = np.stack([data.table.codes[j].astype(np.int32) for j in at], axis=1)
    people = np.zeros(groups + 1, dtype=np.int64)
    reached = np.zeros(len(codes), dtype=np.bool_)
    kept = np.flatnonzero(size[:groups] > 0)
    under = np.zeros(len(kept), dtype=np.int64)
    people_under(
        cell_of[kept],
        np.concatenate(covers),
        start,
        data.domain[list(at)],
        codes,
        population,
        under,
        reached,
    )
    people[kept] = under
    found = np.zeros(len(number), dtype=np.bool_)
    for promise in promises:
        passed_over = getattr(promise, "absent", "break") == "suppressed"
        people[groups] = 0 if passed_over else population[~reached].sum()
        broken = promise.breaks(ClassTable(class_of, size, population=people))
        # People under no class are missed by all of them.
        found |= broken[number] if not broken[groups] else True
    return found
