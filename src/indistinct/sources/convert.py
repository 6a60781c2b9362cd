"""From any frame to Polars, and back to a frame of the same kind."""

from __future__ import annotations

import contextlib
from typing import Any

import narwhals as nw
import polars as pl

from indistinct.sources.arrow import to_pandas
from indistinct.types import Frame


def to_polars(frame: Frame) -> pl.DataFrame:
    """The rows of any frame that Narwhals knows, as a Polars frame.

    Raises:
        DataError: For columns of a pandas frame with values that cannot be read.
    """
    if nw.dependencies.is_pandas_dataframe(frame):
        from indistinct.sources.eager import from_pandas

        return from_pandas(frame, "table")
    known = nw.from_native(frame)
    if isinstance(known, nw.LazyFrame):
        held = known.collect(backend="polars").to_native()
    else:
        held = known.to_polars()
    assert isinstance(held, pl.DataFrame)
    return held


def like(frame: pl.DataFrame, kind: Frame) -> Any:
    """A Polars frame as a frame of the kind that another one is."""
    if isinstance(kind, pl.DataFrame):
        return frame
    if isinstance(kind, pl.LazyFrame):
        return frame.lazy()
    if nw.dependencies.is_pandas_dataframe(kind):
        return _like_pandas(frame, kind)
    if nw.dependencies.is_pyarrow_table(kind):
        table = frame.to_arrow()
        return table.replace_schema_metadata(None)
    if nw.dependencies.is_duckdb_relation(kind):
        import duckdb

        connection = duckdb.connect()
        table = frame.to_arrow()
        connection.register("rows", table)
        connection.execute("CREATE TABLE release AS SELECT * FROM rows")
        connection.unregister("rows")
        return connection.table("release")
    session = kind.sparkSession
    return session.createDataFrame(frame.to_pandas())


def _like_pandas(frame: pl.DataFrame, kind: Frame) -> Any:
    """A pandas frame whose columns have the types that those of another one have."""
    import pandas as pd

    held = pd.DataFrame({values.name: to_pandas(values) for values in frame.get_columns()})
    for name in held.columns:
        wanted = kind[name].dtype if name in kind.columns else None
        if wanted is None or held[name].dtype == wanted:
            continue
        if str(wanted) == "object":
            held[name] = pd.Series(frame[name].to_list(), dtype=object, index=held.index)
            continue
        with contextlib.suppress(TypeError, ValueError):
            held[name] = held[name].astype(wanted)
    return held
