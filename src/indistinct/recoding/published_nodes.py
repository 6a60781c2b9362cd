"""Where in its hierarchy an attribute is published: what a report draws of it, as plain data."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

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


def published_partition(data: LeveledTable, plan: Plan) -> Plain | None:
    """The classes of a plan as boxes over the values of the quasi-identifiers, largest first.

    Arguments:
        data: the table.
        plan: what is published instead of what.

    Returns:
        ``cells``: of every quasi-identifier each published cell [text, where it begins and ends
        among all records in the order of their values]; ``classes``: each [records, the place of
        its cell for every quasi-identifier]; ``others``: the records of classes that are left out.
        None where nobody is published.
    """
    own = [name for name in data.attributes if name not in data.unchanged]
    parts = [_placed(data, plan, data.attributes.index(name)) for name in own]
    if not parts or not parts[0]["there"].any():
        return None
    cells, columns = {}, []
    for name, part in zip(own, parts, strict=True):
        there = part.filter("there")
        spans = _extents(there).sort("low", "high", "text")
        cells[name] = [
            [text, *((0.0, 1.0) if text == SUPPRESSED else (low, high))]
            for text, _, low, high in spans.iter_rows()
        ]
        place = {text: at for at, text in enumerate(spans["text"].to_list())}
        columns.append(there["text"].replace_strict(place, return_dtype=pl.Int32).alias(name))
    counted = pl.DataFrame([*columns, parts[0].filter("there")["weight"].alias(_RECORDS)])
    classes = (
        counted.group_by(own).sum().sort(_RECORDS, *own, descending=[True, *(False,) * len(own)])
    )
    shown = classes.select(_RECORDS, *own).head(MOST_CLASSES)
    others = sum(classes[_RECORDS].to_list()[MOST_CLASSES:])
    return {"cells": cells, "classes": [list(row) for row in shown.iter_rows()], "others": others}


def _spans(data: LeveledTable, plan: Plan, attribute: int) -> Drawn:
    """The most frequent cells, by where they begin among all records in the order of values."""
    found = (
        _extents(_placed(data, plan, attribute).filter("there"))
        .sort("weight", "text", descending=[True, False])
        .head(MOST_CELLS)
        .sort("low", "high", "text")
    )
    total = data.weight.sum()
    return [[text, weight / total, low, high] for text, weight, low, high in found.iter_rows()]


def _extents(placed: pl.DataFrame) -> pl.DataFrame:
    """Every cell with its records, and where it begins and ends."""
    return placed.group_by("text").agg(
        pl.col("weight").sum(), pl.col("low").min(), pl.col("high").max()
    )


def _placed(data: LeveledTable, plan: Plan, attribute: int) -> pl.DataFrame:
    """What every combination is published as, and where its value stands among all records."""
    level = data.compiled[attribute]
    code, cells = data.table.codes[attribute], plan.cells(data, attribute)
    records = np.bincount(code, weights=data.weight, minlength=level.code.shape[1]).astype(float)
    share = records / records.sum()
    end = np.empty(len(level.order))
    end[np.argsort(level.order)] = np.cumsum(share[np.argsort(level.order)])
    texts = pl.Series([text or "(missing)" for text in plan.labels(data, attribute)])
    return pl.DataFrame(
        {
            "text": texts.gather(np.maximum(cells, 0)),
            "there": cells >= 0,
            "weight": data.weight,
            "low": (end - share)[code],
            "high": end[code],
        }
    )
