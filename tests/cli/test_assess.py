"""``indistinct assess`` as a user runs it."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import Result

import indistinct as ind
from indistinct.cli.terminal import bar

Run = Callable[..., Result]


def test_on_the_screen(run: Run, table: Path) -> None:
    done = run("assess", table)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "patients.csv: 160 records; 7.32 bits tell all of them apart"
    head = next(at for at, line in enumerate(lines) if line.startswith("column "))
    assert lines[head + 1].startswith("age ")
    assert "what a release should shield together" in lines
    assert "age, zip, sex" in lines or "age, sex, zip" in lines
    assert "█" in done.stdout


def test_the_document(run: Run, table: Path) -> None:
    done = run("assess", table, "--combinations", 2, "--top", 3, "--json")
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    assert document["records"] == 160
    assert len(document["leakage"]) == 4 + 6
    assert len(document["top"]) == 3
    assert document["leakage"][1]["attributes"] == ["sex"]
    assert document["leakage"][1]["loss"] == pytest.approx(1.0)
    assert {item["attribute"] for item in document["suggested"]} == {
        "age", "sex", "zip", "diagnosis",
    }  # fmt: skip
    assert "exposed" not in document


def test_record_numbers_only_when_asked_for(run: Run, table: Path) -> None:
    done = run("assess", table, "--exposed", 2)
    assert "the most exposed records (private)" in done.stdout
    assert "record numbers are private" in done.stderr
    document = json.loads(run("assess", table, "--exposed", 2, "--json").stdout)
    assert len(document["exposed"]) == 2
    assert set(document["exposed"][0]) == {"row", "loss", "alike"}


def test_leakage_beyond_the_bound_ends_with_3(
    run: Run, table: Path, policy: Path, tmp_path: Path
) -> None:
    done = run("assess", table, "--max-leakage", 0.5, "--json")
    assert done.exit_code == 3
    assert "alert: age: leaks" in done.stderr
    assert json.loads(done.stdout)["leakage"]
    assert run("assess", table, "--max-leakage", 1).exit_code == 0
    out = tmp_path / "out"
    assert run("anonymize", table, "--policy", policy, "--out", out).exit_code == 0
    asked = ("assess", table, "--policy", policy, "--release", out)
    change = json.loads(run(*asked, "--json").stdout)["change"]
    left = [item["after"] for item in change["attributes"] if item["after"] is not None]
    most = max(*left, change["together"]["after"])
    assert run(*asked, "--max-leakage", most).exit_code == 0
    done = run(*asked, "--max-leakage", most / 2)
    assert done.exit_code == 3
    assert "alert: " in done.stderr


def test_who_is_exposed_in_the_release(run: Run, table: Path, policy: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("anonymize", table, "--policy", policy, "--out", out).exit_code == 0
    asked = ("assess", table, "--policy", policy, "--exposed", 3, "--json")
    before = json.loads(run(*asked).stdout)
    assert before["exposed_in"] == "table"
    assert before["exposed"][0]["alike"] == 1
    after = json.loads(run(*asked, "--release", out).stdout)
    assert after["exposed_in"] == "release"
    assert after["exposed_rows"] == "table"
    cells = pl.read_csv(out / "release.csv", infer_schema=False).select("age", "sex", "zip")
    sizes = cells.group_by(cells.columns).len()["len"]
    assert [item["alike"] for item in after["exposed"]] == [sizes.min()] * 3
    assert sizes.min() >= 5
    bare = json.loads(run("assess", table, "--exposed", 3, "--json", "--release", out).stdout)
    assert bare["exposed_rows"] == "release"
    screen = run("assess", table, "--policy", policy, "--exposed", 3, "--release", out)
    assert "the records most exposed in the release (private)" in screen.stdout


def test_before_and_after(run: Run, table: Path, policy: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("anonymize", table, "--policy", policy, "--out", out).exit_code == 0
    done = run("assess", table, "--policy", policy, "--release", out, "--threshold", 0.13)
    assert done.exit_code == 0, done.output
    assert "before and after the release" in done.stdout
    assert "still leaks" in done.stdout
    assert "What would help" in done.stdout
    again = run("assess", table, "--policy", policy, "--release", out, "--threshold", 0.9)
    assert "no column of the release leaks 90% or more" in again.stdout
    document = json.loads(
        run("assess", table, "--policy", policy, "--release", out, "--json").stdout
    )
    assert document["change"]["uniqueness"] == {"before": 1.0, "after": 0.0}


def test_a_policy_that_heeds_the_findings(run: Run, table: Path, tmp_path: Path) -> None:
    path = tmp_path / "first.toml"
    done = run("assess", table, "--write", path)
    assert done.exit_code == 0, done.output
    assert f"{path} is written" in done.stdout.replace("\n", "")
    keys = tomllib.loads(path.read_text(encoding="utf-8"))
    assert keys["attributes"]["age"]["min_level"] >= 1
    assert "min_level" not in keys["attributes"]["sex"]
    assert "leaks 7" in path.read_text(encoding="utf-8")
    release = ind.anonymize(table, ind.Policy.load(path))
    assert release.plan.levels["age"] >= keys["attributes"]["age"]["min_level"]
    refused = run("assess", table, "--write", path)
    assert refused.exit_code == 2
    assert "there already" in refused.stderr
    assert refused.stdout == ""
    assert run("assess", table, "--write", path, "--force").exit_code == 0


def test_names_of_columns_with_commas(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    rows = [f"{n};{n % 3};x" for n in range(30)]
    path.write_text("\n".join(['"weight, kg";sex;b', *rows]), encoding="utf-8")
    done = run(
        "assess", path, "--attributes", "weight, kg", "--attributes", "sex", "--separator", ";",
        "--json",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["leakage"]
    assert [item["attributes"] for item in found] == [
        ["weight, kg"], ["sex"], ["weight, kg", "sex"],
    ]  # fmt: skip
    assert run("assess", path, "--attributes", "sex", "--json").exit_code == 0
    assert run("assess", path, "--attributes", "sex,b", "--json").exit_code == 0


def test_names_with_commas_beside_a_policy(run: Run, tmp_path: Path) -> None:
    path, policy = tmp_path / "odd.csv", tmp_path / "p.toml"
    rows = [f"{n};{n % 20};{n % 3}" for n in range(40)]
    path.write_text("\n".join(['patient;"weight, kg";sex', *rows]), encoding="utf-8")
    known = "".join(
        f'[attributes."{name}"]\nrole = "quasi-identifier"\n' for name in ("weight, kg", "sex")
    )
    policy.write_text(
        f'[source]\nseparator = ";"\nperson = "patient"\n{known}'
        '[attributes.patient]\nrole = "identifier"\n',
        encoding="utf-8",
    )
    asked = ["--attributes", "sex", "--attributes", "weight, kg", "--json"]
    done = run("assess", path, "--policy", policy, *asked)
    assert done.exit_code == 0, done.output
    done = run("quasi", path, "--policy", policy, "--sensitive", "weight, kg", "--json")
    assert done.exit_code == 0, done.output
    done = run("risk", path, "--separator", ";", "--quasi", "weight, kg", "--json")
    assert json.loads(done.stdout)["quasi_identifiers"] == ["weight, kg"]
    asked = ["--separator", ";", "--quasi", "weight, kg", "--quasi", "sex", "--k", 2, "--json"]
    assert run("audit", path, *asked).exit_code == 3


@pytest.mark.parametrize(
    ("options", "said"),
    [(("--attributes", ","), "has no name in it"), (("--exposed", -3), "exposed")],
)
def test_options_that_ask_for_nothing(run: Run, table: Path, options: Any, said: str) -> None:
    done = run("assess", table, *options)
    assert done.exit_code == 2
    assert said in done.stderr.replace("\n", " ")


def test_with_weights(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "weighted.csv"
    rows = [f"{n},{n % 2},{n % 4}" for n in range(40)]
    path.write_text("\n".join(["age,sex,p", *rows]), encoding="utf-8")
    document = json.loads(run("assess", path, "--weights", "p", "--json").stdout)
    assert document["entropy"] < 5.0
    assert {"attribute": "p", "why": "holds the weights of the records"} in document["left_out"]


def test_options_beside_a_policy(run: Run, table: Path, policy: Path, tmp_path: Path) -> None:
    done = run(
        "assess", table, "--policy", policy, "--write", tmp_path / "x.toml", "--separator", ";"
    )
    assert done.exit_code == 2
    assert "--write, --separator cannot be combined with --policy" in done.stderr


def test_a_name_that_is_no_column(run: Run, table: Path) -> None:
    done = run("assess", table, "--attributes", "aeg,sex")
    assert done.exit_code == 2
    assert "did you mean 'age'" in done.stderr


def test_a_picture_without_the_extra(
    run: Run, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from indistinct.report import plots

    monkeypatch.setattr(plots.importlib.util, "find_spec", lambda name: None)
    done = run("assess", table, "--plot", tmp_path / "a.svg")
    assert done.exit_code == 2
    assert "pip install 'indistinct[report]'" in done.stderr
    assert done.stdout == ""


def test_a_picture_of_another_kind(run: Run, table: Path, tmp_path: Path) -> None:
    done = run("assess", table, "--plot", tmp_path / "a.pdf")
    assert done.exit_code == 2
    assert ".svg, .png or .html" in done.stderr


def test_a_picture(run: Run, table: Path, tmp_path: Path) -> None:
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    path = tmp_path / "a.svg"
    done = run("assess", table, "--plot", path)
    assert done.exit_code == 0, done.output
    assert "is drawn" in done.stdout
    assert path.read_text(encoding="utf-8").startswith("<svg")


def test_a_screen_that_knows_no_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plain:
        encoding = "ascii"

    monkeypatch.setattr(sys, "stdout", Plain())
    assert bar(0.5, 10) == "#####"
    assert bar(0.001, 10) == "#"
