"""Walking down a tree of cuts, and what cuts would hold, against sums over single rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels.cut_tree import FIELDS, leaves_of, weigh_tried

SIDE = np.array([1, -1, 0, 2], np.int32)
# The root is cut by the run 1 to 2 of the first attribute; the others by what is written down
# for the values 3 to 5 of the second one.
TREE = np.array(
    [[0, 1, 1, 2, -1], [-1, 0, 0, 0, -1], [1, 3, 3, 5, 1], *[[-1, 0, 0, 0, -1]] * 3], np.int64
)


def end(first: int, second: int) -> int:
    """The leaf of a row, from what TREE says in words."""
    if first < 0:
        return -1
    if 1 <= first <= 2:
        return 1
    return {4: 3, 5: 5}.get(second, -1)


def test_every_row_ends_in_its_leaf() -> None:
    rank = np.array([(a, b) for a in range(-1, 5) for b in range(-1, 8)], np.int32)
    found = np.full(len(rank), 9, np.int32)
    leaves_of(rank, TREE, SIDE, found)
    assert found.tolist() == [end(*row) for row in rank.tolist()]


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(0, 8))
def test_weights_of_cuts_that_are_tried(seed: int, rows: int) -> None:
    random = np.random.default_rng(seed)
    rank = random.integers(0, [4, 7], (rows, 2)).astype(np.int32)
    value = random.integers(0, [2, 3], (rows, 2)).astype(np.int32)
    weight, of = random.integers(1, 9, rows), random.integers(-1, 2, rows).astype(np.int32)
    tried = np.array([[0, 0, 1, 2, -1], [1, 2, 3, 5, 1], [0, 5, 0, 1, -1]], np.int64)
    assert tried.shape[1] == FIELDS
    begin = np.array([0, 4, 11, 13])
    found = np.zeros((7, 17), np.int64)
    weigh_tried(rank, value, weight, of, tried, np.array([0, 2, 3]), SIDE, begin, found)

    def children(part: int, a: int, b: int) -> list[int]:
        if part == 0:
            return [0 if 1 <= a <= 2 else 1, {4: 2, 5: 4}.get(b, -1)]
        return [5 if a <= 1 else 6] if part == 1 else []

    wanted = np.zeros_like(found)
    for row in range(rows):
        for child in children(of[row], *rank[row].tolist()):
            if child >= 0:
                wanted[child, begin + np.append(rank[row], value[row])] += weight[row]
                wanted[child, -1] += 1
    assert found.tolist() == wanted.tolist()
