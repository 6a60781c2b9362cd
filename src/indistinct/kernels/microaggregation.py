"""The best groups of sorted numbers, as a shortest path (Hansen and Mukherjee 2003)."""

from __future__ import annotations

import numpy as np

from indistinct.kernels import NONE
from indistinct.kernels.jit import jit
from indistinct.types import Floats, Ints


@jit
def shortest_path(numbers: Floats, k: int, before: Ints) -> None:
    """For every end of a group where the group begins, on the cheapest way there.

    A group is a run of k to 2k - 1, and costs the sum of squared distances to its mean. Following
    ``before`` from the last place to 0 gives the groups.

    Arguments:
        numbers: sorted numbers, at least k of them, [n].
        k: numbers in a group at least.
        before: becomes where the group that ends before each place begins, -1 where no way leads
            there, [n + 1].
    """
    n = len(numbers)
    cost = np.full(n + 1, np.inf)
    cost[0] = 0.0
    before[:] = NONE
    for end in range(k, n + 1):
        # The last k numbers, and then one more in front at a time, by Welford's update.
        mean = spread = 0.0
        first = max(end - (2 * k - 1), 0)
        for at in range(end - 1, first - 1, -1):
            count = end - at
            away = numbers[at] - mean
            mean += away / count
            spread += away * (numbers[at] - mean)
            if count >= k and cost[at] + spread < cost[end]:
                cost[end] = cost[at] + spread
                before[end] = at
