"""With ``--json`` every verb ends with one document on standard output, whatever goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from indistinct.cli import app

GROUP = typer.main.get_command(app)
VERBS = sorted(
    name
    for name, verb in GROUP.commands.items()  # type: ignore[attr-defined]
    if any("--json" in part.opts for part in verb.params)
)


def test_these_verbs_have_documents() -> None:
    assert {"anonymize", "assess", "attack", "audit", "compare", "init", "risk"} <= {*VERBS}


@pytest.mark.parametrize("name", VERBS)
def test_an_option_that_nobody_knows(name: str) -> None:
    done = CliRunner().invoke(app, [name, "--json", "--no-such-option"])
    document = json.loads(done.stdout)
    assert done.exit_code == document["exit_code"] == 2
    assert document["error"] == "UsageError"
    (problem,) = document["problems"]
    assert problem["code"] == "bad-option"
    assert "--no-such-option" in problem["message"]


@pytest.mark.parametrize("name", [name for name in VERBS if name != "demo"])
def test_files_that_are_not_there(name: str, tmp_path: Path) -> None:
    verb = GROUP.commands[name]  # type: ignore[attr-defined]
    words = [name, "--json"]
    for part in verb.params:
        if part.param_type_name == "argument" and part.required:
            words.append({"show": "show"}.get(part.name, str(tmp_path / f"no-{part.name}.csv")))
        elif part.required:
            words += [part.opts[0], str(tmp_path / "none.toml")]
    done = CliRunner().invoke(app, words)
    document = json.loads(done.stdout)
    assert done.exit_code == document["exit_code"] == 2, done.stderr
    for problem in document["problems"]:
        assert problem["code"] != "bad-option" or document["error"] == "UsageError"
        assert problem["message"]
        if document["error"] != "UsageError":
            assert problem["message"] in done.stderr
