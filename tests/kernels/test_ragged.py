"""Compressed rows are the lists they stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indistinct.kernels.ragged import Counted, Ragged, largest_few, look_up, pointers, weave

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


@given(LISTS, LISTS, st.integers(0, 3))
def test_woven_rows_follow_each_other(
    one: list[list[int]], other: list[list[int]], off: int
) -> None:
    number = max(len(one), len(other))
    parts = [Ragged.of([*own, *[[]] * (number - len(own))]) for own in (one, other)]
    indptr = pointers(parts[0].lengths + parts[1].lengths)
    following, woven = indptr[:-1].copy(), np.full(indptr[-1], -7, np.int32)
    wanted: list[list[int]] = [[] for _ in range(number)]
    for offset, part in zip((0, off), parts, strict=True):
        place = np.full(len(part.value), -7, np.int64)
        weave(part.indptr, part.value, offset, following, woven, place)
        assert woven[place].tolist() == (part.value + offset).tolist()
        for row, own in zip(wanted, as_lists(part), strict=True):
            row += [value + offset for value in own]
    assert as_lists(Ragged(indptr, woven)) == wanted
    assert following.tolist() == indptr[1:].tolist()


@given(LISTS, st.integers(1, 4))
def test_the_largest_few_of_every_row(lists: list[list[int]], number: int) -> None:
    rows = Ragged.of(lists)
    found = np.zeros((len(lists), number), np.int64)
    largest_few(rows.indptr, rows.value.astype(np.int64), found)
    assert found.tolist() == [(sorted(own, reverse=True) + [0] * number)[:number] for own in lists]


@given(st.lists(st.sets(st.integers(0, 9)).map(sorted), min_size=1, max_size=6), st.data())
def test_what_is_looked_up_in_rows_that_rise(lists: list[list[int]], data: st.DataObject) -> None:
    rows = Ragged.of(lists)
    amount = np.arange(100, 100 + len(rows.value))
    asked = data.draw(st.lists(st.tuples(st.integers(0, len(lists) - 1), st.integers(-1, 10))))
    of, wanted = (np.array([pair[at] for pair in asked], np.int64) for at in (0, 1))
    found = np.full(len(asked), -5)
    look_up(rows.indptr, rows.value, of, wanted, amount, found)
    known = {
        (row, value): each
        for row, value, each in zip(rows.row_of.tolist(), rows.value.tolist(), amount, strict=True)
    }
    assert found.tolist() == [known.get(pair, -5) for pair in asked]
    nobody = np.full(1, -5)
    look_up(rows.indptr, rows.value, np.array([-1]), np.array([3]), amount, nobody)
    assert nobody.tolist() == [-5]
