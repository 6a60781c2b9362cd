"""PRAM stripping against everything that people can have had, and against truths that are known."""

from __future__ import annotations

from itertools import product
from math import exp, lgamma

import numpy as np
import polars as pl
import pytest

import indistinct as ind
from indistinct.analytics.attacks import Finding
from indistinct.analytics.attacks.pram_stripping import beta_nodes, likeness, shares_before

PEOPLE = 1200
MOST = {2: "flu", 3: "hiv", 4: "gout", 5: "flu", 6: "hiv", 7: "gout"}


def patients(seed: int) -> pl.DataFrame:
    """Patients of whom nearly all of the same age have the same illness."""
    random = np.random.default_rng(seed)
    age = random.integers(20, 80, PEOPLE)
    any_of = random.choice(["flu", "hiv", "gout", "cold"], PEOPLE)
    usual = np.array([MOST[decade] for decade in age // 10])
    ill = np.where(random.random(PEOPLE) < 0.95, usual, any_of)
    return pl.DataFrame({"age": age, "ill": ill})


def keys(**pram: object) -> dict[str, object]:
    return {
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": 10}},
            "ill": {"role": "sensitive", "transform": {"pram": pram}},
        },
        "promises": [{"model": "max-posterior", "bound": 0.85, "sensitive": "ill"}],
        "method": {"seed": 4},
    }


def attacked(seed: int, name: str = "pram-stripping", **pram: object) -> ind.AttackReport:
    table, asked = patients(seed), keys(**pram)
    return ind.attack(table, ind.anonymize(table, asked), asked, only=[name])


def before(count: int, size: int, share: float, keep: float, alike: float) -> float:
    """The share that had a value, by everything that each record can have had."""
    records, total, had = 1 / alike - 1, 0.0, 0.0
    shown = [1] * count + [0] * (size - count)
    drawn = {1: (1 - keep) * share, 0: (1 - keep) * (1 - share)}
    for true in product((0, 1), repeat=size):
        weight = lgamma(records) - lgamma(records + size)
        for value, mean in ((1, share), (0, 1 - share)):
            weight += lgamma(records * mean + true.count(value)) - lgamma(records * mean)
        chance = exp(weight)
        for own, other in zip(true, shown, strict=True):
            chance *= drawn[other] + keep * (own == other)
        total += chance
        had += chance * sum(true) / size
    return had / total


@pytest.mark.parametrize("seed", range(4))
def test_it_is_what_all_possible_tables_say(seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(20):
        size = int(random.integers(1, 8))
        count = int(random.integers(0, size + 1))
        share, keep, alike = random.uniform(0.02, 0.98, 3).tolist()
        found = shares_before(np.array([count]), np.array([size]), share, keep, alike)
        assert found[0] == pytest.approx(before(count, size, share, keep, alike), abs=1e-9)


def test_points_have_the_moments_of_a_beta_distribution() -> None:
    for mean, records in ((0.5, 2.0), (0.01, 0.05), (0.3, 1.0), (0.9, 400.0)):
        x, weight = beta_nodes(mean, records)
        moment, expected = 1.0, 1.0
        for order in range(6):
            expected *= (records * mean + order) / (records + order)
            moment = float((x ** (order + 1) * weight).sum())
            assert moment == pytest.approx(expected, rel=1e-9)


def test_classes_that_differ_by_chance_alone_are_not_alike() -> None:
    random = np.random.default_rng(1)
    share = np.array([0.5, 0.3, 0.2])
    assert likeness(random.multinomial(50, share, 400), share, 0.5) < 0.01
    apart = (
        random.multinomial(50, [0.8, 0.1, 0.1], 400),
        random.multinomial(50, [0.2, 0.5, 0.3], 400),
    )
    assert likeness(np.concatenate(apart), share, 0.5) > 0.2
    assert likeness(np.zeros((0, 3), np.int64), share, 0.5) == 0.0
    assert likeness(np.array([[5], [7]]), np.array([1.0]), 0.5) == 0.0


def test_a_value_that_all_have_is_known() -> None:
    assert shares_before(np.array([3]), np.array([3]), 1.0, 0.5, 0.5).tolist() == [1.0]


def test_a_bound_on_what_is_shown_is_none_on_what_is_believed() -> None:
    (found,) = attacked(1, keep=0.6).attacks
    assert isinstance(found, Finding)
    assert found.figures["largest_shown"] <= 0.85
    assert found.figures["largest_belief"] > 0.93
    (shown,) = attacked(1, "membership", keep=0.6).attacks
    assert shown.success["0.5"] == found.success["0.5"]
    assert found.gain["mean"] > shown.gain["mean"] + 0.15
    assert found.success["certain"] == 0.0


@pytest.mark.parametrize(("keep", "size"), [(0.5, 40), (0.8, 12), (0.3, 2000)])
def test_who_believes_so_is_right_as_often(keep: float, size: int) -> None:
    random = np.random.default_rng(6)
    share = np.array([0.5, 0.3, 0.15, 0.05])
    true = np.array([random.multinomial(size, own) for own in random.dirichlet(share * 1.5, 500)])
    drawn = [random.binomial(own, keep) for own in true]
    shown = np.array([own + random.multinomial(size - own.sum(), share) for own in drawn])
    alike = likeness(shown, share, keep)
    assert alike == pytest.approx(1 / 2.5, abs=0.05)
    every = np.full(500, size)
    columns = zip(shown.T, share.tolist(), strict=True)
    belief = np.array([shares_before(count, every, own, keep, alike) for count, own in columns]).T
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        there = (belief >= low) & (belief < low + 0.2)
        assert (true / size)[there].mean() == pytest.approx(belief[there].mean(), abs=0.03)
    taken = np.abs(shown / size - true / size).mean()
    assert np.abs(belief - true / size).mean() < 0.95 * taken


def test_it_says_what_it_cannot_try() -> None:
    report = attacked(3, keep=0.6, within=["age"])
    assert not report.attacks
    assert "within groups" in report.skipped[0].why
    asked = keys(keep=0.6)
    plain = {**asked, "attributes": {**asked["attributes"], "ill": {"role": "sensitive"}}}  # type: ignore[dict-item]
    table = patients(3)
    report = ind.attack(table, table, plain, only=["pram-stripping"])
    assert "nothing says that values were drawn" in report.skipped[0].why


def test_missing_values_are_not_drawn() -> None:
    table = patients(5).with_columns(ill=pl.when(pl.int_range(PEOPLE) % 3 > 0).then("ill"))
    asked = keys(keep=0.6)
    asked["promises"] = [{"model": "k-anonymity", "k": 120}]
    report = ind.attack(table, ind.anonymize(table, asked), asked, only=["pram-stripping"])
    (found,) = report.attacks
    # Of a third the value is missing, and shown as missing: that is not more or less than true.
    (shown,) = ind.attack(table, ind.anonymize(table, asked), asked, only=["membership"]).attacks
    assert found.gain["mean"] > shown.gain["mean"]
    assert found.figures["largest_belief"] < 0.8
