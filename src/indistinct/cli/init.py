"""``indistinct init``: a first policy, with its reasons, for a person to correct."""

from __future__ import annotations

import contextlib
import textwrap
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from indistinct.cli.options import (
    FILE,
    AsJson,
    Data,
    Encoding,
    Engine,
    Master,
    Memory,
    Separator,
    Sheet,
    begin,
    beside_file,
    beside_policy,
    option,
    refuse_existing,
    source_keys,
)
from indistinct.cli.terminal import Progress, complain, console, print_json, print_table
from indistinct.document import first_names, many
from indistinct.errors import DataError, PolicyError, Problem, UncertainNames, Unsatisfiable, refuse

if TYPE_CHECKING:
    from indistinct.analytics.profile.described import AttributeProfile, Profile
    from indistinct.analytics.profile.persons import Persons
    from indistinct.intake.first_look import FirstLook
    from indistinct.intake.opening import Scanned
    from indistinct.policy import DraftPolicy
    from indistinct.sources.table import Table
    from indistinct.types import Plain, PlainMapping

Made = TypeVar("Made")

_PROTECTION = {"identifier": 2, "quasi-identifier": 1}
"""Roles that protect people; one of a larger number protects more."""


def init(
    data: Data,
    policy: Annotated[Path, option("FILE", "File for the policy.", "--policy", "--out")] = Path(
        "release.toml"
    ),
    check: Annotated[
        Path | None,
        option("FILE", "Write nothing: check this policy, which may lack promises, against DATA."),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="With --check: exit with 3 if a column has less than is suggested."
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing policy.")] = False,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the first line of a CSV file has the column names.",
            rich_help_panel=FILE,
        ),
    ] = None,
    skip_rows: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Rows above the names of the columns (default: detected).",
            metavar="N",
            rich_help_panel=FILE,
        ),
    ] = None,
    decimal: Annotated[
        str | None,
        option(
            "MARK",
            "The decimal mark of numbers, a comma or a point (default: detected).",
            panel=FILE,
        ),
    ] = None,
    labels: Annotated[
        bool | None,
        typer.Option(
            "--labels/--no-labels",
            help="Whether words stand in the place of numbers that a file of Stata or SPSS has "
            "labels for.",
            rich_help_panel=FILE,
        ),
    ] = None,
    query: Annotated[
        str | None, option("SQL", "The query that reads a database file.", panel=FILE)
    ] = None,
    engine: Engine = None,
    master: Master = None,
    memory: Memory = None,
    as_json: AsJson = False,
) -> None:
    """Draft a policy for DATA, with a suggested role and hierarchy for each attribute.

    Each suggestion has a reason. Read and correct them: a table does not show what others know
    about a person, or what would harm them.
    """
    from indistinct.analytics.profile.first_policy import (
        first_policy,
        health_policy,
        write_first_policy,
    )
    from indistinct.intake.first_look import first_look
    from indistinct.intake.opening import Scanned, open_source
    from indistinct.policy import DraftPolicy
    from indistinct.sources.format import format_of

    source = source_keys(separator, encoding, sheet)
    more = {"header": header, "skip_rows": skip_rows, "decimal": decimal, "query": query}
    more |= {"labels": labels}
    source |= {key: value for key, value in more.items() if value is not None}
    options = [name.replace("_", "-") for name in source]
    refuse(PolicyError, beside_policy(check, options, "write it in the policy", "check"))
    if decimal not in (None, ",", "."):
        raise PolicyError("bad-value", "--decimal is a comma or a point", remedy='write ","')
    begin(engine, master, data)
    scanned = Scanned.of(engine, memory)
    by_size = engine is None and scanned is None
    if check is not None:
        _check(data, check, scanned, as_json, strict, by_size=by_size)
        return
    if strict:
        raise PolicyError(
            "no-policy", "--strict needs a policy to check", remedy="give --check FILE"
        )
    remedy = "name another file with --policy, or replace it with --force"
    refuse_existing(policy, force=force, remedy=remedy)
    form = format_of(data)
    with Progress(data) as progress:
        progress("reading")
        if form is not None:
            text = health_policy(form)
            keys = tomllib.loads(text)
            keys["source"] |= source
            drafted = DraftPolicy.from_dict(keys)
            table, _ = open_source(data, drafted, None, scanned=scanned)
            notes = table.notes
        else:

            def looked(how: Scanned | None) -> FirstLook:
                return first_look(data, source, lambda keys: _read(data, keys, how, progress))

            look = _by_size(data, looked) if by_size else looked(scanned)
            notes = look.table.notes
            text = first_policy(look.profile, source=look.source, reasons=look.why)
        for note in notes:
            complain("warning", note)
        write_first_policy(text, policy, overwrite=force)
    if form is not None:
        if as_json:
            print_json({"policy": str(policy), "format": form, **_of_format(table, drafted)})
        else:
            console().print(what_next(policy, data), soft_wrap=True)
        return
    if as_json:
        print_json({"policy": str(policy), **look.profile.to_dict()})
    else:
        named = header is not None or not isinstance(look.table.columns, UncertainNames)
        for reason in look.why.values():
            console().print(reason, soft_wrap=True)
        _show(look.profile, policy, named=named)
        known = bool(look.profile.with_role("quasi-identifier"))
        beside = beside_file(engine, master, memory)
        console().print(f"\n{what_next(policy, data, beside, known=known)}", soft_wrap=True)


def _of_format(table: Table, policy: DraftPolicy) -> Plain:
    """What the columns of a health format look like, with the roles that the format gives them."""
    from indistinct.analytics.profile.columns import profile

    seen = profile(table)
    given = policy.to_dict()["attributes"]
    items = [
        item.to_dict()
        | {
            "role": given[item.attribute]["role"],
            "why": f"the format {policy.source.format} says so",
            "hierarchy": given[item.attribute].get("hierarchy"),
        }
        for item in seen.attributes
    ]
    return seen.to_dict() | {"attributes": items, "person": policy.person}


def _read(data: Path, keys: Plain, scanned: Scanned | None, progress: Progress) -> Table:
    """The table, read by keys of ``[source]``; what comes next is told."""
    from indistinct.intake.opening import plain_table
    from indistinct.sources.titles import notes_of_file

    native = data if scanned is None else scanned.open(data, **keys)
    table = plain_table(native, keys, data)
    if scanned is not None:
        table.notes = (*table.notes, *notes_of_file(data, **keys))
    progress("looking at the columns")
    return table


def _by_size(data: Path, work: Callable[[Scanned | None], Made]) -> Made:
    """What is made of a table, which is scanned where it is large and can be."""
    from indistinct.intake.opening import Scanned

    if (scanned := Scanned.by_itself(data)) is not None:
        with contextlib.suppress(DataError):  # reading says it better, where it fails as well
            return work(scanned)
    return work(None)


def _check(
    data: Path, path: Path, scanned: Scanned | None, as_json: bool, strict: bool, *, by_size: bool
) -> None:
    """Tell which columns a policy protects less than is suggested, and what else it lacks.

    Arguments:
        data: the table.
        path: the policy.
        scanned: how the table is scanned, where it is.
        as_json: print one document.
        strict: end with 3 if a column has less.
        by_size: scan a large table though nobody asks for it.
    """
    from indistinct.analytics.profile.columns import profile
    from indistinct.intake.forgotten import forgotten
    from indistinct.intake.opening import open_source, reading
    from indistinct.policy import DraftPolicy

    with Progress(data) as progress:
        progress("reading")
        policy = DraftPolicy.load(path)
        plain = policy.source.format is None and not policy.source.completed

        def looked(how: Scanned | None) -> tuple[Table, Profile]:
            table = (
                _read(data, reading(policy), how, progress)
                if plain
                else open_source(data, policy, None, scanned=how)[0]
            )
            progress("looking at the columns")
            return table, profile(table)

        table, seen = _by_size(data, looked) if by_size and plain else looked(scanned)
    policy.adopt(table.columns)
    if not policy.attributes.keys() <= set(table.columns):
        policy.check(table.columns, table.name)
    roles = {name: own.role for name, own in policy.attributes.items()}
    exposed = [
        {
            "attribute": item.attribute,
            "role": roles.get(item.attribute),
            "suggested": item.role,
            "why": item.why,
        }
        for item in seen.attributes
        if item.attribute not in roles
        or _PROTECTION.get(item.role, 0) > _PROTECTION.get(roles[item.attribute], 0)
        or (item.role, roles[item.attribute]) == ("sensitive", "insensitive")
    ]
    left = [item.to_dict() for item in forgotten(seen, policy)]
    warnings = [*policy.warnings, *(f"no {what} yet" for what in policy.lacks)]
    for warning in warnings:
        complain("warning", warning)
    wrong = _wrong(policy, table.columns, table.name)
    if as_json:
        document = {"policy": str(path), "attributes": exposed, "forgotten": left}
        problems = [problem.to_dict() for problem in wrong]
        print_json({**document, "warnings": warnings, "problems": problems})
    else:
        _show_forgotten(exposed, left)
        if not (exposed or left):
            console().print(f"{path} protects every column of {table.name} as is suggested")
    for problem in wrong:
        complain("error", str(problem))
    if wrong:
        raise typer.Exit(PolicyError.exit_code)
    if strict and (exposed or left):
        raise typer.Exit(Unsatisfiable.exit_code)


def _wrong(policy: DraftPolicy, columns: Sequence[str], name: str) -> Sequence[Problem]:
    """Why the policy cannot be used for the table; nothing where it can."""
    try:
        policy.check(columns, name)
    except PolicyError as error:
        return error.problems
    return ()


def _show_forgotten(*tables: Sequence[PlainMapping]) -> None:
    """Tables of what a policy forgets, an empty line between them."""
    for at, rows in enumerate(filter(None, tables)):
        if at:
            console().print()
        print_table(list(rows[0]), [[text or "none" for text in row.values()] for row in rows])


_HINT = {
    "quasi-identifier": "generalized",
    "sensitive": "would harm the person if disclosed; published as they are",
    "insensitive": "published as they are",
    "identifier": "left out",
}
_UNNAMED = (
    "the first line may be a record, so no names of columns are shown here; they and the doubts "
    "stand in the policy: draft it again with --header if it is the header, else with --no-header"
)
_MOST_DOUBTS = 8


def _show(seen: Profile, policy: Path, *, named: bool) -> None:
    """The draft on one screen: what is doubtful first, then the columns by role.

    Arguments:
        seen: what was seen of the table.
        policy: the file of the draft.
        named: show the names of columns, which may be the cells of a record otherwise.
    """
    screen = console()
    told = "people-with-several-records" if seen.counted else ""
    lines = [(warned.message, "") for warned in seen.warnings if warned.code != told]
    lines += [(what, first_names(names)) for what, names in seen.doubts]
    if not named:
        told_anyway = (one.message for one in seen.warnings if one.code == "no-quasi-identifier")
        lines = [(what, "") for what in (_UNNAMED, *told_anyway)]
    if lines:
        screen.print("Look at these first:", style="bold")
    for what, names in lines[:_MOST_DOUBTS]:
        _hanging(f"  * {what}" + (f": {names}" if names else ""), 4)
    if len(lines) > _MOST_DOUBTS:
        screen.print(f"  * {len(lines) - _MOST_DOUBTS} more in {policy}")
    for role, hint in _HINT.items():
        items = seen.with_role(role)  # type: ignore[arg-type]
        if items:
            screen.print(f"{role} ({len(items)}), {hint}" + ":" * named, style="bold")
        if items and named:
            _hanging("  " + ", ".join(map(_told, items)), 2)
    if seen.counted is not None and named:
        _show_people(seen, seen.counted)


def _show_people(seen: Profile, found: Persons) -> None:
    """Whose the records are, and what is to be known of those who have several."""
    from indistinct.analytics.profile.first_policy import one_class, overwritten

    nameless = seen[found.column].missing
    records = found.records - nameless
    people = f"{many(found.people, 'person has')} {many(records, 'record')}"
    console().print(f"{people}: every promise counts people, by '{found.column}'")
    if nameless:
        told = f"{many(nameless, 'record')} without a '{found.column}' must be filled in or"
        _hanging(f"  * {told} taken out: anonymize refuses them", 4)
    if 5 * records < 6 * found.people:
        _hanging("  * few people have several: was a record entered twice? Then delete one", 4)
    if changed := overwritten(seen):
        told = "the first value of a person is published for all of the person's records"
        kept = 'level = "event" keeps what belongs to the record'
        _hanging(f"  * {told}: {first_names(changed)}; {kept}", 4)
    if everybody := one_class(seen):
        told = "others know nothing but dates and stays: all people are one class, by"
        _hanging(f"  * {told} '{everybody}', a column that is added", 4)


def _told(item: AttributeProfile) -> str:
    """A column with what it is, where that decides how it is generalized."""
    spec = item.hierarchy
    if isinstance(spec, Mapping) and "code_system" in spec:
        return f"{item.attribute} ({spec['code_system']})"
    return f"{item.attribute} ({item.type})" if item.role == "quasi-identifier" else item.attribute


def _hanging(text: str, indent: int) -> None:
    """A text in lines as wide as the screen, all but the first indented."""
    width = max(40, console().width)
    for line in textwrap.wrap(
        text, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    ):
        console().print(line, soft_wrap=True)


def what_next(policy: Path, data: Path, beside: str = "", *, known: bool = True) -> str:
    """What to do with a draft.

    Arguments:
        policy: its file.
        data: the table.
        beside: further options that anonymize needs.
        known: whether there is a quasi-identifier; without one there is nothing to run yet.
    """
    from indistinct.sources.postgres import as_written

    lacks = ', give role = "quasi-identifier" to what others may know of a person,'
    return (
        f"{policy} is written: read it, correct it{',' if known else lacks} and then run\n"
        f"  indistinct anonymize {quote(as_written(data))} --policy {quote(str(policy))}{beside}"
        " --out DIR"
    )
