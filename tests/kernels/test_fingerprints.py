"""Buckets of people whose sets of values lie under the same nodes."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kernels.trees import Tree

from indistinct.kernels.fingerprints import (
    Ground,
    breaks_diversity,
    diverse_groups,
    partition_sets,
)
from indistinct.kernels.ragged import Ragged


@pytest.mark.parametrize("leaves", [3, 64, 65, 129])
def test_there_are_as_many_buckets_as_leaves_where_two_people_have_each(leaves: int) -> None:
    """However many: the arrays of buckets begin with room for 64, and grow."""
    nodes = np.arange(leaves + 1, dtype=np.int32)  # the root, and the leaves under it
    under = np.minimum(nodes, 1)
    order = np.random.default_rng(leaves).permutation(2 * leaves).astype(np.int32)
    people = np.arange(2 * leaves + 1, dtype=np.int64)
    item = 1 + np.arange(2 * leaves, dtype=np.int32) // 2
    starts, cut_at, cuts, tally = partition_sets(
        people,
        item,
        np.stack([np.zeros_like(nodes), nodes]),
        under.astype(np.int32),
        np.where(nodes == 0, leaves, nodes).astype(np.int32),
        np.where(nodes == 0, leaves, 1).astype(np.int64),
        2,
        order,
    )
    buckets = {frozenset(order[at : at + 2].tolist()) for at in starts}
    assert buckets == {frozenset((2 * leaf, 2 * leaf + 1)) for leaf in range(leaves)}
    own = [cuts[first:end].tolist() for first, end in itertools.pairwise(cut_at)]
    assert own == [[item[order[at]]] for at in starts]
    assert tally.tolist() == [1, 1]


Cut = dict[int, bool]
"""The nodes of a cut, and whether splitting them has been tried."""


def plain_buckets(tree: Tree, held: list[list[int]], order: list[int], k: int):
    """Buckets with their cuts, and how many splits were tried and made, by lists of people."""
    found, tally = set(), [0, 0]

    def part(people: list[int], cut: Cut, open_: bool) -> None:
        def items(person: int, node: int) -> list[int]:
            return [one for one in held[person] if node in tree.way(one)]

        while True:
            nodes = [node for node in sorted(cut) if not cut[node] and tree.last[node] != node]
            if not (open_ and nodes):
                found.add((frozenset(people), tuple(sorted(cut))))
                return
            many = [sum(len(items(p, node)) for p in people) for node in nodes]
            node = max(
                zip(many, nodes, strict=True), key=lambda own: own[0] * len(tree.under[own[1]])
            )[1]
            tally[0] += 1
            cut = cut | {node: True}
            children = [one for one in range(len(tree.depths)) if tree.parents[one] == node]
            kinds: dict[tuple[int, ...], list[int]] = {}
            for person in people:
                own = tuple(child for child in children if items(person, child))
                kinds.setdefault(own, []).append(person)
            large = {own: members for own, members in kinds.items() if len(members) >= k}
            if large:
                break
        tally[1] += 1
        rest = {person for own, members in kinds.items() if own not in large for person in members}
        under = {person: len(items(person, node)) for person in people}
        still = True
        if 0 < len(rest) < k:
            # Those with the fewest items move to the rest, where their group can do without them.
            places = {own: at for at, own in enumerate(kinds)}
            movable = [(under[p], places[own], p) for own in large for p in large[own]]
            for _, _, person in sorted(movable, key=lambda one: one[:2]):
                own = next(own for own in large if person in large[own])
                if len(rest) < k and len(large[own]) > k:
                    large[own] = [p for p in large[own] if p != person]
                    rest.add(person)
            if len(rest) < k:
                poorest = min(large, key=lambda own: sum(under[p] for p in large[own]))
                rest.update(large.pop(poorest))
                still = False
        for own, members in large.items():
            part(
                members,
                {one: cut[one] for one in cut if one != node} | dict.fromkeys(own, False),
                True,
            )
        if rest:
            part([person for person in people if person in rest], cut, still)

    part(order, {0: False}, True)
    return found, tally


@settings(max_examples=400)
@given(st.integers(0, 2**32 - 1))
def test_buckets_are_those_of_lists_of_people(seed: int) -> None:
    random = np.random.default_rng(seed)
    k, different = int(random.choice([1, 2, 3, 3, 4, 5])), random.choice([1, 2, 3, 4, 5, 6, 30])
    tree = Tree.drawn(random, int(random.choice([2, 5, 15, 25, 40])))
    leaves = tree.under[0]
    most = min(6, len(leaves))
    # Most sets are had by just as many people as a bucket needs, some by fewer.
    times = random.choice([1, k - 1, k, k, k + 1, 2 * k][: random.integers(1, 7)], different)
    times[0] += max(k - times.sum(), 0)
    held = []
    for each in times:
        own = random.choice(leaves, random.integers(1, most + 1), replace=False)
        held += [sorted(own.tolist())] * each
    people = len(held)
    order = random.permutation(people).astype(np.int32)
    rows = Ragged.of(held)
    wanted, tally = plain_buckets(tree, held, order.tolist(), k)
    starts, cut_at, cuts, told = partition_sets(
        rows.indptr, rows.value, tree.from_top, np.array(tree.depths, np.int32),
        np.array(tree.last, np.int32), np.array([len(own) for own in tree.under]), k, order,
    )  # fmt: skip
    ends = {int(start): int(end) for start, end in itertools.pairwise([*sorted(starts), people])}
    own = [tuple(cuts[first:end].tolist()) for first, end in itertools.pairwise(cut_at)]
    found = {
        (frozenset(order[start : ends[int(start)]].tolist()), cut)
        for start, cut in zip(starts, own, strict=True)
    }
    assert found == wanted
    assert told.tolist() == tally


class Crowd:
    """People with two places in a tree, a number and a fingerprint each, to be cut into groups."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.people = int(random.integers(1, 60))
        self.tree = Tree.drawn(random, int(random.integers(2, 16)))
        rooted = random.integers(0, 2, 2)
        leaf = random.choice(self.tree.under[0], (2, self.people))
        self.rank = random.integers(0, 5, self.people)
        self.bucket = random.integers(0, 4, self.people).astype(np.int32)
        self.above = Ragged.of([[0], [1], [0, 1], []])
        self.order = random.permutation(self.people).astype(np.int32)
        self.depth = [*rooted.tolist(), 0]
        # Without the root in it a tree begins with the branches below.
        self.ways = [
            [self.tree.way(one)[1 - root :] for one in own.tolist()]
            for own, root in zip(leaf, rooted, strict=True)
        ]
        nodes = len(self.tree.depths)
        path = np.full((2, 5, nodes), -1, np.int32)
        for j, one in itertools.product(range(2), range(nodes)):
            way = self.tree.way(one)[1 - rooted[j] :]
            path[j, : len(way), one] = way
        self.share = [
            0.0 if end == node else len(own) / len(self.tree.under[0])
            for node, (own, end) in enumerate(zip(self.tree.under, self.tree.last, strict=True))
        ]
        self.place = np.sort(random.integers(0, 4, 5)) / 3
        self.ground = Ground(
            number=np.array([False, False, True]),
            code=np.stack([*leaf, self.rank]).astype(np.int32),
            path=path.ravel(),
            at=np.array([0, 5 * nodes, 0]),
            domain=np.array([nodes, nodes, 5]),
            width=np.concatenate([self.share, self.share, self.place]),
            start=np.array([0, nodes, 2 * nodes]),
            nodes=np.array([nodes, nodes, 0]),
            rooted=np.array(self.depth),
        )

    def is_diverse(self, people: list[int], l: int, bound: float) -> bool:  # noqa: E741
        kinds = Counter(self.bucket[people].tolist())
        items = Counter(node for p in people for node in self.above[self.bucket[p]].tolist())
        most = max(items.values(), default=0)
        return max(kinds.values()) * l <= len(people) and most <= bound * len(people) + 1e-9

    def groups(self, least: int, l: int, bound: float, below: bool):  # noqa: E741
        """Groups, and how many cuts were tried and made, by lists of people."""
        found, tally = set(), [0, 0]

        def parts_of(people: list[int], j: int, depth: int) -> list[list[int]]:
            ranks = sorted(self.rank[people].tolist())
            middle = ranks[(len(ranks) - 1) // 2]
            if middle == ranks[-1]:
                middle = max([rank for rank in ranks if below and rank < middle], default=-1)
            kinds: dict[int, list[int]] = {}
            for person in people:
                if j < 2:
                    kind = [*self.ways[j][person], *[-1] * 5][depth]
                else:
                    kind = int(self.rank[person] > middle)
                kinds.setdefault(kind, []).append(person)
            return list(kinds.values())

        def width(people: list[int], j: int, depth: int) -> float:
            if j == 2:
                ranks = self.rank[people]
                wide = self.place[ranks.max()] - self.place[ranks.min()]
                return max(wide, 1e-12) if ranks.min() < ranks.max() else 0.0
            way = self.ways[j][people[0]]
            return 1.0 if depth == 0 else self.share[way[depth - 1]] if depth <= len(way) else 0.0

        def cut(people: list[int], depth: list[int], open_: list[int]) -> None:
            depth = [*depth]
            while True:
                best = max(open_, key=lambda j: width(people, j, depth[j]), default=None)
                if best is None or width(people, best, depth[best]) == 0:
                    found.add(frozenset(people))
                    return
                tally[0] += 1
                parts = parts_of(people, best, depth[best])
                if best < 2 and len(parts) == 1:
                    depth[best] += 1
                elif len(parts) > 1 and all(
                    len(part) >= least and self.is_diverse(part, l, bound) for part in parts
                ):
                    break
                else:
                    open_ = [j for j in open_ if j != best]
            tally[1] += 1
            depth[best] += 1
            for part in parts:
                cut(part, depth, open_)

        cut(self.order.tolist(), self.depth, [0, 1, 2])
        return found, tally


@settings(max_examples=120)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 3),
    st.integers(1, 2),
    st.sampled_from([0.5, 2 / 3, 1.0]),
    st.booleans(),
)
def test_diverse_groups_are_those_of_lists_of_people(
    seed: int,
    least: int,
    l: int,  # noqa: E741
    bound: float,
    below: bool,
) -> None:
    crowd = Crowd(seed)
    above = crowd.above.indptr, crowd.above.value
    whole = crowd.order.copy()
    assert breaks_diversity(whole, crowd.bucket, 4, least, l, bound, *above, 2) == (
        len(whole) < least or not crowd.is_diverse(whole.tolist(), l, bound)
    )
    wanted, tally = crowd.groups(least, l, bound, below)
    starts, told = diverse_groups(
        crowd.order, crowd.bucket, 4, crowd.ground, least, l, bound, *above, 2, below
    )
    ends = itertools.pairwise([*sorted(starts.tolist()), len(whole)])
    assert {frozenset(crowd.order[start:end].tolist()) for start, end in ends} == wanted
    assert told.tolist() == tally
