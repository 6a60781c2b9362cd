"""Releasing rows node by node, against classes made anew at every node."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels.greedy_release import large_throughout, peel
from indistinct.kernels.grouping import Scratch

CARD = np.array([[4, 2, 1], [3, 1, 1]], np.int64)
ROW_OF = np.array([[0, 1, 2], [3, 4, 4]], np.int64)


def table(random: np.random.Generator, rows: int) -> np.ndarray:
    """Codes of two attributes on each of their levels, each level a merger of the one before."""
    first, second = random.integers(0, 4, rows), random.integers(0, 3, rows)
    return np.stack([first, first // 2, first // 4, second, second // 3]).astype(np.int32)


def keys(columns: np.ndarray, node: np.ndarray) -> list[tuple[int, ...]]:
    held = columns[[ROW_OF[j, level] for j, level in enumerate(node)]]
    return [tuple(column) for column in held.T.tolist()]


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(0, 14), st.integers(1, 9))
def test_rows_are_released_at_the_first_node_at_which_their_class_is_large(
    seed: int, rows: int, least: int
) -> None:
    random = np.random.default_rng(seed)
    columns = table(random, rows)
    nodes = random.permutation([(a, b) for a in range(3) for b in range(2)])[: random.integers(7)]
    weight = random.integers(1, 4, rows)
    expected, left = np.full(rows, -1), list(range(rows))
    for at, node in enumerate(nodes):
        units: Counter[tuple[int, ...]] = Counter()
        own = keys(columns, node)
        for row in left:
            units[own[row]] += weight[row]
        expected[[row for row in left if units[own[row]] >= least]] = at
        left = [row for row in left if expected[row] < 0]
    work, released = Scratch.of(rows), np.full(rows, -1)
    order, own_weight = np.arange(rows, dtype=np.int32), weight.copy()
    kept = peel(
        nodes, least, columns, ROW_OF, CARD, np.arange(2), order, own_weight, released, work
    )
    assert released.tolist() == expected.tolist()
    assert order[:kept].tolist() == left
    assert own_weight[:kept].tolist() == weight[left].tolist()


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(0, 8), st.integers(1, 6))
def test_nodes_whose_classes_are_all_large(seed: int, rows: int, least: int) -> None:
    random = np.random.default_rng(seed)
    columns = table(random, rows)
    some = np.flatnonzero(random.random(rows) < 0.8).astype(np.int32)
    weight = random.integers(1, 4, len(some))
    nodes = np.array([(a, b) for a in range(3) for b in range(2)])
    large = random.random(len(nodes)) < 0.5
    large_throughout(nodes, least, columns, ROW_OF, some, weight, large)
    for at, node in enumerate(nodes):
        own, units = keys(columns, node), Counter[tuple[int, ...]]()
        for row, one in zip(some, weight, strict=True):
            units[own[row]] += one
        assert large[at] == (min(units.values(), default=least) >= least)
