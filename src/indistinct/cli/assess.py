"""``indistinct assess``: which columns give people away, and what is left of that in a release."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from indistinct.cli.init import what_next
from indistinct.cli.options import (
    AsJson,
    Data,
    Encoding,
    Engine,
    Force,
    Master,
    Memory,
    Roles,
    Separator,
    Sheet,
    begin,
    beside_file,
    beside_policy,
    names_in,
    option,
    refuse_existing,
    source_keys,
)
from indistinct.cli.terminal import Progress, complain, console, print_json, print_parts, stop_where
from indistinct.errors import PolicyError, refuse
from indistinct.types import Plain

if TYPE_CHECKING:
    from indistinct.analytics.leakage.assessment import Assessment

TINY = 1e-9
"""Shares that differ by less are equal."""


def assess(
    data: Data,
    policy: Roles = None,
    release: Annotated[
        Path | None, option("RELEASE", "What was published of DATA: a file, or a release's folder.")
    ] = None,
    combinations: Annotated[
        int | None, option("N", "Show the leakage of all combinations of up to N columns.")
    ] = None,
    top: Annotated[int, option("N", "How many of the worst combinations are shown.")] = 10,
    threshold: Annotated[
        float, option("SHARE", "From this share on, one column leaks a lot.")
    ] = 0.5,
    key_like: Annotated[
        float, option("SHARE", "From this share on, a combination is nearly as good as a name.")
    ] = 0.9,
    max_leakage: Annotated[
        float | None,
        option(
            "SHARE",
            "Exit with 3 if a column or a listed combination leaks a larger share; with "
            "--release, if it still does.",
            min=0.0,
            max=1.0,
        ),
    ] = None,
    attributes: Annotated[
        list[str] | None, option("NAMES", "Only these columns, and what they leak together.")
    ] = None,
    weights: Annotated[
        str | None,
        option("COLUMN", "A column that says how likely each record is to be looked for."),
    ] = None,
    exposed: Annotated[
        int,
        option(
            "N",
            "Show the row numbers of the N most exposed records (private); with "
            "--release, of those exposed in it.",
            min=0,
        ),
    ] = 0,
    write: Annotated[Path | None, option("FILE", "Draft a policy that uses the result.")] = None,
    plot: Annotated[Path | None, option("FILE", "Draw what leaks, as .svg, .png or .html.")] = None,
    force: Force = False,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    engine: Engine = None,
    master: Master = None,
    memory: Memory = None,
    as_json: AsJson = False,
) -> None:
    """Measure how much each column of DATA identifies people, alone and together.

    Leakage is counted in bits: a column that leaks one bit halves the group in which a person can
    hide. If the policy names the person of each record, people are counted. With --release, the
    output says what still leaks, and what would help.
    """
    import indistinct

    source = source_keys(separator, encoding, sheet)
    refuse(PolicyError, beside_policy(policy, ["write"] * (write is not None) + list(source)))
    refuse_existing(write, plot, force=force)
    if plot is not None:
        from indistinct.report.plots import require_drawing

        require_drawing(plot)
        combinations = max(combinations or 0, 2)
    with Progress(data) as progress:
        begin(engine, master, data)
        found = indistinct.assess(
            data,
            policy,
            release=release,
            attributes=None if attributes is None else names_in(attributes, data, source, policy),
            combinations=combinations,
            top=top,
            threshold=threshold,
            key_like=key_like,
            weights=weights,
            exposed=exposed,
            source=source,
            engine=engine,
            memory=memory,
            progress=progress,
        )
        if plot is not None:
            from indistinct.report.plots import draw_leakage

            progress("drawing")
            draw_leakage(found, plot)
        if write is not None:
            _write(found, write, source, force)
    if exposed:
        complain("note", "record numbers are private: they say who can be found")
    if as_json:
        print_json(found.to_dict(exposed=exposed > 0))
    else:
        print_parts(found.parts())
        print_parts(found.exposed_parts())
        print_parts(found.left_out_parts())
        _show_files(data, write, plot, beside_file(engine, master, memory))
    if max_leakage is not None:
        stop_where(list(_passed(found, max_leakage)))


def _passed(found: Assessment, bound: float) -> Iterator[str]:
    """Which columns and combinations leak more than a bound, in the release where one was given."""
    leakage = found.leakage
    if found.change is not None:
        after = [item.after for item in found.change.attributes]
        leakage = tuple(item for item in (*after, found.change.after) if item is not None)
    for item in leakage:
        if item.normalized > bound + TINY:
            yield f"{', '.join(item.attributes)}: leaks {item.normalized:.1%}"


def _write(found: Assessment, path: Path, source: Plain, force: bool) -> None:
    from indistinct.analytics.profile.first_policy import first_policy, write_first_policy

    leaks = {item.attributes[0]: item.normalized for item in found.singles}
    levels = {
        item.attribute: (
            item.level,
            f"leaks {leaks[item.attribute]:.0%} as it is, {item.normalized:.0%} from level "
            f"{item.level} on",
        )
        for item in found.min_levels
    }
    text = first_policy(found.profile, source=source, min_levels=levels)
    write_first_policy(text, path, overwrite=force)


def _show_files(data: Path, write: Path | None, plot: Path | None, beside: str) -> None:
    if plot is not None:
        console().print(f"\n{plot} is drawn", soft_wrap=True)
    if write is not None:
        console().print(f"\n{what_next(write, data, beside)}", soft_wrap=True)
