"""PRAM: each value stays with a known probability, and otherwise another record's is drawn.

The post-randomization method (Gouweleeuw, Kooiman, Willenborg and de Wolf 1998). A value is drawn
by how frequent the values are, so the matrix of transitions is invariant: every value is expected
as often as it was, and a table of two columns lies between the true one and that of independence.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from indistinct.randomness import Random
from indistinct.types import Bools, Ints


def pram(
    values: pl.Series, there: Bools, *, keep: float, groups: Ints | None, random: Random
) -> pl.Series:
    """The column with some of its values drawn anew.

    Arguments:
        values: the column.
        there: which values are not missing, [n]; the others stay, and are never drawn.
        keep: the probability that a value stays; one that is drawn may be the same again.
        groups: the group of every record, [n]; values are drawn within one. None: one group.
        random: draws which values go, and what comes in their place.
    """
    rows = np.flatnonzero(there)
    of = np.zeros(len(rows), np.int64) if groups is None else groups[rows]
    order = np.argsort(of, kind="stable")
    size = np.bincount(of)
    start = np.cumsum(size) - size
    goes = random.random(len(rows)) >= keep
    place = (random.random(len(rows)) * size[of]).astype(np.int64)
    gives = np.arange(len(values))
    gives[rows[goes]] = rows[order[(start[of] + place)[goes]]]
    return values.gather(pl.Series(gives)).alias(values.name)


def told(*, keep: float, within: bool) -> str:
    """What the certificate says of it."""
    groups = " within groups" if within else ""
    return (
        f"kept with a probability of {keep:g}, otherwise drawn by how frequent values are{groups} "
        "(PRAM)"
    )
