"""From a policy's method to the plan that it asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import Problem, Unsatisfiable
from indistinct.measures import measures, objective
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import row_numbers
from indistinct.policy import LINKED, PARTITIONS, ROW_SEARCHES
from indistinct.privacy import models
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.privacy.promise import Promise
from indistinct.recoding.exchange import ThetaSettings, theta_sensitive
from indistinct.recoding.full_domain import Limits, Settings, full_domain
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.partition import PartitionSettings, partition
from indistinct.recoding.split import SplitPlan, split_by_rank
from indistinct.recoding.subtree import SEARCHES, keep_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from indistinct.measures import Objective
    from indistinct.pipeline.private_table import PrivateTable
    from indistinct.pipeline.run import Run
    from indistinct.policy import Policy
    from indistinct.recoding.plan import CellPlan, LevelPlan, Plan

OTHERS = "(other columns)"
"""Stands for everything that is published beside the quasi-identifiers, in searches for rows."""


def search(private: PrivateTable, run: Run) -> Plan:
    """The plan by the policy's method.

    Arguments:
        private: the table and its promises.
        run: is told the progress, and given private documents about the search.

    Raises:
        Unsatisfiable: no plan of this kind keeps the promises within the policy's limits.
    """
    run.tell("searching", 0.0)
    try:
        return _search(private, run)
    except Unsatisfiable as error:
        promises = private.promises_of_classes
        raise Unsatisfiable([relieved(problem, promises) for problem in error.problems]) from None


def relieved(problem: Problem, promises: Sequence[Promise]) -> Problem:
    """A search's failure, with what the promises it names say that would ask for less."""
    reliefs = [
        f"{part.model} with {part.relaxation_hint}"
        for part in promises
        if part.relaxation_hint is not None and part.model in problem.message
    ]
    if problem.code != "unsatisfiable" or not reliefs:
        return problem
    return replace(problem, remedy="; or ".join([problem.remedy or "ask for less", *reliefs]))


def _search(private: PrivateTable, run: Run) -> Plan:
    policy, microdata = private.policy, private.microdata
    if splits(policy):
        return split_plan(private, run)
    promises = private.promises_of_classes
    method, settings, progress = policy.method, search_settings(policy), run.share_of("searching")
    if counts_rows(policy):
        texts = private.subjects.texts
        beside = {_unused(OTHERS, texts.columns): row_numbers(texts, policy.published_beside)}
        whole = private.encode(private.subjects, unchanged=beside)
        data = whole.data
        promises = [replace(part, on=part.on or policy.quasi_identifiers) for part in promises]
        same = np.zeros(data.table.combinations, dtype=np.int32)
        same[whole.combination_of] = microdata.combination_of
        if method.algorithm not in SEARCHES:
            plan = full_domain(data, promises, objective_of(policy), settings, progress)
            return plan.onto(microdata.data, same)
        kept, result = keep_rows(
            data,
            promises,
            method.algorithm,
            scope=method.scope,
            tie_break=method.tie_break,
            lattice=Lattice.of(data, settings.min_level, settings.max_level),
            limits=settings.limits,
            progress=progress,
        )
        run.documents["search.json"] = result.to_dict()
        return kept.onto(microdata.data, same)
    present = private.present
    data = microdata.data if present is private.subjects else private.encode(present).data
    found: CellPlan | LevelPlan
    if method.algorithm in PARTITIONS:
        found = partitioned(policy, promises, data, progress, run.seed)
        if found.log:
            run.documents["moves.json"] = dict(found.log)
    else:
        found = full_domain(data, promises, objective_of(policy), settings, progress)
    return found if data is microdata.data else found.beside(microdata.data.suppressed_before)


def objective_of(policy: Policy) -> Objective:
    """What the search minimises."""
    goal = policy.method.objective
    return objective(
        goal.measure,
        aggregate=goal.aggregate,
        gs_factor=goal.gs_factor,
        monotonic=goal.monotonic,
        weights=_weights(policy),
    )


def search_settings(policy: Policy) -> Settings:
    """How full-domain generalization searches."""
    method = policy.method
    return Settings(
        algorithm="heuristic" if method.algorithm == "heuristic" else "optimal",
        suppression_limit=method.suppression_limit,
        min_level={name: item.min_level for name, item in policy.attributes.items()},
        max_level={
            name: item.max_level
            for name, item in policy.attributes.items()
            if item.max_level is not None
        },
        limits=Limits(method.time_limit, method.node_limit),
        local_recoding=method.local_recoding,
    )


def partitioned(
    policy: Policy,
    promises: Sequence[Promise],
    data: LeveledTable,
    progress: Callable[[float], None],
    seed: int,
) -> CellPlan:
    """The plan that puts records into classes and publishes what fits each class."""
    method = policy.method
    own = method.partition
    settings = PartitionSettings(
        strict=own.strict,
        cells=method.cells,
        weights=policy.weights,
        suppression_limit=method.suppression_limit,
        seed=seed,
    )
    if own.dimension is not None:
        settings = replace(settings, dimension=own.dimension)
    if own.cut is not None:
        settings = replace(settings, cut=own.cut)
    if method.algorithm == "theta":
        theta = ThetaSettings(
            variant=method.variant,
            partition=own.start or "mondrian",
            donors=own.donors,
            max_noise=method.max_noise,
            cells=method.cells,
            weights=policy.weights,
            seed=seed,
            partitioning=settings,
        )
        return theta_sensitive(data, promises, theta, progress)
    name = method.algorithm
    assert name in {"mondrian", "k-member", "mdav"}
    return partition(data, promises, name, settings, progress)


def moves_records(policy: Policy) -> bool:
    """Whether the method treats records with equal quasi-identifiers differently.

    Mondrian does if asked to, and with promises that no closure holds of: a large class may break
    one that parts of it keep, and equal records alone may be too many.
    """
    method = policy.method
    known = models()
    apart = not method.partition.strict or any(
        part.sensitive is not None and known[part.model].closure == "none"
        for part in policy.promises
        if part.model in known
    )
    return (
        method.algorithm in ("k-member", "mdav", "theta", *LINKED)
        or (method.algorithm == "mondrian" and apart)
        or splits(policy)
    )


def counts_rows(policy: Policy) -> bool:
    """Whether the search looks at whole rows, not only at quasi-identifiers."""
    return policy.method.objective.measure == "rows" or policy.method.algorithm in ROW_SEARCHES


def _unused(name: str, columns: Sequence[str]) -> str:
    while name in columns:
        name += "_"
    return name


def _weights(policy: Policy) -> dict[str, float]:
    """Attribute weights where one differs from 1, for objectives that take any."""
    weights = policy.weights
    takes_any = "weights" in measures()[policy.method.objective.measure].settings
    return weights if takes_any and any(weight != 1.0 for weight in weights.values()) else {}


SPLIT = "(split)"
"""Keeps records with equal quasi-identifiers and different ranks apart."""


def splits(policy: Policy) -> bool:
    """Whether the policy's method makes the release of every rank by itself."""
    return policy.method.mode == "split"


def split_plan(private: PrivateTable, run: Run) -> SplitPlan:
    """The plan that generalizes the records of every rank by themselves.

    Arguments:
        private: the table, one of whose promises is (k,n,m)-anonymity with known k.
        run: is told the progress.

    Raises:
        Unsatisfiable: a split cannot keep the promises, or all together do not, within the limit.
    """
    promises, texts = private.promises_of_classes, private.subjects.texts
    name = next(str(part.sensitive) for part in promises if isinstance(part, KNMAnonymity))
    rank_of = private.metadata[name].ranks
    rank_of_row = np.array([rank_of[value] for value in texts[name].to_list()], dtype=np.int32)
    column = _unused(SPLIT, texts.columns)
    whole = private.encode(private.subjects, unchanged={column: rank_of_row}, by_record=False)
    table = whole.data.table
    ranks = table.codes[-1].astype(np.int64)
    table = replace(table, attributes=table.attributes[:-1], codes=table.codes[:-1])
    data = LeveledTable(table, whole.data.taxonomies)
    gone = data.suppressed_before
    there = np.flatnonzero(gone if gone.all() else ~gone).astype(np.int32)
    goal, settings = objective_of(private.policy), search_settings(private.policy)
    plan = split_by_rank(
        data.restricted(there), ranks[there], promises, goal, settings, run.share_of("searching")
    )
    node_of = np.full(len(gone), -1, dtype=np.int32)
    node_of[there] = plan.node_of
    return replace(plan, node_of=node_of[whole.combination_of])
