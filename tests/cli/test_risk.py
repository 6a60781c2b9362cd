"""``indistinct risk`` as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]


def test_on_the_screen(run: Run, table: Path) -> None:
    done = run("risk", table, "--quasi", "age,sex")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "patients.csv: 160 records in 80 classes"
    row = next(line for line in lines if line.startswith("prosecutor"))
    assert row.split()[-3:] == ["100%", "0.5", "0.5"]
    assert "unique: 0 records (0%)" in lines


def test_the_document(run: Run, table: Path) -> None:
    done = run("risk", table, "--quasi", "age,sex,zip", "--population", 16000, "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["threshold"] == 0.2
    assert document["prosecutor"] == {"R1": 1.0, "R2": 1.0, "R3": 1.0}
    assert set(document["journalist"]) == {"R1", "R2", "R3"}
    assert document["marketer"] == {"R": 1.0}
    assert document["uniques"]["sample"] == 160
    assert {"pitman", "zayatz", "snb", "dankar"} <= set(document["uniques"]["population"])
    assert "curve" not in document
    share = run("risk", table, "--quasi", "age,sex,zip", "--population", "1%", "--json")
    assert json.loads(share.stdout)["uniques"] == document["uniques"]


def test_the_most_exposed_records_are_named_only_where_asked_for(run: Run, table: Path) -> None:
    plain = run("risk", table, "--quasi", "age,sex", "--json")
    assert "exposed" not in json.loads(plain.stdout)
    done = run("risk", table, "--quasi", "age,sex", "--exposed", 3, "--json")
    document = json.loads(done.stdout)
    assert [item["class_size"] for item in document["exposed"]] == [2, 2, 2]
    assert {item["prosecutor"] for item in document["exposed"]} == {0.5}
    for as_json in ((), ("--json",)):
        assert not run("risk", table, "--quasi", "age,sex", "--exposed", 10**20, *as_json).exit_code
    assert [item["row"] for item in document["exposed"]] == [1, 2, 3]
    assert "private" in done.stderr
    screen = run("risk", table, "--quasi", "age,sex", "--exposed", 3)
    assert "the most exposed records (private)" in screen.stdout
    assert run("risk", table, "--quasi", "age,sex", "--exposed", -1).exit_code == 2


def test_a_population_file(run: Run, table: Path, tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    body = table.read_text().splitlines()
    people.write_text("\n".join([body[0], *body[1:], *body[1:]]) + "\n")
    done = run("risk", table, "--quasi", "age,sex,zip", "--population", people, "--json")
    document = json.loads(done.stdout)
    assert document["population"]["basis"] == "table"
    assert document["journalist"]["R2"] == 0.5
    screen = run("risk", table, "--quasi", "age,sex,zip", "--population", people)
    assert "of them unique in the population: 0" in screen.stdout


def test_the_curve_of_releases(run: Run, table: Path, policy: Path) -> None:
    done = run("risk", table, "--policy", policy, "--curve", "2-6", "--json")
    document = json.loads(done.stdout)
    assert document["curve"]["of"] == "releases"
    assert [point["k"] for point in document["curve"]["points"]] == [2, 3, 4, 5, 6]
    assert set(document["elbow"]["curves"]) == {"records_at_risk", "highest", "success"}
    screen = run("risk", table, "--policy", policy, "--curve", "2-6")
    assert "risk over k: releases" in screen.stdout
    assert "k = " in screen.stdout
    plain = run("risk", table, "--policy", policy, "--curve", "2..6", "--as-it-is")
    assert "the table without smaller classes" in plain.stdout
    assert "nothing can be kept for k = 2 to 6" in plain.stdout
    assert "Every class is smaller" in plain.stdout


def test_a_release(run: Run, table: Path, policy: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("anonymize", table, "--policy", policy, "--out", out).exit_code == 0
    done = run("risk", out, "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["quasi_identifiers"] == ["age", "sex", "zip"]
    assert document["prosecutor"]["R1"] == 0.0


def test_a_release_is_not_scanned_without_its_certificate(
    run: Run, table: Path, policy: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert run("anonymize", table, "--policy", policy, "--out", out).exit_code == 0
    for place in (out, out / "release.csv"):
        done = run("risk", place, "--engine", "duckdb", "--json")
        assert done.exit_code == 2
        assert "leave --engine and --memory out, or name the policy" in done.stderr
    known = json.loads(run("risk", out, "--json").stdout)
    scanned = run("risk", out, "--engine", "duckdb", "--policy", policy, "--json")
    assert json.loads(scanned.stdout)["prosecutor"] == known["prosecutor"]


def test_standards(run: Run, table: Path) -> None:
    done = run("risk", table, "--quasi", "age", "--standard", "hipaa-safe-harbor,0.33")
    assert done.exit_code == 0, done.output
    assert "HIPAA Privacy Rule, Safe Harbor: FAILS" in done.stdout
    assert "highest risk of 0.33: classes of 3: holds" in done.stdout
    assert "not legal advice" in done.stdout
    assert run("risk", table, "--quasi", "age", "--standard", "gdpr").exit_code == 2


def test_strict_ends_with_3_where_a_standard_fails(run: Run, table: Path) -> None:
    asked = ("risk", table, "--quasi", "age", "--strict")
    assert run(*asked, "--standard", "0.33").exit_code == 0
    failing = run(*asked, "--standard", "0.33,hipaa-safe-harbor", "--json")
    assert failing.exit_code == 3
    assert "alert: HIPAA Privacy Rule, Safe Harbor: fails" in failing.stderr
    assert json.loads(failing.stdout)["standards"]
    assert run(*asked, "--threshold", 0.33).exit_code == 0
    bare = run("risk", table, "--quasi", "age,sex,zip", "--strict")
    assert bare.exit_code == 3
    assert "of records have a risk above 0.2" in bare.stderr


def test_strict_looks_at_who_fits_no_class(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "stars.csv"
    path.write_text("age\n" + "*\n" * 3 + "20\n" * 20)
    done = run("risk", path, "--quasi", "age", "--strict")
    assert done.exit_code == 3
    assert "fits no class is found with a risk of 33.3%" in done.stderr
    assert run("risk", path, "--quasi", "age", "--strict", "--threshold", 0.5).exit_code == 0
    assert run("risk", path, "--quasi", "age", "--strict", "--standard", "ema").exit_code == 3


def test_a_picture(run: Run, table: Path, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    path = tmp_path / "risk.svg"
    arguments = ("risk", table, "--quasi", "age,sex", "--curve", "2-3", "--plot", path)
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    assert path.read_text(encoding="utf-8").startswith("<svg")
    assert run(*arguments).exit_code == 2
    assert run(*arguments, "--force").exit_code == 0
    assert run("risk", table, "--plot", tmp_path / "risk.gif").exit_code == 2


def test_wrong_options(run: Run, table: Path, policy: Path) -> None:
    for option in (("--curve", "20"), ("--curve", "5-2"), ("--curve", "2-100000000"),
                   ("--threshold", 2), ("--population", "150%"), ("--quasi", " "),
                   ("--zip-population", "zips.csv"),
                   ("--quasi", "agee"), ("--population", "nowhere.csv"),
                   ("--population", 3), ("--counts", "n")):  # fmt: skip
        done = run("risk", table, *option)
        assert done.exit_code == 2, option
        assert done.stdout == ""
    assert run("risk", table, "--policy", policy, "--separator", ";").exit_code == 2


def test_suggested_quasi_identifiers_are_a_note(run: Run, table: Path) -> None:
    done = run("risk", table, "--json")
    assert "note: the quasi-identifiers are those that the columns suggest" in done.stderr
    assert json.loads(done.stdout)["quasi_identifiers"]
