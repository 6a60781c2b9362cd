"""Tables held by Spark: counted and recoded there; only combinations, counts and samples come home.

Spark has no order of records. A shuffled release is dealt to parts and sorted in them by a seeded
digest of its own rows, which is the same however many executors there are. It is an ordinary lazy
frame whose rows are kept by the executors: what a lost one held is computed again. Times are wall
clocks of the session's time zone.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from indistinct.errors import DataError
from indistinct.sources import memory
from indistinct.sources.eager import ArrowTable, add_up, find_combinations
from indistinct.sources.table import Change, count_column, counted_rows
from indistinct.sources.text import NUMBER, WHOLE, Tokens, canonical, kind_of_type
from indistinct.sources.unchanged import changed
from indistinct.types import Frame, Ints

_ROWS_OF_PART = 250_000
_MOST_PARTS = 20_000

_CONTENTS: weakref.WeakKeyDictionary[Any, tuple[int, int]] = weakref.WeakKeyDictionary()
"""Of every release: how many records it has, and the sum of their digests."""


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
        self._counted: Any = None
        self._kept = False
        with telling(name):
            self._height, kinds = self._look()
        self.kinds: Mapping[str, str] = kinds

    def with_tokens(self, tokens: Tokens) -> SparkTable:
        """The same table, in which these texts stand for a missing value."""
        found = object.__new__(SparkTable)
        found.__dict__ |= {**self.__dict__, "_tokens": dict(tokens)}
        return found

    def height(self) -> int:
        """Number of records."""
        return self._height

    def frame(self) -> pl.DataFrame:
        """All records.

        Raises:
            DataError: They take more memory than they may.
        """
        self._require_rows(self.columns)
        return _polars(self._fetch(self._frame))

    def text(self, columns: Sequence[str]) -> pl.DataFrame:
        """The canonical texts of these columns, in the order of the source, null for missing.

        From then on the table is read from a checkpoint, whose order stays.

        Raises:
            DataError: They take more memory than they may.
        """
        self._require_rows(columns)
        if not self._kept:
            self._frame, self._kept = self._frame.localCheckpoint(eager=True), True
        return canonical(_polars(self._fetch(self._select(columns))), self._tokens)

    def distinct(self, columns: Sequence[str]) -> pl.DataFrame:
        """The distinct combinations of canonical texts, with how often each occurs in ``count``."""
        count = count_column(columns)
        counted = _polars(self._count(columns, count))
        texts = canonical(counted.select(columns), self._tokens)
        return add_up(texts.with_columns(counted[count].cast(pl.Int64)), count)

    def sample(self, columns: Sequence[str], size: int) -> pl.DataFrame:
        """The canonical texts of these columns in some records."""
        share = 0.9 * size / max(self.height(), 1)
        chosen = self._frame if share >= 1 else self._frame.sample(share, seed=0)
        named = [_quoted(name) for name in columns]
        found = _polars(self._fetch(chosen.select(named).limit(size)))
        return canonical(found, self._tokens)

    def about(self, columns: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """How many records have a value in each column, and about how many values they have."""
        from pyspark.sql import functions as f

        if not columns:
            return {}
        asked = []
        for name in columns:
            asked.append(f.count(f.when(self._filled(name), 1)))
            asked.append(f.approx_count_distinct(f.col(_quoted(name)), 0.02))
        found = self._figures(self._frame, asked)
        return {name: (found[2 * at], found[2 * at + 1]) for at, name in enumerate(columns)}

    def tally(self, column: str, fewer: int) -> tuple[int, int, int]:
        """Records with a value in a column, its values, and the records of those that are rare."""
        from pyspark.sql import functions as f

        by = self._frame.where(self._filled(column)).groupBy(_quoted(column))
        count = count_column([column])
        counted, n = by.agg(f.count(f.lit(1)).alias(count)), f.col(count)
        asked = [f.sum(n), f.count(n), f.sum(f.when(n < fewer, n))]
        records, values, rare = self._figures(counted, asked)
        return records, values, rare

    def different_records(self) -> int:
        """How many records differ, over all columns, told apart by their digests."""
        from pyspark.sql import functions as f

        differ = self._frame.select(_digest(self._frame).alias("d")).distinct()
        return self._figures(differ, [f.count(f.lit(1))])[0]

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
        native, expected = self._lookup(change, made)
        lookup = self._frame.sparkSession.createDataFrame(native).alias("lookup")
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
            [  # an expression of its own, as a bare column keeps its metadata
                f.coalesce(f.col(place.get(name, f"source.{_quoted(name)}"))).alias(name)
                for name in change.columns
            ]
        )
        if change.shuffle is not None and change.columns:
            seed = int(change.shuffle.integers(np.iinfo(np.int64).max))
            parts = min(1 + expected // _ROWS_OF_PART, _MOST_PARTS)
            key = _digest(release, f.lit(seed))
            release = release.repartition(parts, key).sortWithinPartitions(key)
        release = release.persist()
        with telling(self.name):
            _CONTENTS[release] = found = contents(release)
        if found[0] != expected:
            raise changed(self.name)
        return release

    def _lookup(self, change: Change, made: Sequence[str]) -> tuple[Any, int]:
        """The kept combinations by the engine's own values, with what is published for them; and
        how many records have one of these.
        """
        counted = self._count(change.keys, count_column(change.keys))
        texts = canonical(_polars(counted.select(list(change.keys))), self._tokens)
        combination_of = np.zeros(counted.num_rows, np.int64)
        if change.keys:
            combination_of = find_combinations(texts, change)
        kept = np.flatnonzero(change.keep[combination_of])
        names = [f"k{at}" for at in range(len(change.keys))]
        lookup = counted.rename_columns([*names, "count"]).take(kept)
        for at, name in enumerate(made):
            published = change.published[name].cast(pl.String)
            taken = published.gather(pl.Series(combination_of[kept]))
            lookup = lookup.append_column(f"p{at}", taken.to_arrow())
        return lookup, int(lookup["count"].to_numpy().sum())

    def like_their_names(self) -> pl.DataFrame:
        """The first records, and some that have the name of a column as its value."""
        from pyspark.sql import functions as f

        named = f.lit(False)
        for name in self.columns:
            named = named | (f.col(_quoted(name)).cast("string") == f.lit(name))
        own = self._frame
        return _polars(self._fetch(own.limit(1000).unionAll(own.where(named).limit(1000))))

    def _require_rows(self, columns: Sequence[str]) -> None:
        cells = memory.OF_CELLS * self.height() * len(columns)
        memory.require_rows(cells, self.name, memory.allowed())

    def _select(self, columns: Sequence[str]) -> Any:
        return self._frame.select([_quoted(name) for name in columns])

    def _count(self, columns: Sequence[str], count: str) -> Any:
        """The combinations of these columns and their counts, added up from those that were counted
        already where these are among them.
        """
        from pyspark.sql import functions as f

        names, known = list(columns), self._counted
        if known is not None and names and set(names) <= set(known.column_names[:-1]):
            held = known.column_names[-1]
            added = known.group_by(names, use_threads=False).aggregate([(held, "sum")])
            return added.select([*names, f"{held}_sum"]).rename_columns([*names, count])
        most = memory.most_combinations(memory.allowed())
        by = self._frame.groupBy(*map(_quoted, names))
        found = self._fetch(by.agg(f.count(f.lit(1)).alias(count)).limit(most + 1))
        memory.require_combinations(found.num_rows, names, self.name, memory.allowed())
        if known is None or found.num_columns > known.num_columns:
            self._counted = found
        return found

    def _filled(self, column: str) -> Any:
        """The condition that a record has a value in a column, and no text that stands for none."""
        from pyspark.sql import functions as f

        held = f.col(_quoted(column)).cast("string")
        none = ["NaN"] if self.kinds[column] == "float" else [""]
        return ~held.isin([*none, *self._tokens.get(column, ())])

    def _fetch(self, frame: Any) -> Any:
        with telling(self.name):
            return frame.toArrow()

    def _figures(self, frame: Any, asked: Sequence[Any]) -> list[int]:
        """Counts and sums over a frame."""
        named = [one.alias(f"n{at}") for at, one in enumerate(asked)]
        return [int(one or 0) for one in _polars(self._fetch(frame.agg(*named))).row(0)]

    def _look(self) -> tuple[int, Mapping[str, str]]:
        """The number of records, and the kinds of the columns: times may all be days."""
        from pyspark.sql import functions as f

        sample = _polars(self._frame.limit(0).toArrow())
        kinds = {values.name: kind_of_type(values.dtype) for values in sample.get_columns()}
        times = [name for name, kind in kinds.items() if kind == "datetime"]
        asked = [f.count(f.lit(1)).alias("n")] + [
            f.bool_and(f.col(_quoted(name)) == f.date_trunc("day", f.col(_quoted(name)))).alias(
                f"d{at}"
            )
            for at, name in enumerate(times)
        ]
        height, *days = _polars(self._frame.agg(*asked).toArrow()).row(0)
        whole = (name for name, day in zip(times, days, strict=True) if day is not False)
        return height, kinds | dict.fromkeys(whole, "date")


@contextlib.contextmanager
def telling(name: str) -> Iterator[None]:
    """Say that Spark could not do something without its words, which may quote a cell.

    Raises:
        DataError: For whatever it refuses.
    """
    from pyspark.errors import PySparkException

    try:
        yield
    except Exception as error:
        if not isinstance(error, PySparkException) and "py4j" not in type(error).__module__:
            raise
        raise DataError(
            "refused-by-spark",
            f"Spark ended a job, or would not begin it ({type(error).__name__})",
            file=name,
            remedy="look into the logs of its driver and executors, which may quote cells",
        ) from None


def as_shown(frame: Any) -> Any:
    """The rows of a frame, with types that follow from them alone: :func:`writing.as_shown`."""
    from pyspark.sql import functions as f

    kinds = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
    asked = {}
    for name, kind in kinds.items():
        own = f.col(_quoted(name))
        if kind in ("double", "float"):
            asked[name] = f.bool_and((own == f.floor(own)) & (f.abs(own) < 2**53)), f.lit(None)
        elif kind in ("timestamp", "timestamp_ntz"):
            asked[name] = f.bool_and(own == f.date_trunc("day", own)), f.lit(None)
        elif kind == "string":
            odd = own.rlike("[0-9]") & ~own.rlike(NUMBER)
            asked[name] = f.bool_or(own.endswith(WHOLE)), f.bool_or(odd)
    if not asked:
        return frame
    named = [one.alias(f"n{at}") for at, one in enumerate(sum(asked.values(), ()))]
    found = frame.agg(*named).first()
    shown = {name: f.col(_quoted(name)) for name in frame.columns}
    for at, name in enumerate(asked):
        so, odd = found[2 * at], found[2 * at + 1]
        own = shown[name]
        if kinds[name] != "string":
            wanted = "date" if kinds[name].startswith("timestamp") else "bigint"
            shown[name] = own if so is False else own.cast("string" if so is None else wanted)
        elif so and not odd:
            shown[name] = f.when(own == "-0.0", "0").otherwise(f.regexp_replace(own, r"\.0$", ""))
    return frame.select([value.alias(name) for name, value in shown.items()])


def contents(frame: Any) -> tuple[int, int]:
    """How many records a frame has, and the sum of their digests: what tells two frames apart."""
    from pyspark.sql import functions as f

    whole = _digest(frame).cast("decimal(38,0)")
    asked = f.count(f.lit(1)).alias("n"), f.sum(whole).alias("d")
    rows, digests = _polars(frame.agg(*asked).toArrow()).row(0)
    return int(rows), int(digests or 0)


def contents_of(release: Any) -> tuple[int, int] | None:
    """The same of a release, as it was when it was made; None of other frames."""
    return _CONTENTS.get(release)


def arrow_reader(frame: Any) -> Any:
    """The records of a frame part after part, as batches of Arrow.

    The executors pack their batches, so that the driver holds those of one part at a time.
    """
    import pyarrow as pa

    def packed(batches: Any) -> Any:  # by value: executors need no more than PyArrow
        import pyarrow as pa

        for batch in batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as stream:
                stream.write_batch(batch)
            yield pa.RecordBatch.from_pydict({"part": [sink.getvalue().to_pybytes()]})

    def batches() -> Iterator[Any]:
        for row in frame.mapInArrow(packed, "part binary").toLocalIterator():
            yield from pa.ipc.open_stream(bytes(row[0]))

    schema = frame.limit(0).toArrow().schema
    cast = (batch.cast(schema) if batch.schema != schema else batch for batch in batches())
    return pa.RecordBatchReader.from_batches(schema, cast)


def _digest(frame: Any, *first: Any) -> Any:
    """A digest of every record of a frame, in which a missing cell is none that is empty."""
    from pyspark.sql import functions as f

    texts = [
        f.to_json(f.struct(_quoted(field.name)))
        if "map<" in field.dataType.simpleString()
        else f.col(_quoted(field.name))
        for field in frame.schema.fields
    ]
    missing = [f.col(_quoted(name)).isNull() for name in frame.columns]
    return f.xxhash64(*first, *texts, *missing)


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
