"""``indistinct ledger``: what has been published of whom, and what it says together."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from indistinct.cli.options import AsJson, argument, option, refuse_existing
from indistinct.cli.terminal import ALERT, Progress, console, print_json, print_parts, print_table
from indistinct.document import many, shown
from indistinct.errors import InputError
from indistinct.types import Plain

if TYPE_CHECKING:
    from indistinct.policy import Policy


def ledger(
    action: Annotated[
        Literal["list", "show", "check", "forget"],
        argument(
            "ACTION",
            "list: the releases. show: one of them, by default the newest. check: all releases "
            "together. forget: remove one.",
        ),
    ],
    path: Annotated[Path, argument("PATH", "The folder of the ledger.", file_okay=False)],
    release: Annotated[
        int | None, option("N", "The number of a release, for show and forget.")
    ] = None,
    others: Annotated[
        list[Path] | None,
        option(
            "PATH",
            "For check: the ledger of another custodian of these people, with one key.",
            "--with",
            file_okay=False,
        ),
    ] = None,
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="For check: also check every two releases together."),
    ] = False,
    people: Annotated[
        Path | None,
        option("FILE", "For check: write what is believed of everybody, worst first.", "--people"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show, check or correct a ledger: the folder that a policy names as ledger.path.

    check compares all published releases with the promises, person by person, and ends with 3 if
    all of them together break a promise. Its output is private.
    """
    import indistinct

    found = indistinct.Ledger(path)
    _require_number(action, release)
    beside = {"--with": others, "--pairs": pairs, "--people": people}
    given = " and ".join(name for name, value in beside.items() if value)
    if given and action != "check":
        message = f"ledger {action} puts no releases together"
        raise InputError("bad-option", message, remedy=f"leave {given} out")
    if action == "check":
        from indistinct.sources.writing import write_csv

        if people is not None:
            refuse_existing(people, force=False, remedy="name another file")
        with Progress() as progress:
            progress("putting the releases together")
            report = indistinct.check_ledger(path, *others or (), pairs=pairs)
            if people is not None:
                write_csv(report.beliefs(), people)
        if as_json:
            print_json(report.to_dict())
        else:
            print_parts(report.parts())
        if not report.holds:
            raise typer.Exit(ALERT)
        return
    if action == "forget":
        assert release is not None
        folder = next((one.folder for one in found.entries() if one.number == release), "")
        found.forget(release)
        if as_json:
            print_json({"forgotten": release})
        else:
            console().print(f"release {release} is removed: it no longer counts")
            if Path(folder).is_dir():
                console().print(f"its folder is still there, see that nobody gets it: {folder}")
        return
    documents = [entry.to_dict() for entry in found.entries()]
    if action == "list":
        _show_list(documents, as_json=as_json)
        return
    number = max((entry.number for entry in found.entries()), default=1)
    number = number if release is None else release
    found.require(number)
    print_json(next(item for item in documents if item["release"] == number))


@contextlib.contextmanager
def in_turn(policy: Policy, progress: Progress) -> Iterator[None]:
    """Alone with the ledger of a policy, if it keeps one, until the release is written down."""
    import indistinct

    if policy.ledger is None:
        yield
        return
    found = indistinct.Ledger.made(policy.directory / policy.ledger.path)
    progress("waiting for another run with this ledger")
    with found.turn():
        yield


def _require_number(action: str, release: int | None) -> None:
    if action != "show" and (release is None) == (action == "forget"):
        wants = "needs the number of a release" if release is None else "is about all releases"
        raise InputError(
            "bad-option",
            f"ledger {action} {wants}",
            remedy="add --release 1" if release is None else "leave --release out",
        )


def _show_list(documents: list[Plain], *, as_json: bool) -> None:
    keys = ("release", "created", "folder", "people", "classes", "source", "promises")
    short = [{key: item.get(key) for key in keys} for item in documents]
    if as_json:
        print_json({"releases": short})
        return
    console().print(many(len(short), "release", "releases"), style="bold")
    columns = ("release", "created", "source", "people", "classes", "folder")
    rows = [tuple(shown(item[key]) if item[key] is not None else "" for key in columns)
            for item in short]  # fmt: skip
    print_table(columns, rows)
