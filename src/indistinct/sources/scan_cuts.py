"""Combinations of scanned files, kept in the private folder; and records that walk down a tree.

The engine counts them by codes: of each column it is given a small table of its values. What it
cannot hold while it counts it spills, as ever; then they are a file, which is read some at a time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from indistinct.sources.duckdb_table import quoted
from indistinct.sources.parts import Coding, Walked
from indistinct.sources.streamed_parts import BATCHES, StreamedParts, codes_of

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

LEAF = "indistinct_leaf"
"""The column that says where a record ended."""

_CODES = "indistinct_codes_{}"
_WALK = "indistinct_walk"


def upload(
    connection: DuckDBPyConnection, at: int, native: pa.Table, texts: pl.Series, coding: Coding
) -> str:
    """Hand a connection the code of every value of a column; returns the name of the table.

    Arguments:
        connection: the connection.
        at: the number of the column among those that have codes.
        native: the values as the engine has them, an Arrow table of one column.
        texts: their texts.
        coding: the codes of these.
    """
    name = _CODES.format(at)
    known = native.rename_columns(["k"]).append_column("c", codes_of(texts, coding).to_arrow())
    connection.register("indistinct_held", known)
    try:
        connection.execute(
            f"CREATE OR REPLACE TEMP TABLE {name} AS"
            " SELECT k, c FROM indistinct_held WHERE c IS NOT NULL"
        )
    finally:
        connection.unregister("indistinct_held")
    return name


def _joined(source: str, codings: Sequence[Coding]) -> str:
    """A source beside the codes of its values."""
    joins = [
        f" JOIN {_CODES.format(at)} AS c{at}"
        f" ON own.{quoted(one.column)} IS NOT DISTINCT FROM c{at}.k"
        for at, one in enumerate(codings)
    ]
    return f"{source} AS own{''.join(joins)}"


def kept(
    relation: DuckDBPyRelation, codings: Sequence[Coding], quasi: int, folder: Path, ceiling: int
) -> StreamedParts:
    """The combinations of a relation, counted into a file.

    Arguments:
        relation: the table; the codes of its values are there.
        codings: the columns that have them.
        quasi: how many are quasi-identifiers; these come first.
        folder: where the file is written.
        ceiling: how many bytes the process may take.
    """
    target = folder / "combinations.parquet"
    codes = ", ".join(f"c{at}.c AS c{at}" for at in range(len(codings)))
    query = (
        f"SELECT {codes}, count(*) AS n FROM {_joined('indistinct_source', codings)} GROUP BY ALL"
    )
    relation.query("indistinct_source", query).write_parquet(str(target), compression="snappy")

    def read() -> Iterator[pa.RecordBatch]:
        from pyarrow.parquet import ParquetFile

        with ParquetFile(target) as file:
            yield from file.iter_batches(BATCHES)

    def forget() -> None:
        target.unlink(missing_ok=True)

    return StreamedParts(read, quasi, len(codings), ceiling, forget)


def walked(source: str, codings: Sequence[Coding]) -> str:
    """The query of a source with the leaf of every record; equal values look alike in it."""
    alike = ", ".join(f"c{at}.k AS {quoted(one.column)}" for at, one in enumerate(codings))
    codes = ", ".join(f"c{at}.c" for at in range(len(codings)))
    return (
        f"SELECT own.* REPLACE ({alike}), {_WALK}(array_value({codes})) AS {LEAF}"
        f" FROM {_joined(source, codings)}"
    )


@contextlib.contextmanager
def walking(connection: DuckDBPyConnection, tree: Walked) -> Iterator[None]:
    """Let a connection walk down a tree for a while."""
    many = len(tree.quasi)

    def walk(codes: Any) -> Any:  # Arrow's; DuckDB evaluates what stands here
        import pyarrow as pa

        parts = codes.chunks if isinstance(codes, pa.ChunkedArray) else [codes]
        found = [
            tree.leaf_of(np.asarray(part.flatten(), dtype=np.int32).reshape(-1, many))
            for part in parts
        ]
        return pa.array(np.concatenate([np.zeros(0, np.int32), *found]))

    connection.create_function(
        _WALK, walk, [f"INTEGER[{many}]"], "INTEGER", type="arrow", null_handling="special"
    )
    try:
        yield
    finally:
        connection.remove_function(_WALK)
