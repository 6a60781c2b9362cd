from __future__ import annotations

import json
from pathlib import Path

from indistinct.policy import Policy


def test_a_first_policy_is_written_that_makes_a_release(run, table: Path, tmp_path: Path):
    path = tmp_path / "first.toml"
    result = run("init", table, "--policy", path)
    assert result.exit_code == 0, result.stderr
    assert "suggested role" in result.stdout
    assert f"{path} is written" in result.stdout
    assert Policy.load(path).attributes["age"].role == "quasi-identifier"
    assert run("anonymize", table, "--policy", path, "--out", tmp_path / "out").exit_code == 0


def test_json_lists_the_suggestions(run, table: Path, tmp_path: Path):
    path = tmp_path / "first.toml"
    result = run("init", table, "--policy", path, "--json")
    document = json.loads(result.stdout)
    assert document["policy"] == str(path)
    assert [item["attribute"] for item in document["attributes"]] == [
        *("age", "sex", "zip", "diagnosis")
    ]
    assert all(item["role"] and item["why"] for item in document["attributes"])


def test_how_the_file_is_read_stands_in_the_policy(run, tmp_path: Path):
    data = tmp_path / "table.csv"
    data.write_text("age;sex\n" + "20;f\n30;m\n" * 9, encoding="utf-8")
    path = tmp_path / "first.toml"
    assert run("init", data, "--policy", path, "--separator", ";").exit_code == 0
    assert Policy.load(path).source.separator == ";"


def test_a_policy_is_not_overwritten_unasked(run, table: Path, policy: Path):
    before = policy.read_text(encoding="utf-8")
    result = run("init", table, "--policy", policy)
    assert result.exit_code == 2
    assert "a file of that name is there already" in result.stderr
    assert "--force" in result.stderr
    assert policy.read_text(encoding="utf-8") == before
    assert run("init", table, "--policy", policy, "--force").exit_code == 0
    assert policy.read_text(encoding="utf-8") != before


def test_a_policy_is_held_against_the_table(run, table: Path, tmp_path: Path):
    draft = tmp_path / "draft.toml"
    draft.write_text(
        '[attributes]\nage.role = "insensitive"\nsex.role = "quasi-identifier"\n'
        'zip.role = "identifier"\ndiagnosis.role = "sensitive"\n',
        encoding="utf-8",
    )
    done = run("init", table, "--check", draft, "--json")
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    (exposed,) = document["attributes"]
    assert (exposed["attribute"], exposed["role"]) == ("age", "insensitive")
    assert exposed["suggested"] == "quasi-identifier"
    assert document["warnings"][-1] == "no promise yet"
    assert "age" in run("init", table, "--check", draft).stdout
    assert not (tmp_path / "release.toml").exists()


def test_a_policy_that_does_not_fit_the_table(run, table: Path, tmp_path: Path):
    draft = tmp_path / "draft.toml"
    draft.write_text('[attributes]\nage.role = "insensitive"\n', encoding="utf-8")
    done = run("init", table, "--check", draft)
    assert done.exit_code == 2
    assert "have no role: 'sex', 'zip', 'diagnosis'" in done.stderr


def test_a_policy_that_protects_enough(run, table: Path, policy: Path):
    done = run("init", table, "--check", policy)
    assert done.exit_code == 0
    assert "protects every column of patients.csv as is suggested" in done.stdout
