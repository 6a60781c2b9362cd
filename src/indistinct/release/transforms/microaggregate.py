"""Numbers and dates replaced by the mean or the median of a group of near ones.

The groups have at least k values each and are those of the least squared distance to their means
(Hansen and Mukherjee 2003): in one dimension the best groups are runs of the sorted values of k to
2k - 1 each, and the best runs are a shortest path.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.kernels.microaggregation import shortest_path
from indistinct.release.transforms.measured import Measured

Centre = Literal["mean", "median"]


def microaggregate(column: Measured, *, k: int, centre: Centre) -> pl.Series:
    """The column with every value replaced by the centre of its group.

    The centre is rounded to the column's decimal places (to days, for dates), so that the mean of
    the column moves by half of the last place at most. Fewer than k values make one group.
    """
    present = column.present
    order = np.argsort(present, kind="stable")
    ordered = present[order]
    ends = group_ends(ordered, k)
    found = np.empty_like(present)
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]]) if len(ends) else ends
    sizes = ends - starts
    if centre == "mean" and len(ends):
        # Around the smallest value, so that large numbers lose nothing.
        least = ordered[0]
        sums = np.add.reduceat(ordered - least, starts)
        centres = least + (2 * sums + sizes) // (2 * sizes)
    else:
        low, high = ordered[starts + (sizes - 1) // 2], ordered[starts + sizes // 2]
        centres = low + (high - low + 1) // 2
    found[order] = np.repeat(centres, sizes)
    return column.column(found)


def group_ends(ordered: NDArray[np.int64], k: int) -> NDArray[np.int64]:
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


def told(*, k: int, centre: Centre) -> str:
    """What the certificate says of it."""
    return f"replaced by the {centre} of {k} or more near values"
