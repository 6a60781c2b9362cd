"""Tables in files: read whole, or refused with all reasons."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import polars as pl

from indistinct.errors import DataError, Problem, refuse
from indistinct.sources import postgres
from indistinct.sources.csv_records import with_names
from indistinct.sources.file_kind import Reading, refuse_unreadable
from indistinct.sources.headers import header_problems
from indistinct.sources.table import name_problems
from indistinct.sources.unchanged import unchanged
from indistinct.types import Plain


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
    labels: bool | None = None,
    allow_empty: bool = False,
    exact: bool = False,
    coded: Collection[str] | bool = False,
) -> pl.DataFrame:
    """The table in a file.

    A CSV file comes back as text: blanks around a cell are stripped, an empty cell is missing.
    Other files keep their types.

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
        labels: Of a file of Stata, SPSS or SAS: false for its numbers where it has words for them.
        allow_empty: Accept a table without records.
        exact: Leave the cells of a CSV file as they are: blanks around them stay, and a quoted
            empty cell is an empty text.
        coded: The columns of a large CSV file that are needed, or all: if it is plainly written,
            it is read in parts, its texts are held as codes, and other columns are empty. In a
            Parquet file of many records the few texts of a column are held as codes then.

    Raises:
        DataError: With everything that is wrong with the file, and no value of any cell; or it
            changed meanwhile.
    """
    if postgres.is_address(path):
        said: Plain = {"separator": separator, "quote": quote, "encoding": encoding, "sheet": sheet}
        said |= {"skip_rows": skip_rows, "decimal": decimal, "labels": labels}
        return postgres.open_in_server(path, query, **said, header=header).frame()
    path = Path(path)
    how = Reading(
        separator=separator,
        quote=quote,
        encoding=encoding,
        sheet=sheet,
        query=query,
        header=header,
        skip_rows=skip_rows,
        decimal=decimal,
        labels=labels,
        exact=exact,
        coded=coded,
    )
    kind = refuse_unreadable(path, how)
    with unchanged(path):
        frame = kind.table(path, how)
    frame = with_names(frame, path.name)
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
        problems = header_problems(frame, path.name, csv="header" in kind.takes)
    refuse(DataError, problems)
    return frame
