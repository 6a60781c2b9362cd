"""``indistinct attack``: what an adversary learns from a release, tried out on its own source."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from indistinct.cli.options import AsJson, Data, KeptPolicy, argument, names, option
from indistinct.cli.terminal import (
    Progress,
    complain,
    console,
    print_json,
    print_parts,
    stop_where,
)

if TYPE_CHECKING:
    from indistinct.analytics.attacks import AttackReport

SLACK = 1e-9
"""Beliefs that differ by less are equal."""


def attack(
    data: Data,
    release: Annotated[
        Path, argument("RELEASE", "What was published of DATA: a file, or a release's folder.")
    ],
    policy: KeptPolicy = None,
    only: Annotated[
        list[str] | None, option("NAMES", "Run these attackers only, separated by commas.")
    ] = None,
    population: Annotated[
        Path | None, option("FILE", "A table of the people among whom somebody could be found.")
    ] = None,
    second: Annotated[
        list[Path] | None,
        option(
            "RELEASE",
            "Another release of the same people, once or more: attackers read all of them together "
            "(composition).",
        ),
    ] = None,
    max_gain: Annotated[
        float | None,
        option(
            "SHARE",
            "Exit with 3 if an attacker's belief in someone's truth rises by more, or a sensitive "
            "column could not be tried.",
            min=0.0,
            max=1.0,
        ),
    ] = None,
    details: Annotated[
        bool,
        typer.Option(
            "--details", help="Show what every attacker knows and finds, not only the worst."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure what attackers learn from RELEASE about the people in DATA.

    Attackers know the exact quasi-identifiers of everyone in DATA and read the release. Each
    reports for how many people it succeeds, compared with overall frequencies alone. Never
    publish the result with the data.

    If the policy names the person (source.person), people count, not rows: RELEASE is then a table
    with a pseudonym, or the folder of two linked tables.
    """
    import indistinct

    with Progress(data, release) as progress:
        found = indistinct.attack(
            data,
            release,
            policy,
            only=None if only is None else names(only),
            population=population,
            second=second,
            progress=progress,
        )
    for note in found.notes:
        complain("note", note)
    if as_json:
        print_json(found.to_dict())
    else:
        console().print(f"{release}: ", style="bold", end="", soft_wrap=True)
        print_parts(found.parts() if details else found.summary())
        if not details:
            console().print("what every attacker knows and finds: --details")
    complain("warning", found.warning)
    if max_gain is not None:
        stop_where(list(_passed(found, max_gain)))


def _passed(found: AttackReport, bound: float) -> Iterator[str]:
    """Which attackers gain more than a bound, and on what none could be tried."""
    for what, why in found.untried().items():
        if ": " in what:  # an attribute: where none is sensitive, there is nothing to try
            yield f"{what}: no attacker could be tried, because {why}"
    for item in found.attacks:
        if item.gain["max"] > bound + SLACK:
            of = f" of {item.sensitive}" if item.sensitive else ""
            yield f"{item.name}{of}: the belief in the truth rises by up to {item.gain['max']:.2f}"
