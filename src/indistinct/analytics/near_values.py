"""Numbers and dates of a class that are different, and near: whoever knows the class knows them.

Promises that count values, or bound the share of one, take 50,000 and 50,001 for two. Li, Tao and
Xiao (2008) call that a proximity breach.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import polars as pl

from indistinct.analytics.group_values import GROUP, HAVE, OF, GroupValues
from indistinct.analytics.leakage.derivations import on_scales
from indistinct.document import share
from indistinct.warning_kinds import Kind, WarningText

NEAR = 0.05
"""Values of a class are near that are no further apart than this share of the range of most."""

MOST = 0.9
"""The share of all values whose range that is: those in the middle."""

FEWEST = 0.01
"""The share of people in classes of near values from which on it is said."""


def near(found: GroupValues) -> float:
    """The share who are in a group of values that differ, and are all near one another."""
    rows = found.rows
    texts = rows.select(pl.col(found.name).cast(pl.String, strict=False))
    scale = on_scales(texts, {found.name: "text"}, [found.name]).get(found.name)
    if scale is None or not len(scale) or np.isnan(scale).any():
        return 0.0
    order = np.argsort(scale, kind="stable")
    below = np.cumsum(rows[HAVE].to_numpy()[order]) / max(int(rows[HAVE].sum()), 1)
    ends = np.searchsorted(below, [(1 - MOST) / 2, (1 + MOST) / 2])
    low, high = scale[order[np.minimum(ends, len(order) - 1)]]
    groups = rows.select(GROUP, OF, pl.Series("value", scale)).group_by(GROUP)
    told = groups.agg(
        pl.col(OF).first(), (pl.col("value").max() - pl.col("value").min()).alias("width")
    )
    close = told.filter(pl.col("width").is_between(0.0, NEAR * (high - low), closed="right"))
    return float(close[OF].sum()) / found.total


def warn_about_near_values(
    found: Iterable[GroupValues], measured: Collection[str], group: str, unit: str
) -> list[WarningText]:
    """Warnings about attributes whose values are near one another in classes, or buckets.

    Arguments:
        found: the values of each group, of attributes that promises are about.
        measured: attributes of which no more is to be said: codes, and those of which a promise
            takes into account how far values are apart.
        group: what a group is called.
        unit: who is counted.
    """
    shares = {one.name: near(one) for one in found if one.name not in measured}
    return [
        Kind.RISK(
            f"'{name}': for {share(part)} of {unit} all values of the {group} are near (within "
            f"{NEAR:.0%} of the range of most values), so the {group} tells the value roughly: "
            "promises count near values as different; group values first (aggregate, round), "
            'or promise t-closeness with distance = "ordered"',
            part,
        )
        for name, part in shares.items()
        if part >= FEWEST
    ]
