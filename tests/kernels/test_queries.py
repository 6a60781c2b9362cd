"""Answers to counting queries, against sums over rows and single values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels.noise_removal import gather
from indistinct.kernels.queries import answers, fit_leaves, fit_range
from indistinct.kernels.ragged import Ragged

SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=40)
@given(SEEDS, st.integers(1, 3), st.integers(0, 9))
def test_answers_are_sums_of_products(seed: int, width: int, rows: int) -> None:
    random = np.random.default_rng(seed)
    columns = random.integers(0, 4, (width, rows)).astype(np.int32)
    weight = random.integers(1, 9, rows)
    fits = random.random((3, width, 4)) * (random.random((3, width, 4)) < 0.7)
    counts = np.full(3, 7.0)
    answers(columns, weight, fits, counts)
    for query in range(3):
        shares = [fits[query, at, columns[at]] for at in range(width)]
        assert counts[query] == pytest.approx((np.prod(shares, axis=0) * weight).sum())


HALVES = [half / 2 for half in range(-2, 5)]
RANGES = [(low, high) for low in HALVES for high in HALVES if low <= high]


@pytest.mark.parametrize("whole", [False, True])
def test_intervals_fit_a_range(whole: bool) -> None:
    """All intervals and all ranges between -1 and 2, in steps of a half."""
    low, high = np.array([(math.nan, math.nan), *RANGES]).T.copy()
    for least, most in RANGES:
        shares, touched = [], []
        for start, end in RANGES:
            held = [one for one in range(-1, 3) if start <= one <= end]
            common = min(end, most) - max(start, least)
            if whole and held:
                share = sum(least <= one <= most for one in held) / len(held)
                touched.append(float(share > 0))
            else:
                share = max(common, 0.0) / (end - start) if end > start else float(common >= 0)
                touched.append(float(common >= 0))
            shares.append(share)
        for uniform, wanted in ((True, shares), (False, touched)):
            fits = np.full(len(low), 7.0)
            fit_range(low, high, least, most, whole, uniform, fits)
            assert fits.tolist() == [7.0, *map(pytest.approx, wanted)]


@settings(max_examples=40)
@given(st.lists(st.sets(st.integers(0, 4)), max_size=6), st.sets(st.integers(0, 4)), st.booleans())
def test_cells_of_several_leaves_fit(cells: list[set[int]], named: set[int], uniform: bool) -> None:
    asked, fits = np.array([leaf in named for leaf in range(5)]), np.full(len(cells), 7.0)
    held = Ragged.of([sorted(cell) for cell in cells])
    fit_leaves(held.indptr, held.value, asked, uniform, fits)
    for cell, found in zip(cells, fits, strict=True):
        share = len(cell & named) / len(cell) if cell else 7.0
        assert found == (share if uniform or not cell else float(share > 0))


@settings(max_examples=40)
@given(SEEDS, st.integers(1, 6))
def test_amounts_of_a_value_in_the_classes_of_a_crowd(seed: int, values: int) -> None:
    random = np.random.default_rng(seed)
    dense = random.random((5, values)) * (random.random((5, values)) < 0.6)
    held = Ragged.of([np.flatnonzero(own).tolist() for own in dense])
    crowds = Ragged.of([[0], [], [1, 3], [0, 2, 4]])
    crowd, value = (own.ravel() for own in np.meshgrid(range(4), range(values), indexing="ij"))
    found = np.full(len(crowd), 7.0)
    gather(
        crowds.indptr, crowds.value, held.indptr, held.value, dense[dense > 0], crowd, value, found
    )
    wanted = [dense[crowds[q], v].sum() for q, v in zip(crowd, value, strict=True)]
    assert found == pytest.approx(wanted)
