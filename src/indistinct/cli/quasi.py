"""``indistinct quasi``: which columns are the quasi-identifiers, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from indistinct.cli.options import (
    AsJson,
    Data,
    Encoding,
    Separator,
    Sheet,
    beside_policy,
    names_in,
    option,
    refuse_existing,
    source_keys,
)
from indistinct.cli.terminal import Progress, complain, console, print_json, print_parts
from indistinct.errors import InputError, OutputError, PolicyError, Problem, refuse

if TYPE_CHECKING:
    from indistinct.analytics.leakage.quasi_identifiers import QuasiIdentifiers


def quasi(
    data: Data,
    policy: Annotated[
        Path | None,
        option(
            "FILE",
            "The policy: roles, links, derived_from and part_of. It may lack "
            "quasi-identifiers and promises.",
        ),
    ] = None,
    identifiers: Annotated[
        list[str] | None,
        option("NAMES", "Where paths begin, instead of the policy's; they need not be columns."),
    ] = None,
    sensitive: Annotated[
        list[str] | None, option("NAMES", "Where paths end, instead of the policy's.")
    ] = None,
    published: Annotated[
        list[Path] | None,
        option("FILE", "Another published table: anyone who has it links all its columns."),
    ] = None,
    threshold: Annotated[
        float | None,
        option("SHARE", "Also link columns that depend on each other at least so much."),
    ] = None,
    rows: Annotated[
        bool,
        typer.Option(
            "--rows/--graph-only",
            help="Link all columns of a record to its sensitive values, or count stated links "
            "alone.",
        ),
    ] = True,
    accept: Annotated[bool, typer.Option("--accept", help="Count the proposed links too.")] = False,
    weights: Annotated[
        bool,
        typer.Option("--weights", help="Cutting a column costs its weight in the policy, not 1."),
    ] = False,
    plot: Annotated[Path | None, option("FILE", "Draw the graph, as .svg or .png.")] = None,
    mermaid: Annotated[
        bool, typer.Option("--mermaid", help="Print the graph as Mermaid text, and nothing else.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing picture.")] = False,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Find the quasi-identifiers of DATA: the columns between people and what could harm them.

    Identifiers, sensitive columns and the links between them form a graph. The smallest sets of
    columns that cut all paths from identifiers to sensitive columns are the quasi-identifiers.
    """
    import indistinct

    source = source_keys(separator, encoding, sheet)
    problems = beside_policy(policy, source)
    if mermaid and as_json:
        message = "--mermaid and --json both need standard output"
        problems.append(Problem("two-outputs", message))
    refuse(PolicyError, problems)
    if plot is not None and plot.suffix.lower() not in (".svg", ".png"):
        raise OutputError(
            "unknown-format",
            "a graph is drawn as .svg or .png",
            file=str(plot),
            remedy="name a file with one of these endings",
        )
    refuse_existing(plot, force=force)

    def given(values: list[str] | None) -> tuple[str, ...] | None:
        return None if values is None else names_in(values, data, source, policy)

    with Progress(data) as progress:
        found = indistinct.quasi(
            data,
            policy,
            identifiers=given(identifiers),
            sensitive=given(sensitive),
            published={path.name: path for path in published or ()},
            threshold=threshold,
            rows=rows,
            accept=accept,
            costs="weights" if weights else None,
            source=source,
            progress=progress,
        )
        if plot is not None:
            progress("drawing", None)
            _draw(found, plot)
    for warning in found.warnings:
        complain("warning", warning)
    if as_json:
        print_json(found.to_dict())
    elif mermaid:
        typer.echo(found.mermaid(), nl=False)
    else:
        print_parts(found.parts())
        for note in found.notes:
            complain("note", note)
        print_parts(found.proposed_parts())
        if plot is not None:
            console().print(f"\n{plot} is drawn", soft_wrap=True)


def _draw(found: QuasiIdentifiers, path: Path) -> None:
    from indistinct.sources.writing import write_bytes, write_text

    picture = found.picture()
    if path.suffix.lower() == ".svg":
        write_text(path, picture.svg())
        return
    pixels = picture.png()
    if pixels is None:
        raise InputError(
            "missing-extra",
            "drawing a .png needs vl_convert",
            remedy="pip install 'indistinct[report]', or draw a .svg",
        )
    write_bytes(path, pixels)
