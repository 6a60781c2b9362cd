"""What releases of whole sets say together, against all pairs of sets written out."""

from __future__ import annotations

import numpy as np

from indistinct.analytics.weighted import Rows, Weighted, compressed
from indistinct.kernels.candidate_sets import compose_sets


def drawn(random: np.random.Generator, rows: int, below: int) -> Rows:
    """Rows of different numbers, rising, some of none."""
    return compressed(
        [
            np.sort(random.choice(below, random.integers(0, below), replace=False))
            for _ in range(rows)
        ]
    )


def test_value_of_a_person_that_most_of_the_common_sets_hold() -> None:
    for seed in range(30):
        random = np.random.default_rng(seed)
        people, sets, values = 12, 6, 5
        sides = [drawn(random, 4, sets) for _ in range(2)]
        one, two = (Weighted(own.indptr, own.index, random.random(len(own.index))) for own in sides)
        members, own = drawn(random, sets, values), drawn(random, people, values)
        crowds = random.integers(0, 4, (2, people)).astype(np.int32)
        weight, most = np.zeros(values), np.full(people, 9.0)
        compose_sets(
            crowds[0], crowds[1], one.indptr, one.index, one.amount,
            two.indptr, two.index, two.amount, members.indptr, members.index,
            own.indptr, own.index, weight, most,
        )  # fmt: skip
        asked = [
            max(
                (
                    sum(
                        one.dense(sets)[crowds[0][p], s] * two.dense(sets)[crowds[1][p], s]
                        for s in range(sets)
                        if value in members[s]
                    )
                    for value in own[p]
                ),
                default=0.0,
            )
            for p in range(people)
        ]
        assert np.allclose(most, asked, atol=1e-15)
        assert not weight.any()
