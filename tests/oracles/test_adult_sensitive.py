"""Optima of the Adult table under promises about sensitive values and about a population.

Those by brute force, and those that ARX asserts of itself for every model that is here. ARX
compares with the distribution of the original table. Where it anonymizes a part of the table
against all of it, the part becomes the table here and the whole its population. All cases of
entropy l-diversity here estimate entropy by Shannon's formula; brute force with a tolerance, so
that (2, 2, 2) is 3-diverse, and ARX without, which changes none of its cases.
"""

from __future__ import annotations

import functools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.oracles.test_adult_optima import AGGREGATES, FULL, MEASURES, as_list, number

from indistinct.errors import Unsatisfiable
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.measures import objective
from indistinct.metadata import ValueMetadata
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.microdata.subjects import Subjects
from indistinct.privacy import Promise, promise
from indistinct.recoding.full_domain import Settings, full_domain
from indistinct.recoding.plan import LevelPlan

NAMES = tuple(name for name in FULL if name != "occupation")
SENSITIVE = "occupation"
SUBSET = "adult_subset.csv"


# The tables


def read(path: Path) -> pl.DataFrame:
    return pl.read_csv(path, separator=";", infer_schema=False)


def chains(shared: Path, name: str) -> list[list[str]]:
    text = (shared / f"data/adult/adult_hierarchy_{name}.csv").read_text()
    return [line.split(";") for line in text.splitlines()]


@functools.cache
def table(shared: Path, rows: str = "all") -> LeveledTable:
    """All of Adult; or a part of it, with all of it as its population.

    ``rows`` is ``all``, the name of a file of rows, or ``java n``: row numbers that Java draws.
    """
    taxonomies = {name: Taxonomy(name, chains(shared, name)) for name in NAMES}
    everybody = read(shared / "data/adult/adult.csv")
    if rows == "all":
        encoded = Microdata.encode(everybody, taxonomies, [SENSITIVE])
        return informed(encoded.data, shared)
    if rows.startswith("java"):
        drawn = java_numbers(0xDEADBEEF - (1 << 32), int(rows.split()[1]))
        part = everybody[sorted(drawn)]
    else:
        part = read(shared / "data/adult" / rows)
    # Counting twice over the same combinations: how many of the part, how many of all.
    both = pl.concat([part, everybody], how="vertical")
    inside = np.concatenate([np.ones(part.height, np.int64), np.zeros(everybody.height, np.int64)])
    counted = Microdata.encode(Subjects.of_records(both, inside), taxonomies, [SENSITIVE])
    people = np.bincount(
        counted.combination_of, weights=1 - inside, minlength=counted.data.table.combinations
    )
    data = replace(
        counted.data, table=replace(counted.data.table, population=people.astype(np.int64))
    )
    return informed(data, shared)


def informed(data: LeveledTable, shared: Path) -> LeveledTable:
    """The table with the hierarchy of the sensitive values, and their alphabet as order."""
    cells = data.table.sensitive[SENSITIVE]
    known = ValueMetadata(
        order=tuple(sorted(value for value in cells.domain if value is not None)),
        chains=tuple(tuple(chain) for chain in chains(shared, SENSITIVE)),
    )
    sensitive = {SENSITIVE: replace(cells, known=known)}
    return replace(data, table=replace(data.table, sensitive=sensitive))


def java_numbers(seed: int, most: int) -> set[int]:
    """What ``most`` calls of java.util.Random(seed).nextInt(most) give."""
    mask = (1 << 48) - 1
    state = (seed ^ 0x5DEECE66D) & mask
    found = set()
    for _ in range(most):
        while True:
            state = (state * 0x5DEECE66D + 0xB) & mask
            bits = state >> 17
            value = bits % most
            if most & (most - 1) == 0:
                value = (most * bits) >> 31
                break
            if bits - value + most - 1 < 1 << 31:
                break
        found.add(value)
    return found


# Brute force

FIVE = promise("k-anonymity", k=5)
ORIGINAL = {"sensitive": SENSITIVE, "reference": "original"}

BRUTE_FORCE: dict[str, list[Promise]] = {
    "distinct3": [FIVE, promise("distinct-l-diversity", l=3, sensitive=SENSITIVE)],
    "entropy3": [FIVE, promise("entropy-l-diversity", l=3, sensitive=SENSITIVE)],
    "t0.2_equal": [FIVE, promise("t-closeness", t=0.2, **ORIGINAL)],
    "recursive43_nok": [promise("recursive-cl-diversity", c=4, l=3, sensitive=SENSITIVE)],
    "k5_recursive43": [FIVE, promise("recursive-cl-diversity", c=4, l=3, sensitive=SENSITIVE)],
}


@pytest.mark.parametrize("name", BRUTE_FORCE)
def test_brute_force(shared: Path, name: str) -> None:
    expected = json.loads((shared / "oracles/adult_bruteforce.json").read_text())["sensitive"]
    assert set(expected) == set(BRUTE_FORCE)
    data = table(shared)
    plan = full_domain(data, BRUTE_FORCE[name], objective("loss"), Settings(suppression_limit=0.05))
    assert plan.search.value == pytest.approx(expected[name]["value"], rel=1e-9)
    assert list(plan.nodes[0]) == expected[name]["node"]
    assert int(data.weight[plan.suppressed].sum()) == expected[name]["suppressed"]
    assert plan.search.optimal


# ARX


def asked(model: dict[str, Any], case: dict[str, Any], records: int) -> Promise | None:
    """ARX's model as ours; None for one that only names the part of the table that is meant."""
    kind = model["type"]
    if kind == "Inclusion":
        return None
    if kind == "KAnonymity":
        return promise("k-anonymity", k=model["k"])
    if kind == "DPresence":
        # People of suppressed classes are not looked at again. Beside a model that needs classes of
        # some size (l of them for l-diversity) nor are people of smaller classes, so of none.
        types = {other["type"] for other in case["privacy_models"]}
        return promise(
            "delta-presence",
            lower=model["d_min"],
            upper=model["d_max"],
            absent="skip" if "RecursiveCLDiversity" in types else "suppressed",
        )
    if kind == "KMap" and "estimator" not in model:
        return promise("k-map", k=model["k"])
    if kind == "KMap":
        return promise(
            "estimated-k-map",
            k=model["k"],
            fraction=records / model["population"]["population_size"],
            significance=model["significance_level"],
            estimator=model["estimator"].lower().replace("_", "-"),
        )
    if kind == "RecursiveCLDiversity":
        return promise("recursive-cl-diversity", c=model["c"], l=model["l"], sensitive=SENSITIVE)
    if kind == "EntropyLDiversity":
        assert model["estimator"] == "SHANNON"
        return promise("entropy-l-diversity", l=model["l"], sensitive=SENSITIVE)
    if kind == "BasicBLikeness":
        return promise("basic-beta-likeness", beta=model["beta"], **ORIGINAL)
    assert kind.endswith("TCloseness")
    distance = kind.removesuffix("DistanceTCloseness").lower()
    return promise("t-closeness", t=model["t"], distance=distance, **ORIGINAL)


OURS = (
    "BasicBLikeness",
    "DPresence",
    "EntropyLDiversity",
    "EqualDistanceTCloseness",
    "HierarchicalDistanceTCloseness",
    "KMap",
    "OrderedDistanceTCloseness",
    "RecursiveCLDiversity",
    "Inclusion",
)


def arx_cases(shared: Path) -> dict[str, dict[str, Any]]:
    """The cases with one of these models that need nothing peculiar to ARX."""
    cases = json.loads((shared / "oracles/arx_adult_optima.json").read_text())["cases"]
    found = {}
    for case in cases:
        types = {model["type"] for model in case["privacy_models"]}
        if types - {"KAnonymity"} and types <= {"KAnonymity", *OURS} and not case["needs"]:
            found[case["id"]] = case
    return found


def rows_of(case: dict[str, Any]) -> str:
    for model in case["privacy_models"]:
        subset = model.get("subset")
        if subset is not None and subset["kind"] == "rows_matching_file":
            return Path(subset["file"]).name
        if subset is not None:
            return f"java {subset['draws']}"
    return "all"


CASES: dict[str, tuple[int, ...]] = {
    "AnonymizationBLikeness": (0, 2, 4),
    "AnonymizationCombinations": (0, 2, 5, 6, 7, 52, 53, 54, 78, 79, 100, 101, 115, 116, 117),
    "AnonymizationDPresence": (0, 2, 3, 4, 8),
    "AnonymizationEntropyLDiversity": (1, 4),
    "AnonymizationKMap": (1, 2, 3, 8, 10),
    "AnonymizationLDiversity": (1, 2, 3),
    "AnonymizationOrderedDistanceTCloseness": (1, 3, 4, 5),
    "AnonymizationSubset": (0, 1, 2, 3),
    "AnonymizationTCloseness": (1, 4, 9),
    "UtilityMetricsLoss": (
        3,
        6,
        7,
        8,
        9,
        12,
        13,
        15,
        16,
        17,
        18,
        22,
        23,
        24,
        26,
        28,
        29,
        30,
        32,
        33,
        34,
        38,
        39,
        47,
        52,
        53,
        54,
        55,
        57,
        58,
        64,
        65,
        66,
        68,
        70,
        73,
        75,
        76,
        80,
        82,
        83,
        84,
        87,
        88,
        89,
        97,
        99,
    ),
}
"""The cases that are tested, by the class and the place where ARX has them."""


def key_of(case: dict[str, Any]) -> str:
    """What makes two cases the same search."""
    parts = "quasi_identifiers", "privacy_models", "suppression_limit", "metric", "settings"
    return json.dumps([case[part] for part in parts])


_FOUND: dict[str, LevelPlan | None] = {}


def solved(shared: Path, case: dict[str, Any]) -> LevelPlan | None:
    """The best plan; None where there is none. Several cases are the same search."""
    key = key_of(case)
    if key in _FOUND:
        return _FOUND[key]
    metric = case["metric"]
    settings: dict[str, Any] = {}
    if "aggregate" in metric:
        settings["aggregate"] = AGGREGATES[metric["aggregate"]]
    if metric["name"] == "loss":
        settings["gs_factor"] = metric["gs_factor"]
    if "monotonic" in metric:
        settings["monotonic"] = metric["monotonic"]
    if case["settings"].get("attribute_weights") == "column_index_plus_1":
        settings["weights"] = {name: (FULL.index(name) + 1) / 9 for name in NAMES}
    data = table(shared, rows_of(case))
    models = [asked(model, case, data.table.records) for model in case["privacy_models"]]
    promises = [model for model in models if model is not None]
    domain = data.table.sensitive[SENSITIVE].about
    assert [part.missing_metadata(domain) for part in promises] == [None] * len(promises)
    try:
        _FOUND[key] = full_domain(
            data,
            promises,
            objective(MEASURES[metric["name"]], **settings),
            Settings(suppression_limit=case["suppression_limit"]),
        )
    except Unsatisfiable:
        _FOUND[key] = None
    return _FOUND[key]


@pytest.mark.parametrize(
    "name", [f"Test{kind}#{place}" for kind, places in CASES.items() for place in places]
)
def test_arx(shared: Path, name: str) -> None:
    case = arx_cases(shared)[name]
    assert tuple(case["quasi_identifiers"]) == NAMES
    assert case["held_out_attribute"] == SENSITIVE
    plan = solved(shared, case)
    if case["expected"]["no_solution"]:
        assert plan is None
        return
    assert plan is not None
    expected = number(case["expected"]["information_loss"])
    assert as_list(plan.search.value) == pytest.approx(expected, rel=1e-8, abs=1e-8)
    assert plan.search.optimal


def test_every_case_of_arx_is_named_above(shared: Path) -> None:
    named = {f"Test{kind}#{place}" for kind, places in CASES.items() for place in places}
    assert set(arx_cases(shared)) == named


def test_people_in_no_published_class_break_a_lower_bound(shared: Path) -> None:
    """Two of ARX's cases are below the optimum of their own definition.

    ARX looks at classes of fewer than l = 5 records for l-diversity alone, those of nobody among
    them, and so overlooks people of the population who are in no class.
    """
    case = arx_cases(shared)["TestAnonymizationCombinations#53"]
    data = table(shared, rows_of(case))
    diverse = promise("recursive-cl-diversity", c=4, l=5, sensitive=SENSITIVE)
    presence = promise("delta-presence", lower=0.05, upper=0.15, absent="suppressed")
    goal = objective("non-uniform-entropy", monotonic=True)
    plan = full_domain(data, [diverse, presence], goal, Settings(suppression_limit=0.05))
    assert isinstance(plan.search.value, float)
    assert plan.search.value > number(case["expected"]["information_loss"])[0] * 1.2
    strict = promise("delta-presence", lower=0.05, upper=0.15)
    whole = full_domain(data, [diverse, strict], goal, Settings(suppression_limit=0.05))
    assert not whole.suppressed[data.weight > 0].any()
    assert as_list(whole.search.value) >= as_list(plan.search.value)
