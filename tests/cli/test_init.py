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
