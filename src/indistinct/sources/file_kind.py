"""What a file is by its ending: the kinds there are, and what may be said of how each is read.

Every file of :mod:`indistinct.sources.file_kinds` holds a kind, under its own name. A kind of
another distribution is an entry point of the group ``indistinct.files``.
"""

from __future__ import annotations

import glob
import importlib.util
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import ClassVar

import polars as pl

from indistinct import plugins
from indistinct.errors import DataError, OutputError, Problem, Problems, did_you_mean, refuse
from indistinct.frozen import dataclass
from indistinct.sources import memory
from indistinct.sources.packed import BROKEN, PACKED, broken
from indistinct.types import Plain, PlainMapping

QUERY = "correct the query: it has to read one table, in the words of this database"

MANY_FILES = (
    'CSV and Parquet files are read as one table by --engine duckdb (engine="duckdb"), in verbs '
    "that have it"
)
"""What to do with a folder, or a pattern, of files."""

PLAIN_FORMATS = ("csv", "parquet")
"""The kinds of releases that an engine can write without bringing the rows together."""

STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
EXPORTED = {
    **dict.fromkeys(
        (".rds", ".rda", ".rdata"),
        ("R", 'write.csv(table, "{name}.csv", row.names = FALSE, na = "")'),
    ),
}
"""Files of other programs that are not read: which program it is, how it writes a CSV file."""
_ADDRESS = re.compile(r"(jdbc:)?[a-z][a-z0-9+-]+:/", re.IGNORECASE)
_WRITTEN_AS = {
    "postgres": "write postgresql://host:port/database?table=schema.table, user@ before the host",
    "sqlite": 'give the path of the file, and write query = "SELECT ..." under [source]',
    "duckdb": 'give the path of the file, and write query = "SELECT ..." under [source]',
}
"""What other programs name by an address, and how it is written here."""


KEYS = (
    "separator",
    "quote",
    "encoding",
    "header",
    "skip_rows",
    "decimal",
    "labels",
    "sheet",
    "query",
)
"""The keys of ``[source]`` in a policy that say how a file is read: fields of :class:`Reading`."""


def unknown_keys(source: PlainMapping) -> list[Problem]:
    """A problem for every key that does not say how a file is read."""
    return [
        Problem("unknown-key", f"source.{key}: {did_you_mean(str(key), KEYS)}")
        for key in source
        if key not in KEYS
    ]


@dataclass(frozen=True)
class Reading:
    """How a file is read, as :func:`indistinct.sources.files.read_table` explains it."""

    separator: str | None = None
    quote: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    query: str | None = None
    header: bool | None = None
    skip_rows: int | None = None
    decimal: str | None = None
    labels: bool | None = None
    exact: bool = False
    coded: Collection[str] | bool = False


class FileKind(ABC):
    """Files of one kind, told by their endings.

    Arguments:
        name: the kind, as its file and its entry point are called.
        title: what messages call such a file, ``a Parquet file``.
        endings: in lower case, with their points.
        takes: the keys of ``[source]`` that say how such a file is read. No others are accepted.
        needs_query: whether nothing is read without a query.
        packed: whether one may be packed, as ``.csv.gz``.
        inferred: whether every cell has a type of its own, and columns have that of their cells.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    endings: ClassVar[tuple[str, ...]]
    takes: ClassVar[frozenset[str]] = frozenset()
    needs_query: ClassVar[bool] = False
    packed: ClassVar[bool] = False
    inferred: ClassVar[bool] = False

    @abstractmethod
    def read(self, path: Path, how: Reading) -> pl.DataFrame:
        """The table in a file that is there and is not empty.

        Raises:
            DataError: it cannot be read; without the words of a library, which may quote a cell.
        """

    def table(self, path: Path, how: Reading) -> pl.DataFrame:
        """What :meth:`read` gives.

        Raises:
            DataError: it cannot be read; also where what :meth:`read` calls refuses it.
        """
        try:
            return self.read(path, how)
        except (pl.exceptions.PolarsError, UnicodeDecodeError, *BROKEN) as error:
            raise broken(path.name, f"this cannot be read as {self.title}", error) from None
        except pl.exceptions.PanicException as error:  # a BaseException, over a damaged column
            raise broken(path.name, f"{self.title} is damaged here", error) from None

    def titles(self, path: Path, how: Reading) -> dict[str, str]:
        """What the file calls some of its columns in words, beside their names.

        Raises:
            DataError: it cannot be read.
        """
        return {}


class WrittenKind(FileKind):
    """Files in which a release can be published.

    Arguments:
        written: the ending of the file, with its point.
        package: the package that writes it.
        extra: the extra of this distribution that brings the package.
    """

    written: ClassVar[str]
    package: ClassVar[str]
    extra: ClassVar[str]

    @abstractmethod
    def write(self, frame: pl.DataFrame, path: Path) -> None:
        """Write a release so that a reader of the file finds what is in the frame.

        Arguments:
            frame: its rows. What such a file has no type for is written as text.
            path: the file, in a folder of its own, where the package may put more.

        Raises:
            OutputError: names, texts or rows that such a file cannot hold.
        """

    def require(self) -> None:
        """Raise :class:`OutputError` where the package that writes it is not installed."""
        if importlib.util.find_spec(self.package) is None:
            raise OutputError(
                "missing-extra",
                f"writing {self.title} needs another package",
                remedy=f'pip install "indistinct[{self.extra}]"',
            )


def require_cells(scanned: pl.LazyFrame, name: str) -> None:
    """Refuse a table of more cells than fit into the memory that it may take.

    Raises:
        DataError: it does not fit.
    """
    cells = scanned.select(pl.len()).collect().item() * len(scanned.collect_schema())
    memory.require(memory.OF_CELLS * cells, name)


_KINDS = plugins.Files(
    "files",
    plugins.subclass_named(FileKind, "name"),  # type: ignore[type-abstract]
    "indistinct.sources.file_kinds",
)


def file_kinds() -> dict[str, FileKind]:
    """Every kind by its name, sorted: those of this package, and those of plugins."""
    return {name: kind() for name, kind in _KINDS.every().items()}


def written_kinds() -> dict[str, WrittenKind]:
    """The kinds that a release can be written in beside CSV and Parquet, by their names."""
    return {name: kind for name, kind in file_kinds().items() if isinstance(kind, WrittenKind)}


def output_formats() -> tuple[str, ...]:
    """The names of all kinds that a release can be written in, the default first."""
    return (*PLAIN_FORMATS, *written_kinds())


def kind_of(path: Path) -> FileKind | None:
    """What a file is by its ending, packed or not; None for an ending that is unknown.

    >>> kind_of(Path("visits.CSV.gz")).name
    'csv'
    """
    ending, packed = ending_of(path), path.suffix.lower() in PACKED
    known = (kind for kind in file_kinds().values() if kind.packed or not packed)
    return next((kind for kind in known if ending in kind.endings), None)


def meant_for(path: Path, said: PlainMapping) -> Plain:
    """Of what is said of how other files are read, what has a meaning for this one too.

    Arguments:
        path: the file.
        said: keys of ``[source]``.
    """
    kind = kind_of(path)
    return {
        key: said[key] for key in said if kind is None or key not in _PLAIN or key in kind.takes
    }


def ending_of(path: Path) -> str:
    """The ending of a file, in lower case, without that of packing."""
    ending = path.suffix.lower()
    return Path(path.stem).suffix.lower() if ending in PACKED else ending


def refuse_unreadable(path: Path, how: Reading) -> FileKind:
    """Refuse a file that cannot be read, or not in the way that is said.

    Returns:
        The kind of the file.

    Raises:
        DataError: it is not there, or of no known kind; or it is not read so. All of it at once.
    """
    problems, kind = _missing(path), kind_of(path)
    if kind is None and (path.suffix or path.is_file()):
        packed = path.suffix.lower() in PACKED
        kinds = [one for one in file_kinds().values() if one.packed or not packed]
        known = ", ".join(ending for one in kinds for ending in one.endings)
        problems.add(
            "unknown-ending",
            f"the ending '{path.suffix}' does not say what is in the file",
            file=path.name,
            remedy=_exported(path) or f"use one of {known}",
        )
    refuse(DataError, problems)
    assert kind is not None
    if how.sheet is not None and "sheet" not in kind.takes:
        problems.add(
            "sheet-without-excel",
            "only workbooks, of Excel or OpenDocument, have sheets",
            file=path.name,
            remedy="leave the sheet out",
        )
    if (how.query is not None) != kind.needs_query:
        problems.add(
            "query-and-database",
            "a query reads from a database file" if how.query else "a database needs a query",
            file=path.name,
            remedy="take the query away"
            if how.query
            else 'add query = "SELECT ..." to [source], or name it with init --query',
        )
    refuse(DataError, problems)
    if how.header is False and "header" not in kind.takes:
        raise header_without_csv(path.name)
    refuse_idle(kind, path.name, **{key: getattr(how, key) for key in _PLAIN})
    return kind


_PLAIN = tuple(key for key in KEYS if key not in ("header", "sheet", "query"))
"""Those that are refused in the same words."""


def refuse_idle(kind: FileKind, name: str, **said: object) -> None:
    """Refuse what is said of how a file is read that has no meaning for its kind.

    Arguments:
        kind: what the file is.
        name: what messages call it.
        said: keys of ``[source]``; None where nothing is said.
    """
    idle = [key for key, value in said.items() if value is not None and key not in kind.takes]
    if idle:
        raise DataError(
            "bad-value",
            f"{kind.title} is read without it: {', '.join(idle)}",
            file=name,
            remedy=f"leave it out under [source]: {', '.join(idle)}",
        )


def header_without_csv(name: str) -> DataError:
    """That a file that is no CSV file is said to have no header."""
    return DataError(
        "header-without-csv",
        "only a CSV file can be without a header",
        file=name,
        remedy="put a line with the columns' names above the first record, and take header away",
    )


def refuse_missing(paths: Sequence[Path]) -> None:
    """Raise for files that are not there, are folders, or are empty."""
    refuse(DataError, [problem for path in paths for problem in _missing(path)])


def _missing(path: Path) -> Problems:
    problems = Problems()
    if address := _ADDRESS.match(str(path)):
        known = [write for name, write in _WRITTEN_AS.items() if name in address[0].lower()]
        export = "export the table to a file, or hand its rows over as a frame in Python"
        problems.add(
            "address-of-a-server",
            "an address of a server is not a file",
            file=str(path),
            remedy=f"{(*known, export)[0]}; never type a password: other users and the history of "
            "the shell see it",
        )
    elif not path.exists():
        beside = path.parent.iterdir() if path.parent.is_dir() else ()
        near = did_you_mean(path.name, [one.name for one in beside if one.is_file()])
        several = glob.has_magic(path.name) and any(path.parent.glob(path.name))
        hint = f": {near}" if near.startswith("did") and not several else ""
        problems.add(
            "missing-file",
            f"there is no such file{hint}",
            file=str(path),
            remedy=MANY_FILES if several else "correct the name, or the folder it is looked for in",
        )
    elif not path.is_file():
        problems.append(
            Problem("not-a-file", "this is a folder, not a file", file=str(path), remedy=MANY_FILES)
            if path.is_dir()
            else Problem(
                "not-a-file",
                "this is a pipe, and a table is read more than once",
                file="standard input" if str(path) in STANDARD_INPUT else str(path),
                remedy="write the table to a file first, and name that",
            )
        )
    elif path.stat().st_size == 0:
        problems.add("empty-file", "the file is empty", file=path.name)
    return problems


def _exported(path: Path) -> str:
    """How a file of another program becomes one that is read; nothing for an unknown ending."""
    if path.suffix.lower() not in EXPORTED:
        return ""
    program, command = EXPORTED[path.suffix.lower()]
    return f"export it to a CSV file, in {program}: {command.format(name=path.stem)}"
