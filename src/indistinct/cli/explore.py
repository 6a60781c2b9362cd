"""``indistinct explore``: what many policies keep of a table, what they risk, and which to take."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from indistinct.cli.options import AsJson, Data, Force, option, refuse_existing
from indistinct.cli.terminal import Progress, complain, console, print_json, print_parts
from indistinct.errors import InputError, OutputError


def explore(
    data: Data,
    policy: Annotated[Path, option("FILE", "The policy that is varied.")],
    k: Annotated[str | None, option("2..20", "The k, as 2..20 or as 2,5,10.", "--k")] = None,
    suppression: Annotated[
        str | None, option("SHARES", "Limits of suppression, separated by commas.")
    ] = None,
    algorithm: Annotated[str | None, option("NAMES", "Algorithms, separated by commas.")] = None,
    objective: Annotated[
        str | None, option("NAMES", "Measures to minimize, separated by commas.")
    ] = None,
    promise: Annotated[
        list[str] | None,
        option(
            "MODEL.KEY=VALUES", "Values of a parameter of a promise: distinct-l-diversity.l=2..4."
        ),
    ] = None,
    gain: Annotated[
        float | None,
        option("SHARE", "The most that an attacker may gain about anyone; attacks every point."),
    ] = None,
    attacker: Annotated[
        str | None, option("NAMES", "The attackers to try with --gain; by default all.")
    ] = None,
    write: Annotated[
        int | None, option("N", "Write the policy of point N next to FILE, as FILE-N.toml.")
    ] = None,
    plot: Annotated[Path | None, option("FILE", "Draw the frontier into a file, as .svg.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Try many policies on DATA: what each keeps, what it risks, and which to take.

    No release is written. The output is private.
    """
    import indistinct
    from indistinct.policy import Policy
    from indistinct.sources.writing import write_text

    written = None if write is None else policy.with_name(f"{policy.stem}-{write}.toml")
    refuse_existing(written, plot, force=force)
    if plot is not None and plot.suffix.lower() != ".svg":
        remedy = "name a file with this ending"
        raise OutputError("unknown-format", "is drawn as .svg", file=str(plot), remedy=remedy)
    settings = Policy.load(policy)
    varied = dict(_parameter(item) for item in promise or ())
    with Progress(data) as progress:
        found = indistinct.explore(
            data,
            settings,
            k=[int(one) for one in _values(k or "", "--k", whole=True)],
            suppression=_values(suppression or "", "--suppression"),
            algorithm=_names(algorithm),
            objective=_names(objective),
            promise=varied,
            gain=gain,
            attacker=_names(attacker),
            progress=progress,
        )
    if write is not None and written is not None:
        if not 1 <= write <= len(found.points):
            raise _bad("--write", f"there are {len(found.points)} points, and no number {write}")
        if (chosen := found[write].policy) is None:
            raise _bad("--write", f"point {write} has no policy that can be run")
        write_text(written, chosen.to_toml())
    if plot is not None:
        write_text(plot, found.svg())
    if as_json:
        print_json(found.to_dict())
    else:
        print_parts(found.parts())
    for path in filter(None, (written, plot)):
        complain("note", f"{path} is written")
    if not as_json and found.recommended is not None and written is None:
        console().print(f"--write {found.recommended + 1} puts its policy into a file")


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _values(text: str, option: str, *, whole: bool = False) -> list[float]:
    """Numbers as they are typed, ranges as ``risk --curve`` takes them too.

    >>> _values("2..4,7-8", "--k", whole=True)
    [2, 3, 4, 7, 8]
    """
    from indistinct.verbs.exploring import MOST

    found: list[float] = []
    for part in _names(text):
        first, dots, last = re.sub(r"(?<=\d)[-–](?=\d+$)", "..", part).partition("..")
        try:
            if dots:
                values = range(int(first), int(last) + 1)
                if len(values[: MOST + 1]) > MOST:
                    raise _bad(option, f"{part} are more than {MOST:,} points")
                found += values
            else:
                found.append(int(part) if whole else float(part))
        except ValueError:
            raise _bad(option, f"'{part}' is not a number or a range such as 2..20") from None
    if text and not found:
        raise _bad(option, f"'{text}' has no number in it")
    return found


def _parameter(text: str) -> tuple[str, list[float]]:
    name, equals, values = text.partition("=")
    if not equals or "." not in name:
        raise _bad("--promise", f"'{text}' is not of the form MODEL.PARAMETER=VALUES")
    found = _values(values, "--promise")
    return name.strip(), [int(one) if float(one).is_integer() else one for one in found]


def _bad(option: str, message: str) -> InputError:
    return InputError("bad-option", f"{option}: {message}", remedy="see indistinct explore --help")
