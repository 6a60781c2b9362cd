"""Rows above the names of the columns, such as a title, as exports of spreadsheets have them."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from indistinct.errors import DataError
from indistinct.sources.dialect import SAMPLE, Dialect, detect_dialect, detect_encoding, records
from indistinct.sources.files import BROKEN, CSV, EXCEL, PACKED, opened
from indistinct.sources.table import quantities

_LOOKED = 40
"""So many rows are looked at."""


def rows_above(path: str | Path, **said: Any) -> int:
    """How many rows stand above the names of a table's columns; 0 where that is not plain.

    Arguments:
        path: a CSV file or a workbook; of others the answer is 0.
        said: how it is read: ``separator``, ``quote``, ``encoding``, ``header``, ``sheet``.
    """
    path = Path(path)
    ending = path.suffix.lower()
    ending = Path(path.stem).suffix.lower() if ending in PACKED else ending
    if said.get("header") is not None or not path.is_file():
        return 0
    try:
        if ending in CSV:
            return _above(*_lines(path, **said))
        return _above(*_cells(path, said.get("sheet"))) if ending in EXCEL else 0
    except (DataError, UnicodeError, LookupError, csv.Error, *BROKEN):
        return 0  # those who read the table say what is wrong


def _above(rows: Sequence[Sequence[str]], starts: Sequence[int]) -> int:
    """Where the names stand below rows of few cells, if they do.

    Arguments:
        rows: the first rows.
        starts: how many lines or rows of the file stand above each of them.

    >>> _above([["Report of 2024"], [], ["age", "sex"], ["34", "f"], ["51", "m"]], range(5))
    2
    >>> _above([["age", "sex"], ["34", "f"]], range(2))
    0
    """
    filled = [sum(map(bool, row)) for row in rows]
    widths = Counter(len(row) for row, cells in zip(rows, filled, strict=True) if cells)
    width = max(widths, key=lambda one: (widths[one], one), default=0)
    if width < 2:
        return 0
    for at, row in enumerate(rows):
        if len(row) == width and filled[at] == width:
            plain = len(set(row)) == width and not quantities(row)
            few = all(2 * cells <= width for cells in filled[:at])
            written = at and any(filled[:at]) and filled[at + 1 :]
            return starts[at] if written and plain and few else 0
        if 2 * filled[at] > width:
            return 0
    return 0


def _lines(path: Path, **said: Any) -> tuple[list[list[str]], list[int]]:
    """The first records of a CSV file, and how many lines stand above each."""
    with opened(path) as file:
        data = file.read(SAMPLE)
    found, mark = detect_encoding(data)
    text = data[mark:].decode(said.get("encoding") or found or "utf-8", "ignore")
    separator = said.get("separator")
    if separator is None and path.suffix.lower() in (".tsv", ".tab"):
        separator = "\t"
    dialect = detect_dialect(text, separator=separator, quote=said.get("quote"))
    return _records(io.StringIO(text, newline=""), dialect)


def _records(lines: Iterable[str], dialect: Dialect) -> tuple[list[list[str]], list[int]]:
    rows: list[list[str]] = []
    starts: list[int] = []
    taken = 0

    def told() -> Any:
        nonlocal taken
        for line in lines:
            taken += 1
            yield line

    start = 0
    for row in records(told(), dialect):
        rows.append([cell.strip() for cell in row])
        starts.append(start)
        start = taken
        if len(rows) == _LOOKED:
            break
    return rows, starts


def _cells(path: Path, sheet: str | None) -> tuple[list[list[str]], list[int]]:
    """The first rows of a sheet."""
    try:
        import fastexcel
    except ImportError:
        return [], []
    try:
        book = fastexcel.read_excel(path)
        frame = book.load_sheet(
            sheet or 0, header_row=None, skip_rows=0, n_rows=_LOOKED, dtypes="string"
        ).to_polars()
    except (pl.exceptions.PolarsError, fastexcel.FastExcelError):
        return [], []
    rows = [[(cell or "").strip() for cell in row] for row in frame.rows()]
    return rows, list(range(len(rows)))
