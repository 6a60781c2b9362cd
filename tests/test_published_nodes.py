"""What a report draws of hierarchies is what the release holds."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import polars as pl
import pytest

import indistinct as ind
from indistinct.recoding import published_nodes

PEOPLE = 60
TABLE = pl.DataFrame(
    {
        "age": [str(20 + 7 * at % 40) for at in range(PEOPLE)],
        "ward": [("north", "south", "west", None)[at * at % 11 % 4] for at in range(PEOPLE)],
        "ill": ["flu" if at % 3 else "cold" for at in range(PEOPLE)],
    }
)


def release(top: int | None = 55, **method: Any) -> ind.Release:
    steps = {"width": 5, "levels": 2} | ({} if top is None else {"top": top})
    of_age = {"role": "quasi-identifier", "hierarchy": {"intervals": steps}}
    tree = {"tree": {"*": {"coast": ["north", "west"], "land": ["south"]}}}
    policy = {
        "attributes": {
            "age": of_age,
            "ward": {"role": "quasi-identifier", "hierarchy": tree, "missing": "value"},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": 4}],
        "method": method,
    }
    return ind.anonymize(TABLE, policy)


def drawn(made: ind.Release) -> dict[str, Any]:
    return {item["name"]: item["drawn"] for item in made.private["evidence.json"]["attributes"]}


@pytest.mark.parametrize(
    "method",
    [
        {"algorithm": "optimal", "suppression_limit": 0.1},
        {"algorithm": "optimal", "local_recoding": True},
        {"algorithm": "iab", "scope": "subtree"},
        {"algorithm": "mondrian", "cells": "ancestor"},
    ],
    ids=["domain", "local", "subtree", "ancestor"],
)
def test_nodes_have_the_records_that_are_published_as_them(method: dict[str, Any]) -> None:
    made = release(**method)
    found = drawn(made)
    assert found["ill"] is None
    for name in ("age", "ward"):
        there = Counter(made.tables[name].to_list())
        nodes = [node for level in found[name]["levels"] for node in level]
        told: Counter[str | None] = Counter()
        for label, wide, on in nodes:
            told[None if label == "(missing)" else label] += round(wide * on * PEOPLE, 6)
        assert {label: n for label, n in told.items() if n} == dict(there)
        for level in found[name]["levels"]:
            assert sum(wide for _, wide, _ in level) == pytest.approx(1)


def test_cells_of_their_own_are_drawn_over_the_values() -> None:
    made = release(None, algorithm="mondrian", cells={"age": "range"})
    cells = drawn(made)["age"]["cells"]
    ages = sorted(int(age) for age in TABLE["age"])
    assert {cell[0]: round(cell[1] * PEOPLE) for cell in cells} == Counter(made.tables["age"])
    for text, _, low, high in cells:
        first, last = (int(part) for part in text.strip("[]").split(","))
        assert round(low * PEOPLE) == sum(age < first for age in ages)
        assert round(high * PEOPLE) == sum(age <= last for age in ages)
    assert "The most frequent cells of age" in made.report()


def test_neighbours_of_few_records_are_drawn_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published_nodes, "MOST_NODES", 5)
    leaves = drawn(release(algorithm="optimal"))["age"]["levels"][0]
    assert len(leaves) <= 10
    assert leaves[0][0].startswith("20 … ")
    assert sum(wide for _, wide, _ in leaves) == pytest.approx(1)


@pytest.mark.parametrize(
    "method",
    [{"algorithm": "mondrian"}, {"algorithm": "optimal", "local_recoding": True}],
    ids=["mondrian", "local"],
)
def test_the_partition_is_that_of_the_rows(
    method: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = release(**method)
    found = made.private["evidence.json"]["partition"]
    rows = Counter(made.tables.select("age", "ward").fill_null("(missing)").iter_rows())
    cells = found["cells"]
    told = {(cells["age"][a][0], cells["ward"][b][0]): n for n, a, b in found["classes"]}
    assert told == rows
    assert found["others"] == 0
    exact = sorted(TABLE["age"].cast(int).to_list())
    for text, low, high in cells["age"]:
        if re.fullmatch(r"\[\d+, \d+\]", text):
            numbers = [int(part) for part in text[1:-1].split(",")]
            assert exact[round(low * PEOPLE)] == numbers[0]
            assert exact[round(high * PEOPLE) - 1] == numbers[-1]
    monkeypatch.setattr(published_nodes, "MOST_CLASSES", 2)
    few = release(**method).private["evidence.json"]["partition"]
    assert len(few["classes"]) == 2
    assert few["others"] + sum(item[0] for item in few["classes"]) == sum(rows.values())
