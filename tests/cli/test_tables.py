"""How tables and messages fit a terminal."""

from __future__ import annotations

import re

import pytest

from indistinct.cli.terminal import complain, print_table, wrapped


def test_columns_that_do_not_fit_follow_with_the_first_one_again(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    names = [f"generalization{at}" for at in range(6)]
    rows = [("background-exclusion", *(f"0.12345{at}" for at in range(6))) for _ in range(2)]
    print_table(("attacker", *names), rows, right=names)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    for name in names:
        assert sum(name in line.split() for line in lines) == 1
    heads = [line for line in lines if line.startswith("attacker")]
    assert len(heads) == lines.count("") + 1 == 3
    assert sum(line.startswith("background-exclusion ") for line in lines) == 2 * len(heads)


def test_messages_are_wrapped_on_terminals_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    long = " ".join(["what was promised"] * 12)
    complain("warning", long)
    assert len(capsys.readouterr().err.splitlines()) == 1
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    complain("warning", long)
    lines = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().err).splitlines()
    assert max(map(len, lines)) <= 80
    assert all(line.startswith("  ") for line in lines[1:])
    assert " ".join(line.strip() for line in lines) == f"warning: {long}"
    assert wrapped("a\nb", 20) == "a\nb"
