"""Combinations of the items of people."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels.jit import jit


@jit
def generalized_sets(
    indptr: NDArray[np.int64], item: NDArray[np.int32], became: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The sets with every item replaced, each once; -1 is left out.

    Replacing keeps the order: ``became`` rises over the items that are kept.
    """
    ptr = np.zeros(indptr.shape[0], np.int64)
    found = np.empty(item.shape[0], np.int32)
    held = 0
    for person in range(indptr.shape[0] - 1):
        for at in range(indptr[person], indptr[person + 1]):
            node = became[item[at]]
            if node >= 0 and (held == ptr[person] or found[held - 1] != node):
                found[held] = node
                held += 1
        ptr[person + 1] = held
    return ptr, found[:held].copy()


@jit
def combinations(
    indptr: NDArray[np.int64],
    item: NDArray[np.int32],
    size: int,
    number: NDArray[np.int64],
    base: int,
    weight: NDArray[np.int64],
    total: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every combination of ``size`` items of every set, as one number, with the set's weight.

    Arguments:
        indptr: set p has ``item[indptr[p]:indptr[p + 1]]``, rising, [sets + 1].
        item: nodes.
        size: items in a combination, at least 1.
        number: the digit of each node, below ``base``; rising with the nodes.
        base: items i1 < i2 < ... become the digits of a number to this base, i1 the first.
        weight: of each set, [sets].
        total: number of combinations there will be.
    """
    keys = np.empty(total, np.int64)
    counts = np.empty(total, np.int64)
    chosen = np.empty(size, np.int64)
    at = 0
    for person in range(indptr.shape[0] - 1):
        start, held = indptr[person], indptr[person + 1] - indptr[person]
        if held < size:
            continue
        for j in range(size):
            chosen[j] = j
        while True:
            key = np.int64(0)
            for j in range(size):
                key = key * base + number[item[start + chosen[j]]]
            keys[at], counts[at] = key, weight[person]
            at += 1
            j = size - 1
            while j >= 0 and chosen[j] == held - size + j:
                j -= 1
            if j < 0:
                break
            chosen[j] += 1
            for further in range(j + 1, size):
                chosen[further] = chosen[further - 1] + 1
    return keys[:at].copy(), counts[:at].copy()


@jit
def lift_items(
    rare: NDArray[np.int32],
    became: NDArray[np.int32],
    parent: NDArray[np.int32],
    last: NDArray[np.int32],
    cost: NDArray[np.float64],
    occurs: NDArray[np.int64],
    allowed: int,
) -> tuple[int, int, int]:
    """Lift, or suppress, an item of every rare combination that no lift before has touched.

    Of its items that one is lifted, with all its siblings under the parent, for which the
    certainty penalty of all occurrences rises least. An item is suppressed instead where that
    costs less, as long as no more occurrences than ``allowed`` are.

    Arguments:
        rare: combinations of nodes of the cut, [combinations, size].
        became: the node of the cut over every node, -1 where it is suppressed, [N]; changed.
        parent: the parent of every node, [N].
        last: the last node under every node, [N].
        cost: penalty of an occurrence published as each node, [N].
        occurs: how often each leaf occurs, [N].
        allowed: occurrences that may be suppressed.

    Returns:
        How many lifts were made, how many items suppressed, and how many occurrences these had.
    """
    lifts, dropped, lost = 0, 0, 0
    for row in range(rare.shape[0]):
        untouched = True
        for j in range(rare.shape[1]):
            untouched = untouched and became[rare[row, j]] == rare[row, j]
        if not untouched:
            continue
        best, least, drops, amount = -1, np.inf, False, 0
        for j in range(rare.shape[1]):
            node = rare[row, j]
            above = parent[node]
            if above >= 0:
                price = 0.0
                for leaf in range(above, last[above] + 1):
                    if occurs[leaf] > 0 and became[leaf] >= 0:
                        price += occurs[leaf] * (cost[above] - cost[became[leaf]])
                if price < least:
                    best, least, drops, amount = above, price, False, 0
            entries = 0
            for leaf in range(node, last[node] + 1):
                if became[leaf] >= 0:
                    entries += occurs[leaf]
            price = entries * (1.0 - cost[node])
            if price < least and lost + entries <= allowed:
                best, least, drops, amount = node, price, True, entries
        if best < 0:
            continue
        for under in range(best, last[best] + 1):
            if drops:
                became[under] = -1
            elif became[under] >= 0:
                became[under] = best
        if drops:
            dropped += 1
            lost += amount
        else:
            lifts += 1
            became[best] = best
    return lifts, dropped, lost
