"""``indistinct init``: a first policy, with its reasons, for a person to correct."""

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
    refuse_existing,
    source_keys,
)
from indistinct.cli.terminal import Progress, complain, console, print_json, print_table

if TYPE_CHECKING:
    from indistinct.analytics.profile import Profile

_PROTECTION = {"identifier": 2, "quasi-identifier": 1}
"""Roles that protect people; one of a larger number protects more."""


def init(
    data: Data,
    policy: Annotated[
        Path, typer.Option(metavar="FILE", help="Where the policy is written.")
    ] = Path("release.toml"),
    check: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write nothing: hold this policy, which may lack promises, against DATA.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a policy that is there already.")
    ] = False,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Write a first policy for DATA, with a suggested role and hierarchy per attribute.

    Each suggestion says why it is made. Read and correct them: what others may know of a person,
    and what would harm them, cannot be told from a table.
    """
    from indistinct.analytics.first_policy import (
        first_policy,
        health_policy,
        write_first_policy,
    )
    from indistinct.analytics.profile import profile
    from indistinct.sources.files import read_table
    from indistinct.sources.format import format_of_folder
    from indistinct.sources.table import open_table

    if check is not None:
        _check(data, check, as_json)
        return
    remedy = "name another file with --policy, or replace it with --force"
    refuse_existing(policy, force=force, remedy=remedy)
    form = format_of_folder(data)
    if form is not None:
        write_first_policy(health_policy(form), policy, overwrite=force)
        if as_json:
            print_json({"policy": str(policy), "format": form})
        else:
            console().print(_next(policy, data), soft_wrap=True)
        return
    with Progress() as progress:
        progress(f"reading {data.name}")
        source = source_keys(separator, encoding, sheet)
        table = open_table(read_table(data, **source), data.name)
        progress("looking at the columns")
        seen = profile(table).closed()
        write_first_policy(first_policy(seen, source=source), policy, overwrite=force)
    warnings = _warnings(seen)
    for warning in warnings:
        complain("warning", warning)
    if as_json:
        print_json({"policy": str(policy), **seen.to_dict()})
    else:
        _show(seen, policy, data)


def _check(data: Path, path: Path, as_json: bool) -> None:
    """Tell which columns a policy protects less than is suggested, and what else it lacks."""
    from indistinct.analytics.profile import profile
    from indistinct.pipeline.opening import open_source
    from indistinct.policy import DraftPolicy

    with Progress() as progress:
        progress(f"reading {data.name}")
        policy = DraftPolicy.load(path)
        table, _ = open_source(data, policy, None)
        progress("looking at the columns")
        seen = profile(table)
    exposed = [
        {
            "attribute": item.attribute,
            "role": policy.attributes[item.attribute].role,
            "suggested": item.role,
            "why": item.why,
        }
        for item in seen.attributes
        if _PROTECTION.get(item.role, 0)
        > _PROTECTION.get(policy.attributes[item.attribute].role, 0)
    ]
    warnings = [*policy.warnings, *(f"no {what} yet" for what in policy.lacks)]
    for warning in warnings:
        complain("warning", warning)
    if as_json:
        print_json({"policy": str(path), "attributes": exposed, "warnings": warnings})
    elif exposed:
        print_table(list(exposed[0]), [list(row.values()) for row in exposed])
    else:
        console().print(f"{path} protects every column of {data.name} as is suggested")


def _warnings(seen: Profile) -> list[str]:
    own = [
        f"attribute '{item.attribute}': {warned.message}"
        for item in seen.attributes
        for warned in item.warnings
    ]
    return [*(warned.message for warned in seen.warnings), *own]


def _show(seen: Profile, policy: Path, data: Path) -> None:
    rows = [(item.attribute, item.role, item.why) for item in seen.attributes]
    print_table(("attribute", "suggested role", "why"), rows)
    console().print(f"\n{_next(policy, data)}", soft_wrap=True)


def _next(policy: Path, data: Path) -> str:
    return (
        f"{policy} is written: read it, correct it, and then run\n"
        f"  indistinct anonymize {data} --policy {policy} --out DIR"
    )
