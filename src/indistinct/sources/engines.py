"""Which engine holds a frame: the one place that knows them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from indistinct.errors import DataError, Problem, did_you_mean, refuse, shown_names
from indistinct.sources.arrow import require_duckdb
from indistinct.sources.duckdb_table import DuckDBTable
from indistinct.sources.eager import (
    ArrowTable,
    CountedTable,
    EagerTable,
    PandasTable,
    PolarsTable,
    published_rows,
)
from indistinct.sources.postgres import PostgresTable
from indistinct.sources.spark_table import SparkTable
from indistinct.sources.table import (
    Change,
    Table,
    is_arrow,
    is_duckdb,
    is_opened,
    is_pandas,
    is_spark,
    require_names,
    unwrapped,
)
from indistinct.sources.text import Coded, Tokens, as_codes, coded
from indistinct.types import Frame, Ints


def open_table(
    data: Frame,
    name: str = "table",
    *,
    missing_tokens: Tokens | None = None,
    allow_empty: bool = False,
) -> Table:
    """The table behind a frame of any supported engine.

    Arguments:
        data: A Polars, pandas or PyArrow frame, a DuckDB relation, a PySpark frame, or a Narwhals
            frame around one of them. It is never changed.
        name: What messages call it.
        missing_tokens: Texts that stand for a missing value, by column, such as ``{"age": ["?"]}``.
        allow_empty: Accept a table without records, such as a release that suppressed all of them.

    Raises:
        DataError: For something that is no such frame, for column names that are empty or occur
            twice, for a table without columns or records, and for tokens of an unknown column.
    """
    native = unwrapped(data)
    table = _open(native, name, dict(missing_tokens or {}))
    require_names(table.columns, name)
    columns = shown_names(table.columns, missing_tokens or {})
    problems = [
        Problem(
            "unknown-column",
            f"no column '{column}' to have missing tokens: {did_you_mean(column, columns)}",
            file=name,
        )
        for column in missing_tokens or {}
        if column not in table.columns
    ]
    if not problems and not allow_empty and table.height() == 0:
        problems.append(Problem("no-records", "the table has no records", file=name))
    refuse(DataError, problems)
    return table


def counted_table(frame: pl.DataFrame, times: pl.Series, name: str) -> Table:
    """Different rows, and how many records have each, as a table.

    Arguments:
        frame: the rows, [n].
        times: how many records have each, [n].
        name: what messages call the table.
    """
    return CountedTable(frame, times, name)


def _open(native: Frame, name: str, tokens: Tokens) -> Table:
    if isinstance(native, pl.DataFrame):
        return PolarsTable(native, name, tokens)
    if isinstance(native, pl.LazyFrame):
        return PolarsTable(native.collect(), name, tokens, lazy=True)
    if is_pandas(native):
        return PandasTable(native, name, tokens)
    if is_arrow(native):
        return ArrowTable(native, name, tokens)
    if is_duckdb(native):
        require_duckdb(name)
        return DuckDBTable(native, name, tokens)
    if is_spark(native):
        return SparkTable(native, name, tokens)
    if is_opened(native):
        opened: Table = native.with_tokens(tokens)
        return opened
    raise DataError(
        "unsupported-frame",
        f"an object of type {type(native).__name__} is not a supported table type",
        file=name,
        remedy="give a Polars, pandas or PyArrow frame, a DuckDB relation or a PySpark frame",
    )


def held_as_codes(table: Table, columns: Sequence[str]) -> Table:
    """A table of which some columns are needed, their texts held as codes.

    A table of pandas, PyArrow or an engine is handed back as it is.
    """
    return table.only(columns) if type(table) is PolarsTable else table


def emptied(table: Table, columns: Sequence[str]) -> Table:
    """The same table with nothing in some columns, where that lets memory go."""
    if type(table) is not PolarsTable:
        return table
    nothing = pl.Series([None], dtype=pl.Null).new_from_index(0, table.height())
    return table.with_columns(dict.fromkeys(columns, nothing))


def codes_of(table: Table, columns: Sequence[str]) -> pl.DataFrame:
    """The canonical texts of some columns, held as codes; of a table in memory one by one."""
    if isinstance(table, EagerTable):
        return pl.DataFrame(list(map(table.codes, dict.fromkeys(columns))))
    return pl.DataFrame(list(map(as_codes, table.text(columns).get_columns())))


def rows_of(table: Table, columns: Sequence[str]) -> tuple[pl.DataFrame, Ints | None]:
    """The rows of a table as it tells them; texts that it stores as codes are held as codes."""
    if isinstance(table, EagerTable) and table.held and not isinstance(table, CountedTable):
        return table.stored(columns), None
    return table.rows(columns)


def coded_rows(table: Table, columns: Sequence[str]) -> tuple[dict[str, Coded], Ints | None]:
    """The same rows, every column as codes; of an engine some may be of equal texts."""
    if isinstance(table, DuckDBTable) or (isinstance(table, EagerTable) and table.held):
        return table.coded(columns)
    texts, weight = table.rows(columns)
    return coded(texts), weight


def some_classes(
    table: Table, quasi: Sequence[str], columns: Sequence[str], parts: int
) -> pl.DataFrame | None:
    """The records of some classes of a table that is not in memory, each class whole.

    Arguments:
        table: the table.
        quasi: the columns by which records are put into classes.
        columns: the columns that are told, as they are.
        parts: of how many classes about one is drawn, by its digest; of 1 each.

    Returns:
        The records; None where there are none or too many.
    """
    if not isinstance(table, DuckDBTable | PostgresTable | SparkTable):
        return None
    found = table.where(table.one_of(parts, quasi), columns)
    return None if found is None or found.is_empty() else found


def with_order(table: Table, change: Change) -> Change | None:
    """The same change with the order of its records drawn; None of a table that is not in memory.

    Arguments:
        table: the table that is changed.
        change: what is published, with the combination of every record where these are at hand.
    """
    if change.combination_of is None or not isinstance(table, EagerTable):
        return None
    index = published_rows(change, change.combination_of, table.height())
    return change if index is None else replace(change, order=index, shuffle=None)
