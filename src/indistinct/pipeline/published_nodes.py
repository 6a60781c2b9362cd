"""Where in its hierarchy an attribute is published: what a report draws of it, as plain data."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.hierarchies.taxonomy import LevelTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.recoding.plan import Plan, all_labels
from indistinct.types import Plain

MOST_NODES = 100
"""Nodes of a level, about, that a report draws; neighbours of few records are drawn as one."""

MOST_CELLS = 24
"""Cells of an attribute that a report draws, where every class has a cell of its own."""

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
        return {"cells": _spans(data, attribute, records, cells, own)}
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
    width = np.bincount(level.code[at], weights=records, minlength=len(published))[order]
    frame = pl.DataFrame(
        {
            "label": [level.labels[at][one] or "(missing)" for one in order],
            "width": width,
            "published": published[order],
        }
    ).filter(pl.col("width") > 0)
    key = pl.int_range(pl.len())
    if frame.height > MOST_NODES:
        # A wide node fills a step at least: narrow ones before and after it are in other steps.
        step = (pl.col("width").cum_sum() * MOST_NODES).floor().cast(pl.Int64)
        key = pl.when(pl.col("width") < 1 / MOST_NODES).then(step).otherwise(-1 - key)
    merged = frame.group_by(key.alias("at"), maintain_order=True).agg(
        pl.when(pl.len() == 1)
        .then(pl.col("label").first())
        .otherwise(pl.format("{} … {}", pl.col("label").first(), pl.col("label").last())),
        pl.col("width", "published").sum(),
    )
    return [[label, wide, min(on / wide, 1.0)] for _, label, wide, on in merged.iter_rows()]


def _spans(
    data: LeveledTable,
    attribute: int,
    records: Amounts,
    cells: NDArray[np.int32],
    own: list[str | None],
) -> Drawn:
    """The most frequent cells, by where they begin among all records in the order of values."""
    order = data.compiled[attribute].order
    end = np.empty(len(order))
    end[np.argsort(order)] = np.cumsum(records[np.argsort(order)]) / records.sum()
    code = data.table.codes[attribute]
    found = (
        pl.DataFrame(
            {
                "text": pl.Series([text or "(missing)" for text in own]).gather(
                    np.maximum(cells, 0)
                ),
                "there": cells >= 0,
                "weight": data.weight,
                "low": (end - records / records.sum())[code],
                "high": end[code],
            }
        )
        .filter("there")
        .group_by("text")
        .agg(pl.col("weight").sum(), pl.col("low").min(), pl.col("high").max())
        .sort("weight", "text", descending=[True, False])
        .head(MOST_CELLS)
        .sort("low", "high", "text")
    )
    total = records.sum()
    return [[text, weight / total, low, high] for text, weight, low, high in found.iter_rows()]
