"""``indistinct compare`` as a user runs it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]


@pytest.fixture
def releases(run: Run, table: Path, policy: Path, tmp_path: Path) -> list[Path]:
    """Two releases of the table, of k = 5 and of k = 20."""
    looser = tmp_path / "looser.toml"
    looser.write_text(policy.read_text(encoding="utf-8").replace("k = 5", "k = 20"), "utf-8")
    found = []
    for name, file in (("five", policy), ("twenty", looser)):
        out = tmp_path / name
        assert run("anonymize", table, "--policy", file, "--out", out).exit_code == 0
        found.append(out)
    return found


def test_side_by_side(run: Run, table: Path, policy: Path, releases: list[Path]) -> None:
    done = run("compare", table, *releases, "--policy", policy, "--queries", 100)
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.stdout.splitlines()]
    assert done.stdout.startswith(f"{table}: 160 records\n")
    assert ["five", "twenty"] in lines
    assert ["records", "published", "160", "160"] in lines
    assert any(line[:1] == ["k-anonymity(k=5)"] for line in lines)
    assert any(line[:1] == ["k-anonymity(k=20)"] and "no" in line for line in lines)
    assert any(line[:2] == ["NCP,", "normalized"] for line in lines)
    assert "attackers" not in done.stdout
    assert max(map(len, done.stdout.splitlines()[2:])) <= 80


def test_the_document(run: Run, table: Path, policy: Path, releases: list[Path]) -> None:
    done = run(
        "compare", table, *releases, "--policy", policy, "--json", "--queries", 40, "--mode",
        "uniform", "--dimensions", 1, "--selectivity", 0.3, "--seed", 5, "--k", 4, "--attack",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["workload"] == {
        "queries": 40, "dimensions": 1, "selectivity": 0.3, "seed": 5, "ranges": "span",
    }  # fmt: skip
    five, twenty = document["releases"]
    assert five["path"] == str(releases[0])
    assert five["query_error"]["mode"] == "uniform"
    assert five["k"] == twenty["k"] == 4
    assert {part["name"] for part in five["attacks"]} >= {"homogeneity"}
    assert twenty["dcp"] >= five["dcp"]


def test_attackers_on_the_screen(run: Run, table: Path, policy: Path, releases: list[Path]) -> None:
    done = run("compare", table, releases[0], "--policy", policy, "--attack", "--queries", 10)
    assert "attackers (less is better)" in done.stdout
    assert "what somebody has: diagnosis" in done.stdout
    assert "must never be published" in done.stderr


def test_what_is_wrong_is_told(run: Run, table: Path, policy: Path, tmp_path: Path) -> None:
    done = run("compare", table, table, "--policy", policy, "--selectivity", 7)
    assert done.exit_code == 2
    assert "selectivity must be" in done.stderr
    assert done.stdout == ""
    done = run("compare", table, table, "--policy", policy, "--k", 0)
    assert done.exit_code == 2
    assert "k must be 1 or more, not 0" in done.stderr
    other = tmp_path / "other.csv"
    lines = table.read_text(encoding="utf-8").splitlines()
    other.write_text("\n".join([lines[0], *("x" + line for line in lines[1:])]), "utf-8")
    done = run("compare", table, other, "--policy", policy)
    assert done.exit_code == 2
    assert "attribute 'age'" in done.stderr
    assert "x20" not in done.stderr
    without = tmp_path / "without.csv"
    without.write_text("\n".join(line.split(",", 1)[1] for line in lines), "utf-8")
    done = run("compare", table, without, "--policy", policy)
    assert done.exit_code == 0
    assert "without.csv: has no column 'age'" in done.stderr


def test_two_columns_together(
    run: Run, table: Path, policy: Path, releases: list[Path], tmp_path: Path
) -> None:
    words = ("compare", table, *releases, "--policy", policy, "--queries", 40)
    done = run(*words, "--contingency", "sex, age")
    assert done.exit_code == 0, done.output
    assert "the table: records by sex and age" in done.stdout
    assert "five: records by sex and age" in done.stdout
    assert "(others)" in done.stdout
    document = json.loads(run(*words, "--contingency", "sex,age", "--json").stdout)
    assert document["contingency"]["attributes"] == ["sex", "age"]
    assert sum(map(sum, document["contingency"]["before"]["counts"])) == 160
    refused = run(*words, "--contingency", "sex")
    assert refused.exit_code == 2
    assert "does not name two columns" in refused.output
    refused = run(*words, "--plot", tmp_path / "map.svg")
    assert "draws the counts of two columns" in refused.output


def test_a_heat_map_is_drawn(
    run: Run, table: Path, policy: Path, releases: list[Path], tmp_path: Path
) -> None:
    pytest.importorskip("altair")
    path = tmp_path / "map.svg"
    done = run(
        "compare", table, releases[0], "--policy", policy, "--queries", 40,
        "--contingency", "sex,age", "--plot", path,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert f"{path} is drawn" in done.stdout.replace("\n", "")
    assert path.read_text(encoding="utf-8").startswith("<svg")
