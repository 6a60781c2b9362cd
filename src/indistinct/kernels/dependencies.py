"""Which columns hardly differ among records that share a value of another one."""

from __future__ import annotations

import numpy as np

from indistinct.kernels import NONE
from indistinct.kernels.jit import jit
from indistinct.types import Bools, Ints, Ints32


@jit
def few_pairs(
    codes: Ints32, distinct: Ints, base: int, order: Ints, most: float, marks: Ints, few: Bools
) -> None:
    """Leave of some columns those that have at most ``most`` distinct pairs of values with a base.

    Columns with more values than the base are left out, as is the base.

    Arguments:
        codes: the code of every column's value in every row, -1 where it is missing, [columns, n].
        distinct: how many values each column has, [columns].
        base: which column is the base.
        order: the rows in the order of the base's codes, [n].
        most: the largest number of pairs.
        marks: scratch, as many as the most values of a column; all below 0.
        few: the columns to look at, and then the answer, [columns].
    """
    group = np.int64(0)
    complete = codes[base].min() >= 0
    for column in range(len(codes)):
        if not few[column]:
            continue
        if column == base or distinct[column] > distinct[base]:
            few[column] = False
            continue
        pairs = 0
        # Every value of the base that is still to come brings a pair, where nothing is missing.
        to_come = distinct[base] if complete and codes[column].min() >= 0 else 0
        before = np.int32(NONE)
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
    marks[:] = NONE


@jit
def settled_columns(
    codes: Ints32, order: Ints, ends: Ints, sizes: Ints, most: float, settled: Bools
) -> None:
    """Tell of every column whether at most so many records are in a group with several values.

    Arguments:
        codes: the code of every column's value in every row, -1 is one as well, [columns, n].
        order: the rows of the groups, one group after another.
        ends: where each group ends in ``order``, [groups].
        sizes: how many records each group has, [groups].
        most: the largest number of records.
        settled: the answer, [columns].
    """
    for column in range(len(codes)):
        several, start = np.int64(0), np.int64(0)
        for group in range(len(ends)):
            first = codes[column, order[start]]
            for at in range(start, ends[group]):
                if codes[column, order[at]] != first:
                    several += sizes[group]
                    break
            if several > most:
                break
            start = ends[group]
        settled[column] = several <= most
