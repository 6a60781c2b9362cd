"""``indistinct assess``: which columns give people away, and what is left of that in a release."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from indistinct.cli.options import AsJson, Data, Encoding, Separator, Sheet, source_keys
from indistinct.cli.terminal import (
    Progress,
    complain,
    console,
    many,
    print_json,
    print_table,
    shown,
)
from indistinct.errors import OutputError, PolicyError, Problem

if TYPE_CHECKING:
    from indistinct.analytics.assessment import Assessment
    from indistinct.analytics.leakage import Leakage
    from indistinct.analytics.leakage_change import LeakageChange

BAR = 10
"""Characters of a full bar."""

NARROW, NARROW_BAR = 90, 6
"""On screens of fewer columns bars are shorter, so that they are not broken into two lines."""

TOLD = 20
"""How many smallest combinations are told."""


def assess(
    data: Data,
    policy: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The policy that says which role each column plays."),
    ] = None,
    release: Annotated[
        Path | None,
        typer.Option(
            metavar="RELEASE", help="What was published of DATA: a file, or a release's folder."
        ),
    ] = None,
    combinations: Annotated[
        int | None,
        typer.Option(metavar="N", help="Tell the leakage of all combinations of up to N columns."),
    ] = None,
    top: Annotated[
        int, typer.Option(metavar="N", help="How many of the worst combinations are told.")
    ] = 10,
    threshold: Annotated[
        float,
        typer.Option(metavar="SHARE", help="From this share on, one column leaks a lot."),
    ] = 0.5,
    key_like: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="From this share on, a combination is nearly as good as a name.",
        ),
    ] = 0.9,
    attributes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Look at these columns only, and at what they leak together.",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="A column that says how likely each record is to be looked for."
        ),
    ] = None,
    exposed: Annotated[
        int,
        typer.Option(
            metavar="N", help="Name the numbers of the N most exposed records, which are private."
        ),
    ] = 0,
    write: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a first policy that heeds what was found."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw what leaks, as .svg, .png or .html."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files that are there already.")
    ] = False,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Tell which columns of DATA give people away, alone and together.

    Leakage is counted in bits: a column that leaks one bit halves the crowd in which a person who
    is looked for can hide. Where the policy names the person of each record, people are counted and
    not their records. With --release, it is told what is left to leak, and what would help.
    """
    from indistinct import pipeline

    source = source_keys(separator, encoding, sheet)
    _check(policy, source, write, plot, force)
    if plot is not None:
        from indistinct.report.plots import require_drawing

        require_drawing(plot)
        combinations = max(combinations or 0, 2)
    with Progress() as progress:
        found = pipeline.assess(
            data,
            None if policy is None else _load(policy),
            release=release,
            attributes=None if attributes is None else _named(attributes, data, policy, source),
            combinations=combinations,
            top=top,
            threshold=threshold,
            key_like=key_like,
            weights=weights,
            exposed=exposed,
            source=source,
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
        _show(found)
        _show_files(data, write, plot)


def _check(
    policy: Path | None, source: dict[str, Any], write: Path | None, plot: Path | None, force: bool
) -> None:
    if policy is not None and (write is not None or source):
        given = ["--write"] * (write is not None) + [f"--{name}" for name in source]
        raise PolicyError(
            Problem(
                "policy-and-options",
                f"{', '.join(given)} cannot be combined with --policy {policy}",
                remedy="leave one of them out",
            )
        )
    problems = [
        Problem(
            "file-exists",
            "a file of that name is there already",
            file=str(path),
            remedy="name another file, or replace it with --force",
        )
        for path in (write, plot)
        if path is not None and path.exists() and not force
    ]
    if problems:
        raise OutputError(problems)


def _load(path: Path) -> Any:
    from indistinct.policy import Policy

    return Policy.load(path)


def _named(
    given: list[str], data: Path, policy: Path | None, source: dict[str, Any]
) -> tuple[str, ...]:
    """The names that were given; where a column's own name may hold a comma, the table is asked."""
    from indistinct.cli.options import names

    if not any("," in value for value in given):
        return names(given)
    from indistinct.sources.files import read_table

    keys = source if policy is None else _load(policy).source.to_dict()
    return names(given, read_table(data, **keys).columns)


def _write(found: Assessment, path: Path, source: dict[str, Any], force: bool) -> None:
    from indistinct.analytics.first_policy import first_policy, write_first_policy

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


def _show(found: Assessment) -> None:
    screen = console()
    screen.print(
        f"{found.table}: {_counted(found)}; {found.entropy:.2f} bits tell all of them apart",
        style="bold",
        soft_wrap=True,
    )
    screen.print(
        "Each bit that a column leaks halves the crowd in which one who is looked for can hide.\n"
    )
    _show_columns(found)
    together = [item for item in found.top if len(item.attributes) > 1]
    _show_combinations("leaking most together", found, together)
    _show_combinations("nearly as good as a name: the smallest combinations", found, found.key_like)
    _show_shield(found)
    _show_sensitive(found)
    if found.change is not None:
        _show_change(found.change)
    if found.exposed:
        screen.print("\nthe most exposed records (private)", style="bold")
        rows = [(shown(item.row), f"{item.loss:.2f}", shown(item.alike)) for item in found.exposed]
        alike = f"{found.units} alike"
        print_table(("record", "bits", alike), rows, right=("record", "bits"))
    _show_left_out(found)


def _counted(found: Assessment) -> str:
    """How many records there are; of people with many, how many people and of how many records."""
    if found.rows is None:
        return many(found.records, "record", "records")
    return f"{many(found.records, 'person', 'people')} with {found.rows:,} records"


def _show_columns(found: Assessment) -> None:
    rows = [
        (
            item.attributes[0],
            found.roles[item.attributes[0]].replace("-identifier", ""),
            shown(item.partitions),
            f"{item.loss:.2f}",
            bar(item.normalized),
            f"{item.normalized:.0%}",
            shown(round(found.crowd(item))),
            _share(item.alone),
        )
        for item in found.singles
    ]
    head = ("column", "role", "values", "bits", "leaks", "", "hides among", "alone")
    print_table(head, rows, right=("values", "bits", "", "hides among", "alone"))


def _show_combinations(title: str, found: Assessment, items: Sequence[Leakage]) -> None:
    if not items:
        return
    console().print(f"\n{title}", style="bold")
    rows = [
        (
            ", ".join(item.attributes),
            f"{item.loss:.2f}",
            bar(item.normalized),
            f"{item.normalized:.0%}",
            shown(round(found.crowd(item))),
            _share(item.alone),
        )
        for item in items[:TOLD]
    ]
    head = ("columns", "bits", "leak", "", "hides among", "alone")
    print_table(head, rows, right=("bits", "", "hides among", "alone"))
    if len(items) > TOLD:
        console().print(f"and {many(len(items) - TOLD, 'other', 'others')}")


def _show_shield(found: Assessment) -> None:
    screen = console()
    if not found.shield.attributes:
        screen.print("\nno column tells anybody apart: there is nothing to shield")
        return
    screen.print("\nwhat a release should shield together", style="bold")
    screen.print(", ".join(found.shield.attributes), soft_wrap=True)
    for reason in found.shield.why:
        screen.print(f"  * {reason}", soft_wrap=True)
    for item in found.min_levels:
        screen.print(
            f"  * {item.attribute} leaks {item.normalized:.0%} at level {item.level} of its "
            f"hierarchy: min_level = {item.level}",
            soft_wrap=True,
        )


def _show_sensitive(found: Assessment) -> None:
    if not found.sensitive:
        return
    console().print("\nwhat these tell about sensitive columns", style="bold")
    rows = [
        (
            item.attribute,
            f"{item.information:.2f} of {item.entropy:.2f}",
            bar(item.share),
            f"{item.share:.0%}",
            f"{item.maximum:.2f}",
            _share(item.certain),
        )
        for item in found.sensitive
    ]
    head = ("column", "bits", "told", "", "at most", "known for certain")
    print_table(head, rows, right=("bits", "", "at most", "known for certain"))


def _show_change(change: LeakageChange) -> None:
    screen = console()
    screen.print("\nbefore and after the release", style="bold")
    lines = [(item.attribute, item.before, item.after) for item in change.attributes]
    lines.append(("all shielded together", change.before, change.after))
    rows = [
        (
            name,
            bar(before.normalized),
            f"{before.normalized:.2f}",
            "" if after is None else bar(after.normalized),
            "left out" if after is None else f"{after.normalized:.2f}",
        )
        for name, before, after in lines
    ]
    head = ("column", "before", "", "after", " ")
    print_table(head, rows, right=("", " "))
    if change.after is not None:
        screen.print(
            "alone with their values of all shielded columns: "
            f"{_share(change.before.alone)} before, {_share(change.after.alone)} after"
        )
    if change.sensitive:
        screen.print("\nwhat all shielded columns tell about sensitive ones", style="bold")
        told = [
            (
                before.attribute,
                bar(before.share),
                f"{before.share:.0%}",
                "" if after is None else bar(after.share),
                "left out" if after is None else f"{after.share:.0%}",
                "" if after is None else _share(after.certain),
            )
            for before, after in change.sensitive
        ]
        columns = ("column", "before", "", "after", " ", "still certain")
        print_table(columns, told, right=("", " ", "still certain"))
    if not change.exposed:
        screen.print(f"\nno column of the release leaks {change.threshold:.0%} or more")
    for item in change.exposed:
        assert item.after is not None
        screen.print(
            f"\n{item.attribute} still leaks {item.after.normalized:.0%}. What would help:",
            soft_wrap=True,
        )
        for action in item.actions:
            screen.print(f"  * {action.text}", soft_wrap=True)
            for line in action.policy.splitlines():
                screen.print(f"        {line}", soft_wrap=True)


def _show_left_out(found: Assessment) -> None:
    if not found.left_out:
        return
    console().print("\nnot looked at", style="bold")
    print_table(("column", "why"), [(item.attribute, item.why) for item in found.left_out])


def _show_files(data: Path, write: Path | None, plot: Path | None) -> None:
    if plot is not None:
        console().print(f"\n{plot} is drawn", soft_wrap=True)
    if write is not None:
        console().print(
            f"\n{write} is written: read it, correct it, and then run\n"
            f"  indistinct anonymize {data} --policy {write} --out DIR",
            soft_wrap=True,
        )


def bar(share: float, width: int | None = None) -> str:
    """A bar as long as a share of 1, in a line of text.

    >>> bar(0.5, width=8), bar(0.01, width=8), bar(0.0, width=8)
    ('████', '▏', '')
    """
    if width is None:
        width = NARROW_BAR if console().width < NARROW else BAR
    eighths = int(min(max(share, 0.0), 1.0) * width * 8 + 0.5)
    if share > 0:
        eighths = max(eighths, 1)
    full, rest = divmod(eighths, 8)
    text = "█" * full + " ▏▎▍▌▋▊▉"[rest].strip()
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return "#" * (full + (rest > 0))
    return text


def _share(share: float) -> str:
    """A share in per cent, telling none from few and all from nearly all."""
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{share:.1%}"
