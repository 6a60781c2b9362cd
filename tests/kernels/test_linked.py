"""People with several values each, against dictionaries and sets."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels.linked import (
    categories_had,
    eligible_groups,
    highest,
    members_in_order,
    number_sets,
)
from indistinct.kernels.ragged import Ragged

SEEDS = st.integers(0, 2**32 - 1)
SETS = st.lists(st.sets(st.integers(0, 5), max_size=4).map(sorted), max_size=9)
CATEGORY = np.array([2, 0, 1, 1, 5, 2], np.int32)


@settings(max_examples=60)
@given(SEEDS, SETS)
def test_categories_of_people(seed: int, sets: list[list[int]]) -> None:
    people = Ragged.of(sets)
    last = np.random.default_rng(seed).permutation(len(people.value))
    found, kept = np.full(len(sets), 7, np.int32), np.full(len(sets), 7)
    highest(people.indptr, people.value, last, CATEGORY, found, kept)
    had = np.full(len(sets), 7)
    categories_had(people.indptr, people.value, CATEGORY, had)
    for person, own in enumerate(sets):
        entries = range(people.indptr[person], people.indptr[person + 1])
        kind = [int(CATEGORY[people.value[entry]]) for entry in range(len(people.value))]
        best = max(entries, key=lambda entry: (kind[entry], last[entry]), default=-1)
        assert kept[person] == best
        assert found[person] == (kind[best] if own else -1)
        assert had[person] == sum(1 << one for one in {kind[entry] for entry in entries})


@settings(max_examples=60)
@given(SETS)
def test_equal_sets_have_one_number(sets: list[list[int]]) -> None:
    people = Ragged.of(sets)
    entries = len(people.value)
    slots = 1 << max(1, (2 * entries - 1).bit_length())
    number, first = np.full(len(sets), 7, np.int32), np.full(len(sets), 7)
    count = number_sets(
        people.indptr, people.value, 6, np.full(slots, -1), np.empty(slots, np.int64),
        np.full(entries + 1, -1, np.int32), number, first,
    )  # fmt: skip
    different = list(dict.fromkeys(map(tuple, sets)))
    assert count == len(different)
    assert [different[one] for one in number] == list(map(tuple, sets))
    assert first[:count].tolist() == [sets.index(list(own)) for own in different]


@settings(max_examples=60)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=7), st.integers(1, 4))
def test_groups_take_the_values_that_most_people_are_left_of(
    counts: list[int], wanted: int
) -> None:
    left, groups = dict(enumerate(counts)), []
    while sum(own > 0 for own in left.values()) >= wanted:
        groups.append(sorted(left, key=lambda value: (-left[value], value))[:wanted])
        for value in groups[-1]:
            left[value] -= 1
    start = np.cumsum([0, *counts])
    group_of, value_of = np.full(sum(counts), 7, np.int32), np.full(sum(counts), 7, np.int32)
    assert eligible_groups(start, wanted, group_of, value_of) == len(groups)
    assert value_of[: len(groups) * wanted].reshape(-1, wanted).tolist() == groups
    for value, (first, end) in enumerate(itertools.pairwise(start)):
        own = sorted(group_of[first:end].tolist())
        held = [at for at, group in enumerate(groups) if value in group]
        assert own == [-1] * left[value] + held


@settings(max_examples=80)
@given(SEEDS, st.integers(1, 12), st.integers(1, 4))
def test_members_are_taken_in_order(seed: int, n: int, k: int) -> None:
    """A number, and a hierarchy of two levels below its root."""
    k = min(k, n)
    random = np.random.default_rng(seed)
    key = random.integers(0, 4, (2, n)).astype(np.int32)
    place = np.sort(random.integers(0, 5, 4)) / 4
    node = np.array([[0, 1, 2, 3], [0, 0, 1, 1]], np.int32)
    share = np.array([[0.0] * 4, [0.25, 0.25, 0.5, 0.5]])
    weight = random.integers(1, 4, 2) / 2
    shape = np.array([[0, 4, 0], [2, 4, 4]])
    width = np.concatenate([place, share.ravel()])
    of_width = np.concatenate([np.zeros(4, np.int32), node.ravel()])

    def wide(members: list[int]) -> float:
        ranks, leaves = key[:, members]
        alike = [at for at in range(2) if len(set(node[at, leaves])) == 1]
        tree = share[alike[0], leaves[0]] if alike else 1.0
        return float(weight @ [place[ranks.max()] - place[ranks.min()], tree])

    rows = random.permutation(n)
    left, classes = rows.tolist(), []
    while len(left) >= k:
        own = [left.pop(0)]
        while len(own) < k:
            costs = [round(wide([*own, row]), 9) for row in left]
            own.append(left.pop(costs.index(min(costs))))
        classes.append(own)
    for row in left:
        costs = [
            round(wide([*own, row]) * (len(own) + 1) - wide(own) * len(own), 9) for own in classes
        ]
        classes[costs.index(min(costs))].append(row)
    class_of = np.full(n, 7, np.int32)
    number = members_in_order(key, shape, of_width, width, weight, rows, k, class_of)
    assert number == len(classes)
    assert [np.flatnonzero(class_of == at).tolist() for at in range(number)] == [
        sorted(own) for own in classes
    ]
