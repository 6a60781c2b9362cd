"""Which columns have hardly more values together than one of them has alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels.jit import jit


@jit
def few_pairs(
    codes: NDArray[np.int32],
    distinct: NDArray[np.int64],
    base: int,
    order: NDArray[np.int64],
    most: float,
    marks: NDArray[np.int64],
    few: NDArray[np.bool_],
) -> None:
    """Tell of every column whether a base and it have at most ``most`` distinct pairs of values.

    Columns with more values than the base are passed over, as is the base.

    Arguments:
        codes: the code of every column's value in every row, -1 where it is missing, [columns, n].
        distinct: how many values each column has, [columns].
        base: which column is the base.
        order: the rows in the order of the base's codes, [n].
        most: the largest number of pairs.
        marks: scratch, as many as the most values of a column; all below 0.
        few: the answer, [columns].
    """
    group = np.int64(0)
    values, before = 0, np.int32(-1)
    complete = codes[base, order[0]] >= 0 if len(order) else False
    for row in order:
        values += codes[base, row] != before
        before = codes[base, row]
    for column in range(codes.shape[0]):
        few[column] = False
        if column == base or distinct[column] > distinct[base]:
            continue
        pairs = 0
        # Every value of the base that is still to come brings a pair, where nothing is missing.
        to_come = values if complete and codes[column].min() >= 0 else 0
        before = np.int32(-1)
        for row in order:
            value = codes[base, row]
            other = codes[column, row]
            if value != before:
                group += 1
                before = value
                to_come = max(to_come - 1, 0)
            if value < 0 or other < 0 or marks[other] == group:
                continue
            marks[other] = group
            pairs += 1
            if pairs + to_come > most:
                break
        group += 1
        few[column] = pairs + to_come <= most
    marks[:] = -1
