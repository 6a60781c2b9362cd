"""``indistinct attack``: what an adversary learns from a release, tried out on its own source."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from indistinct.cli.options import AsJson, Data, names
from indistinct.cli.terminal import Progress, complain, console, print_json, print_table
from indistinct.document import many, share

if TYPE_CHECKING:
    from indistinct.analytics.attacks import AttackReport, Finding


ROWS = {"record": ("record", "records"), "person": ("published person", "published people")}
"""What the rows of a release are called, by what they stand for."""


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
    from indistinct import pipeline
    from indistinct.policy import Policy

    with Progress() as progress:
        found = pipeline.attack(
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
        show(found, release)
    complain("warning", found.warning)


def show(found: AttackReport, release: Path) -> None:
    """The report, for a person."""
    screen = console()
    people = max((item.people for item in found.attacks), default=0)
    screen.print(
        f"{release}: {many(people, 'person', 'people')} attacked in "
        f"{many(found.records, *ROWS[found.unit])}",
        style="bold",
        soft_wrap=True,
    )
    screen.print(
        "Share of people of whom the truth is believed with 50%, with 95%, or for certain; prior: "
        "believed with 50% by who knows plain frequencies only; gain: belief added by the release, "
        "on average and at most.\n"
    )
    who = [item for item in found.attacks if item.sensitive is None]
    if who:
        _table("who somebody is", who)
    for name in dict.fromkeys(item.sensitive for item in found.attacks if item.sensitive):
        _table(f"what somebody has: {name}", [i for i in found.attacks if i.sensitive == name])
    for name in dict.fromkeys(item.name for item in found.attacks):
        own = [item for item in found.attacks if item.name == name]
        screen.print(name, style="bold")
        screen.print(f"  knows {own[0].knowledge}", soft_wrap=True)
        for item in own:
            screen.print(f"  * {item.note}", soft_wrap=True)
    if found.skipped:
        screen.print("\nnot tried", style="bold")
        rows = [
            (name, "; ".join(item.why for item in found.skipped if item.name == name))
            for name in dict.fromkeys(item.name for item in found.skipped)
        ]
        print_table(("attacker", "why"), rows)


def _table(title: str, items: list[Finding]) -> None:
    screen = console()
    screen.print(title, style="bold")
    rows = [
        (
            item.name,
            f"{item.people:,}",
            *(share(value) for value in item.success.values()),
            share(item.prior["0.5"]),
            f"{item.gain['mean']:+.2f}",
            f"{item.gain['max']:+.2f}",
        )
        for item in items
    ]
    head = ("attacker", "people", "50%", "95%", "sure", "prior", "gain", "most")
    print_table(head, rows, right=head[1:])
    screen.print()
