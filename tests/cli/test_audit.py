from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.fixture
def published(tmp_path: Path) -> Path:
    """A release of another tool: classes of 3, 2 and one suppressed record."""
    path = tmp_path / "published.csv"
    rows = ["20-29,f,flu"] * 3 + ["30-39,m,flu"] * 2 + ["*,*,flu"]
    path.write_text("\n".join(["age,sex,diagnosis", *rows]) + "\n", encoding="utf-8")
    return path


def test_promises_on_the_command_line(run, published: Path):
    held = run("audit", published, "--quasi", "age,sex", "--k", 2)
    assert held.exit_code == 0
    assert "6 records, 1 of them suppressed" in held.stdout
    assert held.stdout.endswith("every promise holds\n")
    broken = run("audit", published, "--quasi", "age,sex", "--k", 3)
    assert broken.exit_code == 3
    assert "k-anonymity is broken by 1 class with 2 records" in broken.stdout
    assert broken.stdout.endswith("BROKEN: do not publish this\n")


def test_json_is_the_verdict_and_nothing_else(run, published: Path):
    result = run("audit", published, "--quasi", "age,sex", "--k", 3, "--json")
    assert result.exit_code == 3
    document = json.loads(result.stdout)
    assert (document["holds"], document["records"], document["suppressed"]) == (False, 6, 1)
    (verdict,) = document["promises"]
    assert verdict["model"] == "k-anonymity"
    assert verdict["parameters"] == {"k": 3}
    assert verdict["on"] == ["age", "sex"]
    assert verdict["achieved"] == {"k": 2}


def test_of_many_columns_that_are_not_checked_the_first_are_named(run, tmp_path: Path):
    path = tmp_path / "wide.csv"
    names = ["age", *(f"x{at}" for at in range(30))]
    path.write_text("\n".join([",".join(names), *[",".join(["1"] * 31)] * 3]), encoding="utf-8")
    told = run("audit", path, "--quasi", "age", "--k", 3).stdout
    listed = "not checked (not quasi-identifiers): x0, x1, x2, x3, x4, x5, x6, x7 and 22 more"
    assert listed in " ".join(told.split())
    document = json.loads(run("audit", path, "--quasi", "age", "--k", 3, "--json").stdout)
    assert document["not_looked_at"] == names[1:]


def test_a_release_is_held_against_its_policy_or_its_certificate(
    run, table: Path, policy: Path, tmp_path: Path
):
    out = tmp_path / "out"
    assert run("anonymize", table, "--policy", policy, "--out", out).exit_code == 0
    assert run("audit", out / "release.csv", "--policy", policy).exit_code == 0
    assert run("audit", out, "--policy", policy).exit_code == 0
    by_certificate = run("audit", out)
    assert by_certificate.exit_code == 0
    assert "certificate" in by_certificate.stderr
    assert "k = 5" in by_certificate.stdout
    assert run("audit", out, "--k", 100).exit_code == 3


def test_a_tampered_release_fails(run, table: Path, policy: Path, tmp_path: Path):
    out = tmp_path / "out"
    run("anonymize", table, "--policy", policy, "--out", out)
    with (out / "release.csv").open("a", encoding="utf-8") as file:
        file.write("21,f,81667,flu\n")
    result = run("audit", out)
    assert result.exit_code == 3
    assert "BROKEN" in result.stdout
    assert "release.csv is not the file that its certificate describes" in result.stdout


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ((), "does not know the release's quasi-identifiers"),
        (("--quasi", "age"), "--quasi needs --k"),
        (("--quasi", "aeg", "--k", 2), "did you mean 'age'?"),
        (("--quasi", "age", "--k", 0), "k of k-anonymity must be a whole number of at least 1"),
        (("--policy", "release.toml", "--k", 2), "cannot be combined with --policy release.toml"),
        (("--policy", "no.toml"), "no.toml: cannot be read"),
    ],
)
def test_what_the_user_can_mend(run, published: Path, options: tuple[object, ...], text: str):
    result = run("audit", published, *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert text in result.stderr


def test_a_release_that_is_not_there(run, tmp_path: Path):
    result = run("audit", tmp_path / "none.csv", "--quasi", "age", "--k", 2)
    assert result.exit_code == 2
    assert "there is no such file" in result.stderr
