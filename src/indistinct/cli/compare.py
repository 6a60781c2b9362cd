"""``indistinct compare``: several releases of one table side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from indistinct.cli.options import (
    AsJson,
    Data,
    Force,
    KeptPolicy,
    argument,
    option,
    refuse_existing,
)
from indistinct.cli.terminal import (
    Progress,
    complain,
    console,
    print_json,
    print_parts,
)
from indistinct.document import many
from indistinct.errors import InputError

if TYPE_CHECKING:
    from indistinct.analytics.utility.comparison import Comparison


def compare(
    data: Data,
    releases: Annotated[
        list[Path],
        argument(
            "RELEASE...",
            "What was published of DATA, by this or other tools: files, or releases' folders.",
        ),
    ],
    policy: KeptPolicy = None,
    queries: Annotated[int, option("N", "How many counting queries each release is asked.")] = 1000,
    dimensions: Annotated[
        int | None, option("N", "How many columns a query has a condition on (two).")
    ] = None,
    selectivity: Annotated[
        float, option("SHARE", "Share of records that a query is expected to find.")
    ] = 0.05,
    mode: Annotated[
        str,
        option(
            "MODE",
            "How a release answers, shown first: overlap (all that could fit) or uniform "
            "(their expected number).",
        ),
    ] = "overlap",
    seed: Annotated[int, option("N", "Seed of the random queries.")] = 0,
    k: Annotated[
        int | None, option("K", "Size of classes for C_AVG (the one promised).", "--k")
    ] = None,
    attack: Annotated[
        bool, typer.Option("--attack", help="Also run the attackers on each release.")
    ] = False,
    contingency: Annotated[
        str | None, option("A,B", "Count the values of two columns together.")
    ] = None,
    plot: Annotated[Path | None, option("FILE", "Draw these counts: .svg, .png or .html.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Compare releases of DATA: the promises they keep, and what they cost.

    All are measured alike and answer the same queries. If the policy names the person of each
    record, people are counted, in long releases and linked tables. The result is private.
    """
    import indistinct

    pair = None if contingency is None else _two_columns(contingency)
    if plot is not None:
        from indistinct.report.plots import require_drawing

        if pair is None:
            raise InputError(
                "nothing-to-draw",
                "--plot draws the counts of two columns, and none are named",
                remedy="name them: --contingency A,B",
            )
        require_drawing(plot)
    refuse_existing(plot, force=force)

    with Progress(data, *releases) as progress:
        found = indistinct.compare(
            data,
            *releases,
            policy=policy,
            k=k,
            queries=queries,
            dimensions=dimensions,
            selectivity=selectivity,
            mode=mode,
            seed=seed,
            attacks=attack,
            contingency=pair,
            progress=progress,
        )
    for item in found.releases:
        for note in item.notes:
            complain("note", f"{item.name}: {note}")
    if as_json:
        print_json(found.to_dict())
    else:
        show(found, data)
    if plot is not None and found.contingency is not None:
        from indistinct.report.contingency_plots import draw_contingency

        draw_contingency(found.contingency, plot)
        if not as_json:
            console().print(f"\n{plot} is drawn", soft_wrap=True)
    if attack:
        from indistinct.analytics.attacks.finding import NEVER_PUBLISH

        complain("warning", NEVER_PUBLISH)


def show(found: Comparison, data: Path) -> None:
    """The comparison, for a person."""
    counted = f"{many(found.records, 'record')}"
    if found.rows is not None:
        counted = f"{many(found.records, 'person')} with {many(found.rows, 'record')}"
    console().print(f"{data}: {counted}", style="bold", soft_wrap=True)
    print_parts(found.parts())


def _two_columns(text: str) -> tuple[str, str]:
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        raise InputError(
            "bad-setting",
            f"--contingency '{text}' does not name two columns",
            remedy="separate them by a comma: --contingency age,sex",
        )
    return names[0], names[1]
