"""Sharing people out over the values of their classes."""

from __future__ import annotations

import numpy as np
import pytest

from indistinct.kernels.proportional_fitting import make_likely, share_out


@pytest.mark.parametrize("listed", [[0, 1, 2], [0, 2], [2], []])
def test_shares_of_values_that_are_not_listed_are_left_out(listed: list[int]) -> None:
    """Two combinations of one class with three values; the first lists some of them alone."""
    codes, start = np.zeros((2, 1), np.int32), np.zeros(1, np.int64)
    weight, met_indptr = np.array([1, 2]), np.array([0, 1, 2])
    met, indptr = np.zeros(2, np.int32), np.array([0, 3])
    value, scale = np.array([0, 1, 2], np.int32), np.ones(3)
    begin, stamp, own = np.zeros(3, np.int64), np.empty(3, np.int64), np.empty(3)
    classes = met_indptr, met, indptr, value
    table = np.zeros((1, 3))
    make_likely(codes, start, table, *classes, stamp, begin, np.zeros(0))
    likely = np.empty(begin[-1])
    make_likely(codes, start, table, *classes, stamp, begin, likely)
    out_value = np.array([*listed, 0, 1, 2], np.int32)
    out_indptr = np.array([0, len(listed), len(out_value)])
    filled, out = np.empty(3), np.zeros(len(out_value))
    share_out(
        codes, start, weight, *classes, scale, begin, likely, own, stamp, filled,
        np.zeros((0, 3)), out_indptr, out_value, out,
    )  # fmt: skip
    assert out == pytest.approx(np.full(len(out_value), 1 / 3))
    assert filled == pytest.approx(np.ones(3))
