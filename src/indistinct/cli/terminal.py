"""Output: text and tables for people, one JSON document for scripts, progress while they wait."""

from __future__ import annotations

import io
import json
import sys
import threading
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

PATIENCE = 1.0
"""Seconds after which a progress bar appears."""

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


def shown(value: object) -> str:
    """A figure as people read it: thousands separated, shares with four digits."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() and abs(value) >= 10 else f"{value:,.4g}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(shown(item) for item in value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {shown(item)}" for key, item in value.items()) + "}"
    return "none" if value is None else str(value)


def many(count: int, one: str, more: str) -> str:
    """A count with its noun.

    >>> many(1, "class", "classes"), many(1200, "class", "classes")
    ('1 class', '1,200 classes')
    """
    return f"{shown(count)} {one if count == 1 else more}"


def parameters(keys: Mapping[str, Any]) -> str:
    """Parameters as the papers write them.

    >>> parameters({"k": 5})
    'k = 5'
    """
    return ", ".join(f"{name} = {shown(value)}" for name, value in keys.items())


class Progress:
    """A bar on standard error, from the second on that something takes, and only on a terminal.

    Called with the stage and the share of it that is done (None where nobody knows).
    """

    def __init__(self) -> None:
        self._stage: str = "starting"
        self._share: float | None = None
        self._bar: Bar | None = None
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
        from rich.progress import Progress as Bar

        with self._lock:
            if self._over:  # the timer had run out, and waited for the lock
                return
            self._bar = Bar(
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
