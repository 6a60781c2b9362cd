from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import HierarchyError, PolicyError
from indistinct.hierarchies import equal_frequency_taxonomy

AGES = [23, 24, 27, 29, 31, 33, 36, 38, 41, 44, 46, 49]


def bins(numbers: list[int], count: int, level: int = 1) -> list[list[int]]:
    """[min, max, records] of each bin."""
    counted = Counter(map(str, numbers))
    taxonomy = equal_frequency_taxonomy(
        "age", list(counted), list(counted.values()), bins=count, levels=level
    )
    sizes: Counter[str] = Counter()
    for leaf, label in zip(taxonomy.leaves, taxonomy.level(level), strict=True):
        sizes[str(label)] += counted[str(leaf)]
    return [[*json.loads(label), size] for label, size in sizes.items()]


def test_the_papers_ages() -> None:
    assert bins(AGES, 4) == [[23, 27, 3], [29, 33, 3], [36, 41, 3], [44, 49, 3]]
    assert [size for _, _, size in bins(AGES, 5)] == [2, 3, 2, 3, 2]
    assert [size for _, _, size in bins(AGES, 6)] == [2] * 6


def test_equal_values_are_never_split() -> None:
    assert bins([1] * 6 + [2] * 2 + [3] * 2, 4) == [[1, 1, 6], [2, 2, 2], [3, 3, 2]]


def test_the_specifications_figures(shared: Path) -> None:
    oracle = json.loads((shared / "spec" / "oracles.json").read_text())["B_001"]
    for count, expected in oracle["equal_frequency_TableII"].items():
        numbers = AGES if count.isdigit() else [1] * 6 + [2] * 2 + [3] * 2
        assert bins(numbers, int(count) if count.isdigit() else 4) == expected


def test_bins_merge_until_few_are_left() -> None:
    values = [str(n) for n in range(100)]
    taxonomy = equal_frequency_taxonomy("x", values, [1] * 100, bins=16)
    assert taxonomy.compile().card.tolist() == [100, 16, 8, 4, 1]
    assert taxonomy.level(2)[0] == "[0, 11]"


def test_missing_values_and_values_without_records_do_not_count() -> None:
    taxonomy = equal_frequency_taxonomy("x", [None, "1", "2"], [50, 1, 1], bins=2, levels=1)
    assert taxonomy.level(1) == ("[1, 1]", "[2, 2]")
    assert equal_frequency_taxonomy("x", ["1"], [0], bins=2).level(1) == ("[1, 1]",)


def test_texts_of_one_number_stay_together() -> None:
    taxonomy = equal_frequency_taxonomy("x", ["1", "01", "1.0"], [5, 5, 5], bins=3)
    assert set(taxonomy.level(1)) == {"[1, 1]"}


def test_what_cannot_be_done() -> None:
    with pytest.raises(HierarchyError, match="1 distinct value cannot be read as a number"):
        equal_frequency_taxonomy("x", ["secret"], [1], bins=2)
    with pytest.raises(PolicyError, match="bins"):
        equal_frequency_taxonomy("x", ["1"], [1], bins=0)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=80), st.integers(1, 12))
def test_the_rule_by_brute_force(numbers: list[int], count: int) -> None:
    n = len(numbers)
    place: dict[int, int] = {}
    for value in sorted(set(numbers)):
        before = sum(other < value for other in numbers)
        here = numbers.count(value)
        place[value] = min(count - 1, int(count * (2 * before + here) / (2 * n)))
    expected = []
    for where in sorted(set(place.values())):
        inside = [value for value in numbers if place[value] == where]
        expected.append([min(inside), max(inside), len(inside)])
    assert bins(numbers, count) == expected
