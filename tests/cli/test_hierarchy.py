from __future__ import annotations

import json
from pathlib import Path

import pytest

from indistinct.hierarchies.files import read_hierarchy


@pytest.mark.parametrize(
    ("attribute", "options"),
    [
        ("age", ("--intervals", 5)),
        ("age", ("--intervals", 5, "--bottom", 25, "--top", 50, "--levels", 2)),
        ("age", ("--equal-frequency", 4)),
        ("zip", ("--mask", "right")),
        ("zip", ("--mask", "left", "--levels", 2)),
    ],
)
def test_a_hierarchy_is_shown_and_written(
    run, table: Path, tmp_path: Path, attribute: str, options: tuple[object, ...]
):
    shown = run("hierarchy", table, attribute, *options)
    assert shown.exit_code == 0, shown.stderr
    header, *levels = shown.stdout.splitlines()
    assert header.split()[:2] == ["level", "labels"]
    path = tmp_path / f"{attribute}.csv"
    written = run("hierarchy", table, attribute, *options, "--out", path)
    assert written.exit_code == 0, written.stderr
    assert f'hierarchy = {{ file = "{path}" }}' in written.stdout
    taxonomy = read_hierarchy(path, attribute)
    assert taxonomy.levels == len(levels)
    assert len(taxonomy.leaves) == {"age": 40, "zip": 2}[attribute]


def test_dates(run, tmp_path: Path):
    path = tmp_path / "table.csv"
    path.write_text("seen\n31.01.2024\n01.04.2024\n", encoding="utf-8")
    options = ("--date", "month,year", "--date-format", "%d.%m.%Y", "--json")
    result = run("hierarchy", path, "seen", *options)
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["hierarchy"] == {"date": {"levels": ["month", "year"], "format": "%d.%m.%Y"}}
    assert document["values"] == 2
    assert [level["labels"] for level in document["levels"]][1:] == [2, 1, 1]
    assert document["rows"][0][:2] == ["31.01.2024", "2024-01"]


def test_codes(run, tmp_path: Path):
    path = tmp_path / "table.csv"
    path.write_text("icd\nE11.9\nI10\n", encoding="utf-8")
    result = run("hierarchy", path, "icd", "--code-system", "icd-10", "--json")
    assert result.exit_code == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["hierarchy"] == {"code_system": "icd-10"}
    assert document["rows"][0][:3] == ["E11.9", "E11", "E08-E14"]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("age",), "exactly one of --intervals, --equal-frequency, --mask, --date, --code-system"),
        (("age", "--intervals", 5, "--mask", "right"), "--date, --code-system, not 2"),
        (("age", "--code-system", "icd-10"), "cannot be read as a code of icd-10"),
        (("age", "--code-system", "icd-10", "--levels", 2), "--levels goes with"),
        (("ages", "--intervals", 5), "has no column 'ages': did you mean 'age'?"),
        (("age", "--mask", "right", "--top", 9), "--top goes with --intervals only"),
        (("age", "--equal-frequency", 4, "--date-format", "%Y"), "--date-format goes with --date"),
        (("age", "--intervals", 0), "width"),
        (("sex", "--intervals", 5), "attribute 'sex'"),
    ],
)
def test_what_the_user_can_mend(run, table: Path, options: tuple[object, ...], text: str):
    result = run("hierarchy", table, *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert text in result.stderr


def test_a_usage_error_ends_with_2(run, table: Path):
    result = run("hierarchy", table, "age", "--mask", "middle")
    assert result.exit_code == 2
    assert "--mask" in result.stderr


def test_missing_and_uncovered_values_are_shown_before_anything_is_written(run, tmp_path: Path):
    data = tmp_path / "t.csv"
    data.write_text("age,zip\n20,1\n30,2\nx,3\n,4\n45,9\n", encoding="utf-8")
    done = run("hierarchy", data, "age", "--intervals", "10")
    assert done.exit_code == 0
    assert "row 3: 1 distinct value cannot be read as a number" in done.stderr
    assert "suppressed on every level: 1 value" in done.stdout
    assert "a missing value is published as (missing), then *" in done.stdout
    document = json.loads(run("hierarchy", data, "age", "--intervals", "10", "--json").stdout)
    assert document["uncovered"][0]["rows"] == [3]
    out = tmp_path / "h.csv"
    assert run("hierarchy", data, "age", "--intervals", "10", "--out", out).exit_code == 2
    assert not out.exists()
