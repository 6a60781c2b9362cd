"""Sums over pairs by the kernels are those of plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels.pairs import add_up, look_up


@settings(max_examples=60)
@given(st.integers(0, 40), st.integers(1, 6), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_sums_and_looks_over_pairs(pairs: int, combinations: int, groups: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    value = random.integers(0, 4, combinations).astype(np.int32)
    cell = random.integers(0, 3, groups).astype(np.int32)
    combination = random.integers(0, combinations, pairs).astype(np.int32)
    group = random.integers(0, groups, pairs).astype(np.int32)
    records = random.random(pairs)

    found = np.ones((4, 3))
    add_up(value, cell, combination, group, records, found)
    expected = np.ones((4, 3))
    np.add.at(expected, (value[combination], cell[group]), records)
    assert found == pytest.approx(expected)

    table, seen = random.random((4, 3)), random.random(pairs)
    expected = seen + table[value[combination], cell[group]]
    look_up(value, cell, combination, group, table, seen)
    assert seen == pytest.approx(expected)
