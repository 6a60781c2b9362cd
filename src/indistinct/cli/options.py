"""Options that several verbs share, and how their values are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Literal

import typer

from indistinct.errors import InputError, OutputError, PolicyError, Problem, refuse
from indistinct.types import Plain

LEAVE = "leave one of them out"

FILE = "Reading the file"
"""Panel of the help for options that say how a file is read."""


def option(metavar: str, text: str, *names: str, panel: str | None = None, **more: Any) -> Any:
    """An option that takes a value.

    Arguments:
        metavar: what stands for the value in the help.
        text: what it says there.
        names: its names, where they are not those of the argument.
        panel: the panel of the help that it is in.
        more: what else :func:`typer.Option` takes.
    """
    return typer.Option(*names, metavar=metavar, help=text, rich_help_panel=panel, **more)


def argument(metavar: str, text: str, **more: Any) -> Any:
    """What is given without a name.

    Arguments:
        metavar: what stands for the value in the help.
        text: what it says there.
        more: what else :func:`typer.Argument` takes.
    """
    return typer.Argument(metavar=metavar, help=text, **more)


Data = Annotated[
    Path,
    argument(
        "DATA",
        "The private table: CSV, Parquet, Excel, or postgresql://host/db?table=T.",
        dir_okay=True,
    ),
]
Engine = Annotated[
    Literal["duckdb", "spark", "memory"] | None,
    typer.Option(
        help="Scan the file, or the files of a folder or pattern, instead of reading it: it "
        "need not fit into memory. With spark also hdfs://, s3a:// and table:NAME. With memory "
        "it is read, even if it is large.",
        rich_help_panel=FILE,
    ),
]
Master = Annotated[
    str | None,
    option(
        "URL",
        "With --engine spark: the cluster, such as spark://host:7077 (as Spark is set up).",
        panel=FILE,
    ),
]
Memory = Annotated[
    str | None,
    option(
        "SIZE",
        "With --engine duckdb: what the run may take, such as 2GB; the rest is spilled.",
        panel=FILE,
    ),
]
Roles = Annotated[Path | None, option("FILE", "The policy that says which role each column plays.")]
KeptPolicy = Annotated[
    Path | None,
    option("FILE", "The policy of the table (the one that the first release keeps in private/)."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace existing files.")]
Details = Annotated[
    bool, typer.Option("--details", help="Show all warnings, not only the most urgent ones.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
Separator = Annotated[
    str | None,
    option("CHARACTER", "Separator of a CSV file (detected when not given).", panel=FILE),
]
Encoding = Annotated[str | None, option("NAME", "Encoding of a CSV file (detected).", panel=FILE)]
Sheet = Annotated[str | None, option("NAME", "Sheet of an Excel file.", panel=FILE)]


def begin(engine: str | None, master: str | None, data: str | Path) -> None:
    """Begin to start Spark, where it is asked for.

    Arguments:
        engine: what counts the table where it is, if anything does.
        master: the URL of a Spark cluster, if one was named.
        data: the table.

    Raises:
        PolicyError: a cluster is named, and not that Spark is used.
    """
    if engine == "spark":
        from indistinct.sources.spark_session import begin_beside

        begin_beside(master, data)
    elif master is not None:
        message = "--master names a Spark cluster, but --engine spark is missing"
        raise PolicyError("not-scanned", message, remedy="add --engine spark, or leave it out")


def beside_file(engine: str | None, master: str | None, memory: str | None) -> str:
    """The options that say how a table is scanned, as they are written in a command.

    Arguments:
        engine: what counts it.
        master: the URL of a Spark cluster.
        memory: what the process may take.

    >>> beside_file("duckdb", None, "2GB")
    ' --engine duckdb --memory 2GB'
    """
    given = {"engine": engine, "master": master, "memory": memory}
    return "".join(f" --{name} {quote(value)}" for name, value in given.items() if value)


def named_path(given: str) -> Path:
    """The folder that was named; an empty name would be the current one.

    >>> named_path("release").name
    'release'
    """
    if not given.strip():
        raise typer.BadParameter("it is empty: name a new folder")
    if given == "-":
        raise typer.BadParameter("it is '-', and nothing goes to standard output: name a folder")
    return Path(given)


def source_keys(
    separator: str | None, encoding: str | None = None, sheet: str | None = None
) -> Plain:
    """What was said about the file, under the names of the policy's ``[source]``.

    Arguments:
        separator: between cells; ``tab``, or a backslash and a t, stands for a tab.
        encoding: that of the file.
        sheet: the sheet of a workbook.
    """
    named = {"separator": separator, "encoding": encoding, "sheet": sheet}
    if separator in ("\\t", "tab"):
        named["separator"] = "\t"
    return {key: value for key, value in named.items() if value is not None}


def names(given: Sequence[str] | None, columns: Sequence[str] = ()) -> tuple[str, ...]:
    """The names in the values of an option, separated by commas; a column may contain one.

    >>> names(["age,sex", "zip"])
    ('age', 'sex', 'zip')
    >>> names(["weight, kg"], columns=["weight, kg"])
    ('weight, kg',)

    Raises:
        InputError: there are values, and no name in them.
    """
    found: list[str] = []
    for value in given or ():
        parts = [value] if value in columns else [part.strip() for part in value.split(",")]
        found += [part for part in parts if part]
    if given and not found:
        remedy = "name at least one, or leave the option out"
        raise InputError("bad-option", "an option has no name in it", remedy=remedy)
    return tuple(dict.fromkeys(found))


def names_in(
    given: Sequence[str], data: Path, source: Plain, policy: Path | None = None
) -> tuple[str, ...]:
    """The names in the values of an option; where a name may have a comma, the file is asked.

    Arguments:
        given: the values.
        data: the table; asked where it is one file.
        source: how it is read, where no policy says so.
        policy: the policy of the table.
    """
    from indistinct.intake.opening import reading
    from indistinct.policy import DraftPolicy
    from indistinct.sources.file_kind import kind_of
    from indistinct.sources.files import read_table

    plain = not any("," in value and " " in value for value in given)
    if plain or not data.is_file() or kind_of(data) is None:
        return names(given)
    how = source if policy is None else reading(DraftPolicy.load(policy))
    return names(given, read_table(data, allow_empty=True, **how).columns)


def beside_policy(
    policy: Path | None, given: Iterable[str], remedy: str = LEAVE, name: str = "policy"
) -> list[Problem]:
    """What is wrong with options that a policy says already.

    Arguments:
        policy: the file, if one was named.
        given: the options that were given beside it, without their dashes.
        remedy: what to do instead.
        name: the option that names the policy.
    """
    options = ", ".join(f"--{one}" for one in given)
    if policy is None or not options:
        return []
    message = f"{options} cannot be combined with --{name} {policy}"
    return [Problem("policy-and-options", message, remedy=remedy)]


def refuse_existing(
    *paths: Path | None, force: bool, remedy: str = "name another file, or replace it with --force"
) -> None:
    """Refuse to write over files.

    Arguments:
        paths: what is to be written; None is not.
        force: whether files may be replaced.
        remedy: what to do instead.

    Raises:
        OutputError: for every file that is there.
    """
    from indistinct.sources.writing import refuse_dash

    refuse_dash(*paths)
    problems = [
        Problem("file-exists", "a file of that name is there already", str(path), remedy=remedy)
        for path in paths
        if path is not None and path.exists() and not force
    ]
    refuse(OutputError, problems)
