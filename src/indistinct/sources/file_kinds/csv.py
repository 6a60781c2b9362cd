"""CSV files: records of texts in any encoding, packed or not."""

from __future__ import annotations

import codecs
import functools
import re
from contextlib import suppress
from pathlib import Path

import polars as pl

from indistinct.sources import memory
from indistinct.sources.csv_head import head_in_bytes, refuse_dialect, separator_of, undecodable
from indistinct.sources.csv_parts import LARGE, read_in_parts
from indistinct.sources.csv_records import (
    BLANKS,
    lone_returns,
    read_carefully,
    read_exactly,
    read_fast,
    tidy,
)
from indistinct.sources.dialect import SAMPLE, Layout, detect_encoding
from indistinct.sources.file_kind import FileKind, Reading
from indistinct.sources.packed import BROKEN, PACKED, bytes_of, times_in
from indistinct.sources.text import with_decimal_points, with_whole_numbers

_BLANK_LINE = re.compile(rb"^[ \t\r]*\n", re.MULTILINE)


class CsvFile(FileKind):
    """A CSV file, which comes back as text: an empty cell is missing.

    Blanks around a cell are stripped, unless it is read exactly.
    """

    name = "csv"
    title = "a CSV file"
    endings = (".csv", ".tsv", ".tab", ".txt", ".data", ".dat")
    takes = frozenset({"separator", "quote", "encoding", "header", "skip_rows", "decimal"})
    packed = True

    def read(self, path: Path, how: Reading) -> pl.DataFrame:
        """The records, in parts where the file is large and plainly written."""
        refuse_dialect(path.name, how.separator, how.quote, how.encoding)
        separator = separator_of(path, how.separator)
        layout = Layout(separator, how.quote, how.header, how.skip_rows or 0)
        packed = path.suffix.lower() in PACKED
        if how.coded is not False and not packed and path.stat().st_size >= LARGE:
            told = functools.partial(head_in_bytes, name=path.name, layout=layout)
            cells = functools.partial(_cells, how=how)
            with suppress(*BROKEN):  # what is wrong is told by those who read it at once
                held = read_in_parts(path, how.encoding, told, how.coded, cells)
                if held is not None:
                    return held
        known = None if separator is None else separator.encode()
        return _records(
            _utf8(bytes_of(path, separator=known, cells=True), how.encoding, path.name),
            layout,
            how,
            path.name,
        )


def _records(data: bytes, layout: Layout, how: Reading, name: str) -> pl.DataFrame:
    """The records of a whole file."""
    columns, dialect, head = head_in_bytes(data, name, layout)
    body = data[len(head.encode()) :]
    del data
    if body.endswith((b"\n\n", b"\n\r\n")) or body in (b"\n", b"\r\n"):
        body = body.rstrip(b"\r\n")
    if not body:
        return pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    ends = times_in(body, b"\n")
    cells = times_in(body, dialect.separator.encode()) + ends
    memory.require(memory.OF_BYTES * len(body) + memory.OF_CELLS * cells, name)
    quoted = dialect.quote is not None and dialect.quote.encode() in body
    frame = read_fast(body, columns, dialect, quoted)
    if frame is None and not quoted and len(columns) > 1:
        dense = _BLANK_LINE.sub(b"", body)
        frame = read_fast(dense, columns, dialect, quoted) if len(dense) < len(body) else None
    if frame is None and how.exact:
        frame = read_exactly(body, columns, dialect)
    if frame is None:
        frame = tidy(read_carefully(body, columns, dialect, name, head.count("\n")), ())
    lines = ends + (not body.endswith(b"\n"))
    within = quoted and (lines > frame.height or lone_returns(body))
    blanks = [one for one in (BLANKS if within else " \t") if one.encode() in body]
    return _as_said(frame if how.exact else tidy(frame, blanks, has_empty=quoted), how)


def _cells(texts: pl.Series, how: Reading) -> pl.Series:
    """The cells of a column of texts."""
    frame = texts.to_frame()
    return _as_said(frame if how.exact else tidy(frame), how).to_series()


def _as_said(frame: pl.DataFrame, how: Reading) -> pl.DataFrame:
    """Texts without blanks, as numbers are written, unless they are left exactly as they are."""
    frame = with_decimal_points(frame) if how.decimal == "," else frame
    return frame if how.exact else with_whole_numbers(frame)


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
            raise undecodable(data, error, wanted, name, 0) from None
    if b"\n" not in data[: 4 * SAMPLE] and b"\r" in data[: 4 * SAMPLE] and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    return data
