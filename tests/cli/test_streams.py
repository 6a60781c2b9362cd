"""Standard output that is full or closed: what was written to files stands, and it is said."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from indistinct.cli import app

CLOSED = "did not take everything (it is closed)"
FULL = "did not take everything (no space left on device)"


def ended(where: str, *words: object) -> tuple[int, str]:
    """The exit code and the standard error of a verb whose standard output goes nowhere."""
    started = [sys.executable, "-c", _STARTS[where], *map(str, words)]
    done = subprocess.run(started, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stderr


_MAIN = "from indistinct.cli import main; main()"
_STARTS = {
    "full": f"import sys; sys.stdout = open('/dev/full', 'w'); {_MAIN}",
    "closed": f"import sys; sys.stdout.close(); sys.stdout = None; {_MAIN}",
    "pipe": f"import os; r, w = os.pipe(); os.close(r); os.dup2(w, 1); {_MAIN}",
    "none": f"import sys; sys.stdout = sys.stderr = None; {_MAIN}",
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize(
    ("where", "told", "options"),
    [
        ("full", FULL, ["--json"]),
        ("full", FULL, []),
        ("closed", CLOSED, ["--json"]),
        ("pipe", CLOSED, []),
        ("none", "", ["--json"]),
    ],
)
def test_a_release_stands(
    table: Path, policy: Path, tmp_path: Path, where: str, told: str, options: list[str]
) -> None:
    out = tmp_path / "out"
    code, said = ended(where, "anonymize", table, "--policy", policy, "--out", out, *options)
    assert code == 0
    assert told in said
    assert "internal error" not in said
    assert "Exception" not in said
    assert (out / "release.csv").is_file()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
def test_a_hierarchy_in_a_file_stands_and_a_shown_one_is_lost(
    table: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["hierarchy", str(table), "age", "--intervals", "5"]
    out = tmp_path / "age.csv"
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        app([*words, "--out", str(out)], standalone_mode=False)
        assert out.is_file()
        assert "what was written to files stands" in capsys.readouterr().err
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert app(words, standalone_mode=False) == 2


@pytest.mark.parametrize(("where", "code"), [("full", 2), ("closed", 0), ("pipe", 0)])
def test_where_the_output_is_all_there_is(table: Path, where: str, code: int) -> None:
    assert ended(where, "assess", table) == (code, f"error: standard output {FULL}\n" * (code > 0))


@pytest.mark.parametrize("where", ["full", "none"])
def test_a_broken_promise_is_told_by_the_exit_code(table: Path, where: str) -> None:
    assert ended(where, "audit", table, "--quasi", "age,sex,zip", "--k", 5)[0] == 3
