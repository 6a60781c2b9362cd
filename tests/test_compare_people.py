"""Releases of people with many records side by side: long ones and linked tables, by people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.analytics import paper_people as paper
from tests.test_people import QUASI, policy, visits
from typer.testing import CliRunner

import indistinct as ind
from indistinct.cli import app

CATEGORIES = {
    "table": {"low": ["A", "B"], "mid": ["C", "D"], "high": ["E", "F", "G"]},
    "order": ["low", "mid", "high"],
}


def linked_policy(**method: Any) -> dict[str, Any]:
    keys = policy(
        {"model": "theta-sensitive", "k": 3, "sensitive": "dx"},
        {"model": "max-posterior", "bound": 0.8, "sensitive": "dx"},
    )
    keys["attributes"]["dx"] = {"role": "sensitive", "categories": CATEGORIES}
    keys["method"] = {"algorithm": "theta-star", "seed": 7, **method}
    return keys


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return visits()


@pytest.fixture(scope="module")
def long(table: pl.DataFrame) -> ind.Release:
    return ind.anonymize(table, policy())


@pytest.fixture(scope="module")
def linked(table: pl.DataFrame) -> ind.Release:
    return ind.anonymize(table, linked_policy())


def paper_policy() -> dict[str, Any]:
    by_category: dict[str, list[str]] = {}
    for value, home in paper.CATEGORY.items():
        by_category.setdefault(home, []).append(value)
    return {
        "source": {"person": "person"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
            "zip": {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 200}}},
            "gender": {"role": "quasi-identifier"},
            "symptom": {
                "role": "sensitive",
                "categories": {
                    "table": by_category,
                    "order": ["A-symptomatic", "Low", "Mild", "High", "Severe"],
                },
            },
        },
        "promises": [
            {"model": "k-anonymity", "k": 2},
            {"model": "theta-sensitive", "k": 2, "sensitive": "symptom"},
        ],
        "method": {"algorithm": "theta-star", "seed": 1},
    }


def test_the_papers_release() -> None:
    found = ind.compare(
        paper.rows_of_table_1(),
        {"without": paper.tables(noise=False), "with": paper.tables()},
        policy=paper_policy(),
        queries=40,
        selectivity=0.3,
    )
    assert (found.unit, found.records, found.rows) == ("person", 8, 16)
    document = found.to_dict()
    assert (document["unit"], document["people"], document["records"]) == ("person", 8, 16)
    without, noisy = document["releases"]
    assert without["ncp"]["total"] == pytest.approx(95 / 22)
    assert without["ncp"]["normalized"] == pytest.approx(0.17992424242424243)
    assert without["record_linkability"]["total"] == pytest.approx(4)
    assert noisy["record_linkability"] == {
        "total": pytest.approx(11 / 3),
        "normalized": pytest.approx(11 / 24),
    }
    assert noisy["record_intersection"]["symptom"]["vulnerable"] == 0
    assert noisy["record_intersection"]["symptom"]["believed"]["highest"] == pytest.approx(4 / 9)
    assert (noisy["people"], noisy["rows"], without["people"]) == (9, 9, 8)
    # Two thirds of the fourth bucket have Low: rank variance does not see it.
    assert {part["model"]: part["holds"] for part in noisy["promises"]} == {
        "k-anonymity": True, "theta-sensitive": True, "max-posterior": False,
    }  # fmt: skip
    assert noisy["promises"][1]["on"] == ["bucket"]


def test_long_and_linked_releases_side_by_side(
    table: pl.DataFrame, long: ind.Release, linked: ind.Release, tmp_path: Path
) -> None:
    long.write(tmp_path / "long")
    linked.write(tmp_path / "linked")
    found = ind.compare(
        table,
        {
            "long": long,
            "long folder": tmp_path / "long",
            "long frame": long.tables.to_pandas(),
            "linked": linked,
            "linked folder": tmp_path / "linked",
            "one file": tmp_path / "linked" / "quasi.csv",
            "frames": {name: frame.to_pandas() for name, frame in linked.tables.items()},
        },
        policy=linked_policy(),
        queries=60,
    )
    document = json.loads(json.dumps(found.to_dict()))
    releases = {item["name"]: item for item in document["releases"]}
    figures = (
        "people", "rows", "ncp", "dcp", "query_error", "joined_query_error", "record_linkability",
        "record_intersection",
    )  # fmt: skip
    for first, others in (
        ("long", ("long folder", "long frame")),
        ("linked", ("linked folder", "one file", "frames")),
    ):
        for other in others:
            assert {key: releases[first][key] for key in figures} == {
                key: releases[other][key] for key in figures
            }
    own = long.tables
    assert releases["long"]["rows"] == own.height
    assert releases["long"]["people"] == own["patient"].n_unique()
    assert releases["long"]["suppressed"] == 120 - own["patient"].n_unique()
    people = own.group_by(QUASI).agg(pl.col("patient").n_unique())["patient"]
    assert releases["long"]["dcp"] == int((people**2).sum())
    assert releases["long"]["classes"]["smallest"] == people.min()
    assert releases["linked"]["people"] == linked.tables["quasi"].height
    # A release as it lies there is held against what it promises, by people and by buckets.
    kept = {part["model"]: part for part in releases["linked folder"]["promises"]}
    assert kept["k-anonymity"]["holds"]
    assert kept["theta-sensitive"]["holds"]
    assert kept["theta-sensitive"]["on"] == ["bucket"]
    titles = dict(found.sections())
    labels = [label for label, _ in titles["size"]]
    assert labels[:2] == ["people published", "people suppressed"]
    assert [label for label, _ in titles["people found (less is better)"]] == [
        "linked to their rows, share", "exact record with dx, share",
        "dx believed: likely, certain",
    ]  # fmt: skip
    lost = [label for label, _ in titles["lost (less is better)"]]
    assert "joined sum of age, uniform, mean" in lost
    assert found.frame().height == 7
    assert "120 people" in repr(found)


def of_visits(**sections: Any) -> dict[str, Any]:
    keys = policy(**sections)
    keys["attributes"] |= {"age": {"role": "identifier"}, "zip": {"role": "identifier"}}
    keys["attributes"]["ward"] = {"role": "quasi-identifier", "level": "event"}
    keys["attributes"]["day"] = {
        "role": "quasi-identifier",
        "level": "event",
        "hierarchy": {"intervals": {"width": 10}},
    }
    return keys


def test_what_is_lost_of_visits_is_told(table: pl.DataFrame, linked: ind.Release) -> None:
    """Its means are those over published records; what is not there is lost whole."""
    days = table.with_columns(day=pl.int_range(pl.len()) % 50)
    asked = of_visits()
    release = ind.anonymize(days, asked)
    bare = release.tables.drop("ward")
    found = ind.compare(days, release, bare, linked, policy=asked, queries=5)
    made, without, tables = (item["visits"]["ncp"] for item in found.to_dict()["releases"])
    spans = release.tables["day"].cast(pl.String).str.extract_all(r"\d+").list.len()
    assert made["ward"] == (release.tables["ward"] == "*").mean()
    assert spans.unique().to_list() in ([2], [0, 2])
    # 0 to 49 in tens: a range of ten covers 9 of 49 steps.
    assert made["day"] == pytest.approx((spans == 0).mean() + (spans == 2).mean() * 9 / 49)
    assert without == pytest.approx({"ward": 1.0, "day": made["day"]})
    assert tables == {"ward": 1.0, "day": 1.0}
    rows = dict(dict(found.sections())["lost (less is better)"])
    assert rows["ward of visits"][1:] == ("1", "1")
    assert {"ncp of day", "ncp of ward"} < set(found.frame().columns)


def test_promises_of_people_with_other_quasi_identifiers(
    table: pl.DataFrame, long: ind.Release, linked: ind.Release
) -> None:
    """Promises about items are the same whatever the quasi-identifiers are."""
    keys = policy({"model": "km-anonymity", "k": 3, "m": 1, "sensitive": "dx"})
    keys["attributes"]["zip"] = {"role": "identifier"}
    keys["attributes"]["dx"] = {"role": "sensitive", "hierarchy": "suppress"}
    narrow = ind.anonymize(table, keys)
    found = ind.compare(table, {"long": long, "narrow": narrow, "linked": linked}, policy=keys)
    for item in found.to_dict()["releases"]:
        told = [(one["model"], one["on"]) for one in item["promises"]]
        assert told.count(("k-anonymity", ["age", "sex"])) == 1
        assert ("k-anonymity", QUASI) in told
        assert [model for model, _ in told].count("km-anonymity") == 1
        if item["name"] == "linked":
            continue
        rows = {"long": long, "narrow": narrow}[item["name"]].tables
        for one in item["promises"]:
            if one["model"] == "k-anonymity":
                there = [name for name in one["on"] if name in rows.columns]
                people = rows.group_by(there).agg(pl.col("patient").n_unique())["patient"]
                assert one["achieved"] == {"k": people.min()}


def test_two_linked_frames_are_one_release(table: pl.DataFrame, linked: ind.Release) -> None:
    def measured(*given: Any) -> list[dict[str, Any]]:
        compared = ind.compare(table, *given, policy=linked_policy(), queries=20)
        return compared.to_dict()["releases"]

    frames = linked.tables
    (alone,), (named,), (listed,) = (
        measured(given) for given in (frames, {"mine": frames}, [frames])
    )
    assert (alone["name"], named["name"]) == ("release 1", "mine")
    for key in ("people", "ncp", "record_linkability", "query_error"):
        assert alone[key] == named[key] == listed[key]


def test_rows_are_not_taken_for_people(table: pl.DataFrame, long: ind.Release) -> None:
    without = long.tables.drop("patient")
    with pytest.raises(ind.DataError, match="nothing in the release says whose"):
        ind.compare(table, without, policy=policy(), queries=5)
    nobody = long.tables.with_columns(patient=pl.lit(None, dtype=pl.String))
    with pytest.raises(ind.DataError, match="rows name no person"):
        ind.compare(table, nobody, policy=policy(), queries=5)
    with pytest.raises(ind.DataError, match="no such column"):
        ind.compare(table, long.tables.drop(QUASI), policy=policy(), queries=5)
    one = long.tables.drop("zip")
    found = ind.compare(table, one, policy=policy(), queries=5)
    assert found.releases[0].utility.ncp.per_attribute["zip"] == 1.0
    assert "has no column 'zip'" in found.releases[0].notes[0]
    torn = long.tables.with_row_index("at").with_columns(
        age=pl.when(pl.col("at") == 0).then(pl.lit("20")).otherwise("age")
    )
    found = ind.compare(table, torn.drop("at"), policy=policy(), queries=5)
    assert any("differ between the records" in note for note in found.releases[0].notes)


def test_two_columns_together(table: pl.DataFrame, long: ind.Release, linked: ind.Release) -> None:
    found = ind.compare(
        table, long, policy=policy(), queries=5, contingency=("sex", "ward")
    ).contingency
    assert found is not None
    with pytest.raises(ind.DataError, match="linked tables do not say"):
        ind.compare(table, linked, policy=linked_policy(), queries=5, contingency=("sex", "dx"))


def test_the_command_line_counts_people(
    table: pl.DataFrame, long: ind.Release, linked: ind.Release, tmp_path: Path
) -> None:
    table.write_csv(tmp_path / "visits.csv")
    text = ind.Policy.from_dict(linked_policy()).to_toml()
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    long.write(tmp_path / "long")
    linked.write(tmp_path / "linked")
    words = [
        "compare", str(tmp_path / "visits.csv"), str(tmp_path / "long"), str(tmp_path / "linked"),
        "--policy", str(tmp_path / "p.toml"), "--queries", "20",
    ]  # fmt: skip
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert f"120 people with {table.height} records" in done.stdout.replace("\n", "")
    assert "of the people" in done.stdout
    done = CliRunner().invoke(app, [*words, "--json"])
    document = json.loads(done.stdout)
    assert document["unit"] == "person"
    assert document["releases"][1]["joined_query_error"]["sensitive"] == ["dx"]
