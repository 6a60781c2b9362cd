"""``indistinct attack``: what an adversary learns from a release, tried out on its own source."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from indistinct.cli.options import AsJson, Data, names
from indistinct.cli.terminal import (
    Progress,
    complain,
    console,
    print_json,
    print_parts,
)


def attack(
    data: Data,
    release: Annotated[
        Path,
        typer.Argument(
            metavar="RELEASE", help="What was published of DATA: a file, or a release's folder."
        ),
    ],
    policy: Annotated[
        Path,
        typer.Option(metavar="FILE", help="The policy: roles, hierarchies and promises."),
    ],
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Run these attackers only, separated by commas."),
    ] = None,
    population: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A table of the people among whom somebody could be found."
        ),
    ] = None,
    second: Annotated[
        Path | None,
        typer.Option(
            metavar="RELEASE",
            help="Another release about the same people: what both say together (composition).",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell what an adversary learns from RELEASE about the people in DATA.

    Attackers know the exact quasi-identifiers of everybody in DATA and read the release; every one
    says how many people it succeeds with, beside what the release's plain frequencies tell. What an
    attacker shows must never be published with the data.

    Where the policy says whose each record is (source.person), people are attacked: RELEASE is a
    table with a pseudonym, or the folder of two linked tables, and its rows are people.
    """
    import indistinct
    from indistinct.policy import Policy

    with Progress() as progress:
        found = indistinct.attack(
            data,
            release,
            Policy.load(policy),
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
        print_parts(found.parts())
    complain("warning", found.warning)
