"""What the members of each class span: the ends, the set of values, the level they agree on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels import NONE
from indistinct.kernels.jit import jit
from indistinct.types import Bools, Ints, Ints32


@jit
def spans(
    class_of: Ints32, rank: Ints32, low: Ints32, high: Ints32, flags: NDArray[np.uint8]
) -> None:
    """The lowest and the highest rank in each class.

    Arguments:
        class_of: the class of every row, [n]; rows of class -1 are passed over.
        rank: the rank of every row, negative outside the order, [n].
        low: becomes the lowest rank, above ``high`` in a class without a rank, [G].
        high: becomes the highest rank, [G].
        flags: becomes 1 where the class has a rank of -1, and 2 more where it has one below, [G].
    """
    low[:] = np.iinfo(np.int32).max
    high[:] = NONE
    flags[:] = 0
    for row in range(len(class_of)):
        group = class_of[row]
        if group < 0:
            continue
        at = rank[row]
        if at < 0:
            flags[group] |= 1 if at == NONE else 2
            continue
        if at < low[group]:
            low[group] = at
        if at > high[group]:
            high[group] = at


@jit
def masks(class_of: Ints32, rank: Ints32, found: NDArray[np.uint64]) -> None:
    """The set of ranks in each class, a bit each.

    Arguments:
        class_of: the class of every row, [n]; rows of class -1 are passed over.
        rank: the rank of every row, below 64, [n].
        found: becomes the sets, [G].
    """
    found[:] = 0
    one = np.uint64(1)
    for row in range(len(class_of)):
        group = class_of[row]
        if group >= 0:
            found[group] |= one << np.uint64(rank[row])


@jit
def agreements(class_of: Ints32, leaf: Ints32, code: Ints32, first: Ints32, level: Ints32) -> None:
    """A leaf of each class, and the lowest level on which all its leaves have one code.

    Codes are nested: what is equal on one level is equal on those above.

    Arguments:
        class_of: the class of every row, [n]; rows of class -1 are passed over.
        leaf: the leaf of every row, [n].
        code: of every leaf on each level, [levels, leaves].
        first: becomes a leaf of each class, -1 for none, [G].
        level: becomes the level, [G]; the number of levels where nothing is in common.
    """
    first[:] = NONE
    level[:] = 0
    levels = len(code)
    for row in range(len(class_of)):
        group = class_of[row]
        if group < 0:
            continue
        if first[group] < 0:
            first[group] = leaf[row]
            continue
        at = level[group]
        while at < levels and code[at, leaf[row]] != code[at, first[group]]:
            at += 1
        level[group] = at


@jit
def people_under(
    cell_of: Ints32,
    covers: Bools,
    start: Ints,
    domain: Ints,
    codes: Ints32,
    people: Ints,
    found: Ints,
    reached: Bools,
) -> None:
    """How many people each class stands for, and which combinations any class stands for.

    Arguments:
        cell_of: the cell of every class in each attribute, [G, m].
        covers: whether cell t of attribute j covers leaf d:
            ``covers[start[j] + t * domain[j] + d]``.
        start: where each attribute begins in ``covers``, [m].
        domain: leaves of each attribute, [m].
        codes: leaves of the population's combinations, [C, m].
        people: how many people have each combination, [C].
        found: becomes the people of each class, [G].
        reached: becomes whether a class stands for the combination, [C].
    """
    found[:] = 0
    reached[:] = False
    attributes = codes.shape[1]
    for group in range(len(cell_of)):
        for row in range(len(codes)):
            under = True
            for j in range(attributes):
                if not covers[start[j] + cell_of[group, j] * domain[j] + codes[row, j]]:
                    under = False
                    break
            if under:
                found[group] += people[row]
                reached[row] = True
