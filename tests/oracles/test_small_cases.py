"""Seven records of which others say what their k-anonymous release is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.measures import objective
from indistinct.microdata.microdata import Microdata
from indistinct.privacy import promise
from indistinct.recoding.full_domain import Settings, full_domain
from indistinct.recoding.plan import LevelPlan
from indistinct.recoding.recoded import published_classes


def provider(shared: Path, levels: int = 9) -> tuple[Microdata, dict[str, Any]]:
    document = json.loads((shared / "oracles/arx_small_cases.json").read_text())
    data = document["datasets"]["provider7"]
    frame = pl.DataFrame(data["rows"], schema=data["columns"], orient="row")
    taxonomies = {
        name: Taxonomy(name, [chain[:levels] for chain in chains])
        for name, chains in data["hierarchies"].items()
    }
    return Microdata.encode(frame, taxonomies), {case["id"]: case for case in document["cases"]}


def cells(table: Microdata, plan: LevelPlan) -> list[list[str | None]]:
    columns = []
    for j in range(len(plan.attributes)):
        labels = plan.labels(table.data, j)
        columns.append([labels[at] for at in plan.cells(table.data, j)[table.combination_of]])
    return [list(row) for row in zip(*columns, strict=True)]


@pytest.mark.parametrize("name", ["small-01", "small-02"])
def test_the_expected_output_is_no_better_than_ours(shared: Path, name: str) -> None:
    table, cases = provider(shared)
    case = cases[name]
    plan = full_domain(
        table.data,
        [promise("k-anonymity", k=case["models"][0]["k"])],
        objective("loss"),
        Settings(suppression_limit=case["suppression_limit"]),
    )
    # The expected output names one node; its loss, by the formula, is the optimum.
    product = 1.0
    for j, attribute in enumerate(case["qis"]):
        chains = table.data.taxonomies[attribute].chains
        share = sum(
            sum(row[j] in chain for chain in chains) / len(chains)
            for row in case["expected_output"]
        )
        least = 7 / len(chains)
        product *= 1 + (share - least) / (7 - least)
    assert plan.search.value == pytest.approx(product ** (1 / 3) - 1, rel=1e-9)
    assert plan.attributes == tuple(case["qis"])
    assert cells(table, plan) == case["expected_output"]


def test_without_generalization_there_is_no_solution(shared: Path) -> None:
    table, cases = provider(shared, levels=1)
    assert cases["small-09"]["expected"].startswith("no result")
    with pytest.raises(Unsatisfiable, match="k-anonymity"):
        full_domain(table.data, [promise("k-anonymity", k=2)], objective("loss"))


def test_promises_speak_of_quasi_identifiers_alone(shared: Path) -> None:
    table, _ = provider(shared)
    with pytest.raises(PolicyError, match="disease"):
        full_domain(
            table.data, [promise("k-anonymity", k=2, on=["gender", "disease"])], objective("loss")
        )


def test_the_risk_that_is_left(shared: Path) -> None:
    table, cases = provider(shared)
    expected = cases["small-14"]["expected"]["after_2_anonymity_suppression0_loss_RANK"]
    plan = full_domain(
        table.data, [promise("k-anonymity", k=2)], objective("loss", aggregate="rank")
    )
    sizes = published_classes(table.data, plan)
    assert 1 / sizes.min() == pytest.approx(expected["highest_risk"])
    assert len(sizes) / 7 == pytest.approx(expected["average_risk"])
