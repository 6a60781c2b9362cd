"""Special uniques by their definition, the scores of SUDA, and the verb that shows them."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.analytics.risk.special_uniques import special_uniques
from indistinct.errors import DataError

NAMES = ("a", "b", "c", "d")

tables = st.lists(st.tuples(*[st.integers(0, 2)] * len(NAMES)), min_size=1, max_size=14)


def minimal(rows: list[tuple[int, ...]], at: int, most: int) -> list[tuple[int, ...]]:
    """The minimal uniques of a record, by looking at all of its sets."""

    def alone(own: tuple[int, ...]) -> bool:
        return sum(all(other[i] == rows[at][i] for i in own) for other in rows) == 1

    sets = [own for s in range(1, most + 1) for own in combinations(range(len(NAMES)), s)]
    return [
        own
        for own in sets
        if alone(own) and not any(alone(part) for part in sets if set(part) < set(own))
    ]


@given(tables, st.integers(1, 3))
def test_sets_and_scores_are_those_of_the_definition(
    rows: list[tuple[int, ...]], most: int
) -> None:
    found = ind.risk(pl.DataFrame(rows, NAMES, orient="row"), quasi=NAMES, special_uniques=most)
    assert found.special is not None
    assert found.exposed is not None
    told = {row["row"]: row for row in found.exposed.to_dicts()}
    through = np.zeros(len(NAMES))
    total = 0.0
    for at in range(len(rows)):
        sets = minimal(rows, at, most)
        worth = [math.prod(4 - i for i in range(len(own), most + 1)) for own in sets]
        assert told[at + 1]["score"] == sum(worth)
        assert told[at + 1]["fewest"] == min(map(len, sets), default=0)
        total += sum(worth)
        for own, points in zip(sets, worth, strict=True):
            through[list(own)] += points
    for i, name in enumerate(NAMES):
        assert found.special.attributes[name] == pytest.approx(through[i] / (total or 1))
    smallest = [row["fewest"] for row in told.values()]
    assert dict(found.special.by_size) == {s: smallest.count(s) for s in range(1, most + 1)}
    document = found.to_dict()["special_uniques"]
    assert document["records"] == sum(size > 0 for size in smallest)
    assert "score" not in document


def test_a_pair_of_eight_attributes_scores_thirty() -> None:
    """Sets of up to three: (8 - 2) (8 - 3)."""
    size = np.array([1, 1, 1, 1])
    codes = {f"q{at}": np.zeros(4, np.int32) for at in range(6)}
    codes |= {"x": np.array([0, 0, 1, 1], np.int32), "y": np.array([0, 1, 0, 1], np.int32)}
    found = special_uniques(codes, dict.fromkeys(codes, 2), size, 3)
    assert found.score.tolist() == [30.0] * 4
    assert found.attributes["x"] == found.attributes["y"] == 1.0
    assert found.by_size == {1: 0, 2: 4, 3: 0}


def test_records_that_share_all_values_are_never_alone() -> None:
    size = np.array([2, 3])
    codes = {"x": np.array([0, 1], np.int32), "y": np.array([0, 1], np.int32)}
    found = special_uniques(codes, {"x": 2, "y": 2}, size, 1)
    assert found.records == 0
    assert not found.score.any()


@pytest.mark.parametrize("most", [0, 2, 9])
def test_sets_leave_an_attribute_out(most: int) -> None:
    frame = pl.DataFrame({"x": [1, 2], "y": [1, 1]})
    with pytest.raises(DataError, match="of 2 their size can be 1, not"):
        ind.risk(frame, quasi=["x", "y"], special_uniques=most)


def test_people_with_many_records_count_once() -> None:
    frame = pl.DataFrame(
        {"who": ["p", "p", "q", "r"], "age": [30, 30, 40, 40], "sex": ["f", "f", "f", "m"]}
    )
    roles = {"who": "identifier", "age": "quasi-identifier", "sex": "quasi-identifier"}
    policy = {
        "source": {"person": "who"},
        "attributes": {name: {"role": role} for name, role in roles.items()},
    }
    found = ind.risk(frame, policy, special_uniques=1)
    assert found.special is not None
    assert found.special.by_size == {1: 2}  # p by age, r by sex
    said = "".join(str(part) for part in found.parts())
    assert "never alone" in said
    assert "people" in said


def test_how_likely_a_link_to_a_unique_record_is_right() -> None:
    """Three unique records, one pair, one class of three; a tenth of the population."""
    codes = {
        "x": np.array([0, 1, 1, 2, 2], np.int32),
        "y": np.array([0, 0, 1, 0, 1], np.int32),
    }
    size = np.array([1, 1, 1, 2, 3])
    found = special_uniques(codes, {"x": 3, "y": 2}, size, 1, 0.1)
    assert found.dis == pytest.approx(0.1 * 3 / (0.1 * 3 + 2 * 0.9 * 1))
    assert found.dis_of is not None
    # Only x = 0 singles a record out: the mean score is a third of its own.
    odds = 3 * found.dis / (1 - found.dis)
    assert found.dis_of.tolist() == pytest.approx([odds / (1 + odds), 0, 0, 0, 0])
    whole = special_uniques(codes, {"x": 3, "y": 2}, size, 1, 1.0)
    assert whole.dis == 1
    assert whole.dis_of is not None
    assert whole.dis_of.tolist() == [1, 0, 0, 0, 0]
    assert special_uniques(codes, {"x": 3, "y": 2}, size + 1, 1, 0.1).dis is None


def test_dis_needs_the_size_of_the_population() -> None:
    frame = pl.DataFrame({"x": ["a", "b", "b", "c"], "y": ["u", "u", "v", "u"]})
    told = ind.risk(frame, quasi=["x", "y"], special_uniques=1)
    assert told.special is not None
    assert told.special.dis is None
    told = ind.risk(frame, quasi=["x", "y"], special_uniques=1, population=40)
    assert told.special is not None
    assert told.special.dis == 1
    assert told.to_dict()["special_uniques"]["dis"] == 1
    assert told.exposed is not None
    assert told.exposed["dis"].to_list() == [1, 1, 1, 0]
