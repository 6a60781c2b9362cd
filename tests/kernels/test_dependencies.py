from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indistinct.kernels.dependencies import few_pairs

TABLES = st.integers(1, 30).flatmap(
    lambda rows: st.lists(
        st.lists(st.integers(-1, 4), min_size=rows, max_size=rows), min_size=2, max_size=5
    )
)


@given(TABLES, st.floats(0.5, 3))
def test_few_pairs_are_counted_as_by_hand(table: list[list[int]], factor: float) -> None:
    codes = np.array(table, dtype=np.int32)
    distinct = np.array([len(set(column) - {-1}) for column in table])
    marks, few = np.full(5, -1), np.zeros(len(table), dtype=np.bool_)
    for base, own in enumerate(table):
        order = np.argsort(codes[base], kind="stable")
        few_pairs(codes, distinct, base, order, factor * distinct[base], marks, few)
        for column, other in enumerate(table):
            pairs = {pair for pair in zip(own, other, strict=True) if -1 not in pair}
            wanted = column != base and distinct[column] <= distinct[base]
            assert few[column] == (wanted and len(pairs) <= factor * distinct[base])
        assert (marks == -1).all()
