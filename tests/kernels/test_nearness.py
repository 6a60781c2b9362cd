"""Which record is likeliest a person's, against the densities of what moved the values."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels.nearness import LAPLACE, NORMAL, UNIFORM, link_nearest
from indistinct.kernels.ragged import Ragged

SETS = Ragged.of([[0], [1, 2], [0, 1, 3], []])
"""Classes in which people may be; the first record of each class, and the end."""
FIRST = np.array([0, 2, 4, 4, 7])
GONE = math.nan


def density(kind: int, away: float) -> float:
    """How likely a number is moved so far, by its spread, but for a constant."""
    if kind == NORMAL:
        return math.exp(-away * away / 2)
    if kind == LAPLACE:
        return math.exp(-away)
    return float(away <= 1)


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1))
def test_the_likeliest_record_of_the_classes_of_a_person(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, records, columns = 6, int(FIRST[-1]), int(random.integers(1, 4))
    numbers = [0.0, 0.5, 1.0, 2.0, GONE]
    own = random.choice(numbers, (columns, n), p=[0.25, 0.25, 0.2, 0.2, 0.1])
    shown = random.choice(numbers, (columns, records), p=[0.25, 0.25, 0.2, 0.2, 0.1])
    spread = random.choice([0.5, 1.0, 2.0], (columns, n))
    kind = random.integers(0, 3, columns)
    drawn = np.log(random.choice([0.25, 1.0], (columns, records)))
    same = np.log(random.choice([1.0, 4.0], (columns, records)))
    set_of = random.integers(-1, 4, n).astype(np.int32)
    people = random.permutation(n)[: random.integers(1, n + 1)]

    def likely(person: int, record: int) -> float:
        found = 1.0
        for c in range(columns):
            x, y = own[c, person], shown[c, record]
            if math.isnan(x) and math.isnan(y):
                continue
            if math.isnan(x) or math.isnan(y):
                return 0.0
            as_it_was = math.exp(same[c, record])
            moved = density(kind[c], abs(x - y) / spread[c, person])
            found *= math.exp(drawn[c, record]) * (as_it_was if x == y else moved)
        return found

    wanted = []
    for person in people.tolist():
        classes = SETS[set_of[person]].tolist() if set_of[person] >= 0 else []
        within = itertools.chain(*(range(FIRST[g], FIRST[g + 1]) for g in classes))
        chances = [likely(person, record) for record in within]
        wanted.append(max(chances) / sum(chances) if any(chances) else 0.0)
    found = np.full(len(people), 7.0)
    classes = (set_of, SETS.indptr, SETS.value, FIRST)
    link_nearest(people, classes, own, shown, spread, kind, drawn, same, found)
    assert found == pytest.approx(wanted)


def test_what_is_ever_so_unlikely_is_told_apart() -> None:
    """Far beyond what numbers near 0 can say: it counts against the others alone."""
    own, shown = np.array([[0.0]]), np.array([[100.0, 101.0]])
    nothing, found = np.zeros((1, 2)), np.zeros(1)
    classes = (np.zeros(1, np.int32), np.array([0, 1]), np.zeros(1, np.int32), np.array([0, 2]))
    spread, kind = np.array([[1.0]]), np.array([LAPLACE])
    link_nearest(np.array([0]), classes, own, shown, spread, kind, nothing, nothing, found)
    assert found == pytest.approx([1 / (1 + math.exp(-1))])
    kind[:] = UNIFORM
    link_nearest(np.array([0]), classes, own, shown, spread, kind, nothing, nothing, found)
    assert found.tolist() == [0.0]
