"""Sharing people out over the values of their classes."""

from __future__ import annotations

import numpy as np
import pytest

from indistinct.kernels.proportional_fitting import fit, joined, share_out


@pytest.mark.parametrize("listed", [[0, 1, 2], [0, 2], [2], []])
def test_shares_of_values_that_are_not_listed_are_left_out(listed: list[int]) -> None:
    """Two combinations of one class with three values; the first lists some of them alone."""
    codes, start = np.zeros((2, 1), np.int32), np.zeros(1, np.int64)
    weight, met_indptr = np.array([1, 2]), np.array([0, 1, 2])
    met, indptr = np.zeros(2, np.int32), np.array([0, 3])
    value, scale = np.array([0, 1, 2], np.int32), np.ones(3)
    filled = np.array([2, 1, 3])
    could = codes, start, np.zeros((1, 3)), weight, met_indptr, met, indptr, value
    both, one = np.array([0, 1]), np.array([0])
    fit(both, np.array([0, 2]), one, np.array([0, 1]), *could, filled, scale, 20)
    assert scale / scale.sum() == pytest.approx(filled / 6)
    out_value = np.array([*listed, 0, 1, 2], np.int32)
    out_indptr = np.array([0, len(listed), len(out_value)])
    out = np.zeros(len(out_value))
    share_out(0, 2, *could, scale, np.zeros((0, 3)), out_indptr, out_value, out)
    assert out == pytest.approx(filled[out_value] / 6)


def test_classes_that_some_row_joins_have_one_label() -> None:
    indptr, index = np.array([0, 2, 3, 3, 5]), np.array([1, 4, 2, 3, 4], np.int32)
    assert joined(indptr, index, 6).tolist() == [0, 1, 2, 1, 1, 5]
