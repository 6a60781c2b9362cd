"""What PyArrow does where it is installed, and what is done without it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import polars as pl

from indistinct.errors import DataError

if TYPE_CHECKING:
    import pandas
    import pyarrow


def to_pandas(values: pl.Series) -> pandas.Series:
    """A Polars column as a pandas one, with PyArrow where it is installed."""
    import pandas as pd

    if has_arrow():
        return values.to_pandas()
    kind = values.dtype
    if kind == pl.Date:
        values = values.cast(pl.Datetime("ms"))
    if kind.is_numeric() or kind.is_temporal() or (kind == pl.Boolean and not values.null_count()):
        return pd.Series(values.to_numpy(), name=values.name)
    return pd.Series(values.to_list(), name=values.name)


def plain_type(categories: pandas.CategoricalDtype, missing: bool) -> object:
    """The type of pandas that holds the values of categories, and what is missing beside them."""
    import pandas as pd

    kind = categories.categories.dtype
    return pd.Int64Dtype() if missing and pd.api.types.is_integer_dtype(kind) else kind


def frame_of_arrow(table: pyarrow.Table | pyarrow.RecordBatch) -> pl.DataFrame:
    """A table, or a batch of one, of PyArrow as a Polars frame."""
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    return frame


def to_arrow(values: pl.Series, kind: pyarrow.DataType | None = None) -> pyarrow.ChunkedArray:
    """A Polars column as a chunked array of PyArrow, of some type where its values allow that.

    Texts stay texts, for any type asked for; of a dictionary's type its values' type counts.
    """
    import pyarrow as pa

    made = pa.chunked_array([values.to_arrow()])
    if kind is not None and pa.types.is_dictionary(kind):
        kind = kind.value_type
    if is_text(made.type) and (kind is None or not is_text(kind)):
        return made.cast(pa.string())
    if kind is not None:
        with contextlib.suppress(pa.ArrowException):
            made = made.cast(kind)
    return made


def is_text(kind: pyarrow.DataType) -> bool:
    """Whether a type of PyArrow is one of texts."""
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def has_arrow() -> bool:
    """Whether PyArrow is installed; plain frames of pandas do without."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return False
    return True


def arrow_errors() -> tuple[type[Exception], ...]:
    """What PyArrow raises, where it is installed."""
    if not has_arrow():
        return ()
    import pyarrow as pa

    return (pa.ArrowException,)


def has_duckdb() -> bool:
    """Whether DuckDB is installed, and PyArrow, which takes its answers."""
    with contextlib.suppress(ImportError):
        import duckdb  # noqa: F401

        return has_arrow()
    return False


def require_duckdb(name: str) -> None:
    """Refuse a file that DuckDB would read where it is not installed.

    Raises:
        DataError: DuckDB is missing, or PyArrow.
    """
    if not has_duckdb():
        raise DataError(
            "missing-extra",
            "reading it with DuckDB needs other packages",
            file=name,
            remedy='pip install "indistinct[duckdb]"',
        )
