"""``indistinct paper``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from typer.testing import Result

Run = Callable[..., Result]


def test_a_table_and_a_count_of_verdicts(run: Run, tmp_path: Path) -> None:
    result = run("paper", "arca-hewett")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines()[2:-1])) <= 80
    assert "(cut off after the" in result.stdout
    last = result.stdout.splitlines()[-1]
    assert " items: " in last
    assert " computed (" in last
    assert " refuted" in last
    assert "not run: Tables 7 and 8" in result.stderr
    assert not list(tmp_path.iterdir())


def test_one_json_document(run: Run) -> None:
    result = run("paper", "arca-hewett", "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["paper"] == "arca-hewett"
    sex = next(
        item for item in document["items"]
        if (item["where"], item["what"]) == ("Table 2", "Sex, normalized loss")
    )  # fmt: skip
    assert sex["printed"] == 0.16
    assert abs(sex["computed"] - 0.1681) < 5e-5
    assert sex["verdict"] == "truncated"
    assert sum(document["verdicts"].values()) == len(document["items"])


def test_files(run: Run, tmp_path: Path) -> None:
    result = run("paper", "arca-hewett", "--out", tmp_path / "out")
    assert result.exit_code == 0
    assert (tmp_path / "out" / "reproduction.md").is_file()
    assert (tmp_path / "out" / "figure-4.mmd").is_file()
    assert "begin with" in result.stdout


def test_an_unknown_paper(run: Run) -> None:
    result = run("paper", "arca-hewet")
    assert result.exit_code == 2
    assert "did you mean 'arca-hewett'?" in result.stderr
    assert result.stdout == ""


def test_a_folder_without_the_files(run: Run, tmp_path: Path) -> None:
    result = run("paper", "arca-hewett", "--data", tmp_path)
    assert result.exit_code == 2
    assert result.stderr.count("there is no such file") == 3
    assert result.stdout == ""


def test_with_the_heart_files(run: Run, shared: Path) -> None:
    result = run("paper", "arca-hewett", "--data", shared / "data" / "heart", "--seed", 2)
    assert result.exit_code == 0
    assert "Table 8" in result.stdout
    assert "not run" not in result.stderr
