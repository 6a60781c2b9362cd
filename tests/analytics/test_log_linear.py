"""Log-linear models of the population, held against definitions and simulated populations."""

from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import indistinct as ind
from indistinct.analytics.risk.log_linear import (
    LogLinear,
    _inverse_size,
    _of_pairs,
    log_linear,
)

ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("fm"), st.integers(0, 3).map(str)),
    min_size=1,
    max_size=40,
)


def _frame(rows: list[tuple[str, str, str]]) -> pl.DataFrame:
    return pl.DataFrame(rows, ["place", "sex", "job"], orient="row")


def _expected_inverse(f: int, mean: float) -> float:
    """From the definition: all sizes of a Poisson distribution, one by one."""
    chance, total = math.exp(-mean), 0.0
    for x in range(400):
        total += chance / (f + x)
        chance *= mean / (x + 1)
    return total


@given(st.integers(1, 60), st.floats(0, 100))
def test_the_mean_risk_of_a_class_is_that_of_all_its_sizes(f: int, mean: float) -> None:
    found = _inverse_size(np.array([float(f)]), np.array([mean]))[0]
    assert found == pytest.approx(_expected_inverse(f, mean), rel=1e-9)


def test_large_classes_are_as_likely_as_their_mean_size_says() -> None:
    found = _inverse_size(np.array([500.0]), np.array([80.0]))[0]
    assert found == pytest.approx(_expected_inverse(500, 80.0), rel=1e-3)


@given(ROWS, st.floats(1, 30))
def test_without_associations_shares_are_multiplied(
    rows: list[tuple[str, str, str]], times: float
) -> None:
    population = math.ceil(len(rows) * times)
    report = ind.risk(
        _frame(rows), quasi=["place", "sex", "job"], population=population + 1, log_linear=1
    )
    uniques = matches = 0.0
    share = len(rows) / (population + 1)
    for row in set(rows):
        mean = float(len(rows))
        for at, value in enumerate(row):
            mean *= sum(other[at] == value for other in rows) / len(rows)
        others = mean * (1 - share) / share
        f = rows.count(row)
        uniques += math.exp(-others) if f == 1 else 0.0
        matches += f * _expected_inverse(f, others)
    assert report.log_linear is not None
    assert report.log_linear.uniques == pytest.approx(uniques, rel=1e-9, abs=1e-12)
    assert report.log_linear.matches == pytest.approx(matches, rel=1e-8)
    assert report.exposed is not None
    assert report.exposed["expected"].sum() == pytest.approx(matches, rel=1e-8)


@given(ROWS)
def test_counts_of_two_attributes_are_those_of_the_table(rows: list[tuple[str, str, str]]) -> None:
    """What is fitted has the margins of the sample, and is no other where these say all."""
    values = [sorted({row[at] for row in rows}) for at in range(3)]
    every = list(itertools.product(*values))
    codes = {
        str(at): np.array([values[at].index(row[at]) for row in every], np.int32) for at in range(3)
    }
    counts = np.array([rows.count(row) for row in every])
    fitted = _of_pairs(codes, {str(at): len(values[at]) for at in range(3)}, counts)
    for one, two in itertools.combinations(range(3), 2):
        for a, b in itertools.product(values[one], values[two]):
            here = [row[one] == a and row[two] == b for row in every]
            assert fitted[here].sum() == pytest.approx(counts[here].sum(), abs=5e-3)
    two = {name: codes[name] for name in ("0", "1")}
    pairs = {(row[0], row[1]) for row in rows}
    of_two = np.array([[values[0].index(a), values[1].index(b)] for a, b in sorted(pairs)])
    size = np.array([sum(row[:2] == pair for row in rows) for pair in sorted(pairs)])
    exact = _of_pairs(
        {name: of_two[:, at].astype(np.int32) for at, name in enumerate(two)},
        {"0": len(values[0]), "1": len(values[1])},
        size,
    )
    assert exact == pytest.approx(size)


def _sampled(everybody: pl.DataFrame, share: float) -> tuple[int, float, dict[int, LogLinear]]:
    """The true uniques and matches of a sample, and what both models expect of it."""
    quasi = everybody.columns
    random = np.random.default_rng(5)
    sample = everybody[random.permutation(len(everybody))[: int(share * len(everybody))]]
    counted = everybody.group_by(quasi).len("people")
    mine = sample.group_by(quasi).len("records").join(counted, on=quasi)
    uniques = mine.filter(records=1, people=1).height
    matches = float((mine["records"] / mine["people"]).sum())
    found = {}
    for interactions in (1, 2):
        report = ind.risk(
            sample, quasi=quasi, population=len(everybody), log_linear=interactions
        ).log_linear
        assert report is not None
        found[interactions] = report
        assert report.sample_uniques == mine.filter(records=1).height
    return uniques, matches, found


def test_it_comes_near_the_truth_where_attributes_have_nothing_to_do_with_each_other() -> None:
    random = np.random.default_rng(1)
    n = 60_000
    parts = {name: random.geometric(p, n) for name, p in (("a", 0.2), ("b", 0.3), ("c", 0.1))}
    uniques, matches, found = _sampled(pl.DataFrame(parts).cast(pl.String), 0.2)
    assert found[1].uniques == pytest.approx(uniques, rel=0.1)
    assert found[1].matches == pytest.approx(matches, rel=0.05)


def test_it_comes_near_the_truth_in_a_population_with_associations() -> None:
    random = np.random.default_rng(2)
    n = 100_000
    region = random.integers(0, 8, n)
    job = (region + random.geometric(0.3, n)) % 10
    age = np.minimum(random.geometric(0.06, n) + job % 3 * 4, 79)
    everybody = pl.DataFrame({"region": region, "job": job, "age": age}).cast(pl.String)
    uniques, matches, found = _sampled(everybody, 0.1)
    assert found[1].matches > matches > found[2].matches
    for model in found.values():
        assert model.matches == pytest.approx(matches, rel=0.15)
        assert model.uniques == pytest.approx(uniques, rel=0.4)


def test_the_whole_population_is_no_sample() -> None:
    table = _frame([("a", "f", "1"), ("a", "f", "1"), ("b", "m", "2")])
    report = ind.risk(table, quasi=table.columns, population=3, log_linear=2)
    assert report.log_linear is not None
    assert report.log_linear.uniques == 1
    assert report.log_linear.matches == pytest.approx(2)


def test_what_it_cannot_do_is_refused() -> None:
    table = _frame([("a", "f", "1"), ("b", "m", "2")])
    with pytest.raises(ind.DataError, match="how many people it has is not known"):
        ind.risk(table, quasi=table.columns, log_linear=1)
    with pytest.raises(ind.DataError, match="associations of 1 or 2"):
        ind.risk(table, quasi=table.columns, population=9, log_linear=3)
    wide = pl.DataFrame({name: [f"{name}{at}" for at in range(50)] for name in "abcde"})
    with pytest.raises(ind.DataError, match="312,500,000 combinations"):
        ind.risk(wide, quasi=wide.columns, population=1_000, log_linear=2)
    report = ind.risk(wide, quasi=wide.columns, population=1_000, log_linear=1)
    assert report.log_linear is not None
    codes = {"a": np.zeros(1, np.int32)}
    with pytest.raises(ind.DataError, match="cannot hold a sample"):
        log_linear(codes, {"a": 1}, np.array([5]), 1, 3.0)


def test_the_report_says_it() -> None:
    table = _frame([("a", "f", "1"), ("a", "f", "1"), ("b", "m", "2")])
    report = ind.risk(table, quasi=table.columns, population=30, log_linear=1)
    told = report.to_dict()["log_linear"]
    assert told["interactions"] == 1
    assert set(told) == {"interactions", "uniques", "matches", "sample_uniques"}
    assert "a log-linear model with no associations" in "".join(
        str(part) for part in report.parts()
    )
