"""Codes, leaves and tallies of every level are those of the hierarchies."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from tests.properties import brute_force
from tests.properties.brute_force import Case


@settings(max_examples=80)
@given(brute_force.cases())
def test_every_level(case: Case) -> None:
    table = brute_force.microdata(case)
    data, combination_of = table.data, table.combination_of
    for j, name in enumerate(case.names):
        full = case.full(j)
        assert data.domain[j] == len(full)
        assert data.heights[j] == len(full[0]) - 1
        for level in range(len(full[0])):
            column = data.columns[data.row_of[j, level]][combination_of]
            labels = data.compiled[j].labels[level]
            expected = [full[case.leaf(row, j)][level] for row in range(len(case.rows))]
            assert [labels[code] for code in column] == expected
            assert data.card[j, level] == len(labels) == len({chain[level] for chain in full})
            units: Counter[str | None] = Counter()
            for label, weight in zip(expected, case.weights, strict=True):
                units[label] += weight
            for code, label in enumerate(labels):
                under = len(full) if label == "*" else sum(label in chain for chain in full)
                assert data.leaves[j][level][code] == under
                assert data.tallies[j][level][code] == units[label]
        assert data.taxonomies[name].height == data.heights[j]


@settings(max_examples=40)
@given(brute_force.cases())
def test_some_of_the_combinations(case: Case) -> None:
    data = brute_force.leveled(case)
    rows = np.arange(data.table.combinations, dtype=np.int32)[::2]
    part = data.restricted(rows)
    assert part.table.weight.tolist() == data.weight[rows].tolist()
    assert part.columns.tolist() == data.columns[:, rows].tolist()
    whole, some = data.table.sensitive["s"], part.table.sensitive["s"]
    for at, row in enumerate(rows):
        own = slice(whole.indptr[row], whole.indptr[row + 1])
        new = slice(some.indptr[at], some.indptr[at + 1])
        assert some.value[new].tolist() == whole.value[own].tolist()
        assert some.count[new].tolist() == whole.count[own].tolist()
    assert data.which([0] * len(case.names)).tolist() == data.row_of[:, 0].tolist()
