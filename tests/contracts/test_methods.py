"""What holds of every method there is: promises, limits, truth, and what becomes of every key.

All is asked of releases, by policies alone: what a method is made of does not matter here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
import pytest

import indistinct as ind
from indistinct.policy.sections import Attribute, Output, Partition
from indistinct.policy.sections import Method as MethodKeys
from indistinct.recoding.method import COMMON, methods

ALGORITHMS = tuple(methods())

ILLS = ("flu", "asthma", "gout", "cancer", "HIV", "hepatitis")
GROUPS = {"mild": ["flu", "asthma"], "middle": ["gout", "hepatitis"], "grave": ["cancer", "HIV"]}
RANKS = {"flu": 4, "asthma": 4, "gout": 3, "hepatitis": 3, "cancer": 2, "HIV": 1}
ZIPS = ("1010", "1020", "1030", "1110", "2110", "2120")
ZIP_TREE = {"*": {"1": {"10": ["1010", "1020", "1030"], "11": ["1110"]}, "2": ["2110", "2120"]}}
COVERED = {
    "1": {"1010", "1020", "1030", "1110"},
    "10": {"1010", "1020", "1030"},
    "11": {"1110"},
    "2": {"2110", "2120"},
}
"""What the nodes of the hierarchy of zip codes stand for."""

QUASI = ("age", "zip")
SEEDS = (1, 2)

PROMISES: Mapping[str, list[dict[str, Any]]] = {
    "k-anonymity": [{"model": "k-anonymity", "k": 3}],
    "max-posterior": [{"model": "max-posterior", "bound": 0.6}],
    "knm-anonymity": [{"model": "knm-anonymity", "k": {"1": 4, "2": 4, "3": 3, "4": 2}}],
    "theta-sensitive": [{"model": "k-anonymity", "k": 3}, {"model": "theta-sensitive", "k": 3}],
    "differential-privacy": [
        {"model": "differential-privacy", "epsilon": 1.0, "delta": 0.01, "search": 0.3}
    ],
    "m-invariance": [{"model": "m-invariance", "m": 2}],
    "kl-diversity": [{"model": "kl-diversity", "k": 3, "l": 2}],
    "p-plus-sensitive": [
        {"model": "k-anonymity", "k": 3},
        {"model": "p-plus-sensitive", "p": 2},
        {"model": "distinct-l-diversity", "l": 2},
    ],
}
"""What a method may work towards: the first of these that a policy with it accepts."""


def people(seed: int, size: int = 60) -> pl.DataFrame:
    """One row per person; ages are numbers, so are zip codes."""
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "patient": [f"P{number:03d}" for number in range(size)],
            "age": random.integers(20, 60, size),
            "zip": random.choice([int(code) for code in ZIPS], size),
            "ill": random.choice(ILLS, size, p=[0.2, 0.2, 0.2, 0.15, 0.1, 0.15]),
        }
    )


def visits(seed: int, size: int = 60) -> pl.DataFrame:
    """One or two rows per person, with different illnesses."""
    table = people(seed, size)
    others = dict(zip(ILLS, (*ILLS[1:], ILLS[0]), strict=True))
    second = table.filter(pl.int_range(pl.len()) % 2 == 0)
    return pl.concat([table, second.with_columns(pl.col("ill").replace(others))])


def _keys(algorithm: str, promises: list[dict[str, Any]], person: bool, seed: int) -> Any:
    keys: dict[str, Any] = {
        "attributes": {
            "patient": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 10}}},
            "zip": {"role": "quasi-identifier", "hierarchy": {"tree": ZIP_TREE}},
            "ill": {
                "role": "sensitive",
                "categories": {"table": GROUPS, "order": list(GROUPS)},
                "ranks": {"table": RANKS},
                "hierarchy": {"tree": {"*": GROUPS}},
            },
        },
        "promises": promises,
        "method": {"algorithm": algorithm, "seed": seed},
    }
    if promises[0]["model"] == "differential-privacy":  # nothing else may depend on the table
        age = {"intervals": {"width": 30, "levels": 1}}
        keys["attributes"] |= {
            "age": {"role": "quasi-identifier", "hierarchy": age, "min_level": 1},
            "zip": keys["attributes"]["zip"] | {"min_level": 2},
            "ill": {"role": "identifier"},
        }
    if person:
        keys["source"] = {"person": "patient"}
        del keys["attributes"]["patient"]
    return keys


def policies(algorithm: str, seed: int = 1) -> list[dict[str, Any]]:
    """Policies with the method: for records and for people, as far as it goes with them."""
    found = []
    for person in (False, True):
        for promises in PROMISES.values():
            keys = _keys(algorithm, promises, person, seed)
            try:
                ind.Policy.from_dict(keys)
            except ind.PolicyError:
                continue
            found.append(keys)
            break
    return found


def table_for(keys: Mapping[str, Any], seed: int = 1) -> pl.DataFrame:
    return visits(seed) if "source" in keys else people(seed)


def with_method(keys: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**keys, "method": keys["method"] | changes}


def covers(cell: object, value: object, name: str) -> bool:
    """Whether a published cell stands for a value: itself, a range, a set, a node, anything."""
    text, exact = str(cell), str(value)
    if text in ("*", exact):
        return True
    if isinstance(value, date):
        low, high = (text[1:-1] if text.startswith("[") else f"{text}, {text}").split(", ")
        return low[:7] <= exact[: len(low[:7])] and exact[: len(high)] <= high
    if text.startswith("["):
        low, high = text[1:-1].split(", ")
        return float(low) <= float(exact) <= float(high)
    if text.startswith("{"):
        return exact in text[1:-1].split(", ")
    return name == "zip" and exact in COVERED.get(text, ())


def test_a_cell_is_read_as_it_is_written() -> None:
    assert covers("[2019-03, 2020]", date(2020, 12, 31), "age")
    assert covers("2019-03", date(2019, 3, 31), "age")
    assert not covers("[2019-03, 2020-11]", date(2020, 12, 1), "age")
    assert not covers("[2019-03, 2020-11]", date(2019, 2, 28), "age")
    assert covers("[20, 29]", 29, "age")
    assert not covers("[20, 29]", 30, "age")
    assert covers("{20, 30}", 30, "age")
    assert not covers("{20, 30}", 25, "age")
    assert covers("10", 1010, "zip")
    assert not covers("10", 1110, "zip")


def quasi_rows(release: ind.Release) -> list[dict[str, Any]]:
    """The quasi-identifiers that are published, a row for every person or record."""
    if release.linked:
        return release.tables["quasi"].select(QUASI).to_dicts()
    if "patient" in release.tables.columns:
        return release.tables.select("patient", *QUASI).unique().select(QUASI).to_dicts()
    return release.tables.select(QUASI).to_dicts()


def true_rows(published: list[dict[str, Any]], original: pl.DataFrame) -> int:
    """How many published rows can be rows of different people at once: a largest matching."""
    graph = nx.Graph()
    rows = original.select("patient", *QUASI).unique().to_dicts()
    left = [("published", at) for at in range(len(published))]
    graph.add_nodes_from(left)
    for at, row in enumerate(published):
        for own in rows:
            if all(covers(row[name], own[name], name) for name in QUASI):
                graph.add_edge(("published", at), ("person", own["patient"]))
    return len(nx.bipartite.maximum_matching(graph, top_nodes=left)) // 2


CASES = [(algorithm, at) for algorithm in ALGORITHMS for at in range(len(policies(algorithm)))]


def test_every_method_goes_with_records_or_people() -> None:
    assert {algorithm for algorithm, _ in CASES} == set(ALGORITHMS)


@pytest.mark.parametrize(("algorithm", "at"), CASES)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_published_is_true_and_keeps_the_promises(
    algorithm: str, at: int, seed: int
) -> None:
    """Every published row covers a person of its own, but for as many as were made up."""
    keys = policies(algorithm, seed)[at]
    table = table_for(keys, seed)
    release = ind.anonymize(table, keys)
    assert ind.audit(release.tables, keys).holds
    told = release.run.to_dict()
    published = quasi_rows(release)
    made_up = sum(told["added"].values())
    assert true_rows(published, table) >= len(published) - made_up
    if not made_up and not release.linked and "ill" in release.tables.columns:
        assert len(published) <= table["patient"].n_unique()
        ills = release.tables.select("ill").sort("ill")
        assert ills.equals(table.select("ill").sort("ill"))


@pytest.mark.parametrize(("algorithm", "at"), CASES)
@pytest.mark.parametrize("levels", [["month", "year"], ["year"]])
def test_dates_are_published_truly_too(algorithm: str, at: int, levels: list[str]) -> None:
    """Ages as dates of birth, in ranges of months or years, or under nodes of a hierarchy."""
    keys = policies(algorithm)[at]
    keys["attributes"]["age"]["hierarchy"] = {"date": levels}
    born = pl.lit(date(1990, 1, 1)) + pl.duration(days=pl.col("age") * 47)
    table = table_for(keys).with_columns(born.cast(pl.Date).alias("age"))
    release = ind.anonymize(table, keys)
    assert ind.audit(release.tables, keys).holds
    published = quasi_rows(release)
    made_up = sum(release.run.to_dict()["added"].values())
    assert true_rows(published, table) >= len(published) - made_up
    assert all(str(row["age"])[0] in "*[12" for row in published)


@pytest.mark.parametrize(("algorithm", "at"), CASES)
def test_a_seed_repeats_a_release_and_the_table_is_not_changed(algorithm: str, at: int) -> None:
    keys = policies(algorithm)[at]
    table = table_for(keys)
    before = table.clone()
    releases = [ind.anonymize(table, keys) for _ in range(2)]
    assert table.equals(before)
    for name, frame in _frames(releases[0]).items():
        assert frame.equals(_frames(releases[1])[name])


def _frames(release: ind.Release) -> dict[str, pl.DataFrame]:
    return dict(release.tables) if release.linked else {"release": release.tables}


# Keys of the policy


Check = Callable[[ind.Release, pl.DataFrame], bool]


def _suppressed_at_most(share: float) -> Check:
    def check(release: ind.Release, table: pl.DataFrame) -> bool:
        told = release.run.to_dict()
        whole = told["people"]["source"] if "people" in told else told["records"]
        left = told["people"]["published"] if "people" in told else told["published"]
        return whole - left <= share * whole

    return check


def _plan(release: ind.Release) -> dict[str, Any]:
    return dict(release.run.to_dict()["plan"])


def _labels(release: ind.Release, name: str) -> set[str]:
    return {str(row[name]) for row in quasi_rows(release)}


def _no_exact_age(release: ind.Release, table: pl.DataFrame) -> bool:
    return not _labels(release, "age") & {str(age) for age in table["age"]}


def _no_star(release: ind.Release, table: pl.DataFrame) -> bool:
    del table
    return "*" not in _labels(release, "zip") | _labels(release, "age")


def _noise_at_most(number: int) -> Check:
    return lambda release, table: release.run.to_dict()["added"]["noise"] <= number


def _accepted(release: ind.Release, table: pl.DataFrame) -> bool:
    """Nothing of the release alone shows it: the promise is all there is to see."""
    return ind.audit(release).holds and table.height > 0


METHOD_KEYS: dict[str, tuple[Any, Check]] = {
    "objective": (
        "height",
        lambda release, table: _plan(release)["objective"]["measure"] == "height",
    ),
    "suppression_limit": (0.1, _suppressed_at_most(0.1)),
    "time_limit": (60.0, _accepted),
    "node_limit": (3, lambda release, table: _plan(release).get("expanded", 0) <= 4),
    "scope": ("subtree", _accepted),
    "tie_break": ("paper", _accepted),
    "local_recoding": (
        True,
        lambda release, table: release.certificate.records_published == table.height,
    ),
    "cells": (
        "set",
        lambda release, table: (
            not any(label.startswith("[") for name in QUASI for label in _labels(release, name))
        ),
    ),
    "partition": ({"strict": False}, _accepted),
    "variant": ("paper", _accepted),
    "max_noise": (5, _noise_at_most(5)),
    "mode": ("split", _accepted),
    "accept_unsafe": (True, _accepted),
    "keep_history": ("generalized", _accepted),
    "items": ("local", _accepted),
    "decoys": (
        {"to": 5, "limit": 0.5},
        lambda release, table: (
            "decoys" in release.certificate.to_dict()["may_contain"]
            and release.run.decoys <= 0.5 * release.certificate.records_published
        ),
    ),
    "seed": (5, lambda release, table: release.run.to_dict()["seed"] == 5),
}
"""For each key of a method a value, and what shows in a release that it was heeded."""


def test_every_key_of_a_method_is_tried() -> None:
    assert set(METHOD_KEYS) | {"algorithm"} == set(MethodKeys.model_fields)


@pytest.mark.parametrize("key", METHOD_KEYS)
@pytest.mark.parametrize(("algorithm", "at"), CASES)
def test_a_key_is_honoured_or_refused(algorithm: str, at: int, key: str) -> None:
    value, heeded = METHOD_KEYS[key]
    keys = with_method(policies(algorithm)[at], **{key: value})
    table = table_for(keys)
    try:
        release = ind.anonymize(table, keys)
    except (ind.PolicyError, ind.Unsatisfiable):
        return
    assert heeded(release, table)


ATTRIBUTE_KEYS: dict[str, tuple[dict[str, dict[str, Any]], Check]] = {
    "min_level": ({"age": {"min_level": 1}}, _no_exact_age),
    "max_level": ({"age": {"max_level": 1}, "zip": {"max_level": 2}}, _no_star),
    "weight": ({"age": {"weight": 5.0}}, _accepted),
}


@pytest.mark.parametrize("key", ATTRIBUTE_KEYS)
@pytest.mark.parametrize(("algorithm", "at"), CASES)
def test_a_key_of_an_attribute_is_honoured_or_refused(algorithm: str, at: int, key: str) -> None:
    changes, heeded = ATTRIBUTE_KEYS[key]
    keys = policies(algorithm)[at]
    own = {name: item | changes.get(name, {}) for name, item in keys["attributes"].items()}
    keys = {**keys, "attributes": own}
    table = table_for(keys)
    try:
        release = ind.anonymize(table, keys)
    except (ind.PolicyError, ind.Unsatisfiable):
        return
    assert heeded(release, table)


@pytest.mark.parametrize("cells", [None, "set", "ancestor", "level"])
@pytest.mark.parametrize(("algorithm", "at"), CASES)
def test_no_value_beyond_the_ends_is_published(algorithm: str, at: int, cells: str | None) -> None:
    keys = policies(algorithm)[at]
    ends = {"hierarchy": {"intervals": {"width": 5, "bottom": 24, "top": 50, "levels": 3}}}
    attributes = keys["attributes"] | {"age": keys["attributes"]["age"] | ends}
    keys = {**keys, "attributes": attributes}
    if cells is not None:
        keys = with_method(keys, cells=cells)
    table = table_for(keys)
    assert (
        {age < 24 for age in table["age"]} == {age >= 50 for age in table["age"]} == {True, False}
    )
    try:
        release = ind.anonymize(table, keys)
    except ind.PolicyError:
        assert cells is not None
        return
    told = " ".join(_labels(release, "age"))
    beyond = [age for age in table["age"] if not 24 <= age < 50]
    assert not {str(age) for age in beyond} & set(re.findall(r"(?<![<=])\b[0-9]+\b", told)) - {"50"}
    assert ind.audit(release.tables, keys).holds


OUTPUT_KEYS: dict[str, Any] = {
    "format": "parquet",
    "suppressed": "keep",
    "shuffle": False,
    "spreadsheet_safe": True,
    "report": False,
}


def test_every_key_of_the_output_is_tried() -> None:
    assert set(OUTPUT_KEYS) == set(Output.model_fields)
    assert set(ATTRIBUTE_KEYS) <= set(Attribute.model_fields)


@pytest.mark.parametrize(("algorithm", "at"), CASES)
def test_suppressed_rows_are_kept_where_that_is_asked_for(algorithm: str, at: int) -> None:
    keys = with_method(policies(algorithm)[at], suppression_limit=0.3)
    table = table_for(keys)
    try:
        release = ind.anonymize(table, {**keys, "output": {"suppressed": "keep"}})
    except ind.PolicyError:
        return
    told = release.run.to_dict()
    assert told["records"] == table.height
    assert release.tables.height == table.height + sum(told["added"].values())
    assert ind.audit(release.tables, keys).holds


@pytest.mark.parametrize(("algorithm", "at"), CASES)
def test_rows_stay_in_order_where_that_is_asked_for(algorithm: str, at: int) -> None:
    keys = policies(algorithm)[at]
    table = table_for(keys)
    try:
        release = ind.anonymize(table, {**keys, "output": {"shuffle": False}})
    except ind.PolicyError:
        return
    if sum(release.run.to_dict()["added"].values()):
        return
    assert release.tables["ill"].to_list() == table["ill"].to_list()


@pytest.mark.parametrize(("algorithm", "at"), CASES)
def test_no_report_is_written_where_none_is_asked_for(
    algorithm: str, at: int, tmp_path: Path
) -> None:
    keys = policies(algorithm)[at]
    table = table_for(keys)
    out = ind.anonymize(table, {**keys, "output": {"report": False}}).write(tmp_path / "out")
    assert {path.suffix for path in out.rglob("*.*")} == {".csv", ".json", ".toml"}


SEARCHED = {"algorithm", "objective", "optimal", "bound", "generated", "distinct", "expanded"}
ALWAYS_SAID = SEARCHED | {"scope", "levels", "rows"}
DOCUMENTS = (Path(__file__).parents[2] / "docs" / "reference" / "json.md").read_text("utf-8")


@pytest.mark.parametrize(("algorithm", "at"), CASES)
def test_what_a_run_says_of_its_search_is_explained(
    algorithm: str, at: int, tmp_path: Path
) -> None:
    keys = policies(algorithm)[at]
    release = ind.anonymize(table_for(keys), {**keys, "output": {"report": False}})
    run = release.run.to_dict()
    files = [path.name for path in (release.write(tmp_path / "out") / "private").iterdir()]
    said = [*run, *run["plan"], run["plan"]["scope"], *files]
    known = {"run.json"}
    assert [key for key in said if f"`{key}`" not in DOCUMENTS and key not in known] == []
    assert run["plan"].keys() >= ALWAYS_SAID
    quasi = release.tables["quasi"] if release.linked else release.tables
    assert run["plan"]["rows"] == quasi.n_unique()


# All other keys


def test_keys_that_every_method_meets_are_honoured(tmp_path: Path) -> None:
    """Missing tokens, uncovered values, transforms, and how files are written, for all methods."""
    for algorithm in ALGORITHMS:
        keys, out = policies(algorithm)[-1], tmp_path / algorithm
        attributes = keys["attributes"] | {"note": {"role": "insensitive", "transform": "mask"}}
        attributes["age"] = attributes["age"] | {"missing": {"tokens": ["99"], "as": "suppress"}}
        tree = {"*": {"1": {"10": list(ZIPS[:3]), "11": [ZIPS[3]]}, "2": [ZIPS[4]]}}
        attributes["zip"] = attributes["zip"] | {
            "hierarchy": {"tree": tree}, "uncovered": "suppress",
        }  # fmt: skip
        attributes["cell"] = {"role": "insensitive"}
        table = table_for(keys).with_columns(
            age=pl.when(pl.col("age") < 22).then(99).otherwise("age"),
            note="n" + pl.col("patient"), cell=pl.lit("=1+1"),
        )  # fmt: skip
        output = {"format": "csv", "spreadsheet_safe": True, "report": False}
        asked = {**keys, "attributes": attributes, "output": output}
        if algorithm == "safepub":
            with pytest.raises(ind.PolicyError, match="publishes values as they are"):
                ind.anonymize(table, asked)
            asked["attributes"] = {name: attributes[name] for name in keys["attributes"]}
            table = table.drop("note", "cell")
        if algorithm == "mdav":
            with pytest.raises(ind.PolicyError, match="missing or suppressed"):
                ind.anonymize(table, asked)
            continue
        try:
            release = ind.anonymize(table, with_method(asked, suppression_limit=0.4))
        except ind.PolicyError:
            release = ind.anonymize(table, asked)
        told = _labels(release, "age") | _labels(release, "zip")
        assert not told & {"99", ZIPS[5]}, algorithm
        text = "".join(path.read_text() for path in release.write(out).glob("*.csv"))
        assert "nP" not in text, algorithm
        assert "=1+1" not in text.replace("'=1+1", ""), algorithm
        assert ind.audit(out).holds, algorithm


SETTINGS: dict[str, Any] = {
    **{key: value for key, (value, _) in METHOD_KEYS.items() if key != "partition"},
    "partition.strict": False,
    "partition.dimension": "entropy",
    "partition.cut": "ncp",
    "partition.start": "mondrian",
    "partition.unchecked_tails": True,
    "partition.donors": "all",
    **{key: changes["age"][key] for key, (changes, _) in ATTRIBUTE_KEYS.items()},
}
"""A value other than the default for everything that a method may heed or not."""


def test_every_setting_of_a_method_is_tried() -> None:
    own = {f"partition.{key}" for key in Partition.model_fields}
    assert set(METHOD_KEYS) - {"partition"} | own | set(ATTRIBUTE_KEYS) == set(SETTINGS)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_setting_that_a_method_does_not_heed_is_refused(algorithm: str) -> None:
    heeded = methods()[algorithm].settings | COMMON
    for keys in policies(algorithm):
        for setting in set(SETTINGS) - heeded:
            section, _, key = setting.rpartition(".")
            value = SETTINGS[setting]
            asked = with_method(keys, **({section: {key: value}} if section else {key: value}))
            if key in ATTRIBUTE_KEYS:
                age = keys["attributes"]["age"] | {key: value}
                asked = {**keys, "attributes": keys["attributes"] | {"age": age}}
            with pytest.raises(ind.PolicyError) as caught:
                ind.Policy.from_dict(asked)
            assert any(key in item.message for item in caught.value.problems), setting
