"""Databases of SQLite: what a query reads from them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl

from indistinct.sources.file_kind import QUERY, FileKind, Reading
from indistinct.sources.packed import broken


class SQLiteFile(FileKind):
    """A database of SQLite, whose cells have types of their own."""

    name = "sqlite"
    title = "a database of SQLite"
    endings = (".sqlite", ".sqlite3", ".db")
    takes = frozenset({"query"})
    needs_query = True
    inferred = True

    def read(self, path: Path, how: Reading) -> pl.DataFrame:
        """What the query answers."""
        try:
            with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as held:
                return pl.read_database(how.query or "", held, infer_schema_length=None)
        except (sqlite3.Error, pl.exceptions.PolarsError) as error:
            raise broken(path.name, "the query cannot be answered", error, QUERY) from None
