"""A plan as it is kept for the custodian, and read again for another table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indistinct.hierarchies.continued import labels_of
from indistinct.microdata.leveled import LeveledTable
from indistinct.recoding.earlier_plan import published_labels
from indistinct.recoding.plan import CellPlan, CutPlan, LevelPlan, Plan
from indistinct.recoding.split import SplitPlan
from indistinct.types import Plain


def plan_document(plan: Plan, data: LeveledTable) -> Plain:
    """The plan with its mappings from value to published value, for the custodian alone."""
    document = plan.to_dict()
    if isinstance(plan, LevelPlan):
        document["nodes"] = [list(node) for node in plan.nodes]
    if isinstance(plan, CellPlan):
        document["attributes"] = {
            name: {"published": list(plan.texts[j])} for j, name in enumerate(plan.attributes)
        }
        return _to_use_again(document, plan, data)
    if isinstance(plan, SplitPlan):
        document["splits"] = [
            {
                **part.to_dict(),
                "published": {
                    name: _at_levels(data, j, [part.levels[name]] * int(data.domain[j]))
                    for j, name in enumerate(data.attributes)
                },
            }
            for part in plan.splits
        ]
        return document
    document["attributes"] = {
        name: {
            "level": plan.levels[name],
            "levels": int(data.heights[j]) + 1,
            "published": _mapping(plan, data, j),
        }
        for j, name in enumerate(data.attributes)
    }
    return _to_use_again(document, plan, data)


def _mapping(plan: Plan, data: LeveledTable, attribute: int) -> list[list[str | None]]:
    """Every leaf of attribute j, and what it is published as (by the full-domain plan)."""
    if isinstance(plan, CutPlan):
        levels = [int(level) for level in plan.cuts[attribute]]
    else:
        levels = [plan.levels[data.attributes[attribute]]] * int(data.domain[attribute])
    return _at_levels(data, attribute, levels)


def _at_levels(data: LeveledTable, attribute: int, levels: Sequence[int]) -> list[list[str | None]]:
    """Every leaf of attribute j, and its label at a level of its own."""
    taxonomy = data.taxonomies[data.attributes[attribute]]
    leaves = taxonomy.leaves
    shown = {level: taxonomy.level(level) for level in set(levels)}
    return [
        [leaf, shown[level][at]]
        for at, (leaf, level) in enumerate(zip(leaves, levels, strict=True))
    ]


def _to_use_again(document: Plain, plan: Plan, data: LeveledTable) -> Plain:
    """The document with what it takes to use the plan again."""
    document["hierarchies"] = {name: labels_of(data.taxonomies[name]) for name in data.attributes}
    if isinstance(plan, CellPlan):
        used = np.unique(plan.class_of[plan.class_of >= 0])
        places = [cells[used] for cells in plan.cell_of]
        document["class_cells"] = np.stack(places, axis=1).tolist() if places else []
        there = data.weight > 0
        numbers = np.where(plan.class_of < 0, -1, np.searchsorted(used, plan.class_of))
        document["members"] = {
            name: " ".join(map(str, codes[there].tolist()))
            for name, codes in zip(data.attributes, data.table.codes, strict=True)
        }
        document["member_class"] = " ".join(map(str, numbers[there].tolist()))
    if isinstance(plan, LevelPlan) and len(plan.nodes) > 1:
        shown = {}
        for at, node in enumerate(plan.nodes):
            where = np.flatnonzero(plan.node_of == at)
            one = LevelPlan(plan.attributes, (node,), np.zeros_like(plan.node_of), plan.search)
            shown[at] = published_labels(data, one)[where].unique(maintain_order=True).rows()
        document["node_classes"] = [[list(row) for row in shown[at]] for at in shown]
    return document
