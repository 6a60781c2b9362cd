"""Sums over the classes that a person could stand in."""

from __future__ import annotations

from indistinct.kernels.jit import jit
from indistinct.kernels.ragged import place_of
from indistinct.types import Floats, Ints, Ints32


@jit
def gather(
    crowd_indptr: Ints,
    crowd_class: Ints32,
    indptr: Ints,
    value: Ints32,
    amount: Floats,
    pair_crowd: Ints,
    pair_value: Ints,
    found: Floats,
) -> None:
    """What the amounts of a value add up to over the classes of a crowd, for pairs of both.

    The values of class ``g`` are ``value[indptr[g]:indptr[g + 1]]``, rising, with an amount each.
    Crowd ``q`` is made of the classes ``crowd_class[crowd_indptr[q]:crowd_indptr[q + 1]]``.
    """
    for p in range(len(pair_crowd)):
        total = 0.0
        for at in range(crowd_indptr[pair_crowd[p]], crowd_indptr[pair_crowd[p] + 1]):
            g = crowd_class[at]
            place = place_of(value, indptr[g], indptr[g + 1], pair_value[p])
            if place >= 0:
                total += amount[place]
        found[p] = total
