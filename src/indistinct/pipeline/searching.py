"""From a policy's method to the plan that it asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import Problem, Unsatisfiable
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.microdata.microdata import Microdata, row_numbers
from indistinct.pipeline.splitting import split_plan, splits
from indistinct.privacy.promise import Promise

if TYPE_CHECKING:
    from indistinct.measures import Objective
    from indistinct.microdata.leveled import LeveledTable
    from indistinct.policy import Policy
    from indistinct.recoding.full_domain import Settings
    from indistinct.recoding.plan import CellPlan, Plan

Encode = Callable[..., Microdata]
"""``Microdata.encode`` with everything said but rows, weights and further columns."""

OTHERS = "(other columns)"
"""Stands for everything that is published beside the quasi-identifiers, in searches for rows."""


def search(
    policy: Policy,
    promises: Sequence[Promise],
    texts: pl.DataFrame,
    weight: NDArray[np.int64] | None,
    microdata: Microdata,
    encode: Encode,
    progress: Callable[[float], None],
    seed: int = 0,
) -> tuple[Plan, dict[str, dict[str, Any]]]:
    """The plan by the policy's method, and private documents about the search.

    ``encode`` makes microdata of other rows of the same table; ``seed`` is the run's.

    Raises:
        Unsatisfiable: no plan of this kind keeps the promises within the policy's limits.
    """
    try:
        return _search(policy, promises, texts, weight, microdata, encode, progress, seed)
    except Unsatisfiable as error:
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


def _search(
    policy: Policy,
    promises: Sequence[Promise],
    texts: pl.DataFrame,
    weight: NDArray[np.int64] | None,
    microdata: Microdata,
    encode: Encode,
    progress: Callable[[float], None],
    seed: int,
) -> tuple[Plan, dict[str, dict[str, Any]]]:
    from indistinct.policy import PARTITIONS
    from indistinct.recoding.full_domain import full_domain
    from indistinct.recoding.lattice import Lattice
    from indistinct.recoding.subtree import SEARCHES, keep_rows

    method = policy.method
    settings = search_settings(policy)
    if splits(policy):
        goal = objective_of(policy)
        return split_plan(
            promises, texts, microdata, encode, goal, settings, suppressed_before, progress
        ), {}
    before = suppressed_before(microdata.data)
    if not counts_rows(policy):
        data = microdata.data
        if before.any() and not before.all():
            there = ~before[microdata.combination_of]
            some = None if weight is None else weight[there]
            data = encode(texts.filter(there), weight=some, there=there).data
    else:
        beside = {_unused(OTHERS, texts.columns): row_numbers(texts, published_beside(policy))}
        whole = encode(texts, weight=weight, unchanged=beside)
        data = whole.data
        quasi = policy.quasi_identifiers
        promises = [replace(part, on=part.on or quasi) for part in promises]
        same = np.zeros(data.table.combinations, dtype=np.int32)
        same[whole.combination_of] = microdata.combination_of
    if method.algorithm in SEARCHES:
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
        return kept.onto(microdata.data, same), {"search.json": result.to_dict()}
    if method.algorithm in PARTITIONS:
        cells = partitioned(policy, promises, data, progress, seed)
        log = {"moves.json": dict(cells.log)} if cells.log else {}
        return (cells if data is microdata.data else cells.beside(before)), log
    plan = full_domain(data, promises, objective_of(policy), settings, progress)
    if counts_rows(policy):
        return plan.onto(microdata.data, same), {}
    return (plan if data is microdata.data else plan.beside(before)), {}


def objective_of(policy: Policy) -> Objective:
    """What the search minimises."""
    from indistinct.measures import objective

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
    from indistinct.recoding.full_domain import Limits, Settings

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
    from indistinct.recoding.exchange import ThetaSettings, theta_sensitive
    from indistinct.recoding.partition import PartitionSettings, partition

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
    from indistinct.privacy import models

    method = policy.method
    known = models()
    apart = not method.partition.strict or any(
        part.sensitive is not None and known[part.model].closure == "none"
        for part in policy.promises
        if part.model in known
    )
    return (
        method.algorithm in ("k-member", "mdav", "theta")
        or (method.algorithm == "mondrian" and apart)
        or splits(policy)
    )


def suppressed_before(data: LeveledTable) -> NDArray[np.bool_]:
    """Which combinations are ``*`` throughout: records that an earlier release suppressed, [C]."""
    mask = np.ones(data.table.combinations, dtype=np.bool_)
    for name, codes in zip(data.attributes, data.table.codes, strict=True):
        leaves = data.taxonomies[name].leaves
        mask &= np.array([leaf == SUPPRESSED for leaf in leaves], dtype=np.bool_)[codes]
    return mask


def counts_rows(policy: Policy) -> bool:
    """Whether the search looks at whole rows, not only at quasi-identifiers."""
    from indistinct.policy import ROW_SEARCHES

    return policy.method.objective.measure == "rows" or policy.method.algorithm in ROW_SEARCHES


def published_beside(policy: Policy) -> list[str]:
    """What is published beside the quasi-identifiers and not made up for the release."""
    return [*policy.sensitive, *policy.named("insensitive")]


def counted_attributes(promises: Sequence[Promise]) -> list[str]:
    """The sensitive attributes whose values promises count."""
    return list(dict.fromkeys(part.sensitive for part in promises if part.sensitive is not None))


def _unused(name: str, columns: Sequence[str]) -> str:
    while name in columns:
        name += "_"
    return name


def _weights(policy: Policy) -> dict[str, float]:
    """Attribute weights where one differs from 1, for objectives that take any."""
    from indistinct.measures import measures

    weights = policy.weights
    takes_any = "weights" in measures()[policy.method.objective.measure].settings
    return weights if takes_any and any(weight != 1.0 for weight in weights.values()) else {}
