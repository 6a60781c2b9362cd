"""Taking published rows for people one after the other, in the order of both."""

from __future__ import annotations

from indistinct.kernels import NONE
from indistinct.kernels.jit import jit
from indistinct.kernels.ragged import place_of
from indistinct.types import Ints, Ints32


@jit
def first_unused(
    crowd_of: Ints32,
    crowd_indptr: Ints,
    crowd_class: Ints32,
    class_of: Ints32,
    class_indptr: Ints,
    order: Ints,
    places: Ints32,
    following: Ints,
    head: Ints32,
    taken: Ints,
) -> None:
    """For every person, in order, the first published row that no one before took.

    A person may take the rows of the classes of the own crowd.

    Arguments:
        crowd_of: the crowd of every person, [n].
        crowd_indptr: crowd q is made of ``crowd_class[crowd_indptr[q]:crowd_indptr[q + 1]]``.
        crowd_class: classes.
        class_of: the class of every row, [rows].
        class_indptr: class g has ``class_indptr[g + 1] - class_indptr[g]`` rows, [G + 1].
        order: the rows in the order in which they are gone through, [rows].
        places: scratch, [rows].
        following: scratch, [G].
        head: scratch, [G].
        taken: becomes the row of every person, -1 for none, [n].
    """
    rows = len(order)
    classes = len(class_indptr) - 1
    for g in range(classes):
        following[g] = class_indptr[g]
        head[g] = rows
    for at in range(rows):
        g = class_of[order[at]]
        places[following[g]] = at
        following[g] += 1
    for g in range(classes):
        following[g] = class_indptr[g]
        if following[g] < class_indptr[g + 1]:
            head[g] = places[following[g]]
    for person in range(len(crowd_of)):
        best = NONE
        first = rows
        q = crowd_of[person]
        for at in range(crowd_indptr[q], crowd_indptr[q + 1]):
            g = crowd_class[at]
            if head[g] < first:
                best = g
                first = head[g]
        if best < 0:
            taken[person] = NONE
            continue
        taken[person] = order[first]
        following[best] += 1
        head[best] = places[following[best]] if following[best] < class_indptr[best + 1] else rows


@jit
def number_aligned(
    crowd_of: Ints32, crowd_indptr: Ints, crowd_class: Ints32, class_of: Ints32, order: Ints
) -> tuple[int, int]:
    """How many of the rows, in order, fit the person in their place, and of how many.

    Arguments:
        crowd_of: the crowd of every person in order, [n]; those without a class are left out.
        crowd_indptr: crowd q is made of ``crowd_class[crowd_indptr[q]:crowd_indptr[q + 1]]``,
            rising.
        crowd_class: classes.
        class_of: the class of every row, [rows].
        order: the rows in order, [rows].
    """
    row = 0
    found = 0
    for q in crowd_of:
        low, end = crowd_indptr[q], crowd_indptr[q + 1]
        if low == end:
            continue
        if row == len(order):
            break
        found += place_of(crowd_class, low, end, class_of[order[row]]) >= 0
        row += 1
    return found, row
