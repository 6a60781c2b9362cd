"""Full-domain generalization: one level per attribute, records that do not fit suppressed.

:func:`full_domain` picks the search: exhaustive in principle for lattices of up to a million nodes,
a heuristic for larger ones; and recodes locally afterwards if asked to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from indistinct.document import some_of
from indistinct.errors import PolicyError, Problem, Unsatisfiable, refuse
from indistinct.frozen import dataclass, field
from indistinct.kernels import NONE
from indistinct.measures import BoundObjective, Objective
from indistinct.measures.aggregate import better
from indistinct.measures.objective import CellObjective
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.full_domain.evaluation import Evaluator
from indistinct.recoding.full_domain.heuristic import HeuristicSearch
from indistinct.recoding.full_domain.local import join_rest, recode_remaining
from indistinct.recoding.full_domain.optimal import (
    LARGEST,
    Found,
    OptimalSearch,
)
from indistinct.recoding.full_domain.series import Alone, SeriesSearch, ks_of
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.limits import Limits, Progress, silent
from indistinct.recoding.method import Asked
from indistinct.recoding.plan import LevelPlan, SearchReport
from indistinct.recoding.recoded import score
from indistinct.recoding.refusals import not_quasi, unknown_sensitive
from indistinct.types import Floats, Ints

__all__ = ["Limits", "Settings", "allowed_units", "full_domain", "full_domain_for_each"]

OWN_ORDER = (
    "the best where records are left out in the order of this search; what one promise leaves out "
    "changes what others see, so another order might cost less"
)
"""Why nothing is proved where the order of suppression matters."""

WARM_UP = 50_000
"""Nodes from which on a short heuristic gives the exhaustive search its start."""


@dataclass(frozen=True)
class Settings:
    """How to search: the algorithm, what may be suppressed, level bounds, limits."""

    algorithm: Literal["optimal", "heuristic"] = "optimal"
    suppression_limit: float = 0.0
    min_level: Mapping[str, int] = field(default_factory=dict)
    max_level: Mapping[str, int] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    local_recoding: bool = False

    @classmethod
    def of(cls, asked: Asked) -> Settings:
        """The settings that a policy asks for."""
        return cls(
            algorithm="heuristic" if asked.keys.algorithm == "heuristic" else "optimal",
            suppression_limit=asked.keys.suppression_limit,
            min_level=asked.min_level,
            max_level=asked.max_level,
            limits=asked.limits,
            local_recoding=asked.keys.local_recoding,
        )


def allowed_units(suppression_limit: float, records: int) -> int:
    """How many records may be suppressed under a limit given as a share.

    >>> allowed_units(0.05, 30162), allowed_units(0.1, 30), allowed_units(1.0, 7)
    (1508, 3, 7)
    """
    return int(np.floor(suppression_limit * records + 1e-9))


@dataclass(frozen=True)
class _Task:
    """What is searched for, and within which limits."""

    data: LeveledTable
    lattice: Lattice
    promises: Sequence[Promise]
    bound: BoundObjective
    allowed: int
    settings: Settings
    original: LeveledTable | None


def full_domain(
    data: LeveledTable,
    promises: Sequence[Promise],
    objective: Objective,
    settings: Settings | None = None,
    progress: Progress = silent,
    *,
    original: LeveledTable | None = None,
) -> LevelPlan:
    """The plan of least cost that keeps the promises.

    Arguments:
        data: the table.
        promises: what has to be kept.
        objective: what a plan costs.
        settings: how to search; as :class:`Settings` has it where not given.
        progress: is told the share of the search that is done.
        original: the table whose distributions promises compare with, where ``data`` is a part of
            it; local recoding does not know of one.

    Raises:
        Unsatisfiable: no node keeps them within the suppression limit; tells the promise, the
            closest attempt and what would help.
        PolicyError: level bounds that a hierarchy does not have, or a promise about an attribute
            that is not there.
    """
    settings = settings or Settings()
    _check(data, promises)
    if settings.local_recoding:
        _refuse_local(promises)
    lattice = Lattice.of(data, settings.min_level, settings.max_level)
    bound = objective.bind(data)
    allowed = allowed_units(settings.suppression_limit, data.table.records)
    if allowed < data.table.records:
        looked = [promise.infeasible(data.table, allowed) for promise in promises]
        refuse(Unsatisfiable, [problem for problem in looked if problem is not None])
    task = _Task(data, lattice, promises, bound, allowed, settings, original)
    search: OptimalSearch | HeuristicSearch
    if settings.algorithm == "heuristic" or lattice.size > LARGEST:
        search = HeuristicSearch(data, lattice, bound, original)
        found = search.run(promises, allowed, settings.limits, progress)
        algorithm = "heuristic"
    else:
        search = OptimalSearch(data, lattice, bound, original)
        start = _warm_up(task)
        found = search.run(promises, allowed, settings.limits, progress, start=start)
        algorithm = "optimal"
    plan = _plan(search, objective, found, algorithm)
    if plan is None:
        raise Unsatisfiable(_why(task, found, algorithm))
    if settings.local_recoding:
        return _recoded(data, lattice, promises, objective, plan, allowed)
    return plan


def full_domain_for_each(
    data: LeveledTable,
    series: Sequence[Sequence[Promise]],
    objective: Objective,
    settings: Settings | None = None,
) -> list[LevelPlan | None]:
    """The best plan for each of several sets of promises, ever stricter; None: it cannot be kept.

    What one search has excluded stays excluded for the next, so that a whole series (k = 2 to 20)
    costs little more than its hardest member. Where the sets are k-anonymity alone over all
    attributes, one search serves every k; what it reports as looked at, and as its time, is that of
    the series.

    Arguments:
        data: the table.
        series: sets of promises, each at least as strict as the one before.
        objective: what a plan costs.
        settings: how to search; as :class:`Settings` has it where not given.
    """
    settings = settings or Settings()
    _check(data, [promise for promises in series for promise in promises])
    lattice = Lattice.of(data, settings.min_level, settings.max_level)
    if lattice.size > LARGEST:
        raise PolicyError(
            "lattice-too-large", f"a series is searched exactly: {lattice.size} nodes"
        )
    bound = objective.bind(data)
    allowed = allowed_units(settings.suppression_limit, data.table.records)
    ks = ks_of(series, data.attributes)
    if ks and isinstance(bound, CellObjective) and settings.limits == Limits():
        together = SeriesSearch(data, lattice, bound)
        several = together.at_once
        plans: list[LevelPlan | None] = []
        for begin in range(0, len(ks), several):
            some = ks[begin : begin + several]
            for k, found in zip(some, together.run(some, allowed), strict=True):
                plans.append(_plan(together.alone(k, found.levels), objective, found))
        return plans
    search = OptimalSearch(data, lattice, bound)
    plans = []
    for promises in series:
        found = search.run(promises, allowed, settings.limits)
        plans.append(_plan(search, objective, found))
    return plans


def _plan(
    search: OptimalSearch | HeuristicSearch | Alone,
    objective: Objective,
    found: Found,
    algorithm: str = "optimal",
) -> LevelPlan | None:
    """The plan for what a search has found, if anything."""
    if found.levels is None:
        return None
    assert found.key is not None
    levels = _least_general(search, search.lattice, found.levels, found.key)
    node = tuple(int(level) for level in levels)
    node_of = np.where(search.suppressed(levels), NONE, 0).astype(np.int32)
    report = _report(algorithm, objective, search.objective, found, search.lattice.size)
    return LevelPlan(search.data.attributes, (node,), node_of, report)


def _check(data: LeveledTable, promises: Sequence[Promise]) -> None:
    """Raise :class:`PolicyError` for promises about attributes that the table does not have."""
    on = [(f"promise '{part.model}' applies to", part.on or ()) for part in promises]
    problems = not_quasi(data, on)
    why = "whose values were not counted"
    problems += unknown_sensitive(promises, data.table.sensitive, why)
    refuse(PolicyError, problems)


def _refuse_local(promises: Sequence[Promise]) -> None:
    """Raise :class:`PolicyError` for promises that look at people outside the release.

    In local recoding somebody of the population may look like several classes, and the search
    cannot tell of which class they are missing.
    """
    problems = [
        Problem(
            "no-local-recoding",
            f"{promise} asks that people of the population be in the release, which local recoding "
            "cannot see to",
            remedy="leave local_recoding out, or write lower = 0",
        )
        for promise in promises
        if promise.keeps_everybody
    ]
    refuse(PolicyError, problems)


def _warm_up(task: _Task) -> list[Ints]:
    """A node that a short heuristic search finds, where the lattice is large."""
    limits = task.settings.limits
    if task.lattice.size < WARM_UP:
        return []
    seconds = None if limits.seconds is None else limits.seconds / 10
    nodes = 2_000 if limits.nodes is None else limits.nodes // 10
    search = HeuristicSearch(task.data, task.lattice, task.bound, task.original)
    found = search.run(task.promises, task.allowed, Limits(seconds, nodes))
    return [] if found.levels is None else [found.levels]


def _least_general(
    search: OptimalSearch | HeuristicSearch | Alone, lattice: Lattice, levels: Ints, key: Floats
) -> Ints:
    """A node of the same cost that generalizes no attribute more than that cost asks for."""
    levels = levels.copy()
    for j in range(len(levels)):
        while levels[j] > lattice.first[j]:
            levels[j] -= 1
            found = search.key_at(levels)
            if found is None or tuple(found) != tuple(key):
                levels[j] += 1
                break
    return levels


def _report(
    algorithm: str, objective: Objective, bound: BoundObjective, found: Found, nodes: int
) -> SearchReport:
    assert found.key is not None
    assert found.bound is not None
    value = bound.value(found.key)
    floor = bound.value(found.bound)
    done = found.stopped_by is None
    exact = algorithm == "optimal"
    proved = exact and ((done and not found.order_matters) or floor == value)
    return SearchReport(
        algorithm=algorithm,
        measure=objective.measure,
        aggregate=objective.aggregated_by,
        value=value,
        optimal=proved,
        bound=floor,
        nodes=nodes,
        checked=found.checked,
        seconds=found.seconds,
        stopped_by=found.stopped_by,
        unproved=OWN_ORDER if exact and done and not proved else None,
    )


def _recoded(
    data: LeveledTable,
    lattice: Lattice,
    promises: Sequence[Promise],
    objective: Objective,
    plan: LevelPlan,
    allowed: int,
) -> LevelPlan:
    """The best of the full-domain plan, its rest recoded, and everything recoded from nothing.

    They are compared with suppression counted in full, for every factor between the two:
    recoding what was suppressed is what is asked for.
    """
    bound = objective.bind(data)
    judge = replace(objective, gs_factor=Objective.gs_factor).bind(data)
    starts = [(plan.nodes, plan.node_of)]
    if not plan.suppressed.all():
        starts.append(((), np.full_like(plan.node_of, NONE)))
    best, key = plan, score(data, plan, judge)
    ways = [recode_remaining(data, lattice, promises, bound, *start) for start in starts]
    for found, where in list(ways):
        if int(data.weight[where < 0].sum()) > allowed:
            ways += join_rest(data, lattice, promises, bound, found, where)
    for found, where in ways:
        candidate = LevelPlan(plan.attributes, found, where, plan.search, scope="local")
        if int(data.weight[candidate.suppressed].sum()) > allowed:
            continue
        new = score(data, candidate, judge)
        if better(new[None, :], key).all():
            best, key = candidate, new
    floor = bound.unsuppressed(lattice.first[None, :])[0]
    value = bound.value(score(data, best, bound))
    report = replace(
        plan.search, value=value, optimal=False, bound=bound.value(floor), unproved=None
    )
    return replace(best, search=report, start=plan)


def _smaller(promises: Sequence[Promise]) -> str:
    """What to make smaller: the parameters, by name where there is one only."""
    names = {name for promise in promises for name in promise.parameters}
    return f"a smaller {names.pop()}" if len(names) == 1 else "weaker parameters"


def _unmet(task: _Task, node: Ints) -> str:
    """The promises that no class keeps at a node, each taken alone."""
    data, records = task.data, task.data.table.records

    def lost(promise: Promise) -> int:
        own = Evaluator(data, (promise,), task.bound, records, Grouper(data), task.original)
        return own.outcome(node)[0].suppressed

    unmet = [str(promise) for promise in task.promises if lost(promise) == records]
    return "; ".join(unmet) or "all of them"


def _why(task: _Task, found: Found, algorithm: str) -> Problem:
    """Why nothing was found: the closest attempt, and what would help."""
    data, promises, settings, allowed = task.data, task.promises, task.settings, task.allowed
    closest = ", ".join(f"{name} {found.closest[j]}" for j, name in enumerate(data.attributes))
    records = data.table.records
    evaluator = Evaluator(data, promises, task.bound, records, Grouper(data), task.original)
    fewest = evaluator.outcome(found.closest)[0].suppressed
    rootless = [
        name
        for name in data.attributes
        if name in data.taxonomies and not data.taxonomies[name].has_root
    ]
    help_ = [f"a larger {found.stopped_by}"] if found.stopped_by else []
    help_ += [f"a hierarchy with one root for {', '.join(rootless)}"] if rootless else []
    result = f"would suppress {fewest}"
    if fewest > records:
        result = "leaves a class that no suppression repairs"
    elif any(promise.keeps_everybody for promise in promises):
        allowed = 0  # under any limit
    elif fewest == records:
        result = f"has no class that keeps {_unmet(task, found.closest)}"
    elif fewest > allowed:
        need = np.ceil(fewest / records * 1000) / 1000
        help_.append(f"a suppression_limit of {need:g} or more")
    help_.append(_smaller(promises))
    if settings.max_level:
        help_.append("a higher max_level for " + ", ".join(settings.max_level))
    text = "; ".join(str(promise) for promise in promises)
    if found.stopped_by:
        how = f"search stopped by {found.stopped_by} before a plan was found"
    elif found.order_matters or (
        algorithm == "heuristic"
        and any(promise.effective_closure != "superset" for promise in promises)
    ):
        how = "no generalization was found that keeps the promise"
    else:
        how = "no generalization keeps the promise"
    return Problem(
        "unsatisfiable",
        f"{how} ({text}) with at most {some_of(allowed, records, promises[0].unit)} suppressed; "
        f"the closest attempt (levels {closest}) {result}",
        remedy="what would help: " + ", ".join(help_),
    )
