"""``indistinct attack``."""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from indistinct.analytics.attacks.finding import NEVER_PUBLISH
from indistinct.document import share

Run = Callable[..., Result]


@pytest.fixture
def folder(run: Run, table: Path, policy: Path, tmp_path: Path) -> Path:
    """A release of the table."""
    done = run("anonymize", table, "--policy", policy, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.stderr
    return tmp_path / "out"


def test_a_table_of_attackers_and_what_it_means(
    run: Run, table: Path, policy: Path, folder: Path
) -> None:
    done = run("attack", table, folder, "--policy", policy, "--details")
    assert done.exit_code == 0, done.stderr
    assert "who somebody is" in done.stdout
    assert "-0.00" not in done.stdout
    assert "what somebody has: diagnosis" in done.stdout
    assert "knows the exact quasi-identifiers of a person" in done.stdout
    assert "not tried" in done.stdout
    assert NEVER_PUBLISH in done.stderr
    for line in done.stdout.splitlines():
        if line.startswith("membership  "):
            assert line.split()[1] == "160"
            break
    else:
        pytest.fail("membership is not told")


def test_the_worst_attacker_of_every_kind_comes_first(
    run: Run, table: Path, policy: Path, folder: Path
) -> None:
    done = run("attack", table, folder, "--policy", policy)
    assert done.exit_code == 0, done.stderr
    document = json.loads(run("attack", table, folder, "--policy", policy, "--json").stdout)
    lines = " ".join(done.stdout.split())
    for kind, title in (("identity", "who somebody is"), ("attribute", "what somebody has: diag")):
        found = [item for item in document["attacks"] if item["kind"] == kind]
        learnt = {
            item["name"]: max(item["success"]["0.95"] - item["alone"]["0.95"], 0) for item in found
        }
        most = max(learnt.values())
        level = "low" if most == 0 else "HIGH" if most > 0.2 else "some"
        assert f"{level} {title}" in lines
        if most:
            worst = next(item for item in document["summary"] if item["kind"] == kind)
            assert worst["learnt"] == learnt[worst["name"]] == most
            assert worst["level"] == level.lower()
            assert f"({worst['name']}) to lower it, {worst['remedy']['text']}" in lines
            assert "an attacker who knows the exact" in lines
    assert "exact quasi-identifiers of a person" not in done.stdout
    assert "--details" in done.stdout
    assert max(map(len, done.stdout.splitlines()[1:])) <= 80


def test_the_keys_that_help_are_toml_to_copy(run: Run, policy: Path, tmp_path: Path) -> None:
    path = tmp_path / "wards.csv"
    wards = [(30, "f", "1010", "flu"), (50, "m", "2020", "measles")]
    rows = [",".join(map(str, own)) for own in wards for _ in range(20)]
    path.write_text("\n".join(["age,sex,zip,diagnosis", *rows]) + "\n", encoding="utf-8")
    done = run("anonymize", path, "--policy", policy, "--out", tmp_path / "wards")
    assert done.exit_code == 0, done.stderr
    told = run("attack", path, tmp_path / "wards", "--policy", policy)
    document = json.loads(run("attack", path, tmp_path / "wards", "--json").stdout)
    worst = next(item for item in document["summary"] if item["kind"] == "attribute")
    assert worst["learnt"] == 1
    own = told.stdout.partition(worst["remedy"]["text"].split()[-1] + ":\n")[2].splitlines()
    keys = itertools.takewhile(lambda line: line.startswith(" " * 8), own)
    assert tomllib.loads("\n".join(keys)) == worst["remedy"]["policy"] != {}


def test_one_document(run: Run, table: Path, policy: Path, folder: Path) -> None:
    done = run(
        "attack", table, folder, "--policy", policy, "--only", "membership,skewness", "--json"
    )
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["attacks"][0]["name"] == "membership"
    assert document["attacks"][0]["people"] == 160
    assert document["warning"] == NEVER_PUBLISH
    assert NEVER_PUBLISH in done.stderr


def test_a_population_in_a_file(run: Run, table: Path, policy: Path, folder: Path) -> None:
    done = run("attack", table, folder, "--policy", policy, "--population", table, "--json")
    names = [item["name"] for item in json.loads(done.stdout)["attacks"]]
    assert "presence" in names


def test_unknown_attackers_are_told(run: Run, table: Path, policy: Path, folder: Path) -> None:
    done = run("attack", table, folder, "--policy", policy, "--only", "homogenity")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert "did you mean 'homogeneity'?" in done.stderr


def test_no_attacker_is_no_choice(run: Run, table: Path, policy: Path, folder: Path) -> None:
    done = run("attack", table, folder, "--policy", policy, "--only", " ")
    assert done.exit_code == 2
    assert "name at least one, or leave the option out" in done.stderr


def test_notes_go_to_standard_error(run: Run, table: Path, policy: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.csv"
    bare.write_text('age,sex\n"[20, 30)",f\n', encoding="utf-8")
    done = run("attack", table, bare, "--policy", policy)
    assert done.exit_code == 0, done.stderr
    assert "note: the release has no column 'zip', 'diagnosis'" in done.stderr


def test_shares_tell_none_from_few() -> None:
    assert [share(part) for part in (0, 0.0005, 0.5, 1)] == ["0%", "<0.1%", "50.0%", "100%"]


def test_a_gain_beyond_the_bound_ends_with_3(
    run: Run, table: Path, policy: Path, folder: Path
) -> None:
    asked = ("attack", table, folder, "--policy", policy, "--only", "membership,worst-posterior")
    most = json.loads(run(*asked, "--json").stdout)["attacks"][0]["gain"]["max"]
    assert run(*asked, "--max-gain", most).exit_code == 0
    done = run(*asked, "--max-gain", most / 2, "--json")
    assert done.exit_code == 3
    assert "alert: membership of diagnosis: the belief in the truth rises by up to" in done.stderr
    assert json.loads(done.stdout)["attacks"]
    assert run(*asked, "--max-gain", 2).exit_code == 2


def test_a_column_that_no_attacker_could_try_is_not_within_a_bound(
    run: Run, tmp_path: Path
) -> None:
    table, policy, out = (tmp_path / name for name in ("visits.csv", "policy.toml", "out"))
    rows = "".join(f"P{at % 150},{20 + at % 30},{100 + at * 7 % 90}\n" for at in range(300))
    table.write_text(f"patient,age,cost\n{rows}", encoding="utf-8")
    policy.write_text(
        '[source]\nperson = "patient"\n'
        '[attributes.age]\nrole = "quasi-identifier"\nhierarchy = { intervals = { width = 5 } }\n'
        '[attributes.cost]\nrole = "sensitive"\ntransform = { noise = { scale = 9 } }\n'
        '[[promises]]\nmodel = "k-anonymity"\nk = 5\n',
        encoding="utf-8",
    )
    made = run("anonymize", table, "--policy", policy, "--out", out)
    assert made.exit_code == 0, made.stderr
    assert run("attack", table, out).exit_code == 0
    done = run("attack", table, out, "--max-gain", 1)
    assert done.exit_code == 3
    assert "alert: what somebody has: cost: no attacker could be tried, because" in done.stderr


def test_many_attributes_of_one_attacker_are_told_together(run: Run, tmp_path: Path) -> None:
    names = [f"ill{at}" for at in range(8)]
    rows = [
        ",".join(
            [str(20 + at % 40), *("1" if (at * 7 + own) % 9 < own else "0" for own in range(8))]
        )
        for at in range(160)
    ]
    (tmp_path / "t.csv").write_text("\n".join([",".join(["age", *names]), *rows]), encoding="utf-8")
    roles = [f'attributes.{name}.role = "sensitive"' for name in names]
    text = """
attributes.age = { role = "quasi-identifier", hierarchy = { intervals = 2 } }
promises = [{ model = "k-anonymity", k = 2 }]
"""
    (tmp_path / "p.toml").write_text("\n".join([*roles, text]), encoding="utf-8")
    made = run(
        "anonymize", tmp_path / "t.csv", "--policy", tmp_path / "p.toml", "--out", tmp_path / "o"
    )
    assert made.exit_code == 0, made.stderr
    asked = ("attack", tmp_path / "t.csv", tmp_path / "o", "--only", "worst-posterior")
    said = " ".join(run(*asked).stdout.split())
    found = json.loads(run(*asked, "--json").stdout)["attacks"]
    learnt = {
        one["sensitive"]: one["success"]["0.95"]
        for one in found
        if one["success"]["0.95"] > one["alone"]["0.95"]
    }
    assert len(learnt) > 5
    most = max(learnt, key=lambda name: learnt[name])
    assert said.count("what somebody has: ") == 1 + (len(learnt) < len(names))
    assert f"what somebody has: {most}" in said
    assert all(f"{name} ({share(learnt[name])})" in said for name in learnt if name != most)
