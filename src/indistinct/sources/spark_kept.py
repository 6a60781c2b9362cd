"""How executors keep a shuffled release: what is published of combinations stands there once.

A record is kept as its own values, the number of what is published of its combination, and its
digest, by which it was dealt to parts and sorted. That is less to deal, to sort and to keep, and
numbers are counted in less time than texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from indistinct.sources.spark_release import Known, Shown, forms_of, polars_of, quoted, summed_up

NUMBER = "number"
"""What a lookup calls the number of what is published."""


def numbered(lookup: Any, columns: Sequence[str]) -> tuple[Any, Any]:
    """A lookup with the number of what is published, and what is published, by its number.

    Arguments:
        lookup: an Arrow table.
        columns: those of its columns that are published.
    """
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
        digest: what the column of digests is called.
        number: what the columns of numbers are called.
    """

    records: Any
    shown: Any
    digest: str
    number: str

    def release(self, columns: Sequence[str]) -> Any:
        """The rows of the release, lazily; to free it frees what is kept."""
        from pyspark.sql import functions as f

        joined = self.records.join(f.broadcast(self.shown), on=self.number, how="inner")
        made = joined.select([quoted(name) for name in columns])
        made.unpersist = self.records.unpersist
        return made

    def known(self, release: Any, seed: int) -> Known:
        """What is known of the release, from one pass over what is kept."""
        from pyspark.sql import functions as f

        forms = forms_of(release)
        own = {name: one for name, one in forms.items() if name in self.records.columns}
        other = {name: one for name, one in forms.items() if name not in own}
        contents, different, shown = summed_up(self.records, f.col(self.digest), own)
        if other:
            found = polars_of(self.shown.agg(*_named(other)).toArrow()).row(0)
            shown = {**shown, **dict(zip(other, found, strict=True))}
        told: Shown = {name: shown[name] for name in forms}
        return Known(contents, told, different, seed, kept=self)

    def counted(self, columns: Sequence[str], count: str, tasks: int) -> Any:
        """The combinations of some columns of the release, and how many records have each.

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
        if not other:
            return counted
        shown = self.shown.select(self.number, *map(quoted, other))
        counted = counted.join(f.broadcast(shown), on=self.number, how="inner")
        names = list(map(quoted, columns))
        if len(other) + 1 < len(self.shown.columns):  # several numbers may show the same
            counted = counted.groupBy(*names).agg(f.sum(quoted(count)).alias(count))
        return counted.select(*names, quoted(count))


def _named(asked: Mapping[str, Any]) -> list[Any]:
    return [one.alias(f"n{at}") for at, one in enumerate(asked.values())]
