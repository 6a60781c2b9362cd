"""``indistinct compare``: several releases of one table side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from indistinct.cli.options import AsJson, Data
from indistinct.cli.terminal import Progress, complain, console, print_json, print_table, shown

if TYPE_CHECKING:
    from indistinct.analytics.comparison import Comparison


def compare(
    data: Data,
    releases: Annotated[
        list[Path],
        typer.Argument(
            metavar="RELEASE...",
            help="What was published of DATA, by this or other tools: files, or releases' folders.",
        ),
    ],
    policy: Annotated[
        Path,
        typer.Option(metavar="FILE", help="The policy: roles, hierarchies and promises."),
    ],
    queries: Annotated[
        int, typer.Option(metavar="N", help="How many counting queries each release is asked.")
    ] = 1000,
    dimensions: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many columns a query has a condition on (two)."),
    ] = None,
    selectivity: Annotated[
        float,
        typer.Option(metavar="SHARE", help="Share of records that a query is expected to find."),
    ] = 0.05,
    mode: Annotated[
        str,
        typer.Option(
            metavar="MODE",
            help="How a release answers, told first: overlap (all that could fit) or uniform "
            "(their expected number).",
        ),
    ] = "overlap",
    seed: Annotated[int, typer.Option(metavar="N", help="Of the queries, drawn at random.")] = 0,
    k: Annotated[
        int | None,
        typer.Option("--k", metavar="K", help="Size of classes for C_AVG (the one promised)."),
    ] = None,
    attack: Annotated[
        bool, typer.Option("--attack", help="Let attackers loose on each release, too.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Put releases of DATA side by side: what they keep of promises, and what they cost.

    All are measured in the same way and asked the same questions. What comes out is private.
    """
    from indistinct import pipeline
    from indistinct.policy import Policy

    with Progress() as progress:
        found = pipeline.compare(
            data,
            *releases,
            policy=Policy.load(policy),
            k=k,
            queries=queries,
            dimensions=dimensions,
            selectivity=selectivity,
            mode=mode,
            seed=seed,
            attacks=attack,
            progress=progress,
        )
    for item in found.releases:
        for note in item.notes:
            complain("note", f"{item.name}: {note}")
    if as_json:
        print_json(found.to_dict())
    else:
        show(found, data)
    if attack:
        from indistinct.analytics.attacks.finding import NEVER_PUBLISH

        complain("warning", NEVER_PUBLISH)


def show(found: Comparison, data: Path) -> None:
    """The comparison, for a person: measures in rows, releases in columns."""
    screen = console()
    screen.print(f"{data}: {shown(found.records)} records", style="bold", soft_wrap=True)
    work = found.workload
    screen.print(
        f"{shown(work.queries)} queries on {shown(found.dimensions)} columns at a time, each "
        f"expected to find {work.selectivity:.3g} of the records"
    )
    if any(item.attacks is not None for item in found.releases):
        screen.print(
            "attackers: share of people of whom the truth is believed with 50%, and for certain"
        )
    screen.print()
    names = tuple(item.name for item in found.releases)
    rows: list[tuple[str, ...]] = []
    for title, lines in found.sections():
        empty = ("",) * len(names)
        rows += [("", *empty)] if rows else []
        rows.append((title, *empty))
        rows += [(f"  {label}", *texts) for label, texts in lines]
    print_table(("", *names), rows, right=names)
