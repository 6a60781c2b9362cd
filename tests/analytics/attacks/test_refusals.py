"""What is left of the orders of values, against every order there is."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from indistinct.analytics.attacks.refusals import Left, Tried, left_over
from indistinct.kernels.ragged import Ragged

Numbers = NDArray[np.int64]


def alike(size: Numbers, counts: Numbers) -> NDArray[np.bool_]:
    """Parts with one kind alone break the promise."""
    found: NDArray[np.bool_] = counts.max(axis=1) == size
    return found


def look(classes: list[list[int]], attempts: list[list[list[int]]], enumerated: int = 5040) -> Left:
    """Classes by the kinds of their people, numbered on; attempts by their parts."""
    kind = np.array([one for own in classes for one in own])
    of = np.repeat(np.arange(len(classes)), [len(own) for own in classes]).astype(np.int32)
    number = np.repeat(np.arange(len(attempts)), [len(parts) for parts in attempts])
    tried = Tried(of, number, Ragged.of([part for parts in attempts for part in parts]))
    same = np.eye(int(kind.max()) + 1, dtype=bool)
    return left_over(tried, kind, same, alike, enumerated=enumerated, seed=1)


@st.composite
def scenes(draw: st.DrawFn) -> tuple[list[list[int]], list[list[list[int]]]]:
    """Up to three classes of two to four people; attempts with parts in one or two of them."""
    classes = draw(
        st.lists(st.lists(st.integers(0, 2), min_size=2, max_size=4), min_size=1, max_size=3)
    )
    people = sum(map(len, classes))
    part = st.lists(st.integers(0, people - 1), min_size=1, max_size=3, unique=True)
    attempts = draw(st.lists(st.lists(part, min_size=1, max_size=2), min_size=1, max_size=3))
    return classes, attempts


@given(scenes())
def test_every_order(scene: tuple[list[list[int]], list[list[list[int]]]]) -> None:
    classes, attempts = scene
    truth = [one for own in classes for one in own]

    def fits(world: list[int]) -> bool:
        return all(any(len({world[i] for i in part}) == 1 for part in parts) for parts in attempts)

    assume(fits(truth))
    orders = [sorted(set(permutations(own))) for own in classes]
    worlds = [[v for own in choice for v in own] for choice in product(*orders)]
    left = [world for world in worlds if fits(world)]
    found = look(classes, attempts)
    assert found.walked == 0
    for i, own in enumerate(truth):
        if np.isnan(found.likely[i]):
            assert all(i not in part for parts in attempts for part in parts)
            continue
        assert found.exact[i]
        assert found.likely[i] == pytest.approx(sum(w[i] == own for w in left) / len(left))


def test_a_walk_comes_near() -> None:
    classes = [[0, 0, 0, 1, 2, 2, 1], [0, 0, 1, 1, 2]]
    attempts = [[[0, 1, 2], [3, 4, 5, 6]], [[7, 8], [9, 10]], [[1, 2], [7, 8]]]
    exact, walked = look(classes, attempts, 10**6), look(classes, attempts, 1)
    assert exact.exact.all()
    assert not walked.exact.any()
    assert walked.walked == 2
    assert np.abs(exact.likely - walked.likely).max() < 0.15
    assert (np.abs(exact.likely - walked.likely) <= 5 * walked.noise + 0.05).all()


def test_a_walk_gets_from_one_way_out_to_the_other() -> None:
    """Either half may have either value, and no exchange of two people leads to the other."""
    found = look([[0] * 6 + [1] * 6], [[list(range(6)), list(range(6, 12))]], 1)
    assert found.likely == pytest.approx(np.full(12, 0.5), abs=0.3)


def test_of_whom_nothing_was_tried_nothing_is_said() -> None:
    found = look([[0, 1], [0, 0]], [[[2]]])
    assert np.isnan(found.likely[:2]).all()
    assert found.likely[2:].tolist() == [1.0, 1.0]


def test_attempts_with_people_who_are_not_published_are_told() -> None:
    of = np.array([0, 0, -1, 1], np.int32)
    tried = Tried(of, np.array([0, 1, 1]), Ragged.of([[0, 2], [0, 1], [3]]))
    assert tried.with_others.tolist() == [True, False]
