"""Combinations that a PostgreSQL server keeps, and the leaves of a tree that they walk to.

The server counts them by codes into a temporary table, which is read some rows at a time. It knows
no tree: the leaf of every combination of codes goes up as another temporary table, some rows at a
time as well, so that a record finds its leaf by its codes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import polars as pl

from indistinct.sources.parts import Walked
from indistinct.sources.streamed_parts import StreamedParts, side_by_side

if TYPE_CHECKING:
    import pyarrow as pa

CODES = "c{}"
"""What stands beside the source for the codes of a column."""

_PAGES = 2_000
"""Pages of a temporary table that are read at once: some hundred thousand combinations."""


class Speaking(Protocol):
    """A transaction in a server."""

    def run(self, statement: str, *given: Any) -> None:
        """Let the server do something."""

    def batches(self, query: str) -> Iterator[pa.RecordBatch]:
        """What a query answers, as batches of Arrow."""

    def fetch(self, query: str) -> pl.DataFrame:
        """What a query answers."""

    def new_name(self, what: str) -> str:
        """A name that no temporary table has."""

    def upload(self, rows: pa.Table, name: str, *, more: bool = False) -> None:
        """Put rows into a new temporary table, or more of them into one that is there.

        Arguments:
            rows: the rows.
            name: the name of the table in the server.
            more: whether it is there already.
        """


def _codes(columns: int) -> list[str]:
    return [f"c{at}" for at in range(columns)]


def distinct_codes(name: str, source: str, columns: int) -> str:
    """What makes a table of the combinations of codes, and of how many records have each.

    Arguments:
        name: the name of the table.
        source: the records with their codes beside, as SQL.
        columns: how many columns have codes.
    """
    own = ", ".join(f"{CODES.format(at)}.c AS {one}" for at, one in enumerate(_codes(columns)))
    by = ", ".join(str(at + 1) for at in range(columns))
    return (
        f"CREATE TEMPORARY TABLE {name} AS SELECT {own}, count(*) AS n FROM {source} GROUP BY {by}"
    )


def parts_of(session: Speaking, name: str, quasi: int, columns: int, ceiling: int) -> StreamedParts:
    """The combinations in such a table, which stays until the transaction ends.

    Arguments:
        session: the transaction.
        name: the name of the table.
        quasi: how many of its columns are of quasi-identifiers; these come first.
        columns: how many columns of codes it has.
        ceiling: how many bytes the process may take.
    """
    query = f"SELECT {', '.join(_codes(columns))}, n FROM pg_temp.{name}"
    return StreamedParts(
        lambda: session.batches(query), quasi, columns, ceiling, forget=lambda: None
    )


def leaves_of(session: Speaking, parts: str, tree: Walked) -> str:
    """A temporary table with the leaf of every combination of quasi-identifiers; its name.

    Arguments:
        session: the transaction.
        parts: the name of the table of combinations.
        tree: the tree that is walked.
    """
    names = _codes(len(tree.quasi))
    listed = ", ".join(names)
    own, leaves = session.new_name("quasi"), session.new_name("leaves")
    session.run(f"CREATE TEMPORARY TABLE {own} AS SELECT DISTINCT {listed} FROM pg_temp.{parts}")
    size = f"pg_relation_size('pg_temp.{own}')"
    (pages,) = session.fetch(f"SELECT {size} / current_setting('block_size')::bigint AS pages")[
        "pages"
    ]
    for first in range(0, max(pages, 1), _PAGES):
        some = f"ctid >= '({first},0)' AND ctid < '({first + _PAGES},0)'"
        held = session.fetch(f"SELECT {listed} FROM pg_temp.{own} WHERE {some}")
        codes = side_by_side([held[name].to_numpy() for name in names], held.height)
        found = held.with_columns(leaf=pl.Series(tree.leaf_of(np.ascontiguousarray(codes))))
        rows = found.to_arrow(compat_level=pl.CompatLevel.oldest())
        session.upload(rows, leaves, more=first > 0)
    session.run(f"DROP TABLE pg_temp.{own}")
    session.run(f"ANALYZE pg_temp.{leaves}")
    return leaves


def coded(source: str, leaves: str, columns: int) -> str:
    """Records beside their codes, and the leaf that these walk to, as ``q.leaf``.

    Arguments:
        source: the records with their codes beside, as SQL.
        leaves: the name of the table of leaves.
        columns: how many quasi-identifiers have codes.
    """
    on = " AND ".join(f"{CODES.format(at)}.c = q.{one}" for at, one in enumerate(_codes(columns)))
    return f"{source} JOIN pg_temp.{leaves} q ON {on}"
