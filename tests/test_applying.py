"""The plan of one table on another: the same labels, promises held anew, what it costs to mend."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import indistinct as ind
from indistinct.cli import app
from indistinct.hierarchies.continued import continued
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.recoding.method import methods

REUSABLE = ("optimal", "heuristic", "iab", "greedy", "exhaustive", "mondrian")


def table(seed: int, size: int = 120, ages: tuple[int, int] = (20, 60)) -> pl.DataFrame:
    """One row per person."""
    random = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": random.integers(*ages, size),
            "zip": random.choice(["1010", "1020", "1110", "2110"], size),
            "ill": random.choice(["flu", "gout", "asthma"], size),
        }
    )


def policy(k: int = 3, hierarchy: Any = None, **method: Any) -> dict[str, Any]:
    return {
        "attributes": {
            "age": {
                "role": "quasi-identifier",
                "hierarchy": hierarchy or {"intervals": {"width": 10}},
            },
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": {"from": "right"}}},
            "ill": {"role": "sensitive"},
        },
        "promises": [{"model": "k-anonymity", "k": k}],
        "method": {"seed": 1, **method},
    }


def mapping(release: ind.Release) -> dict[str, dict[Any, Any]]:
    """What every value is published as, by attribute."""
    document = release.private["plan.json"]
    assert isinstance(document, Mapping)
    return {name: dict(item["published"]) for name, item in document["attributes"].items()}


@settings(max_examples=40)
@given(st.integers(0, 50), st.integers(51, 99), st.sampled_from(REUSABLE[:5]))
def test_labels_are_those_of_the_plan(one: int, two: int, algorithm: str) -> None:
    asked = policy(algorithm=algorithm)
    first = ind.anonymize(table(one), asked)
    try:
        second = ind.apply(first, table(two), asked)
    except ind.Unsatisfiable:
        return
    assert ind.audit(second, asked).holds
    before, after = mapping(first), mapping(second)
    for name, labels in before.items():
        assert all(after[name][value] == label for value, label in labels.items())


@settings(max_examples=40)
@given(st.integers(0, 30), st.sampled_from(REUSABLE))
def test_on_its_own_table_a_plan_makes_its_own_release(seed: int, algorithm: str) -> None:
    asked = policy(algorithm=algorithm)
    first = ind.anonymize(table(seed), asked)
    again = ind.apply(first, table(seed), asked)
    assert first.tables.sort(pl.all()).equals(again.tables.sort(pl.all()))


@settings(max_examples=12)
@given(
    seed=st.integers(0, 60),
    cells=st.sampled_from([{}, {"age": "ancestor", "zip": "set"}, {"age": "set"}]),
    strict=st.booleans(),
    more=st.sampled_from([[], [{"model": "distinct-l-diversity", "l": 2}]]),
)
def test_where_cells_of_classes_overlap_each_record_goes_to_its_own(
    seed: int, cells: dict[str, str], strict: bool, more: list[dict[str, Any]]
) -> None:
    asked = policy(algorithm="mondrian", cells=cells, partition={"strict": strict})
    asked["promises"] += more
    asked["method"]["suppression_limit"] = 0.1
    asked["attributes"]["day"] = {
        "role": "quasi-identifier",
        "hierarchy": {"date": {"levels": ["month", "year"]}},
    }
    random = np.random.default_rng(seed)
    days = ["2020-05-01", "2020-05-02", "2020-06-01", "2021-01-01", None]
    when = [days[at] for at in random.integers(0, 5, 60)]
    own = table(seed, 60, (20, 24)).with_columns(day=pl.Series(when, dtype=pl.String))
    first = ind.anonymize(own, asked)
    again = ind.apply(first, own, asked)
    assert first.tables.sort(pl.all()).equals(again.tables.sort(pl.all()))


def test_a_plan_that_was_applied_can_be_applied(tmp_path: Path) -> None:
    asked = policy(suppression_limit=0.1)
    ind.anonymize(table(1), asked).write(tmp_path / "one")
    ind.apply(tmp_path / "one", table(2), asked).write(tmp_path / "two")
    three = ind.apply(tmp_path / "two" / "private" / "plan.json", table(3), asked)
    assert ind.audit(three, asked).holds


def visits(table: pl.DataFrame) -> pl.DataFrame:
    """Two rows per person."""
    people = table.with_columns(patient=pl.int_range(pl.len()).cast(pl.String))
    return pl.concat([people, people])


OF_PEOPLE: dict[str, Any] = {"source": {"person": "patient"}}


@pytest.mark.parametrize("units", ["records", "people"])
@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_what_breaks_is_told_with_its_price_and_nothing_is_made(algorithm: str, units: str) -> None:
    def made(table: pl.DataFrame) -> pl.DataFrame:
        return table if units == "records" else visits(table)

    def keys(**method: Any) -> dict[str, Any]:
        found = policy(algorithm=algorithm, **method)
        if units == "people":
            found |= OF_PEOPLE
            found["attributes"]["patient"] = {"role": "identifier"}
        return found

    asked = keys()
    first = ind.anonymize(made(table(1)), asked)
    with pytest.raises(ind.Unsatisfiable) as caught:
        ind.apply(first, made(table(2, size=30)), asked)
    (problem,) = caught.value.problems
    assert problem.code == "plan-breaks"
    assert "k-anonymity(k=3) in" in problem.message
    assert f" of 30 {units}" in problem.message
    assert "suppression_limit = 0." in str(problem.remedy)
    assert "--adapt" in str(problem.remedy)
    # What it says would mend it does.
    share = float(str(problem.remedy).split("suppression_limit = ")[1].split(";")[0])
    mended = keys(suppression_limit=share)
    assert ind.audit(ind.apply(first, made(table(2, size=30)), mended), mended).holds
    # To leave out nearly everything is no advice.
    with pytest.raises(ind.Unsatisfiable) as caught:
        ind.apply(first, made(table(2, size=8)), asked)
    assert "suppression_limit" not in str(caught.value.problems[0].remedy)


@pytest.mark.parametrize(
    ("ages", "cause"), [((60, 100), ", most of them because of 'age'"), ((20, 60), "")]
)
def test_what_keeps_most_records_out_of_the_classes_is_told(
    ages: tuple[int, int], cause: str
) -> None:
    asked = policy(algorithm="mondrian", k=2)
    asked["attributes"]["age"]["hierarchy"] = "suppress"
    first = ind.anonymize(table(1), asked)
    with pytest.raises(ind.Unsatisfiable) as caught:
        ind.apply(first, table(2, 40, ages), asked)
    message = caught.value.problems[0].message
    assert ("has no class for 40 of 40 records" in message) == bool(cause)
    assert cause in message


@settings(max_examples=40)
@given(st.integers(0, 40), st.integers(10, 60))
def test_as_few_attributes_as_can_be_are_adapted(seed: int, size: int) -> None:
    asked = policy()
    first = ind.anonymize(table(1), asked)
    other = table(seed, size)
    found = ind.apply(first, other, asked, adapt=True)
    assert ind.audit(found, asked).holds
    account = found.private["applied.json"]
    assert isinstance(account, Mapping)
    for name in account["kept"]:
        before, after = mapping(first)[name], mapping(found)[name]
        assert all(before[value] == label for value, label in after.items() if value in before)
    try:
        ind.apply(first, other, asked)
    except ind.Unsatisfiable:
        assert account["changed"]
    else:
        assert not account["changed"]


@settings(max_examples=40)
@given(st.integers(0, 40), st.integers(12, 60))
def test_classes_that_hold_are_kept(seed: int, size: int) -> None:
    asked = policy(algorithm="mondrian")
    first = ind.anonymize(table(1), asked)
    found = ind.apply(first, table(seed, size), asked, adapt=True)
    assert found.run.to_dict()["suppressed"] == 0
    assert ind.audit(found, asked).holds


def test_local_recoding_is_repeated_node_by_node() -> None:
    asked = policy(k=6, local_recoding=True)
    first = ind.anonymize(table(4, 60), asked)
    document = first.private["plan.json"]
    assert isinstance(document, Mapping)
    assert len(document["nodes"]) > 1
    again = ind.apply(first, table(4, 60), asked)
    assert ind.audit(again, asked).holds
    assert again.private["plan.json"]["nodes"] == document["nodes"]  # type: ignore[call-overload, index]


def test_bins_of_equal_frequency_stay_where_they_were() -> None:
    asked = policy(hierarchy={"equal_frequency": 4})
    first = ind.anonymize(table(1), asked)
    second = ind.apply(first, table(2, 300, (20, 50)), asked)
    before, after = mapping(first)["age"], mapping(second)["age"]
    assert set(after.values()) == set(before.values())


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_a_hierarchy_of_the_policy_that_is_not_used_is_told(algorithm: str) -> None:
    def asked(width: int) -> dict[str, Any]:
        found = policy(hierarchy={"intervals": {"width": width}})
        found["method"] = {"algorithm": algorithm}
        return found

    first = ind.anonymize(table(1, 300), asked(5))
    told = "another hierarchy for 'age' than the plan"
    other = ind.apply(first, table(1, 300), asked(7))
    assert any(told in text for text in other.warnings)
    same = ind.apply(first, table(1, 300), asked(5))
    assert not any(told in text for text in same.warnings)


def test_values_that_no_label_covers_are_told_or_suppressed() -> None:
    asked = policy(2, {"equal_frequency": {"bins": 4, "ends": "closed"}}, max_level=None)
    del asked["method"]["max_level"]
    asked["attributes"]["age"]["max_level"] = 1
    first = ind.anonymize(table(1, 300), asked)
    older = pl.concat([table(2, 300), table(3, 3, (90, 99))])
    with pytest.raises(ind.Unsatisfiable) as caught:
        ind.apply(first, older, asked)
    (problem,) = caught.value.problems
    assert (problem.code, problem.attribute) == ("uncovered-by-plan", "age")
    assert set(problem.rows) <= {301, 302, 303}
    asked["attributes"]["age"]["uncovered"] = "suppress"
    asked["method"]["suppression_limit"] = 0.05
    found = ind.apply(first, older, asked)
    assert ind.audit(found, asked).holds
    assert set(found.tables["age"]) <= {*mapping(first)["age"].values(), "*"}
    assert any("end at values of people in its table" in text for text in found.warnings)


def test_a_moved_value_keeps_its_label() -> None:
    chains = {"1010": ["1*", "*"], "1110": ["1*", "*"], "2110": ["2*", "*"], "1020": ["1*", "*"]}
    before = {leaf: (leaf, *chain) for leaf, chain in chains.items()}
    moved = Taxonomy("zip", [("1010", "2*", "*"), ("2120", "2*", "*"), ("3110", "3*", "*")])
    found = continued("zip", before, moved, None)
    assert found.taxonomy.generalize("1010", 1) == "1*"
    assert found.taxonomy.generalize("2120", 1) == "2*"
    assert found.covered_from == {"2120": 1, "3110": 2}


@pytest.mark.parametrize("algorithm", sorted(set(methods()) - {*REUSABLE, "knm"}))
def test_methods_whose_plans_fit_no_other_table_are_refused(algorithm: str) -> None:
    document = {"algorithm": algorithm, "attributes": {}}
    with pytest.raises(ind.PolicyError) as caught:
        ind.apply(document, table(1), policy())
    assert caught.value.problems[0].code == "plan-of-one-table"
    assert algorithm in caught.value.problems[0].message
    assert ("ledger" in str(caught.value.problems[0].remedy)) == (algorithm == "m-invariant")


def _set(document: Any, place: tuple[Any, ...], value: Any) -> None:
    for key in place[:-1]:
        document = document[key]
    document[place[-1]] = value


@pytest.mark.parametrize(
    ("algorithm", "place", "value"),
    [
        ("optimal", ("hierarchies", "zip", 0, 0), 0.5),
        ("optimal", ("hierarchies", "zip", 0, 1), 2**70),
        ("optimal", ("hierarchies", "age", 2, 1), [[]]),
        ("optimal", ("nodes", 0), []),
        ("optimal", ("nodes", 0, 0), 99),
        ("optimal", ("nodes", 0, 0), -1),
        ("mondrian", ("attributes", "zip", "published", 0), ["a"]),
        ("mondrian", ("attributes", "age", "published", 0), -0.5),
        ("mondrian", ("class_cells", 0, 1), 2**70),
        ("mondrian", ("class_cells", 0, 1), -1),
    ],
)
def test_a_damaged_plan_is_refused(algorithm: str, place: tuple[Any, ...], value: Any) -> None:
    asked = policy(algorithm=algorithm)
    plan = json.loads(json.dumps(ind.anonymize(table(1), asked).private["plan.json"]))
    _set(plan, place, value)
    with pytest.raises(ind.DataError) as caught:
        ind.apply(plan, table(1), asked)
    assert [one.code for one in caught.value.problems] == ["bad-plan"]


def test_what_is_no_plan_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    for text in ("", "[]", "{}", '{"algorithm": "optimal", "attributes": {"age": 3}}'):
        path.write_text(text)
        with pytest.raises(ind.DataError) as caught:
            ind.apply(path, table(1), policy())
        assert caught.value.problems[0].code in {"bad-plan", "unreadable-plan"}
    with pytest.raises(ind.DataError):
        ind.apply(tmp_path / "nothing", table(1), policy())


def test_plan_and_policy_have_to_fit() -> None:
    first = ind.anonymize(table(1), policy())
    asked = policy()
    asked["attributes"]["zip"]["role"] = "insensitive"
    asked["attributes"]["zip"].pop("hierarchy")
    other = policy(algorithm="mondrian")
    bounded = policy()
    bounded["attributes"]["age"]["max_level"] = 0
    codes = []
    for one in (asked, other, bounded):
        with pytest.raises(ind.PolicyError) as caught:
            ind.apply(first, table(2), one)
        codes.append(caught.value.problems[0].code)
    assert codes == ["plan-of-other-attributes", "plan-of-another-method", "plan-outside-bounds"]


def test_a_cut_is_applied_or_refused() -> None:
    asked = policy(algorithm="iab", scope="subtree")
    first = ind.anonymize(table(1), asked)
    assert ind.apply(first, table(1), asked).tables.height == 120
    with pytest.raises(ind.PolicyError) as caught:
        ind.apply(first, table(2, 12), asked, adapt=True)
    assert caught.value.problems[0].code == "cannot-adapt"


def test_the_verb(tmp_path: Path) -> None:
    runner = CliRunner()
    for year in (1, 2):
        table(year).write_csv(tmp_path / f"{year}.csv")
    table(3, 20).write_csv(tmp_path / "3.csv")
    (tmp_path / "policy.toml").write_text(
        '[attributes.age]\nrole = "quasi-identifier"\nhierarchy = { intervals = { width = 10 } }\n'
        '[attributes.zip]\nrole = "quasi-identifier"\n'
        '[attributes.ill]\nrole = "sensitive"\n[[promises]]\nmodel = "k-anonymity"\nk = 3\n'
    )
    common = ["--policy", str(tmp_path / "policy.toml"), "--out"]
    first = [str(tmp_path / "1.csv"), *common, str(tmp_path / "one")]
    assert runner.invoke(app, ["anonymize", *first]).exit_code == 0
    plan = str(tmp_path / "one")
    done = runner.invoke(
        app, ["apply", plan, str(tmp_path / "2.csv"), *common, str(tmp_path / "two"), "--json"]
    )
    assert done.exit_code == 0
    assert json.loads(done.stdout)["promises"][0]["holds"]
    assert "seed" not in json.loads(done.stdout)
    last = [plan, str(tmp_path / "3.csv"), *common, str(tmp_path / "three")]
    refused = runner.invoke(app, ["apply", *last])
    assert refused.exit_code == 3
    assert not (tmp_path / "three").exists()
    assert runner.invoke(app, ["apply", *last, "--adapt"]).exit_code == 0


def test_why_new_days_have_no_class_is_told() -> None:
    asked = policy(algorithm="mondrian")
    asked["attributes"]["day"] = {
        "role": "quasi-identifier",
        "hierarchy": {"date": {"levels": ["month", "year"]}},
    }
    days = pl.Series("day", [f"2023-0{at % 9 + 1}-1{at % 7}" for at in range(60)])
    one = table(1, 60).with_columns(days)
    first = ind.anonymize(one, asked)
    with pytest.raises(ind.Unsatisfiable) as caught:
        ind.apply(first, one.with_columns(pl.col("day").str.replace("2023", "2024")), asked)
    message = caught.value.problems[0].message
    assert "because of 'day' (2024-01-1" in message
    assert "to 2024-09-1" in message
    assert "; the plan was made of 2023-01-1" in message


@pytest.mark.parametrize("seed", range(8))
def test_a_plan_that_is_adapted_makes_no_ranges_of_categories(seed: int, tmp_path: Path) -> None:
    drawn = np.random.default_rng(seed)

    def wards(records: int) -> pl.DataFrame:
        columns = {"ward": drawn.integers(11, 28, records), "site": drawn.integers(31, 36, records)}
        return pl.DataFrame(columns).cast(pl.String)

    tens = Taxonomy("ward", [(str(at), f"{at // 10}*", "*") for at in range(11, 28)])
    category = {"role": "quasi-identifier", "type": "category"}
    keys: dict[str, Any] = {
        "attributes": {
            "ward": {**category, "hierarchy": tens},
            "site": {**category, "hierarchy": "suppress"},
        },
        "promises": [{"model": "k-anonymity", "k": 12}],
        "method": {"algorithm": "mondrian", "seed": 1, "cells": {"site": "ancestor"}},
    }
    ind.anonymize(wards(30), keys).write(tmp_path / "release", report=False)
    keys["promises"][0]["k"] = 14
    made = ind.apply(tmp_path / "release", wards(25), keys, adapt=True).tables
    assert not [cell for cell in (*made["ward"], *made["site"]) if cell.startswith("[")]


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian", "greedy"])
@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("age", {"hierarchy": {"intervals": {"width": 10, "top": 50}}}),
        ("age", {"hierarchy": {"intervals": {"width": 10, "bottom": 30}}}),
        ("zip", {"missing": "suppress"}),
        (
            "zip",
            {
                "hierarchy": {"tree": {"*": ["1010", "1020", "1110"]}},
                "uncovered": "suppress",
            },
        ),
    ],
)
def test_what_the_policy_hides_at_every_level_is_not_shown_by_an_earlier_plan(
    algorithm: str, name: str, changes: dict[str, Any]
) -> None:
    missing = pl.int_range(pl.len()) % 9 == 0
    data = table(1, 400).with_columns(zip=pl.when(missing).then(None).otherwise("zip"))
    asked = policy(algorithm=algorithm)
    if algorithm != "mondrian":
        asked["attributes"]["age"]["max_level"] = 1
        asked["attributes"]["zip"]["max_level"] = 0
    first = ind.anonymize(data, asked)
    hiding = {**asked, "attributes": {**asked["attributes"]}}
    hiding["attributes"][name] = asked["attributes"][name] | changes
    with pytest.raises(ind.PolicyError) as caught:
        ind.apply(first, data, hiding)
    (problem,) = caught.value.problems
    assert (problem.code, problem.attribute) == ("plan-outside-bounds", name)
    assert problem.rows
    made_so = ind.anonymize(data, hiding)
    assert ind.audit(ind.apply(made_so, data, hiding), hiding).holds


def test_one_name_is_enough_for_an_analysis() -> None:
    asked = policy() | {"analyses": [{"kind": "table", "by": "zip"}]}
    assert ind.Policy.from_dict(asked).analyses[0].by == ("zip",)
