"""The best groups of numbers, against all ways to cut them into runs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels.microaggregation import shortest_path
from indistinct.kernels.numbers import least_lost

NUMBERS = st.lists(st.integers(0, 9), max_size=9).map(sorted)


def runs(n: int, k: int) -> Iterator[list[slice]]:
    """All ways to cut n places into runs of at least k."""
    if n == 0:
        yield []
    for first in range(k, n + 1):
        for rest in runs(n - first, k):
            yield [slice(0, first), *(slice(one.start + first, one.stop + first) for one in rest)]


@settings(max_examples=80)
@given(NUMBERS.filter(bool), st.integers(1, 4))
def test_groups_have_the_least_squared_distances(numbers: list[int], k: int) -> None:
    k, held = min(k, len(numbers)), np.array(numbers, dtype=float)
    before = np.full(len(held) + 1, 7)
    shortest_path(held, k, before)
    ends = [len(held)]
    while ends[-1] > 0:
        ends.append(int(before[ends[-1]]))
    found = [slice(first, end) for end, first in itertools.pairwise(ends)]

    def cost(ways: list[slice]) -> float:
        return sum(float(((held[run] - held[run].mean()) ** 2).sum()) for run in ways)

    assert all(k <= run.stop - run.start < 2 * k for run in found)
    assert cost(found) == pytest.approx(min(map(cost, runs(len(held), k))))
    assert (before[:k] == -1).all()


@settings(max_examples=80)
@given(st.lists(NUMBERS, min_size=1, max_size=3), st.integers(1, 4))
def test_the_least_is_lost_until_k_are_alike(classes: list[list[int]], k: int) -> None:
    numbers = np.array([one for own in classes for one in own], np.int64)
    ends = np.cumsum([0, *map(len, classes)])
    before = numbers.copy()
    found = least_lost(numbers, ends, k)
    assert (numbers == before).all()
    for (start, end), own in zip(itertools.pairwise(ends), classes, strict=True):
        made = found[start:end].tolist()
        if len(own) < k:
            assert made == own
            continue
        assert all(new <= old for new, old in zip(made, own, strict=True))
        assert all(made.count(one) >= k for one in made)
        lost = [
            sum(sum(own[run]) - len(own[run]) * own[run.start] for run in ways)
            for ways in runs(len(own), k)
        ]
        assert sum(own) - sum(made) == min(lost)
