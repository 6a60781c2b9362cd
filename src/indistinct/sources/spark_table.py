"""Tables held by Spark: counted and recoded there; only combinations, counts and samples come home.

Spark has no order of records. A shuffled release is dealt to parts and sorted in them by a seeded
digest of its own rows, which is the same however many executors there are. It is an ordinary lazy
frame whose rows are kept by the executors: what a lost one held is computed again. Times are wall
clocks of the session's time zone.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import polars as pl

from indistinct.sources import memory, spark_cuts
from indistinct.sources.eager import ArrowTable, add_up
from indistinct.sources.engine_table import EngineTable, lookup_of, null_where_missing
from indistinct.sources.headers import cells_of
from indistinct.sources.parts import Coding, Parts, Walked
from indistinct.sources.spark_kept import NUMBER, Kept, numbered
from indistinct.sources.spark_release import (
    Asked,
    Known,
    digest,
    known_of,
    note_release,
    polars_of,
    quoted,
    remember,
    telling,
)
from indistinct.sources.streamed_parts import looked_up
from indistinct.sources.table import Change, count_column, is_spark
from indistinct.sources.text import Tokens, canonical, kind_of_type
from indistinct.sources.unchanged import changed
from indistinct.types import Frame

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column, DataFrame

_Join: TypeAlias = "Callable[[DataFrame], DataFrame]"
_Joined: TypeAlias = "tuple[pyarrow.Table, _Join, Mapping[str, str]]"

_ROWS_OF_PART = 250_000
_MOST_PARTS = 20_000
_TASKS = 2
"""In how many tasks, for each core, the combinations of kept records are counted, at most."""

_SENT = 1 << 22
"""How many bytes of values the driver gets of a sample, at most, but for those of one record."""

_SENT_OF_CLASSES = 1 << 28
"""The same of records of whole classes: more are not sent."""

_OF_COUNTED = 8
"""Which part of what the driver may take is for combinations that are kept to be added up."""

_OF_CELL = 8
_OF_ANY_LENGTH = ("string", "char", "varchar", "binary", "array", "map", "struct", "variant")
_AS_LONG = 256
"""So many characters of a text are held against names of columns."""

_FIRST = 1000
_NO_TEXT = re.compile(r"[0-9]|^(true|false|nan|-?infinity)$", re.IGNORECASE)
"""What the text of a value has that is stored as no text."""

_ABOUT, _DOUBT = 0.02, 6
"""The standard error of a count of combinations, and how many of them may be an error."""


class SparkTable(EngineTable):
    """A table behind a PySpark frame."""

    def __init__(
        self, frame: Frame, name: str, tokens: Tokens | None = None, height: int | None = None
    ) -> None:
        self.name = name
        self.columns: tuple[str, ...] = tuple(frame.columns)
        self._types = {one.name: one.dataType.simpleString() for one in frame.schema.fields}
        self._frame = frame
        self._tokens = tokens or {}
        self._known = known_of(frame) or Known()
        self._kept = False
        self._within = {}
        self._tree: Walked | None = None
        with telling(name):
            self._known.look = self._known.look or self._look(height)
        self._height, kinds = self._known.look
        self.kinds: Mapping[str, str] = kinds

    def with_tokens(self, tokens: Tokens) -> Self:
        """The same table, in which these texts stand for a missing value."""
        return self._but(_tokens=dict(tokens))

    def height(self) -> int:
        """Number of records."""
        return self._height

    def frame(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """All records; of some columns, where these are named.

        Raises:
            DataError: They take more memory than they may.
        """
        columns = self.columns if columns is None else columns
        self._require_rows(columns)
        return polars_of(self._fetch(self._select(columns)))

    def text(self, columns: Sequence[str]) -> pl.DataFrame:
        """The canonical texts of these columns, in the order of the source, null for missing.

        From then on the table is read from a checkpoint, whose order stays.

        Raises:
            DataError: They take more memory than they may.
        """
        self._require_rows(columns)
        if not self._kept:
            self._frame, self._kept = self._frame.localCheckpoint(eager=True), True
        return canonical(polars_of(self._fetch(self._select(columns))), self._tokens)

    def distinct(self, columns: Sequence[str]) -> pl.DataFrame:
        """The distinct combinations of canonical texts, with how often each occurs in ``count``."""
        count = count_column(columns)
        counted = polars_of(self._count(columns, count))
        texts = canonical(counted.select(columns), self._tokens)
        return add_up(texts.with_columns(counted[count].cast(pl.Int64)), count)

    def published(self, columns: Sequence[str]) -> tuple[pl.DataFrame, pl.Series]:
        """The distinct combinations of values as they are, and how often each occurs."""
        count = count_column(columns)
        counted = polars_of(self._count(columns, count))
        return counted.select(columns), counted[count].cast(pl.Int64)

    def sample(self, columns: Sequence[str], size: int) -> pl.DataFrame:
        """The canonical texts of these columns in some records, the same at every call.

        Columns that were asked about before come with them, as they are likely to be asked for.
        There are fewer records where these are wide.
        """
        held = self._known.sampled.get(size)
        if held is None or not set(columns) <= set(held.columns):
            share = 0.9 * size / max(self.height(), 1)
            chosen = self._frame if share >= 1 else self._frame.sample(share, seed=0)
            named = map(quoted, dict.fromkeys([*columns, *self._known.repeated()]))
            held = polars_of(self._fetch(first(chosen.select(*named), size)))
            self._known.sampled[size] = held
        return canonical(held.select(columns), self._tokens)

    def about(self, columns: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """How many records have a value in each column, and about how many values they have.

        Columns that are counted already are not looked at again.
        """
        from pyspark.sql import functions as f

        held, new = self._known.about, []
        for name in columns:
            if self._asked(name) in held:
                continue
            if self._wider([name]) is None:
                new.append(name)
            else:
                held[self._asked(name)] = self._tallied(name, 0)[:2]
        if new:
            asked = []
            for name in new:
                asked.append(f.count(f.when(self._filled(name), 1)))
                asked.append(f.approx_count_distinct(f.col(quoted(name)), 0.02))
            long = [name for name in new if self._types[name].startswith(_OF_ANY_LENGTH)]
            for name in long:
                asked.append(f.max(f.octet_length(f.col(quoted(name)).cast("string"))))
            found = self._figures(self._frame, asked)
            for at, name in enumerate(new):
                held[self._asked(name)] = found[2 * at], found[2 * at + 1]
            self._known.longest |= dict(zip(long, found[2 * len(new) :], strict=True))
        return {name: held[self._asked(name)] for name in columns}

    def tally(self, column: str, fewer: int) -> tuple[int, int, int]:
        """Records with a value in a column, its values, and the records of those that are rare."""
        from pyspark.sql import functions as f

        if self._wider([column]) is not None:
            return self._tallied(column, fewer)
        held, asked = self._known.tallied, (self._asked(column), fewer)
        if asked not in held:
            by = self._frame.where(self._filled(column)).groupBy(quoted(column))
            count = count_column([column])
            counted, n = by.agg(f.count(f.lit(1)).alias(count)), f.col(count)
            figures = [f.sum(n), f.count(n), f.sum(f.when(n < fewer, n))]
            records, values, rare = self._figures(counted, figures)
            held[asked] = records, values, rare
        return held[asked]

    def _count_within(self, number: str, others: Sequence[str]) -> pl.DataFrame:
        from pyspark.sql import functions as f

        own, asked, told = [], [f.count(f.lit(1)).alias("r")], []
        for at, name in enumerate(others):
            value = f.col(quoted(name))
            value = value.cast("string") if self.kinds[name] == "other" else value
            own.append(f.when(self._filled(name), value).alias(f"x{at}"))
            asked += [f.count(f"x{at}").alias(f"c{at}")]
            asked += [f.min(f"x{at}").alias(f"a{at}"), f.max(f"x{at}").alias(f"b{at}")]
            run = f"b{at} - a{at} + 1 = c{at}" if self.kinds[name] == "integer" else "null"
            told.append(
                f"{at}, c{at}, coalesce(a{at} <> b{at}, false), c{at} BETWEEN 1 AND r - 1,"
                f" CAST({run} AS BOOLEAN)"
            )
        names = ("which", "records", "several", "gaps", "runs")
        rows = self._frame.where(self._filled(number)).select(
            f.col(quoted(number)).alias("k"), *own
        )
        each = rows.groupBy("k").agg(*asked)
        each = each.selectExpr(f"stack({len(others)}, {', '.join(told)}) AS ({', '.join(names)})")
        return polars_of(self._fetch(each.groupBy(*names).agg(f.count(f.lit(1)).alias("count"))))

    def _tallied(self, column: str, fewer: int) -> tuple[int, int, int]:
        """The same of a column that is counted already."""
        times = self.distinct([column]).drop_nulls(column)[count_column([column])]
        return int(times.sum()), len(times), int(times.filter(times < fewer).sum())

    def _asked(self, column: str) -> Asked:
        return column, tuple(self._tokens.get(column, ()))

    def different_records(self) -> int:
        """How many records differ, over all columns, told apart by their digests."""
        from pyspark.sql import functions as f

        if self._known.different is not None:
            return self._known.different
        differ = self._frame.groupBy(digest(self._frame).alias("d")).agg(f.lit(1))
        return self._figures(differ, [f.count(f.lit(1))])[0]

    def one_of(self, parts: int, keys: Sequence[str]) -> str:
        """The condition that draws about one of so many combinations of some columns."""
        own = [null_where_missing(quoted(name), self.kinds[name]) for name in keys]
        return f"pmod(xxhash64({', '.join(own)}), {parts}) = 0" if parts > 1 else "true"

    def where(self, condition: str, columns: Sequence[str]) -> pl.DataFrame | None:
        """What records have in some columns, as it is; None of more than the driver may get."""
        most = min(self.ceiling // memory.OF_A_SAMPLE, _SENT_OF_CLASSES)
        chosen = self._frame.where(condition).select([quoted(name) for name in columns])
        size = most // (_OF_CELL * len(columns)) + 1
        found, sent = _with_bytes(chosen, size, most)
        held = polars_of(self._fetch(found))
        return held.drop(sent) if bool((held[sent] < most).all()) else None

    def publish(self, change: Change) -> DataFrame:
        """The release, as a checkpointed frame, with nothing beside its rows."""
        if change.order is not None or change.replace:
            self._require_rows(self.columns)
            held = ArrowTable(self._frame.toArrow(), self.name, self._tokens)
            return self._frame.sparkSession.createDataFrame(held.publish(change))
        made = [name for name in change.columns if name in change.published.columns]
        lookup, join, place, expected = self._joined(change, made)
        if change.shuffle is not None and change.columns:
            seed = int(change.shuffle.integers(np.iinfo(np.int64).max))
            kept = self._dealt(change, (lookup, join, place), seed, expected)
            release = kept.release(change.columns)
            with telling(self.name):
                known = remember(release, kept.known(release, seed))
        else:
            joined = join(self._frame.sparkSession.createDataFrame(lookup))
            release = joined.select(self._published(change, place)).persist()
            with telling(self.name):
                known = note_release(release)
        if known.contents is None or known.contents[0] != expected:
            raise changed(self.name)
        same = set(change.columns) - set(change.published.columns)
        known.longest = {n: most for n, most in self._known.longest.items() if n in same}
        if change.keep.all():  # what is published as it is, is as it was
            own = {(name, ()): self._known.about.get((name, ())) for name in same}
            known.about = {asked: told for asked, told in own.items() if told}
        return release

    def _dealt(self, change: Change, joined: _Joined, seed: int, expected: int) -> Kept:
        """The kept records, dealt to parts by their digests and sorted in them."""
        from pyspark.sql import functions as f

        (lookup, join, place), session = joined, self._frame.sparkSession
        shown = [name for name in change.columns if name in place]
        lookup, native = numbered(lookup, [place[name] for name in shown])
        number, key = (spark_cuts.code_name(change.columns) + own for own in ("number", "digest"))
        found = join(session.createDataFrame(lookup)).select(
            *self._published(change, place), f.col(f"lookup.{NUMBER}").alias(number)
        )
        own = [quoted(name) for name in change.columns if name not in place]
        digests = digest(found.drop(number), f.lit(seed)).alias(key)
        records = found.select(*own, number, digests).repartition(_parts(expected), key)
        here = native.rename_columns([*shown, number])
        dealt = records.sortWithinPartitions(key).persist()
        return Kept(dealt, session.createDataFrame(here), here, key, number)

    def _published(self, change: Change, place: Mapping[str, str]) -> list[Column]:
        """The columns of a release, beside a lookup in which some have a place."""
        from pyspark.sql import functions as f

        found = {}
        for name in change.columns:
            own = f.col(f"lookup.{place[name]}" if name in place else f"source.{quoted(name)}")
            if name in change.sensitive and name not in place:
                if self._types[name] in ("double", "float"):
                    own = f.nanvl(own, f.lit(None).cast(self._types[name]))
                elif self._types[name] == "string":
                    own = f.when(own != "", own)
            found[name] = own
        # An expression of its own, as a bare column keeps its metadata.
        return [f.coalesce(own).alias(name) for name, own in found.items()]

    def _joined(
        self, change: Change, made: Sequence[str]
    ) -> tuple[pyarrow.Table, _Join, Mapping[str, str], int]:
        """What is published of combinations; how the kept records come beside it; where columns
        stand in it that are not the source's; and how many records there are.
        """
        from pyspark.sql import functions as f

        if self._tree is not None:
            return self._walked(self._tree, change, made)
        native, expected = self._lookup(change, made)
        # A key comes from its combination: 0.0 and -0.0 are one to the engine.
        place = {name: f"k{at}" for at, name in enumerate(change.keys) if name in change.columns}
        place |= {name: f"p{at}" for at, name in enumerate(made)}

        def joined(lookup: DataFrame) -> DataFrame:
            source, lookup = self._select(self.columns).alias("source"), lookup.alias("lookup")
            if not change.keys:
                return source.crossJoin(lookup)
            on = []
            for at, key in enumerate(change.keys):
                own, known = f.col(f"source.{quoted(key)}"), f.col(f"lookup.k{at}")
                missing = native.column(f"k{at}").null_count  # without, half as much is compared
                on.append(own.eqNullSafe(known) if missing else own == known)
            return source.join(f.broadcast(lookup), on=on, how="inner")

        return native, joined, place, expected

    def _walked(
        self, tree: Walked, change: Change, made: Sequence[str]
    ) -> tuple[pyarrow.Table, _Join, Mapping[str, str], int]:
        """The same, where a record finds its class by a tree."""
        from pyspark.sql import functions as f

        shown = [change.published[name] for name in made]
        native, expected = looked_up(tree, change.keep, shown)
        needed = [*dict.fromkeys([*change.columns, *change.keys])]
        source = spark_cuts.walked(self._select(needed), tree, self._values).alias("source")
        on = f.col("source.leaf") == f.col("lookup.leaf")

        def joined(lookup: DataFrame) -> DataFrame:
            return source.join(f.broadcast(lookup.alias("lookup")), on=on, how="inner")

        return native, joined, {name: f"p{at}" for at, name in enumerate(made)}, expected

    def in_parts(self, quasi: Sequence[Coding], sensitive: Sequence[Coding]) -> Parts:
        """Its combinations, coded, as the executors keep them."""
        codings = [*quasi, *sensitive]
        names = [one.column for one in codings]
        code = spark_cuts.code_name(names)
        coded = spark_cuts.with_codes(self._select(names), codings, self._values, code)
        parts = _parts(self.height())
        return spark_cuts.SparkParts(coded, code, len(quasi), len(sensitive), parts, self.name)

    def cut(self, tree: Walked) -> Self:
        """The same table, published by what stands at the leaves of a tree."""
        return self._but(_tree=tree)

    def _values(self, column: str) -> tuple[pyarrow.Table, pl.Series]:
        """The values of a column as they are, and their texts."""
        native = self._count([column], count_column([column])).select([column])
        return native, canonical(polars_of(native), self._tokens)[column]

    def _lookup(self, change: Change, made: Sequence[str]) -> tuple[pyarrow.Table, int]:
        """The kept combinations by the engine's own values, with what is published for them; and
        how many records have one of these.
        """
        counted = self._count(change.keys, count_column(change.keys))
        texts = canonical(polars_of(counted.select(list(change.keys))), self._tokens)
        lookup = lookup_of(counted, texts, change, made)
        return lookup, int(lookup["count"].to_numpy().sum())

    def like_their_names(self, *, again: bool = True) -> pl.DataFrame:
        """The first records, and some that have the name of a column as its value.

        Texts come without what is longer than names are.

        Arguments:
            again: whether there may be some of these.
        """
        from pyspark.sql import functions as f

        def short(frame: DataFrame) -> DataFrame:
            return frame.select(
                *(
                    f.substring(quoted(own.name), 1, _AS_LONG).alias(own.name)
                    if own.dataType.simpleString() == "string"
                    else f.col(quoted(own.name))
                    for own in frame.schema.fields
                )
            )

        found = first(short(self._frame), _FIRST)
        if again and self._known.named:
            named = short(self._frame.where(is_named(self.columns, self.kinds)))
            found = found.unionAll(first(named, _FIRST))
        return polars_of(self._fetch(found))

    def _select(self, columns: Sequence[str]) -> DataFrame:
        return self._frame.select([quoted(name) for name in columns])

    def _count(self, columns: Sequence[str], count: str) -> pyarrow.Table:
        """The combinations of these columns and their counts, added up from those that were counted
        already where these are among them.
        """
        from pyspark.sql import functions as f

        names, known = list(columns), self._wider(columns)
        if known is not None:
            held = known.column_names[-1]
            added = known.group_by(names, use_threads=False).aggregate([(held, "sum")])
            return added.select([*names, f"{held}_sum"]).rename_columns([*names, count])
        most = memory.most_combinations(self.ceiling)
        if self._known.kept is not None:  # parts that lie side by side have the same ones
            tasks = _TASKS * self._frame.sparkSession.sparkContext.defaultParallelism
            counted, completed = self._known.kept.counted(names, count, tasks)
        else:
            by = self._frame.groupBy(*map(quoted, names))
            counted, completed = by.agg(f.count(f.lit(1)).alias(count)), lambda found: found
        if self.height() > most:
            self._require_fewer(names, most)
            counted = counted.limit(most + 1)
        self._require_short(counted)
        found = completed(self._fetch(counted))
        memory.require_combinations(found.num_rows, names, self.name, self.ceiling)
        if len(names) > 1:
            self._known.keep_counted(found, self.ceiling // _OF_COUNTED)
        return found

    def _require_short(self, counted: DataFrame) -> None:
        """Refuse combinations whose texts take more than they may, before any of them comes home.

        How long texts are at most is known of columns that were asked about; where that leaves a
        doubt their bytes are added up.
        """
        from pyspark.sql import functions as f

        most = self.ceiling // memory.OF_BYTES
        texts = [name for name in counted.columns if name in self._known.longest]
        if self.height() * sum(self._known.longest[name] for name in texts) <= most:
            return
        sizes = [f.sum(f.octet_length(f.col(quoted(name)).cast("string"))) for name in texts]
        memory.require_texts(sum(self._figures(counted, sizes)), texts, self.name, most)

    def _require_fewer(self, columns: Sequence[str], most: int) -> None:
        """Refuse combinations of which there are too many, before any of them comes home.

        How many there are is told about; where that leaves a doubt they are fetched, one more
        than there may be at most.
        """
        from pyspark.sql import functions as f

        if len(columns) == 1:  # of one column what was asked before has to do
            about = self._known.about.get(self._asked(columns[0]), (0, 0))[1]
        else:
            own = self._select(columns)
            about = self._figures(own, [f.approx_count_distinct(digest(own), _ABOUT)])[0]
        if about > (1 + _DOUBT * _ABOUT) * most:
            memory.require_combinations(most + 1, columns, self.name, self.ceiling)

    def _wider(self, columns: Sequence[str]) -> pyarrow.Table | None:
        """The shortest of the tables counted already that tells these columns; None without."""
        told = [one for one in self._known.counted if set(columns) <= set(one.column_names[:-1])]
        return min(told, key=len, default=None) if columns else None

    def _filled(self, column: str) -> Column:
        """The condition that a record has a value in a column, and no text that stands for none."""
        from pyspark.sql import functions as f

        own, tokens = f.col(quoted(column)), self._tokens.get(column, ())
        if self.kinds[column] == "other" or tokens:
            none = ["NaN"] if self.kinds[column] == "float" else [""]
            return ~own.cast("string").isin([*none, *tokens])
        if self.kinds[column] == "text":
            return own != ""
        floats = self._types[column] in ("double", "float")
        return own.isNotNull() & ~f.isnan(own) if floats else own.isNotNull()

    def _fetch(self, frame: DataFrame) -> pyarrow.Table:
        with telling(self.name):
            return frame.toArrow()

    def _figures(self, frame: DataFrame, asked: Sequence[Column]) -> list[int]:
        """Counts and sums over a frame."""
        named = [one.alias(f"n{at}") for at, one in enumerate(asked)]
        return [int(one or 0) for one in polars_of(self._fetch(frame.agg(*named))).row(0)]

    def _look(self, height: int | None) -> tuple[int, Mapping[str, str]]:
        """The number of records, and the kinds of the columns: times may all be days."""
        from pyspark.sql import functions as f
        from pyspark.sql.pandas.types import to_arrow_schema

        none = polars_of(to_arrow_schema(self._frame.schema).empty_table())
        kinds = {values.name: kind_of_type(values.dtype) for values in none.get_columns()}
        times = [name for name, kind in kinds.items() if kind == "datetime"]
        if self._known.contents is not None:
            height, days = self._known.contents[0], [self._known.shown[name] for name in times]
        elif height is not None and not times:
            days = []
        else:
            own = [f.col(quoted(name)) for name in times]
            asked = [f.count(f.lit(1)), f.bool_or(is_named(self.columns, kinds))]
            asked += [f.bool_and(one == f.date_trunc("day", one)) for one in own]
            aliased = [one.alias(f"n{at}") for at, one in enumerate(asked)]
            height, named, *days = polars_of(self._fetch(self._frame.agg(*aliased))).row(0)
            self._known.named = bool(named)
        whole = (name for name, day in zip(times, days, strict=True) if day is not False)
        return int(height or 0), kinds | dict.fromkeys(whole, "date")


def is_named(columns: Sequence[str], kinds: Mapping[str, str] | None = None) -> Column:
    """The condition that a record has the name of a column as its value.

    Arguments:
        columns: the columns.
        kinds: their kinds, where these are not all texts: few names can be a number or a date.
    """
    from pyspark.sql import functions as f

    known = kinds or {}
    asked = [
        name
        for name in columns
        if known.get(name, "text") in ("text", "other") or _NO_TEXT.search(name)
    ]
    same = [f.col(quoted(name)).cast("string").isin(cells_of(name, columns)) for name in asked]
    return functools.reduce(operator.or_, same, f.lit(False))


def first(frame: DataFrame, size: int) -> DataFrame:
    """Some records of a frame: so many, or as many as the driver may get."""
    few, sent = _with_bytes(frame, size, _SENT)
    return few.drop(sent)


def _with_bytes(frame: DataFrame, size: int, most: int) -> tuple[DataFrame, str]:
    """The same, and the column of the bytes of a record and of all before it.

    Arguments:
        frame: the frame.
        size: how many records at most.
        most: how many bytes they may have together, but for the last one.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    wide = f.lit(0).cast("long")
    for own in frame.schema.fields:
        if own.dataType.simpleString().startswith(_OF_ANY_LENGTH):
            text = f.col(quoted(own.name)).cast("string")
            wide = wide + f.coalesce(f.octet_length(text), f.lit(0))
        wide = wide + f.lit(_OF_CELL)
    sent, at = spark_cuts.code_name(frame.columns) + "sent", f.monotonically_increasing_id()
    until = Window.orderBy(at).rowsBetween(Window.unboundedPreceding, Window.currentRow)
    added = frame.limit(size).withColumn(sent, f.sum(wide).over(until))
    return added.where(f.col(sent) - wide < most), sent


def _parts(rows: int) -> int:
    """In how many parts so many rows are kept."""
    return min(1 + rows // _ROWS_OF_PART, _MOST_PARTS)


def of_spark(native: Frame, name: str) -> SparkTable | None:
    """A release that Spark keeps, counted once by all who ask; None of other frames."""
    if not is_spark(native) or known_of(native) is None:
        return None
    return SparkTable(native, name)


def arrow_reader(frame: DataFrame) -> pyarrow.RecordBatchReader:
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

    def batches() -> Iterator[pyarrow.RecordBatch]:
        for row in frame.mapInArrow(packed, "part binary").toLocalIterator():
            yield from pa.ipc.open_stream(bytes(row[0]))

    schema = frame.limit(0).toArrow().schema
    cast = (batch.cast(schema) if batch.schema != schema else batch for batch in batches())
    return pa.RecordBatchReader.from_batches(schema, cast)


def like_spark(frame: pl.DataFrame, kind: Frame) -> DataFrame:
    """A Polars frame as a Spark frame, with the types of another one; texts stay texts."""
    from pyspark.sql import functions as f

    types = {field.name: field.dataType for field in kind.schema.fields}
    made = kind.sparkSession.createDataFrame(frame.to_arrow())
    return made.select(
        [
            f.col(quoted(name)).cast(types[name]).alias(name)
            if name in types and dtype != pl.String
            else f.col(quoted(name))
            for name, dtype in frame.schema.items()
        ]
    )
