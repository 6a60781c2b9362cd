"""``indistinct anonymize``: make a release that keeps its promises, and prove it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from indistinct.cli.ledger import in_turn
from indistinct.cli.options import (
    AsJson,
    Data,
    Details,
    Encoding,
    Engine,
    Master,
    Memory,
    Separator,
    Sheet,
    begin,
    beside_policy,
    named_path,
    names,
    option,
    source_keys,
)
from indistinct.cli.summary import list_files, print_run, summarize, warn
from indistinct.cli.terminal import Progress, is_quiet, print_parts
from indistinct.errors import PolicyError, Unsatisfiable, refuse
from indistinct.types import Plain, PlainMapping

if TYPE_CHECKING:
    from indistinct.policy import Policy
    from indistinct.sources.table import Table

OPTIONS = "In place of a policy file"


def anonymize(
    data: Data,
    out: Annotated[
        Path,
        option(
            "DIR",
            "Folder for the release and its certificate; it replaces an earlier release.",
            parser=named_path,
        ),
    ],
    policy: Annotated[Path | None, option("FILE", "The policy: roles, promises, method.")] = None,
    quasi: Annotated[
        list[str] | None,
        option(
            "NAMES",
            "Quasi-identifiers, separated by commas: what others may know of a person.",
            panel=OPTIONS,
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        option("NAMES", "Sensitive attributes, published as they are.", panel=OPTIONS),
    ] = None,
    drop: Annotated[
        list[str] | None, option("NAMES", "Identifiers, left out of the release.", panel=OPTIONS)
    ] = None,
    keep: Annotated[
        list[str] | None,
        option("NAMES", "Insensitive attributes, published as they are.", panel=OPTIONS),
    ] = None,
    rest: Annotated[
        Literal["drop", "keep"] | None,
        typer.Option(help="What to do with all other columns.", rich_help_panel=OPTIONS),
    ] = None,
    k: Annotated[
        int | None,
        option(
            "K",
            "k of k-anonymity: every record shares its class with k - 1 others.",
            "--k",
            panel=OPTIONS,
        ),
    ] = None,
    hierarchies: Annotated[
        Path | None,
        option(
            "DIR",
            "Folder with hierarchy files, <attribute>.csv or *_hierarchy_<attribute>.csv.",
            panel=OPTIONS,
        ),
    ] = None,
    suppression_limit: Annotated[
        float | None,
        option(
            "SHARE",
            "Share of records that may be left out, 0 to 1 (0 when not given).",
            panel=OPTIONS,
        ),
    ] = None,
    objective: Annotated[
        str | None, option("MEASURE", "The measure to minimize (loss).", panel=OPTIONS)
    ] = None,
    algorithm: Annotated[
        str | None,
        option(
            "NAME",
            "optimal (default), heuristic, or mondrian for ranges and sets by class.",
            panel=OPTIONS,
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        option(
            "SECONDS",
            "Stop the search; the result says how far it may be from the best.",
            panel=OPTIONS,
        ),
    ] = None,
    local_recoding: Annotated[
        bool | None,
        typer.Option(
            "--local-recoding",
            help="Recode the suppressed records again among themselves.",
            rich_help_panel=OPTIONS,
        ),
    ] = None,
    file_format: Annotated[
        str | None,
        option(
            "FORMAT",
            "csv (default), parquet, excel, stata or spss.",
            "--format",
            panel=OPTIONS,
        ),
    ] = None,
    suppressed: Annotated[
        str | None,
        option(
            "WHAT",
            "drop (default) suppressed records, or keep them with * everywhere.",
            panel=OPTIONS,
        ),
    ] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    engine: Engine = None,
    master: Master = None,
    memory: Memory = None,
    into: Annotated[
        str | None,
        option(
            "ADDRESS",
            "Put the rows into a table instead of a file: postgresql://host/db?schema=S; with "
            "--engine spark into a folder, hdfs://host/release.",
        ),
    ] = None,
    alternatives: Annotated[
        bool,
        typer.Option(
            "--alternatives",
            help="Tell what other methods and limits would keep, and which is recommended.",
        ),
    ] = False,
    report: Annotated[
        bool,
        typer.Option("--report/--no-report", help="Write reports next to the release, as HTML."),
    ] = True,
    refused: Annotated[
        Path | None,
        option("FILE", "If no release can be made, write a report of the reasons, as HTML."),
    ] = None,
    details: Details = False,
    as_json: AsJson = False,
) -> None:
    """Make a release of DATA that keeps its promises.

    Give a policy file (indistinct init DATA drafts one), or --quasi, --k and further options. DIR
    then holds the release and certificate.json, which may be published, and private/, which may
    not.
    """
    import indistinct
    from indistinct.sources.postgres import Store, is_address
    from indistinct.sources.writing import require_format

    named = {"quasi": quasi, "sensitive": sensitive, "drop": drop, "keep": keep}
    source = source_keys(separator, encoding, sheet)
    method = {
        "objective": objective,
        "algorithm": algorithm,
        "suppression-limit": suppression_limit,
        "time-limit": time_limit,
        "local-recoding": local_recoding,
    }
    output = {"format": file_format, "suppressed": suppressed}
    scanned = engine not in (None, "memory") or memory is not None
    chosen = engine if alternatives else engine or "auto"
    if scanned and (alternatives or policy is None):
        what = "--alternatives reads" if alternatives else "options in place of a policy read"
        message = f"{what} the table into memory, and --engine or --memory asks not to"
        remedy = "leave one of them out" if alternatives else "write a policy: indistinct init"
        raise PolicyError("not-scanned", message, remedy=remedy)
    if into is not None and (engine != "spark" or is_address(into)):
        Store.require_room(into)
    further: Plain = {"rest": rest, "k": k, "hierarchies": hierarchies}
    with Progress(data) as progress:
        begin(engine, master, data)
        if policy is not None:
            options = {**named, **further, **method, **output, **source}
            given = [name for name, value in options.items() if value is not None]
            remedy = _where_instead(given, {"method": method, "output": output, "source": source})
            refuse(PolicyError, beside_policy(policy, given, remedy))
            settings = _load(policy)
        else:
            progress("looking at the columns")
            sections = {"source": source, "method": _keys(method), "output": _keys(output)}
            settings = _from_options(data, named, rest, k, hierarchies, sections)
        if into is None:
            shown = (*settings.quasi_identifiers, *settings.visit_identifiers)
            require_format(settings.output.format, [*shown, *settings.published_beside])
        with in_turn(settings, progress):
            try:
                release = indistinct.anonymize(
                    data, settings, progress=progress, engine=chosen, memory=memory
                )
            except Unsatisfiable as error:
                if refused is not None:
                    indistinct.write_refusal(error, settings, refused)
                raise
            progress("writing")
            release.write(out, report=report and settings.output.report, into=into)
        beside = None
        if alternatives:
            beside = indistinct.alternatives(data, settings, release=release, progress=progress)
    # As it was written: with the files of the release.
    run = json.loads((out / "private" / "run.json").read_text(encoding="utf-8"))
    estimates = out / "private" / "analyses.json"
    analyses = json.loads(estimates.read_text("utf-8")) if estimates.is_file() else {}
    warn(settings.warnings, run, out, details=details)
    if as_json:
        print_run(settings, run | analyses | ({} if beside is None else beside.to_dict()))
        return
    if not is_quiet():
        summarize(release)
    if beside is not None:
        print_parts(beside.parts())
    if not is_quiet():
        list_files(out, into)


def _load(path: Path) -> Policy:
    from indistinct.policy import Policy

    return Policy.load(path)


def _from_options(
    data: Path,
    given: Mapping[str, list[str] | None],
    rest: Literal["drop", "keep"] | None,
    k: int | None,
    hierarchies: Path | None,
    sections: Mapping[str, Plain],
) -> Policy:
    """The policy that the options say for the table."""
    from indistinct.hierarchies.files import find_hierarchy
    from indistinct.intake.opening import plain_table
    from indistinct.policy import Policy

    if not given["quasi"] or k is None:
        asked = ["--quasi"] * (not given["quasi"]) + ["--k"] * (k is None)
        raise PolicyError(
            "no-policy",
            f"there is no {' and no '.join(asked)}",
            remedy="give --policy FILE, or both --quasi NAMES and --k K",
        )
    if hierarchies is not None and not hierarchies.is_dir():
        raise PolicyError(
            "no-folder", "is not a folder with hierarchy files", file=str(hierarchies)
        )
    table = plain_table(data, sections["source"], data)
    quasi = names(given["quasi"], table.columns)
    bare = [
        name
        for name in quasi
        if name in table.columns
        and (hierarchies is None or find_hierarchy(hierarchies, name) is None)
    ]
    return Policy.from_options(
        table.columns,
        quasi=quasi,
        sensitive=names(given["sensitive"], table.columns),
        drop=names(given["drop"], table.columns),
        keep=names(given["keep"], table.columns),
        rest=rest,
        k=k,
        table=table.name,
        hierarchies=hierarchies,
        defaults={name: default_keys(table, name) for name in bare},
        source=sections["source"],
        method=sections["method"],
        output=sections["output"],
    )


def default_keys(table: Table, attribute: str) -> Plain:
    """The keys of a quasi-identifier of which nothing is said: what its values look like.

    Numbers get intervals, dates their months and years, codes lose characters; all else is kept or
    suppressed. Texts that stand for a missing value are taken as such.
    """
    from indistinct.analytics.profile.hierarchy_draft import draft_hierarchy, type_of
    from indistinct.analytics.profile.one_column import values_of

    values, content = values_of(table, attribute)
    kind = type_of(attribute, values, content=content)
    draft = draft_hierarchy(attribute, values, kind, content)
    keys: Plain = {"hierarchy": draft.spec or "suppress"}
    if draft.uncovered:
        keys["uncovered"] = draft.uncovered
    if values.missing_tokens:
        keys["missing"] = {"tokens": list(values.missing_tokens)}
    return keys


def _where_instead(given: Iterable[str], sections: Mapping[str, PlainMapping]) -> str:
    """Where a policy says what options say that were given beside it.

    >>> _where_instead(["k", "time-limit"], {"method": {"time-limit": 5}})
    'write it in the policy (time_limit under [method]), or leave the policy out'
    """
    told = ", ".join(
        f"{option.replace('-', '_')} under [{name}]"
        for name, section in sections.items()
        for option in given
        if option in section
    )
    return f"write it in the policy{f' ({told})' * bool(told)}, or leave the policy out"


def _keys(options: PlainMapping) -> Plain:
    """Options that were given, under the names of the policy's keys."""
    return {name.replace("-", "_"): value for name, value in options.items() if value is not None}
