"""Values of a column exchanged between records: every value stays, and belongs to somebody else.

Without a window the chosen records of a group pass their values on in a random circle. With one,
numbers and dates are exchanged in pairs with a value that is near in rank (rank swapping, Moore
1996), which keeps much of how the column goes with others.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from indistinct.kernels.swapping import pair_up
from indistinct.randomness import Random
from indistinct.release.transforms.measured import Measured
from indistinct.types import Bools, Ints


def swap(
    values: pl.Series,
    there: Bools,
    *,
    share: float,
    groups: Ints | None,
    random: Random,
    near: tuple[Measured, float] | None = None,
) -> pl.Series:
    """The column with values exchanged.

    Arguments:
        values: the column.
        there: which values are not missing, [n]; the others stay where they are.
        share: the share of records that take part, drawn at random.
        groups: the group of every record, [n]; values are exchanged within one. None: one group.
        random: draws who takes part, and who gets what.
        near: a window: the same column as numbers or dates, and how far apart in rank two records
            may be that exchange values, as a share of those of the group that take part (one rank
            at least).
    """
    rows = np.flatnonzero(there)
    if share < 1.0:
        taken = round(share * len(rows))
        rows = np.sort(random.choice(rows, size=taken, replace=False))
    of = np.zeros(len(rows), np.int64) if groups is None else groups[rows]
    gives = np.arange(len(values))
    if near is None:
        order = np.lexsort((random.random(len(rows)), of))
        start, end = _runs(of[order])
        after = np.arange(1, len(order) + 1)
        after[end - 1] = start
        gives[rows[order]] = rows[order][after]
    else:
        ranked, window = near
        order = np.lexsort((random.random(len(rows)), ranked.steps[rows], of))
        start, end = _runs(of[order])
        most = np.array([max(math.floor(window * n), 1) for n in end - start], np.int64)
        partner = np.empty(len(rows), np.int64)
        pair_up(start, end, most, random.random(len(rows)), partner)
        gives[rows[order]] = rows[order][partner]
    return values.gather(pl.Series(gives)).alias(values.name)


def told(*, share: float, within: bool, window: bool) -> str:
    """What the certificate says of it.

    Arguments:
        share: the share of records that take part, from 0 to 1.
        within: whether values are exchanged within groups alone.
        window: whether near values alone are exchanged.
    """
    who = "swapped between records" if share == 1.0 else "swapped between some of the records"
    near = " of near values" if window else ""
    return who + near + (" within groups" if within else "")


def _runs(sorted_of: Ints) -> tuple[Ints, Ints]:
    """Where each group begins and ends."""
    breaks = np.flatnonzero(np.diff(sorted_of)) + 1
    ends = [len(sorted_of)] if len(sorted_of) else []
    start = np.concatenate([np.zeros(len(ends), np.int64), breaks])
    return start.astype(np.int64), np.concatenate([breaks, np.array(ends, np.int64)])
