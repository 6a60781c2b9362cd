"""Numbers and dates replaced by the mean or the median of a group of near ones.

The groups have at least k values each and are those of the least squared distance to their means
(Hansen and Mukherjee 2003): in one dimension the best groups are runs of the sorted values of k to
2k - 1 each, and the best runs are a shortest path. Where people have many records, a group needs k
people, none of whom has more than half of its values: another one is put to the next.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from indistinct.kernels.microaggregation import shortest_path
from indistinct.release.transforms.measured import Least, Measured, owned_by_enough
from indistinct.types import Ints

Centre = Literal["mean", "median"]


def microaggregate(column: Measured, least: Least, *, centre: Centre) -> pl.Series:
    """The column with every value replaced by the centre of its group.

    The centre is rounded to as many decimal places as a tenth of the values have (to days, for
    dates), so that the mean of the column moves by half of the last place at most.

    Arguments:
        column: numbers or dates.
        least: how many a group needs.
        centre: what is published of a group.

    Raises:
        DataError: there are values, and fewer than a group needs, or they are one person's.
    """
    present = column.present
    order = np.argsort(present, kind="stable")
    ordered = present[order]
    starts = np.concatenate([np.zeros(1, np.int64), group_ends(ordered, least.k)])[:-1]
    starts = owned_by_enough(column, starts, order, least)
    found = np.empty_like(present)
    sizes: Ints = np.diff(np.append(starts, len(ordered)))
    if centre == "mean" and len(starts):
        # Around the smallest value, so that large numbers lose nothing.
        smallest = ordered[0]
        sums = np.add.reduceat(ordered - smallest, starts)
        centres = smallest + (2 * sums + sizes) // (2 * sizes)
    else:
        low, high = ordered[starts + (sizes - 1) // 2], ordered[starts + sizes // 2]
        centres = low + (high - low + 1) // 2
    found[order] = np.repeat(centres, sizes)
    return column.column(column.near(found))


def group_ends(ordered: Ints, k: int) -> Ints:
    """Where each group of sorted values ends, for the least sum of squared distances."""
    if not len(ordered):
        return np.zeros(0, np.int64)
    if len(ordered) < 2 * k:
        return np.array([len(ordered)], np.int64)
    numbers = (ordered - ordered[0]).astype(np.float64)
    spread = float(numbers[-1])
    before = np.empty(len(ordered) + 1, np.int64)
    shortest_path(numbers / spread if spread else numbers, k, before)
    ends, at = [], len(ordered)
    while at > 0:
        ends.append(at)
        at = int(before[at])
    return np.array(ends[::-1], np.int64)


def told(*, k: int, centre: Centre, of_people: bool = False) -> str:
    """What the certificate says of it.

    Arguments:
        k: the fewest values, or people, of a group.
        centre: what is published of a group.
        of_people: whether people are counted, as they have many records.
    """
    whose = f"the values of {k} or more people" if of_people else f"{k} or more near values"
    return f"replaced by the {centre} of {whose} of the table, suppressed ones among them"
