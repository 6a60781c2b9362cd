"""Sharing people out over the values of their classes."""

from __future__ import annotations

import numpy as np
import pytest

from indistinct.kernels.proportional_fitting import fit, joined


@pytest.mark.parametrize("listed", [[0, 1, 2], [0, 2], [2], []])
def test_shares_of_values_that_are_not_listed_are_left_out(listed: list[int]) -> None:
    """Two combinations of one class with three values; the first lists some of them alone."""
    one, both = np.array([0]), np.array([0, 1], np.int32)
    within = np.array([0, 1])
    scale, filled = np.ones(3), np.array([2, 1, 3])
    out_value = np.array([*listed, 0, 1, 2], np.int32)
    out_indptr = np.array([0, len(listed), len(out_value)])
    out, belief, right = np.zeros(len(out_value)), np.zeros(3), np.zeros(3)
    fit(
        one, within, one, within, both, np.array([0, 2]),
        np.zeros((2, 1), np.int32), np.zeros(1, np.int64), np.ones((1, 3)), np.array([1, 2]),
        within, np.zeros(1, np.int32), np.array([0, 3]), np.array([0, 1, 2], np.int32), filled,
        scale, 20, False, np.zeros((0, 3)), out_indptr, out_value, out,
        np.array([0, 1, 2], np.int32), np.array([0, 1, 3]), np.array([2, -1, 0], np.int32),
        belief, right,
    )  # fmt: skip
    assert scale / scale.sum() == pytest.approx(filled / 6)
    assert out == pytest.approx(filled[out_value] / 6)
    assert belief == pytest.approx([1 / 2, 0, 1 / 3])
    assert right.tolist() == [1, 0, 0]


def test_classes_that_some_row_joins_have_one_label() -> None:
    indptr, index = np.array([0, 2, 3, 3, 5]), np.array([1, 4, 2, 3, 4], np.int32)
    assert joined(indptr, index, 6).tolist() == [0, 1, 2, 1, 1, 5]
