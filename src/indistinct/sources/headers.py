"""Names of columns that are the cells of a record: a table without a header was exported."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import polars as pl

from indistinct.errors import DataError, Problem
from indistinct.sources.table import column_names, quantities, quantity_values

_AGAIN = re.compile(r"(.*?)(?:\.|_|_duplicated_)\d+")
"""What readers make of a cell that stands in their header a second time."""


def header_problems(frame: pl.DataFrame, name: str, *, csv: bool = False) -> list[Problem]:
    """Whether names are a record: most of them are like values of their own columns.

    Published as the names of columns, it would give away the person it is about.

    Arguments:
        frame: the records, or the first of them and some with the name of a column as its value.
        name: what messages call the table.
        csv: whether it is a CSV file, which may be without a header.
    """
    texts = (pl.String, pl.Categorical, pl.Enum, pl.Boolean)
    text = [column for column, kind in frame.schema.items() if kind in texts]
    again = [column for column in text if _holds(frame[column], frame.columns)]
    numbers = _records_numbers(frame)
    like = {*again, *numbers}
    if not like or 2 * len(like) < frame.width or (len(like) < 2 and len(numbers) < frame.width):
        return []
    whole = frame.select(
        pl.all_horizontal(pl.col(one).cast(pl.String) == one for one in text)
    ).to_series()
    rows = tuple(int(row) + 1 for row in whole.arg_true()) if len(text) == frame.width else ()
    repeated = "; or, if it is the header, take out the rows that repeat it" if rows else ""
    share = f"are {'' if again else 'like '}values of their own columns"
    if csv:
        message = (
            f"the first line looks like a record and not like the names of columns: {len(like)} "
            f"of its {frame.width} cells {share}"
        )
        remedy = (
            "put a line with the columns' names above it; or say that there is none: "
            f"header = false under [source], init --no-header{repeated}; "
            "if it is one, header = true under [source]"
        )
    else:
        message = (
            "the names of the columns look like a record, as of a table that was exported without "
            f"a header: {len(like)} of {frame.width} {share}"
        )
        remedy = (
            f"name the columns{repeated}; if these are their names, header = true under [source]"
        )
    return [Problem("header-is-a-record", message, file=name, rows=rows, remedy=remedy)]


def believed_names(records: pl.DataFrame, name: str, *, csv: bool = False) -> tuple[str, ...]:
    """The names of a table's columns, by some of its records.

    Arguments:
        records: the first of them, and some with the name of a column as its value.
        name: what messages call the table.
        csv: whether it is a CSV file.

    Raises:
        DataError: they look like a record.
    """
    if problems := header_problems(records, name, csv=csv):
        raise DataError([replace(problem, rows=()) for problem in problems])
    return column_names(records)


def cells_of(name: str, names: Sequence[str]) -> list[str]:
    """The cells that a name may be: itself, and what it was before a reader made it different.

    >>> cells_of("no.1", ["P1", "no", "no.1"]), cells_of("v.1", ["v.1", "v.2"])
    (['no.1', 'no'], ['v.1'])
    """
    told = _AGAIN.fullmatch(name)
    return [name, *([told[1]] if told and told[1] in names else [])]


def _holds(values: pl.Series, names: Sequence[str]) -> bool:
    """Whether a column has its own name as a value."""
    own = cells_of(values.name, names)
    if values.dtype == pl.Boolean:
        own = [one.lower() for one in own]
    texts = values if values.dtype == pl.String else values.unique().cast(pl.String)
    return any((texts == one).any() for one in own)


def _records_numbers(frame: pl.DataFrame) -> list[str]:
    """The names of columns that are numbers or dates, as all values of their columns are.

    Numbers in a row, such as years, are names.
    """
    places = [frame.columns[at - 1] for at in quantities(frame.columns)]
    found = [one for one in places if _of_quantities(frame[one].drop_nulls().head(1000))]
    try:
        steps = {int(other) - int(one) for one, other in pairwise(found)}
    except ValueError:
        return found
    return [] if len(steps) == 1 and min(steps) > 0 else found


def _of_quantities(values: pl.Series) -> bool:
    """Whether nearly all of some values are numbers, dates or ranges."""
    if values.dtype in (pl.Object, pl.Binary) or values.dtype.is_nested():
        return False
    return quantity_values(values.cast(pl.String))
