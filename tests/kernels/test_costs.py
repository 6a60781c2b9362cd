"""Costs of suppressed rows by the kernels are those of plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels.costs import entropy_over_rows, sum_over_prefixes, sum_over_rows


@settings(max_examples=60)
@given(st.integers(1, 25), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_costs_of_rows(rows: int, attributes: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    card = random.integers(1, 5, attributes)
    columns = np.stack([random.integers(0, c, rows) for c in card]).astype(np.int32)
    which = np.arange(attributes)
    weight = random.integers(1, 9, rows)
    some = np.flatnonzero(random.random(rows) < 0.6).astype(np.int32)

    amount = random.integers(0, 1 << 40, (attributes, 5))
    total = np.full(attributes, -7, np.int64)
    sum_over_rows(columns, which, amount, some, weight[some], total)
    for j in range(attributes):
        assert total[j] == sum(weight[row] * amount[j, columns[j, row]] for row in some)

    ends = np.sort(random.integers(0, len(some) + 1, 3))
    sums = np.full((3, attributes), -7, np.int64)
    sum_over_prefixes(columns, which, amount, some, weight[some], ends, sums)
    for end, own in zip(ends, sums, strict=True):
        sum_over_rows(columns, which, amount, some[:end], weight[some[:end]], total)
        assert own.tolist() == total.tolist()

    bits = np.full(attributes, -7.0)
    entropy_over_rows(columns, which, card, some, weight[some], np.empty(5, np.int64), bits)
    for j in range(attributes):
        tally = np.bincount(columns[j][some], weights=weight[some], minlength=1)
        share = tally[tally > 0] / max(tally.sum(), 1)
        assert bits[j] == pytest.approx(-(tally.sum() * share * np.log2(share)).sum(), abs=1e-9)
