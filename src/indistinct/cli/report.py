"""``indistinct report``: what there is to know of a release, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from indistinct.cli.options import AsJson, KeptPolicy, argument, option
from indistinct.cli.terminal import Progress, complain, console, print_json


def report(
    release: Annotated[Path, argument("DIR", "The folder of a release.", file_okay=False)],
    public: Annotated[
        bool,
        typer.Option("--public", help="Say only what anybody with the release can know."),
    ] = False,
    template: Annotated[
        str,
        option("NAME", "The order of chapters: plain, hipaa-expert, ema-hc, iso-27559 or wp216."),
    ] = "plain",
    data: Annotated[
        Path | None, option("FILE", "The private table, to try attackers on the release.")
    ] = None,
    policy: KeptPolicy = None,
    as_json: AsJson = False,
) -> None:
    """Write the report of a release: promises and proof, risk, cost, and what is left open.

    One HTML file that loads nothing: DIR/private/report.html for you, or with --public
    DIR/report.html, which may be published with the release. A template orders the same evidence
    as a standard asks; it is never a certification.
    """
    import indistinct

    with Progress(release) as progress:
        path = indistinct.write_report(
            release,
            public=public,
            template=template,
            data=data,
            policy=policy,
            progress=progress,
        )
    if as_json:
        print_json({"path": str(path), "public": public, "template": template})
        return
    console().print(f"{path} is written", soft_wrap=True)
    if not public:
        complain("note", "it is private: keep it like the table itself")
