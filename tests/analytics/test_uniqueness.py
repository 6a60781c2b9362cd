"""Estimates of population uniqueness: figures of others, simulated populations, edges."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from indistinct.analytics.risk import uniqueness
from indistinct.analytics.risk.uniqueness import SampleSizes, estimate_uniqueness
from indistinct.errors import DataError

USA = 317_238_626
Sizes = NDArray[np.int64]


@pytest.fixture(scope="module")
def adult(shared: Path) -> Sizes:
    frame = pl.read_csv(shared / "data" / "adult" / "adult.csv", separator=";", infer_schema=False)
    return frame.group_by(frame.columns).len()["len"].to_numpy().astype(np.int64)


def test_the_figures_of_another_program(adult: Sizes) -> None:
    found = estimate_uniqueness(adult, USA)
    pitman, zayatz = found.fits["pitman"].uniques, found.fits["zayatz"].uniques
    assert pitman is not None
    assert zayatz is not None
    assert round(pitman) == 12_339_373
    assert round(zayatz) == 83_930_148
    shares = found.to_dict()["shares"]
    assert shares["pitman"] == pytest.approx(0.03890, abs=5e-6)
    assert shares["zayatz"] == pytest.approx(0.26456, abs=5e-6)
    assert found.picked == "pitman"
    assert found.to_dict()["dankar"] == pitman


def test_the_likelihood_of_pitmans_formula_is_at_its_peak(adult: Sizes) -> None:
    found = uniqueness.pitman(SampleSizes.of(adult, USA))
    theta, alpha = found.parameters["theta"], found.parameters["alpha"]
    i, n = np.arange(1, len(adult)), np.arange(1, adult.sum())
    assert (1 / (theta + i * alpha)).sum() == pytest.approx((1 / (theta + n)).sum(), rel=1e-9)
    down = sum((1 / (np.arange(1, size) - alpha)).sum() for size in adult)
    assert (i / (theta + i * alpha)).sum() == pytest.approx(down, rel=1e-9)


def test_snb_explains_classes_of_one_and_two(adult: Sizes) -> None:
    sample = SampleSizes.of(adult, USA)
    found = uniqueness.snb(sample)
    k, a, b = (found.parameters[name] for name in ("classes", "alpha", "beta"))
    p = sample.fraction

    def generating(s: float) -> float:
        return s * (b / (1 - (1 - b) * s)) ** a

    h = 1e-7
    slope = (generating(1 - p + h) - generating(1 - p - h)) / (2 * h)
    assert k * p * slope == pytest.approx(sample.with_size(1), rel=1e-4)
    assert found.uniques == pytest.approx(k * b**a)


def crowd(theta: float, alpha: float, people: int, draw: np.random.Generator) -> Sizes:
    """A population in which everybody joins a class, or founds one, as Pitman's formula says."""
    size = np.zeros(people, dtype=np.int64)
    of = np.zeros(people, dtype=np.int64)
    classes = 0
    chance = draw.random(people)
    for i in range(people):
        if chance[i] * (i + theta) < theta + classes * alpha:
            of[i], classes = classes, classes + 1
        else:
            while True:
                one = of[draw.integers(0, i)]
                if draw.random() < (size[one] - alpha) / size[one]:
                    break
            of[i] = one
        size[of[i]] += 1
    return size[:classes]


def sampled(population: Sizes, share: float, draw: np.random.Generator) -> Sizes:
    sample = draw.binomial(population, share)
    return sample[sample > 0].astype(np.int64)


def test_pitman_finds_the_uniques_of_its_own_population() -> None:
    draw = np.random.default_rng(3)
    population = crowd(300, 0.5, 30_000, draw)
    true = int((population == 1).sum())
    for share in (0.05, 0.1):
        found = estimate_uniqueness(sampled(population, share, draw), int(population.sum()))
        assert found.picked == "pitman"
        assert found.best.uniques == pytest.approx(true, rel=0.15)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_snb_finds_the_uniques_of_its_own_population(share: float) -> None:
    draw = np.random.default_rng(1)
    population = 1 + draw.negative_binomial(0.5, 0.1, 20_000)
    found = estimate_uniqueness(sampled(population, share, draw), int(population.sum()))
    assert found.picked in ("snb", "zayatz")
    assert found.best.uniques == pytest.approx(int((population == 1).sum()), rel=0.05)


@pytest.mark.parametrize("share", [0.5, 0.8])
def test_zayatz_is_near_where_much_was_sampled(share: float) -> None:
    draw = np.random.default_rng(5)
    weight = draw.lognormal(0, 2, 30_000)
    population = draw.poisson(weight / weight.sum() * 60_000)
    population = population[population > 0]
    found = estimate_uniqueness(sampled(population, share, draw), int(population.sum()))
    assert found.fits["zayatz"].uniques == pytest.approx(int((population == 1).sum()), rel=0.12)


def test_a_sample_that_is_the_population_needs_no_model() -> None:
    sizes = np.array([1, 1, 2, 5])
    found = estimate_uniqueness(sizes, 9)
    assert {fit.uniques for fit in found.fits.values()} == {2.0}


def test_without_uniques_in_the_sample_none_are_expected() -> None:
    found = estimate_uniqueness(np.array([2, 3]), 100)
    assert {fit.uniques for fit in found.fits.values()} == {0.0}


def test_where_everybody_is_unique_zayatz_is_left() -> None:
    found = estimate_uniqueness(np.ones(50, dtype=np.int64), 1000)
    assert found.fits["pitman"].uniques is None
    assert "unique" in found.fits["pitman"].why
    assert found.picked == "zayatz"
    assert found.best.uniques == pytest.approx(1000)


def test_one_class_of_few_and_one_unique() -> None:
    for population in (60, 600, 6_000_000):
        found = estimate_uniqueness(np.array([1, 49]), population)
        for fit in found.fits.values():
            assert fit.uniques is None or 0 <= fit.uniques <= population


def test_a_population_that_cannot_hold_the_sample_is_refused() -> None:
    with pytest.raises(DataError, match="cannot hold a sample of 5 records"):
        estimate_uniqueness(np.array([2, 3]), 4)
    with pytest.raises(DataError, match="no class"):
        estimate_uniqueness(np.zeros(0, dtype=np.int64), 4)


def test_the_digamma_function() -> None:
    for x in (0.01, 0.5, 1.0, 2.5, 11.9, 12.0, 1e3, 1e9):
        h = 1e-6 * max(x, 1e-2)
        slope = (math.lgamma(x + h) - math.lgamma(x - h)) / (2 * h)
        assert uniqueness._digamma(x) == pytest.approx(slope, rel=1e-5, abs=1e-5)
    assert uniqueness._digamma(3.0) - uniqueness._digamma(1.0) == pytest.approx(1.5, abs=1e-14)


def test_just_one_of_some_people_is_drawn() -> None:
    sample = SampleSizes.of(np.array([1, 1, 3, 5]), 40)
    found = uniqueness._seen_once(sample)
    for people in range(1, 6):
        exact = people * math.comb(40 - people, 9) / math.comb(40, 10)
        assert found[people - 1] == pytest.approx(exact, rel=1e-12)


MODELS: dict[str, Callable[[SampleSizes], uniqueness.Fit]] = {
    "pitman": uniqueness.pitman,
    "snb": uniqueness.snb,
    "zayatz": uniqueness.zayatz,
}


@given(
    st.lists(st.integers(1, 9), min_size=2, max_size=60),
    st.floats(1.0, 500.0),
    st.sampled_from(sorted(MODELS)),
)
def test_estimates_are_numbers_of_people_and_chances_add_up(
    sizes: list[int], times: float, model: str
) -> None:
    sample = SampleSizes.of(np.array(sizes), math.ceil(sum(sizes) * times))
    fit = MODELS[model](sample)
    assert fit.uniques is None or 0 <= fit.uniques <= sample.population * (1 + 1e-9)
    if fit.uniques is None:
        assert fit.why
    elif fit.fitted:
        for size in set(sizes):
            chances, beyond = fit.size_given(size)
            assert (chances >= 0).all()
            assert chances.sum() + beyond == pytest.approx(1, abs=1e-6)


def test_how_many_people_a_class_of_one_stands_for() -> None:
    draw = np.random.default_rng(7)
    population = crowd(400, 0.5, 40_000, draw)
    share = 0.1
    sample = draw.binomial(population, share)
    found = estimate_uniqueness(sample[sample > 0].astype(np.int64), int(population.sum()))
    alone = population[sample == 1]
    chances, _ = found.fits["pitman"].size_given(1)
    assert chances[0] == pytest.approx((alone == 1).mean(), abs=0.04)
    expected = (chances / np.arange(1, len(chances) + 1)).sum()
    assert expected == pytest.approx((1 / alone).mean(), abs=0.04)
