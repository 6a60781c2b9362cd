"""The records of a CSV file, which stand below its head.

They are read by Polars on all cores, as text. Polars fills up records that are too short and does
not say so; the number of separators in the file gives them away. Whatever is suspicious is read
again by a careful reader, which finds the records that are ragged, passes over blank lines, and
understands blanks in front of a quote.
"""

from __future__ import annotations

import codecs
import csv
import functools
import io
import itertools
import operator
import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import polars as pl

from indistinct.errors import ROWS_SHOWN, DataError, Problem
from indistinct.sources.csv_head import unclosed, undecodable
from indistinct.sources.dialect import Dialect, records
from indistinct.sources.packed import times_in
from indistinct.sources.table import NAMELESS, without_nameless

BLANKS = " \t\r\n"

_BLOCK = 1 << 22

_CHUNK = 50_000


def read_fast(
    body: bytes, columns: Sequence[str], dialect: Dialect, quoted: bool
) -> pl.DataFrame | None:
    """The records by Polars, or None where the careful reader should have a look.

    Arguments:
        body: records of the file, whole ones, in UTF-8.
        columns: the names of the columns.
        dialect: how cells are told apart.
        quoted: whether a quote occurs in it.
    """
    separator, quote = dialect.separator.encode(), (dialect.quote or "").encode()
    if len(separator) > 1 or len(quote) > 1:
        return None
    if lone_returns(body) or body.startswith(codecs.BOM_UTF8):
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
    return frame if times_in(body, separator) - inside == expected else None


def lone_returns(body: bytes) -> bool:
    """Whether a carriage return stands without a line feed behind it."""
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


def read_carefully(
    body: bytes, columns: Sequence[str], dialect: Dialect, name: str, lines_before: int
) -> pl.DataFrame:
    """The records by Python's reader; raises with all that are ragged.

    Arguments:
        body: the file after its header, in UTF-8.
        columns: the names of the columns.
        dialect: how cells are told apart.
        name: what messages call the file.
        lines_before: how many lines of the file stand before these bytes.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeError as error:
        raise undecodable(body, error, "utf-8", name, lines_before) from None
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


def read_exactly(body: bytes, columns: Sequence[str], dialect: Dialect) -> pl.DataFrame | None:
    """The records with every blank, and quoted empty cells told from missing ones.

    Python's reader tells neither. None where the file is not plainly written: where records are
    ragged, or a quote is not closed.

    Arguments:
        body: the file after its header, in UTF-8.
        columns: the names of the columns.
        dialect: how cells are told apart.
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


def with_names(frame: pl.DataFrame, name: str) -> pl.DataFrame:
    """A table without columns that have neither a name nor a cell.

    Raises:
        DataError: a column has cells and no name.
    """
    nameless = [column for column in frame.columns if column.startswith(NAMELESS)]
    texts = [frame[column].cast(pl.String).str.strip_chars(BLANKS) for column in nameless]
    filled = [text.name for text in texts if (text != "").any()]
    return frame.select(without_nameless(frame.columns, filled, name)) if nameless else frame


def tidy(
    frame: pl.DataFrame, blanks: Iterable[str] = BLANKS, *, has_empty: bool = True
) -> pl.DataFrame:
    """The cells without blanks around them, and with empty ones missing.

    Arguments:
        frame: the cells; columns that are no texts stay as they are.
        blanks: those that occur at all.
        has_empty: whether there may be cells that are empty and not yet missing.
    """
    text = [column for column, kind in frame.schema.items() if kind == pl.String]
    ends = [
        pl.col(text).str.starts_with(blank) | pl.col(text).str.ends_with(blank) for blank in blanks
    ]
    loose = _columns_with(frame, functools.reduce(operator.or_, ends)) if ends else []
    stripped = frame.with_columns(pl.col(loose).str.strip_chars(BLANKS))
    empty = _columns_with(stripped, pl.col(text if has_empty else loose) == "")
    return stripped.with_columns(
        pl.when(pl.col(column) != "").then(pl.col(column)).alias(column) for column in empty
    )


def _columns_with(frame: pl.DataFrame, test: pl.Expr) -> list[str]:
    """The columns with at least one cell of which the test is true."""
    found = frame.select(test.any())
    return [values.name for values in found.get_columns() if values.item()]
