"""Rank variance: the published values, the inequalities, and the bounds against brute force."""

from __future__ import annotations

import functools
import json
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.privacy.rank_variance import (
    falls_short,
    largest_k,
    largest_size,
    least_noise,
    least_values,
    rank_variance,
    rank_variance_exact,
    serves,
    theta,
    thresholds,
    within_reach,
)
from indistinct.privacy.values import LEAVE_OUT

COUNTS = st.lists(st.integers(0, 9), min_size=1, max_size=9)


@pytest.fixture(scope="session")
def oracles(shared: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((shared / "spec" / "oracles.json").read_text())
    return document["C_003"]


def counts_of(key: str) -> list[int]:
    return [int(part) for part in key.split("-")]


def partitions(size: int, values: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """All falling sequences of at most that many positive numbers with that sum."""
    if size == 0:
        yield ()
        return
    if values == 0:
        return
    for first in range(min(size, most or size), 0, -1):
        for rest in partitions(size - first, values - 1, first):
            yield (first, *rest)


def test_variances(oracles: dict[str, Any]) -> None:
    for key, (exact, printed) in oracles["variance"].items():
        assert rank_variance_exact(counts_of(key)) == Fraction(exact)
        assert rank_variance(np.array([counts_of(key)]))[0] == pytest.approx(printed, abs=1e-15)


def test_thresholds(oracles: dict[str, Any]) -> None:
    for k, value in oracles["theta_mu0.6"].items():
        assert theta(int(k), 0.6) == value
    sizes = np.array([0, 1, 2, 4, 20])
    assert thresholds(sizes, 0.6) == pytest.approx([0, 0, 0.15, 0.75, 19.95])


def test_tables(oracles: dict[str, Any]) -> None:
    for table in oracles["tables"].values():
        domain = sorted({value for group in table["classes"] for value in group})
        cells = np.array(
            [[Counter(group)[value] for value in domain] for group in table["classes"]]
        )
        found = rank_variance(cells)
        assert found == pytest.approx([float(Fraction(v)) for v in table["variance"]], abs=1e-15)
        short = falls_short(found, theta(table["k"], 0.6))
        assert (~short).tolist() == table["ge_theta"]


def test_reach_of_a_domain(oracles: dict[str, Any]) -> None:
    for k, least in oracles["min_distinct_mu0.6"].items():
        assert least_values(int(k), 0.6) == least
        assert least == math.ceil((1 + math.sqrt(1.8 * (int(k) ** 2 - 1))) / 2)
    for values, by_mu in oracles["upper_bound_k"].items():
        if values != "note":
            assert {mu: largest_k(int(values), float(mu)) for mu in by_mu} == by_mu
    # Necessary, not sufficient for a class of exactly k.
    for values, k, mu in ((8, 9, 0.9), (14, 22, 0.5), (14, 16, 0.9)):
        assert serves(values, k, mu)
        most = max(map(rank_variance_exact, partitions(k, values)))
        assert most < Fraction(str(mu)) * (k * k - 1) / 12


@pytest.mark.parametrize("mu", [0.05, 0.2, 0.5, 0.6, 0.9, 1.0])
def test_the_largest_k_is_the_last_that_is_served(mu: float) -> None:
    assert largest_k(0, mu) == largest_k(1, mu) == 1
    for values in range(2, 40):
        most = largest_k(values, mu)
        assert serves(values, most, mu)
        assert not serves(values, most + 1, mu)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (1, LEAVE_OUT),
        (2, "choose k of at most 2, or mu of at most 0.12"),
        (3, "choose k of at most 3, or mu of at most 0.34"),
    ],
)
def test_what_is_within_reach(values: int, told: str) -> None:
    assert within_reach(values, 5, 1.0, by_size=False) == told


def test_class_sizes_that_their_own_theta_allows() -> None:
    assert [largest_size(values, 0.6) for values in (1, 2, 5, 14)] == [1, 2, 6, 20]
    assert largest_size(1000, 0.6) == largest_k(1000, 0.6)
    assert largest_size(40, 1.0) == 40 < largest_k(40, 1.0)
    assert largest_size(41, 1.0) == largest_k(41, 1.0), "of so many values the bound, not the best"


@pytest.mark.parametrize("mu", [0.25, 0.33, 0.35, 0.42, 0.46, 0.5, 0.6, 0.64, 0.83, 0.9])
def test_largest_size_is_that_of_brute_force(mu: float) -> None:
    for values in range(1, 7):
        fitting = [
            size
            for size in range(1, largest_k(values, mu) + 2)
            if any(
                rank_variance_exact(counts) >= Fraction(str(mu)) * (size * size - 1) / 12
                for counts in partitions(size, values)
            )
        ]
        assert largest_size(values, mu) == max(fitting)


def test_without_values_nothing_varies() -> None:
    assert rank_variance(np.zeros((3, 0), np.int64)).tolist() == [0.0, 0.0, 0.0]


def test_variance_is_no_diversity() -> None:
    assert rank_variance_exact([3, 1, 1]) > rank_variance_exact([2, 2, 1])
    lopsided, even = [7, *[1] * 13], [*[2] * 6, *[1] * 8]
    cells = np.array([lopsided, even])
    assert falls_short(rank_variance(cells), theta(20, 0.6)).tolist() == [False, True]
    assert float(rank_variance_exact([90, *[1] * 10])) > theta(4, 0.6)


@given(COUNTS)
def test_fast_is_exact(counts: list[int]) -> None:
    fast = rank_variance(np.array([counts, [0] * len(counts)]))
    assert fast[0] == pytest.approx(float(rank_variance_exact(counts)), abs=1e-14)
    assert fast[1] == 0


@given(st.lists(st.integers(0, 9), min_size=1, max_size=9), st.randoms())
def test_order_of_the_values_does_not_matter(counts: list[int], random: Any) -> None:
    other = list(counts)
    random.shuffle(other)
    assert rank_variance_exact(counts) == rank_variance_exact(other)


@given(st.integers(1, 40))
def test_all_different(size: int) -> None:
    assert rank_variance_exact([1] * size) == Fraction(size * size - 1, 12)


@given(COUNTS)
def test_no_class_exceeds_the_highest(counts: list[int]) -> None:
    values = sum(count > 0 for count in counts)
    bound = Fraction(2 * values - 1, 6) ** 2 if values > 1 else 0
    assert rank_variance_exact(counts) <= bound


def test_replacing_a_repeated_value_by_a_new_one_raises_it() -> None:
    cases = 0
    for size in range(2, 17):
        for counts in partitions(size, size):
            before = rank_variance_exact(counts)
            for at in {counts.index(count) for count in counts if count >= 2}:
                after = [*counts, 1]
                after[at] -= 1
                assert rank_variance_exact(after) > before
                cases += 1
    assert cases > 1_000


def test_adding_a_new_value_raises_it() -> None:
    for size in range(1, 17):
        for counts in partitions(size, size):
            assert rank_variance_exact([*counts, 1]) > rank_variance_exact(counts)


def test_where_there_is_nothing_to_vary() -> None:
    assert rank_variance(np.zeros((3, 0), np.int64)).tolist() == [0.0, 0.0, 0.0]
    assert least_values(1, 0.6) == 1
    assert least_values(10**20, 0.6) == 67082039324993690893


@settings(max_examples=300)
@given(
    st.integers(2, 30),
    st.integers(1, 20),
    st.sampled_from([0.05, 0.1, 0.5, 0.6, 0.75, 0.9, 1.0]),
)
def test_conditions_agree(k: int, values: int, mu: float) -> None:
    assert serves(values, k, mu) == (values >= least_values(k, mu)) == (k <= largest_k(values, mu))
    reachable = Fraction((2 * values - 1) ** 2, 36) if values > 1 else 0
    assert serves(values, k, mu) == (reachable >= Fraction(str(mu)) * (k * k - 1) / 12)


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=6),
    st.integers(2, 5),
)
def test_no_partition_needs_less_noise(cells: list[list[int]], k: int) -> None:
    """Fill every class with the absent values that its variance needs: never below the bound."""
    table = np.array(cells)
    if not serves(4, k, 0.6):
        return
    noise = 0
    for counts in cells:
        own = list(counts)
        while rank_variance_exact(own) < Fraction("0.6") * (k * k - 1) / 12:
            if 0 not in own:
                return  # every value is there and too evenly
            own[own.index(0)] = 1
            noise += 1
    assert noise >= least_noise(table.sum(axis=0), len(cells), k, 0.6)


@functools.cache
def occupations(path: Path) -> tuple[int, ...]:
    column = pl.read_csv(path, separator=";", infer_schema=False)["occupation"]
    return tuple(column.value_counts()["count"].to_list())


def test_least_noise_on_adult(shared: Path) -> None:
    totals = occupations(shared / "data" / "adult" / "adult.csv")
    rows = sum(totals)
    found = {k: least_noise(totals, rows // k, k, 0.6) for k in (4, 6, 8, 10, 14, 16, 18, 20)}
    assert found == {4: 0, 6: 0, 8: 0, 10: 0, 14: 1031, 16: 3806, 18: 4431, 20: 5001}
