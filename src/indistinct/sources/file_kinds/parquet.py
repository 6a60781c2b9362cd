"""Parquet files."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from indistinct.sources.file_kind import FileKind, Reading, require_cells
from indistinct.sources.text import held_as_few_codes


class ParquetFile(FileKind):
    """A Parquet file, which keeps the types of its columns."""

    name = "parquet"
    title = "a Parquet file"
    endings = (".parquet", ".pq")

    def read(self, path: Path, how: Reading) -> pl.DataFrame:
        """The table, unless it takes more memory than it may."""
        require_cells(pl.scan_parquet(path, glob=False), path.name)
        frame = pl.read_parquet(path, glob=False)
        return held_as_few_codes(frame) if how.coded and not how.exact else frame
