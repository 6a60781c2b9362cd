"""What attackers work out crowd by crowd, against dense tables of everything."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.analytics.weighted import Rows, Weighted, compressed
from indistinct.kernels.candidate_sets import (
    compose,
    compose_sets,
    exclude,
    over_buckets,
    recognize,
)
from indistinct.kernels.ragged import Ragged


def drawn(random: np.random.Generator, rows: int, below: int) -> Rows:
    """Rows of different numbers, rising, some of none."""
    return compressed(
        [
            np.sort(random.choice(below, random.integers(0, below), replace=False))
            for _ in range(rows)
        ]
    )


def test_value_of_a_person_that_most_of_the_common_sets_hold() -> None:
    for seed in range(30):
        random = np.random.default_rng(seed)
        people, sets, values = 12, 6, 5
        sides = [drawn(random, 4, sets) for _ in range(2)]
        one, two = (Weighted(own.indptr, own.index, random.random(len(own.index))) for own in sides)
        members, own = drawn(random, sets, values), drawn(random, people, values)
        crowds = random.integers(0, 4, (2, people)).astype(np.int32)
        weight, most = np.zeros(values), np.full(people, 9.0)
        compose_sets(
            crowds[0], crowds[1], one.indptr, one.index, one.amount,
            two.indptr, two.index, two.amount, members.indptr, members.index,
            own.indptr, own.index, weight, most,
        )  # fmt: skip
        asked = [
            max(
                (
                    sum(
                        one.dense(sets)[crowds[0][p], s] * two.dense(sets)[crowds[1][p], s]
                        for s in range(sets)
                        if value in members[s]
                    )
                    for value in own[p]
                ),
                default=0.0,
            )
            for p in range(people)
        ]
        assert np.allclose(most, asked, atol=1e-15)
        assert not weight.any()


CROWDS = Ragged.of([[0], [1, 2], [], [0, 2, 3]])
"""Buckets, or classes, of every crowd."""


def lists(dense: np.ndarray) -> Rows:
    """What is not 0 in every row, rising."""
    return compressed([np.flatnonzero(own) for own in dense])


def some(random: np.random.Generator, *shape: int) -> np.ndarray:
    """Numbers from 0 to 1, many of them 0 and some 1."""
    kind = random.random(shape)
    return np.where(kind < 0.4, 0.0, np.where(kind > 0.9, 1.0, random.random(shape)))


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_labels_over_the_buckets_of_a_crowd(seed: int) -> None:
    random = np.random.default_rng(seed)
    dense, times = some(random, 4, 5), random.random(len(CROWDS.value))
    listed = lists(dense)
    crowd, label = (own.ravel() for own in np.meshgrid(range(4), range(5), indexing="ij"))
    total, most = np.full((2, len(crowd)), 7.0)
    over_buckets(
        CROWDS.indptr, CROWDS.value, times, listed.indptr, listed.index, dense[dense > 0],
        crowd, label, total, most,
    )  # fmt: skip
    for at in range(len(crowd)):
        mine = slice(CROWDS.indptr[crowd[at]], CROWDS.indptr[crowd[at] + 1])
        own = times[mine] * dense[CROWDS.value[mine], label[at]]
        assert total[at] == pytest.approx(own.sum())
        assert most[at] == pytest.approx(own.max(initial=0.0))


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(0, 3))
def test_belief_after_the_exclusions_that_raise_it_most(seed: int, most: int) -> None:
    """Rows are held by weights: to exclude a label takes its share of each row."""
    random = np.random.default_rng(seed)
    labels, people = 5, 4
    share, times = some(random, 4, labels), some(random, len(CROWDS.value))
    listed = lists(share)
    crowd = random.integers(0, 4, people)
    own = drawn(random, people, labels)
    rows = [slice(*CROWDS.indptr[q : q + 2]) for q in range(4)]
    amounts = np.array([times[mine] @ share[CROWDS.value[mine]] for mine in rows])
    there = lists(amounts)
    found = np.full((len(own.index), most + 1), 7.0)
    exclude(
        crowd, own.indptr, own.index, CROWDS.indptr, CROWDS.value, times, listed.indptr,
        listed.index, share[share > 0], there.indptr, there.index, amounts[amounts > 0],
        np.empty(3), np.empty(labels), np.empty(labels), found,
    )  # fmt: skip
    entry = 0
    for person in range(people):
        mine = rows[crowd[person]]
        held = share[CROWDS.value[mine]]
        for label in own[person]:
            weight = times[mine].copy()

            def belief(left: np.ndarray, column: np.ndarray = held[:, label]) -> float:
                return left @ column / left.sum() if left.sum() > 1e-9 else 0.0

            for step in range(most + 1):
                assert found[entry, step] == pytest.approx(belief(weight), abs=1e-9)
                others = set(range(labels)) - set(own[person].tolist())
                tried = [weight * (1 - held[:, other]) for other in others]
                best = max(tried, key=belief, default=weight)
                weight = best if belief(best) > belief(weight) + 1e-12 else weight
            entry += 1


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from([[1, 2, 0, 3], [30, 40, 5, 60]]))
def test_rows_that_hold_all_values_but_one(seed: int, sizes: list[int]) -> None:
    random = np.random.default_rng(seed)
    people, values, labels, rows = 4, 5, 4, sum(sizes)
    covers, lists_label = random.random((values, rows)) < 0.7, random.random((labels, rows)) < 0.5
    own = drawn(random, people, values)
    hit = drawn(random, len(own.index), labels)
    crowd_of, start = random.integers(0, 4, people).astype(np.int32), np.cumsum([0, *sizes])
    words = -(-rows // 64)

    def packed(bits: np.ndarray) -> np.ndarray:
        wide = np.pad(bits, ((0, 0), (0, 64 * words - rows)))
        return np.packbits(wide, axis=1, bitorder="little").view(np.uint64)

    candidates, right, near, near_right = np.full((4, len(own.index)), 7)
    whole = np.full(people, 7)
    recognize(
        own.indptr, own.index, hit.indptr, hit.index, packed(covers), packed(lists_label), crowd_of,
        CROWDS.indptr, CROWDS.value, start, packed(np.ones((1, rows), np.bool_))[0],
        np.empty((values + 1, words), np.uint64), np.empty((values + 1, words), np.uint64),
        candidates, right, near, near_right, whole,
    )  # fmt: skip
    entry = 0
    class_of = np.repeat(np.arange(4), sizes)
    for person in range(people):
        mine = np.isin(class_of, CROWDS[crowd_of[person]])
        assert whole[person] == covers[own[person]].all(axis=0).sum()
        for left_out in own[person]:
            fits = covers[own[person][own[person] != left_out]].all(axis=0)
            shows = fits & lists_label[hit[entry]].any(axis=0)
            assert (candidates[entry], right[entry]) == (fits.sum(), shows.sum())
            assert (near[entry], near_right[entry]) == ((fits & mine).sum(), (shows & mine).sum())
            entry += 1


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_what_two_releases_say_of_atoms(seed: int) -> None:
    random = np.random.default_rng(seed)
    people, atoms = 6, 5
    dense = [some(random, 4, atoms) for _ in range(2)]
    size = [random.integers(1, 3, 4) * (own.sum(axis=1) > 0) for own in dense]
    one, two = map(lists, dense)
    crowds = random.integers(0, 4, (2, people)).astype(np.int32)
    own = drawn(random, people, atoms)
    total, common = np.full(people, 7.0), np.full(people, 7)
    product, odds = np.full((2, len(own.index)), 7.0)
    compose(
        *crowds, *size, one.indptr, one.index, dense[0][dense[0] > 0], two.indptr, two.index,
        dense[1][dense[1] > 0], own.indptr, own.index, total, common, product, odds,
    )  # fmt: skip
    entry = 0
    for p in range(people):
        first, second = dense[0][crowds[0][p]], dense[1][crowds[1][p]]
        assert total[p] == pytest.approx(first @ second)
        assert common[p] == ((first > 0) & (second > 0)).sum()
        for atom in own[p]:
            x, y = (
                min(amounts[atom] / max(rows[q], 1), 1.0)
                for amounts, rows, q in zip((first, second), size, crowds[:, p], strict=True)
            )
            both, neither = x * y, (1 - x) * (1 - y)
            assert product[entry] == pytest.approx(first[atom] * second[atom])
            assert odds[entry] == pytest.approx(both / (both + neither) if both + neither else x)
            entry += 1


def test_a_sum_of_shares_that_misses_the_whole_by_a_rounding_is_certain() -> None:
    """One release is certain of an atom, the other that it is not: what the first says is left."""
    parts = [0.1] * 10
    assert sum(parts) < 1.0
    found = [np.zeros(1), np.zeros(1, np.int64), np.zeros(1), np.zeros(1)]
    one, none = np.array([sum(parts)]), np.zeros(0)
    first, empty = np.array([0, 1]), np.array([0, 0])
    atom = np.zeros(1, np.int32)
    compose(
        atom, atom, np.array([1]), np.array([1]), first, atom, one,
        empty, np.zeros(0, np.int32), none, first, atom, *found,
    )  # fmt: skip
    assert found[3][0] == 1.0
