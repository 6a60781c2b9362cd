from __future__ import annotations

import io
import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from indistinct.cli import terminal
from indistinct.cli.terminal import (
    Progress,
    complain,
    forgive_encodings,
    print_json,
    print_table,
)
from indistinct.document import shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234, "1,234"),
        (0.5, "0.5"),
        (0.123456, "0.1235"),
        (12.0, "12"),
        (2.0, "2"),
        (True, "yes"),
        (None, "none"),
        ([1, 2], "1, 2"),
        ("text", "text"),
    ],
)
def test_figures_as_people_read_them(value: object, text: str) -> None:
    assert shown(value) == text


def test_json_holds_plain_numbers_of_any_library(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"n": np.int64(3), "path": Path("a"), "set": {2, 1}, "ä": np.array([1.5])})
    assert json.loads(capsys.readouterr().out) == {"n": 3, "path": "a", "set": [1, 2], "ä": [1.5]}


def test_a_stream_that_knows_only_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    forgive_encodings()
    print_json({"größe": "…"})
    sys.stdout.write("größe …\n")
    sys.stdout.flush()
    document, _, text = raw.getvalue().decode("ascii").partition("}\n")
    assert json.loads(document + "}") == {"größe": "…"}
    assert text == "gr??e ?\n"


def test_json_refuses_what_json_does_not_know() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        print_json({"value": float("nan")})


def test_long_cells_are_broken_or_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    print_table(("a", "b"), [("x", "1 2 3 4 5 6 7 8 9 10 11")])
    assert len(capsys.readouterr().out.splitlines()) == 3
    print_table(("a", "b"), [("x", "1 2 3 4 5 6 7 8 9 10 11")], wrap=False)
    assert capsys.readouterr().out.splitlines()[1].endswith("…")


def test_a_long_first_column_leaves_room_for_the_others(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    print_table(("", "release"), [("a promise with a great many settings of its own", "0.387")])
    lines = capsys.readouterr().out.splitlines()
    assert "release" in lines[0]
    assert lines[1].endswith("0.387")
    assert len(lines) > 2
    print_table(("", "release"), [("a short promise", "0.387")])
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_messages_are_not_wrapped_and_not_marked_up(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    complain("error", "[red]a/long/path/without/end.csv: [/red] :smile:")
    assert capsys.readouterr().err == ("error: [red]a/long/path/without/end.csv: [/red] :smile:\n")


class Alarm:
    """A timer that rings when it is told to."""

    def __init__(self, seconds: float, ring: Callable[[], None]) -> None:
        self.seconds = seconds
        self.ring = ring
        self.daemon = False
        self.started = self.cancelled = False

    def start(self) -> None:
        assert self.daemon
        assert self.seconds == terminal.PATIENCE
        self.started = True

    def cancel(self) -> None:
        self.cancelled = True


def alarm(progress: Progress) -> Alarm:
    assert isinstance(progress._timer, Alarm)
    return progress._timer


def test_progress_appears_after_a_while_and_only_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "Timer", Alarm)
    monkeypatch.setenv("TERM", "xterm")
    with Progress() as progress:
        progress("reading")
        assert not alarm(progress).started
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with Progress() as progress:
        progress("reading")
        assert alarm(progress).started
        alarm(progress).ring()
        progress("searching", 0.5)
    out, err = capsys.readouterr()
    assert out == ""
    assert "searching" in err
    with Progress() as progress:
        progress("quick")
    assert alarm(progress).cancelled
    assert "quick" not in capsys.readouterr().err


def test_progress_that_ends_as_its_time_runs_out_shows_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "Timer", Alarm)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with Progress() as progress:
        progress("reading")
    alarm(progress).ring()
    assert capsys.readouterr() == ("", "")
    assert progress._bar is None
