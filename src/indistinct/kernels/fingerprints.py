"""Fingerprints of people's sets of items, and groups of people with different fingerprints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from indistinct.kernels import NONE
from indistinct.kernels.jit import inner, jit
from indistinct.kernels.ragged import grown
from indistinct.types import Bools, Floats, Ints, Ints32

FACTOR = 6364136223846793005
"""Multiplier of the hash of a set of nodes (Knuth's MMIX); equal hashes are compared in full."""

BARELY = 1e-12
"""Width of a range that holds more than one value, all at the same place: a missing value is among
them."""

ROOM = 4
"""Entries of a list before it grows."""


class Ground(NamedTuple):
    """The quasi-identifiers of people, m of them, as the cutting of groups sees them.

    Arguments:
        number: whether an attribute is cut at its median, or else along its tree, [m].
        code: the leaf of every person, or the rank of the number, [m, n].
        path: the node of each leaf at each depth, -1 below it; attribute j has
            ``path[at[j] + depth * domain[j] + leaf]``.
        at: where each attribute begins in ``path``, [m].
        domain: leaves of each attribute, [m].
        width: share of all leaves under each node, 0 for a leaf; or of each rank its place between
            0 and 1. Attribute j begins at ``start[j]``.
        start: where each attribute begins in ``width``, [m].
        nodes: nodes of each attribute's tree, [m].
        rooted: 1 where all leaves have the same node on top, [m].
    """

    number: Bools
    code: Ints32
    path: Ints32
    at: Ints
    domain: Ints
    width: Floats
    start: Ints
    nodes: Ints
    rooted: Ints


@inner
def _hash_of_children(
    indptr: Ints, item: Ints32, child: Ints32, node: int, end: int, person: int
) -> tuple[np.int64, int]:
    """A hash of the children of a node that cover items of a person, and how many items."""
    mixed, count, before = np.int64(1), 0, NONE
    for at in range(indptr[person], indptr[person + 1]):
        if item[at] < node:
            continue
        if item[at] > end:
            break
        count += 1
        if child[item[at]] != before:
            before = child[item[at]]
            mixed = mixed * FACTOR + before + 1
            mixed ^= mixed >> 31
    return mixed, count


@inner
def _same_children(
    indptr: Ints, item: Ints32, child: Ints32, node: int, end: int, one: int, other: int
) -> bool:
    i, j = indptr[one], indptr[other]
    before = NONE
    while True:
        while i < indptr[one + 1] and (item[i] < node or child[item[i]] == before):
            i += 1
        while j < indptr[other + 1] and (item[j] < node or child[item[j]] == before):
            j += 1
        first = child[item[i]] if i < indptr[one + 1] and item[i] <= end else -1
        second = child[item[j]] if j < indptr[other + 1] and item[j] <= end else -1
        if first != second:
            return False
        if first < 0:
            return True
        before = first


@jit
def partition_sets(
    indptr: Ints,
    item: Ints32,
    from_top: Ints32,
    depth: Ints32,
    last: Ints32,
    leaves: Ints,
    k: int,
    order: Ints32,
) -> tuple[Ints, Ints, Ints32, Ints]:
    """Buckets of at least k people whose items lie under the same nodes.

    Nodes are numbered depth first. Nobody is without an item, and there are at least k people.

    Arguments:
        indptr: person p has ``item[indptr[p]:indptr[p + 1]]``, rising, [people + 1].
        item: leaves of the tree.
        from_top: the node above each node at each depth, [depths, N].
        depth: the depth of each node, [N].
        last: the last node under each node, [N].
        leaves: number of leaves under each node, [N].
        k: the least number of people in a bucket.
        order: the people, [n]; moved, so that a bucket is a slice.

    Returns:
        Where each bucket begins in ``order``, [B], in no order; where its cut begins, [B + 1];
        the nodes of the cuts, rising; and how many splits were tried and how many made.
    """
    n = len(order)
    nodes = len(last)
    # Slices of people that wait: begin, end, whether to split, and where in the pool their cut is.
    stack = np.zeros((ROOM, 4), np.int64)
    pool = np.zeros(ROOM, np.int32)
    pool_tried = np.zeros(ROOM, np.bool_)
    out_start = np.zeros(ROOM, np.int64)
    out_ptr = np.zeros(ROOM, np.int64)
    out_node = np.zeros(ROOM, np.int32)
    buckets = 0
    tally = np.zeros(2, np.int64)
    capacity = 2
    while capacity < 2 * n:
        capacity *= 2
    slot_sub = np.empty(capacity, np.int32)
    slot_round = np.zeros(capacity, np.int64)
    rounds = 0
    sub_of = np.empty(n, np.int32)
    under = np.empty(n, np.int64)
    size = np.empty(n, np.int64)
    total = np.empty(n, np.int64)
    example = np.empty(n, np.int64)
    place = np.empty(n, np.int64)
    moved = np.empty(n, np.int32)
    cut = np.empty(nodes, np.int32)
    tried = np.empty(nodes, np.bool_)
    count = np.empty(nodes, np.int64)
    child = np.empty(nodes, np.int32)

    stack[0, 1], stack[0, 2] = n, True
    top, height = 1, 1
    while top:
        top -= 1
        start, end, splittable, begin = stack[top]
        length = height - begin
        height = begin
        cut[:length] = pool[height : height + length]
        tried[:length] = pool_tried[height : height + length]
        m = end - start
        count[:length] = 0
        for i in range(start, end):
            j = 0
            for at in range(indptr[order[i]], indptr[order[i] + 1]):
                while last[cut[j]] < item[at]:
                    j += 1
                count[j] += 1
        while True:
            best, most = NONE, np.int64(NONE)
            if splittable:
                for c in range(length):
                    gain = count[c] * leaves[cut[c]]
                    if not tried[c] and last[cut[c]] != cut[c] and gain > most:
                        best, most = c, gain
            if best < 0:
                out_start = grown(out_start, buckets + 1)
                out_ptr = grown(out_ptr, buckets + 2)
                out_node = grown(out_node, out_ptr[buckets] + length)
                out_start[buckets] = start
                out_node[out_ptr[buckets] : out_ptr[buckets] + length] = cut[:length]
                out_ptr[buckets + 1] = out_ptr[buckets] + length
                buckets += 1
                break
            node, bound = cut[best], last[cut[best]]
            tried[best] = True
            tally[0] += 1
            child[node : bound + 1] = from_top[depth[node] + 1, node : bound + 1]
            rounds += 1
            mask = capacity - 1
            while mask > 4 * m + 3:
                mask >>= 1
            subs = 0
            for i in range(start, end):
                person = order[i]
                mixed, held = _hash_of_children(indptr, item, child, node, bound, person)
                slot = mixed & mask
                while slot_round[slot] == rounds and not _same_children(
                    indptr, item, child, node, bound, example[slot_sub[slot]], person
                ):
                    slot = (slot + 1) & mask
                if slot_round[slot] != rounds:
                    slot_round[slot] = rounds
                    slot_sub[slot] = subs
                    size[subs], total[subs], example[subs] = 0, 0, person
                    subs += 1
                sub_of[i - start] = slot_sub[slot]
                under[i - start] = held
                size[slot_sub[slot]] += 1
                total[slot_sub[slot]] += held
            left = 0
            for s in range(subs):
                if size[s] < k:
                    left += size[s]
                    size[s] = NONE
            if left < m:
                tally[1] += 1
                break
        if best < 0:
            continue
        for i in range(m):
            if size[sub_of[i]] < 0:
                sub_of[i] = NONE
        still = splittable
        lacking = k - left
        if left and lacking > 0:
            candidates = np.flatnonzero(sub_of[:m] >= 0)
            keys = np.empty(len(candidates), np.int64)
            for c in range(len(candidates)):
                keys[c] = under[candidates[c]] * subs + sub_of[candidates[c]]
            for c in np.argsort(keys, kind="mergesort"):
                i = candidates[c]
                s = sub_of[i]
                if size[s] > k:
                    size[s] -= 1
                    total[s] -= under[i]
                    sub_of[i] = NONE
                    lacking -= 1
                    if not lacking:
                        break
            if lacking:
                least = NONE
                for s in range(subs):
                    if size[s] >= 0 and (least < 0 or total[s] < total[least]):
                        least = s
                size[least] = NONE
                still = False
                for i in range(m):
                    if sub_of[i] == least:
                        sub_of[i] = NONE
        at = start
        for s in range(subs):
            if size[s] >= 0:
                place[s] = at
                at += size[s]
        rest = at
        for i in range(m):
            if sub_of[i] >= 0:
                moved[place[sub_of[i]] - start] = order[start + i]
                place[sub_of[i]] += 1
            else:
                moved[at - start] = order[start + i]
                at += 1
        order[start:end] = moved[:m]
        if rest < end:
            # In the place, and with the cut, of the slice that was split.
            stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = rest, end, still, height
            pool_tried[height : height + length] = tried[:length]
            height += length
            top += 1
        at = start
        for s in range(subs):
            if size[s] < 0:
                continue
            stack = grown(stack, top + 1)
            stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = at, at + size[s], 1, height
            at += size[s]
            top += 1
            person = example[s]
            pool, pool_tried = grown(pool, height + nodes), grown(pool_tried, height + nodes)
            for c in range(length):
                if c != best:
                    pool[height], pool_tried[height] = cut[c], tried[c]
                    height += 1
                    continue
                before = NONE
                for place_of in range(indptr[person], indptr[person + 1]):
                    if item[place_of] < node or item[place_of] > bound:
                        continue
                    if child[item[place_of]] != before:
                        before = child[item[place_of]]
                        pool[height], pool_tried[height] = before, False
                        height += 1
    return (
        out_start[:buckets].copy(),
        out_ptr[: buckets + 1].copy(),
        out_node[: out_ptr[buckets]].copy(),
        tally,
    )


@inner
def _too_much_of_one(
    people: Ints32,
    bucket: Ints32,
    l: int,  # noqa: E741
    times: Ints,
) -> bool:
    """Whether a fingerprint is more frequent than 1 in l; ``times`` is zero before and after."""
    found = False
    for person in people:
        b = bucket[person]
        times[b] += 1
        found |= times[b] * l > len(people)
    for person in people:
        times[bucket[person]] = 0
    return bool(found)


@inner
def _too_much_of_an_item(
    people: Ints32, bucket: Ints32, above_ptr: Ints, above: Ints32, bound: float, times: Ints
) -> bool:
    """Whether a larger share than ``bound`` has a node; ``times`` is zero before and after."""
    found = False
    for person in people:
        b = bucket[person]
        for at in range(above_ptr[b], above_ptr[b + 1]):
            times[above[at]] += 1
            found |= times[above[at]] > bound * (1 + BARELY) * len(people)
    for person in people:
        b = bucket[person]
        for at in range(above_ptr[b], above_ptr[b + 1]):
            times[above[at]] = 0
    return bool(found)


@jit
def breaks_diversity(
    people: Ints32,
    bucket: Ints32,
    buckets: int,
    least: int,
    l: int,  # noqa: E741
    bound: float,
    above_ptr: Ints,
    above: Ints32,
    nodes: int,
) -> bool:
    """Whether a group is smaller than ``least``, or too uniform; see :func:`diverse_groups`.

    Arguments:
        people: who is in the group.
        bucket: the fingerprint of every person, [n].
        buckets: number of fingerprints.
        least: people in a group.
        l: no fingerprint is more frequent than one in so many.
        bound: largest share with a node of items; 1 for any.
        above_ptr: fingerprint b counts for ``above[above_ptr[b]:above_ptr[b + 1]]``, [B + 1].
        above: nodes of items.
        nodes: number of nodes of items.
    """
    if len(people) < least:
        return True
    if _too_much_of_one(people, bucket, l, np.zeros(buckets, np.int64)):
        return True
    return bound < 1.0 and _too_much_of_an_item(
        people, bucket, above_ptr, above, bound, np.zeros(nodes, np.int64)
    )


@jit
def diverse_groups(
    order: Ints32,
    bucket: Ints32,
    buckets: int,
    ground: Ground,
    least: int,
    l: int,  # noqa: E741
    bound: float,
    above_ptr: Ints,
    above: Ints32,
    nodes: int,
    below: bool,
) -> tuple[Ints, Ints]:
    """Mondrian with the fingerprint as one sensitive value.

    A group is cut in its widest attribute: into the children of its node, or at the median. A cut
    is made if every part has ``least`` people and no fingerprint more often than one in ``l`` (so
    that there are l of them), and if no larger share than ``bound`` of it has a node of items.
    Otherwise the attribute is closed, for the group and all that comes of it.

    Arguments:
        order: the people, [n]; moved, so that a group is a slice.
        bucket: the fingerprint of every person.
        buckets: number of fingerprints.
        ground: the quasi-identifiers.
        least: people in a group.
        l: no fingerprint is more frequent than one in so many.
        bound: largest share with a node of items; 1 for any.
        above_ptr: fingerprint b counts for ``above[above_ptr[b]:above_ptr[b + 1]]``, [B + 1].
        above: nodes of items.
        nodes: number of nodes of items.
        below: whether numbers of which half are the largest are cut below these.

    Returns:
        Where each group begins in ``order``, in no order; how many cuts were tried and made.
    """
    n = len(order)
    m = len(ground.number)
    widest_tree = 1
    for j in range(m):
        widest_tree = max(widest_tree, ground.nodes[j])
    part_of_node = np.full(widest_tree + 2, NONE, np.int64)
    times = np.zeros(buckets, np.int64)
    times_of_node = np.zeros(nodes if bound < 1.0 else 0, np.int64)
    part_of = np.empty(n, np.int64)
    moved = np.empty(n, np.int32)
    ranks = np.empty(n, np.int32)
    size = np.empty(widest_tree + 2, np.int64)
    place = np.empty(widest_tree + 2, np.int64)
    low, high = np.empty(m, np.int64), np.empty(m, np.int64)
    # Slices of people that wait, how deep each tree is cut, and which attributes are closed.
    stack = np.zeros((ROOM, 2), np.int64)
    s_depth = np.zeros((ROOM, m), np.int64)
    s_closed = np.zeros((ROOM, m), np.bool_)
    out = np.zeros(ROOM, np.int64)
    groups = 0
    tally = np.zeros(2, np.int64)
    depth, closed = ground.rooted.copy(), np.zeros(m, np.bool_)
    stack[0, 1] = n
    s_depth[0] = depth
    top = 1
    while top:
        top -= 1
        start, end = stack[top]
        depth[:] = s_depth[top]
        closed[:] = s_closed[top]
        first = order[start]
        for j in range(m):
            if ground.number[j] and not closed[j]:
                low[j] = high[j] = ground.code[j, first]
                for i in range(start, end):
                    rank = ground.code[j, order[i]]
                    low[j], high[j] = min(low[j], rank), max(high[j], rank)
        while True:
            best, widest = NONE, 0.0
            for j in range(m):
                if closed[j]:
                    continue
                if ground.number[j]:
                    width = ground.width[ground.start[j] + high[j]]
                    width -= ground.width[ground.start[j] + low[j]]
                    if low[j] < high[j]:
                        width = max(width, BARELY)
                elif depth[j] == 0:
                    width = 1.0
                else:
                    row = ground.at[j] + (depth[j] - 1) * ground.domain[j]
                    node = ground.path[row + ground.code[j, first]]
                    width = ground.width[ground.start[j] + node] if node >= 0 else 0.0
                if width > widest:
                    best, widest = j, width
            if best < 0:
                out = grown(out, groups + 1)
                out[groups] = start
                groups += 1
                break
            tally[0] += 1
            j = best
            parts = 0
            if ground.number[j]:
                for i in range(start, end):
                    ranks[i - start] = ground.code[j, order[i]]
                middle = (end - start - 1) // 2
                median = np.partition(ranks[: end - start], middle)[middle]
                if median == high[j]:
                    if not below:
                        closed[j] = True
                        continue
                    median = low[j]
                    for i in range(end - start):
                        if ranks[i] < high[j]:
                            median = max(median, ranks[i])
                parts = 2
                size[0] = size[1] = 0
                for i in range(end - start):
                    part_of[i] = 1 if ranks[i] > median else 0
                    size[part_of[i]] += 1
            else:
                row = ground.at[j] + depth[j] * ground.domain[j]
                for i in range(start, end):
                    node = ground.path[row + ground.code[j, order[i]]]
                    if node < 0:
                        node = ground.nodes[j]
                    if part_of_node[node] < 0:
                        part_of_node[node] = parts
                        size[parts] = 0
                        parts += 1
                    part_of[i - start] = part_of_node[node]
                    size[part_of[i - start]] += 1
                for i in range(start, end):
                    node = ground.path[row + ground.code[j, order[i]]]
                    part_of_node[node if node >= 0 else ground.nodes[j]] = NONE
                if parts == 1:
                    depth[j] += 1
                    continue
            good = True
            at = 0
            for part in range(parts):
                good = good and size[part] >= least
                place[part] = at
                at += size[part]
            if good:
                for i in range(end - start):
                    moved[place[part_of[i]]] = order[start + i]
                    place[part_of[i]] += 1
                for part in range(parts):
                    people = moved[place[part] - size[part] : place[part]]
                    if _too_much_of_one(people, bucket, l, times) or (
                        bound < 1.0
                        and _too_much_of_an_item(
                            people, bucket, above_ptr, above, bound, times_of_node
                        )
                    ):
                        good = False
                        break
            if not good:
                closed[j] = True
                continue
            tally[1] += 1
            order[start:end] = moved[: end - start]
            if not ground.number[j]:
                depth[j] += 1
            stack = grown(stack, top + parts)
            s_depth = grown(s_depth, top + parts)
            s_closed = grown(s_closed, top + parts)
            for part in range(parts):
                stack[top, 0] = start + place[part] - size[part]
                stack[top, 1] = start + place[part]
                s_depth[top] = depth
                s_closed[top] = closed
                top += 1
            break
    return out[:groups].copy(), tally
