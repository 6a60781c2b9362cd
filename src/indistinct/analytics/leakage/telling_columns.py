"""Published columns from which ranks of sensitivity follow: one alone, or two together.

A column tells ranks by its values, or by ranges of them: who cost more than 10,000 had a severe
illness, though nobody else had the same costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import log

import polars as pl

from indistinct.analytics.attacks.rank_disclosure import UNKNOWN
from indistinct.analytics.leakage.derivations import SAMPLE
from indistinct.analytics.leakage.leak import BELIEF
from indistinct.analytics.profile.values import read_values
from indistinct.hierarchies.moments import reader
from indistinct.metadata import Value
from indistinct.sources.table import Table

FOLLOWS = 0.1
"""Columns that tell so many of the ranks in doubt are told of."""

BELIEVED = float(BELIEF)

_IN = "\0range"

MOST_PAIRED = 24
"""Columns of which every two are looked at together: those that tell most by themselves."""

RANGES = (128, 32, 8)
"""Into so many ranges of about as many records values are put, numbers and dates by their size."""


def followed(
    table: Table,
    name: str,
    columns: Sequence[str],
    ranks: Mapping[Value, int],
    masked: tuple[Table, Sequence[str]] | None = None,
) -> dict[tuple[str, ...], float]:
    """Of what share of records columns that are published tell the rank, one alone or two together.

    A value, a range of values, or two of these, tell a rank that 95 % of their records have, where
    records drawn at random would seldom have it as often (for ranges and two columns, ever more
    seldom: there are many of them). Ranks that plain frequencies tell already are left out. Two
    columns are looked at in a sample, where neither is told of alone.

    Arguments:
        table: the source, with values as transformed.
        name: the attribute whose values have ranks.
        columns: those that are published with the values they have there.
        ranks: the rank of every value.
        masked: the release, and the identifiers of which it shows some letters.
    """
    beside = [one for one in columns if one != name and table.kinds[one] != "other"]
    told: dict[tuple[str, ...], float] = {}
    few: dict[str, pl.DataFrame] = {}
    for one in beside:
        counted = table.distinct([name, one])
        ranges = _ranges(counted, one, table.kinds[one])
        told[one,] = max(
            _told(counted, [one], ranks),
            *(_told(_with_ranges(counted, each), [one], ranks, 2) for each in ranges),
            0,
        )
        few |= {one: ranges[-1]} if len(ranges) == len(RANGES) else {}
    if masked is not None:
        shown, letters = masked
        told |= {(one,): _told(shown.distinct([name, one]), [one], ranks) for one in letters}
    found: dict[tuple[str, ...], float]
    found = {columns: share for columns, share in told.items() if share >= FOLLOWS}
    left = sorted((one for one in beside if (one,) not in found), key=lambda one: -told[one,])
    if len(left) > 1:
        some = table.sample([name, *left[:MOST_PAIRED]], SAMPLE)
        for one in left[:MOST_PAIRED]:
            some = _with_ranges(some, few[one]) if one in few else some
        for pair in combinations(left[:MOST_PAIRED], 2):
            share = _told(some.group_by(name, *pair).len(), pair, ranks, 2)
            found |= {pair: share} if share >= FOLLOWS else {}
    return found


def _ranges(counted: pl.DataFrame, column: str, kind: str) -> list[pl.DataFrame]:
    """The range that each value of a column is in, where it has more values than ranges.

    Numbers and dates are put in order by their size, everything else as texts.

    Returns:
        For each number of ranges the column, and the number of the range, as text.
    """
    times = pl.col(counted.columns[-1]).cast(pl.Int64).sum()
    values = counted.group_by(pl.col(column).cast(pl.String)).agg(times.alias("count"))
    values = values.drop_nulls().rename({column: "value"})
    if values.height <= min(RANGES):
        return []
    read = read_values(values, kind)
    size = values["value"]
    if read.numbers is not None:
        size = read.numbers
    elif read.date_format is not None:
        moments = map(reader(read.date_format), read.texts)
        days = [None if one is None else [part or 0 for part in one[:3]] for one in moments]
        size = pl.Series(days, dtype=pl.Array(pl.Int64, 3)).rank("dense")
    placed = pl.DataFrame({column: read.texts, "count": read.counts, "size": size}).sort("size")
    before = placed["count"].cum_sum() - placed["count"]
    return [
        placed.select(column, ((before * many) // placed["count"].sum()).cast(pl.String).alias(_IN))
        for many in RANGES
        if values.height > many
    ]


def _with_ranges(frame: pl.DataFrame, ranges: pl.DataFrame) -> pl.DataFrame:
    """A frame with ranges in place of the values of one column; other columns stay as they are."""
    (column,) = {*ranges.columns} - {_IN}
    texts = frame.with_columns(pl.col(column).cast(pl.String))
    placed = texts.join(ranges, on=column, how="left", maintain_order="left")
    return placed.with_columns(pl.col(_IN).alias(column)).drop(_IN).select(frame.columns)


def _told(
    counted: pl.DataFrame, columns: Sequence[str], ranks: Mapping[Value, int], seldom: int = 1
) -> float:
    """The share of the records whose rank is in doubt that values of some columns tell.

    Arguments:
        counted: values with ranks, and of these columns, with how often they occur together, last.
        columns: the columns.
        ranks: the rank of every value.
        seldom: a rank counts as told that a value has by chance with 0.05 to this power at most,
            by the bound of Chernoff (1952).
    """
    (name,) = {*counted.columns[:-1]} - {*columns}
    rank = pl.Series("\0rank", [ranks.get(one, UNKNOWN) for one in counted[name]], pl.Int32)
    count = counted[counted.columns[-1]].cast(pl.Int64).alias("\0count")
    held = counted.select(columns).with_columns(rank, count).filter(rank != UNKNOWN)
    held = held.group_by(*columns, "\0rank").agg(pl.col("\0count").sum())
    times = pl.col("\0count")
    of_rank, size = times.sum().over("\0rank") / times.sum(), times.sum().over(columns)
    in_doubt = held.select(times, of_rank=of_rank, size=size).filter(pl.col("of_rank") < BELIEVED)
    theirs, other = times / pl.col("size"), 1 - times / pl.col("size")
    apart = theirs * (theirs / pl.col("of_rank")).log()
    apart += pl.when(other > 0).then(other * (other / (1 - pl.col("of_rank"))).log()).otherwise(0)
    told = in_doubt.filter(
        theirs >= BELIEVED, pl.col("size") * apart >= -seldom * log(1 - BELIEVED)
    )
    return int(told["\0count"].sum()) / max(int(in_doubt["\0count"].sum()), 1)
