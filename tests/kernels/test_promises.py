"""Figures of promises for every class, against their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels import promises

GROUPS, VALUES = 4, 5
SEEDS = st.integers(0, 2**32 - 1)


class Drawn:
    """Classes over five values, some without records, and the shares they are compared with."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.cells = self.random.integers(0, 4, (GROUPS, VALUES))
        self.cells *= self.random.random((GROUPS, VALUES)) < 0.7
        self.cells[self.random.integers(0, GROUPS)] = 0
        self.base = self.random.integers(0, 3, VALUES) / 4
        self.total = self.cells.sum(axis=1)
        self.share = self.cells / np.maximum(self.total, 1)[:, None]

    def expect(self, found: np.ndarray, of_class) -> None:
        """Classes without records have 0, the others what their shares come to."""
        pairs = zip(self.share, self.total, strict=True)
        expected = [of_class(share) if total else 0.0 for share, total in pairs]
        assert found == pytest.approx(expected)


def filled(shape=GROUPS) -> np.ndarray:
    return np.full(shape, 7.0)


@settings(max_examples=40)
@given(SEEDS)
def test_counts(seed: int) -> None:
    drawn = Drawn(seed)
    found, total, most = np.full((3, GROUPS), 7)
    promises.distinct(drawn.cells, found)
    promises.largest(drawn.cells, total, most)
    assert found.tolist() == (drawn.cells > 0).sum(axis=1).tolist()
    assert total.tolist() == drawn.total.tolist()
    assert most.tolist() == drawn.cells.max(axis=1).tolist()


@settings(max_examples=40)
@given(SEEDS, st.integers(1, VALUES + 1))
def test_head_and_tail(seed: int, place: int) -> None:
    drawn = Drawn(seed)
    head, tail = np.full((2, GROUPS), 7)
    scratch = np.full(place, 99)
    promises.head_and_tail(drawn.cells, place, scratch, head, tail)
    falling = -np.sort(-drawn.cells, axis=1)
    assert head.tolist() == falling[:, 0].tolist()
    assert tail.tolist() == falling[:, place - 1 :].sum(axis=1).tolist()


@settings(max_examples=40)
@given(SEEDS)
def test_entropy_and_variation(seed: int) -> None:
    drawn, found = Drawn(seed), filled()
    promises.entropy(drawn.cells, found)
    drawn.expect(found, lambda share: -sum(p * math.log(p) for p in share if p > 0))
    promises.variation(drawn.cells, drawn.base, found)
    drawn.expect(found, lambda share: abs(share - drawn.base).sum() / 2)


@settings(max_examples=40)
@given(SEEDS, st.integers(1, VALUES))
def test_distances_along_an_order(seed: int, counted: int) -> None:
    drawn, found = Drawn(seed), filled()
    order = drawn.random.permutation(VALUES)[:counted]

    def distance(share: np.ndarray) -> float:
        ahead = np.cumsum((share - drawn.base)[order])[:-1]
        return float(abs(ahead).sum()) / max(counted - 1, 1)

    promises.ordered(drawn.cells, order, drawn.base, found)
    drawn.expect(found, distance)


@settings(max_examples=40)
@given(SEEDS, st.integers(0, 3))
def test_distances_in_a_hierarchy(seed: int, levels: int) -> None:
    drawn, found = Drawn(seed), filled()
    nodes = drawn.random.integers(1, VALUES + 1, levels)
    ancestors = drawn.random.integers(0, nodes[:, None], (levels, VALUES))
    shares = drawn.random.random((levels, VALUES))

    def distance(share: np.ndarray) -> float:
        away = 0.0
        for level in range(levels):
            held = np.bincount(ancestors[level], weights=share, minlength=VALUES)
            away += abs(held - shares[level])[: nodes[level]].sum() / 2
        return away / max(levels, 1)

    scratch = np.full(VALUES, 99)
    promises.hierarchical(drawn.cells, ancestors, nodes, shares, scratch, found)
    drawn.expect(found, distance)


@settings(max_examples=40)
@given(SEEDS)
def test_kinds_and_weights(seed: int) -> None:
    drawn, found = Drawn(seed), filled()
    kind_of = drawn.random.integers(-1, 3, VALUES).astype(np.int32)
    worth, weight = drawn.random.random(3), drawn.random.random(VALUES)
    number = np.full(GROUPS, 7)
    promises.kinds(drawn.cells, kind_of, worth, np.zeros(3, np.int64), number, found)
    held = [set(kind_of[own > 0].tolist()) - {-1} for own in drawn.cells]
    assert number.tolist() == [len(own) for own in held]
    assert found == pytest.approx([sum(worth[kind] for kind in own) for own in held])
    promises.weigh(drawn.cells, weight, True, found)
    assert found == pytest.approx((drawn.cells > 0) @ weight)
    promises.weigh(drawn.cells, weight, False, found)
    assert found == pytest.approx(drawn.cells @ weight)


@settings(max_examples=60)
@given(SEEDS, st.booleans())
def test_ratios(seed: int, absent: bool) -> None:
    drawn, found = Drawn(seed), filled()

    def ratio(share: float, base: float) -> float:
        return share / base if base > 0 else (math.inf if share > 0 else 0.0)

    def log_ratio(share: float, base: float) -> float:
        if share == 0:
            return math.inf if absent and base > 0 else 0.0
        return abs(math.log(share / base)) if base > 0 else math.inf

    promises.largest_ratio(drawn.cells, drawn.base, found)
    drawn.expect(found, lambda share: max(map(ratio, share, drawn.base)))
    promises.largest_log_ratio(drawn.cells, drawn.base, absent, found)
    drawn.expect(found, lambda share: max(map(log_ratio, share, drawn.base)))
