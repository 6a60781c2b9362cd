"""Aggregates follow their formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest

from indistinct.errors import PolicyError
from indistinct.measures.aggregate import aggregate, ascending, better


def test_formulas() -> None:
    costs, weights = np.array([[0.5, 0.0, 0.2]]), [1.0, 2.0, 5.0]
    expected = {
        "arithmetic": [1.5 / 8],
        "geometric": [1.5 ** (1 / 8) * 1.2 ** (5 / 8) - 1],
        "sum": [1.5],
        "max": [1.0],
        "rank": [1.0, 0.5, 0.0],
    }
    for name, values in expected.items():
        assert aggregate(name, weights).keys(costs)[0].tolist() == pytest.approx(values)
        assert aggregate(name, weights).keys(costs[0]).tolist() == pytest.approx(values)


def test_a_tiny_cost_is_not_lost() -> None:
    tiny = aggregate("geometric", [1.0]).keys(np.array([1e-15]))[0]
    assert tiny == pytest.approx(1e-15, rel=1e-9)


def test_keys_are_compared_entry_by_entry() -> None:
    keys = np.array([[1.0, 2.0], [1.0, 3.0], [0.5, 9.0], [1.0, 1.0], [2.0, 0.0]])
    assert better(keys, np.array([1.0, 2.0])).tolist() == [False, False, True, True, False]
    assert better(keys[:, :1], np.array([1.0])).tolist() == [False, False, True, False, False]
    assert better(keys, None).all()


def test_vectors_are_put_in_order_by_their_first_entry_then_their_next() -> None:
    keys = np.random.default_rng(5).integers(0, 3, (60, 3)).astype(float)
    for width in (1, 2, 3):
        listed = keys[:, :width].tolist()
        assert ascending(keys[:, :width]).tolist() == sorted(range(60), key=listed.__getitem__)


def test_entries_that_differ_by_rounding_errors_are_equal() -> None:
    rank = aggregate("rank", [1.0, 1.0])
    one = rank.keys(np.array([0.1 + 0.2, 0.9]))
    other = rank.keys(np.array([0.3, 0.9]))
    assert one.tolist() == other.tolist()
    assert rank.keys(np.array([0.0, 0.0])).tolist() == [0.0, 0.0]
    assert rank.keys(np.array([3e5, 1e-7])).tolist() == pytest.approx([3e5, 1e-7], rel=1e-11)


@pytest.mark.parametrize("weights", [[0.0, 0.0], [1.0, -1.0], [math.nan, 1.0], [math.inf, 1.0]])
def test_weights_that_are_refused(weights: list[float]) -> None:
    with pytest.raises(PolicyError, match="weights must be"):
        aggregate("sum", weights)


def test_an_unknown_aggregate() -> None:
    with pytest.raises(PolicyError, match="did you mean 'arithmetic'"):
        aggregate("aritmetic", [1.0])
