"""Parquet files."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from indistinct.sources import memory
from indistinct.sources.file_kind import FileKind, Reading
from indistinct.sources.packed import broken


class ParquetFile(FileKind):
    """A Parquet file, which keeps the types of its columns."""

    name = "parquet"
    title = "Parquet files"
    endings = (".parquet", ".pq")

    def read(self, path: Path, how: Reading) -> pl.DataFrame:
        """The table, unless it takes more memory than it may."""
        del how
        try:
            seen = pl.scan_parquet(path, glob=False)
            cells = seen.select(pl.len()).collect().item() * len(seen.collect_schema())
            memory.require(memory.OF_CELLS * cells, path.name)
            return pl.read_parquet(path, glob=False)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise broken(path.name, "this is not a Parquet file", error) from None
        except pl.exceptions.PanicException as error:  # a BaseException, over a damaged column
            raise broken(path.name, "this Parquet file is damaged", error) from None
