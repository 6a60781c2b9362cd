"""What PyArrow does where it is installed, and what is done without it."""

from __future__ import annotations

from typing import Any

import polars as pl


def to_pandas(values: pl.Series) -> Any:
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
