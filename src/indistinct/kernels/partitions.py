"""Splitting classes attribute by attribute, classes that cannot split further put aside.

A partition is kept as its *open* classes, those of two rows or more, as neighbours in one array:
``rows`` and where each class ``start`` s. A class of one row never splits again, whatever attribute
comes next, so what it contributes is added up once and carried along.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels.jit import jit

PARTS, LOSS, SQUARES, PAIRS, ALONE, MOST = range(6)
"""What is summed over classes: their number, mass times loss, mass times loss squared, pairs of
units within a class, units alone in theirs, and the largest loss."""


@jit
def split(
    rows: NDArray[np.int32],
    start: NDArray[np.int64],
    column: NDArray[np.int32],
    units: NDArray[np.int64],
    mass: NDArray[np.float64],
    self_information: NDArray[np.float64],
    whole: float,
    tally: NDArray[np.int32],
    place: NDArray[np.int32],
    closed: NDArray[np.float64],
    new_rows: NDArray[np.int32],
    new_start: NDArray[np.int64],
    total: NDArray[np.float64],
) -> tuple[int, int]:
    """Split open classes by one column; returns the number of open rows and of open classes.

    The open classes are ``rows`` and ``start``, which has one entry more than there are classes;
    ``column`` holds codes by row. Each row has ``units``, a ``mass`` (the sum of its probabilities p,
    up to a factor) and its ``self_information`` (the sum of p log2 p); ``whole`` is the entropy of
    the table in bits, S0. ``tally`` and ``place`` are scratch of at least the largest code + 1;
    ``tally`` is 0 everywhere, and again afterwards. ``closed`` [6] are the sums over closed classes,
    to which those closed now are added. The result is in ``new_rows``, ``new_start`` and ``total``
    [6], the sums over all classes.
    """
    kept = 0
    classes = 0
    new_start[0] = 0
    total[:] = 0.0
    for group in range(start.shape[0] - 1):
        first, last = start[group], start[group + 1]
        for at in range(first, last):
            tally[column[rows[at]]] += 1
        for at in range(first, last):
            row = rows[at]
            code = column[row]
            count = tally[code]
            if count == 0:
                continue
            if count == 1:
                tally[code] = 0
                _add(closed, units[row], mass[row], self_information[row], whole)
                continue
            if count > 1:
                place[code] = kept
                kept += count
                classes += 1
                new_start[classes] = kept
                tally[code] = -count
            new_rows[place[code]] = row
            place[code] += 1
            tally[code] += 1
    for group in range(classes):
        u = np.int64(0)
        m = 0.0
        s = 0.0
        for at in range(new_start[group], new_start[group + 1]):
            row = new_rows[at]
            u += units[row]
            m += mass[row]
            s += self_information[row]
        _add(total, u, m, s, whole)
    for item in range(5):
        total[item] += closed[item]
    total[5] = max(total[5], closed[5])
    return kept, classes


@jit
def _add(
    sums: NDArray[np.float64],
    units: int | np.int64,
    mass: float,
    self_information: float,
    whole: float,
) -> None:
    loss = whole
    if mass > 0.0:
        loss = whole - (np.log2(mass) - self_information / mass)
    sums[0] += 1.0
    sums[1] += mass * loss
    sums[2] += mass * loss * loss
    sums[3] += units * (units - 1.0)
    if units == 1:
        sums[4] += 1.0
    if mass > 0.0:
        sums[5] = max(sums[5], loss)
