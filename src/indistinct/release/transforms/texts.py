"""A column of texts, each replaced by what a mapping says."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl


def mapped(column: pl.Series, texts: Mapping[str, str]) -> pl.Series:
    """Every text as the mapping has it; missing values stay missing."""
    if not texts:
        return column.cast(pl.String)
    return column.replace_strict(texts, default=None, return_dtype=pl.String)
