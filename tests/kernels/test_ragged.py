"""Compressed rows are the lists they stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indistinct.kernels.ragged import Counted, Ragged, pointers

LISTS = st.lists(st.lists(st.integers(0, 6), max_size=5), max_size=7)


def as_lists(rows: Ragged) -> list[list[int]]:
    return [rows[at].tolist() for at in range(len(rows))]


@given(LISTS)
def test_rows_are_the_lists_given(lists: list[list[int]]) -> None:
    rows = Ragged.of(lists)
    assert as_lists(rows) == lists
    assert rows.lengths.tolist() == [len(own) for own in lists]
    assert rows.row_of.tolist() == [at for at, own in enumerate(lists) for _ in own]
    assert rows.indptr.tolist() == pointers([len(own) for own in lists]).tolist()
    assert (rows.indptr.dtype, rows.value.dtype) == (np.int64, np.int32)


@given(LISTS)
def test_rows_by_owner(lists: list[list[int]]) -> None:
    owner = np.array([at for at, own in enumerate(lists) for _ in own], dtype=np.int32)
    value = np.array([one for own in lists for one in own], dtype=np.int64)
    assert as_lists(Ragged.by_owner(owner, value, len(lists))) == lists
    different = Ragged.distinct(owner[::-1], value[::-1], len(lists), 7)
    assert as_lists(different) == [sorted(set(own)) for own in lists]


@dataclass(frozen=True, eq=False)
class Named(Counted):
    """Counted rows with something that no entry has."""

    entries: ClassVar[tuple[str, ...]] = ("value", "count")
    name: str = "named"


@given(LISTS, st.data())
def test_selected_rows_keep_what_is_said_of_their_entries(
    lists: list[list[int]], data: st.DataObject
) -> None:
    plain = Ragged.of(lists)
    rows = Named(plain.indptr, plain.value, plain.value + np.int64(10), "ages")
    places = st.lists(st.integers(0, len(lists) - 1), max_size=9) if lists else st.just([])
    chosen = data.draw(places)
    some = rows.select(np.array(chosen, dtype=np.int64))
    assert as_lists(some) == [lists[at] for at in chosen]
    assert some.count.tolist() == [one + 10 for at in chosen for one in lists[at]]
    assert (type(some), some.name) == (Named, "ages")


@given(LISTS)
def test_sums_and_counts(lists: list[list[int]]) -> None:
    plain = Ragged.of(lists)
    assert plain.sums(plain.value).tolist() == [sum(own) for own in lists]
    halves = plain.sums(plain.value / 2)
    assert halves.dtype == np.float64
    assert halves.tolist() == [sum(own) / 2 for own in lists]
    rows = Counted(plain.indptr, plain.value, np.full(len(plain.value), 2))
    assert rows.dense(7).tolist() == [[2 * own.count(v) for v in range(7)] for own in lists]
