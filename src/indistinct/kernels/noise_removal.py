"""Sums over the classes that a person could stand in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels.jit import jit


@jit
def gather(
    crowd_indptr: NDArray[np.int64],
    crowd_class: NDArray[np.int32],
    indptr: NDArray[np.int64],
    value: NDArray[np.int32],
    amount: NDArray[np.float64],
    pair_crowd: NDArray[np.int64],
    pair_value: NDArray[np.int64],
    found: NDArray[np.float64],
) -> None:
    """What the amounts of a value add up to over the classes of a crowd, for pairs of both.

    The values of class ``g`` are ``value[indptr[g]:indptr[g + 1]]``, rising, with an amount each.
    Crowd ``q`` is made of the classes ``crowd_class[crowd_indptr[q]:crowd_indptr[q + 1]]``.
    """
    for p in range(pair_crowd.shape[0]):
        wanted = pair_value[p]
        total = 0.0
        for at in range(crowd_indptr[pair_crowd[p]], crowd_indptr[pair_crowd[p] + 1]):
            g = crowd_class[at]
            low, high = indptr[g], indptr[g + 1]
            while low < high:
                middle = (low + high) // 2
                if value[middle] < wanted:
                    low = middle + 1
                else:
                    high = middle
            if low < indptr[g + 1] and value[low] == wanted:
                total += amount[low]
        found[p] = total
