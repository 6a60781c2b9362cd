"""From a policy's method to the plan that it asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.microdata.microdata import Microdata, row_numbers
from indistinct.privacy.promise import Promise

if TYPE_CHECKING:
    from indistinct.microdata.leveled import LeveledTable
    from indistinct.policy import Policy
    from indistinct.recoding.plan import Plan

OTHERS = "(other columns)"
"""Stands for everything that is published beside the quasi-identifiers, in searches for rows."""


def search(
    policy: Policy,
    promises: Sequence[Promise],
    texts: pl.DataFrame,
    weight: NDArray[np.int64] | None,
    microdata: Microdata,
    progress: Callable[[float], None],
) -> tuple[Plan, dict[str, dict[str, Any]]]:
    """The plan by the policy's method, and private documents about the search."""
    from indistinct.measures import objective
    from indistinct.recoding.full_domain import Limits, Settings, full_domain
    from indistinct.recoding.lattice import Lattice
    from indistinct.recoding.subtree import SEARCHES, keep_rows

    method = policy.method
    limits = Limits(method.time_limit, method.node_limit)
    lowest = {name: item.min_level for name, item in policy.attributes.items()}
    highest = {
        name: item.max_level
        for name, item in policy.attributes.items()
        if item.max_level is not None
    }
    before = suppressed_before(microdata.data)
    if not counts_rows(policy):
        data = microdata.data
        if before.any() and not before.all():
            there = ~before[microdata.combination_of]
            data = Microdata.encode(
                texts.filter(there),
                data.taxonomies,
                counted_attributes(promises),
                None if weight is None else weight[there],
            ).data
    else:
        beside = {_unused(OTHERS, texts.columns): row_numbers(texts, published_beside(policy))}
        whole = Microdata.encode(
            texts, microdata.data.taxonomies, counted_attributes(promises), weight, beside
        )
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
            lattice=Lattice.of(data, lowest, highest),
            limits=limits,
            progress=progress,
        )
        return kept.onto(microdata.data, same), {"search.json": result.to_dict()}
    goal = method.objective
    plan = full_domain(
        data,
        promises,
        objective(
            goal.measure,
            aggregate=goal.aggregate,
            gs_factor=goal.gs_factor,
            monotonic=goal.monotonic,
            weights=_weights(policy),
        ),
        Settings(
            algorithm="heuristic" if method.algorithm == "heuristic" else "optimal",
            suppression_limit=method.suppression_limit,
            min_level=lowest,
            max_level=highest,
            limits=limits,
            local_recoding=method.local_recoding,
        ),
        progress,
    )
    if counts_rows(policy):
        return plan.onto(microdata.data, same), {}
    return (plan if data is microdata.data else plan.beside(before)), {}


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
