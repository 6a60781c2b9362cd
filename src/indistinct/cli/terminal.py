"""Output: text and tables for people, one JSON document for scripts, progress while they wait."""

from __future__ import annotations

import io
import json
import sys
import threading
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

import typer

from indistinct.document import Bar, Cell, Grid, Part, Style

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as RichProgress

PATIENCE = 1.0
"""Seconds after which a progress bar appears."""

BAR = 10
"""Characters of a full bar."""

NARROW, NARROW_BAR = 90, 6
"""On screens of fewer columns bars are shorter, so that they are not broken into two lines."""

_LINES: dict[Style, str | None] = {
    "text": None,
    "title": "bold",
    "good": "bold green",
    "doubt": "bold yellow",
    "bad": "bold red",
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
    """One message on standard error, as ``kind: message``, never wrapped."""
    from rich.text import Text

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
    """A table without frames, its columns named; those in ``right`` are aligned to the right.

    What is too long is broken into lines, or cut off where ``wrap`` is false; the first column is
    whole, unless it would leave less than half of the screen to the others.
    """
    from rich.cells import cell_len
    from rich.table import Table

    rows = list(rows)
    screen = console()
    first = max((cell_len(cell) for cell in (*columns[:1], *(row[0] for row in rows))), default=0)
    whole = first <= screen.width // 2
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for place, name in enumerate(columns):
        table.add_column(
            name,
            justify="right" if name in right else "left",
            overflow="fold" if wrap else "ellipsis",
            no_wrap=whole if place == 0 else not wrap,
            max_width=None if place or whole else screen.width // 2,
        )
    for row in rows:
        table.add_row(*row)
    with screen.capture() as drawn:
        screen.print(table)
    sys.stdout.write("".join(line.rstrip() + "\n" for line in drawn.get().splitlines()))


def print_parts(parts: Iterable[Part]) -> None:
    """What a document says of itself, on standard output."""
    screen = console()
    for part in parts:
        if isinstance(part, Grid):
            rows = [[_drawn(cell) for cell in row] for row in part.rows]
            print_table(part.columns, rows, right=part.right)
        else:
            screen.print(part.text, style=_LINES[part.style], soft_wrap=not part.wrap)


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
    """A bar on standard error, from the second on that something takes, and only on a terminal.

    Called with the stage and the share of it that is done (None where nobody knows).
    """

    def __init__(self) -> None:
        self._stage: str = "starting"
        self._share: float | None = None
        self._bar: RichProgress | None = None
        self._over = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(PATIENCE, self._show)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def __call__(self, stage: str, share: float | None = None) -> None:
        """Say what is going on, and how much of it is done (0 to 1)."""
        with self._lock:
            self._stage, self._share = stage, share
            self._update()

    def _show(self) -> None:
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as RichProgress

        with self._lock:
            if self._over:  # the timer had run out, and waited for the lock
                return
            self._bar = RichProgress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(bar_width=30),
                TimeElapsedColumn(),
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


def _plain(value: Any) -> Any:
    """Numbers of an array library, sets and paths, as JSON knows them."""
    for method in ("to_dict", "tolist", "isoformat"):
        if hasattr(value, method):
            return getattr(value, method)()
    return sorted(value) if isinstance(value, set | frozenset) else str(value)
