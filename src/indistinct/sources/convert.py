"""From any frame to Polars, and back to a frame of the same kind; by Arrow, so nothing changes.

Whole numbers beside missing ones stay whole, dates stay dates, and columns come back as they were
stored; but categories come back as plain values, as their types list what no record has any more.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import polars as pl
import polars.selectors as cs

from indistinct.sources.arrow import has_arrow, plain_type, to_arrow, to_pandas
from indistinct.sources.table import is_arrow, is_duckdb, is_opened, is_pandas, is_spark
from indistinct.types import Frame

if TYPE_CHECKING:
    import pandas
    import pyarrow


def to_polars(frame: Frame) -> pl.DataFrame:
    """The rows of any frame that Narwhals knows, as a Polars frame.

    Raises:
        DataError: For columns of a pandas or PyArrow frame with values that cannot be read.
    """
    if isinstance(frame, pl.DataFrame):
        return frame
    if is_pandas(frame):
        from indistinct.sources.eager import from_pandas

        return from_pandas(frame, "table")
    if is_arrow(frame):
        from indistinct.sources.eager import from_arrow

        return from_arrow(frame, "table")
    if is_duckdb(frame):
        from indistinct.sources.duckdb_table import DuckDBTable

        return DuckDBTable(frame, "table").frame()
    if is_spark(frame):
        from indistinct.sources.spark_table import SparkTable

        return SparkTable(frame, "table").frame()
    if is_opened(frame):
        rows: pl.DataFrame = frame.frame()
        return rows
    import narwhals as nw

    known = nw.from_native(frame)
    held = (
        known.collect(backend="polars").to_native()
        if isinstance(known, nw.LazyFrame)
        else (known.to_polars())
    )
    assert isinstance(held, pl.DataFrame)
    return held


def like(frame: pl.DataFrame, kind: Frame) -> Frame:
    """A Polars frame as a frame of the kind that another one is.

    Columns that both have are stored as in the other one, where what is in them allows it.
    """
    frame = frame.with_columns(cs.categorical().cast(pl.String), cs.enum().cast(pl.String))
    if isinstance(kind, pl.DataFrame) or is_opened(kind):
        return frame
    if isinstance(kind, pl.LazyFrame):
        return frame.lazy()
    if is_pandas(kind):
        return _like_pandas(frame, kind)
    if is_arrow(kind):
        return _like_arrow(frame, kind)
    if is_duckdb(kind):
        from indistinct.sources.duckdb_table import like_relation

        return like_relation(frame, kind)
    from indistinct.sources.spark_table import like_spark

    return like_spark(frame, kind)


def _like_arrow(frame: pl.DataFrame, kind: Frame) -> pyarrow.Table:
    import pyarrow as pa

    types = dict(zip(kind.column_names, kind.schema.types, strict=True))
    arrays = [to_arrow(values, types.get(values.name)) for values in frame.get_columns()]
    return pa.table(arrays, names=frame.columns)


def _like_pandas(frame: pl.DataFrame, kind: Frame) -> pandas.DataFrame:
    """A pandas frame whose columns have the types that those of another one have."""
    import pandas as pd

    types = {str(name): dtype for name, dtype in zip(kind.columns, kind.dtypes, strict=True)}
    return pd.DataFrame(
        {values.name: _stored_as(values, types.get(values.name)) for values in frame.get_columns()}
    )


def _stored_as(values: pl.Series, wanted: object) -> pandas.Series:
    """A column for pandas, of a certain type where its values allow that."""
    import pandas as pd

    if isinstance(wanted, pd.CategoricalDtype):
        wanted = plain_type(wanted, bool(values.null_count()))
    text = values.dtype == pl.String
    if wanted is None or (text and not _holds_text(wanted)):
        return to_pandas(values)
    if str(wanted) == "object":
        return pd.Series(values.to_list(), dtype=object)
    if isinstance(wanted, pd.PeriodDtype):
        with contextlib.suppress(TypeError, ValueError):
            made = to_pandas(values).astype(wanted)
            again = [
                str(one) if known else None for one, known in zip(made, made.notna(), strict=True)
            ]
            if again == values.to_list():
                return made
        return to_pandas(values)
    if has_arrow() and hasattr(wanted, "__from_arrow__"):
        import pyarrow as pa

        with contextlib.suppress(TypeError, ValueError, pa.ArrowException):
            return pd.Series(wanted.__from_arrow__(values.to_arrow()))
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        if hasattr(wanted, "numpy_dtype"):  # holds whole numbers beside missing ones
            return pd.Series(values.to_list(), dtype=wanted)
        return to_pandas(values).astype(wanted)
    return to_pandas(values)


def _holds_text(wanted: object) -> bool:
    import pandas as pd

    known = isinstance(wanted, pd.StringDtype | pd.PeriodDtype) or str(wanted) == "object"
    return known or str(wanted) in ("string[pyarrow]", "large_string[pyarrow]")
