"""Which rows fall into one class, and how many units each class holds.

The codes of several columns are packed into one exact 64-bit key. Where they would not fit, the
classes so far are numbered densely, in order of first appearance, and take the place of the columns
before: no number of columns can overflow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from indistinct.kernels import NONE
from indistinct.kernels.jit import inner, jit
from indistinct.types import Bools, Ints, Ints32

DENSE = 1 << 18
"""Largest product of two cardinalities that is looked up in a plain table."""

LARGEST_KEY = 1 << 62
"""Keys are smaller than this."""

_MIX = np.int64(-7046029254386353131)


class Scratch(NamedTuple):
    """Room for grouping so many rows; what kernels find stands in it.

    Between calls ``dense`` and ``slot_class`` hold -1 everywhere.
    """

    key: Ints
    """The key of every row, [rows]."""
    dense: Ints32
    """The class of every small key, [:data:`DENSE`]."""
    slot_key: Ints
    """A table of larger keys by their hashes: a power of two long, at least twice the rows."""
    slot_class: Ints32
    """The class of each of these keys."""
    class_of: Ints32
    """The class of every row, [rows]."""
    key_of: Ints
    """Where the key of each class stands, [classes]."""
    size: Ints
    """Units of each class, [classes]."""
    first: Ints32
    """The first row of each class, [classes]."""

    @classmethod
    def of(cls, rows: int) -> Scratch:
        """Room for so many rows, all of which may be classes of their own."""
        most = max(rows, 1)
        slots = 1 << max(4, int(2 * most - 1).bit_length())
        return cls(
            key=np.empty(rows, dtype=np.int64),
            dense=np.full(DENSE, NONE, dtype=np.int32),
            slot_key=np.empty(slots, dtype=np.int64),
            slot_class=np.full(slots, NONE, dtype=np.int32),
            class_of=np.empty(rows, dtype=np.int32),
            key_of=np.empty(most, dtype=np.int64),
            size=np.empty(most, dtype=np.int64),
            first=np.empty(most, dtype=np.int32),
        )


@inner
def first_slot(key: np.int64, mask: int) -> np.int64:
    """Where a key belongs in a table of a power of two slots, if nothing else is there."""
    mixed = key * _MIX
    return (mixed ^ (mixed >> np.int64(32))) & mask


@jit
def number_keys(product: int | np.int64, weight: Ints, scratch: Scratch) -> int:
    """Classes of equal keys, in order of first appearance; returns their number G.

    Arguments:
        product: a number above all keys.
        weight: units of every row, [rows].
        scratch: has the key of every row; its ``class_of``, ``size`` and ``first`` are filled.
    """
    key, dense, slot_key, slot_class, class_of, key_of, size, first = scratch
    groups = 0
    length = len(weight)
    if product <= len(dense):
        for at in range(length):
            group = dense[key[at]]
            if group < 0:
                group = groups
                dense[key[at]] = group
                key_of[group] = key[at]
                size[group] = 0
                first[group] = at
                groups += 1
            class_of[at] = group
            size[group] += weight[at]
        for group in range(groups):
            dense[key_of[group]] = NONE
        return groups
    mask = len(slot_class) - 1
    while mask > 4 * length + 15:
        mask >>= 1
    for at in range(length):
        slot = first_slot(key[at], mask)
        while True:
            group = slot_class[slot]
            if group < 0:
                group = groups
                slot_class[slot] = group
                slot_key[slot] = key[at]
                key_of[group] = slot
                size[group] = 0
                first[group] = at
                groups += 1
                break
            if slot_key[slot] == key[at]:
                break
            slot = (slot + 1) & mask
        class_of[at] = group
        size[group] += weight[at]
    for group in range(groups):
        slot_class[key_of[group]] = NONE
    return groups


@jit
def number_lists(indptr: Ints, value: Ints32, of: Ints32) -> Ints:
    """Number equal rows of different lengths, in order of first appearance.

    Arguments:
        indptr: row r is ``value[indptr[r]:indptr[r + 1]]``, [rows + 1].
        value: the entries of all rows.
        of: becomes the number of each row, [rows].

    Returns:
        The first row of every number.
    """
    rows = len(of)
    slots = 16
    while slots < 2 * rows:
        slots *= 2
    table, first = np.full(slots, NONE, np.int32), np.empty(rows, np.int64)
    groups = 0
    for row in range(rows):
        begin, length = indptr[row], indptr[row + 1] - indptr[row]
        mixed = np.int64(length)
        for at in range(begin, begin + length):
            mixed = (mixed ^ np.int64(value[at])) * _MIX
            mixed ^= (mixed >> np.int64(32)) & np.int64(0xFFFFFFFF)
        slot = mixed & (slots - 1)
        while True:
            group = table[slot]
            if group < 0:
                group = groups
                table[slot] = group
                first[group] = row
                groups += 1
                break
            other = indptr[first[group]]
            same = indptr[first[group] + 1] - other == length
            at = 0
            while same and at < length:
                same = value[other + at] == value[begin + at]
                at += 1
            if same:
                break
            slot = (slot + 1) & (slots - 1)
        of[row] = group
    return first[:groups]


@jit
def class_sizes(class_of: Ints32, weight: Ints, dropped: Bools, size: Ints) -> None:
    """Units per class.

    Arguments:
        class_of: the class of every row, [rows].
        weight: units of every row, [rows].
        dropped: rows that are not counted, [rows].
        size: becomes the units, [G].
    """
    size[:] = 0
    for row in range(len(class_of)):
        if not dropped[row]:
            size[class_of[row]] += weight[row]


@jit
def mark_rows(class_of: Ints32, broken: Bools, weight: Ints, dropped: Bools) -> int:
    """Mark the rows of broken classes as dropped; returns the units newly dropped.

    Arguments:
        class_of: the class of every row, [rows].
        broken: which classes are broken, [G].
        weight: units of every row, [rows].
        dropped: rows that are dropped; others are added, [rows].
    """
    units = 0
    for row in range(len(class_of)):
        if broken[class_of[row]] and not dropped[row]:
            dropped[row] = True
            units += weight[row]
    return units


@jit
def divide(
    size: Ints, first: Ints32, broken: Bools, rows: Ints32, units: Ints, kept: Ints
) -> tuple[int, int]:
    """A row and the units of every broken class, and the units of every other one.

    Arguments:
        size: units of each class, [G].
        first: a row of each class, [G].
        broken: which classes are broken, [G].
        rows: becomes the rows of broken classes, one after the other; room for G.
        units: becomes the units of these; room for G.
        kept: becomes the units of the others; room for G.

    Returns:
        How many classes are broken, and their units together.
    """
    lost = 0
    held = 0
    total = 0
    for group in range(len(size)):
        rows[lost] = first[group]
        units[lost] = size[group]
        kept[held] = size[group]
        if broken[group]:
            total += int(size[group])
            lost += 1
        else:
            held += 1
    return lost, total


@jit
def smallest_first(
    size: Ints, first: Ints32, bucket_of: Ints, rows: Ints32, units: Ints, ends: Ints, lost: Ints
) -> None:
    """A row and the units of every small class, those of the first bucket first.

    Arguments:
        size: units of each class, [G].
        first: a row of each class, [G].
        bucket_of: the bucket of every size from 0, the last for all above; classes in none have one
            that there is not.
        rows: becomes the rows of small classes; room for all classes.
        units: becomes the units of these; room for all classes.
        ends: becomes the number of classes up to each bucket, [B].
        lost: becomes the units of these together, [B].
    """
    most, buckets = len(bucket_of) - 1, len(ends)
    ends[:] = 0
    lost[:] = 0
    for group in range(len(size)):
        bucket = bucket_of[min(size[group], most)]
        if bucket < buckets:
            ends[bucket] += 1
            lost[bucket] += size[group]
    lost[:] = np.cumsum(lost)
    # From where each bucket begins to where it ends.
    ends[:] = np.cumsum(ends) - ends
    for group in range(len(size)):
        bucket = bucket_of[min(size[group], most)]
        if bucket < buckets:
            rows[ends[bucket]] = first[group]
            units[ends[bucket]] = size[group]
            ends[bucket] += 1


@jit
def histogram(
    class_of: Ints32, dropped: Bools, indptr: Ints, value: Ints32, count: Ints, cells: Ints
) -> None:
    """How often each value occurs in each class.

    Arguments:
        class_of: the class of every row, [rows].
        dropped: rows that are not counted, [rows].
        indptr: row r has ``value[indptr[r]:indptr[r + 1]]``, [rows + 1].
        value: values.
        count: how often the row has each, by entries of ``value``.
        cells: becomes the counts, [G, D].
    """
    cells[:] = 0
    for row in range(len(class_of)):
        if not dropped[row]:
            group = class_of[row]
            for at in range(indptr[row], indptr[row + 1]):
                cells[group, value[at]] += count[at]


@jit
def group(
    columns: Ints32,
    row_of: Ints,
    card: Ints,
    attributes: Ints,
    levels: Ints,
    rows: Ints32,
    weight: Ints,
    scratch: Scratch,
) -> int:
    """Classes of some rows by some attributes at their levels; returns their number G.

    Arguments:
        columns: codes of all rows of the table, [columns, rows].
        row_of: the column of attribute j at level l is ``row_of[j, l]``, [m, levels].
        card: codes of each attribute at each level, [m, levels].
        attributes: those that tell classes apart.
        levels: the level of each attribute, [m].
        rows: the rows that are grouped.
        weight: units of each of these.
        scratch: its ``class_of`` becomes the class by position in ``rows``, its ``size`` the units,
            and its ``first`` a row of the table of each class.
    """
    length, key = len(rows), scratch.key
    product = 1
    for j in attributes:
        codes = int(card[j, levels[j]])
        if codes == 1:
            continue
        column = columns[row_of[j, levels[j]]]
        if product == 1:
            for at in range(length):
                key[at] = column[rows[at]]
            product = codes
            continue
        if product > LARGEST_KEY // codes:
            product = number_keys(product, weight, scratch)
            for at in range(length):
                key[at] = scratch.class_of[at]
        for at in range(length):
            key[at] = key[at] * codes + column[rows[at]]
        product *= codes
    if product == 1:
        key[:length] = 0
    groups = number_keys(product, weight, scratch)
    for place in range(groups):
        scratch.first[place] = rows[scratch.first[place]]
    return groups


@jit
def group_pairs(
    first_half: Ints32,
    first_part: Ints32,
    second_half: Ints32,
    second_part: Ints32,
    codes: int,
    product: int,
    rows: Ints32,
    weight: Ints,
    scratch: Scratch,
) -> int:
    """Classes of equal (first_part[first_half], second_part[second_half]); returns their number G.

    Arguments:
        first_half: what each row has in the first half of the attributes, by position in ``rows``.
        first_part: the code of each that there is.
        second_half: what each row has in the second half, by position in ``rows``.
        second_part: the code of each that there is, below ``codes``.
        codes: how many codes ``second_part`` has.
        product: an upper bound of the key: codes of both parts multiplied.
        rows: the rows that are grouped.
        weight: units of each of these.
        scratch: filled as by :func:`group`.
    """
    for at in range(len(rows)):
        part = np.int64(first_part[first_half[at]])
        scratch.key[at] = part * codes + second_part[second_half[at]]
    groups = number_keys(product, weight, scratch)
    for place in range(groups):
        scratch.first[place] = rows[scratch.first[place]]
    return groups
