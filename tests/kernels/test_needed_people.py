"""Whom rows need: against trying every way to give rows to people."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indistinct.kernels.needed_people import mark_left_over

GROUPS = 4

sets = st.lists(st.sets(st.integers(0, GROUPS - 1)).map(sorted), min_size=1, max_size=5)


def ways(people: list[list[int]], rows: list[int]) -> list[set[int]]:
    """The people who have a row, in every way to give each row a person of its own who fits."""
    found: list[set[int]] = [set()]
    for row in rows:
        found = [
            {*who, person}
            for who in found
            for person, fits in enumerate(people)
            if row in fits and person not in who
        ]
    return found


@given(sets, st.lists(st.integers(0, 2), min_size=5, max_size=5), st.data())
def test_who_can_be_left_over(
    kinds: list[list[int]], many: list[int], drawn: st.DataObject
) -> None:
    many = many[: len(kinds)]
    size = drawn.draw(st.lists(st.integers(0, 2), min_size=GROUPS, max_size=GROUPS))
    people = [fits for fits, number in zip(kinds, many, strict=True) for _ in range(number)]
    kind_of = np.repeat(np.arange(len(kinds)), many)
    possible = ways(people, [group for group in range(GROUPS) for _ in range(size[group])])
    spare = np.zeros(len(kinds), np.bool_)
    assert mark_left_over(
        np.cumsum([0, *map(len, kinds)]),
        np.array([group for fits in kinds for group in fits], np.int32),
        np.array(many),
        np.array(size),
        spare,
    ) == bool(possible)
    if possible:
        over = {
            int(kind_of[at])
            for who in possible
            for at in range(len(people))
            if at not in who
        }  # fmt: skip
        assert set(np.flatnonzero(spare).tolist()) == over


def test_a_row_that_is_given_first_is_given_to_somebody_else_where_another_needs_it() -> None:
    """Who fits both groups has the row of the first, which is all that the other can have."""
    spare = np.zeros(2, np.bool_)
    indptr, group = np.array([0, 2, 3]), np.array([0, 1, 0], np.int32)
    assert mark_left_over(indptr, group, np.array([1, 1]), np.array([1, 1]), spare)
    assert not spare.any()
