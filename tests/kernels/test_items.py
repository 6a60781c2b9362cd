"""Combinations of the items of people, against all combinations written out."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kernels.trees import Tree

from indistinct.kernels import items
from indistinct.kernels.items import combinations, protect_items, published_sets, rare_within
from indistinct.kernels.ragged import Ragged

SEEDS = st.integers(0, 2**32 - 1)
SETS = st.lists(st.sets(st.integers(0, 6), max_size=5).map(sorted), max_size=8)
NUMBER = np.array([0, 2, 3, 5, 6, 7, 9])
"""The digit of each item, to the base of ten."""


@given(st.lists(st.lists(st.integers(-1, 4), max_size=6), max_size=6))
def test_published_sets(sets: list[list[int]]) -> None:
    rows = Ragged.of(sets)
    indptr, node = published_sets(rows.indptr, rows.value)
    found = [node[first:end].tolist() for first, end in itertools.pairwise(indptr)]
    assert found == [sorted(set(own) - {-1}) for own in sets]


def key(chosen: tuple[int, ...]) -> int:
    return int("".join(str(NUMBER[item]) for item in chosen))


@given(SETS, st.integers(1, 4))
def test_combinations(sets: list[list[int]], size: int) -> None:
    rows, weight = Ragged.of(sets), np.arange(10, 10 + len(sets))
    wanted = [
        (key(chosen), one)
        for own, one in zip(sets, weight.tolist(), strict=True)
        for chosen in itertools.combinations(own, size)
    ]
    keys, counts = combinations(rows.indptr, rows.value, size, NUMBER, 10, weight, len(wanted))
    assert list(zip(keys.tolist(), counts.tolist(), strict=True)) == wanted


def without(own: list[int], rare: set[tuple[int, ...]], price: np.ndarray) -> set[int]:
    """The items left out of a set: first that which is in most rare combinations for its price."""
    gone: set[int] = set()
    while left := [chosen for chosen in rare if set(chosen) <= set(own) - gone]:
        times = Counter(item for chosen in left for item in chosen)
        best = max(own, key=lambda item: times[item] / price[item])
        if times[best] / price[best] == 0:
            break
        gone.add(best)
    return gone


@settings(max_examples=80)
@given(SETS, SEEDS, st.integers(1, 3))
def test_entries_are_left_out_of_sets_with_rare_combinations(
    sets: list[list[int]], seed: int, size: int
) -> None:
    random = np.random.default_rng(seed)
    ways = list(itertools.combinations(range(7), size))
    rare = {way for way in ways if random.random() < 0.4}
    price = random.choice([0.5, 1.0, 1.5, np.inf], 7)
    rows = Ragged.of(sets)
    residual = random.random(len(rows.value))
    before = residual.copy()
    gone = rare_within(
        rows.indptr, rows.value, size, NUMBER, 10, np.array(sorted(map(key, rare)), np.int64),
        price, residual,
    )  # fmt: skip
    for own, (first, end) in zip(sets, itertools.pairwise(rows.indptr), strict=True):
        out = {item for item, left in zip(own, gone[first:end], strict=True) if left}
        assert out == without(own, rare, price)
        held = dict(zip(own, before[first:end].tolist(), strict=True))
        for chosen in itertools.combinations(own, size):
            poorest = min(held[item] for item in chosen)
            if chosen in rare:
                held.update({item: held[item] - poorest for item in chosen})
        assert residual[first:end] == pytest.approx(list(held.values()), abs=1e-12)


def test_more_rare_combinations_than_there_is_room_for_at_first() -> None:
    """Of twelve items all 220 triples are rare: two items are left."""
    rows, number = Ragged.of([list(range(12))]), np.arange(12)
    rare = [a * 144 + b * 12 + c for a, b, c in itertools.combinations(range(12), 3)]
    gone = rare_within(
        rows.indptr, rows.value, 3, number, 12, np.array(rare), np.ones(12), np.empty(0)
    )
    assert gone.tolist() == [True] * 10 + [False] * 2


def tells(sets: list[frozenset[int]], k: int, bound: float, m: int) -> bool:
    """Whether a combination of items is rare, or an item follows from others."""
    every = frozenset().union(*sets)
    for size in range(m + 1):
        for known in map(set, itertools.combinations(sorted(every), size)):
            having = [own for own in sets if known <= own]
            if known and having and len(having) < k:
                return True
            shares = [sum(item in own for own in having) for item in every - known]
            if bound <= 1 and any(share > bound * len(having) + 1e-9 for share in shares):
                return True
    return False


@settings(max_examples=120)
@given(SEEDS, st.integers(0, 3), st.sampled_from([0.5, 0.8, 2.0]), st.integers(1, 2))
def test_few_known_items_tell_little(seed: int, k: int, bound: float, m: int) -> None:
    """In each class no combination is rare and no item follows from others, if not all is known."""
    random = np.random.default_rng(seed)
    tree = Tree.drawn(random, int(random.integers(3, 9)))
    leaves, people = tree.under[0], int(random.integers(1, 9))
    held = [
        sorted(random.choice(leaves, random.integers(1, min(3, len(leaves)) + 1), replace=False))
        for _ in range(people)
    ]
    rows = Ragged.of(held)
    members = random.permutation(people)
    cut = int(random.integers(0, people + 1))
    cost = np.array([len(own) / len(leaves) for own in tree.under])
    found = protect_items(
        np.array([0, cut, people]), members, rows.indptr, rows.value,
        np.array(tree.parents, np.int32), np.array(tree.last, np.int32), cost, k, bound, m,
    )  # fmt: skip
    shown = [found[first:end].tolist() for first, end in itertools.pairwise(rows.indptr)]
    for group in (members[:cut], members[cut:]):
        pairs = {pair for p in group for pair in zip(held[p], shown[p], strict=True)}
        node_of = dict(pairs)
        assert len(pairs) == len(node_of)
        assert all(node in tree.way(leaf) for leaf, node in pairs)
        # What is published as a node is so wherever it lies under it, unless it is the root's.
        assert all(
            node_of[leaf] in (node, 0)
            for node in node_of.values()
            for leaf in node_of
            if node and node in tree.way(leaf)
        )
        sets = [frozenset(shown[p]) for p in group]
        assert frozenset().union(*sets) <= {0} or not tells(sets, k, bound, m)
        # What tells little as it is stays as it is.
        before = [frozenset(held[p]) for p in group]
        assert tells(before, k, bound, m) or sets == before


def coarser(
    tree: Tree, shown: dict[int, int], chosen: list[int], learnt: int, cost: Sequence[float]
) -> list[dict[int, int]]:
    """Every way to publish an item of a combination more coarsely, in order."""
    if learnt == 0 and chosen == [0]:
        return [dict.fromkeys(shown, 0)]
    if not set(chosen) <= set(shown.values()):
        return []
    ways = []
    for j, node in enumerate(sorted(set(shown.values())) if chosen == [0] else chosen):
        if node:
            ways.append({leaf: 0 if own == node else own for leaf, own in shown.items()})
            above = tree.parents[node]
            if above and j != learnt:
                here = tree.under[above]
                ways.append({x: above if own and x in here else own for x, own in shown.items()})
    return ways


@settings(max_examples=120)
@given(SEEDS)
def test_an_item_becomes_what_costs_least(seed: int) -> None:
    random = np.random.default_rng(seed)
    tree = Tree.drawn(random, int(random.integers(2, 12)))
    nodes, leaves = len(tree.depths), tree.under[0]
    cost = [1.0, *(random.integers(0, 9, nodes - 1) / 8).tolist()]
    own = sorted(random.choice(leaves, random.integers(1, len(leaves) + 1), replace=False).tolist())
    occurs = dict(zip(own, random.integers(1, 5, len(own)).tolist(), strict=True))
    shown = {leaf: leaf for leaf in own}
    for node in random.integers(0, nodes, random.integers(0, 3)).tolist():
        shown = {leaf: node if leaf in tree.under[node] else up for leaf, up in shown.items()}
    if random.random() < 0.5:
        rooted = random.choice(list(shown.values()))
        shown = {leaf: 0 if up == rooted else up for leaf, up in shown.items()}
    some = sorted({*shown.values(), *random.integers(0, nodes, int(random.random() < 0.2))})
    chosen = sorted(random.choice(some, min(len(some), random.integers(1, 4)), replace=False))
    if not some[0] and random.random() < 0.5:
        chosen = [0]
    learnt = int(random.integers(-1, len(chosen)))

    def price(way: dict[int, int]) -> float:
        return sum(occurs[leaf] * (cost[up] - cost[shown[leaf]]) for leaf, up in way.items())

    ways = coarser(tree, shown, [int(node) for node in chosen], learnt, cost)
    wanted = min(ways, key=price, default=shown)
    current = np.array([shown[leaf] for leaf in own], np.int32)
    changed = items._coarsen.function(
        np.array(chosen, np.int32), learnt, np.array(own, np.int32), current,
        np.array(list(occurs.values())), np.array(tree.parents, np.int32),
        np.array(tree.last, np.int32), np.array(cost),
    )  # fmt: skip
    assert changed is bool(ways)
    assert current.tolist() == list(wanted.values())


@pytest.mark.parametrize(("m", "kept"), [(1, True), (2, False)])
def test_half_of_those_who_have_an_item_may_have_another(m: int, kept: bool) -> None:
    """Half of those with 2 have 3; all who have 3 and 4 have 5, which counts if two are known."""
    parent, last = np.array([-1, 0, 0, 0, 0, 0], np.int32), np.array([5, 1, 2, 3, 4, 5], np.int32)
    held = [[1], [1], [2, 3], [2, 3], [2], [2], [3], [3], [3, 4, 5], [3, 4, 5], *[[4]] * 3]
    held += [*[[5]] * 3, *[[3]] * 2]
    rows, cost = Ragged.of(held), np.array([1.0, *[0.0] * 5])
    found = protect_items(
        np.array([0, len(held)]), np.arange(len(held)), rows.indptr, rows.value, parent, last,
        cost, 2, 0.5, m,
    )  # fmt: skip
    assert tells([frozenset(own) for own in held], 2, 0.5, m) is not kept
    assert (found.tolist() == rows.value.tolist()) is kept


def test_the_cheaper_of_parent_and_root_is_taken() -> None:
    """1 is above 2 and 3; 4 stands alone. One person each has 2 and 3, three have 4."""
    parent, last = np.array([-1, 0, 1, 1, 0], np.int32), np.array([4, 3, 2, 3, 4], np.int32)
    rows = Ragged.of([[2], [3], [4], [4], [4]])
    for above, wanted in ((0.1, [1, 1, 4, 4, 4]), (0.95, [0, 0, 4, 4, 4])):
        cost = np.array([1.0, above, 0.0, 0.0, 0.0])
        found = protect_items(
            np.array([0, 5]), np.arange(5), rows.indptr, rows.value, parent, last, cost, 2, 2.0, 1
        )
        assert found.tolist() == wanted


def test_an_item_climbs_until_enough_people_have_it() -> None:
    """One has 3, under 2, under 1, all for that one alone: only the root is had by others."""
    parent, last = np.array([-1, 0, 1, 2, 0], np.int32), np.array([4, 3, 3, 3, 4], np.int32)
    rows, cost = Ragged.of([[3], [4], [4]]), np.array([1.0, 0.2, 0.1, 0.0, 0.0])
    found = protect_items(
        np.array([0, 3]), np.arange(3), rows.indptr, rows.value, parent, last, cost, 2, 2.0, 1
    )
    assert found[0] == 0
