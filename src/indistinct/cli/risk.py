"""``indistinct risk``: how likely it is that somebody finds a person in a table or a release."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from indistinct.cli.options import AsJson, Encoding, Separator, Sheet, source_keys
from indistinct.cli.terminal import Progress, bar, complain, console, print_json, print_table
from indistinct.document import many, share, shown
from indistinct.errors import InputError, OutputError, PolicyError, Problem

if TYPE_CHECKING:
    from indistinct.analytics.risk import RiskCurve, RiskReport
    from indistinct.analytics.standards import StandardVerdict

WORDS = {True: "holds", False: "FAILS", None: "look"}
"""How a verdict is told; ``look`` is what a table alone cannot decide."""


def risk(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA|RELEASE",
            help="The private table, or what was published of it: a file, or a release's folder.",
        ),
    ],
    policy: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The policy that says which role each column plays."),
    ] = None,
    quasi: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="The quasi-identifiers, separated by commas."),
    ] = None,
    population: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|N|SHARE",
            help="The people among whom somebody could be found: a table of them, how many they "
            "are, or the share of them that is in DATA.",
        ),
    ] = None,
    counts: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="A column of the population's table: how many people a row stands for.",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="A record with a higher risk is at risk (the policy's, or 0.2).",
            show_default=False,
        ),
    ] = None,
    curve: Annotated[
        str | None,
        typer.Option(metavar="K-K", help="Tell the risk over a range of k, such as 2-20."),
    ] = None,
    as_it_is: Annotated[
        bool,
        typer.Option(
            "--as-it-is",
            help="With --policy: the curve of DATA without its smaller classes, not of releases.",
        ),
    ] = False,
    standard: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Hold DATA against standards: hipaa-safe-harbor, ema, health-canada, 0.05, 0.09, "
            "0.1, 0.2, 0.33.",
        ),
    ] = None,
    zip_population: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="People by zip code, for hipaa-safe-harbor."),
    ] = None,
    exposed: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="Name the numbers of the N records of the highest risk, which are private.",
        ),
    ] = 0,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the risk, as .svg, .png or .html."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files that are there already.")
    ] = False,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Tell how likely it is that somebody finds a person in DATA, a table or a release of it.

    Told for three attackers: the prosecutor, who knows that the person is in the table; the
    journalist, who does not; and the marketer, who wants as many as possible. With --curve, the
    risk over k and where it bends. Where a policy or a release's certificate names the person of
    each record, classes hold people, not records.
    """
    from indistinct import pipeline
    from indistinct.cli.options import names
    from indistinct.policy import Policy

    source = source_keys(separator, encoding, sheet)
    _check(policy, source, plot, force)
    with Progress() as progress:
        found = pipeline.risk(
            data,
            None if policy is None else Policy.load(policy),
            quasi=None if quasi is None else _named(quasi, data, source),
            population=None if population is None else _population(population),
            counts=counts,
            threshold=threshold,
            k_range=None if curve is None else _range(curve),
            releases=False if as_it_is else None,
            standard=names(standard),
            zip_population=zip_population,
            source=source,
            progress=progress,
        )
        if plot is not None:
            progress("drawing")
            found.plot(plot)
    for note in found.notes:
        complain("note", note)
    if exposed:
        complain("note", "record numbers are private: they say who can be found")
    if as_json:
        print_json(found.to_dict(exposed=exposed))
    else:
        _show(found)
        _show_exposed(found, exposed)
        if plot is not None:
            console().print(f"\n{plot} is drawn", soft_wrap=True)


def _check(policy: Path | None, source: dict[str, Any], plot: Path | None, force: bool) -> None:
    if policy is not None and source:
        raise PolicyError(
            Problem(
                "policy-and-options",
                f"{', '.join(f'--{name}' for name in source)} cannot be combined with --policy "
                f"{policy}",
                remedy="leave one of them out",
            )
        )
    if plot is None:
        return
    if plot.exists() and not force:
        raise OutputError(
            Problem(
                "file-exists",
                "a file of that name is there already",
                file=str(plot),
                remedy="name another file, or replace it with --force",
            )
        )
    from indistinct.report.plots import require_drawing

    require_drawing(plot)


def _named(given: list[str], data: Path, source: dict[str, Any]) -> tuple[str, ...]:
    """The names that were given; where a column's own name may hold a comma, the table is asked."""
    from indistinct.cli.options import names

    if not any("," in value for value in given) or data.is_dir():
        return names(given)
    whole = [value for value in given if "," in value]
    if not data.is_file() or not any(" " in value for value in whole):
        return names(given)
    from indistinct.sources.files import read_table

    return names(given, read_table(data, allow_empty=True, **source).columns)


def _population(text: str) -> Any:
    """A number of people, a share, or the path of a file.

    >>> _population("1_000"), _population("0.05"), _population("5%")
    (1000, 0.05, 0.05)
    """
    plain = text.strip()
    percent = plain.endswith("%")
    try:
        number = float(plain.removesuffix("%"))
    except ValueError:
        return Path(text)
    if percent:
        return number / 100
    return int(number) if number.is_integer() and "." not in plain else number


def _range(text: str) -> tuple[int, int]:
    """The two ends of a range of k.

    >>> _range("2-20")
    (2, 20)
    """
    first, dash, last = text.replace("–", "-").partition("-")
    if not (dash and first.strip().isdecimal() and last.strip().isdecimal()):
        raise InputError(
            Problem(
                "bad-option",
                f"--curve must be a range of k, not '{text}'",
                remedy="for example --curve 2-20",
            )
        )
    return int(first), int(last)


def _runs(numbers: Sequence[int]) -> str:
    """Rising whole numbers, runs of three and more by their ends.

    >>> _runs([2, 3, 4, 5, 8, 10, 11])
    '2 to 5, 8, 10, 11'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(
        f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs
    )


def _show(found: RiskReport) -> None:
    screen = console()
    classes = found.classes
    left_out = f", {found.suppressed:,} suppressed left out" if found.suppressed else ""
    screen.print(
        f"{found.table}: {_counted(found)} in "
        f"{many(int(classes['count']), 'class', 'classes')}{left_out}",
        style="bold",
        soft_wrap=True,
    )
    screen.print(f"classes over {', '.join(found.quasi)}\n", soft_wrap=True)
    rows = [
        (
            name,
            knows,
            share(item.at_risk),
            shown(item.highest),
            shown(item.success),
        )
        for name, knows, item in (
            ("prosecutor", "the person is in the table", found.prosecutor),
            ("journalist", "the population only", found.journalist),
        )
    ]
    rows.append(("marketer", "the population only", "", "", shown(found.marketer)))
    if found.estimated is not None:
        item = found.estimated.journalist
        rows.append(
            (
                "journalist*",
                f"estimated ({found.estimated.model})",
                share(item.at_risk),
                shown(item.highest),
                shown(item.success),
            )
        )
    at_risk = f"above {found.threshold:g}"
    head = ("attacker", "knows", at_risk, "highest", "average")
    print_table(head, rows, right=(at_risk, "highest", "average"))
    if found.basis != "table":
        from indistinct.analytics.risk import BASES

        screen.print(f"\n{BASES[found.basis]}", soft_wrap=True)
    _show_uniques(found)
    _show_distribution(found)
    if found.curve is not None:
        _show_curve(found.curve, found.units)
    for verdict in found.standards:
        _show_standard(verdict)


def _counted(found: RiskReport, number: int | None = None) -> str:
    """So many records; of people with many records so many people."""
    if found.rows is None:
        return many(found.records if number is None else number, "record", "records")
    if number is not None:
        return many(number, "person", "people")
    return f"{many(found.records, 'person', 'people')} of {found.rows:,} records"


def _show_exposed(found: RiskReport, number: int) -> None:
    if not number or found.exposed is None or not found.exposed.height:
        return
    console().print(f"\nthe most exposed {found.units} (private)", style="bold")
    rows = [
        (shown(row), shown(size), shown(one), shown(other))
        for row, size, one, other in found.exposed.head(number).iter_rows()
    ]
    first = "record" if found.rows is None else "first record"
    head = (first, f"{found.units} in class", "prosecutor", "journalist")
    print_table(head, rows, right=head)


def _show_uniques(found: RiskReport) -> None:
    screen = console()
    part = found.unique / found.records if found.records else 0.0
    screen.print(
        f"\nalone with their values: {_counted(found, found.unique)} ({share(part)})",
        soft_wrap=True,
    )
    if found.unique_in_population is not None:
        screen.print(
            f"of them alone in the population, too: {found.unique_in_population:,}", soft_wrap=True
        )
    if found.uniqueness is None or found.unique_in_population is not None:
        return
    estimates = found.uniqueness
    screen.print("\nunique in the population, estimated", style="bold")
    rows = [
        (
            name + (" *" if name == estimates.picked else ""),
            "" if fit.uniques is None else shown(round(fit.uniques)),
            fit.why if fit.uniques is None else share(fit.uniques / estimates.sample.population),
        )
        for name, fit in estimates.fits.items()
    ]
    print_table(("model", "people", "share"), rows, right=("people",))
    screen.print(f"* by Dankar's rule: {estimates.why}", soft_wrap=True)


def _show_distribution(found: RiskReport) -> None:
    if not found.records:
        return
    console().print(f"\nrisk of the {found.units}", style="bold")
    held = [at for at, step in enumerate(found.distribution) if step.records]
    rows = [
        (
            f"{step.above:.3g} to {step.to:.3g}",
            f"{step.records:,}",
            bar(step.share),
            share(step.share),
            share(step.cumulative),
        )
        for step in found.distribution[held[0] : held[-1] + 1]
    ]
    head = ("above, up to", found.units, "", "share", "so far")
    print_table(head, rows, right=(found.units, "share", "so far"))


def _show_curve(curve: RiskCurve, units: str) -> None:
    screen = console()
    of = "releases" if curve.of == "releases" else "the table without smaller classes"
    screen.print(f"\nrisk over k: {of}", style="bold")
    found = curve.selection
    bends = {} if found is None else {name: item.k for name, item in found.elbows.items()}

    def marked(name: str, k: int, text: str) -> str:
        return f"{text} <" if bends.get(name) == k else f"{text}  "

    rows = [
        (
            str(point.k),
            marked("records_at_risk", point.k, share(point.risk.at_risk)),
            marked("highest", point.k, f"{point.risk.highest:.4f}"),
            marked("success", point.k, f"{point.risk.success:.4f}"),
            share(point.kept),
            f"{point.classes:,}",
        )
        for point in curve.points
    ]
    head = ("k", "at risk  ", "highest  ", "average  ", f"{units} kept", "classes")
    if rows:
        print_table(head, rows, right=head)
    if curve.skipped:
        screen.print(f"nothing can be kept for k = {_runs(curve.skipped)}", soft_wrap=True)
    if curve.of == "classes" and not rows:
        screen.print(
            "Every class is smaller. With --policy, and without --as-it-is, a release is made for "
            "every k.",
            soft_wrap=True,
        )
    if found is not None:
        screen.print(f"\nk = {found.k}: {found.why}", soft_wrap=True)
        screen.print(
            "Bends depend on the range of k, and do not say that the risk there is low enough.",
            soft_wrap=True,
        )


def _show_standard(verdict: StandardVerdict) -> None:
    screen = console()
    screen.print(f"\n{verdict.title}: {WORDS[verdict.holds]}", style="bold", soft_wrap=True)
    failing = [check for check in verdict.checks if check.holds is not True]
    passing = [check for check in verdict.checks if check.holds is True]
    for check in failing or passing:
        of = "" if check.attribute is None else f"{check.attribute}: "
        screen.print(
            f"  {WORDS[check.holds]}  {check.what}\n         {of}{check.why}", soft_wrap=True
        )
    if failing and passing:
        screen.print(f"  {many(len(passing), 'other check holds', 'other checks hold')}")
    screen.print(f"source: {verdict.source}", soft_wrap=True)
    screen.print(verdict.note, soft_wrap=True)
