"""What the members of a class span, against the members looked at one by one."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels.cells import agreements, masks, people_under, spans

SEEDS = st.integers(0, 2**32 - 1)
GROUPS = 4


def classes(random: np.random.Generator, rows: int) -> np.ndarray:
    """The class of each row, some of none, and perhaps classes without rows."""
    return random.integers(-1, GROUPS, rows).astype(np.int32)


@settings(max_examples=40)
@given(SEEDS, st.integers(0, 12))
def test_spans(seed: int, rows: int) -> None:
    random = np.random.default_rng(seed)
    class_of, rank = classes(random, rows), random.integers(-3, 5, rows).astype(np.int32)
    low, high = np.full((2, GROUPS), 7, np.int32)
    flags = np.full(GROUPS, 7, np.uint8)
    spans(class_of, rank, low, high, flags)
    for group in range(GROUPS):
        own = rank[class_of == group].tolist()
        ranks = [one for one in own if one >= 0]
        assert low[group] == min(ranks, default=np.iinfo(np.int32).max)
        assert high[group] == max(ranks, default=-1)
        assert flags[group] == (-1 in own) + 2 * any(one < -1 for one in own)


@settings(max_examples=40)
@given(SEEDS, st.integers(0, 12))
def test_masks(seed: int, rows: int) -> None:
    random = np.random.default_rng(seed)
    class_of, rank = classes(random, rows), random.integers(0, 64, rows).astype(np.int32)
    found = np.full(GROUPS, 7, np.uint64)
    masks(class_of, rank, found)
    for group in range(GROUPS):
        assert int(found[group]) == sum(1 << one for one in set(rank[class_of == group].tolist()))


@settings(max_examples=60)
@given(SEEDS, st.integers(0, 8))
def test_agreements(seed: int, rows: int) -> None:
    random = np.random.default_rng(seed)
    class_of, leaf = classes(random, rows), random.integers(0, 16, rows).astype(np.int32)
    code = np.array([np.arange(16) >> level for level in range(4)], np.int32)
    first, level = np.full((2, GROUPS), 7, np.int32)
    agreements(class_of, leaf, code, first, level)
    for group in range(GROUPS):
        own = leaf[class_of == group].tolist()
        assert first[group] == (own[0] if own else -1)
        same = [at for at in range(4) if len(set(code[at, own])) < 2]
        assert level[group] == min(same, default=4)


@settings(max_examples=40)
@given(SEEDS, st.integers(1, 3))
def test_people_under(seed: int, attributes: int) -> None:
    random = np.random.default_rng(seed)
    domain = random.integers(1, 4, attributes)
    covers = [random.random((3, leaves)) < 0.6 for leaves in domain]
    cell_of = random.integers(0, 3, (GROUPS, attributes)).astype(np.int32)
    codes = np.array(list(itertools.product(*map(range, domain))), np.int32)
    people = random.integers(1, 9, len(codes))
    found, reached = np.full(GROUPS, 7, np.int64), np.ones(len(codes), np.bool_)
    start = np.concatenate([[0], np.cumsum(3 * domain)[:-1]])
    flat = np.concatenate([cover.ravel() for cover in covers])
    people_under(cell_of, flat, start, domain, codes, people, found, reached)
    under = np.array(
        [
            [all(covers[j][own[j], row[j]] for j in range(attributes)) for row in codes]
            for own in cell_of
        ]
    )
    assert found.tolist() == (under * people).sum(axis=1).tolist()
    assert reached.tolist() == under.any(axis=0).tolist()
