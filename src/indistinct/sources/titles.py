"""What a file has around its table: rows above the names, columns without one, titles."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl

from indistinct.document import first_names
from indistinct.errors import DataError
from indistinct.sources.csv_head import refuse_dialect, separator_of
from indistinct.sources.dialect import (
    SAMPLE,
    Dialect,
    detect_dialect,
    detect_encoding,
    names_of,
    records,
)
from indistinct.sources.file_kind import Reading, kind_of
from indistinct.sources.packed import BROKEN, opened
from indistinct.sources.table import quantities
from indistinct.sources.workbook import hidden_in
from indistinct.types import PlainMapping

_LOOKED = 40
"""So many rows are looked at."""

_LAST, _MOST_BELOW, _NARROWEST = 1_000, 10, 3
"""So many of the last records are looked at, of which so many may be below the table, of so many
columns at least."""

_SHOWN = 10
"""So many columns without a name are numbered in a message."""


def rows_above(path: str | Path, **said: Any) -> int:
    """How many rows stand above the names of a table's columns; 0 where that is not plain.

    Arguments:
        path: a CSV file or a workbook; of others the answer is 0.
        said: how it is read: ``separator``, ``quote``, ``encoding``, ``header``, ``sheet``.
    """
    return 0 if said.get("header") is not None else _above(*_first_rows(Path(path), said))


def notes_of_file(path: str | Path, table: object = None, **said: Any) -> tuple[str, ...]:
    """What of a file is not in the table that was read from it, or not as it is shown.

    Arguments:
        path: the file.
        table: what was read from it, if it is at hand.
        said: how it was read: ``separator``, ``header``, ``skip_rows``, ``sheet`` and others.
    """
    path = Path(path)
    hidden = hidden_in(path, said.get("sheet"))
    first, *others = [said["sheet"]] if said.get("sheet") else sheets_of(path) or [""]
    if others:
        hidden += (
            f"sheet '{first}' is read, the first of the workbook: if the table is in another one, "
            f"name it (--sheet, or sheet under [source]): {first_names(others)}",
        )
    if isinstance(table, pl.DataFrame) and (few := rows_below(table)):
        hidden += (
            f"{_last(few)} nearly empty, and no other is: delete what is a sum or a note below "
            "the table and no record",
        )
    rows, starts = ([], []) if said.get("header") is False else _first_rows(path, said)
    above = said.get("skip_rows") or 0
    below = (row for row, start in zip(rows, starts, strict=True) if start >= above and row)
    empty = [at for at, name in enumerate(names_of(next(below, [])), start=1) if not name]
    if not empty:
        return hidden
    which = f"column{'s' * (len(empty) > 1)} {', '.join(map(str, empty[:_SHOWN]))}"
    more = f" and {len(empty) - _SHOWN} more" * (len(empty) > _SHOWN)
    return (
        *hidden,
        f"{which}{more} of the file {'have' if empty[1:] else 'has'} neither a name nor a value, "
        "as where each line ends with a separator: left out",
    )


def rows_below(table: pl.DataFrame) -> int:
    """How many of the last records have few cells, as sums and notes below a table do.

    All records before them have more: of the last thousand, which are looked at.

    >>> people = {"age": [34, 51, 28] * 4, "sex": ["f", "m", "m"] * 4, "city": ["Bonn"] * 12}
    >>> sums = {"age": [None, None], "sex": ["Mean: 37.7", None], "city": [None, "* as of May"]}
    >>> table = pl.DataFrame(people)
    >>> rows_below(table), rows_below(pl.concat([table, pl.DataFrame(sums, table.schema)]))
    (0, 2)
    """
    filled = table.tail(_LAST).select(pl.sum_horizontal(pl.all().is_not_null())).to_series()
    few = 2 * filled <= table.width
    full = few.reverse().arg_min() or 0
    below = full if table.width >= _NARROWEST and full <= _MOST_BELOW else 0
    return below if below and int(few.sum()) == below and len(few) > 2 * below else 0


def _last(rows: int) -> str:
    return f"the last {rows} records" + " are" if rows > 1 else "the last record is"


def titles_of_file(path: str | Path, **said: Any) -> dict[str, str]:
    """What a file calls some of its columns in words; nothing of most kinds, or if it is damaged.

    Arguments:
        path: the file.
        said: how it is read: ``encoding`` and others.
    """
    path = Path(path)
    kind = kind_of(path) if path.is_file() else None
    with suppress(DataError):  # those who read the table say what is wrong
        return {} if kind is None else kind.titles(path, Reading(**said))
    return {}


def sheets_of(path: str | Path) -> list[str]:
    """The names of the sheets of a workbook; nothing of other files, or if it is damaged."""
    path = Path(path)
    kind = kind_of(path) if path.is_file() else None
    if kind is None or kind.name != "excel":
        return []
    try:
        import fastexcel
    except ImportError:
        return []
    try:
        return list(fastexcel.read_excel(path).sheet_names)
    except fastexcel.FastExcelError:  # those who read the table say what is wrong
        return []


def _first_rows(path: Path, said: PlainMapping) -> tuple[list[list[str]], list[int]]:
    """The first rows of a CSV file or a workbook, and how many stand above each; none of others."""
    kind = kind_of(path) if path.is_file() else None
    try:
        if kind is not None and kind.name == "csv":
            return _lines(path, said)
        named = kind is not None and kind.name == "excel"
        return _cells(path, said.get("sheet")) if named else ([], [])
    except (DataError, UnicodeError, LookupError, csv.Error, *BROKEN):
        return [], []  # those who read the table say what is wrong


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


def _lines(path: Path, said: PlainMapping) -> tuple[list[list[str]], list[int]]:
    """The first records of a CSV file, and how many lines stand above each."""
    quote, encoding = said.get("quote"), said.get("encoding")
    refuse_dialect(path.name, said.get("separator"), quote, encoding)
    with opened(path) as file:
        data = file.read(SAMPLE)
    found, mark = detect_encoding(data)
    text = data[mark:].decode(encoding or found or "utf-8", "ignore")
    separator = separator_of(path, said.get("separator"))
    dialect = detect_dialect(text, separator=separator, quote=quote)
    return _records(io.StringIO(text, newline=""), dialect)


def _records(lines: Iterable[str], dialect: Dialect) -> tuple[list[list[str]], list[int]]:
    rows: list[list[str]] = []
    starts: list[int] = []
    taken = 0

    def told() -> Iterator[str]:
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
