"""Who exchanges values with whom in rank swapping."""

from __future__ import annotations

import numpy as np

from indistinct.kernels.jit import inner, jit
from indistinct.types import Floats, Ints


@jit
def pair_up(start: Ints, end: Ints, most: Ints, draws: Floats, partner: Ints) -> None:
    """For every place of a sorted list the place it exchanges its value with, or its own.

    From the front, each place that has no partner yet draws a place of its window; should that one
    be taken, the next free one after it is its partner, or else the next free one at all.

    Arguments:
        start: where each group begins, [G].
        end: where each group ends, [G].
        most: over how many places members of a group exchange at most, [G].
        draws: random numbers from 0 to 1, [n].
        partner: becomes the place that each exchanges with, [n].
    """
    free = np.empty(len(partner) + 1, np.int64)  # the first place from here on that is free
    for at in range(len(free)):
        free[at] = at
    for at in range(len(partner)):
        partner[at] = at
    for g in range(len(start)):
        for at in range(start[g], end[g]):
            if free[at] != at:
                continue
            free[at] = at + 1
            last = min(at + most[g], end[g] - 1)
            drawn = np.int64(draws[at] * (last - at))
            other = _first_free(free, np.int64(at + 1) + drawn)
            if other > last:
                other = _first_free(free, np.int64(at))
            if other <= last:
                partner[at] = other
                partner[other] = at
                free[other] = other + 1


@inner
def _first_free(free: Ints, place: np.int64) -> np.int64:
    root = place
    while free[root] != root:
        root = free[root]
    while free[place] != root:
        after = free[place]
        free[place] = root
        place = after
    return root
