"""Output: text and tables for people, one JSON document for scripts, progress while they wait."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import textwrap
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Event, Lock, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

import typer

from indistinct.document import Bar, Cell, Grid, Part, Style, unsigned

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress

PATIENCE = 1.0
"""Seconds after which a progress bar appears."""

LOG_EVERY = 10.0
"""Seconds between two lines of progress where there is no terminal, unless ``LOG_SECONDS`` says."""

LOG_SECONDS = "INDISTINCT_LOG_SECONDS"
"""The environment variable with these seconds; 0 for no such lines."""

SPEED = 30e6
"""Bytes of text that are read in a second, before it is known how quick this machine is."""

PACKED = {".parquet": 5, ".xlsx": 10}
"""Bytes of text that a byte of such a file stands for."""

TYPICAL = {
    "reading": 1.0,
    "reading the releases": 0.6,
    "looking at the columns": 0.5,
    "looking at the hierarchies": 1.0,
    "counting": 1.0,
    "drawing queries": 0.2,
    "publishing": 0.6,
    "making releases": 0.5,
    "auditing": 2.0,
    "writing": 2.0,
    "measuring": 1.5,
    "trying": 1.0,
}
"""Seconds that a stage takes for each second of reading, as measured on a million rows; of stages
that say what they measure or try, under their first word."""

IN_PLACE = "counting in place"
"""The stage of tables that are counted where they are. Reading these takes no time, whatever their
size, and so says nothing of what follows: counting goes through all records, and does."""

TYPICAL_IN_PLACE = {"publishing": 5.0, "auditing": 2.5, "writing": 1.5}
"""Seconds that a stage takes for each second of counting then, as measured on ten million rows in
files."""

TYPICAL_IN_SERVER = {"auditing": 0.5, "writing": 0.7}
"""Seconds that a stage takes for each second of publishing in a server, as measured on half a
million rows. Publishing itself takes from one to nine times as long as counting there: the less,
the more combinations differ. So nothing is said of it before."""

CUT = "cutting in place"
"""The stage of tables whose combinations do not fit: they are cut where they are, and counting them
was broken off. Seconds that a stage takes for each second of cutting, measured on five million."""

TYPICAL_CUT = {"publishing": 1.4, "auditing": 0.4, "writing": 0.7}

PUBLISHING, WRITING = "publishing", "writing"
ENDING = (PUBLISHING, "auditing", WRITING)
"""The stages that come last wherever something is published, in this order."""

SERVERS = ("postgresql:", "postgres:")
"""How addresses in a server begin."""

BY_SIZE = 0.1
"""Seconds of that counting for each second that reading so many bytes would take."""

GAP = 2
"""Columns between two columns of a table."""

BAR = 10
"""Characters of a full bar."""

NARROW, NARROW_BAR = 90, 6
"""On screens of fewer columns bars are shorter, so that they are not broken into two lines."""

SCREEN = 80
"""Columns after which messages on a terminal go on in the next line."""

_quiet = False


def hush(asked: bool) -> None:
    """Say no more than is needed, or say everything again: no progress and no notes."""
    global _quiet  # noqa: PLW0603 - one command line, one way to speak
    _quiet = asked


def is_quiet() -> bool:
    """Whether ``--quiet`` is given."""
    return _quiet


_LINES: dict[Style, str | None] = {
    "text": None,
    "title": "bold",
    "good": "bold green",
    "doubt": "bold yellow",
    "bad": "bold red",
    "code": None,
}

_STYLES = {
    "error": "bold red",
    "internal error": "bold red",
    "interrupted": "bold red",
    "warning": "bold yellow",
    "note": "bold",
}


def console(stream: Literal["out", "err"] = "out") -> Console:
    """A console that prints text as it is: values can hold square brackets and colons."""
    from rich.console import Console

    return Console(stderr=stream == "err", markup=False, highlight=False, emoji=False)


def complain(kind: str, message: str) -> None:
    """One message on standard error, as ``kind: message``; wrapped on terminals alone."""
    from rich.text import Text

    if _quiet and kind in {"note", "progress"}:
        return
    if sys.stderr.isatty():
        message = wrapped(f"{kind}: {message}", min(console("err").width, SCREEN), indent=2)
        message = message[len(kind) + 2 :]
    text = Text.assemble((f"{kind}:", _STYLES.get(kind, "")), f" {message}")
    console("err").print(text, soft_wrap=True)


ALERT = 3
"""The exit code where a bound that was named is passed, or a promise is found broken."""


def stop_where(passed: Sequence[str]) -> None:
    """Tell which bounds are passed, and end with exit code 3 where any is."""
    for message in passed:
        complain("alert", message)
    if passed:
        raise typer.Exit(ALERT)


def forgive_encodings() -> None:
    """Let a terminal that does not know a character show a question mark in its place."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


def print_json(document: Any) -> None:
    """The one document that ``--json`` promises, in ASCII where the stream cannot take more."""
    known = (sys.stdout.encoding or "").lower().replace("_", "-")
    text = json.dumps(
        document,
        indent=2,
        ensure_ascii=not known.startswith("utf"),
        allow_nan=False,
        default=_plain,
    )
    sys.stdout.write(text + "\n")


def print_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right: Sequence[str] = (),
    wrap: bool = True,
) -> None:
    """A table without frames.

    What is too long is broken into lines between words. Where the words of all columns do not fit
    side by side, those that are left over follow in a table of their own, with the first column
    again. That one is whole, unless it would leave less than half of the screen to the others.

    Arguments:
        columns: their names.
        rows: the cells, [rows, columns].
        right: the names of columns that are aligned to the right.
        wrap: break what is too long; else it is cut off, and all columns stay side by side.
    """
    rows = [tuple(map(unsigned, row)) for row in rows]
    if not (columns and wrap):
        sys.stdout.write(_drawn_table(columns, rows, right, wrap))
        return
    parts = []
    for places in _side_by_side(columns, rows, console().width):
        names = [columns[at] for at in places]
        parts.append(_drawn_table(names, [[row[at] for at in places] for row in rows], right))
    sys.stdout.write("\n".join(parts))


def _side_by_side(
    columns: Sequence[str], rows: Sequence[Sequence[str]], width: int
) -> list[list[int]]:
    """The columns of each table, so that no word of them is broken."""
    cells = zip(columns, *rows, strict=True)
    least = [max((len(word) for cell in own for word in cell.split()), default=0) for own in cells]
    found: list[list[int]] = [[0]]
    taken = first = (
        min(max((len(row[0]) for row in (columns, *rows) if row), default=0), width // 2) + GAP
    )
    for place, own in enumerate(least[1:], start=1):
        if taken + own > width and len(found[-1]) > 1:
            found.append([0])
            taken = first
        found[-1].append(place)
        taken += own + GAP
    return found


def _drawn_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[str],
    wrap: bool = True,
) -> str:
    from rich.table import Table

    screen = console()
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    fitted = wrap and columns
    widths = _widths(columns, rows, screen.width) if fitted else [None] * len(columns)
    for name, width in zip(columns, widths, strict=True):
        table.add_column(
            name,
            justify="right" if name in right else "left",
            overflow="fold" if wrap else "ellipsis",
            no_wrap=not wrap,
            width=width,
        )
    for first, *others in rows:
        # Rich would begin the further lines of a name that is set in at the left.
        by = len(first) - len(first.lstrip())
        table.add_row(wrapped(first, widths[0], by + 2) if by and widths[0] else first, *others)
    with screen.capture() as drawn:
        screen.print(table)
    return "".join(line.rstrip() + "\n" for line in drawn.get().splitlines())


def _widths(columns: Sequence[str], rows: Sequence[Sequence[str]], screen: int) -> list[int]:
    """As wide as their cells; where that is too much, the widest alike, and no word broken.

    Rich narrows columns without regard to the least width of others, and cuts off what is over.
    """
    from rich.cells import cell_len

    cells = list(zip(columns, *rows, strict=True))
    whole = [max(map(cell_len, own)) for own in cells]
    least = [
        min(max((cell_len(word) for cell in own for word in cell.split()), default=1), screen // 2)
        for own in cells
    ]
    least[0] = min(whole[0], screen // 2)
    room = max(screen - GAP * (len(columns) - 1), sum(least))

    def at_most(width: int) -> list[int]:
        return [max(low, min(high, width)) for low, high in zip(least, whole, strict=True)]

    widest = next(width for width in range(room, -1, -1) if sum(at_most(width)) <= room)
    found, more = at_most(widest), at_most(widest + 1)
    for place in range(len(columns)):
        if sum(found) < room:
            found[place] = more[place]
    return found


def print_parts(parts: Iterable[Part]) -> None:
    """What a document says of itself, on standard output."""
    screen = console()
    for part in parts:
        if isinstance(part, Grid):
            rows = [[_drawn(cell) for cell in row] for row in part.rows]
            print_table(part.columns, rows, right=part.right)
        else:
            if part.style == "code":
                text = textwrap.indent(part.text, " " * part.indent)
            else:
                text = wrapped(part.text, screen.width, part.indent)
            screen.print(text, style=_LINES[part.style], soft_wrap=True)


def wrapped(text: str, width: int, indent: int = 0) -> str:
    """Lines broken between words, those that go on set in; as far as a point of a list at least.

    Arguments:
        text: the lines.
        width: how many characters a line has, at most.
        indent: by how many characters those that go on are set in.

    >>> print(wrapped("HIGH  too much is learnt about age", width=26, indent=6))
    HIGH  too much is learnt
          about age
    >>> print(wrapped("  * too much is learnt about age", width=26))
      * too much is learnt
        about age
    """
    return "\n".join(
        textwrap.fill(
            line,
            max(width, indent + 20),
            subsequent_indent=" " * max(indent, len(line) - len(line.lstrip(" *"))),
            break_long_words=False,
            break_on_hyphens=False,
            replace_whitespace=False,
        )
        for line in text.split("\n")
    )


def _drawn(cell: Cell) -> str:
    return bar(cell.share) if isinstance(cell, Bar) else cell


def bar(share: float, width: int | None = None) -> str:
    """A bar as long as a share of 1, in a line of text.

    >>> bar(0.5, width=8), bar(0.01, width=8), bar(0.0, width=8)
    ('████', '▏', '')
    """
    if width is None:
        width = NARROW_BAR if console().width < NARROW else BAR
    eighths = int(min(max(share, 0.0), 1.0) * width * 8 + 0.5)
    if share > 0:
        eighths = max(eighths, 1)
    full, rest = divmod(eighths, 8)
    text = "█" * full + " ▏▎▍▌▋▊▉"[rest].strip()
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return "#" * (full + (rest > 0))
    return text


class Progress:
    """What is going on, on standard error: a bar on a terminal, a line now and then in a log.

    Called with the stage and the share of it that is done (None where nobody knows): then the time
    left is what such a stage usually takes beside reading the same table, or counting or cutting it
    in place (in a server, publishing); writing goes by rows, as publishing did. From publishing on,
    the time left is that of all stages to come.

    Arguments:
        paths: the files and folders that are read.
    """

    def __init__(self, *paths: str | Path) -> None:
        self._by_size = self._unit = sum(map(_size, paths)) / SPEED
        self._served = any(str(path).lower().startswith(SERVERS) for path in paths)
        self._usual = TYPICAL
        self._unit_of_rows: float | None = None
        self._to_come: tuple[str, ...] | None = None
        self._stage: str = "starting"
        self._share: float | None = None
        self._began = self._stage_began = time.monotonic()
        self._bar: RichProgress | None = None
        self._over = Event()
        self._lock = Lock()

    def __enter__(self) -> Self:
        if _quiet:
            return self
        told = self._tell_a_terminal if sys.stderr.isatty() else self._tell_a_log
        Thread(target=told, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._over.set()
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def __call__(self, stage: str, share: float | None = None) -> None:
        """Say what is going on, and how much of it is done (0 to 1)."""
        with self._lock:
            if stage.partition(":")[0] != self._stage.partition(":")[0]:  # attacking: one of them
                self._next(stage, time.monotonic())
            self._stage, self._share = stage, share
            self._update()

    def _next(self, stage: str, now: float) -> None:
        """What is known of the time when a stage begins."""
        taken = now - self._stage_began
        if self._stage in ("reading", IN_PLACE, CUT):
            self._unit = taken
        if self._stage == PUBLISHING:
            self._unit_of_rows = taken / self._usual.get(PUBLISHING, 1.0)
            if self._usual is TYPICAL_IN_SERVER:
                self._unit = taken
        if stage == IN_PLACE:
            self._unit = BY_SIZE * self._by_size
            self._usual = TYPICAL_IN_SERVER if self._served else TYPICAL_IN_PLACE
        if stage == CUT:
            self._usual = TYPICAL_CUT
        if stage in (PUBLISHING, *(self._to_come or ())):
            self._to_come = ENDING[ENDING.index(stage) + 1 :]
        self._stage_began = now

    def _tell_a_terminal(self) -> None:
        if not self._over.wait(PATIENCE):
            self._show()

    def _tell_a_log(self) -> None:
        every = _log_seconds()
        while every > 0 and not self._over.wait(every):
            with self._lock:
                if not self._over.is_set():
                    complain("progress", self._line(time.monotonic()))

    def _line(self, now: float) -> str:
        """The stage, its share where that is known, and the time it will still take."""
        share = f", {self._share:.0%}" if self._share else ""
        left = self._left(now)
        told = f", {left}" if left else ""
        return f"{self._stage}{share}{told} ({now - self._began:.0f} s so far)"

    def _left(self, now: float) -> str:
        """The time that the stage or the run will still take; empty where it is not known."""
        taken = now - self._stage_began
        if self._share:
            left = taken * (1 - self._share) / self._share
        else:
            whole = self._unit if self._stage == IN_PLACE else self._whole(self._stage)
            if taken >= whole:
                return "longer than usual" if whole else ""
            left = max(whole - taken, 1)
        if self._to_come is None:
            return f"about {left:.0f} s left of this step"
        return f"about {left + sum(map(self._whole, self._to_come)):.0f} s left"

    def _whole(self, stage: str) -> float:
        """The time that a stage usually takes; 0 where it is not known."""
        usual = self._usual.get(stage, self._usual.get(stage.partition(" ")[0], 0.0))
        if stage == WRITING and self._unit_of_rows is not None:
            return self._unit_of_rows * usual
        return self._unit * usual

    def _show(self) -> None:
        from rich.progress import (
            BarColumn,
            ProgressColumn,
            SpinnerColumn,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
        )
        from rich.progress import Progress as RichProgress
        from rich.table import Column
        from rich.text import Text

        left = self._left

        class Left(ProgressColumn):
            def render(self, task: object) -> Text:
                return Text(left(time.monotonic()))

        with self._lock:
            if self._over.is_set():  # the time had run out, and waited for the lock
                return
            self._bar = RichProgress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(bar_width=20),
                TaskProgressColumn(),
                TimeElapsedColumn(),
                Left(Column(no_wrap=True)),
                console=console("err"),
                transient=True,
            )
            self._bar.add_task(self._stage, total=None)
            self._update()
            self._bar.start()

    def _update(self) -> None:
        if self._bar is None:
            return
        for task in self._bar.task_ids:
            self._bar.update(
                task,
                description=self._stage,
                total=None if self._share is None else 1.0,
                completed=self._share or 0.0,
            )


def _size(path: str | Path) -> float:
    """Bytes of text in a file, or in the files of a folder; 0 where that is not known."""
    with contextlib.suppress(OSError):
        found = Path(path)
        files = [own for own in found.iterdir() if own.is_file()] if found.is_dir() else [found]
        return sum(own.stat().st_size * PACKED.get(own.suffix, 1) for own in files)
    return 0.0


def _log_seconds() -> float:
    """The seconds between two lines of a log; those of this program where none can be read."""
    try:
        return float(os.environ.get(LOG_SECONDS, LOG_EVERY))
    except ValueError:
        return LOG_EVERY


def _plain(value: Any) -> Any:
    """Numbers of an array library, sets and paths, as JSON knows them."""
    for method in ("to_dict", "tolist", "isoformat"):
        if hasattr(value, method):
            return getattr(value, method)()
    return sorted(value) if isinstance(value, set | frozenset) else str(value)
