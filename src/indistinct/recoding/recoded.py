"""What a plan comes to: its classes, and what it costs by every measure.

A plan of cells is at no level of any hierarchy. Its loss is that of the leaves its cells stand for,
on the same scale; instead of height and precision, which count levels, there is its normalised
certainty penalty.
"""

from __future__ import annotations

import numpy as np

from indistinct.errors import PolicyError
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.measures import BoundObjective, Objective, Outcome, Recoding, measures, objective
from indistinct.measures.certainty import Domain
from indistinct.microdata.encoding import count_combinations
from indistinct.microdata.leveled import LeveledTable
from indistinct.recoding.cells import amounts_under
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.plan import CellPlan, LevelPlan, Plan
from indistinct.types import Bools, Floats, Ints


def published_classes(data: LeveledTable, plan: Plan, grouper: Grouper | None = None) -> Ints:
    """Units per published class, in no particular order; equal cells at different nodes are one.

    Arguments:
        data: the table.
        plan: what is published instead of what.
        grouper: one of the same table, to be used for many plans.
    """
    if isinstance(plan, LevelPlan) and len(plan.nodes) == 1:
        levels = np.array(plan.nodes[0], dtype=np.int64)
        class_of, size = (grouper or Grouper(data)).classes(levels)
        units = np.where(plan.suppressed, 0, data.weight)
        found = np.rint(np.bincount(class_of, weights=units, minlength=len(size)))
        return found[found > 0].astype(np.int64)
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


def in_no_class(data: LeveledTable, plan: Plan) -> Bools:
    """Which combinations are suppressed, or ``*`` in every quasi-identifier, [C].

    Where all that is published is ``*``, it is judged as the one class that it is.
    """
    hidden = np.ones(data.table.combinations, dtype=np.bool_)
    for j, name in enumerate(data.attributes):
        if name not in data.unchanged:
            stars = [label == SUPPRESSED for label in plan.labels(data, j)]
            hidden &= np.array([*stars, True])[plan.cells(data, j)]
    return plan.suppressed if hidden[data.weight > 0].all() else hidden


def score(
    data: LeveledTable,
    plan: Plan,
    bound: BoundObjective,
    sizes: Ints | None = None,
    grouper: Grouper | None = None,
) -> Floats:
    """The key of a plan under a bound objective, [q].

    Arguments:
        data: the table.
        plan: what is published instead of what.
        bound: the objective, of the same table.
        sizes: units per published class, [G], where they are known.
        grouper: one of the same table, to be used for several scores.

    Raises:
        PolicyError: for a plan of cells, by a measure that counts levels.
    """
    if isinstance(plan, LevelPlan) and len(plan.nodes) == 1:
        levels = np.array(plan.nodes[0], dtype=np.int64)
        rows = np.flatnonzero(plan.suppressed).astype(np.int32)
        class_of, size = (grouper or Grouper(data)).classes(levels)
        kept = np.bincount(
            class_of, weights=np.where(plan.suppressed, 0, data.weight), minlength=len(size)
        )
        kept = np.rint(kept[kept > 0]).astype(np.int64)
        suppressed = int(data.weight[rows].sum())
        return bound.score(Outcome(levels, size.copy(), kept, rows, data.weight[rows], suppressed))[
            0
        ]
    if isinstance(plan, CellPlan):
        return _score_of_cells(data, plan, bound, sizes)
    levels_of = np.stack([plan.level_of(j) for j in range(len(plan.attributes))], axis=1)
    kept = np.zeros(0, dtype=np.int64)
    if bound.needs_classes:
        kept = published_classes(data, plan) if sizes is None else sizes
    return bound.recoded(Recoding(levels_of, plan.suppressed, kept))


def measured(data: LeveledTable, plan: Plan) -> dict[str, float]:
    """Every reported measure of a plan on the scale raw / worst, 0 to 1."""
    found = {}
    sizes = None if isinstance(plan, LevelPlan) else published_classes(data, plan)
    grouper = Grouper(data) if isinstance(plan, LevelPlan) else None
    for name, goal in reported().items():
        bound = goal.bind(data)
        if not isinstance(plan, CellPlan) or _tells(data, bound):
            found[name] = bound.scaled(score(data, plan, bound, sizes, grouper))
    if isinstance(plan, CellPlan):
        found["ncp"] = ncp(data, plan)
    return found


def mean_loss(data: LeveledTable, plan: Plan) -> float:
    """The arithmetic loss of a plan, 0 to 1: what of the quasi-identifiers' detail is not kept."""
    bound = objective("loss", aggregate="arithmetic").bind(data)
    return bound.scaled(score(data, plan, bound))


def reported() -> dict[str, Objective]:
    """What every run reports, by its name and in the order of reports."""
    kinds = sorted(measures().values(), key=lambda kind: (kind.place, kind.measure))
    return {name: kind(**own) for kind in kinds for name, own in kind.reported.items()}


def _tells(data: LeveledTable, bound: BoundObjective) -> bool:
    """Whether a measure tells what cells of no level cost.

    An outline of classes does not tell what each record had.
    """
    if bound.counts is None:
        return bound.needs_classes
    return data.marginals is None or (bound.counts == "leaves" and not bound.needs_classes)


def ncp(data: LeveledTable, plan: CellPlan) -> float:
    """The normalised certainty penalty, 0 to 1: mean over records and attributes."""
    records = data.table.records
    if not records or not data.attributes:
        return 0.0
    kept = ~plan.suppressed
    lost = int(data.weight[~kept].sum())
    total = 0.0
    for j, name in enumerate(data.attributes):
        domain = Domain(data.taxonomies[name], data.units(j))
        of_class = domain.penalties_of(plan.texts[j], plan.covered[j])[plan.cell_of[j]]
        total += float((of_class[plan.class_of[kept]] * data.weight[kept]).sum()) + lost
    return total / (records * len(data.attributes))


def _score_of_cells(
    data: LeveledTable, plan: CellPlan, bound: BoundObjective, sizes: Ints | None
) -> Floats:
    kept = np.zeros(0, dtype=np.int64)
    if bound.needs_classes:
        kept = published_classes(data, plan) if sizes is None else sizes
    if bound.counts is None and not bound.needs_classes:
        raise PolicyError(
            "measure-of-levels",
            "the measure counts levels of hierarchies, and the plan publishes cells at none",
            remedy="measure loss, non-uniform entropy, discernibility or class sizes",
        )
    if bound.counts is None:
        levels = np.zeros((len(plan.class_of), len(plan.attributes)), dtype=np.int16)
        return bound.recoded(Recoding(levels, plan.suppressed, kept))
    if bound.counts == "leaves":
        amounts = plan.covered
    else:
        amounts = tuple(
            amounts_under(data.taxonomies[name], plan.texts[j], data.units(j))
            for j, name in enumerate(data.attributes)
        )
    of_cell = [np.append(amount, 0)[plan.cells(data, j)] for j, amount in enumerate(amounts)]
    return bound.of_cells(of_cell, plan.suppressed, kept)


def leaked(data: LeveledTable, plan: Plan) -> dict[str, dict[str, float]]:
    """What each attribute alone tells of who a person is, before and after: shares of S0, 0 to 1.

    The normalized average information loss of Arca and Hewett (2021, section 3.1); after, over the
    records that are published.
    """
    found, kept = {}, ~plan.suppressed
    for j, name in enumerate(data.attributes):
        number = _numbered(plan.labels(data, j))
        cells = number[plan.cells(data, j)]
        found[name] = {
            "before": _normalized(data.units(j)),
            "after": _normalized(np.bincount(cells[kept], weights=data.weight[kept])),
        }
    return found


def _normalized(size: Ints | Floats) -> float:
    total = size.sum()
    if total < 2:
        return 0.0
    size = size[size > 0]
    return max(float(1.0 - (size * np.log2(size)).sum() / (total * np.log2(total))), 0.0)


def _numbered(labels: list[str | None]) -> Ints:
    """The same number for the same label."""
    numbers: dict[str | None, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
