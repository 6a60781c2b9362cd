"""Nodes are numbered, bounded and put in order."""

from __future__ import annotations

import numpy as np
import pytest

from indistinct.errors import PolicyError
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.recoding.lattice import Lattice


@pytest.fixture
def table() -> LeveledTable:
    import polars as pl

    taxonomies = {
        "a": Taxonomy("a", [("1", "x", "*"), ("2", "x", "*")]),
        "b": Taxonomy("b", [("1", "*"), ("2", "*")]),
    }
    return Microdata.encode(pl.DataFrame({"a": ["1", "2"], "b": ["1", "2"]}), taxonomies).data


def test_nodes_are_numbered_with_the_last_attribute_fastest(table: LeveledTable) -> None:
    lattice = Lattice.of(table)
    assert lattice.size == 6
    assert lattice.levels.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]
    assert [lattice.node(levels) for levels in lattice.levels] == list(range(6))
    assert lattice.height.tolist() == [0, 1, 1, 2, 2, 3]
    assert lattice.below.tolist() == [1, 2, 2, 4, 3, 6]
    assert [lattice.finer(node) for node in range(6)] == [[], [0], [0], [1, 2], [2], [3, 4]]
    assert [nodes.tolist() for nodes in lattice.strata(lattice.height)] == [
        [0],
        [1, 2],
        [3, 4],
        [5],
    ]


def test_level_bounds(table: LeveledTable) -> None:
    lattice = Lattice.of(table, {"a": 1}, {"a": 1})
    assert lattice.levels.tolist() == [[1, 0], [1, 1]]
    assert lattice.node([1, 1]) == 1
    assert lattice.below.tolist() == [1, 2]
    assert [lattice.finer(node) for node in range(2)] == [[], [0]]


def test_bounds_that_a_hierarchy_does_not_have(table: LeveledTable) -> None:
    with pytest.raises(PolicyError) as caught:
        Lattice.of(table, {"a": 3, "b": 1}, {"b": 0})
    assert caught.value.exit_code == 2
    assert [problem.attribute for problem in caught.value.problems] == ["a", "b"]
    assert "levels 3 to 2 are not within 0 to 2" in str(caught.value)
    assert "levels 1 to 0 are not within 0 to 1" in str(caught.value)
    with pytest.raises(PolicyError, match="levels -1 to 2"):
        Lattice.of(table, {"a": -1})
    with pytest.raises(PolicyError, match="levels 0 to 9"):
        Lattice.of(table, None, {"a": 9})
    with pytest.raises(PolicyError, match="levels 0 to 10"):
        Lattice.of(table, None, {"a": 10**20})


def test_a_size_beyond_64_bits_is_exact() -> None:
    lattice = Lattice(np.zeros(80, np.int64), np.full(80, 4))
    assert lattice.size == 5**80
