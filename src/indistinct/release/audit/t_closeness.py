"""Are the sensitive values of every class distributed much as everywhere?

Li, Li and Venkatasubramanian (2007), t-closeness: the earth mover's distance between the shares in
a class and those in the whole table is at most t. Between two values the distance is 1 (equal), the
number of places between them in their order over the largest such number (ordered), or the level at
which they meet in their hierarchy over its height (hierarchical).
"""

from __future__ import annotations

import numpy as np
import polars as pl

from indistinct.errors import PolicyError
from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import (
    SHARE,
    Asked,
    beside,
    described,
    in_order,
    levels,
    most,
    reference,
)
from indistinct.release.audit.settings import ABOUT_VALUES, number, word
from indistinct.release.audit.verdict import CLASS, RECORDS, UNITS, VALUE, Verdict

MODEL = "t-closeness"

_AT_ONCE = 1 << 22
"""Cells of a table of classes and values that are looked at together."""


@class_check(
    MODEL,
    counts="values",
    settings={
        "t": number("a number from 0 to 1", lambda t: 0 <= t <= 1, example=0.2),
        "distance": word("equal", "ordered", "hierarchical"),
    },
    compares=True,
    about_values=True,
)
def check(asked: Asked) -> Verdict:
    """Whether every class is at a distance of at most t from the distribution compared with.

    Raises:
        PolicyError: If the order or the hierarchy of the values is needed and not known.
    """
    cells = asked.cells()
    told = reference(asked)
    if any(asked[name] for name in ABOUT_VALUES):
        if asked["distance"] != "equal":
            raise PolicyError(
                "bad-parameter",
                f"{MODEL} is about some values only, and between these there are no steps",
                remedy='leave out distance, or write distance = "equal"',
            )
        # What does not harm is as good as one value.
        own = pl.when(asked.harmful).then("v" + pl.col(VALUE).fill_null("")).alias("label")
        names = pl.concat([told.select(VALUE), cells.select(VALUE)]).unique().with_columns(own)
        sizes = cells.select(CLASS, UNITS).unique()
        cells = _relabelled(cells.drop(UNITS), names, CLASS).join(sizes, on=CLASS)
        cells, told = cells.sort(CLASS, VALUE), _relabelled(told, names)
    # Values that only the release has, and those that only the other distribution has, count too.
    values = pl.concat([told[VALUE], cells[VALUE]]).unique().sort().to_list()
    if asked["distance"] == "equal":
        classes = _equal(cells, told)
    elif asked["distance"] == "ordered":
        classes = _ordered(cells, told, in_order(values, asked))
    else:
        parts = []
        for labels in levels(values, asked):
            numbers = {label: str(at) for at, label in enumerate(dict.fromkeys(labels.values()))}
            names = pl.DataFrame(
                {VALUE: list(labels), "label": [numbers[label] for label in labels.values()]},
                schema={VALUE: pl.String, "label": pl.String},
            )
            parts.append(_equal(_relabelled(cells, names, CLASS), _relabelled(told, names)))
        # Mass that must leave a node on level i climbs one level there and comes down one.
        classes = parts[0].with_columns(
            pl.mean_horizontal(*(part["t"] for part in parts)).alias("t")
        )
    return asked.judged(classes, asked.above("t"), {"t": most(classes["t"])})


def _equal(cells: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """Half the sum of |p - q|: what is too much somewhere is too little elsewhere."""
    p, q = pl.col(SHARE), pl.col("expected")
    absent = 1 - q.sum()
    return described(beside(cells, told), t=((p - q).abs().sum() + absent) / 2)


def _ordered(cells: pl.DataFrame, told: pl.DataFrame, order: list[str | None]) -> pl.DataFrame:
    """The sum of |(p1 - q1) + ... + (pi - qi)| over the values i in their order, over m - 1."""
    place = pl.DataFrame(
        {VALUE: order, "at": range(len(order))}, schema_overrides={VALUE: pl.String}
    )
    classes = described(cells)
    q = np.zeros(len(order))
    expected = told.join(place, on=VALUE, nulls_equal=True)
    q[expected["at"].to_numpy()] = expected[SHARE].to_numpy()
    found = cells.join(place, on=VALUE, how="left", nulls_equal=True, maintain_order="left")
    at, of = found["at"].to_numpy(), found[CLASS].to_numpy()
    within = found[RECORDS].to_numpy()
    within = within / np.bincount(of, weights=within, minlength=classes.height)[of]
    distance = np.zeros(classes.height)
    at_once = 1 + _AT_ONCE // (1 + len(order))
    for first in range(0, classes.height, at_once):
        p = np.zeros((min(at_once, classes.height - first), len(order)))
        here = slice(*np.searchsorted(of, [first, first + at_once]))
        p[of[here] - first, at[here]] = within[here]
        distance[first : first + at_once] = np.abs(np.cumsum(p - q, axis=1)).sum(axis=1)
    return classes.with_columns(t=pl.Series(distance / max(1, len(order) - 1)))


def _relabelled(table: pl.DataFrame, names: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """The same counts or shares, of labels instead of values."""
    figures = [name for name in table.columns if name not in (VALUE, CLASS)]
    named = table.join(names, on=VALUE, how="left", nulls_equal=True, maintain_order="left")
    return (
        named.group_by([*keys, "label"], maintain_order=True)
        .agg(pl.col(*figures).sum())
        .rename({"label": VALUE})
    )
