from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indistinct.kernels.dependencies import few_pairs, settled_columns

TABLES = st.integers(1, 30).flatmap(
    lambda rows: st.lists(
        st.lists(st.integers(-1, 4), min_size=rows, max_size=rows), min_size=2, max_size=5
    )
)


@given(TABLES, st.floats(0.5, 3))
def test_few_pairs_are_counted_as_by_hand(table: list[list[int]], factor: float) -> None:
    codes = np.array(table, dtype=np.int32)
    distinct = np.array([len(set(column) - {-1}) for column in table])
    marks = np.full(5, -1)
    for base, own in enumerate(table):
        order = np.argsort(codes[base], kind="stable")
        few = np.ones(len(table), dtype=np.bool_)
        few_pairs(codes, distinct, base, order, factor * distinct[base], marks, few)
        for column, other in enumerate(table):
            pairs = {pair for pair in zip(own, other, strict=True) if -1 not in pair}
            wanted = column != base and distinct[column] <= distinct[base]
            assert few[column] == (wanted and len(pairs) <= factor * distinct[base])
        assert (marks == -1).all()


@given(TABLES, st.floats(0, 20))
def test_groups_with_several_values_are_counted_as_by_hand(
    table: list[list[int]], most: float
) -> None:
    codes = np.array(table, dtype=np.int32)
    order = np.argsort(codes[0], kind="stable")
    _, sizes = np.unique(codes[0], return_counts=True)
    settled = np.zeros(len(table), dtype=np.bool_)
    settled_columns(codes, order, np.cumsum(sizes), sizes, most, settled)
    for column, other in enumerate(table):
        beside = {
            value: {b for a, b in zip(table[0], other, strict=True) if a == value}
            for value in table[0]
        }
        several = sum(len(beside[value]) > 1 for value in table[0])
        assert settled[column] == (several <= most)
