"""Tables in files: CSV, Parquet, Excel and small databases, read whole or refused with all reasons.

A CSV file is read by Polars on all cores, as text. Polars fills up records that are too short and
does not say so; the number of separators in the file gives them away. Whatever is suspicious is
read again by a careful reader, which finds the records that are ragged, passes over blank lines,
and understands blanks in front of a quote.
"""

from __future__ import annotations

import bz2
import codecs
import csv
import functools
import gzip
import io
import itertools
import logging
import lzma
import operator
import re
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import ROWS_SHOWN, DataError, Problem, Problems, did_you_mean, refuse
from indistinct.sources import memory, postgres
from indistinct.sources.arrow import require_duckdb
from indistinct.sources.dialect import (
    SAMPLE,
    Dialect,
    Layout,
    detect_dialect,
    detect_encoding,
    first_record,
    names_of,
    records,
)
from indistinct.sources.headers import header_problems
from indistinct.sources.table import (
    NAMELESS,
    name_problems,
    until_seen,
    without_nameless,
)
from indistinct.sources.text import as_codes, with_decimal_points, with_whole_numbers
from indistinct.sources.unchanged import unchanged
from indistinct.sources.workbook import require_room, require_unpacked
from indistinct.text_encodings import is_of_files, no_encoding
from indistinct.types import Plain

CSV = (".csv", ".tsv", ".tab", ".txt", ".data", ".dat")
STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
PARQUET = (".parquet", ".pq")
EXCEL = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
DATABASE = (".duckdb", ".sqlite", ".sqlite3", ".db")
INFERRED = (*EXCEL, *(ending for ending in DATABASE if ending != ".duckdb"))
"""Files in which every cell has a type of its own, and columns have that of their cells."""
EXPORTED = {
    **dict.fromkeys((".dta",), ("Stata", 'export delimited using "{name}.csv"', "read_stata")),
    **dict.fromkeys(
        (".sav", ".zsav"),
        ("SPSS", 'SAVE TRANSLATE OUTFILE="{name}.csv" /TYPE=CSV /FIELDNAMES', "read_spss"),
    ),
    **dict.fromkeys(
        (".sas7bdat", ".xpt"), ("SAS", 'proc export outfile="{name}.csv" dbms=csv', "read_sas")
    ),
    **dict.fromkeys(
        (".rds", ".rda", ".rdata"),
        ("R", 'write.csv(table, "{name}.csv", row.names = FALSE, na = "")', ""),
    ),
}
"""Files of other programs: which one it is, how it writes a CSV file, what of pandas reads them."""
PACKED: Mapping[str, Callable[[Any], Any]] = {
    ".gz": gzip.open,
    ".xz": lzma.open,
    ".bz2": bz2.open,
}
"""What opens a packed file, by its ending."""

BROKEN = (OSError, EOFError, lzma.LZMAError, zlib.error)
"""What reading a damaged file raises."""

DAMAGED = (
    "copy or export the file once more: it is damaged, or not of the kind that its name says; "
    "where it is locked or forbidden, let yourself read it"
)
QUERY = "correct the query: it has to read one table, in the words of this database"

_ADDRESS = re.compile(r"[a-z][a-z0-9+-]+:/", re.IGNORECASE)
_BLANKS = " \t\r\n"
_LINE_END = re.compile(r"\r\n|\n|\r")
_BLANK_LINE = re.compile(rb"^[ \t\r]*\n", re.MULTILINE)
_BLOCK = 1 << 22
_LARGE = 1 << 25
_PART = 1 << 24

TIGHTEST = 200
"""A file that is packed more tightly, and does not fit into memory, is hardly a table."""

SURELY = 1.5
"""A file is refused by its beginning where it would take so many times the memory that it may."""
_CHUNK = 50_000


def read_table(  # noqa: PLR0913, the keys of [source] in a policy
    path: str | Path,
    *,
    separator: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    query: str | None = None,
    header: bool | None = None,
    skip_rows: int | None = None,
    decimal: str | None = None,
    allow_empty: bool = False,
    exact: bool = False,
    coded: Collection[str] | bool = False,
) -> pl.DataFrame:
    """The table in a file.

    A CSV file comes back as text: blanks around a cell are stripped, an empty cell is missing.
    Parquet, Excel and databases keep their types.

    Arguments:
        path: The file; its ending says what it is (CSV may be packed: ``.csv.gz``). Or the address
            of a table in PostgreSQL.
        separator: Of a CSV file; found by itself if not given.
        quote: Of a CSV file; found by itself if not given; an empty string for none.
        encoding: Of a CSV file, by Python's name for it; UTF-8 and UTF-16 are known by themselves.
        sheet: The sheet of an Excel file; its first one if not given.
        query: SQL that says what to read from a database.
        header: Whether the first line has the columns' names. Without one, which a CSV file may
            be, they are ``column_1``, ``column_2`` and so on. Where it is not said, names that look
            like a record are refused, in any file.
        skip_rows: Of a CSV file or a sheet: how many rows stand above the names of the columns.
        decimal: Of a CSV file or a workbook: the decimal mark of numbers in columns of texts.
        allow_empty: Accept a table without records.
        exact: Leave the cells of a CSV file as they are: blanks around them stay, and a quoted
            empty cell is an empty text.
        coded: The columns of a large CSV file that are needed, or all: if it is plainly written,
            it is read in parts, its texts are held as codes, and other columns are empty.

    Raises:
        DataError: With everything that is wrong with the file, and no value of any cell; or it
            changed meanwhile.
    """
    if postgres.is_address(path):
        said: Plain = {"separator": separator, "quote": quote, "encoding": encoding, "sheet": sheet}
        said |= {"skip_rows": skip_rows, "decimal": decimal}
        return postgres.open_in_server(path, query, **said, header=header).frame()
    path = Path(path)
    ending = path.suffix.lower()
    packed = PACKED.get(ending)
    if packed:
        ending = Path(path.stem).suffix.lower()
    _refuse_unreadable(path, ending, packed is not None, sheet, query)
    if header is False and ending not in CSV:
        raise header_without_csv(path.name)
    if ending not in CSV + EXCEL:
        refuse_layout(path.name, skip_rows, decimal)
    points = decimal == ","
    with unchanged(path):
        if ending in CSV:
            layout = Layout(separator, quote, header, skip_rows or 0)
            frame = _read_csv(path, encoding, layout, exact=exact, coded=coded, points=points)
        elif ending in PARQUET:
            frame = _read_parquet(path)
        elif ending in EXCEL:
            frame = _read_excel(path, sheet, skip_rows or 0)
            frame = with_decimal_points(frame) if points else frame
        else:
            frame = _read_database(path, query or "")
    frame = _named(frame, path.name)
    problems = name_problems(frame.columns, path.name)
    if not problems and not frame.height and not allow_empty:
        problems = [
            Problem(
                "no-records",
                "the table has a header and no records",
                file=path.name,
                remedy="give a table with at least one record",
            )
        ]
    if not problems and header is None:
        problems = header_problems(frame, path.name, csv=ending in CSV)
    refuse(DataError, problems)
    return frame


def _named(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """A table without columns that have neither a name nor a cell."""
    nameless = [column for column in frame.columns if column.startswith(NAMELESS)]
    texts = [frame[column].cast(pl.String).str.strip_chars(_BLANKS) for column in nameless]
    filled = [text.name for text in texts if (text != "").any()]
    return frame.select(without_nameless(frame.columns, filled, name)) if nameless else frame


def has_table_ending(path: Path) -> bool:
    """Whether a file's name ends as that of a table does, packed or not."""
    if path.suffix.lower() in PACKED:
        return Path(path.stem).suffix.lower() in CSV
    return path.suffix.lower() in CSV + PARQUET + EXCEL + DATABASE


def refuse_idle(path: str | Path, **said: object) -> None:
    """Refuse what is said of a file that is no CSV file, and is read in one way alone.

    Arguments:
        path: the file.
        said: its separator, encoding and the like; None where nothing is said.
    """
    path = Path(path)
    ending = Path(path.stem).suffix if path.suffix.lower() in PACKED else path.suffix
    idle = [key for key, value in said.items() if value is not None]
    if idle and ending.lower() in (*PARQUET, *EXCEL, *DATABASE):
        raise DataError(
            "bad-value",
            f"only CSV files have one: {', '.join(idle)}",
            file=path.name,
            remedy="leave it out",
        )


def refuse_layout(name: str, skip_rows: int | None, decimal: str | None) -> None:
    """Refuse rows above the names, and a decimal mark, of a file that has names and numbers."""
    said = {"skip_rows": skip_rows, "decimal": decimal}
    if idle := [key for key, value in said.items() if value is not None]:
        raise DataError(
            "bad-value",
            f"only CSV files and workbooks have it: {', '.join(idle)}",
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
    if _ADDRESS.match(str(path)):
        problems.add(
            "address-of-a-server",
            "an address of a server is not a file",
            file=str(path),
            remedy="export the table to a file, or hand its rows over as a frame in Python; "
            "never type a password: other users and the history of the shell see it",
        )
    elif not path.exists():
        beside = path.parent.iterdir() if path.parent.is_dir() else ()
        near = did_you_mean(path.name, [one.name for one in beside if one.is_file()])
        hint = f": {near}" if near.startswith("did") else ""
        problems.add(
            "missing-file",
            f"there is no such file{hint}",
            file=str(path),
            remedy="correct the name, or the folder it is looked for in",
        )
    elif not path.is_file():
        problems.append(
            Problem("not-a-file", "this is a folder, not a file", file=str(path))
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
    program, command, reader = EXPORTED[path.suffix.lower()]
    frame = f"; or hand over the frame of pandas.{reader} in Python" if reader else ""
    return f"export it to a CSV file, in {program}: {command.format(name=path.stem)}{frame}"


def _refuse_unreadable(
    path: Path, ending: str, packed: bool, sheet: str | None, query: str | None
) -> None:
    name = path.name
    problems = _missing(path)
    known = CSV if packed else CSV + PARQUET + EXCEL + DATABASE
    if ending not in known and (ending or path.is_file()):
        problems.add(
            "unknown-ending",
            f"the ending '{path.suffix}' does not say what is in the file",
            file=name,
            remedy=_exported(path) or f"use one of {', '.join(known)}",
        )
    elif sheet is not None and ending not in EXCEL:
        problems.add("sheet-without-excel", "only Excel files have sheets", file=name)
    elif (query is not None) != (ending in DATABASE):
        problems.add(
            "query-and-database",
            "a query reads from a database file" if query else "a database needs a query",
            file=name,
            remedy="take the query away"
            if query
            else 'add query = "SELECT ..." to [source], or name it with init --query',
        )
    refuse(DataError, problems)


# CSV -------------------------------------------------------------------------------------------


def _read_csv(
    path: Path,
    encoding: str | None,
    layout: Layout,
    *,
    exact: bool,
    coded: Collection[str] | bool,
    points: bool,
) -> pl.DataFrame:
    name, separator = path.name, layout.separator
    refuse_dialect(name, separator, layout.quote, encoding)
    if separator is None and path.suffix.lower() in (".tsv", ".tab"):
        separator = "\t"
        layout = replace(layout, separator=separator)
    packed = path.suffix.lower() in PACKED
    if coded is not False and not packed and path.stat().st_size >= _LARGE:
        told = functools.partial(_head_of, name=name, layout=layout)
        with suppress(*BROKEN):  # what is wrong is told by those who read it at once
            how = functools.partial(_tidied, exact=exact, points=points)
            if (held := _read_in_parts(path, encoding, told, coded, how)) is not None:
                return held
    known = None if separator is None else separator.encode()
    data = _utf8(bytes_of(path, separator=known, cells=True), encoding, name)
    columns, dialect, head = _head_of(data, name, layout)
    body = data[len(head.encode()) :]
    del data
    if body.endswith((b"\n\n", b"\n\r\n")) or body in (b"\n", b"\r\n"):
        body = body.rstrip(b"\r\n")
    if not body:
        return pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    ends = _times(body, b"\n")
    cells = _times(body, dialect.separator.encode()) + ends
    memory.require(memory.OF_BYTES * len(body) + memory.OF_CELLS * cells, name)
    quoted = dialect.quote is not None and dialect.quote.encode() in body
    frame = _read_fast(body, columns, dialect, quoted)
    if frame is None and not quoted and len(columns) > 1:
        dense = _BLANK_LINE.sub(b"", body)
        frame = _read_fast(dense, columns, dialect, quoted) if len(dense) < len(body) else None
    if frame is None and exact:
        frame = _read_exactly(body, columns, dialect)
    if frame is None:
        frame = _tidy(_read_carefully(body, columns, dialect, name, head.count("\n")), ())
    if exact:
        return with_decimal_points(frame) if points else frame
    lines = ends + (not body.endswith(b"\n"))
    within = quoted and (lines > frame.height or _lone_returns(body))
    blanks = [one for one in (_BLANKS if within else " \t") if one.encode() in body]
    tidy = _tidy(frame, blanks, has_empty=quoted)
    return with_whole_numbers(with_decimal_points(tidy) if points else tidy)


def _head_of(data: bytes, name: str, layout: Layout) -> tuple[list[str], Dialect, str]:
    """The columns' names, how cells are told apart, and all before the first record.

    Arguments:
        data: the file, or its beginning where that is longer than what is looked at.
        name: what messages call it.
        layout: what is said of it.
    """
    try:
        start = codecs.getincrementaldecoder("utf-8")().decode(data[: 4 * SAMPLE])
    except UnicodeDecodeError as error:
        raise _undecodable(data, error, "utf-8", name, 0) from None
    columns, dialect, head = head_in(start, name, layout, whole=len(data) <= 4 * SAMPLE)
    if not columns:
        raise DataError("empty-file", "the file holds only blank lines", file=name)
    return until_seen(columns, name), dialect, head


def head_in(
    start: str, name: str, layout: Layout, *, whole: bool
) -> tuple[list[str], Dialect, str]:
    """The columns' names, how cells are told apart, and all before the first record.

    Arguments:
        start: the text that a file begins with.
        name: what messages call it.
        layout: what is said of it.
        whole: whether that is all of it.

    Raises:
        DataError: a quote is not closed, the first line is longer than what is looked at, or there
            are not so many lines.
    """
    lead = begin_of(start, layout.skip_rows, name)
    line = start[:lead].count("\n") + 1
    if not whole and _LINE_END.search(start, lead) is None:
        raise DataError(
            "long-header",
            f"line {line} is longer than {len(start) - lead:,} characters, in which the names of "
            "the columns should stand",
            file=name,
            remedy="look whether this is a CSV file; if it is, shorten the names",
        )
    try:
        dialect = detect_dialect(
            start[lead:], separator=layout.separator, quote=layout.quote, whole=whole
        )
        names, used = first_record(start[lead:], dialect)
    except csv.Error:
        raise DataError(unclosed(line, name)) from None
    head = start[: lead + used]
    first = head[lead:]
    if dialect.quote and head.count("\n") > 1 and first.count(dialect.quote) % 2:
        raise DataError(unclosed(line, name))
    columns = names_of(names)
    if layout.header is False:
        columns = [f"column_{at}" for at in range(1, len(names) + 1)]
        head = start[:lead]
    return columns, dialect, head


def begin_of(start: str, skip_rows: int, name: str) -> int:
    r"""Where a table begins: after the lines above it, and after empty ones.

    Raises:
        DataError: there are not so many lines, or they are longer than what is looked at.

    >>> begin_of("Report\n\nage;sex\n", 1, "a.csv")
    8
    """
    lines = list(itertools.islice(_LINE_END.finditer(start), skip_rows))
    lead = lines[-1].end() if lines else 0
    if len(lines) < skip_rows or (skip_rows and not start[lead:].strip()):
        raise too_few_rows(skip_rows, name)
    rest = start[lead:]
    return lead + len(rest) - len(rest.lstrip("\r\n"))


def too_few_rows(skip_rows: int, name: str) -> DataError:
    """That nothing stands below the rows that are to be passed over."""
    return DataError(
        "too-few-rows",
        f"nothing is there below the {skip_rows} rows above the names of the columns",
        file=name,
        remedy="correct skip_rows: the number of the row with the names, less one",
    )


def _read_in_parts(
    path: Path,
    encoding: str | None,
    head: Callable[[bytes], tuple[list[str], Dialect, str]],
    coded: Collection[str] | bool,
    tidied: Callable[[pl.Series], pl.Series],
) -> pl.DataFrame | None:
    """The records with texts held as codes; None where something is not as plain as it could be.

    Arguments:
        path: the file.
        encoding: as the caller says, if at all.
        head: tells what stands before the first record.
        coded: the columns that are needed; all others are empty.
        tidied: makes cells of the texts of a column.
    """
    memory.require(memory.OF_BYTES * path.stat().st_size, path.name)
    memory.hand_back()
    with path.open("rb") as file:
        data = file.read(max(_PART, 4 * SAMPLE))
        found, mark = detect_encoding(data)
        if {found, encoding} - {None, "utf-8"}:
            return None
        columns, dialect, start = head(data[mark:])
        kept = [name for name in columns if coded is True or name in coded]  # type: ignore[operator]
        codes = {name: _Codes() for name in kept}
        data, height, cells, size = data[mark + len(start.encode()) :], 0, 0, 0
        quote = (dialect.quote or "").encode()
        if len(columns) < 2 or any(column.startswith(NAMELESS) for column in columns):
            return None
        while data:
            more = file.read(_PART)
            end = _end_of_records(data, quote) if more else len(data)
            body, data = data[:end], data[end:] + more
            quoted = bool(quote) and quote in body
            if not body or b"\r" in body or len(quote) > 1:
                return None
            if (frame := _read_fast(body, columns, dialect, quoted)) is None:
                return None
            size, height = size + len(body), height + frame.height
            cells += len(columns) * frame.height
            memory.require(memory.OF_BYTES * size + memory.OF_CELLS * cells, path.name)
            for name in kept:
                codes[name].add(frame[name])
            del frame, body, more
    held = [
        codes[name].column(name, tidied)
        if name in codes
        else pl.Series(name, [None], pl.Null).new_from_index(0, height)
        for name in columns
    ]
    return pl.DataFrame(held)


def _end_of_records(data: bytes, quote: bytes) -> int:
    """Where the last record ends that is there as a whole: at a line's end outside of quotes."""
    end = data.rfind(b"\n") + 1
    inside = bool(quote) and data.count(quote, 0, end) % 2
    while end and inside:
        before = data.rfind(b"\n", 0, end - 1) + 1
        inside ^= data.count(quote, before, end) % 2
        end = before
    return end


class _Codes:
    """The texts of a column as numbers, which grow with what is read.

    Where most of the first texts differ, numbers would take more than the texts: these are held.
    """

    def __init__(self) -> None:
        self._number: dict[str | None, int] = {}
        self._parts: list[NDArray[np.unsignedinteger]] = []
        self._texts: list[pl.Series] = []

    def add(self, texts: pl.Series) -> None:
        """Take further texts."""
        if self._texts or (not self._parts and 2 * texts.n_unique() > len(texts)):
            self._texts.append(texts)
            return
        own = as_codes(texts)
        assert isinstance(own.dtype, pl.Enum)
        labels = [*own.dtype.categories.to_list(), *[None] * bool(own.null_count())]
        number = [self._number.setdefault(label, len(self._number)) for label in labels]
        kind = np.min_scalar_type(max(number, default=0))
        codes = own.to_physical().fill_null(len(own.dtype.categories)).to_numpy()
        self._parts.append(np.array(number, kind)[codes])

    def column(self, name: str, tidied: Callable[[pl.Series], pl.Series]) -> pl.Series:
        """All of them, tidied."""
        if self._texts:
            return tidied(pl.concat(self._texts).alias(name))
        labels = tidied(pl.Series(name, list(self._number), pl.String))
        codes = pl.Series(np.concatenate(self._parts).astype(np.uint32))
        return labels.cast(pl.Enum(labels.unique().drop_nulls().sort())).gather(codes)


def _tidied(texts: pl.Series, *, exact: bool, points: bool) -> pl.Series:
    """Texts of a column as cells: without blanks and as numbers are written, unless exactly."""
    frame = texts.to_frame() if exact else _tidy(texts.to_frame())
    frame = with_decimal_points(frame) if points else frame
    return (frame if exact else with_whole_numbers(frame)).to_series()


def opened(path: Path) -> IO[bytes]:
    """A file, unpacked while it is read."""
    file: IO[bytes] = PACKED.get(path.suffix.lower(), functools.partial(open, mode="rb"))(path)
    return file


def bytes_of(path: Path, *, separator: bytes | None = None, cells: bool = False) -> bytes:
    """What is in a file, unpacked.

    A file that will not fit is refused by its beginning: what that takes, times how much longer
    the whole file is, packed or not. Where a limit is near, it is read until it is reached.

    Arguments:
        path: the file.
        separator: between the cells of a table; detected where not given.
        cells: whether it is a table, each cell of which takes memory.

    Raises:
        DataError: it cannot be read, or takes more memory than it may.
    """
    blocks: list[bytes] = []
    taken = size = 0
    try:
        whole, limit = path.stat().st_size, memory.allowed()
        memory.require(memory.OF_BYTES * whole, path.name)
        unpack = PACKED.get(path.suffix.lower())
        with path.open("rb") as packed, unpack(packed) if unpack else nullcontext(packed) as file:
            while block := file.read(_BLOCK):
                if cells and not blocks:
                    separator = separator or _separator_of(block)
                size += len(block)
                taken += memory.OF_BYTES * len(block)
                if cells:
                    found = _times(block, separator or b",") + _times(block, b"\n")
                    taken += memory.OF_CELLS * found
                expected = taken * max(whole / max(packed.tell(), 1), 1)
                needed = expected if expected > SURELY * limit else taken
                if needed > limit and size > TIGHTEST * packed.tell():
                    raise too_tight(path.name, expected, limit)
                memory.require(needed, path.name)
                blocks.append(block)
    except BROKEN as error:
        raise broken(path.name, "the file cannot be read", error) from None
    return b"".join(blocks)


def _times(data: bytes, sought: bytes) -> int:
    """How often something is in a file: single bytes by blocks, as they may be every tenth."""
    if len(sought) != 1:
        return data.count(sought)
    held = np.frombuffer(data, np.uint8)
    blocks = (held[at : at + _BLOCK] for at in range(0, len(held), _BLOCK))
    return sum(int(np.count_nonzero(block == sought[0])) for block in blocks)


def too_tight(name: str, needed: float, limit: float) -> DataError:
    """That a file is packed as no table is, and takes more memory than it may."""
    return DataError(
        "packed-too-tightly",
        f"the file is packed to less than 1/{TIGHTEST} of its size, as tables hardly are: unpacked "
        f"it takes {memory.in_words(needed)} or more, and may take {memory.in_words(limit)}",
        file=name,
        remedy="look where it comes from; if it is what it should be, unpack it first, or give it "
        f"more memory (--max-memory, or {memory.VARIABLE}; --memory with --engine)",
    )


def _separator_of(start: bytes) -> bytes:
    """The separator of a table, by the bytes that it begins with, in any encoding."""
    try:
        found = detect_dialect(start[:SAMPLE].decode("latin-1"), whole=False).separator
    except csv.Error:
        found = ","
    return found.encode("latin-1")


def refuse_dialect(
    name: str, separator: str | None, quote: str | None, encoding: str | None
) -> None:
    """Raise for a separator or quote of several characters, and for an unknown encoding."""
    problems = Problems()
    if separator is not None and (len(separator) != 1 or separator in '\r\n"'):
        problems.add(
            "bad-separator",
            f"a separator is one character, not {separator!r}",
            file=name,
            remedy='choose one, such as separator = ";"',
        )
    if quote and (len(quote) != 1 or quote in "\r\n"):
        problems.add("bad-quote", f"a quote is one character, not {quote!r}", file=name)
    if encoding is not None and not is_of_files(encoding):
        problems.add("unknown-encoding", no_encoding(encoding), file=name)
    refuse(DataError, problems)


def _utf8(data: bytes, encoding: str | None, name: str) -> bytes:
    """The bytes of a file as UTF-8 without a mark, with line feeds at the ends of its lines."""
    found, mark = detect_encoding(data)
    wanted = codecs.lookup(encoding or found or "utf-8").name
    if mark and (encoding is None or wanted.startswith(("utf-", "utf_"))):
        data, wanted = data[mark:], found or wanted
    if wanted != "utf-8":
        try:
            data = data.decode(wanted).encode("utf-8")
        except (UnicodeError, ValueError) as error:
            raise _undecodable(data, error, wanted, name, 0) from None
    if b"\n" not in data[: 4 * SAMPLE] and b"\r" in data[: 4 * SAMPLE] and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    return data


def _read_fast(
    body: bytes, columns: Sequence[str], dialect: Dialect, quoted: bool
) -> pl.DataFrame | None:
    """The records by Polars, or None where the careful reader should have a look."""
    separator, quote = dialect.separator.encode(), (dialect.quote or "").encode()
    if len(separator) > 1 or len(quote) > 1:
        return None
    if _lone_returns(body) or body.startswith(codecs.BOM_UTF8):
        return None
    try:
        frame = pl.read_csv(
            body,
            has_header=False,
            schema=dict.fromkeys(columns, pl.String),
            separator=dialect.separator,
            quote_char=dialect.quote,
        )
    except pl.exceptions.PolarsError:
        return None
    inside = 0
    if quoted:
        for column in _columns_with(frame, pl.all().str.contains(dialect.separator, literal=True)):
            inside += int(frame[column].str.count_matches(dialect.separator, literal=True).sum())
        within = _columns_with(frame, pl.all().str.contains(quote.decode(), literal=True))
        if within and _unusual_quotes(body, separator, quote):
            return None
    expected = frame.height * (len(columns) - 1)
    return frame if _times(body, separator) - inside == expected else None


def _lone_returns(body: bytes) -> bool:
    return b"\r" in body and body.count(b"\r") != body.count(b"\r\n")


def _unusual_quotes(body: bytes, separator: bytes, quote: bytes) -> bool:
    """Whether a quote stands where none is expected: not at an end of a cell, and not doubled."""
    ends = np.zeros(256, bool)
    ends[np.frombuffer(separator + quote + b"\r\n", np.uint8)] = True
    blank = np.zeros(256, bool)
    blank[np.frombuffer(b" \t", np.uint8)] = True
    data = np.frombuffer(b"\n" + body + b"\n", np.uint8)
    for start in range(1, len(data) - 1, _BLOCK):
        block = data[start : min(start + _BLOCK, len(data) - 1)]
        places = np.flatnonzero(block == quote[0]) + start
        before, after = data[places - 1], data[places + 1]
        if not (ends[before] | ends[after]).all() or (blank[before] | blank[after]).any():
            return True
    return body.count(quote) % 2 == 1


def _read_carefully(
    body: bytes, columns: Sequence[str], dialect: Dialect, name: str, lines_before: int
) -> pl.DataFrame:
    """The records by Python's reader; raises with all that are ragged."""
    try:
        text = body.decode("utf-8")
    except UnicodeError as error:
        raise _undecodable(body, error, "utf-8", name, lines_before) from None
    lines = _Lines(text)
    width = len(columns)
    chunks: list[pl.DataFrame] = []
    ragged: list[tuple[int, int, int]] = []
    number = 0

    def sound() -> Iterator[list[str]]:
        nonlocal number
        for row in records(lines, dialect):
            line = lines.take()
            if width > 1 and len(row) <= 1 and not "".join(row).strip():
                continue
            number += 1
            if len(row) == width or (width == 1 and not row):
                yield row or [""]
            else:
                ragged.append((number, line + lines_before, len(row)))

    schema = dict.fromkeys(columns, pl.String)
    rows = sound()
    limit = csv.field_size_limit(len(text))  # no cell is longer
    try:
        while chunk := list(itertools.islice(rows, _CHUNK)):
            cells = dict(zip(columns, zip(*chunk, strict=True), strict=True))
            chunks.append(pl.DataFrame(cells, schema=schema))
    finally:
        csv.field_size_limit(limit)
    if lines.unclosed(dialect):
        raise DataError(unclosed(lines.last + lines_before, name))
    if ragged:
        raise DataError(_ragged(ragged, width, name))
    return pl.concat(chunks, rechunk=True) if chunks else pl.DataFrame(schema=schema)


def _read_exactly(body: bytes, columns: Sequence[str], dialect: Dialect) -> pl.DataFrame | None:
    """The records with every blank, and quoted empty cells told from missing ones.

    Python's reader tells neither. None where the file is not plainly written: where records are
    ragged, or a quote is not closed.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeError:
        return None
    separator, quote = re.escape(dialect.separator), re.escape(dialect.quote or "")
    quoted = rf"{quote}([^{quote}]*(?:{quote}{quote}[^{quote}]*)*){quote}" if quote else "(?!)()"
    pattern = re.compile(rf"(?:{quoted})?([^{separator}\r\n]*)({separator}|\r\n|\r|\n|\Z)")
    width = len(columns)
    rows: list[list[str | None]] = []
    row: list[str | None] = []
    for found in pattern.finditer(text):
        inner, plain, end = found.groups()
        if inner is None and quote and plain.lstrip().startswith(str(dialect.quote)):
            return None
        if end == "" and not plain and inner is None and not row:
            break  # the end of the file, after that of its last line
        double = 2 * (dialect.quote or "")
        row.append(plain or None if inner is None else inner.replace(double, double[:1]) + plain)
        if end == dialect.separator:
            continue
        if len(row) == width:
            rows.append(row)
        elif len(row) > 1 or (row[0] or "").strip():
            return None
        row = []
        if end == "":
            break
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


class _Lines:
    """The lines of a text, which remembers what a record was made of."""

    def __init__(self, text: str) -> None:
        self._lines = io.StringIO(text, newline="")
        self._number = 0
        self._first = 1
        self._read: list[str] = []
        self.last = 0
        self._raw: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._number += 1
        self._read.append(line)
        return line

    def take(self) -> int:
        """The number of the first line of the record that was just read."""
        self.last, self._first = self._first, self._number + 1
        self._raw, self._read = self._read, []
        return self.last

    def unclosed(self, dialect: Dialect) -> bool:
        """Whether the last record ends inside of quotes."""
        if not dialect.quote:
            return False
        raw = "".join(self._raw)
        opened = any(
            cell.lstrip().startswith(dialect.quote)
            for line in self._raw[:1]
            for cell in line.split(dialect.separator)
        )
        return opened and raw.count(dialect.quote) % 2 == 1


def unclosed(line: int, name: str) -> Problem:
    """That a quote is opened and not closed."""
    return Problem(
        "unclosed-quote",
        f"a quote that is opened on line {line} is not closed within reason",
        file=name,
        remedy='close it, or write quote = "" if quotes have no meaning in this file',
    )


def _ragged(found: Sequence[tuple[int, int, int]], width: int, name: str) -> Problem:
    shown = ", ".join(f"line {line} has {cells}" for _, line, cells in found[:ROWS_SHOWN])
    more = f", and {len(found) - ROWS_SHOWN} more" if len(found) > ROWS_SHOWN else ""
    widths = {cells for _, _, cells in found}
    titled = len(found) > 1 and len(widths) == 1 and min(widths) > 2 * width
    return Problem(
        "ragged-records",
        f"the header has {width} cell{'s' * (width != 1)}, but {shown}{more}",
        file=name,
        rows=tuple(number for number, _, _ in found),
        remedy=f"if line {found[0][1]} has the names of the columns, say how many stand above it: "
        f"skip_rows = {found[0][1] - 1} under [source], init --skip-rows {found[0][1] - 1}"
        if titled
        else "correct these lines; if many are wrong, give the file's separator and quote",
    )


def _undecodable(
    data: bytes, error: ValueError, encoding: str, name: str, lines_before: int
) -> DataError:
    place = ""
    if isinstance(error, UnicodeDecodeError):
        line = data.count(b"\n", 0, error.start) + 1 + lines_before
        place = f": line {line} has bytes that are not valid in it"
    return DataError(
        "undecodable",
        f"the file is not encoded in {encoding}{place}",
        file=name,
        remedy="name its encoding, such as latin-1 or windows-1252: --encoding latin-1 without "
        'a policy, encoding = "latin-1" under [source] with one',
    )


def _tidy(
    frame: pl.DataFrame, blanks: Iterable[str] = _BLANKS, *, has_empty: bool = True
) -> pl.DataFrame:
    """The cells without blanks around them, and with empty ones missing.

    ``blanks`` are those that occur at all, and ``has_empty`` says whether there may be cells that
    are empty and not yet missing.
    """
    text = [column for column, kind in frame.schema.items() if kind == pl.String]
    ends = [
        pl.col(text).str.starts_with(blank) | pl.col(text).str.ends_with(blank) for blank in blanks
    ]
    loose = _columns_with(frame, functools.reduce(operator.or_, ends)) if ends else []
    stripped = frame.with_columns(pl.col(loose).str.strip_chars(_BLANKS))
    empty = _columns_with(stripped, pl.col(text if has_empty else loose) == "")
    return stripped.with_columns(
        pl.when(pl.col(column) != "").then(pl.col(column)).alias(column) for column in empty
    )


def _columns_with(frame: pl.DataFrame, test: pl.Expr) -> list[str]:
    """The columns with at least one cell of which the test is true."""
    found = frame.select(test.any())
    return [values.name for values in found.get_columns() if values.item()]


# Other files -----------------------------------------------------------------------------------


def _read_parquet(path: Path) -> pl.DataFrame:
    try:
        seen = pl.scan_parquet(path, glob=False)
        cells = seen.select(pl.len()).collect().item() * len(seen.collect_schema())
        memory.require(memory.OF_CELLS * cells, path.name)
        return pl.read_parquet(path, glob=False)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise broken(path.name, "this is not a Parquet file", error) from None
    except pl.exceptions.PanicException as error:  # a BaseException, over a damaged column
        raise broken(path.name, "this Parquet file is damaged", error) from None


def _read_excel(path: Path, sheet: str | None, skip_rows: int) -> pl.DataFrame:
    name = path.name
    try:
        import fastexcel
    except ImportError:
        raise DataError(
            "missing-extra",
            "reading Excel files needs another package",
            file=name,
            remedy='pip install "indistinct[excel]"',
        ) from None
    # It warns of columns without a name, and so does the table.
    logging.getLogger("fastexcel").setLevel(logging.ERROR)
    try:
        require_unpacked(path)
        sheets = fastexcel.read_excel(path).sheet_names
        sheet = sheets[0] if sheet is None and sheets else sheet
        if sheet not in sheets:
            raise DataError(
                "unknown-sheet",
                f"no sheet '{sheet}': {did_you_mean(str(sheet), sheets)}",
                file=name,
            )
        require_room(path, str(sheet))
        settings: Plain = {"sheet_name": sheet, "raise_if_empty": False}
        above: Plain = {"skip_rows": skip_rows} if skip_rows else {}
        try:
            only: Plain = {"n_rows": 1, **above}
            top = pl.read_excel(path, has_header=False, read_options=only, **settings)
        except fastexcel.InvalidParametersError:  # fewer rows than are to be passed over
            raise too_few_rows(skip_rows, name) from None
        names = [str(cell or "").strip() for cell in (top.row(0) if top.height else ())]
        names = until_seen(names, name)
        below: Plain = {"read_options": {"header_row": skip_rows}} if skip_rows else {}
        settings |= {**below, "drop_empty_cols": False, "infer_schema_length": None}
        frame = pl.read_excel(path, **settings)
    except (pl.exceptions.PolarsError, fastexcel.FastExcelError) as error:
        raise broken(name, "this is not a readable Excel file", error) from None
    if frame.width == len(names):
        frame.columns = names
    elif any(column.startswith(NAMELESS) for column in names):
        without_nameless(names, names, name)
    # Days beside a text are moments to the library; one text must not change how days are spelt.
    texts = pl.col(pl.String).str.replace(r"^(\d{4}-\d\d-\d\d) 00:00:00$", "$1")
    return _tidy(frame.with_columns(texts))


def _read_database(path: Path, query: str) -> pl.DataFrame:
    import sqlite3

    if path.suffix.lower() == ".duckdb":
        require_duckdb(path.name)
        import duckdb

        try:
            with duckdb.connect(str(path), read_only=True) as connection:
                frame: pl.DataFrame = connection.sql(query).pl()
                return frame
        except duckdb.Error as error:
            raise broken(path.name, "the query cannot be answered", error, QUERY) from None
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as held:
            return pl.read_database(query, held, infer_schema_length=None)
    except (sqlite3.Error, pl.exceptions.PolarsError) as error:
        raise broken(path.name, "the query cannot be answered", error, QUERY) from None


def broken(name: str, message: str, error: BaseException, remedy: str = DAMAGED) -> DataError:
    """A refusal by a library, without its words: they may quote a cell."""
    kind = type(error).__name__
    return DataError("unreadable-file", f"{message} ({kind})", file=name, remedy=remedy)
