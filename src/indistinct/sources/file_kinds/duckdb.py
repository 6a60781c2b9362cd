"""Databases of DuckDB: what a query reads from them."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from indistinct.sources.arrow import require_duckdb
from indistinct.sources.file_kind import QUERY, FileKind, Reading
from indistinct.sources.packed import broken


class DuckDBFile(FileKind):
    """A database of DuckDB, which is opened to be read alone."""

    name = "duckdb"
    title = "a database of DuckDB"
    endings = (".duckdb",)
    takes = frozenset({"query"})
    needs_query = True

    def read(self, path: Path, how: Reading) -> pl.DataFrame:
        """What the query answers."""
        require_duckdb(path.name)
        import duckdb

        try:
            with duckdb.connect(str(path), read_only=True) as connection:
                frame: pl.DataFrame = connection.sql(how.query or "").pl()
                return frame
        except duckdb.Error as error:
            raise broken(path.name, "the query cannot be answered", error, QUERY) from None
