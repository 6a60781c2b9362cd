"""How executors keep a shuffled release: what is published of combinations stands there once.

A record is kept as its own values, the number of what is published of its combination, and its
digest, by which it was dealt to parts and sorted. That is less to deal, to sort and to keep, and
numbers are counted in less time than texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from indistinct.frozen import dataclass
from indistinct.sources.spark_release import Known, Shown, forms_of, polars_of, quoted, summed_up
from indistinct.sources.text import WHOLE

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

NUMBER = "number"
"""What a lookup calls the number of what is published."""


def numbered(lookup: pyarrow.Table, columns: Sequence[str]) -> tuple[pyarrow.Table, pyarrow.Table]:
    """A lookup with the number of what is published, and what is published, by its number."""
    at = "at"
    names = [f"c{one}" for one in range(len(columns))]
    shown = polars_of(lookup.select(list(columns)).rename_columns(names))
    groups = shown.with_row_index(at).group_by(names, maintain_order=True).agg(at)
    groups = groups.select(at).with_row_index(NUMBER).with_columns(pl.col(NUMBER).cast(pl.Int32))
    number = groups.explode(at).sort(at)[NUMBER].to_arrow()
    first = groups[at].list.first().to_arrow()
    published = lookup.select(list(columns)).take(first)
    return (
        lookup.append_column(NUMBER, number),
        published.append_column(NUMBER, groups[NUMBER].to_arrow()),
    )


@dataclass(frozen=True)
class Kept:
    """A release as the executors keep it.

    Arguments:
        records: the own values of each, with its digest and its number.
        shown: the columns that are published of combinations, by number.
        here: the same as an Arrow table, in the order of the numbers.
        digest: what the column of digests is called.
        number: what the columns of numbers are called.
    """

    records: DataFrame
    shown: DataFrame
    here: pyarrow.Table
    digest: str
    number: str

    def release(self, columns: Sequence[str]) -> DataFrame:
        """The rows of the release, lazily; to free it frees what is kept."""
        from pyspark.sql import functions as f

        joined = self.records.join(f.broadcast(self.shown), on=self.number, how="inner")
        made = joined.select([quoted(name) for name in columns])
        made.unpersist = self.records.unpersist
        return made

    def known(self, release: DataFrame, seed: int) -> Known:
        """What is known of the release, from one pass over what is kept."""
        from pyspark.sql import functions as f

        forms = forms_of(release)
        own = {name: one for name, one in forms.items() if name in self.records.columns}
        contents, different, shown = summed_up(self.records, f.col(self.digest), own)
        other = polars_of(self.here.select([name for name in forms if name not in own]))
        shown = {**shown, **{values.name: _form_of(values) for values in other.get_columns()}}
        told: Shown = {name: shown[name] for name in forms}
        return Known(contents, told, different, seed, kept=self)

    def counted(
        self, columns: Sequence[str], count: str, tasks: int
    ) -> tuple[DataFrame, Callable[[pyarrow.Table], pyarrow.Table]]:
        """The combinations of some columns of the release, and how many records have each: a frame,
        and what completes it once it is here.

        Arguments:
            columns: the columns.
            count: what the column of counts is called.
            tasks: in how many tasks records are counted at most.
        """
        from pyspark.sql import functions as f

        own = [name for name in columns if name in self.records.columns]
        other = [name for name in columns if name not in own]
        by = [*own, self.number] if other else own
        records = self.records.coalesce(tasks).groupBy(*map(quoted, by))
        counted = records.agg(f.count(f.lit(1)).alias(count))
        completed = partial(self._completed, columns=[*columns], count=count)
        if not own or not other or self._told_apart(other):
            return counted, completed
        shown = self.shown.select(self.number, *map(quoted, other))
        counted = counted.join(f.broadcast(shown), on=self.number, how="inner")
        names = list(map(quoted, columns))
        return counted.groupBy(*names).agg(f.sum(quoted(count)).alias(count)), completed

    def _told_apart(self, columns: Sequence[str]) -> bool:
        """Whether no two numbers show the same in some columns, as they are all."""
        return len(columns) + 1 == len(self.here.column_names)

    def _completed(
        self, counted: pyarrow.Table, columns: Sequence[str], count: str
    ) -> pyarrow.Table:
        """Counts with what the numbers show in place of these."""
        if self.number not in counted.column_names:
            return counted.select([*columns, count])
        other = [name for name in columns if name not in counted.column_names]
        for name in other:
            shown = self.here.column(name).take(counted.column(self.number))
            counted = counted.append_column(name, shown)
        if self._told_apart(other):
            return counted.select([*columns, count])
        added = counted.group_by([*columns], use_threads=False).aggregate([(count, "sum")])
        return added.select([*columns, f"{count}_sum"]).rename_columns([*columns, count])


def _form_of(values: pl.Series) -> bool | None:
    """What :func:`spark_release.forms_of` asks, of a column that is here."""
    held = values.drop_nulls()
    if not len(held):
        return None
    if held.dtype == pl.String:
        return bool(held.str.ends_with(WHOLE).any())
    if held.dtype.is_float():
        return bool(((held == held.floor()) & (held.abs() < 2**53)).all())
    return bool((held == held.dt.truncate("1d")).all())
