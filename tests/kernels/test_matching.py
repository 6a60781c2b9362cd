"""Taking rows for people in the order of both, against lists gone through one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels.matching import first_unused, number_aligned
from indistinct.kernels.ragged import Ragged
from indistinct.kernels.swapping import pair_up

SEEDS = st.integers(0, 2**32 - 1)
CROWDS = Ragged.of([[0], [], [1, 2], [0, 2, 3], [1, 3]])


def drawn(seed: int, rows: int, people: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The class of every row, the order of rows, and the crowd of every person."""
    random = np.random.default_rng(seed)
    class_of = random.integers(0, 4, rows).astype(np.int32)
    return class_of, random.permutation(rows), random.integers(0, 5, people).astype(np.int32)


@settings(max_examples=60)
@given(SEEDS, st.integers(0, 9), st.integers(0, 9))
def test_everybody_gets_the_first_row_that_is_left(seed: int, rows: int, people: int) -> None:
    class_of, order, crowd_of = drawn(seed, rows, people)
    left, wanted = order.tolist(), []
    for crowd in crowd_of:
        own = [row for row in left if class_of[row] in CROWDS[crowd]]
        wanted.append(own[0] if own else -1)
        left = [row for row in left if row != wanted[-1]]
    taken = np.full(people, 7)
    first_unused(
        crowd_of, CROWDS.indptr, CROWDS.value, class_of,
        np.cumsum([0, *np.bincount(class_of, minlength=4)]), order, np.empty(rows, np.int32),
        np.empty(4, np.int64), np.empty(4, np.int32), taken,
    )  # fmt: skip
    assert taken.tolist() == wanted


@settings(max_examples=60)
@given(SEEDS, st.integers(0, 9), st.integers(0, 9))
def test_rows_that_fit_the_person_in_their_place(seed: int, rows: int, people: int) -> None:
    class_of, order, crowd_of = drawn(seed, rows, people)
    somewhere = [crowd for crowd in crowd_of if len(CROWDS[crowd])]
    pairs = list(zip(class_of[order], somewhere, strict=False))
    found = number_aligned(crowd_of, CROWDS.indptr, CROWDS.value, class_of, order)
    assert found == (sum(own in CROWDS[crowd] for own, crowd in pairs), len(pairs))


@settings(max_examples=60)
@given(
    SEEDS, st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9), st.integers(0, 4)), max_size=3)
)
def test_places_exchange_within_their_window(seed: int, groups: list[tuple[int, int, int]]) -> None:
    """Groups of some places each, with places of no group before them."""
    end = np.cumsum([gap + size for gap, size, _ in groups], dtype=np.int64)
    start = end - np.array([size for _, size, _ in groups], np.int64)
    most = np.array([own for *_, own in groups], np.int64)
    n = int(end[-1]) + 1 if groups else 1
    draws = np.random.default_rng(seed).random(n)
    wanted, taken = list(range(n)), [False] * n
    for first, after, reach in zip(start.tolist(), end.tolist(), most.tolist(), strict=True):
        for at in range(first, after):
            window = range(at + 1, min(at + reach + 1, after))
            if taken[at] or not window:
                continue
            place = window[int(draws[at] * len(window))]
            free = [other for other in (*range(place, window.stop), *window) if not taken[other]]
            taken[at] = True
            if free:
                wanted[at], wanted[free[0]], taken[free[0]] = free[0], at, True
    partner = np.full(n, 7)
    pair_up(start, end, most, draws, partner)
    assert partner.tolist() == wanted
