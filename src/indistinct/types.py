"""Names for types that many rooms share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Plain: TypeAlias = dict[str, Any]
"""Plain data: texts, numbers, lists and tables of these, as JSON and TOML have them."""

PlainMapping: TypeAlias = Mapping[str, Any]
"""The same, to be read only."""

Frame: TypeAlias = Any
"""A frame of any engine that Narwhals knows: Polars, pandas, PyArrow, DuckDB, PySpark."""

Codes: TypeAlias = "NDArray[np.integer[Any]]"
"""Whole numbers of any size, signed or not."""

Array: TypeAlias = "NDArray[Any]"
"""An array of any numbers, or of truth values."""

Ints: TypeAlias = "NDArray[np.int64]"
"""Whole numbers of 64 bits: counts, and places."""

Ints32: TypeAlias = "NDArray[np.int32]"
"""Whole numbers of 32 bits: codes, and rows."""

Floats: TypeAlias = "NDArray[np.float64]"
"""Numbers with fractions."""

Bools: TypeAlias = "NDArray[np.bool_]"
"""What holds of each element, and what does not."""
