"""The verbs, for a terminal: ``indistinct anonymize``, ``indistinct audit`` and the others.

One file per verb; other distributions can bring more. Results go to standard output, as text or,
with ``--json``, as exactly one JSON document; progress, warnings and errors go to standard error.
When a verb fails, standard output stays empty; with ``--json`` the document is that of the error.
Exit codes: 0 done; 1 our bug; 2 something
the user can mend; 3 no release can meet the promise, or an audit found one broken; 130 interrupted,
143 ended by SIGTERM.
"""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Callable, Sequence
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from indistinct import __version__
from indistinct.cli import (
    anonymize,
    apply,
    assess,
    attack,
    audit,
    compare,
    demo,
    explore,
    hierarchy,
    init,
    ledger,
    quasi,
    report,
    risk,
    studio,
)
from indistinct.cli.others import VerbGroup, help_of
from indistinct.cli.verbs import verb
from indistinct.types import Plain

if TYPE_CHECKING:
    from typer.models import CommandInfo

__all__ = ["app", "main"]

OBJECTS_BETWEEN_COLLECTIONS = (500_000, 50, 100)
"""Thresholds of Python's collector: by default it looks after each 700 new objects."""

app = typer.Typer(
    name="indistinct",
    cls=VerbGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"indistinct {__version__}")
        raise typer.Exit


@app.callback()
def _indistinct(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Find who is at risk in a table about people, release it safely, and prove it."""
    del version


_LEAVES_FILES: dict[Callable[..., None], Callable[[Plain], bool]] = {
    **dict.fromkeys(
        (demo.demo, anonymize.anonymize, apply.apply, report.report),
        lambda asked: True,
    ),
    studio.studio: lambda asked: not asked["no_browser"],
    init.init: lambda asked: asked["check"] is None,
    hierarchy.hierarchy: lambda asked: asked["out"] is not None,
    ledger.ledger: lambda asked: asked["action"] == "forget",
}
"""When a verb makes files or opens a page, and what it prints only tells of them."""

for _verb in (
    demo.demo,
    init.init,
    assess.assess,
    quasi.quasi,
    risk.risk,
    anonymize.anonymize,
    apply.apply,
    audit.audit,
    attack.attack,
    compare.compare,
    explore.explore,
    report.report,
    hierarchy.hierarchy,
    studio.studio,
    ledger.ledger,
):
    _leaves = _LEAVES_FILES.get(_verb, lambda asked: False)
    app.command(help=help_of(_verb))(verb(_verb, _leaves))


def _app_of(words: Sequence[str]) -> typer.Typer:
    """The command line with the verb alone that is named first; with all where none of ours is.

    Typer makes the options of every verb that it knows before it looks at any.
    """
    named = [item for item in app.registered_commands if [_name_of(item)] == words]
    if not named:
        return app
    alone = copy(app)
    alone.registered_commands = named
    return alone


def _name_of(item: CommandInfo) -> str:
    return str(item.name or getattr(item.callback, "__name__", ""))


def _say_warnings() -> None:
    """Let Python's warnings of this package be said as the others are: each once, without code."""
    usual, here, told = warnings.showwarning, Path(__file__).parents[1], set[str]()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if not Path(filename).is_relative_to(here):
            usual(message, category, filename, lineno, file, line)
        elif str(message) not in told:
            told.add(str(message))
            typer.echo(f"warning: {message}", err=True)

    warnings.showwarning = show


def main() -> None:
    """The console script: runs the verb that the command line names, and exits.

    Nearly all that Python's collector meets in so short a program are modules, which stay. Looking
    for garbage among them seldom, and not at all at the end, saves a fifth of a small run. DuckDB
    tells on standard error what of it nobody collected: where it was used, Python clears up.
    """
    gc.set_threshold(*OBJECTS_BETWEEN_COLLECTIONS)
    _say_warnings()
    try:
        _app_of(sys.argv[1:2])(prog_name="indistinct")
    finally:
        if "duckdb" not in sys.modules:
            gc.freeze()
