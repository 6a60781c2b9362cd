"""Tables held by Spark: counted and recoded there, and cut off from their source by a checkpoint.

Spark has no order of records. A shuffled release is sorted by a seeded digest of its own rows,
which is the same however the data is spread. Times are wall clocks of the session's time zone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from indistinct.sources import memory
from indistinct.sources.eager import ArrowTable, add_up, find_combinations, tally_of
from indistinct.sources.table import Change, count_column, counted_rows
from indistinct.sources.text import Tokens, canonical, kind_of_type
from indistinct.types import Frame, Ints


class SparkTable:
    """A table behind a PySpark frame."""

    held = False
    notes: tuple[str, ...] = ()
    inferred = False

    def __init__(self, frame: Frame, name: str, tokens: Tokens | None = None) -> None:
        self.name = name
        self.columns: tuple[str, ...] = tuple(frame.columns)
        self._frame = frame
        self._tokens = tokens or {}
        self._height: int | None = None
        self._kept = False
        self.kinds: Mapping[str, str] = self._kinds()

    def height(self) -> int:
        """Number of records."""
        if self._height is None:
            self._height = int(self._frame.count())
        return self._height

    def frame(self) -> pl.DataFrame:
        """All records.

        Raises:
            DataError: They take more memory than they may.
        """
        self._require_rows(self.columns)
        return _polars(self._frame.toArrow())

    def text(self, columns: Sequence[str]) -> pl.DataFrame:
        """The canonical texts of these columns, in the order of the source, null for missing.

        From then on the table is read from a checkpoint, whose order stays.

        Raises:
            DataError: They take more memory than they may.
        """
        self._require_rows(columns)
        if not self._kept:
            self._frame, self._kept = self._frame.localCheckpoint(eager=True), True
        return canonical(_polars(self._select(columns).toArrow()), self._tokens)

    def distinct(self, columns: Sequence[str]) -> pl.DataFrame:
        """The distinct combinations of canonical texts, with how often each occurs in ``count``."""
        count = count_column(columns)
        most = memory.most_combinations(memory.allowed())
        counted = _polars(self._count(columns, count).limit(most + 1).toArrow())
        memory.require_combinations(counted.height, columns, self.name, memory.allowed())
        texts = canonical(counted.select(columns), self._tokens)
        return add_up(texts.with_columns(counted[count].cast(pl.Int64)), count)

    def sample(self, columns: Sequence[str], size: int) -> pl.DataFrame:
        """The canonical texts of these columns in some records."""
        share = min(1.0, 1.2 * size / max(self.height(), 1))
        chosen = self._frame if share == 1 else self._frame.sample(share, seed=0)
        found = _polars(chosen.select([_quoted(name) for name in columns]).toArrow())
        return canonical(found.head(size), self._tokens)

    def about(self, columns: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """How many records have a value in each column, and about how many values they have."""
        from pyspark.sql import functions as f

        if not columns:
            return {}
        asked = []
        for at, name in enumerate(columns):
            held = f.col(_quoted(name)).cast("string")
            there = ~held.isin(["", "NaN", *self._tokens.get(name, ())])
            asked.append(f.count(f.when(there, 1)).alias(f"n{at}"))
            asked.append(f.approx_count_distinct(f.col(_quoted(name)), 0.02).alias(f"d{at}"))
        found = self._frame.agg(*asked).first()
        return {
            name: (int(found[2 * at]), int(found[2 * at + 1])) for at, name in enumerate(columns)
        }

    def tally(self, column: str, fewer: int) -> tuple[int, int, int]:
        """Records with a value in a column, its values, and the records of those that are rare."""
        return tally_of(self.distinct([column]), fewer)

    def different_records(self) -> int:
        """How many records differ, over all columns, told apart by their digests."""
        from pyspark.sql import functions as f

        texts = [
            f.to_json(f.struct(_quoted(field.name)))
            if "map<" in field.dataType.simpleString()
            else f.col(_quoted(field.name))
            for field in self._frame.schema.fields
        ]
        missing = [f.col(_quoted(name)).isNull() for name in self.columns]  # no digest has them
        return int(self._frame.select(f.xxhash64(*texts, *missing)).distinct().count())

    def rows(self, columns: Sequence[str]) -> tuple[pl.DataFrame, Ints | None]:
        """The distinct combinations of canonical texts, and how many records have each."""
        return counted_rows(self, columns)

    def rows_where(self, column: str, values: Sequence[str | None]) -> tuple[int, ...]:
        """Always empty: records of a Spark frame have no number."""
        del column, values
        return ()

    def publish(self, change: Change) -> Any:
        """The release, as a checkpointed frame, with nothing beside its rows."""
        from pyspark.sql import functions as f

        if change.order is not None or change.replace:
            self._require_rows(self.columns)
            held = ArrowTable(self._frame.toArrow(), self.name, self._tokens)
            return self._frame.sparkSession.createDataFrame(held.publish(change))
        made = [name for name in change.columns if name in change.published.columns]
        lookup = self._lookup(change, made).alias("lookup")
        source = self._select(self.columns).alias("source")
        if change.keys:
            on = [
                f.col(f"source.{_quoted(key)}").eqNullSafe(f.col(f"lookup.k{at}"))
                for at, key in enumerate(change.keys)
            ]
            joined = source.join(f.broadcast(lookup), on=on, how="inner")
        else:
            joined = source.crossJoin(lookup)
        # A key comes from its combination: 0.0 and -0.0 are one to the engine.
        place = {name: f"lookup.k{at}" for at, name in enumerate(change.keys)}
        place |= {name: f"lookup.p{at}" for at, name in enumerate(made)}
        release = joined.select(
            [
                f.col(place.get(name, f"source.{_quoted(name)}")).alias(name)
                for name in change.columns
            ]
        )
        if change.shuffle is not None and change.columns:
            seed = f.lit(int(change.shuffle.integers(np.iinfo(np.int64).max)))
            release = release.orderBy(f.xxhash64(seed, *map(f.col, map(_quoted, change.columns))))
        return release.localCheckpoint(eager=True)

    def _lookup(self, change: Change, made: Sequence[str]) -> Any:
        """The kept combinations by the engine's own values, with what is published for them."""
        counted = self._count(change.keys, count_column(change.keys))
        names = [f"k{at}" for at in range(len(change.keys))]
        native = counted.toDF(*names, "count").toArrow()
        texts = canonical(
            _polars(native.select(names).rename_columns(list(change.keys))), self._tokens
        )
        combination_of = np.zeros(native.num_rows, np.int64)
        if change.keys:
            combination_of = find_combinations(texts, change)
        kept = np.flatnonzero(change.keep[combination_of])
        lookup = native.take(kept)
        for at, name in enumerate(made):
            published = change.published[name].cast(pl.String)
            taken = published.gather(pl.Series(combination_of[kept]))
            lookup = lookup.append_column(f"p{at}", taken.to_arrow())
        return self._frame.sparkSession.createDataFrame(lookup)

    def _require_rows(self, columns: Sequence[str]) -> None:
        cells = memory.OF_CELLS * self.height() * len(columns)
        memory.require_rows(cells, self.name, memory.allowed())

    def _select(self, columns: Sequence[str]) -> Any:
        return self._frame.select([_quoted(name) for name in columns])

    def _count(self, columns: Sequence[str], count: str) -> Any:
        from pyspark.sql import functions as f

        names = [_quoted(name) for name in columns]
        return self._frame.groupBy(*names).agg(f.count(f.lit(1)).alias(count))

    def _kinds(self) -> Mapping[str, str]:
        from pyspark.sql import functions as f

        sample = _polars(self._frame.limit(0).toArrow())
        kinds = {values.name: kind_of_type(values.dtype) for values in sample.get_columns()}
        times = [name for name, kind in kinds.items() if kind == "datetime"]
        if times:
            days = [
                f.bool_and(f.col(_quoted(name)) == f.date_trunc("day", f.col(_quoted(name))))
                for name in times
            ]
            whole = self._frame.agg(*days).first()
            kinds |= {
                name: "date" for name, day in zip(times, whole, strict=True) if day is not False
            }
        return kinds


def like_spark(frame: pl.DataFrame, kind: Frame) -> Any:
    """A Polars frame as a Spark frame, with the types of another one; texts stay texts."""
    from pyspark.sql import functions as f

    types = {field.name: field.dataType for field in kind.schema.fields}
    made = kind.sparkSession.createDataFrame(frame.to_arrow())
    return made.select(
        [
            f.col(_quoted(name)).cast(types[name]).alias(name)
            if name in types and dtype != pl.String
            else f.col(_quoted(name))
            for name, dtype in frame.schema.items()
        ]
    )


def _polars(table: Frame) -> pl.DataFrame:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    clocks = [n for n, kind in frame.schema.items() if isinstance(kind, pl.Datetime)]
    return frame.with_columns(pl.col(name).dt.replace_time_zone(None) for name in clocks)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
