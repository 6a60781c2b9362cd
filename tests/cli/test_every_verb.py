"""What holds of the output of every verb: it fits a screen, and can be had without its asides."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import typer
from typer.testing import CliRunner

import indistinct as ind
from indistinct.cli import app, main
from indistinct.cli.terminal import Progress, complain, hush

NAMES = {
    "name": "record_identifier",
    "age": "age_at_admission_in_completed_years",
    "zip": "postcode_of_main_residence",
    "ill": "principal_diagnosis_as_text",
    "days": "length_of_stay_in_days",
}
POLICY: dict[str, Any] = {
    "attributes": {
        NAMES["name"]: {"role": "identifier"},
        NAMES["age"]: {"role": "quasi-identifier", "hierarchy": {"intervals": {"width": 5}}},
        NAMES["zip"]: {"role": "quasi-identifier", "hierarchy": {"mask": {"from": "right"}}},
        NAMES["ill"]: {"role": "sensitive"},
        NAMES["days"]: {"role": "sensitive"},
    },
    "promises": [
        {"model": "k-anonymity", "k": 4},
        {"model": "distinct-l-diversity", "l": 2, "sensitive": NAMES["ill"]},
    ],
    "method": {"algorithm": "optimal", "suppression_limit": 0.1, "seed": 3},
    "analyses": [
        {"kind": "linear", "outcome": NAMES["days"], "predictors": [NAMES["age"], NAMES["zip"]]}
    ],
    "ledger": {"path": "ledger", "person": NAMES["name"]},
}
WITH = "--policy p.toml"
ASKED = {
    "init": ["t.csv --policy drafted.toml", f"t.csv --check {WITH[9:]}"],
    "assess": ["t.csv --combinations 2"],
    "quasi": [f"t.csv {WITH}"],
    "risk": [f"t.csv {WITH}"],
    "anonymize": [f"t.csv {WITH} --out out"],
    "apply": [f"out/private/plan.json t.csv {WITH} --out again"],
    "audit": ["out"],
    "attack": [f"t.csv out {WITH} --details"],
    "compare": [f"t.csv out again {WITH}"],
    "explore": [f"t.csv {WITH} --k 2..4 --suppression 0,0.05"],
    "report": ["out"],
    "hierarchy": ["--intervals 5", "--mask right --out h.csv"],
    "ledger": ["list ledger", "check ledger"],
}
ELSEWHERE = {"demo", "studio"}
"""``demo`` is held in a file of its own; the studio prints an address."""


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ills = ["I10 Essential (primary) hypertension", "E11 Type 2 diabetes", "J45 Asthma"]
    table = {
        "name": [f"P{at}" for at in range(150)],
        "age": [20 + at * 7 % 40 for at in range(150)],
        "zip": [81660 + at * 11 % 13 for at in range(150)],
        "ill": [ills[at * at % 3] for at in range(150)],
        "days": [1 + at * 5 % 17 for at in range(150)],
    }
    pl.DataFrame(table).rename(NAMES).write_csv("t.csv")
    Path("p.toml").write_text(ind.Policy.from_dict(POLICY).to_toml(), encoding="utf-8")


@pytest.mark.usefixtures("tables")
def test_what_every_verb_prints_fits_a_screen(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    known = {item.name or item.callback.__name__ for item in app.registered_commands}
    assert known == {*ASKED} | ELSEWHERE
    for verb, asked in ASKED.items():
        for words in asked:
            column = ["t.csv", NAMES["age"]] if verb == "hierarchy" else []
            told = run(verb, *column, *words.split())
            assert told.exit_code == 0, (verb, told.stderr)
            wide = [line for line in told.stdout.splitlines() if len(line) > 80]
            assert all(line.startswith("  indistinct ") for line in wide), (verb, wide)


@pytest.mark.usefixtures("tables")
def test_a_quiet_verb_tells_its_answer_alone(run: Any) -> None:
    made = run("anonymize", "t.csv", *WITH.split(), "--out", "out", "--quiet")
    assert (made.exit_code, made.stdout) == (0, "")
    assert "warning: " in made.stderr, "what must be known is told all the same"
    again = run("anonymize", "t.csv", *WITH.split(), "--out", "other", "-q", "--json")
    assert again.stdout.startswith("{")
    beside = run("anonymize", "t.csv", *WITH.split(), "--out", "o2", "--alternatives", "--quiet")
    assert beside.stdout.lstrip().startswith("what other methods would keep")
    assert "published" not in beside.stdout
    loud, quiet = (run("audit", "out", *more) for more in ((), ("--quiet",)))
    assert quiet.stdout == loud.stdout
    assert "note: " in loud.stderr
    assert quiet.stderr == ""
    assert run("report", "out", "--quiet").output == ""


@pytest.mark.usefixtures("tables")
def test_an_interrupt_while_anything_is_written_leaves_everything_as_it_was(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever a verb writes: nothing is new, nothing is changed, and it says so."""
    plain = {key: own for key, own in POLICY.items() if key not in {"analyses", "ledger"}}
    Path("plain.toml").write_text(ind.Policy.from_dict(plain).to_toml(), encoding="utf-8")
    assert run("anonymize", "t.csv", "--policy", "plain.toml", "--out", "out").exit_code == 0
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    age = NAMES["age"]
    writing = [
        "init t.csv --policy drafted.toml",
        "assess t.csv --write drafted.toml",
        f"quasi t.csv {WITH} --plot graph.svg",
        f"hierarchy t.csv {age} --intervals 5 --out h.csv",
        "anonymize t.csv --policy plain.toml --out other",
        "apply out/private/plan.json t.csv --policy plain.toml --out other",
        "report out",
    ]

    def interrupt(handle: int) -> None:
        del handle
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "fsync", interrupt)
    for words in writing:
        told = run(*words.split())
        assert told.exit_code == 130, (words, told.stderr)
        assert told.stderr.endswith("interrupted: nothing was left half written\n"), words
        assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


@pytest.mark.usefixtures("tables")
def test_no_file_is_replaced_unasked(run: Any) -> None:
    """Not the table either, where its name is given by mistake."""
    plain = {key: own for key, own in POLICY.items() if key not in {"analyses", "ledger"}}
    Path("plain.toml").write_text(ind.Policy.from_dict(plain).to_toml(), encoding="utf-8")
    assert run("anonymize", "t.csv", "--policy", "plain.toml", "--out", "out").exit_code == 0
    two = f"{NAMES['age']},{NAMES['zip']}"
    there = Path("there.svg"), Path("plain-1.toml")
    writing = [
        "init t.csv --policy there.svg",
        "assess t.csv --write there.svg",
        "assess t.csv --policy plain.toml --plot there.svg",
        "quasi t.csv --policy plain.toml --plot there.svg",
        "risk t.csv --policy plain.toml --plot there.svg",
        f"compare t.csv out --policy plain.toml --contingency {two} --plot there.svg",
        "explore t.csv --policy plain.toml --k 2 --plot there.svg",
        "explore t.csv --policy plain.toml --k 2 --write 1",
        f"hierarchy t.csv {NAMES['age']} --intervals 5 --out there.svg",
    ]
    for words in writing:
        for file in there:
            file.write_text("mine", encoding="utf-8")
        told = run(*words.split())
        assert told.exit_code == 2, words
        assert "a file of that name is there already" in told.stderr, words
        assert [file.read_text(encoding="utf-8") for file in there] == ["mine", "mine"], words
        told = run(*words.split(), "--force")
        assert told.exit_code == 0, (words, told.stderr)
        assert [file.read_text(encoding="utf-8") for file in there].count("mine") == 1, words
    told = run("explore", "t.csv", "--policy", "plain.toml", "--k", "2", "--plot", "t.png")
    assert (told.exit_code, "is drawn as .svg" in told.stderr) == (2, True)


def test_progress_is_not_told_where_nothing_is_to_be_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("indistinct.cli.terminal.Thread")
    hush(True)
    try:
        with Progress() as progress:
            progress("searching", 0.5)
        complain("note", "beside it")
    finally:
        hush(False)
    assert capsys.readouterr().err == ""


def test_the_help_of_every_verb_is_shown_whole() -> None:
    """Words in square brackets would be taken for markup, and left out."""
    for name, verb in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        page = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "400"}).output
        shown = " ".join(re.sub("[│─╭╮╰╯]", " ", page).split())
        said = [verb.help, *(getattr(parameter, "help", None) for parameter in verb.params)]
        missing = [text for text in said if text and " ".join(text.split()) not in shown]
        assert missing == [], name


@pytest.mark.parametrize(
    ("words", "made"),
    [("audit --help", {"audit"}), ("--help", set()), ("audits", set()), ("", set())],
)
def test_a_verb_that_is_named_is_made_alone(
    monkeypatch: pytest.MonkeyPatch, words: str, made: set[str]
) -> None:
    """And all are known where somebody asks for all, or misspells one."""
    known: list[set[str]] = []

    def look(called: typer.Typer, **given: object) -> None:
        del given
        known.append(
            {getattr(item.callback, "__name__", "") for item in called.registered_commands}
        )

    monkeypatch.setattr(typer.Typer, "__call__", look)
    monkeypatch.setattr(sys, "argv", ["indistinct", *words.split()])
    before = gc.get_threshold()
    try:
        main()
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
    assert known == [made or {*ASKED} | ELSEWHERE]
