"""Which published rows are left to a person of whom the class and a few items are known."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels import NONE
from indistinct.kernels.jit import inner, jit
from indistinct.types import Bools, Floats, Ints, Ints32

MOST_ITEMS = 32
"""Items of a person that are looked at, the rarest; a bit of a word each."""

MOST_SETS = math.comb(MOST_ITEMS, 3)

MOST_KNOWN = 3
"""Items that are known at most."""

_ONE = np.uint64(1)


@inner
def _add(
    row: int,
    cover: np.uint64,
    tell: np.uint64,
    held: int,
    bits: Ints,
    last: Ints,
    count: Ints,
    told: NDArray[np.uint64],
) -> None:
    """Count a row, once, for every one, two and three of the ``held`` items that it covers.

    Sets of i < j < k have the places i, C(j, 2) + i, and C(k, 3) + C(j, 2) + i. In ``last`` is the
    row that was counted last for each.
    """
    number = 0
    for i in range(held):
        if (cover >> np.uint64(i)) & _ONE:
            bits[number] = i
            number += 1
    for third in range(number):
        k = bits[third]
        count[0, k] += last[0, k] != row
        last[0, k] = row
        told[0, k] &= tell
        for second in range(third):
            j = bits[second]
            pair = k * (k - 1) // 2 + j
            count[1, pair] += last[1, pair] != row
            last[1, pair] = row
            told[1, pair] &= tell
            for first in range(second):
                triple = k * (k - 1) * (k - 2) // 6 + j * (j - 1) // 2 + bits[first]
                count[2, triple] += last[2, triple] != row
                last[2, triple] = row
                told[2, triple] &= tell


@inner
def _summed(held: int, count: Ints, told: NDArray[np.uint64], found: Floats) -> None:
    """What all sets of one, two and three of ``held`` items come to: see :func:`know_items`."""
    for size in range(1, MOST_KNOWN + 1):
        own = min(size, held)
        sets = singled = 0
        certain = False
        for k in range(own - 1, held):
            for j in range(own - 2, k) if own > 1 else range(-1, 0):
                for i in range(j) if own > 2 else range(-1, 0):
                    place, mask = k, _ONE << np.uint64(k)
                    if own == 2:
                        place = k * (k - 1) // 2 + j
                        mask |= _ONE << np.uint64(j)
                    elif own > 2:
                        place = k * (k - 1) * (k - 2) // 6 + j * (j - 1) // 2 + i
                        mask |= (_ONE << np.uint64(j)) | (_ONE << np.uint64(i))
                    sets += 1
                    singled += count[own - 1, place] == 1
                    certain |= (told[own - 1, place] & ~mask) != np.uint64(0)
        found[size - 1, 0] = singled > 0
        found[size - 1, 1] = singled / sets
        found[size - 1, 2] = certain


@jit
def know_items(
    set_indptr: Ints,
    set_class: Ints32,
    class_start: Ints,
    row_of: Ints,
    row_indptr: Ints,
    row_label: Ints32,
    row_sure: Bools,
    vague: Bools,
    people_indptr: Ints,
    people: Ints,
    place: Ints,
    item_indptr: Ints,
    item: Ints32,
    over_indptr: Ints,
    over: Ints32,
    work: Floats,
    found: Floats,
    fewest: Ints,
    fill: bool,
) -> None:
    """Rows that are left when one, two or three items of a person are known beside the class.

    Where a row may show one thing or another, and its person has all of one of them, each
    is a possibility; else every row is one. Without ``fill`` only ``work`` is made: about how many
    steps each person takes.

    Arguments:
        set_indptr: candidate set q is made of the classes ``set_class[set_indptr[q]:...]``.
        set_class: classes.
        class_start: class g has the possibilities from ``class_start[g]`` on, [G + 1].
        row_of: the row of every possibility, rising, each of 0, 1, ... at least once.
        row_indptr: possibility r has ``row_label[row_indptr[r]:row_indptr[r + 1]]``, [r + 1].
        row_label: labels.
        row_sure: whether the row's person has the label for certain, by entries.
        vague: whether a label may stand for anything, [labels]. Where rows of the candidate set
            show an item by a label that is not vague, the item is taken for shown by it wherever it
            is; unless no row would fit the person so.
        people_indptr: candidate set q has the people ``people[people_indptr[q]:...]``.
        people: the people who are looked at, by candidate set.
        place: where what is made of each of them is written, [looked].
        item_indptr: person p has ``item[item_indptr[p]:...]``, [n + 1].
        item: items.
        over_indptr: item e is covered by the labels ``over[over_indptr[e]:...]``.
        over: labels.
        work: steps of each person, [looked].
        found: by person and number of known items: whether some items of that number leave one row
            alone, the share of sets of that number that do, and whether after some of them another
            item is certain, [looked, 3, 3]. People with fewer items are known by all of them.
        fewest: rows that the most telling item leaves, 0 where no row fits the person,
            [looked].
        fill: make ``found`` and ``fewest``, else ``work`` alone.
    """
    labels = len(vague)
    size, start = np.zeros(labels, np.int64), np.zeros(labels, np.int64)
    times, met = np.zeros(labels, np.int64), np.zeros(labels, np.bool_)
    rows = class_start[-1]
    several = rows > 0 and row_of[rows - 1] + 1 < rows
    cover, tell = np.zeros(rows, np.uint64), np.zeros(rows, np.uint64)
    touched = np.empty(rows, np.int64)
    bits = np.empty(MOST_ITEMS, np.int64)
    count = np.empty((3, MOST_SETS), np.int64)
    told, last = np.empty(count.shape, np.uint64), np.empty(count.shape, np.int64)
    widest = 0
    for person in range(len(item_indptr) - 1):
        widest = max(widest, item_indptr[person + 1] - item_indptr[person])
    rare, each = np.empty(widest, np.int64), np.arange(widest)
    for q in range(len(set_indptr) - 1):
        if people_indptr[q] == people_indptr[q + 1]:
            continue
        entries = held_rows = 0
        for at in range(set_indptr[q], set_indptr[q + 1]):
            g = set_class[at]
            if class_start[g + 1] > class_start[g]:
                held_rows += row_of[class_start[g + 1] - 1] - row_of[class_start[g]] + 1
            for e in range(row_indptr[class_start[g]], row_indptr[class_start[g + 1]]):
                size[row_label[e]] += 1
                entries += 1
        local_row = np.empty(entries if fill else 0, np.int64)
        local_sure = np.empty(entries if fill else 0, np.bool_)
        if fill:
            upto = 0
            for at in range(set_indptr[q], set_indptr[q + 1]):
                g = set_class[at]
                for e in range(row_indptr[class_start[g]], row_indptr[class_start[g + 1]]):
                    label = row_label[e]
                    if not met[label]:
                        met[label] = True
                        start[label] = upto
                        upto += size[label]
            for at in range(set_indptr[q], set_indptr[q + 1]):
                g = set_class[at]
                for r in range(class_start[g], class_start[g + 1]):
                    for e in range(row_indptr[r], row_indptr[r + 1]):
                        label = row_label[e]
                        local_row[start[label]] = r
                        local_sure[start[label]] = row_sure[e]
                        start[label] += 1
        for asked in range(people_indptr[q], people_indptr[q + 1]):
            person, told_at = people[asked], place[asked]
            begin, held = item_indptr[person], item_indptr[person + 1] - item_indptr[person]
            steps = np.int64(0)
            for i in range(held):
                own, rare[i] = item[begin + i], 0
                for at in range(over_indptr[own], over_indptr[own + 1]):
                    rare[i] += size[over[at]]
                steps += rare[i]
            chosen = each
            if held > MOST_ITEMS:
                chosen = np.argsort(rare[:held], kind="mergesort")[:MOST_ITEMS]
                held = MOST_ITEMS
            if not fill:
                work[told_at] = steps * (1.0 + held * held / 6.0) + held * held * held / 6.0 + 1.0
                continue
            found[told_at] = 0.0
            fewest[told_at] = 0
            if not held:
                fewest[told_at] = held_rows
                found[told_at, :, :2] = held_rows == 1
                continue
            for i in range(held):
                own = item[begin + chosen[i]]
                for at in range(over_indptr[own], over_indptr[own + 1]):
                    times[over[at]] += 1
            full = (_ONE << np.uint64(held)) - _ONE
            number = 0
            fits = False
            for also_vague in (False, True):
                for i in range(held):
                    own, bit = item[begin + chosen[i]], _ONE << np.uint64(i)
                    shown = False
                    for at in range(over_indptr[own], over_indptr[own + 1]):
                        shown |= not vague[over[at]] and size[over[at]] > 0
                    for at in range(over_indptr[own], over_indptr[own + 1]):
                        label = over[at]
                        if vague[label] and shown and not also_vague:
                            continue
                        for e in range(start[label] - size[label], start[label]):
                            r = local_row[e]
                            if cover[r] == np.uint64(0):
                                touched[number] = r
                                number += 1
                            cover[r] |= bit
                            if times[label] == 1 and local_sure[e]:
                                tell[r] |= bit
                for at in range(number):
                    fits |= cover[touched[at]] == full
                if fits:
                    break
            if fits:
                pairs = held * (held - 1) // 2
                for at, sets in enumerate((held, pairs, pairs * (held - 2) // 3)):
                    count[at, :sets], told[at, :sets], last[at, :sets] = 0, full, NONE
                if several:
                    touched[:number].sort()
                for r in touched[:number]:
                    _add(row_of[r], cover[r], tell[r], held, bits, last, count, told)
                _summed(held, count, told, found[told_at])
                fewest[told_at] = count[0, :held].min()
            for at in range(number):
                cover[touched[at]] = np.uint64(0)
                tell[touched[at]] = np.uint64(0)
            for i in range(held):
                own = item[begin + chosen[i]]
                for at in range(over_indptr[own], over_indptr[own + 1]):
                    times[over[at]] = 0
        for at in range(set_indptr[q], set_indptr[q + 1]):
            g = set_class[at]
            for e in range(row_indptr[class_start[g]], row_indptr[class_start[g + 1]]):
                size[row_label[e]] = 0
                met[row_label[e]] = False
