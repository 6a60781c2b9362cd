"""How many people have some cells together, against sets of people."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels.known_cells import have_cells, lay_out, owners_of
from indistinct.kernels.ragged import Ragged

CELLS = 7


def check(seed: int, people: int, most: int, enough: int) -> None:
    """Draws of the cells of people: who has them is the intersection of who has each."""
    random = np.random.default_rng(seed)
    often = random.choice([0.1, 0.5, 0.9], CELLS)
    has = random.random((people, CELLS)) < often
    held = Ragged.of([np.flatnonzero(own).tolist() for own in has])
    begin, owner = owners_of(held.indptr, held.value, CELLS)
    owners = [owner[begin[x] : begin[x + 1]].tolist() for x in range(CELLS)]
    assert owners == [np.flatnonzero(has[:, x]).tolist() for x in range(CELLS)]

    row = random.choice([-1, -1, -1, 0, 1, 2], CELLS).astype(np.int32)
    bits, had = np.zeros((3, -(-people // 64)), np.uint64), np.full(3, 7)
    lay_out(begin, owner, row, bits, had)
    one = np.stack([has[:, row == place].any(axis=1) for place in range(3)])
    assert had.tolist() == one.sum(axis=1).tolist()
    unpacked = np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little")
    assert unpacked[:, :people].tolist() == one.astype(int).tolist()
    having = np.stack([one[row[x]] if row[x] >= 0 else has[:, x] for x in range(CELLS)])

    known = np.full((20, most), -1, np.int32)
    for draw in known:
        own = np.flatnonzero(has[random.integers(people)])
        some = random.permutation(own)[: random.integers(0, most + 1)]
        draw[random.choice(most, len(some), replace=False)] = some
    first = int(random.integers(1, most + 1))
    found = np.full(known.shape, -7)
    budget = 1 << 40
    looked = have_cells(known, people, begin, owner, row, bits, had, first, enough, budget, found)
    assert looked == len(known)
    for draw, counts in zip(known, found, strict=True):
        for j in range(first - 1, most):
            together = np.ones(people, np.bool_)
            for x in draw[: j + 1]:
                together &= having[x] if x >= 0 else True
            assert counts[j] == min(together.sum(), enough)
    assert have_cells(known, people, begin, owner, row, bits, had, first, enough, -1, found) == 1


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_people_who_have_cells(seed: int) -> None:
    random = np.random.default_rng(seed)
    people = int(random.choice([random.integers(1, 5), random.integers(5, 200)]))
    check(seed, people, int(random.integers(1, 6)), int(random.choice([2, 10, 999])))


@pytest.mark.parametrize(("seed", "enough"), [(5, 5), (11, 3_000), (11, 10_000)])
def test_more_people_than_are_looked_at_in_one_block(seed: int, enough: int) -> None:
    check(seed, 8_300, 3, enough)
