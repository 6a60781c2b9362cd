"""Classes by the kernels are the classes by plain NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from indistinct.kernels import grouping
from indistinct.kernels.grouping import DENSE, Scratch, smallest_first


def is_clean(work: Scratch) -> bool:
    """Whether the tables are handed back as they were found."""
    return bool((work.dense == -1).all() and (work.slot_class == -1).all())


def by_numpy(
    columns: list[NDArray[np.int32]], weight: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Class of every row in order of first appearance, and the weight of each class."""
    _, first, inverse = np.unique(
        np.stack(columns, axis=1), axis=0, return_index=True, return_inverse=True
    )
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    class_of = rank[inverse.reshape(-1)]
    size = np.zeros(len(first), np.int64)
    np.add.at(size, class_of, weight)
    return class_of, size


def numbered(
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    cards: tuple[int, int],
    weight: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    work = Scratch.of(len(first))
    work.key[:] = first.astype(np.int64) * cards[1] + second
    groups = grouping.number_keys(cards[0] * cards[1], weight, work)
    assert is_clean(work)
    places = [work.class_of.tolist().index(group) for group in range(groups)]
    assert work.first[:groups].tolist() == places
    return work.class_of, work.size[:groups]


CARDS = st.one_of(
    st.integers(1, 5),
    st.sampled_from([511, 512, 513, DENSE - 1, DENSE, DENSE + 1, 1 << 20, (1 << 31) - 1]),
)


def test_keys_use_all_of_64_bits_but_the_sign() -> None:
    largest = np.iinfo(np.int64).max
    assert largest < 2 * grouping.LARGEST_KEY <= 2 * largest


@settings(max_examples=120)
@given(st.data())
def test_numbers_of_keys(data: st.DataObject) -> None:
    cards = data.draw(st.tuples(CARDS, CARDS))
    rows = data.draw(st.integers(0, 40))
    seed = data.draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    # Values from both ends of the domain, so that keys at the boundary occur.
    columns = []
    for card in cards:
        near = np.minimum(random.integers(0, 3, rows), card - 1)
        columns.append(np.where(random.random(rows) < 0.5, near, card - 1 - near).astype(np.int32))
    weight = random.integers(1, 1 << 40, rows)
    class_of, size = numbered(columns[0], columns[1], cards, weight)
    if rows:
        expected, units = by_numpy(columns, weight)
        assert class_of.tolist() == expected.tolist()
        assert size.tolist() == units.tolist()
    else:
        assert len(size) == 0


@pytest.mark.parametrize("product", [DENSE, DENSE + 512])
def test_numbers_on_both_sides_of_the_plain_table(product: int) -> None:
    cards = product // 512, 512
    random = np.random.default_rng(3)
    columns = [random.integers(0, card, 3000).astype(np.int32) for card in cards]
    columns[0][0], columns[1][0] = cards[0] - 1, cards[1] - 1
    weight = np.ones(3000, np.int64)
    class_of, size = numbered(columns[0], columns[1], cards, weight)
    expected, units = by_numpy(columns, weight)
    assert class_of.tolist() == expected.tolist()
    assert size.tolist() == units.tolist()


def test_numbers_where_all_keys_differ() -> None:
    rows = 5000
    first = np.arange(rows, dtype=np.int32)
    class_of, size = numbered(first, first, (rows, rows), np.ones(rows, np.int64))
    assert class_of.tolist() == list(range(rows))
    assert size.tolist() == [1] * rows


@settings(max_examples=100)
@given(st.data())
def test_group_with_products_beyond_64_bits(data: st.DataObject) -> None:
    rows = data.draw(st.integers(1, 60))
    attributes = data.draw(st.integers(1, 9))
    cards = np.array(
        data.draw(
            st.lists(
                st.sampled_from([1, 2, 3, 700, 1 << 16, 1 << 30, (1 << 31) - 1]),
                min_size=attributes,
                max_size=attributes,
            )
        ),
        dtype=np.int64,
    )
    random = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    columns = np.empty((attributes, rows), np.int32)
    for j, card in enumerate(cards):
        near = np.minimum(random.integers(0, 2, rows), card - 1)
        columns[j] = np.where(random.random(rows) < 0.7, near, card - 1 - near)
    weight = random.integers(1, 1 << 40, rows)
    some = np.flatnonzero(random.random(rows) < 0.8).astype(np.int32)
    which = random.permutation(attributes)
    work = Scratch.of(rows)
    groups = grouping.group(
        columns,
        np.arange(attributes)[:, None],
        cards[:, None],
        which,
        np.zeros(attributes, np.int64),
        some,
        weight[some],
        work,
    )
    assert is_clean(work)
    most = min(math.prod(cards.tolist()), grouping.LARGEST_KEY)
    assert ((work.key[: len(some)] >= 0) & (work.key[: len(some)] < most)).all()
    if len(some):
        assert work.first[:groups].tolist() == [
            some[work.class_of[: len(some)].tolist().index(group)] for group in range(groups)
        ]
        expected, units = by_numpy([columns[j][some] for j in which], weight[some])
        assert work.class_of[: len(some)].tolist() == expected.tolist()
        assert work.size[:groups].tolist() == units.tolist()
    else:
        assert groups == 0


@settings(max_examples=60)
@given(st.integers(0, 30), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_what_is_dropped(rows: int, groups: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    class_of = random.integers(0, groups, rows).astype(np.int32)
    weight = random.integers(1, 9, rows)
    dropped = random.random(rows) < 0.3
    broken = random.random(groups) < 0.5
    size = np.empty(groups, np.int64)

    grouping.class_sizes(class_of, weight, dropped, size)
    kept = [int(weight[(class_of == group) & ~dropped].sum()) for group in range(groups)]
    assert size.tolist() == kept
    newly = broken[class_of] & ~dropped
    expected = dropped | broken[class_of]
    assert grouping.mark_rows(class_of, broken, weight, dropped) == weight[newly].sum()
    assert dropped.tolist() == expected.tolist()


@settings(max_examples=100)
@given(st.integers(1, 60), st.sampled_from([1, 3, 600, 1 << 20]), st.integers(0, 2**32 - 1))
def test_group_pairs(rows: int, codes: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    halves = [random.integers(0, 8, rows).astype(np.int32) for _ in range(2)]
    parts = [random.integers(0, codes, 8).astype(np.int32) for _ in range(2)]
    weight = random.integers(1, 9, rows)
    some = np.sort(random.permutation(3 * rows)[:rows]).astype(np.int32)
    work = Scratch.of(rows)
    groups = grouping.group_pairs(
        halves[0],
        parts[0],
        halves[1],
        parts[1],
        codes,
        codes * codes,
        some,
        weight,
        work,
    )
    assert is_clean(work)
    assert ((work.key >= 0) & (work.key < codes * codes)).all()
    expected, units = by_numpy([parts[0][halves[0]], parts[1][halves[1]]], weight)
    assert work.class_of.tolist() == expected.tolist()
    assert work.size[:groups].tolist() == units.tolist()
    places = [work.class_of.tolist().index(group) for group in range(groups)]
    assert work.first[:groups].tolist() == some[places].tolist()


@settings(max_examples=60)
@given(st.integers(0, 9), st.integers(0, 2**32 - 1))
def test_divide(groups: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    size = random.integers(1, 9, groups)
    first = random.integers(0, 99, groups).astype(np.int32)
    broken = random.random(groups) < 0.5
    rows, units, kept = np.empty(10, np.int32), np.empty(10, np.int64), np.empty(10, np.int64)
    lost, total = grouping.divide(size, first, broken, rows, units, kept)
    assert rows[:lost].tolist() == first[broken].tolist()
    assert units[:lost].tolist() == size[broken].tolist()
    assert kept[: groups - lost].tolist() == size[~broken].tolist()
    assert total == size[broken].sum()


@settings(max_examples=60)
@given(st.integers(1, 30), st.integers(1, 6), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_histogram(rows: int, groups: int, domain: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    class_of = random.integers(0, groups, rows).astype(np.int32)
    dropped = random.random(rows) < 0.3
    length = random.integers(0, 4, rows)
    indptr = np.concatenate([[0], np.cumsum(length)])
    value = random.integers(0, domain, indptr[-1]).astype(np.int32)
    count = random.integers(1, 9, indptr[-1])
    cells = np.full((groups, domain), -7, np.int64)
    grouping.histogram(class_of, dropped, indptr, value, count, cells)
    expected = np.zeros((groups, domain), np.int64)
    for row in range(rows):
        if not dropped[row]:
            for at in range(indptr[row], indptr[row + 1]):
                expected[class_of[row], value[at]] += count[at]
    assert cells.tolist() == expected.tolist()


def test_a_table_of_slots_much_larger_than_its_rows() -> None:
    """Only as much of it is used as the rows need, and all of it is handed back."""
    work = Scratch.of(100_000)
    groups = grouping.group(
        np.array([[5, 1 << 30, 5, 7]], np.int32),
        np.zeros((1, 1), np.int64),
        np.array([[(1 << 31) - 1]]),
        np.array([0]),
        np.array([0]),
        np.arange(4, dtype=np.int32),
        np.ones(4, np.int64),
        work,
    )
    assert groups == 3
    assert work.class_of[:4].tolist() == [0, 1, 0, 2]
    assert is_clean(work)


@given(
    st.lists(st.integers(0, 12), max_size=30),
    st.lists(st.integers(1, 14), min_size=1, max_size=5),
)
def test_smallest_first(sizes: list[int], ks: list[int]) -> None:
    ks = sorted(ks)
    size = np.array(sizes, np.int64)
    first = np.arange(100, 100 + len(size), dtype=np.int32)
    bucket_of = np.searchsorted(np.array(ks), np.arange(ks[-1] + 1), side="right")
    bucket_of[0] = len(ks)
    rows, units = np.empty(len(size), np.int32), np.empty(len(size), np.int64)
    ends, lost = np.empty(len(ks), np.int64), np.empty(len(ks), np.int64)
    smallest_first(size, first, bucket_of, rows, units, ends, lost)
    for k, end, total in zip(ks, ends.tolist(), lost.tolist(), strict=True):
        small = np.flatnonzero((size < k) & (size > 0))
        assert sorted(rows[:end].tolist()) == (small + 100).tolist()
        assert units[:end].tolist() == size[rows[:end] - 100].tolist()
        assert total == size[small].sum()


@settings(max_examples=60)
@given(st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=20))
def test_equal_lists_have_one_number(rows: list[list[int]]) -> None:
    indptr = np.cumsum([0, *map(len, rows)])
    value = np.array([v for row in rows for v in row], np.int32)
    of = np.empty(len(rows), np.int32)
    first = grouping.number_lists(indptr, value, of)
    seen = list(dict.fromkeys(map(tuple, rows)))
    assert of.tolist() == [seen.index(tuple(row)) for row in rows]
    assert first.tolist() == [list(map(tuple, rows)).index(own) for own in seen]
