"""What a plan comes to: its classes, and what it costs by every measure."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from indistinct.measures import BoundObjective, Outcome, Recoding, objective
from indistinct.measures.aggregate import Values
from indistinct.microdata.encoding import count_combinations
from indistinct.microdata.leveled import LeveledTable
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.plan import LevelPlan, Plan

REPORTED: dict[str, dict[str, Any]] = {
    "loss": {},
    "loss-arithmetic": {"measure": "loss", "aggregate": "arithmetic"},
    "precision": {},
    "non-uniform-entropy": {},
    "discernibility": {},
    "average-class-size": {},
    "height": {},
}
"""The measures reported of every plan, each with its default settings unless it says otherwise."""


def published_classes(data: LeveledTable, plan: Plan) -> NDArray[np.int64]:
    """Units per published class, in no particular order; equal cells at different nodes are one."""
    kept = ~plan.suppressed
    labels = [_numbered(plan.labels(data, j)) for j in range(len(data.attributes))]
    columns = [
        number[plan.cells(data, j)[kept]].astype(np.int32) for j, number in enumerate(labels)
    ]
    if not kept.any():
        return np.zeros(0, dtype=np.int64)
    _, size, _ = count_combinations(
        columns, [int(number.max()) + 1 for number in labels], data.weight[kept]
    )
    return size


def score(data: LeveledTable, plan: Plan, bound: BoundObjective) -> Values:
    """The key of a plan under a bound objective."""
    if isinstance(plan, LevelPlan) and len(plan.nodes) == 1:
        levels = np.array(plan.nodes[0], dtype=np.int64)
        rows = np.flatnonzero(plan.suppressed).astype(np.int32)
        class_of, size = Grouper(data).classes(levels)
        kept = np.bincount(
            class_of, weights=np.where(plan.suppressed, 0, data.weight), minlength=len(size)
        )
        kept = np.rint(kept[kept > 0]).astype(np.int64)
        suppressed = int(data.weight[rows].sum())
        return bound.score(Outcome(levels, size.copy(), kept, rows, data.weight[rows], suppressed))[
            0
        ]
    levels_of = np.stack([plan.level_of(j) for j in range(len(plan.attributes))], axis=1)
    kept = published_classes(data, plan) if bound.needs_classes else np.zeros(0, dtype=np.int64)
    return bound.recoded(Recoding(levels_of, plan.suppressed, kept))


def measured(data: LeveledTable, plan: Plan) -> dict[str, float]:
    """Every reported measure of a plan on the scale raw / worst, 0 to 1."""
    found = {}
    for name, settings in REPORTED.items():
        bound = objective(**{"measure": name, **settings}).bind(data)
        found[name] = bound.scaled(score(data, plan, bound))
    return found


def leaked(data: LeveledTable, plan: Plan) -> dict[str, dict[str, float]]:
    """What each attribute alone tells of who a person is, before and after: shares of S0, 0 to 1.

    The normalized average information loss of Arca and Hewett (2021, section 3.1); after, over the
    records that are published.
    """
    everybody = np.ones(data.table.combinations, dtype=np.bool_)
    found = {}
    for j, name in enumerate(data.attributes):
        number = _numbered(plan.labels(data, j))
        cells = number[plan.cells(data, j)]
        found[name] = {
            "before": _normalized(data.table.codes[j], data.weight, everybody),
            "after": _normalized(cells, data.weight, ~plan.suppressed),
        }
    return found


def _normalized(
    codes: NDArray[np.integer[Any]], weight: NDArray[np.int64], who: NDArray[np.bool_]
) -> float:
    size = np.bincount(codes[who], weights=weight[who])
    total = size.sum()
    if total < 2:
        return 0.0
    size = size[size > 0]
    return max(float(1.0 - (size * np.log2(size)).sum() / (total * np.log2(total))), 0.0)


def _numbered(labels: list[str | None]) -> NDArray[np.int64]:
    """The same number for the same label."""
    numbers: dict[str | None, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
