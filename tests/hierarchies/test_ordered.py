from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import PolicyError
from indistinct.hierarchies import ordered_taxonomy


def test_runs_of_two_until_two_are_left() -> None:
    taxonomy = ordered_taxonomy("x", ["a", "b", "c", "d", "e"])
    assert taxonomy.level(1) == ("a..b", "a..b", "c..d", "c..d", "e")
    assert taxonomy.level(2) == ("a..d", "a..d", "a..d", "a..d", "e")
    assert taxonomy.level(3) == ("*",) * 5
    assert taxonomy.height == 3


def test_longer_runs_and_given_levels() -> None:
    assert ordered_taxonomy("x", list("abcdef"), run=3).compile().card.tolist() == [6, 2, 1]
    assert ordered_taxonomy("x", list("abcdef"), levels=1).compile().card.tolist() == [6, 3, 1]
    assert ordered_taxonomy("x", ["a"], levels=2).rows() == [("a", "a", "a", "*")]
    assert ordered_taxonomy("x", ["a", "b"]).rows() == [("a", "*"), ("b", "*")]


def test_given_runs_with_and_without_names() -> None:
    taxonomy = ordered_taxonomy("x", runs=[["a", "b"], ["c"]])
    assert taxonomy.rows() == [("a", "a..b", "*"), ("b", "a..b", "*"), ("c", "c", "*")]
    named = ordered_taxonomy(
        "x", ["a", "b", "c", "d"], runs={"low": ["a"], "mid": ["b", "c"], "high": ["d"]}, run=2
    )
    assert named.level(1) == ("low", "mid", "mid", "high")
    assert named.level(2) == ("low..mid", "low..mid", "low..mid", "high")


def test_numbers_and_booleans_have_their_canonical_text() -> None:
    values = [1, 2.0, 2.5, True, date(2024, 1, 31)]
    assert ordered_taxonomy("x", values).leaves == ("1", "2", "2.5", "true", "2024-01-31")


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"values": []},
        {"values": ["a", "a"]},
        {"values": ["a", ["b"]]},
        {"values": ["a", "*"]},
        {"values": "ab"},
        {"values": ["a"], "run": 1},
        {"values": ["a"], "levels": 0},
        {"values": ["a", "b"], "runs": [["b", "a"]]},
        {"values": ["a", "b"], "runs": [["a"]]},
        {"runs": [["a"], []]},
        {"runs": "ab"},
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any]) -> None:
    with pytest.raises(PolicyError):
        ordered_taxonomy("x", **settings)


@given(st.integers(1, 40), st.integers(2, 5))
def test_runs_are_neighbours(count: int, run: int) -> None:
    values = [f"v{n}" for n in range(count)]
    taxonomy = ordered_taxonomy("x", values, run=run)
    assert list(taxonomy.leaves) == values
    for level in range(1, taxonomy.height):
        for n, label in enumerate(taxonomy.level(level)):
            first = n // run**level * run**level
            last = min(first + run**level, count) - 1
            assert label == (f"v{first}..v{last}" if first < last else f"v{first}")
