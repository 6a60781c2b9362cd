"""Whom published rows need, whoever of the people who fit has which: a flow from rows to people."""

from __future__ import annotations

import numpy as np

from indistinct.kernels import NONE
from indistinct.kernels.jit import jit
from indistinct.types import Bools, Ints, Ints32


@jit
def mark_left_over(indptr: Ints, group: Ints32, many: Ints, size: Ints, spare: Bools) -> bool:
    """Mark the kinds of people of whom somebody can be left over; False where rows find nobody.

    Rows are given to people along shortest paths that take rows from one to give them to another
    (Edmonds and Karp 1972). Somebody is left over for certain only where no such path leads from
    people without a row to the kind.

    Arguments:
        indptr: where the groups begin that people of each kind fit, [T + 1].
        group: these groups, [E].
        many: people of each kind, [T].
        size: rows of each group, [G].
        spare: becomes True for kinds of whom somebody can be left over, [T].
    """
    kinds, groups, pairs = len(many), len(size), len(group)
    kind_of, starts, pair_of = _by_group(indptr, group, groups)
    given, left, missing = np.zeros(pairs, np.int64), many.copy(), size.copy()
    for pair in range(pairs):
        put = min(left[kind_of[pair]], missing[group[pair]])
        given[pair] = put
        left[kind_of[pair]] -= put
        missing[group[pair]] -= put
    to_kind, to_group = np.empty(kinds, np.int64), np.empty(groups, np.int64)
    queue = np.empty(groups, np.int64)
    for first in range(groups):
        while missing[first]:
            to_kind[:] = NONE
            to_group[:] = NONE
            to_group[first] = pairs  # every way ends there
            queue[0], head, tail, last = first, 0, 1, NONE
            while head < tail and last == NONE:
                at = queue[head]
                head += 1
                for place in range(starts[at], starts[at + 1]):
                    kind = kind_of[pair_of[place]]
                    if to_kind[kind] != NONE:
                        continue
                    to_kind[kind] = pair_of[place]
                    if left[kind]:
                        last = kind
                        break
                    for pair in range(indptr[kind], indptr[kind + 1]):
                        other = group[pair]
                        if given[pair] and to_group[other] == NONE:
                            to_group[other] = pair
                            queue[tail] = other
                            tail += 1
            if last == NONE:
                return False
            room, kind = min(left[last], missing[first]), last
            while group[to_kind[kind]] != first:
                pair = to_group[group[to_kind[kind]]]
                room, kind = min(room, given[pair]), kind_of[pair]
            left[last] -= room
            missing[first] -= room
            kind = last
            given[to_kind[kind]] += room
            while group[to_kind[kind]] != first:
                pair = to_group[group[to_kind[kind]]]
                given[pair] -= room
                kind = kind_of[pair]
                given[to_kind[kind]] += room
    _spread(indptr, group, kind_of, starts, pair_of, given, left, spare)
    return True


@jit
def _by_group(indptr: Ints, group: Ints32, groups: int) -> tuple[Ints, Ints, Ints]:
    """The kind of every pair, [E]; where the pairs of each group begin, [G + 1]; and these, [E]."""
    kind_of, pair_of = np.empty(len(group), np.int64), np.empty(len(group), np.int64)
    starts = np.zeros(groups + 1, np.int64)
    for kind in range(len(indptr) - 1):
        for pair in range(indptr[kind], indptr[kind + 1]):
            kind_of[pair] = kind
            starts[group[pair] + 1] += 1
    starts = np.cumsum(starts)
    place = starts.copy()
    for pair in range(len(group)):
        pair_of[place[group[pair]]] = pair
        place[group[pair]] += 1
    return kind_of, starts, pair_of


@jit
def _spread(
    indptr: Ints,
    group: Ints32,
    kind_of: Ints,
    starts: Ints,
    pair_of: Ints,
    given: Ints,
    left: Ints,
    spare: Bools,
) -> None:
    """Mark kinds that have people left over, and those whose rows these could take."""
    stack, top = np.empty(len(left), np.int64), 0
    met = np.zeros(len(starts) - 1, np.bool_)
    for kind in range(len(left)):
        spare[kind] = left[kind] > 0
        if spare[kind]:
            stack[top] = kind
            top += 1
    while top:
        top -= 1
        kind = stack[top]
        for own in range(indptr[kind], indptr[kind + 1]):
            if met[group[own]]:
                continue
            met[group[own]] = True
            for place in range(starts[group[own]], starts[group[own] + 1]):
                pair = pair_of[place]
                if given[pair] and not spare[kind_of[pair]]:
                    spare[kind_of[pair]] = True
                    stack[top] = kind_of[pair]
                    top += 1
