"""Which published classes a combination of exact values meets, and what those classes hold.

A class meets a combination if each of its cells covers the combination's value. For every attribute
and value one row of bits says which classes cover it, so that the classes a combination meets are
the bits left when the rows of its values are laid upon each other. Of these only the words that
still have a bit are kept. Combinations come sorted, so that neighbours share the rows of their
first attributes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels.jit import jit
from indistinct.kernels.ragged import place_of
from indistinct.types import Bools, Floats, Ints, Ints32

WORD = 64
"""Classes in one word of bits."""

_ONE = np.uint64(1)
_NONE = np.uint64(0)


@jit
def meet(
    codes: Ints32,
    bits: NDArray[np.uint64],
    start: Ints,
    shift: int,
    indptr: Ints,
    met: Ints32,
    place: Ints32,
    layer: NDArray[np.uint64],
    fill: bool,
) -> None:
    """The classes that every combination meets: first their number, then, with ``fill``, which.

    Arguments:
        codes: the value of every combination in each attribute, negative for one that nothing
            covers, [C, J].
        bits: the classes that cover value v of attribute j are ``bits[start[j] + v]``,
            [values, words].
        start: where each attribute begins in ``bits``, [J].
        shift: the class of the first bit.
        indptr: becomes the number of classes met, [C]; with ``fill`` it says where the next class
            of each combination goes in ``met``, and is moved on.
        met: becomes the classes, with ``fill`` alone.
        place: scratch, [J + 1, words].
        layer: scratch, [J + 1, words].
        fill: whether classes are written down, or only counted.
    """
    combinations, attributes = codes.shape
    words = bits.shape[1]
    left = np.zeros(attributes + 1, np.int64)
    left[0] = words
    layer[0, :] = ~_NONE
    for w in range(words):
        place[0, w] = w
    known = 0
    for c in range(combinations):
        same = 0
        if c > 0:
            while same < known and codes[c, same] == codes[c - 1, same]:
                same += 1
        known = same
        while known < attributes and left[known]:
            number, code = 0, codes[c, known]
            if code >= 0:
                row = start[known] + code
                for at in range(left[known]):
                    w = place[known, at]
                    word = layer[known, at] & bits[row, w]
                    layer[known + 1, number] = word
                    place[known + 1, number] = w
                    number += word != _NONE
            known += 1
            left[known] = number
        found = indptr[c] if fill else 0
        for at in range(left[known] if known == attributes else 0):
            word = layer[attributes, at]
            if not fill:
                while word != _NONE:
                    word &= word - _ONE
                    found += 1
                continue
            first = shift + np.int64(place[attributes, at]) * WORD
            for bit in range(WORD):
                if (word >> np.uint64(bit)) & _ONE:
                    met[found] = first + bit
                    found += 1
        indptr[c] = found


@jit
def pool(
    crowd_indptr: Ints,
    crowd_class: Ints32,
    indptr: Ints,
    value: Ints32,
    count: Ints,
    total: Ints,
    there: Bools,
    seen: Ints32,
    pooled_indptr: Ints,
    pooled_value: Ints32,
    pooled_count: Ints,
    fill: bool,
) -> None:
    """How often each value occurs in the classes of each crowd together, as compressed rows.

    A value that is listed in a class is one of its crowd, also where its counts add up to zero.

    Arguments:
        crowd_indptr: crowd q is made of ``crowd_class[crowd_indptr[q]:crowd_indptr[q + 1]]``.
        crowd_class: classes.
        indptr: class g has ``value[indptr[g]:indptr[g + 1]]``.
        value: values.
        count: how often the class has each, by entries of ``value``.
        total: scratch, [D].
        there: scratch, false everywhere before, and after, [D].
        seen: scratch, [D].
        pooled_indptr: where each crowd begins in what is made, [crowds + 1]; made without ``fill``.
        pooled_value: becomes the values of each crowd, rising, with ``fill`` alone.
        pooled_count: becomes their counts, with ``fill`` alone.
        fill: whether values are written down, or only counted.
    """
    crowds = len(crowd_indptr) - 1
    if not fill:
        pooled_indptr[0] = 0
    for q in range(crowds):
        values = 0
        for at in range(crowd_indptr[q], crowd_indptr[q + 1]):
            g = crowd_class[at]
            for cell in range(indptr[g], indptr[g + 1]):
                v = value[cell]
                if not there[v]:
                    there[v] = True
                    seen[values] = v
                    values += 1
                    total[v] = 0
                total[v] += count[cell]
        if fill:
            base = pooled_indptr[q]
            seen[:values].sort()
            for at in range(values):
                pooled_value[base + at] = seen[at]
                pooled_count[base + at] = total[seen[at]]
        else:
            pooled_indptr[q + 1] = pooled_indptr[q] + values
        for at in range(values):
            there[seen[at]] = False


@jit
def mark(indptr: Ints, met: Ints32, code: Ints32, there: Bools) -> None:
    """Which values occur among the combinations that meet each class.

    Arguments:
        indptr: combination c meets the classes ``met[indptr[c]:indptr[c + 1]]``.
        met: classes.
        code: the value of every combination, negative for none that is known, [C].
        there: set where a class has a value, [G, D].
    """
    for c in range(len(code)):
        if code[c] >= 0:
            for at in range(indptr[c], indptr[c + 1]):
                there[met[at], code[c]] = True


@jit
def add_beliefs(
    indptr: Ints,
    met: Ints32,
    code: Ints32,
    size: Ints,
    even: Floats,
    cell: Ints32,
    group: Ints32,
    row: Ints,
    belief: Floats,
    total: Floats,
) -> None:
    """The beliefs in the value of every combination over the classes it meets, times their sizes.

    Arguments:
        indptr: combination c meets the classes ``met[indptr[c]:indptr[c + 1]]``.
        met: classes.
        code: the value of every combination, [C].
        size: records of every class, [G].
        even: the belief in each value of the cell of every class, [G].
        cell: the cell of every class, [G].
        group: what group of its values each value of a cell is of, [cells, D].
        row: the row of ``belief`` of every class; -1 where ``even`` holds, [G].
        belief: the belief in a value of each group, [rows, groups].
        total: the sums are added here, [C].
    """
    for c in range(len(code)):
        for at in range(indptr[c], indptr[c + 1]):
            g = met[at]
            each = even[g]
            if row[g] >= 0:
                each = belief[row[g], group[cell[g], code[c]]]
            total[c] += each * size[g]


@jit
def count_hits(
    set_of: Ints32,
    set_indptr: Ints,
    set_class: Ints32,
    truth: Ints32,
    indptr: Ints,
    value: Ints32,
    count: Ints,
    last: Ints,
) -> None:
    """How many people could have each entry of a class: who could stand there and has its value.

    Arguments:
        set_of: the candidate set of every person, [n].
        set_indptr: set q is made of the classes ``set_class[set_indptr[q]:set_indptr[q + 1]]``.
        set_class: classes.
        truth: the value of every person, [n].
        indptr: class g has the entries ``value[indptr[g]:indptr[g + 1]]``, rising.
        value: values.
        count: people are added here, [entries].
        last: the last of them, [entries].
    """
    for person in range(len(set_of)):
        q, wanted = set_of[person], truth[person]
        for at in range(set_indptr[q], set_indptr[q + 1]):
            g = set_class[at]
            place = place_of(value, indptr[g], indptr[g + 1], wanted)
            if place >= 0:
                count[place] += 1
                last[place] = person
