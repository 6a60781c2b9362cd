"""Optima of the Adult table that others computed: by brute force, and with ARX."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray
from tests.properties import brute_force

from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.measures import objective
from indistinct.microdata.frequencies import ClassTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.privacy import Closure, Promise, promise
from indistinct.recoding.full_domain import (
    Limits,
    Settings,
    allowed_units,
    full_domain,
    full_domain_for_each,
)
from indistinct.recoding.recoded import measured, published_classes

FULL = (
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)

BRUTE_FORCE: dict[str, dict[str, Any]] = {
    "loss_geom": {"measure": "loss"},
    "loss_arith": {"measure": "loss", "aggregate": "arithmetic"},
    "dm": {"measure": "discernibility"},
    "aecs": {"measure": "average-class-size"},
    "precision": {"measure": "precision"},
    "height": {"measure": "height"},
    "nu_entropy": {"measure": "non-uniform-entropy"},
}

MEASURES = {
    "non_uniform_entropy": "non-uniform-entropy",
    "loss": "loss",
    "discernability": "discernibility",
    "average_equivalence_class_size": "average-class-size",
    "precision": "precision",
    "height": "height",
}

AGGREGATES = {
    "ARITHMETIC_MEAN": "arithmetic",
    "GEOMETRIC_MEAN": "geometric",
    "SUM": "sum",
    "MAXIMUM": "max",
    "RANK": "rank",
}


@functools.cache
def adult(shared: Path, names: tuple[str, ...], sensitive: tuple[str, ...] = ()) -> LeveledTable:
    frame = pl.read_csv(shared / "data/adult/adult.csv", separator=";", infer_schema=False)
    taxonomies = {}
    for name in names:
        lines = (shared / f"data/adult/adult_hierarchy_{name}.csv").read_text().splitlines()
        taxonomies[name] = Taxonomy(name, [line.split(";") for line in lines])
    return Microdata.encode(frame, taxonomies, sensitive).data


def number(text: str) -> list[float]:
    """A figure, or a vector of them in brackets."""
    return [float(part) for part in text.strip("[]").split(",")]


def as_list(value: float | list[float]) -> list[float]:
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize(
    "case",
    [
        *("loss_geom@0.0", "loss_geom@0.02", "loss_geom@0.05", "loss_geom@1.0"),
        *("loss_arith@0.0", "loss_arith@0.02", "loss_arith@0.05", "loss_arith@1.0"),
        *("dm@0.05", "aecs@0.05", "precision@0.05", "height@0.05", "nu_entropy@0.05"),
    ],
)
def test_brute_force(shared: Path, case: str) -> None:
    cases = json.loads((shared / "oracles/adult_bruteforce.json").read_text())["full"]
    expected = cases[case]
    name, limit = case.split("@")
    data = adult(shared, FULL)
    plan = full_domain(
        data,
        [promise("k-anonymity", k=5)],
        objective(**BRUTE_FORCE[name]),
        Settings(suppression_limit=float(limit)),
    )
    assert plan.search.value == pytest.approx(expected["value"], rel=1e-9)
    assert list(plan.nodes[0]) in expected["nodes"]
    assert plan.search.optimal
    assert published_classes(data, plan).min() >= 5


def test_every_case_of_brute_force_is_named_above(shared: Path) -> None:
    cases = json.loads((shared / "oracles/adult_bruteforce.json").read_text())["full"]
    marks = test_brute_force.pytestmark  # type: ignore[attr-defined]
    assert set(cases) == set(marks[0].args[1])


def test_as_many_nodes_keep_the_promise_as_by_brute_force(shared: Path) -> None:
    from indistinct.recoding.full_domain.evaluation import Evaluator
    from indistinct.recoding.grouping import Grouper
    from indistinct.recoding.lattice import Lattice

    counts = json.loads((shared / "oracles/adult_bruteforce.json").read_text())["anonymous_nodes"]
    data = adult(shared, FULL)
    lattice = Lattice.of(data)
    goal = objective("height").bind(data)
    evaluator = Evaluator(data, [promise("k-anonymity", k=5)], goal, 0, Grouper(data))
    suppressed = np.array([evaluator.outcome(levels)[1] for levels in lattice.levels])
    for limit, count in counts.items():
        allowed = allowed_units(float(limit), data.table.records)
        assert int((suppressed <= allowed).sum()) == count


def arx_cases(shared: Path) -> dict[str, dict[str, Any]]:
    """The cases that ask for k-anonymity alone and need nothing that is peculiar to ARX."""
    cases = json.loads((shared / "oracles/arx_adult_optima.json").read_text())["cases"]
    return {
        case["id"]: case
        for case in cases
        if [model["type"] for model in case["privacy_models"]] == ["KAnonymity"]
        and not case["needs"]
        and case["kind"] == "optimum"
    }


ARX = (
    "TestAnonymizationCombinations#45",
    "TestAnonymizationKAnonymity#1",
    "TestAnonymizationKAnonymity#3",
    "TestAnonymizationKAnonymity#4",
    "TestDomainShare#4",
    "TestUtilityMetricsLoss#11",
    "TestUtilityMetricsLoss#31",
    "TestUtilityMetricsLoss#61",
    "TestUtilityMetricsLoss#71",
    "TestUtilityMetricsLoss#81",
    "TestUtilityMetricsLoss#91",
)


@pytest.mark.parametrize("name", ARX)
def test_arx(shared: Path, name: str) -> None:
    case = arx_cases(shared)[name]
    metric = case["metric"]
    settings: dict[str, Any] = {}
    if "aggregate" in metric:
        settings["aggregate"] = AGGREGATES[metric["aggregate"]]
    if metric["name"] in ("loss", "precision"):
        settings["gs_factor"] = metric["gs_factor"]
    if "monotonic" in metric:
        settings["monotonic"] = metric["monotonic"]
    names = tuple(case["quasi_identifiers"])
    if case["settings"].get("attribute_weights") == "column_index_plus_1":
        settings["weights"] = {name: (FULL.index(name) + 1) / 9 for name in names}
    plan = full_domain(
        adult(shared, names),
        [promise("k-anonymity", k=case["privacy_models"][0]["k"])],
        objective(MEASURES[metric["name"]], **settings),
        Settings(suppression_limit=case["suppression_limit"]),
    )
    expected = number(case["expected"]["information_loss"])
    assert as_list(plan.search.value) == pytest.approx(expected, rel=1e-8, abs=1e-8)
    assert plan.search.optimal


def test_every_case_of_arx_is_named_above(shared: Path) -> None:
    assert set(arx_cases(shared)) == set(ARX)


def test_a_series_of_k(shared: Path) -> None:
    data = adult(shared, tuple(name for name in FULL if name != "occupation"))
    series = [[promise("k-anonymity", k=k)] for k in (2, 3, 5, 8, 12, 20)]
    choice = Settings(suppression_limit=0.02)
    goal = objective("loss")
    plans = full_domain_for_each(data, series, goal, choice)
    for promises, plan in zip(series, plans, strict=True):
        alone = full_domain(data, promises, goal, choice)
        assert plan is not None
        assert plan.search.value == pytest.approx(alone.search.value, rel=1e-12)
        assert plan.search.optimal


def test_the_heuristic_finds_the_optimum(shared: Path) -> None:
    cases = json.loads((shared / "oracles/adult_bruteforce.json").read_text())["full"]
    data = adult(shared, FULL)
    plan = full_domain(
        data,
        [promise("k-anonymity", k=5)],
        objective("loss"),
        Settings("heuristic", suppression_limit=0.05, limits=Limits(nodes=1500)),
    )
    assert plan.search.value == pytest.approx(cases["loss_geom@0.05"]["value"], rel=1e-9)
    assert not plan.search.optimal
    assert isinstance(plan.search.bound, float)
    assert isinstance(plan.search.value, float)
    assert plan.search.bound <= plan.search.value


def test_a_search_that_is_stopped_early_bounds_the_optimum(
    shared: Path, ticking: Callable[[float], None]
) -> None:
    ticking(0.001)
    cases = json.loads((shared / "oracles/adult_bruteforce.json").read_text())["full"]
    data = adult(shared, FULL)
    for limits in (Limits(nodes=60), Limits(nodes=200), Limits(seconds=0.02)):
        plan = full_domain(
            data,
            [promise("k-anonymity", k=5)],
            objective("loss"),
            Settings(suppression_limit=0.05, limits=limits),
        )
        report = plan.search
        assert isinstance(report.bound, float)
        assert isinstance(report.value, float)
        optimum = cases["loss_geom@0.05"]["value"]
        assert report.bound <= optimum * (1 + 1e-9)
        assert optimum <= report.value * (1 + 1e-9)
        if report.stopped_by is not None and report.bound < report.value:
            assert not report.optimal


def test_local_recoding_loses_little(shared: Path) -> None:
    """The mean arithmetic loss of ARX's local recoding of this table is 0.0524."""
    data = adult(shared, FULL)
    plan = full_domain(
        data,
        [promise("k-anonymity", k=5)],
        objective("loss", aggregate="arithmetic"),
        Settings(suppression_limit=1.0, local_recoding=True),
    )
    assert measured(data, plan)["loss-arithmetic"] <= 0.0525
    assert published_classes(data, plan).min() >= 5
    assert int(data.weight[plan.suppressed].sum()) < 5
    assert plan.scope == "local"


@dataclass(frozen=True, kw_only=True)
class RecursiveValues(Promise):
    """The most frequent value occurs less than c times as often as the l-th and rarer together."""

    model: ClassVar[str] = "test-recursive"
    closure: ClassVar[Closure] = "union"
    c: float
    l: int  # noqa: E741

    def breaks(self, classes: ClassTable) -> NDArray[np.bool_]:
        ranked = -np.sort(-classes.cells[str(self.sensitive)], axis=1)
        broken: NDArray[np.bool_] = ranked[:, 0] >= self.c * ranked[:, self.l - 1 :].sum(axis=1)
        return broken & (classes.size > 0)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        return {}


# Importing them is what makes the other models known.
assert brute_force.DistinctValues.model == "test-distinct"

FIVE = {"model": "k-anonymity", "k": 5}

SENSITIVE: dict[str, list[dict[str, Any]]] = {
    "distinct3": [FIVE, {"model": "test-distinct", "l": 3}],
    "entropy3": [FIVE, {"model": "test-entropy", "l": 3.0}],
    "t0.2_equal": [FIVE, {"model": "test-closeness", "t": 0.2}],
    "recursive43_nok": [{"model": "test-recursive", "c": 4.0, "l": 3}],
    "k5_recursive43": [FIVE, {"model": "test-recursive", "c": 4.0, "l": 3}],
}


@pytest.mark.parametrize("name", SENSITIVE)
def test_promises_that_are_not_monotone(shared: Path, name: str) -> None:
    expected = json.loads((shared / "oracles/adult_bruteforce.json").read_text())["sensitive"]
    assert set(expected) == set(SENSITIVE)
    promises = [
        promise(**part, **({} if part["model"] == "k-anonymity" else {"sensitive": "occupation"}))
        for part in SENSITIVE[name]
    ]
    names = tuple(attribute for attribute in FULL if attribute != "occupation")
    data = adult(shared, names, ("occupation",))
    plan = full_domain(data, promises, objective("loss"), Settings(suppression_limit=0.05))
    assert plan.search.value == pytest.approx(expected[name]["value"], rel=1e-9)
    assert list(plan.nodes[0]) == expected[name]["node"]
    assert int(data.weight[plan.suppressed].sum()) == expected[name]["suppressed"]
    assert plan.search.optimal
