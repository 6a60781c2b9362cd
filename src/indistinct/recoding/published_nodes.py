"""Where in its hierarchy an attribute is published: what a report draws of it, as plain data."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import SUPPRESSED, LevelTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.recoding.plan import Plan, all_labels
from indistinct.types import Plain

MOST_NODES = 100
"""Nodes of a level, about, that a report draws; neighbours of few records are drawn as one."""

MOST_CELLS = 24
"""Cells of an attribute that a report draws, where every class has a cell of its own."""

MOST_CLASSES = 2000
"""Classes that are drawn as boxes."""

_RECORDS = "\0records"

Amounts = NDArray[np.float64]
Drawn = list[list[Any]]


def published_nodes(data: LeveledTable, plan: Plan, attribute: int) -> Plain | None:
    """What a report draws of an attribute: its hierarchy, or the cells that are at no level of it.

    Arguments:
        data: the table.
        plan: what is published instead of what.
        attribute: the place j of the attribute.

    Returns:
        ``levels`` from the leaves up, each with its nodes [label, share of the records, share
        of those that are published there] in the order of the leaves; or ``cells``, each
        [text, share of the records, where it begins and ends among all records in the order of
        their values]. None where an attribute has no hierarchy, or no record.
    """
    if data.attributes[attribute] in data.unchanged or not data.weight.sum():
        return None
    level = data.compiled[attribute]
    codes = data.table.codes[attribute]
    records = np.bincount(codes, weights=data.weight, minlength=level.code.shape[1]).astype(float)
    cells = plan.cells(data, attribute)
    there = cells >= 0
    own = plan.labels(data, attribute)
    place = _places(own, all_labels(data, attribute))
    if (place[cells[there]] < 0).any():
        return {"cells": _spans(data, plan, attribute)}
    flat = place[cells[there]]
    published = np.bincount(flat, weights=data.weight[there], minlength=int(level.card.sum()))
    starts = np.cumsum([0, *level.card])
    total = records.sum()
    return {
        "levels": [
            _nodes(level, at, records / total, published[starts[at] : starts[at + 1]] / total)
            for at in range(len(level.card))
        ]
    }


def _places(own: list[str | None], every: list[str | None]) -> NDArray[np.int64]:
    """Where published labels stand among those of all levels; -1 for a cell that is no node."""
    if own == every:
        return np.arange(len(own))
    first: dict[str | None, int] = {}
    for at, label in enumerate(every):
        first.setdefault(label, at)
    return np.array([first.get(label, -1) for label in own], dtype=np.int64)


def _nodes(level: LevelTable, at: int, records: Amounts, published: Amounts) -> Drawn:
    """The nodes of a level in the order of the leaves; neighbours of few records are one node."""
    code = level.code[at][np.argsort(level.order)]
    order = code[np.sort(np.unique(code, return_index=True)[1])]
    wide = np.bincount(level.code[at], weights=records, minlength=len(published))[order]
    order, wide = order[wide > 0], wide[wide > 0]
    if not len(order):
        return []
    labels = [level.labels[at][one] or "(missing)" for one in order.tolist()]
    key = np.arange(len(order))
    if len(order) > MOST_NODES:
        # A wide node fills a step at least: narrow ones before and after it are in other steps.
        step = np.floor(np.cumsum(wide) * MOST_NODES).astype(np.int64)
        key = np.where(wide < 1 / MOST_NODES, step, -1 - key)
    first = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
    last = np.append(first[1:], len(order)) - 1
    merged = zip(
        first.tolist(),
        last.tolist(),
        np.add.reduceat(wide, first).tolist(),
        np.add.reduceat(published[order], first).tolist(),
        strict=True,
    )
    return [
        [labels[i] if i == j else f"{labels[i]} … {labels[j]}", share, min(on / share, 1.0)]
        for i, j, share, on in merged
    ]


def published_partition(data: LeveledTable, plan: Plan) -> Plain | None:
    """The classes of a plan as boxes over the values of the quasi-identifiers, largest first.

    Returns:
        ``cells``: of every quasi-identifier each published cell [text, where it begins and ends
        among all records in the order of their values]; ``classes``: each [records, the place of
        its cell for every quasi-identifier]; ``others``: the records of classes that are left out.
        None where nobody is published.
    """
    own = [name for name in data.attributes if name not in data.unchanged]
    parts = [_placed(data, plan, data.attributes.index(name)) for name in own]
    there = parts[0].cell >= 0 if parts else np.zeros(0, np.bool_)
    if not there.any():
        return None
    cells, columns = {}, []
    for name, part in zip(own, parts, strict=True):
        order = sorted(part.published, key=part.place)
        cells[name] = [
            [text, *((0.0, 1.0) if text == SUPPRESSED else part.place(at)[:2])]
            for text, at in ((part.texts[at], at) for at in order)
        ]
        rank = np.empty(len(part.texts), np.int32)
        rank[order] = np.arange(len(order))
        columns.append(pl.Series(name, rank[part.cell[there]]))
    counted = pl.DataFrame([*columns, pl.Series(_RECORDS, data.weight[there])])
    classes = (
        counted.group_by(own).sum().sort(_RECORDS, *own, descending=[True, *(False,) * len(own)])
    )
    shown = classes.select(_RECORDS, *own).head(MOST_CLASSES)
    others = sum(classes[_RECORDS].to_list()[MOST_CLASSES:])
    return {"cells": cells, "classes": [list(row) for row in shown.iter_rows()], "others": others}


def _spans(data: LeveledTable, plan: Plan, attribute: int) -> Drawn:
    """The most frequent cells, by where they begin among all records in the order of values."""
    part = _placed(data, plan, attribute)
    weight = part.weight.tolist()
    most = sorted(part.published, key=lambda at: (-weight[at], part.texts[at]))[:MOST_CELLS]
    total = data.weight.sum()
    return [
        [part.texts[at], weight[at] / total, *part.place(at)[:2]]
        for at in sorted(most, key=part.place)
    ]


@dataclass(frozen=True)
class _Placed:
    """The different cells of an attribute, and where they stand among all records.

    Arguments:
        texts: what the cells are.
        cell: the cell of every combination, [C]; -1 where it is suppressed.
        weight: the records of each cell.
        low: where each begins among all records, in the order of their values.
        high: where each ends.
    """

    texts: list[str]
    cell: NDArray[np.int64]
    weight: NDArray[np.int64]
    low: Amounts
    high: Amounts

    @property
    def published(self) -> list[int]:
        """The cells that some combination is published as."""
        return np.flatnonzero(np.isfinite(self.low)).tolist()

    def place(self, at: int) -> tuple[float, float, str]:
        """Where a cell begins and ends, and what it is."""
        return float(self.low[at]), float(self.high[at]), self.texts[at]


def _placed(data: LeveledTable, plan: Plan, attribute: int) -> _Placed:
    """What every combination is published as, and where these cells stand among all records."""
    level = data.compiled[attribute]
    code, cells = data.table.codes[attribute], plan.cells(data, attribute)
    records = np.bincount(code, weights=data.weight, minlength=level.code.shape[1]).astype(float)
    share = records / records.sum()
    end = np.empty(len(level.order))
    end[np.argsort(level.order)] = np.cumsum(share[np.argsort(level.order)])
    labels = [text or "(missing)" for text in plan.labels(data, attribute)]
    number = {text: at for at, text in enumerate(dict.fromkeys(labels))}
    there = cells >= 0
    cell = np.where(there, np.array([number[text] for text in labels])[np.maximum(cells, 0)], -1)
    own, value = cell[there], code[there]
    low, high = np.full(len(number), np.inf), np.full(len(number), -np.inf)
    np.minimum.at(low, own, (end - share)[value])
    np.maximum.at(high, own, end[value])
    weight = np.bincount(own, weights=data.weight[there], minlength=len(number)).astype(np.int64)
    return _Placed(list(number), cell, weight, low, high)
