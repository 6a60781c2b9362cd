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

    Arguments:
        crowd_indptr: crowd q is made of ``crowd_class[crowd_indptr[q]:crowd_indptr[q + 1]]``.
        crowd_class: classes.
        indptr: class g has ``value[indptr[g]:indptr[g + 1]]``, rising.
        value: values.
        amount: how much of each the class has, by entries of ``value``.
        pair_crowd: the crowd of every pair, [P].
        pair_value: the value of every pair, [P].
        found: becomes the sums, [P].
    """
    for p in range(len(pair_crowd)):
        total = 0.0
        for at in range(crowd_indptr[pair_crowd[p]], crowd_indptr[pair_crowd[p] + 1]):
            g = crowd_class[at]
            place = place_of(value, indptr[g], indptr[g + 1], pair_value[p])
            if place >= 0:
                total += amount[place]
        found[p] = total
