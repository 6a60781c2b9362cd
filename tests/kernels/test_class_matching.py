"""Which classes a combination meets, and what crowds of classes hold together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels.class_matching import add_beliefs, count_hits, meet, pool
from indistinct.kernels.ragged import Ragged


def packed(cover: np.ndarray) -> np.ndarray:
    """[D, G] booleans as words of bits."""
    wide = np.pad(cover, ((0, 0), (0, -cover.shape[1] % 64)))
    return np.packbits(wide, axis=1, bitorder="little").view(np.uint64)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    attributes=st.integers(1, 5),
    classes=st.sampled_from([1, 3, 63, 64, 65, 130]),
    rows=st.integers(1, 12),
    share=st.sampled_from([0.2, 0.6, 0.95, 1.0]),
)
def test_the_classes_met_are_those_whose_cells_all_cover(
    seed: int, attributes: int, classes: int, rows: int, share: float
) -> None:
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 5, attributes)
    covers = [random.random((size, classes)) < share for size in sizes]
    codes = np.stack([random.integers(-1, size, rows) for size in sizes], axis=1)
    codes = codes[np.lexsort(codes.T[::-1])].astype(np.int32)
    want = [
        [
            7 + g
            for g in range(classes)
            if all(code >= 0 and covers[j][code, g] for j, code in enumerate(row))
        ]
        for row in codes
    ]
    start = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    bits = np.concatenate([packed(cover) for cover in covers])
    layer = np.empty((attributes + 1, bits.shape[1]), np.uint64)
    count, place = np.zeros(rows, np.int64), np.empty(layer.shape, np.int32)
    meet(codes, bits, start, 7, count, np.zeros(0, np.int32), place, layer, False)
    assert count.tolist() == [len(own) for own in want]
    met = np.empty(count.sum(), np.int32)
    meet(codes, bits, start, 7, np.cumsum(count) - count, met, place, layer, True)
    assert met.tolist() == [g for own in want for g in own]


@pytest.mark.parametrize("seed", range(5))
def test_crowds_pool_the_counts_of_their_classes(seed: int) -> None:
    random = np.random.default_rng(seed)
    dense = random.integers(0, 3, (6, 4))
    row, value = np.nonzero(dense)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=6))]).astype(np.int64)
    members = [[0], [1, 2], [], [0, 3, 5], [4]]
    crowd_indptr = np.concatenate([[0], np.cumsum([len(own) for own in members])]).astype(np.int64)
    crowd_class = np.array([g for own in members for g in own], np.int32)
    made = np.zeros(6, np.int64)
    held = (crowd_indptr, crowd_class, indptr, value.astype(np.int32), dense[row, value])
    none = (np.zeros(0, np.int32), np.zeros(0, np.int64))
    there = np.zeros(4, np.bool_)
    scratch = (np.empty(4, np.int64), there, np.empty(4, np.int32))
    pool(*held, *scratch, made, *none, False)
    values, counts = np.empty(made[-1], np.int32), np.empty(made[-1], np.int64)
    pool(*held, *scratch, made, values, counts, True)
    assert not there.any()
    for q, own in enumerate(members):
        found = np.zeros(4, np.int64)
        found[values[made[q] : made[q + 1]]] = counts[made[q] : made[q + 1]]
        assert found.tolist() == dense[own].sum(axis=0).tolist()


def test_a_value_without_an_amount_is_pooled_once() -> None:
    """It is listed by every class of the crowd, with nothing in some of them, or in all."""
    classes, domain = 8, 2
    indptr = np.arange(0, 2 * classes + 1, 2, dtype=np.int64)
    value = np.tile(np.arange(domain, dtype=np.int32), classes)
    amount = np.zeros(2 * classes)
    amount[-1] = 0.5
    crowd = (np.array([0, classes], np.int64), np.arange(classes, dtype=np.int32))
    # Longer than the domain, so that what is written behind it is seen.
    seen = np.full(domain + classes, -7, np.int32)
    scratch = (np.empty(domain), np.zeros(domain, np.bool_), seen)
    made, values, counts = np.zeros(2, np.int64), np.empty(2, np.int32), np.empty(2)
    pool(*crowd, indptr, value, amount, *scratch, made, values, counts, False)
    assert made.tolist() == [0, domain]
    pool(*crowd, indptr, value, amount, *scratch, made, values, counts, True)
    assert values.tolist() == [0, 1]
    assert counts.tolist() == [0.0, 0.5]
    assert (seen[domain:] == -7).all()


@given(st.integers(0, 2**32))
def test_beliefs_in_the_values_of_combinations_are_added_up(seed: int) -> None:
    """Class by class, the belief in a value times the class's size."""
    random = np.random.default_rng(seed)
    combinations, classes, values = 5, 4, 3
    met = [np.sort(random.permutation(classes)[: random.integers(0, classes)]) for _ in range(5)]
    indptr = np.append(0, np.cumsum([len(one) for one in met])).astype(np.int64)
    code = random.integers(0, values, combinations).astype(np.int32)
    size, even = random.integers(1, 9, classes), random.random(classes)
    cell = random.integers(0, 2, classes).astype(np.int32)
    group = random.integers(0, 2, (2, values)).astype(np.int32)
    row, belief = random.integers(-1, 3, classes), random.random((3, 2))
    total = np.ones(combinations)
    listed = np.concatenate(met).astype(np.int32)
    add_beliefs(indptr, listed, code, size, even, cell, group, row, belief, total)
    expected = [
        1
        + sum(
            size[g] * (even[g] if row[g] < 0 else belief[row[g], group[cell[g], code[c]]])
            for g in met[c]
        )
        for c in range(combinations)
    ]
    assert total == pytest.approx(expected)


@settings(max_examples=80)
@given(st.integers(0, 2**32 - 1))
def test_hits_are_the_people_of_a_class_who_have_a_value_that_it_lists(seed: int) -> None:
    random = np.random.default_rng(seed)
    listed = [sorted(random.choice(6, random.integers(0, 4), replace=False)) for _ in range(4)]
    sets = [sorted(random.choice(4, random.integers(1, 4), replace=False)) for _ in range(3)]
    set_of = random.integers(0, 3, 9).astype(np.int32)
    truth = random.integers(0, 6, 9).astype(np.int32)
    classes, held = Ragged.of(sets), Ragged.of(listed)
    count = np.zeros(len(held.value), np.int64)
    last = np.full(len(held.value), -1, np.int64)
    count_hits(set_of, classes.indptr, classes.value, truth, held.indptr, held.value, count, last)
    for g, values in enumerate(listed):
        for at, value in enumerate(values, held.indptr[g]):
            own = [i for i in range(9) if g in sets[set_of[i]] and truth[i] == value]
            assert count[at] == len(own)
            assert last[at] == (own[-1] if own else -1)
