"""The classes of every combination of attributes, taken or passed over one attribute after another.

Attributes have an order, and records are told apart only by the attributes that are still to come.
Two things shrink while one goes along it, and both make all further combinations cheaper: a class
in which all records are alike in what is still to come never splits again, so what it contributes
is added up once and carried along (it is *closed*); and records of one class that are alike in what
is still to come never part again, so they become one entry with their weights added.

At position p an *entry* of an open class is the number of its tail, the values of the attributes
from p on. Tails are numbered in such an order (see :func:`tails`) that those which agree from p + 1
on are neighbours; a stable split therefore leaves entries that must be merged side by side.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels import NONE
from indistinct.kernels.jit import jit
from indistinct.types import Floats, Ints, Ints32

PARTS, LOSS, SQUARES, PAIRS, ALONE, MOST = range(6)
"""What is summed over classes: their number, mass times loss, mass times loss squared, pairs of
units within a class, units alone in theirs, and the largest loss."""

UNITS, MASS, SELF = range(3)
"""What an entry weighs: its units, the sum of their probabilities p, and the sum of p log2 p; its
units alone where each unit has the probability 1."""


@jit
def tails(column: Ints32, later: Ints32, own: Ints32) -> tuple[int, Ints32, Ints32]:
    """Number the tails from one position on, given the numbers of those from the next one on.

    Arguments:
        column: codes by row, the rows sorted by the last position first, then the one before, ….
        later: by row, the number of its tail from the next position on.
        own: by row, its number from this position on: written here.

    Returns how many there are, and for each its code and the number of its tail from the next
    position on.
    """
    count = 0
    for row in range(len(column)):
        if row == 0 or column[row] != column[row - 1] or later[row] != later[row - 1]:
            count += 1
        own[row] = count - 1
    code = np.empty(count, dtype=np.int32)
    up = np.empty(count, dtype=np.int32)
    for row in range(len(column)):
        code[own[row]] = column[row]
        up[own[row]] = later[row]
    return count, code, up


@jit
def take(  # noqa: D417, arrays that belong together are told together
    entries: Ints32,
    start: Ints,
    weights: Floats,
    code: Ints32,
    up: Ints32,
    whole: float,
    tally: Ints32,
    last: Ints32,
    sums: Floats,
    closed: Floats,
    keep: bool,
    new_entries: Ints32,
    new_start: Ints,
    new_weights: Floats,
    total: Floats,
) -> tuple[int, int]:
    """Split open classes by the attribute at one position.

    Arguments:
        entries, start, weights: the open classes, neighbours in one array; ``start`` has one entry
            more than there are classes; ``weights`` [entries, 3], or [entries, 1]
            where units are all they weigh.
        code, up: by tail, its code here and its tail from the next position on.
        whole: the entropy of the whole table in bits, S0.
        tally, last, sums: scratch of at least the largest code + 1 (``sums`` as wide as
            ``weights``); ``tally`` is 0 everywhere, and again afterwards.
        closed: the sums over closed classes so far, [6]; those closed now are added.
        keep: whether the classes after the split are wanted, or only the sums over them.
        new_entries, new_start, new_weights: the open classes after the split.
        total: the sums over all classes after the split, [6].

    Returns how many entries and classes are open after it.
    """
    kept = 0
    classes = 0
    width = weights.shape[1]
    if keep:
        new_start[0] = 0
    total[:] = 0.0
    touched = np.empty(len(tally), dtype=np.int32)
    for group in range(len(start) - 1):
        first, end = start[group], start[group + 1]
        codes = 0
        for at in range(first, end):
            entry = entries[at]
            c = code[entry]
            if not tally[c]:
                touched[codes] = c
                codes += 1
                tally[c] = 1
                last[c] = up[entry]
                for item in range(width):
                    sums[c, item] = weights[at, item]
            else:
                if last[c] != up[entry]:
                    tally[c] += 1
                    last[c] = up[entry]
                for item in range(width):
                    sums[c, item] += weights[at, item]
        open_classes = False
        for i in range(codes):
            c = touched[i]
            if tally[c] == 1:
                _add(closed, sums[c], whole)
                last[c] = NONE
            else:
                _add(total, sums[c], whole)
                if keep:
                    open_classes = True
                    size = tally[c]
                    last[c] = kept
                    kept += size
                    classes += 1
                    new_start[classes] = kept
            tally[c] = 0
        if not open_classes:
            continue
        for at in range(first, end):
            entry = entries[at]
            c = code[entry]
            place = last[c]
            if place < 0:
                continue
            tail = up[entry]
            if tally[c] == 1 and new_entries[place - 1] == tail:
                for item in range(width):
                    new_weights[place - 1, item] += weights[at, item]
            else:
                tally[c] = 1
                new_entries[place] = tail
                for item in range(width):
                    new_weights[place, item] = weights[at, item]
                last[c] = place + 1
        for i in range(codes):
            tally[touched[i]] = 0
    for item in range(5):
        total[item] += closed[item]
    total[5] = max(total[5], closed[5])
    return kept, classes


@jit
def pass_over(
    entries: Ints32, start: Ints, weights: Floats, up: Ints32, whole: float, closed: Floats
) -> tuple[int, int]:
    """Leave the attribute at one position out; returns how many entries and classes stay open.

    Arguments:
        entries: the entries of the open classes, neighbours in one array; changed.
        start: where each class begins, [classes + 1]; changed.
        weights: what each entry weighs, [entries, 3], or [entries, 1] where units are all; changed.
        up: by tail, its tail from the next position on.
        whole: the entropy of the whole table in bits, S0.
        closed: the sums over closed classes so far, [6]; those closed now are added.
    """
    kept = 0
    classes = 0
    width = weights.shape[1]
    first = start[0]
    for group in range(len(start) - 1):
        end = start[group + 1]
        begin = kept
        for at in range(first, end):
            tail = up[entries[at]]
            if kept > begin and entries[kept - 1] == tail:
                for item in range(width):
                    weights[kept - 1, item] += weights[at, item]
            else:
                entries[kept] = tail
                for item in range(width):
                    weights[kept, item] = weights[at, item]
                kept += 1
        first = end
        if kept - begin == 1:
            kept = begin
            _add(closed, weights[kept], whole)
        else:
            classes += 1
            start[classes] = kept
    start[0] = 0
    return kept, classes


@jit
def add_up(weights: Floats, whole: float, total: Floats) -> None:
    """The sums over classes that are given by their weights.

    Arguments:
        weights: what each class weighs, [classes, 3], or [classes, 1] where units are all; classes
            without units are passed over.
        whole: the entropy of the whole table in bits, S0.
        total: becomes the sums, [6].
    """
    total[:] = 0.0
    for group in range(len(weights)):
        if weights[group, 0]:
            _add(total, weights[group], whole)


@jit
def _add(sums: Floats, weights: Floats, whole: float) -> None:
    units = mass = weights[UNITS]
    self_information = 0.0
    if len(weights) > 1:
        mass, self_information = weights[MASS], weights[SELF]
    sums[0] += 1.0
    sums[3] += units * (units - 1.0)
    if units == 1.0:
        sums[4] += 1.0
    if mass:
        loss = whole - (np.log2(mass) - self_information / mass)
        sums[1] += mass * loss
        sums[2] += mass * loss * loss
        sums[5] = max(sums[5], loss)
