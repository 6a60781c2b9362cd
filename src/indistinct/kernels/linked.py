"""People with several values each: highest categories, sets of values, groups, classes in order.

The values of person p are ``value[indptr[p]:indptr[p + 1]]``, in rising order and each once.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels import NONE
from indistinct.kernels.grouping import first_slot
from indistinct.kernels.jit import inner, jit
from indistinct.types import Floats, Ints, Ints32

EQUAL = 1e-12
"""Widths that differ by no more are equal."""


@jit
def highest(
    indptr: Ints, value: Ints32, last: Ints, category_of: Ints32, found: Ints32, kept: Ints
) -> None:
    """The highest category of every person, and the entry it is of: of several the last record.

    Arguments:
        indptr: person p has ``value[indptr[p]:indptr[p + 1]]``, [n + 1].
        value: values.
        last: the last record with each value of a person, by entries of ``value``.
        category_of: the category of each value, [D].
        found: becomes the highest category, -1 for people without values, [n].
        kept: becomes the entry it is of, -1 for people without values, [n].
    """
    for person in range(len(indptr) - 1):
        best = NONE
        at = NONE
        for entry in range(indptr[person], indptr[person + 1]):
            own = category_of[value[entry]]
            if own > best or (own == best and last[entry] > last[at]):
                best = own
                at = entry
        found[person] = best
        kept[person] = at


@jit
def categories_had(indptr: Ints, value: Ints32, category_of: Ints32, had: Ints) -> None:
    """The set of categories of every person.

    Arguments:
        indptr: person p has ``value[indptr[p]:indptr[p + 1]]``, [n + 1].
        value: values.
        category_of: the category of each value, below 64, [D].
        had: becomes the sets, a bit for each category, [n].
    """
    for person in range(len(indptr) - 1):
        bits = np.int64(0)
        for entry in range(indptr[person], indptr[person + 1]):
            bits |= np.int64(1) << np.int64(category_of[value[entry]])
        had[person] = bits


@jit
def number_sets(
    indptr: Ints,
    value: Ints32,
    values: int,
    slot_key: Ints,
    slot_node: Ints,
    number_of: Ints32,
    number: Ints32,
    first: Ints,
) -> int:
    """Number the sets of values: equal sets have one number; returns how many there are.

    A set is a way down a tree with a node for every set that begins so.

    Arguments:
        indptr: person p has ``value[indptr[p]:indptr[p + 1]]``, rising, [n + 1].
        value: values.
        values: how many different values there are.
        slot_key: the edges of the tree by their hashes, -1 everywhere before; a power of two long,
            at least twice the entries.
        slot_node: the node that each edge leads to; scratch as long as ``slot_key``.
        number_of: the number of each node's set, -1 everywhere before, [entries + 1].
        number: becomes the set of every person, [n].
        first: becomes the first person of every set; room for n.
    """
    mask = len(slot_key) - 1
    nodes = 1
    sets = 0
    for person in range(len(indptr) - 1):
        node = np.int64(0)
        for entry in range(indptr[person], indptr[person + 1]):
            key = node * values + value[entry]
            slot = first_slot(key, mask)
            while slot_key[slot] != key and slot_key[slot] >= 0:
                slot = (slot + 1) & mask
            if slot_key[slot] < 0:
                slot_key[slot] = key
                slot_node[slot] = nodes
                nodes += 1
            node = slot_node[slot]
        if number_of[node] < 0:
            number_of[node] = sets
            first[sets] = person
            sets += 1
        number[person] = number_of[node]
    return sets


@inner
def _before(left: Ints, one: int, other: int) -> bool:
    """Whether a value has more people left than another; of equal ones the first."""
    return left[one] > left[other] or (left[one] == left[other] and one < other)


@inner
def _sink(heap: Ints, length: int, at: int, left: Ints) -> None:
    """Let a value sink to its place in a heap."""
    while True:
        child = 2 * at + 1
        if child >= length:
            return
        if child + 1 < length and _before(left, heap[child + 1], heap[child]):
            child += 1
        if not _before(left, heap[child], heap[at]):
            return
        heap[at], heap[child] = heap[child], heap[at]
        at = child


@inner
def _rise(heap: Ints, at: int, left: Ints) -> None:
    """Let a value rise to its place in a heap."""
    while at:
        above = (at - 1) // 2
        if not _before(left, heap[at], heap[above]):
            return
        heap[at], heap[above] = heap[above], heap[at]
        at = above


@jit
def eligible_groups(start: Ints, wanted: int, group_of: Ints32, value_of: Ints32) -> int:
    """Groups of people with ``wanted`` different values each: those that most people are left of.

    Arguments:
        start: value v has the people from ``start[v]`` to ``start[v + 1]``, [D + 1].
        wanted: values of a group.
        group_of: becomes the group of each person, -1 for those that are left over, [people].
        value_of: becomes the values of one group after the other, ``wanted`` of each; room for as
            many as people.

    Returns:
        How many groups there are.
    """
    values = len(start) - 1
    left = start[1:] - start[:-1]
    heap = np.empty(values, dtype=np.int64)
    length = 0
    for value in range(values):
        if left[value]:
            heap[length] = value
            length += 1
    for at in range(length // 2 - 1, -1, -1):
        _sink(heap, length, at, left)
    group_of[:] = NONE
    taken = np.empty(wanted, dtype=np.int64)
    groups = 0
    while length >= wanted:
        for turn in range(wanted):
            value = heap[0]
            length -= 1
            heap[0] = heap[length]
            _sink(heap, length, 0, left)
            taken[turn] = value
        for turn in range(wanted):
            value = taken[turn]
            left[value] -= 1
            group_of[start[value] + left[value]] = groups
            value_of[groups * wanted + turn] = value
            if left[value]:
                heap[length] = value
                _rise(heap, length, left)
                length += 1
        groups += 1
    return groups


@inner
def _span(shape: Ints, node: Ints32, width: Floats, j: int, low: int, high: int) -> float:
    """How wide a class from ``low`` to ``high`` is in attribute j."""
    base = shape[j, 2]
    if not shape[j, 0]:
        return float(width[base + high]) - float(width[base + low])
    for level in range(shape[j, 0]):
        at = base + level * shape[j, 1]
        if node[at + low] == node[at + high]:
            return float(width[at + low])
    return 1.0


@jit
def members_in_order(
    key: Ints32,
    shape: Ints,
    node: Ints32,
    width: Floats,
    weight: Floats,
    rows: Ints,
    k: int,
    class_of: Ints32,
) -> int:
    """Classes of k records each: the first that is free, and those that widen its class least.

    What is left over joins the class that gets wider least, times its records. Of equally good ones
    the first is taken. :class:`indistinct.recoding.exchange.widths.Widths` says more of the arrays.

    Arguments:
        key: the place of every record in each attribute, [m, n].
        shape: levels, size of the domain and base of each attribute, [m, 3].
        node: the node by level and key, from each attribute's base on.
        width: the share of leaves under it, or where a number lies in its span, from 0 to 1.
        weight: what each attribute counts, [m].
        rows: the records in order; moved about.
        k: records of a class.
        class_of: becomes the class of each of these records, [n].

    Returns:
        How many classes there are.
    """
    attributes = len(key)
    groups = len(rows) // k
    most = max(groups, 1)
    low = np.empty((most, attributes), dtype=np.int64)
    high = np.empty((most, attributes), dtype=np.int64)
    size = np.zeros(most, dtype=np.int64)
    left = len(rows)
    for group in range(groups):
        for turn in range(k):
            best = 0
            if turn > 0:
                least = np.inf
                for at in range(left):
                    total = 0.0
                    for j in range(attributes):
                        own = np.int64(key[j, rows[at]])
                        total += weight[j] * _span(
                            shape, node, width, j, min(low[group, j], own),
                            max(high[group, j], own),
                        )  # fmt: skip
                        if total >= least - EQUAL:
                            break
                    if total < least - EQUAL:
                        best, least = at, total
            row = rows[best]
            for j in range(attributes):
                own = np.int64(key[j, row])
                low[group, j] = own if turn == 0 else min(low[group, j], own)
                high[group, j] = own if turn == 0 else max(high[group, j], own)
            class_of[row] = group
            left -= 1
            for at in range(best, left):
                rows[at] = rows[at + 1]
        size[group] = k
    for at in range(left):
        row = rows[at]
        best = 0
        least = np.inf
        for group in range(groups):
            before = 0.0
            after = 0.0
            for j in range(attributes):
                own = np.int64(key[j, row])
                before += weight[j] * _span(shape, node, width, j, low[group, j], high[group, j])
                after += weight[j] * _span(
                    shape, node, width, j, min(low[group, j], own), max(high[group, j], own)
                )  # fmt: skip
            more = after * (size[group] + 1) - before * size[group]
            if more < least - EQUAL:
                best, least = group, more
        for j in range(attributes):
            own = np.int64(key[j, row])
            low[best, j] = min(low[best, j], own)
            high[best, j] = max(high[best, j], own)
        size[best] += 1
        class_of[row] = best
    return groups
