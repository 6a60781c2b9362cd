"""Which columns are compared for texts within texts: none is passed over that has some."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from indistinct.analytics.leakage.derivations import FEW, INSIDE, _columns, _could_stand_in

TEXTS = st.one_of(st.none(), st.text("abéÄ", min_size=1, max_size=3))


@given(
    st.lists(st.lists(TEXTS, min_size=FEW, max_size=FEW + 3), min_size=2, max_size=2),
    st.lists(st.booleans(), min_size=FEW + 3, max_size=FEW + 3),
)
def test_texts_that_stand_in_others_are_looked_at(
    table: list[list[str | None]], within: list[bool]
) -> None:
    rows = min(map(len, table))
    part = table[1][:rows]
    whole = [
        None if one is None else f"{one}{other or ''}zz" if own else one
        for one, other, own in zip(table[0][:rows], part, within[:rows], strict=True)
    ]
    texts = pl.DataFrame({"whole": whole, "part": part}).cast(pl.String)
    columns = _columns(texts, {}, np.ones(rows, np.int64))
    lowered = [column.texts.str.to_lowercase() for column in columns]
    found = set(_could_stand_in(columns, lowered))
    known = [pair for pair in zip(*(t.to_list() for t in lowered), strict=True) if None not in pair]
    some = known[:FEW]
    lengths = [[len(text) for text in own if text is not None] for own in (whole, part)]
    if not all(lengths):
        return
    means = [sum(own) / len(own) for own in lengths]
    if not 2 <= means[1] < means[0] or columns[1].distinct > columns[0].distinct:
        assert (0, 1) not in found
    elif sum(short in long for long, short in some) / FEW >= INSIDE / 2:
        assert (0, 1) in found
