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
    """The lowest and the highest rank in each class; rows of class -1 are passed over.

    ``rank`` goes by row. Negative ranks are outside the order: -1 sets bit 1 of the class's flags,
    any other bit 2. A class without a rank has ``low`` above ``high``.
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
    """The set of ranks in each class, a bit each; ranks are below 64."""
    found[:] = 0
    one = np.uint64(1)
    for row in range(len(class_of)):
        group = class_of[row]
        if group >= 0:
            found[group] |= one << np.uint64(rank[row])


@jit
def agreements(class_of: Ints32, leaf: Ints32, code: Ints32, first: Ints32, level: Ints32) -> None:
    """A leaf of each class (-1: none), and the lowest level on which all its leaves have one code.

    ``leaf`` goes by row; ``code`` is [levels, leaves]. Codes are nested: what is equal on one level
    is equal on those above. A level as high as there are levels says that nothing is in common.
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

    ``cell_of`` is [G, m]; whether cell t of attribute j covers leaf d is
    ``covers[start[j] + t * domain[j] + d]``; ``codes`` [C, m] and ``people`` [C] are the
    population's.
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
