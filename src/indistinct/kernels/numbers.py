"""Numbers lowered as little as possible, until k are alike."""

from __future__ import annotations

import numpy as np

from indistinct.kernels import NONE
from indistinct.kernels.jit import jit
from indistinct.types import Ints


@jit
def least_lost(numbers: Ints, ends: Ints, k: int) -> Ints:
    """What each number becomes, so that k of its class at least become the same; the least is lost.

    A run of k to 2k - 1 numbers of a class becomes its first (a longer one can be cut without
    loss), and the cheapest runs are a shortest path. Classes of fewer than k stay as they are.

    Arguments:
        numbers: the numbers of all classes, rising in each, [n].
        ends: class c is the places from ``ends[c]`` to ``ends[c + 1]``, [G + 1].
        k: how many become the same at least.
    """
    found = numbers.copy()
    for c in range(len(ends) - 1):
        start, size = ends[c], ends[c + 1] - ends[c]
        if size < k:
            continue
        cost = np.full(size + 1, np.inf)
        cost[0] = 0.0
        before = np.full(size + 1, NONE, np.int64)
        for end in range(k, size + 1):
            total = 0
            for at in range(end - 1, max(end - 2 * k, -1), -1):
                total += numbers[start + at]
                lost = cost[at] + total - (end - at) * numbers[start + at]
                if end - at >= k and lost < cost[end]:
                    cost[end], before[end] = lost, at
        end = size
        while end:
            for place in range(before[end], end):
                found[start + place] = numbers[start + before[end]]
            end = before[end]
    return found
