"""Published columns from which ranks of sensitivity follow: one alone, or two together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import polars as pl

from indistinct.analytics.attacks.rank_disclosure import UNKNOWN
from indistinct.analytics.leakage.derivations import SAMPLE
from indistinct.analytics.leakage.leak import BELIEF
from indistinct.metadata import Value
from indistinct.sources.table import Table

FOLLOWS = 0.1
"""Columns that tell so many of the ranks in doubt are told of."""

BELIEVED = float(BELIEF)

MOST_PAIRED = 24
"""Columns of which every two are looked at together: those that tell most by themselves."""


def followed(
    table: Table,
    name: str,
    columns: Sequence[str],
    ranks: Mapping[Value, int],
    masked: tuple[Table, Sequence[str]] | None = None,
) -> dict[tuple[str, ...], float]:
    """Of what share of records columns that are published tell the rank, one alone or two together.

    A value, or two, tells a rank that 95 % of its records have, where as many records drawn at
    random would seldom all have it (for two, ever more seldom: there are many pairs). Ranks that
    plain frequencies tell already are left out. Two columns are looked at in a sample, where
    neither is told of alone.

    Arguments:
        table: the source, with values as transformed.
        name: the attribute whose values have ranks.
        columns: those that are published with the values they have there.
        ranks: the rank of every value.
        masked: the release, and the identifiers of which it shows some letters.
    """
    beside = [one for one in columns if one != name and table.kinds[one] != "other"]
    told = {(one,): _told(table.distinct([name, one]), [one], ranks) for one in beside}
    if masked is not None:
        shown, letters = masked
        told |= {(one,): _told(shown.distinct([name, one]), [one], ranks) for one in letters}
    found: dict[tuple[str, ...], float]
    found = {columns: share for columns, share in told.items() if share >= FOLLOWS}
    left = sorted((one for one in beside if (one,) not in found), key=lambda one: -told[one,])
    if len(left) > 1:
        some = table.sample([name, *left[:MOST_PAIRED]], SAMPLE)
        for pair in combinations(left[:MOST_PAIRED], 2):
            share = _told(some.group_by(name, *pair).len(), pair, ranks)
            found |= {pair: share} if share >= FOLLOWS else {}
    return found


def _told(counted: pl.DataFrame, columns: Sequence[str], ranks: Mapping[Value, int]) -> float:
    """The share of the records whose rank is in doubt that values of some columns tell.

    Arguments:
        counted: values with ranks, and of these columns, with how often they occur together, last.
        columns: the columns.
        ranks: the rank of every value.
    """
    (name,) = {*counted.columns[:-1]} - {*columns}
    rank = pl.Series("\0rank", [ranks.get(one, UNKNOWN) for one in counted[name]], pl.Int32)
    count = counted[counted.columns[-1]].cast(pl.Int64).alias("\0count")
    held = counted.select(columns).with_columns(rank, count).filter(rank != UNKNOWN)
    held = held.group_by(*columns, "\0rank").agg(pl.col("\0count").sum())
    times = pl.col("\0count")
    of_rank, size = times.sum().over("\0rank") / times.sum(), times.sum().over(columns)
    in_doubt = held.select(times, of_rank=of_rank, size=size).filter(pl.col("of_rank") < BELIEVED)
    told = in_doubt.filter(
        times >= BELIEVED * pl.col("size"),
        pl.col("of_rank").pow(pl.col("size")) <= (1 - BELIEVED) ** len(columns),
    )
    return int(told["\0count"].sum()) / max(int(in_doubt["\0count"].sum()), 1)
