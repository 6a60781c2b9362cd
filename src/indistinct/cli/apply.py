"""``indistinct apply``: the plan of an earlier release on another table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from indistinct.cli.ledger import in_turn
from indistinct.cli.options import AsJson, Data, Details, argument, named_path, option
from indistinct.cli.summary import list_files, print_run, summarize, warn
from indistinct.cli.terminal import Progress


def apply(
    plan: Annotated[
        Path, argument("PLAN", "The folder of an earlier release, or its private/plan.json.")
    ],
    data: Data,
    policy: Annotated[Path, option("FILE", "The policy: roles, promises, limits.")],
    out: Annotated[
        Path,
        option(
            "DIR",
            "Folder for the release and its certificate; it replaces an earlier release.",
            parser=named_path,
        ),
    ],
    adapt: Annotated[
        bool,
        typer.Option(
            "--adapt",
            help="Where the plan does not hold: keep as many of its labels as possible, and search "
            "for the rest.",
        ),
    ] = False,
    details: Details = False,
    as_json: AsJson = False,
) -> None:
    """Make a release of DATA with the labels of an earlier one, and check its promises again.

    Ends with 3 if the plan does not cover all values of DATA or breaks a promise, and says what a
    remedy would cost. Nothing is published then.
    """
    import indistinct
    from indistinct.policy import Policy

    settings = Policy.load(policy)
    with Progress(data) as progress, in_turn(settings, progress):
        release = indistinct.apply(plan, data, settings, adapt=adapt, progress=progress)
        progress("writing")
        release.write(out)
    run = json.loads((out / "private" / "run.json").read_text(encoding="utf-8"))
    warn(settings.warnings, run, out, details=details)
    if as_json:
        print_run(settings, run)
        return
    summarize(release)
    list_files(out)
