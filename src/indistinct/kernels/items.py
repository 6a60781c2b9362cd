"""Combinations of the items of people."""

from __future__ import annotations

import numpy as np

from indistinct.kernels import NONE
from indistinct.kernels.jit import inner, jit
from indistinct.types import Bools, Floats, Ints, Ints32


@jit
def published_sets(indptr: Ints, node: Ints32) -> tuple[Ints, Ints32]:
    """The different nodes that each set publishes, rising; -1 is left out.

    Arguments:
        indptr: set p has ``node[indptr[p]:indptr[p + 1]]``, [sets + 1].
        node: what every entry is published as, in any order.
    """
    ptr = np.zeros(len(indptr), np.int64)
    found = np.empty(len(node), np.int32)
    held = 0
    for person in range(len(indptr) - 1):
        begin = held
        for at in range(indptr[person], indptr[person + 1]):
            place = held
            while place > begin and found[place - 1] > node[at]:
                place -= 1
            if node[at] < 0 or (place > begin and found[place - 1] == node[at]):
                continue
            for later in range(held, place, -1):
                found[later] = found[later - 1]
            found[place] = node[at]
            held += 1
        ptr[person + 1] = held
    return ptr, found[:held].copy()


@jit
def _next(chosen: Ints, held: int) -> bool:
    """The next combination of some of so many places, in order; whether there is one."""
    size = len(chosen)
    j = size - 1
    while j >= 0 and chosen[j] == held - size + j:
        j -= 1
    if j < 0:
        return False
    chosen[j] += 1
    for further in range(j + 1, size):
        chosen[further] = chosen[further - 1] + 1
    return True


@jit
def combinations(
    indptr: Ints, item: Ints32, size: int, number: Ints, base: int, weight: Ints, total: int
) -> tuple[Ints, Ints]:
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
    for person in range(len(indptr) - 1):
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
            if not _next(chosen, held):
                break
    return keys[:at].copy(), counts[:at].copy()


@jit
def rare_within(
    indptr: Ints,
    item: Ints32,
    size: int,
    number: Ints,
    base: int,
    rare: Ints,
    price: Floats,
    residual: Floats,
) -> Bools:
    """Which entries to leave out so that no set has a rare combination, chosen set by set.

    Greedy: of a set that entry goes first which is in most of its rare combinations for its price,
    the first of equals. Equal sets are treated alike. Beside, ``residual`` is lowered: every rare
    combination of a set takes from all its entries as much as its poorest one has left. What is
    taken is a lower bound on what it costs to touch each combination (Bar-Yehuda and Even 1981).

    Arguments:
        indptr: set p has ``item[indptr[p]:indptr[p + 1]]``, rising, [sets + 1].
        item: nodes.
        size: items in a combination, at least 1.
        number: the digit of each node, below ``base``.
        base: of the keys, as for :func:`combinations`.
        rare: the keys of rare combinations, rising.
        price: of leaving out an entry of each node, above 0; infinite for one that must stay, [N].
        residual: what each entry has left, [entries]; changed. Empty: nothing is taken.

    Returns:
        The entries to leave out, [entries].
    """
    gone = np.zeros(len(item), np.bool_)
    chosen = np.empty(size, np.int64)
    places = np.empty((64, size), np.int64)
    for person in range(len(indptr) - 1):
        start, held = indptr[person], indptr[person + 1] - indptr[person]
        if held < size:
            continue
        left = 0
        for j in range(size):
            chosen[j] = j
        while True:
            key = np.int64(0)
            for j in range(size):
                key = key * base + number[item[start + chosen[j]]]
            at = np.searchsorted(rare, key)
            if at < len(rare) and rare[at] == key:
                if left == len(places):
                    more = np.empty((2 * left, size), np.int64)
                    more[:left] = places
                    places = more
                places[left] = chosen
                left += 1
            if not _next(chosen, held):
                break
        if len(residual):
            for row in range(left):
                poorest = np.inf
                for j in range(size):
                    poorest = min(poorest, residual[start + places[row, j]])
                for j in range(size):
                    residual[start + places[row, j]] -= poorest
        count = np.zeros(held, np.int64)
        for row in range(left):
            for j in range(size):
                count[places[row, j]] += 1
        while left:
            best, most = np.int64(NONE), 0.0
            for place in range(held):
                worth = count[place] / price[item[start + place]]
                if worth > most:
                    best, most = np.int64(place), worth
            if best < 0:
                break
            gone[start + best] = True
            kept = 0
            for row in range(left):
                touched = False
                for j in range(size):
                    touched |= places[row, j] == best
                if touched:
                    for j in range(size):
                        count[places[row, j]] -= 1
                else:
                    places[kept] = places[row]
                    kept += 1
            left = kept
    return gone


@jit
def protect_items(
    class_indptr: Ints,
    people: Ints,
    indptr: Ints,
    item: Ints32,
    parent: Ints32,
    last: Ints32,
    cost: Floats,
    k: int,
    bound: float,
    m: int,
) -> Ints32:
    """What every item of every person is published as, so that few known items tell little.

    In each class by itself: while a combination of at most m published items is had by fewer than k
    people, or an item by a larger share than ``bound`` of those who have some other m or fewer, an
    item of the combination is published as its parent, with everything under that, or as the root
    (0), the cheaper one. The root is an item like others: where a larger share than ``bound``
    has it, every item of the class becomes the root.

    Arguments:
        class_indptr: class g has the people ``people[class_indptr[g]:...]``, [G + 1].
        people: people by class.
        indptr: person p has ``item[indptr[p]:...]``, rising, at least one, [n + 1].
        item: leaves of the tree.
        parent: the parent of every node, -1 for the root, [N].
        last: the last node under every node, [N].
        cost: penalty of an occurrence published as each node, [N].
        k: people who have each combination at least; 0 for any number.
        bound: largest share of those who have m or fewer items that has another; above 1 for any.
        m: items that are known at most.

    Returns:
        The node of every entry of ``item``.
    """
    found = np.empty(len(item), np.int32)
    number = np.zeros(len(parent), np.int64)
    for g in range(len(class_indptr) - 1):
        members = people[class_indptr[g] : class_indptr[g + 1]]
        total = 0
        for person in members:
            total += indptr[person + 1] - indptr[person]
        entries, upto = np.empty(total, np.int32), 0
        ptr = np.zeros(len(members) + 1, np.int64)
        for i in range(len(members)):
            person = members[i]
            for at in range(indptr[person], indptr[person + 1]):
                entries[upto] = item[at]
                upto += 1
            ptr[i + 1] = upto
        own = np.unique(entries)
        place = np.searchsorted(own, entries)
        occurs, current = np.bincount(place), own.copy()
        while _coarsened(ptr, place, own, current, occurs, parent, last, cost, number, k, bound, m):
            pass
        upto = 0
        for person in members:
            for at in range(indptr[person], indptr[person + 1]):
                found[at] = current[place[upto]]
                upto += 1
    return found


@inner
def _coarsened(
    ptr: Ints,
    place: Ints,
    own: Ints32,
    current: Ints32,
    occurs: Ints,
    parent: Ints32,
    last: Ints32,
    cost: Floats,
    number: Ints,
    k: int,
    bound: float,
    m: int,
) -> bool:
    """Coarsen an item of every combination of the first length that tells too much."""
    people = len(ptr) - 1
    used = np.unique(current)
    if len(used) == 1 and used[0] == 0:
        return False
    for at in range(len(used)):
        number[used[at]] = at
    base = len(used)
    sets, held = np.zeros(people + 1, np.int64), 0
    node_of = np.empty(len(place), np.int32)
    for i in range(people):
        begin, rooted = held, False
        for at in range(ptr[i], ptr[i + 1]):
            rooted |= current[place[at]] == 0
        if rooted:
            node_of[held] = 0
            held += 1
        for at in range(ptr[i], ptr[i + 1]):
            node = current[place[at]]
            if node and (held == begin or node_of[held - 1] != node):
                node_of[held] = node
                held += 1
        sets[i + 1] = held
    ones = np.ones(people, np.int64)
    before_keys, before = np.zeros(1, np.int64), np.array([people])
    for size in range(1, m + 2 if bound <= 1.0 else m + 1):
        number_of = 0
        for i in range(people):
            ways, own_length = 1, sets[i + 1] - sets[i]
            for j in range(size):
                ways = ways * (own_length - j) // (j + 1)
            number_of += ways if own_length >= size else 0
        keys, _ = combinations(sets, node_of, size, number, base, ones, number_of)
        keys = np.sort(keys)
        starts = np.ones(len(keys), np.bool_)
        for at in range(1, len(keys)):
            starts[at] = keys[at] != keys[at - 1]
        first = np.flatnonzero(starts)
        different = keys[first]
        counts = np.empty(len(first), np.int64)
        for at in range(len(first)):
            end = first[at + 1] if at + 1 < len(first) else len(keys)
            counts[at] = end - first[at]
        changed = False
        chosen = np.empty(size, np.int32)
        for at in range(len(different)):
            key = different[at]
            for j in range(size - 1, -1, -1):
                chosen[j] = used[key % base]
                key //= base
            if size <= m and counts[at] < k:
                changed |= _coarsen(chosen, NONE, own, current, occurs, parent, last, cost)
            if bound > 1.0:
                continue
            for left in range(size):
                known = np.int64(0)
                for j in range(size):
                    if j != left:
                        known = known * base + number[chosen[j]]
                had = before[np.searchsorted(before_keys, known)]
                if counts[at] > bound * had * (1.0 + 1e-9):
                    changed |= _coarsen(chosen, left, own, current, occurs, parent, last, cost)
        if changed:
            return True
        before_keys, before = different, counts
    return False


@inner
def _coarsen(
    chosen: Ints32,
    learnt: int,
    own: Ints32,
    current: Ints32,
    occurs: Ints,
    parent: Ints32,
    last: Ints32,
    cost: Floats,
) -> bool:
    """Publish an item of a rising combination more coarsely, unless one of them was before.

    Of the root alone, some other item becomes the root, and all do where it is ``learnt``. The item
    that is ``learnt`` becomes no parent: that would be had by more people.
    """
    of_root = not chosen[-1]
    if of_root and learnt == 0:
        current[:] = 0
        return True
    for node in chosen:
        if not (current == node).any():
            return False
    best, least = NONE, np.inf
    nodes = np.unique(current) if of_root else chosen
    for j in range(len(nodes)):
        node = nodes[j]
        if not node:
            continue
        price = 0.0
        for at in range(len(own)):
            if current[at] == node:
                price += occurs[at] * (1.0 - cost[node])
        if price < least:
            best, least, rooted = node, price, True
        above = parent[node]
        if above and j != learnt:
            price = 0.0
            for at in range(np.searchsorted(own, above), len(own)):
                if own[at] > last[above]:
                    break
                if current[at]:
                    price += occurs[at] * (cost[above] - cost[current[at]])
            if price < least:
                best, least, rooted = above, price, False
    if best < 0:
        return False
    for at in range(len(own)):
        if rooted:
            if current[at] == best:
                current[at] = 0
        elif best <= own[at] <= last[best] and current[at]:
            current[at] = best
    return True
