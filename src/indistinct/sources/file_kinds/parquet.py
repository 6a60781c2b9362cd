"""Parquet files."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from indistinct.sources.file_kind import FileKind, Reading, require_cells


class ParquetFile(FileKind):
    """A Parquet file, which keeps the types of its columns."""

    name = "parquet"
    title = "a Parquet file"
    endings = (".parquet", ".pq")

    def read(self, path: Path, how: Reading) -> pl.DataFrame:
        """The table, unless it takes more memory than it may."""
        del how
        require_cells(pl.scan_parquet(path, glob=False), path.name)
        return pl.read_parquet(path, glob=False)
