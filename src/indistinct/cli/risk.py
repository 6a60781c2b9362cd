"""``indistinct risk``: how likely it is that somebody finds a person in a table or a release."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from indistinct.cli.options import (
    AsJson,
    Encoding,
    Engine,
    Force,
    Master,
    Memory,
    Roles,
    Separator,
    Sheet,
    argument,
    begin,
    beside_policy,
    names,
    names_in,
    option,
    refuse_existing,
    source_keys,
)
from indistinct.cli.terminal import (
    Progress,
    complain,
    console,
    print_json,
    print_parts,
    stop_where,
)
from indistinct.document import share
from indistinct.errors import InputError, PolicyError, refuse

if TYPE_CHECKING:
    from indistinct.analytics.risk.reidentification import RiskReport


def risk(
    data: Annotated[
        Path,
        argument(
            "DATA|RELEASE",
            "The private table, or what was published of it: a file, or a release's folder.",
        ),
    ],
    policy: Roles = None,
    quasi: Annotated[
        list[str] | None, option("NAMES", "The quasi-identifiers, separated by commas.")
    ] = None,
    population: Annotated[
        str | None,
        option(
            "FILE|N|SHARE",
            "The people among whom somebody could be found: a table of them, how many they "
            "are, or the share of them that is in DATA.",
        ),
    ] = None,
    counts: Annotated[
        str | None,
        option("COLUMN", "A column of the population's table: how many people a row stands for."),
    ] = None,
    threshold: Annotated[
        float | None,
        option(
            "SHARE",
            "A record with a higher risk is at risk (the policy's, or 0.2).",
            show_default=False,
        ),
    ] = None,
    curve: Annotated[
        str | None, option("K-K", "Show the risk over a range of k, such as 2-20.")
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
        option(
            "NAMES",
            "Check DATA against standards: hipaa-safe-harbor, ema, health-canada, 0.05, 0.09, "
            "0.1, 0.2, 0.33.",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with 3 if a standard fails; without a standard, if a record is at risk.",
        ),
    ] = False,
    zip_population: Annotated[
        Path | None, option("FILE", "People by zip code, for hipaa-safe-harbor.")
    ] = None,
    special_uniques: Annotated[
        int | None,
        option(
            "M",
            "Score the records that up to M quasi-identifiers single out (SUDA).",
            min=1,
        ),
    ] = None,
    log_linear: Annotated[
        int | None,
        option(
            "1|2",
            "Expect the population by a log-linear model: 1 without associations, 2 with those of "
            "two attributes.",
            min=1,
            max=2,
        ),
    ] = None,
    weights: Annotated[
        str | None,
        option(
            "COLUMN",
            "A column of DATA: how many people of the population a record of a survey stands for.",
        ),
    ] = None,
    household: Annotated[
        str | None,
        option(
            "COLUMN",
            "A column of DATA that names the household: who is found with one member is found "
            "with all.",
        ),
    ] = None,
    exposed: Annotated[
        int,
        option(
            "N", "Show the row numbers of the N records with the highest risk (private).", min=0
        ),
    ] = 0,
    plot: Annotated[Path | None, option("FILE", "Draw the risk, as .svg, .png or .html.")] = None,
    force: Force = False,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    engine: Engine = None,
    master: Master = None,
    memory: Memory = None,
    as_json: AsJson = False,
) -> None:
    """Measure how likely it is that someone finds a person in DATA, a table or a release.

    There are three attackers: the prosecutor, who knows that the person is in the table; the
    journalist, who does not; and the marketer, who wants as many as possible. With --curve, the
    risk over k and where it bends. If a policy or a release's certificate names the person of each
    record, classes count people.
    """
    import indistinct
    from indistinct.report.plots import require_drawing

    source = source_keys(separator, encoding, sheet)
    refuse(PolicyError, beside_policy(policy, source))
    refuse_existing(plot, force=force)
    if plot is not None:
        require_drawing(plot)
    with Progress(data) as progress:
        begin(engine, master, data)
        found = indistinct.risk(
            data,
            policy,
            quasi=None if quasi is None else names_in(quasi, data, source, policy),
            population=None if population is None else _population(population),
            counts=counts,
            threshold=threshold,
            k_range=None if curve is None else _range(curve),
            releases=False if as_it_is else None,
            standard=names(standard),
            zip_population=zip_population,
            special_uniques=special_uniques,
            log_linear=log_linear,
            weights=weights,
            household=household,
            source=source,
            engine=engine,
            memory=memory,
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
        print_parts(found.parts())
        print_parts(found.exposed_parts(exposed))
        if plot is not None:
            console().print(f"\n{plot} is drawn", soft_wrap=True)
    if strict:
        stop_where(list(_passed(found)))


def _passed(found: RiskReport) -> Iterator[str]:
    """Which standards fail; where none was named, that records are at risk."""
    for verdict in found.standards:
        if verdict.holds is False:
            yield f"{verdict.title}: fails"
    if found.standards:
        return
    at_risk = found.journalist.at_risk
    if at_risk > 0:
        yield f"{share(at_risk)} of {found.units} have a risk above {found.threshold:g}"
    if found.suppressed and found.unique_in_population is None:
        risk = 1 / found.suppressed
        if risk > found.threshold:
            yield f"who is in the table and fits no class is found with a risk of {share(risk)}"


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
    if percent and number > 100:
        message = f"--population: a table is no more than all of its population, not {plain}"
        raise InputError("bad-option", message, remedy="write a share such as 5%, or a number")
    if percent:
        return number / 100
    return int(number) if number.is_integer() and "." not in plain else number


def _range(text: str) -> tuple[int, int]:
    """The two ends of a range of k.

    >>> _range("2-20"), _range("2..20")
    ((2, 20), (2, 20))
    """
    first, dash, last = text.replace("–", "-").replace("..", "-").partition("-")
    if not (dash and first.strip().isdecimal() and last.strip().isdecimal()):
        raise InputError(
            "bad-option",
            f"--curve must be a range of k, not '{text}'",
            remedy="for example --curve 2-20",
        )
    return int(first), int(last)
