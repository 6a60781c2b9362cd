"""Combinations that Spark keeps, and releases that it makes by a tree of cuts.

The executors need this package. Each value becomes a code by a broadcast table of the values of its
column; what is sent are functions over codes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from indistinct.sources.parts import Ask, Coding, LeafOf, Part, Place, Walked, Work
from indistinct.sources.spark_release import quoted, telling
from indistinct.sources.streamed_parts import codes_of, part_of, side_by_side, together
from indistinct.types import Frame, Ints

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

Values: TypeAlias = "Callable[[str], tuple[pyarrow.Table, pl.Series]]"
"""The values of a column as the engine has them, an Arrow table of one column, and their texts."""


def with_codes(frame: Frame, codings: Sequence[Coding], values: Values, code: str) -> DataFrame:
    """A frame with the code of some columns beside: of no value that is known, null.

    Values that the engine holds for equal are one from then on.

    Arguments:
        frame: the frame.
        codings: the codes of those columns.
        values: tells the values of a column.
        code: what the columns of codes are called, before their numbers.
    """
    from pyspark.sql import functions as f

    for at, one in enumerate(codings):
        native, texts = values(one.column)
        codes = codes_of(texts, one).to_arrow()
        lookup = native.rename_columns(["k"]).append_column("c", codes)
        known = frame.sparkSession.createDataFrame(lookup).alias("known")
        own = f.col(f"source.{quoted(one.column)}")
        joined = frame.alias("source").join(
            f.broadcast(known), on=own.eqNullSafe(f.col("known.k")), how="left"
        )
        kept = [
            f.col("known.k").alias(name) if name == one.column else f.col(f"source.{quoted(name)}")
            for name in frame.columns
        ]
        frame = joined.select(*kept, f.col("known.c").alias(f"{code}{at}"))
    return frame


class SparkParts:
    """The combinations of a Spark frame, kept by its executors.

    Arguments:
        frame: the frame, with the codes of columns beside.
        code: what the columns of codes are called, before their numbers.
        quasi: how many of them are of quasi-identifiers; these come first.
        sensitive: how many are of sensitive attributes.
        parts: in how many parts they are kept, at most: each hands over sums of its own.
        name: what messages call the table.
    """

    def __init__(
        self, frame: Frame, code: str, quasi: int, sensitive: int, parts: int, name: str
    ) -> None:
        from pyspark.sql import functions as f

        names = [f"{code}{at}" for at in range(quasi + sensitive)]
        counted = frame.groupBy(*map(quoted, names)).agg(f.count(f.lit(1)).alias("n"))
        plain = [f.col(quoted(own)).alias(f"c{at}") for at, own in enumerate(names)]
        self._frame = counted.select(*plain, "n").coalesce(parts).persist()
        self._quasi, self._columns, self._name = quasi, quasi + sensitive, name

    def added_up(self, ask: Ask) -> tuple[Ints, Ints]:
        """The sums by key over all parts."""
        from pyspark.sql import functions as f

        asked = self._frame.mapInArrow(
            _Asked(ask, self._quasi, self._columns), "key long, amount long"
        )
        sums = asked.groupBy("key").agg(f.sum("amount").alias("amount"))
        with telling(self._name):
            found = sums.toArrow()
        return found["key"].to_numpy(), found["amount"].to_numpy()

    def by_region(self, place: Place, work: Work) -> Sequence[tuple[int, bytes]]:
        """What is made of each region that has a combination."""
        kinds = ", ".join(f"c{at} int" for at in range(self._columns))
        placed = self._frame.mapInArrow(
            _Placed(place, self._quasi, self._columns), f"{kinds}, n long, region int"
        )
        worked = _Worked(work, self._quasi, self._columns)

        def found_in(table: Any) -> Any:  # by its arguments it is told what it wants
            return worked.found(table)

        made = placed.groupBy("region").applyInArrow(found_in, "region int, found binary")
        with telling(self._name):
            found = made.toArrow()
        return list(zip(found["region"].to_pylist(), found["found"].to_pylist(), strict=True))

    def close(self) -> None:
        """The executors need not keep them."""
        self._frame.unpersist()


class _Of:
    """What reads combinations from batches of Arrow."""

    def __init__(self, does: Callable[..., Any], quasi: int, columns: int) -> None:
        self.does, self.quasi, self.columns = does, quasi, columns

    def part(self, table: pyarrow.Table) -> Part:
        """The combinations of a table or batch."""
        return part_of(table, self.quasi, self.columns)


class _Asked(_Of):
    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        keys, amounts = self.does(map(self.part, together(batches)))
        yield pa.RecordBatch.from_arrays([pa.array(keys), pa.array(amounts)], ["key", "amount"])


class _Placed(_Of):
    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in together(batches):
            region = self.does(self.part(batch))
            placed = pa.RecordBatch.from_arrays(
                [*batch.columns, pa.array(region, pa.int32())], [*batch.schema.names, "region"]
            )
            yield placed.filter(pa.array(region >= 0))


class _Worked(_Of):
    def found(self, table: pyarrow.Table) -> pyarrow.Table:
        """The region of some combinations, and what is made of it."""
        import pyarrow as pa

        found = self.does(self.part(table))
        region = table.column(self.columns + 1)[:1]
        return pa.table({"region": region, "found": pa.array([found], pa.binary())})


class _Walks:
    """The leaf of every record, in place of the codes of its values, which come last."""

    def __init__(self, leaf_of: LeafOf, quasi: int) -> None:
        self.leaf_of, self.quasi = leaf_of, quasi

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in together(batches):
            first = batch.num_columns - self.quasi
            codes = [np.asarray(column.fill_null(-1)) for column in batch.columns[first:]]
            leaf = self.leaf_of(side_by_side(codes, batch.num_rows))
            names = [*batch.schema.names[:first], "leaf"]
            yield pa.RecordBatch.from_arrays([*batch.columns[:first], pa.array(leaf)], names)


def walked(frame: Frame, tree: Walked, values: Values) -> DataFrame:
    """A frame with the leaf of every record in the last column, which is called ``leaf``.

    Arguments:
        frame: the records.
        tree: the tree that they walk down.
        values: tells the values of a column.
    """
    from pyspark.sql import types

    code = code_name(frame.columns)
    coded = with_codes(frame, tree.quasi, values, code)
    kinds = [types.StructField(one.name, one.dataType, True) for one in coded.schema.fields]
    kinds = kinds[: len(frame.columns)]
    schema = types.StructType([*kinds, types.StructField("leaf", types.IntegerType(), True)])
    return coded.mapInArrow(_Walks(tree.leaf_of, len(tree.quasi)), schema)


def code_name(columns: Sequence[str]) -> str:
    """How columns of codes can be called beside others, for an engine that folds cases.

    >>> code_name(["age"]), code_name(["CODE_0"])
    ('code_', '_code_')
    """
    name = "code_"
    while any(column.lower().startswith(name) for column in columns):
        name = "_" + name
    return name
