"""Risk and assessment by people: who has many records counts once."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.test_compare_people import linked_policy
from tests.test_people import QUASI, policy, visits
from typer.testing import CliRunner

import indistinct as ind
from indistinct.cli import app


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return visits()


@pytest.fixture(scope="module")
def long(table: pl.DataFrame) -> ind.Release:
    return ind.anonymize(table, policy())


@pytest.fixture(scope="module")
def linked(table: pl.DataFrame) -> ind.Release:
    return ind.anonymize(table, linked_policy())


def people_of(table: pl.DataFrame, key: str = "patient") -> pl.DataFrame:
    return table.select(key, *QUASI).unique(maintain_order=True)


def sizes(people: pl.DataFrame) -> list[int]:
    return sorted(Counter(people.select(QUASI).iter_rows()).values())


def test_classes_of_a_table_hold_people(table: pl.DataFrame) -> None:
    found = ind.risk(table, policy(), k_range=(2, 4), releases=False)
    people = people_of(table)
    expected = sizes(people)
    assert found.unit == "person"
    assert found.classes["count"] == len(expected)
    assert found.prosecutor.success == pytest.approx(len(expected) / 120)
    assert found.unique == expected.count(1)
    document = found.to_dict(exposed=3)
    assert (document["unit"], document["people"], document["records"]) == (
        "person", 120, table.height,
    )  # fmt: skip
    rows = found.exposed
    assert rows is not None
    assert rows.height == 120
    first = table.with_row_index("row", offset=1).unique("patient", keep="first")["row"]
    assert sorted(rows["row"]) == sorted(first)
    alone = table[int(rows["row"][0]) - 1].select(QUASI).row(0)
    assert people.select(QUASI).rows().count(alone) == rows["class_size"][0]
    # By rows a person of four records would hide among herself.
    by_rows = ind.risk(table, quasi=QUASI)
    assert by_rows.prosecutor.success < found.prosecutor.success
    assert "unit" not in by_rows.to_dict()
    assert "120 people" in repr(found) + found._repr_html_()
    assert ind.risk(table, policy(), quasi=["age"]).classes["count"] == table["age"].n_unique()


@pytest.mark.parametrize("kind", ["release", "folder", "frame"])
def test_classes_of_releases_hold_people(
    table: pl.DataFrame, long: ind.Release, linked: ind.Release, kind: str, tmp_path: Path
) -> None:
    for release, keys in ((long, policy()), (linked, linked_policy())):
        given: Any = release
        if kind == "folder":
            given = release.write(tmp_path / f"{release.linked}")
        elif kind == "frame":
            given = release.tables
        found = ind.risk(given, keys if kind == "frame" else None)
        rows = release.tables["quasi"] if release.linked else people_of(release.tables)
        assert found.records == rows.height
        assert found.classes["smallest"] == sizes(rows)[0]
        assert found.classes["smallest"] == release.certificate.classes["smallest"]
        assert found.rows == (rows if release.linked else release.tables).height
    del table


def test_rows_of_nobody_are_no_people(table: pl.DataFrame, long: ind.Release) -> None:
    with pytest.raises(ind.DataError, match="differs between the rows of"):
        ind.risk(table.with_columns(age=pl.arange(table.height)), policy())
    nobody = long.tables.with_columns(patient=pl.lit(None, dtype=pl.String)).drop("ward")
    with pytest.raises(ind.DataError, match="rows name no person"):
        ind.risk(nobody, policy())
    with pytest.raises(ind.DataError, match="nothing in the release says whose"):
        ind.risk({"release": long.tables.drop("patient", "ward")}, policy())


def test_people_are_held_against_a_population(table: pl.DataFrame) -> None:
    people = people_of(table)
    twice = pl.concat([people, people]).select(QUASI)
    found = ind.risk(table, policy(), population=twice)
    assert found.journalist.highest == pytest.approx(found.prosecutor.highest / 2)
    with pytest.raises(ind.DataError, match="120"):
        ind.risk(table, policy(), population=100)
    estimated = ind.risk(table, policy(), population=2400)
    assert estimated.uniqueness is not None
    assert estimated.uniqueness.sample.population == 2400


def test_the_curve_is_of_releases_that_keep_people_apart(table: pl.DataFrame) -> None:
    diverse = {"model": "distinct-l-diversity", "l": 3, "sensitive": "dx"}
    found = ind.risk(table, policy(diverse), k_range=(3, 4))
    assert found.curve is not None
    assert found.curve.of == "releases"
    for point in found.curve.points:
        keys = policy(diverse, method={"suppression_limit": 0.1, "seed": 7})
        keys["promises"][0]["k"] = point.k
        release = ind.anonymize(table, keys)
        assert point.classes == release.certificate.classes["count"]
        assert point.risk.highest == pytest.approx(1 / release.certificate.classes["smallest"])
    linked = ind.risk(table, linked_policy(), k_range=(2, 3))
    assert linked.curve is not None
    assert linked.curve.of == "classes"
    assert any("linked tables are not made for every k" in note for note in linked.notes)
    with pytest.raises(ind.PolicyError, match="does not ask for linked tables"):
        ind.risk(table, linked_policy(), k_range=(2, 3), releases=True)


def test_standards_look_at_the_whole_table(table: pl.DataFrame) -> None:
    found = ind.risk(table, policy(), standard=["hipaa-safe-harbor", "0.33"])
    assert [item.name for item in found.standards] == ["hipaa-safe-harbor", "0.33"]
    named = {check.attribute for check in found.standards[0].checks}
    assert "patient" in named


def test_leakage_is_counted_over_people(
    table: pl.DataFrame, long: ind.Release, linked: ind.Release
) -> None:
    keys = ind.Policy.from_dict(policy())
    found = ind.assess(table, keys, release=long, exposed=4)
    people = people_of(table)
    counts = np.array(list(Counter(people.select(QUASI).iter_rows()).values()))
    loss = np.log2(120) - float((counts * np.log2(counts)).sum()) / 120
    assert found.together.loss == pytest.approx(loss)
    assert found.entropy == pytest.approx(np.log2(120))
    assert found.uniqueness == pytest.approx((counts == 1).sum() / 120)
    document = found.to_dict()
    assert (document["unit"], document["people"], document["records"]) == (
        "person", 120, table.height,
    )  # fmt: skip
    assert "dx" in {item["attribute"] for item in document["events"]}
    first = set(table.with_row_index("row", offset=1).unique("patient", keep="first")["row"])
    assert {item.row for item in found.exposed} <= first
    assert found.change is not None
    after = people_of(long.tables)
    assert found.change.records_after == after.height
    assert found.change.after is not None
    assert found.change.after.alone == pytest.approx(sizes(after).count(1) / after.height)
    by_theta = ind.assess(table, keys, release=linked, threshold=0.01).change
    assert by_theta is not None
    assert by_theta.records_after == linked.tables["quasi"].height
    advice = [action.kind for item in by_theta.exposed for action in item.actions]
    assert advice
    assert "decoys" not in advice
    assert "120 people" in repr(found)


def test_columns_that_differ_within_people_are_not_looked_at(table: pl.DataFrame) -> None:
    keys = ind.Policy.from_dict(policy())
    with pytest.raises(ind.DataError, match="differs between the records of a person"):
        ind.assess(table, keys, attributes=["age", "dx"])
    alike = table.with_columns(ward=pl.col("sex"))
    found = ind.assess(alike, keys)
    assert "ward" in {item.attributes[0] for item in found.singles}
    weights = table.with_columns(ward=pl.col("age"))
    assert ind.assess(weights, keys, weights="ward").records == 120


def test_the_command_line_says_that_people_are_counted(table: pl.DataFrame, tmp_path: Path) -> None:
    table.write_csv(tmp_path / "visits.csv")
    text = ind.Policy.from_dict(policy()).to_toml()
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    where = [str(tmp_path / "visits.csv"), "--policy", str(tmp_path / "p.toml")]
    run = CliRunner()
    shown = run.invoke(app, ["risk", *where, "--exposed", "2", "--curve", "2-3"]).stdout
    assert f"visits.csv: 120 people of {table.height} records in" in shown
    assert "risk of the people" in shown
    assert "first record" in shown
    assert "people kept" in shown
    document = json.loads(run.invoke(app, ["risk", *where, "--json"]).stdout)
    assert (document["unit"], document["people"]) == ("person", 120)
    shown = run.invoke(app, ["assess", *where, "--exposed", "2"]).stdout
    assert f"visits.csv: 120 people with {table.height} records" in shown
    assert "people alike" in shown
    document = json.loads(run.invoke(app, ["assess", *where, "--json"]).stdout)
    assert (document["unit"], document["people"]) == ("person", 120)


def test_a_table_in_which_everything_is_of_visits_is_not_assessed_by_person() -> None:
    visits = pl.DataFrame({"who": ["1", "1", "2", "2"], "day": ["a", "b", "a", "c"]})
    roles = {"who": {"role": "identifier"}, "day": {"role": "sensitive"}}
    asked = {"source": {"person": "who"}, "attributes": roles}
    with pytest.raises(ind.errors.DataError, match="no column has one value for each person"):
        ind.assess(visits, asked)


def test_who_knows_a_visit_is_told_of_as_no_figure_counts_it() -> None:
    """Three of four people have a visit on a day of their own."""
    days = {"a": ["mon", "tue"], "b": ["mon", "wed"], "c": ["mon", "mon"], "d": ["mon", "thu"]}
    rows = [(who, 30, day) for who, own in days.items() for day in own]
    table = pl.DataFrame(rows, ["who", "age", "day"], orient="row")
    age = {"role": "quasi-identifier"}
    attributes = {"age": age, "day": age | {"level": "event"}}
    keys: dict[str, Any] = {"source": {"person": "who"}, "attributes": attributes}
    found = ind.risk(table, keys)
    assert found.to_dict()["prosecutor"]["R2"] == 0.25
    told = (
        "'day': of visits, which no figure counts: who knows one visit of a person as well is right"
    )
    assert found.notes == (
        f"{told} with up to 100%, 81.2% on average (of each person's rarest visit)",
    )
    keys |= {"promises": [{"model": "k-anonymity", "k": 2}], "method": {"suppression_limit": 0.5}}
    release = ind.anonymize(table, keys)
    (note,) = ind.risk(release).notes
    shown = release.tables.group_by("who").agg("day")
    rarest = min(sum(day in own for own in shown["day"]) for own in shown["day"] for day in own)
    assert rarest >= 2
    assert note.startswith(f"{told} with up to {1 / rarest:.1%}")


@pytest.mark.parametrize("rule", ["first", "last", "most-frequent"])
def test_who_knows_several_values_of_a_person_is_told_of(rule: str) -> None:
    """Of who came at 30 and at 31 one age counts; the table itself has both, and nobody else."""
    rows = [("a", 30), ("a", 31), ("b", 30), ("c", 30), ("d", 31), ("e", 31)]
    policy = {
        "source": {"person": "who", "conflicts": rule},
        "attributes": {"who": {"role": "identifier"}, "age": {"role": "quasi-identifier"}},
    }
    found = ind.risk(pl.DataFrame(rows, ["who", "age"], orient="row"), policy)
    assert found.prosecutor.highest == 0.5
    assert any("whoever knows several finds more people" in note for note in found.notes)
    alike = pl.DataFrame(rows[2:], ["who", "age"], orient="row")
    assert not any("whoever knows several" in note for note in ind.risk(alike, policy).notes)
