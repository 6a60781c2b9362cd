"""What tables that an engine holds have in common: it counts records, which have no number."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import polars as pl

from indistinct.sources import memory
from indistinct.sources.eager import find_combinations
from indistinct.sources.table import NO_TITLES, Change, count_column
from indistinct.sources.text import Tokens
from indistinct.types import Ints

if TYPE_CHECKING:
    import pyarrow as pa


_AT_ONCE = 20
"""Columns that are held against a number in one question."""


class EngineTable(ABC):
    """A table of which combinations of values come home, counted by its engine."""

    held = False
    notes: tuple[str, ...] = ()
    titles: Mapping[str, str] = NO_TITLES
    inferred = False
    name: str
    _tokens: Tokens
    _within: dict[tuple[object, ...], pl.DataFrame]

    @property
    def ceiling(self) -> int:
        """How many bytes what is fetched may take."""
        return memory.allowed()

    @abstractmethod
    def height(self) -> int:
        """Number of records."""

    @abstractmethod
    def distinct(self, columns: Sequence[str]) -> pl.DataFrame:
        """The distinct combinations of canonical texts, with how often each occurs in ``count``."""

    def rows(self, columns: Sequence[str]) -> tuple[pl.DataFrame, Ints | None]:
        """The distinct combinations of canonical texts, and how many records have each."""
        counted = self.distinct(columns)
        return counted.select(columns), counted[count_column(columns)].to_numpy().astype(np.int64)

    def within(
        self, number: str, others: Sequence[str], tokens: Tokens
    ) -> Mapping[str, pl.DataFrame]:
        """How the records that have the same value of a column go together in other columns."""
        named = {**self._tokens, **tokens}
        known = {name: [*self._tokens.get(name, ()), *tokens.get(name, ())] for name in named}
        asked = {
            other: (number, other, *(tuple(known.get(name, ())) for name in (number, other)))
            for other in others
        }
        new = [other for other in others if asked[other] not in self._within]
        for first in range(0, len(new), _AT_ONCE):
            some = new[first : first + _AT_ONCE]
            found = self._but(_tokens=known)._count_within(number, some)  # noqa: SLF001, one of us
            for at, other in enumerate(some):
                own = found.filter(pl.col("which") == at).drop("which")
                self._within[asked[other]] = own
        return {other: self._within[asked[other]] for other in others}

    @abstractmethod
    def _count_within(self, number: str, others: Sequence[str]) -> pl.DataFrame:
        """The same, with the place of each other column in ``which``."""

    def _asked_within(self, number: str, rows: str, values: Sequence[tuple[str, str]]) -> str:
        """SQL that asks this.

        Arguments:
            number: SQL of the column.
            rows: SQL of the rows that are looked at.
            values: SQL of each other value, NULL where it is missing, and its kind.
        """
        each, told = [], []
        for at, (_, kind) in enumerate(values):
            run = f"max(x{at}) - min(x{at}) + 1 = count(x{at})" if kind == "integer" else "NULL"
            each.append(
                f"count(x{at}) AS c{at}, coalesce(min(x{at}) <> max(x{at}), false) AS s{at},"
                f" count(x{at}) BETWEEN 1 AND count(*) - 1 AS g{at}, CAST({run} AS BOOLEAN)"
                f" AS r{at}"
            )
            told.append(
                f"SELECT {at} AS which, c{at} AS records, s{at} AS several, g{at} AS gaps,"
                f" r{at} AS runs, count(*) AS count FROM numbers GROUP BY 2, 3, 4, 5"
            )
        own = ", ".join(f"{value} AS x{at}" for at, (value, _) in enumerate(values))
        return (
            f"WITH numbers AS MATERIALIZED (SELECT {', '.join(each)} FROM"
            f" (SELECT {number} AS k, {own} FROM {rows}) p GROUP BY k) {' UNION ALL '.join(told)}"
        )

    def rows_where(self, column: str, values: Sequence[str | None]) -> tuple[int, ...]:
        """Always empty: records of an engine have no number."""
        return ()

    def _require_rows(self, columns: Sequence[str]) -> None:
        cells = memory.OF_CELLS * self.height() * len(columns)
        memory.require_rows(cells, self.name, self.ceiling)

    def _but(self, **other: Any) -> Self:
        """The same table with other attributes."""
        found = object.__new__(type(self))
        found.__dict__ |= {**self.__dict__, **other}
        return found


def null_where_missing(column: str, kind: str) -> str:
    """SQL of a value that is NULL where it has no text, by which records are put into classes."""
    if kind == "float":
        return f"nullif({column}, CAST('NaN' AS DOUBLE))"
    return f"nullif(CAST({column} AS STRING), '')" if kind == "text" else column


def lookup_of(
    counted: pa.Table, texts: pl.DataFrame, change: Change, made: Sequence[str]
) -> pa.Table:
    """The kept combinations by the engine's own values, with what is published for them.

    Arguments:
        counted: the combinations of the keys, and how many records have each.
        texts: their canonical texts.
        change: what is published instead of what.
        made: the columns that are published otherwise.
    """
    combination_of = np.zeros(counted.num_rows, np.int64)
    if change.keys:
        combination_of = find_combinations(texts, change)
    kept = np.flatnonzero(change.keep[combination_of])
    some = counted if len(kept) == counted.num_rows else counted.take(kept)
    lookup = some.rename_columns([*(f"k{at}" for at in range(len(change.keys))), "count"])
    for at, name in enumerate(made):
        published = change.published[name].cast(pl.String)
        taken = published.gather(pl.Series(combination_of[kept]))
        lookup = lookup.append_column(f"p{at}", taken.to_arrow())
    return lookup
