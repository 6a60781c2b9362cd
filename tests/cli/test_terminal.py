from __future__ import annotations

import io
import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from indistinct.cli import terminal
from indistinct.cli.summary import print_classes, print_promises, warn
from indistinct.cli.terminal import (
    Progress,
    complain,
    forgive_encodings,
    print_json,
    print_table,
)
from indistinct.document import shown
from indistinct.warning_kinds import Kind, WarningText, kinds_of


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


class Clock(threading.Event):
    """An event that passes so many waits at once, and then has happened."""

    waits = 1

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.waited = [*getattr(self, "waited", []), timeout]
        return self.is_set() or len(self.waited) > self.waits


class Beside:
    """A thread that runs when it is told to."""

    def __init__(self, target: Callable[[], None], *, daemon: bool) -> None:
        assert daemon
        Beside.run = staticmethod(target)

    def start(self) -> None:
        pass


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "Event", Clock)
    monkeypatch.setattr(terminal, "Thread", Beside)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(terminal.LOG_SECONDS, "7")


def test_progress_appears_after_a_while_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, clock: None
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with Progress() as progress:
        progress("reading")
        assert capsys.readouterr() == ("", "")
        Beside.run()
        progress("searching", 0.5)
    out, err = capsys.readouterr()
    assert out == ""
    assert "searching" in err
    assert "50%" in err
    with Progress() as progress:
        progress("quick")
    Beside.run()
    assert capsys.readouterr() == ("", "")
    assert progress._bar is None


@pytest.mark.parametrize("share", [None, 0.5])
def test_a_bar_is_one_line_of_80_columns(
    monkeypatch: pytest.MonkeyPatch, clock: None, share: float | None
) -> None:
    screen = Console(file=io.StringIO(), width=80, force_terminal=True, record=True)
    monkeypatch.setattr(terminal, "console", lambda _: screen)
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    progress = Progress()
    progress("reading")
    now = 900.0
    progress("looking at the columns", share)
    now = 1000.0
    progress._show()
    assert progress._bar is not None
    progress._bar.stop()
    told = "about 100 s left of this step" if share else "about 350 s left of this step"
    lines = [line for line in screen.export_text().splitlines() if line.strip()]
    assert lines
    assert all(line.rstrip().endswith(told) for line in lines)


def test_progress_in_a_log_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, clock: None
) -> None:
    looks = iter([0.0, 2.0, 14.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(looks))
    with Progress() as progress:
        progress("searching", 0.25)
        Beside.run()
    assert progress._over.waited == [7.0, 7.0]  # type: ignore[attr-defined]
    line = "progress: searching, 25%, about 36 s left of this step (14 s so far)\n"
    assert capsys.readouterr() == ("", line)


def test_the_time_left_follows_from_the_time_that_reading_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: None
) -> None:
    (tmp_path / "t.csv").write_bytes(b"x" * 300)
    monkeypatch.setattr(terminal, "SPEED", 30)
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with Progress(tmp_path / "t.csv", tmp_path, "postgresql://h/d?table=t") as progress:
        progress("reading")
        now = 5.0
        assert progress._line(now) == "reading, about 15 s left of this step (5 s so far)", (
            "20 s by its size"
        )
        now = 40.0
        assert progress._line(now) == "reading, longer than usual (40 s so far)", "slower"
        progress("auditing")
        now = 60.0
        told = "auditing, about 60 s left of this step (60 s so far)"
        assert progress._line(now) == told, "80 s in all"
        progress("auditing", 0.5)
        assert progress._line(now) == "auditing, 50%, about 20 s left of this step (60 s so far)"
        progress("measuring mondrian")
        now = 70.0
        told = "measuring mondrian, about 50 s left of this step (70 s so far)"
        assert progress._line(now) == told
        progress("waiting")
        assert progress._line(now) == "waiting (70 s so far)", "nothing is known of it"


def test_one_stage_may_do_several_things_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch, clock: None
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with Progress() as progress:
        progress("attacking: linkage", 0.0)
        now = 27.0
        progress("attacking: membership", 0.9)
        now = 30.0
        told = "attacking: membership, 90%, about 3 s left of this step (30 s so far)"
        assert progress._line(now) == told


def test_from_publishing_on_the_time_left_is_that_of_the_run(
    monkeypatch: pytest.MonkeyPatch, clock: None
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with Progress() as progress:
        progress("reading")
        now = 10.0
        progress("publishing")
        assert progress._left(now) == "about 46 s left", "0.6, 2 and 2 times 10 s"
        now = 22.0
        assert progress._left(now) == "longer than usual"
        progress("auditing")
        assert progress._left(now) == "about 60 s left", "writing will take twice as long, too"
        now = 42.0
        progress("trying what others know")
        assert progress._left(now) == "about 50 s left", "writing follows still"
        progress("writing")
        assert progress._left(now) == "about 40 s left"


def test_an_audit_is_no_end_of_a_run(monkeypatch: pytest.MonkeyPatch, clock: None) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with Progress() as progress:
        progress("reading")
        now = 10.0
        progress("auditing")
        assert progress._left(now) == "about 20 s left of this step"


def test_tables_cut_in_place_are_measured_by_cutting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: None
) -> None:
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with Progress(tmp_path) as progress:
        progress("counting in place")
        now = 1.0
        progress("cutting in place", 0.0)
        now = 51.0
        progress("cutting in place", 0.5)
        assert progress._left(now) == "about 50 s left of this step"
        now = 101.0
        progress("publishing")
        assert progress._left(now) == "about 250 s left", "1.4, 0.4 and 0.7 times 100 s"


def test_tables_counted_in_place_are_measured_by_counting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: None
) -> None:
    (tmp_path / "t.csv").write_bytes(b"x" * 3000)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(terminal, "SPEED", 30)
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with Progress("t.csv") as progress:
        progress("reading")
        now = 0.1  # its columns, and no record
        progress("counting in place")
        told = "counting in place, about 10 s left of this step (0 s so far)"
        assert progress._line(now) == told
        now = 10.1
        progress("searching", 0.5)
        progress("publishing")
        seen = [(now := 10.1 + after) and progress._left(now) for after in (0, 10, 49)]
        assert seen == [f"about {left} s left" for left in (90, 80, 41)], "and never more again"
        now = 60.1
        assert progress._line(now) == "publishing, longer than usual (60 s so far)"


def test_in_a_server_the_time_left_follows_from_publishing(
    monkeypatch: pytest.MonkeyPatch, clock: None
) -> None:
    """Counting takes from a ninth of it to all of it, as combinations are few or many."""
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    with Progress("postgresql://h/d?table=t") as progress:
        progress("reading")
        progress("counting in place")
        assert progress._line(now) == "counting in place (0 s so far)"
        now = 60.0
        progress("searching", 0.5)
        progress("publishing")
        assert progress._line(now) == "publishing (60 s so far)"
        now = 160.0
        progress("auditing")
        assert progress._left(now) == "about 120 s left"
        progress("writing")
        assert progress._left(now) == "about 70 s left"


@pytest.mark.parametrize("seconds", ["0", "-1"])
def test_a_log_without_lines_can_be_had(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, clock: None, seconds: str
) -> None:
    monkeypatch.setenv(terminal.LOG_SECONDS, seconds)
    with Progress():
        Beside.run()
    assert capsys.readouterr() == ("", "")


def test_seconds_that_cannot_be_read_are_the_usual_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(terminal.LOG_SECONDS, "often")
    assert terminal._log_seconds() == terminal.LOG_EVERY


def test_no_letter_of_a_narrow_table_is_cut_off(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    visit = "k = 5, visit = infection date, date onset, date_of_outcome, hospital"
    rows = [
        ("known-visit", visit, "gender, age", "holds", "k = 5"),
        ("km-anonymity of time_admission", "k = 5", "gender, age", "holds", "k = 1,313 with m = 1"),
    ]
    print_table(("promise", "asked", "on", "verdict", "achieved"), rows)
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= 80
    assert sorted(printed.split()) == sorted(
        word
        for row in (("promise asked on verdict achieved",), *rows)
        for word in " ".join(row).split()
    )


def test_a_table_has_no_figure_below_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("gain",), [("-0.00",), ("-0.01",)])
    assert capsys.readouterr().out.split() == ["gain", "0.00", "-0.01"]


def test_a_promise_about_items_is_on_items(capsys: pytest.CaptureFixture[str]) -> None:
    whole = {"parameters": {"k": 5}, "achieved": {"k": 6}, "holds": True, "on": None}
    print_promises(
        [
            {"model": "km-anonymity", "sensitive": "diagnosis", **whole},
            {"model": "k-anonymity", **whole},
            {"model": "known-visit", **whole, "on": ["age"]},
        ]
    )
    rows = capsys.readouterr().out.splitlines()[1:]
    assert [row.split("k = 5")[1].split("holds")[0].strip() for row in rows] == [
        "items",
        "all quasi-identifiers",
        "age",
    ]


def test_one_promise_about_many_attributes_is_one_line_unless_it_is_broken(
    capsys: pytest.CaptureFixture[str],
) -> None:
    of = [
        {
            "model": "km-anonymity",
            "parameters": {"k": 5, "m": 1},
            "sensitive": f"item{number}",
            "holds": number != 3,
            "achieved": {"k": 30 + number, "m": 1},
            "achieved_with": {"k": {"m": 1}},
        }
        for number in range(8)
    ]
    print_promises(of)
    rows = [" ".join(row.split()) for row in capsys.readouterr().out.splitlines()[1:]]
    assert rows == [
        "km-anonymity of 7 attributes k = 5, m = 1 items holds k = 30 to 37",
        "km-anonymity of item3 k = 5, m = 1 items BROKEN k = 33 with m = 1",
    ]
    print_promises(of[4:])
    assert len(capsys.readouterr().out.splitlines()) == 1 + 4


SENTENCE = "a class tells what somebody has, and this sentence is as long as a line of a screen is"
"""Two lines on a screen of 80 columns."""


def _told(
    capsys: pytest.CaptureFixture[str], given: Sequence[WarningText], **how: Any
) -> list[str]:
    run = {"warnings": list(given), "warning_kinds": kinds_of(given)}
    warn((), run, how.pop("out", None), details=how.pop("details", False))
    return capsys.readouterr().err.splitlines()


def test_warnings_of_a_run_take_half_a_screen_and_the_others_are_counted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "run.json").touch()
    kinds = (Kind.SOURCE, Kind.LOSS, Kind.LOSS, Kind.RISK, Kind.LIMIT, Kind.RISK, Kind.SETTING)
    given = [kind(f"{SENTENCE}, {at}") for at, kind in enumerate(kinds)]
    told = _told(capsys, given, out=tmp_path)
    assert [line[-1] for line in told[:-1]] == ["3", "5", "1", "2", "4"]
    assert told[-1] == (
        "warning: 2 more, 1 on settings, 1 on how the table was read: "
        f"see {tmp_path / 'private' / 'run.json'}, or add --details"
    )
    assert len(_told(capsys, given, details=True)) == len(given)
    assert len(_told(capsys, given[:6])) == 6, "twelve lines fit"


def test_the_worst_warning_is_whole_however_long_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    worst = Kind.RISK(" ".join([SENTENCE] * 20))
    told = _told(capsys, [Kind.LOSS(SENTENCE), worst])
    assert told == [
        f"warning: {worst}",
        "warning: 1 more, 1 on what is lost: add --details to see them",
    ]


@pytest.mark.parametrize(
    ("smallest", "largest", "told"),
    [(8, 8, "1 class of 8 people\n"), (8, 9, "1 class of 8 to 9 people, 8 on average\n")],
)
def test_classes_of_one_size_are_told_once(
    capsys: pytest.CaptureFixture[str], smallest: int, largest: int, told: str
) -> None:
    figures = {"count": 1, "smallest": smallest, "largest": largest, "mean": 8.0}
    print_classes(figures, of_people=True)
    assert capsys.readouterr().out == told
