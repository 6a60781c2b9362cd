"""Columns that give a quasi-identifier away: a year of birth beside an age in classes of ten years.

What is published as it is can undo a generalization, where one value of it goes with one value of
the quasi-identifier. No promise about equivalence classes sees that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from indistinct.analytics.profile import FEW_RECORDS
from indistinct.sources.table import Table

PURE = 0.95
"""Share of the records, with company in their column, whose value settles the other one."""

CHANCE = 0.5
"""If as many would be settled by chance, the column is not held to give the other one away."""

SAMPLE = 4_000
"""Records at which a large table is looked at first."""

_SIZE, _LARGEST, _COUNT = "size", "largest", "count"


def giving_away(
    table: Table, published: Iterable[str], generalized: Sequence[str]
) -> list[tuple[str, str]]:
    """Pairs of a column that is published as it is, and a quasi-identifier that it determines.

    Arguments:
        table: the private table.
        published: columns that are published as they are.
        generalized: quasi-identifiers that are not.
    """
    columns = list(published) if generalized else []
    if not columns:
        return []
    small = table.height() <= SAMPLE
    some = table.sample([*columns, *generalized], SAMPLE)
    found = []
    for column in columns:
        for quasi in generalized:
            seen = some.select(pl.col(column).alias("from"), pl.col(quasi).alias("to"))
            pairs = seen.group_by("from", "to").agg(pl.len().alias(_COUNT))
            if determines(pairs) and not small:
                pairs = table.distinct([column, quasi])
                pairs.columns = ["from", "to", _COUNT]
            if determines(pairs):
                found.append((column, quasi))
    return found


def determines(pairs: pl.DataFrame) -> bool:
    """Whether ``from`` settles ``to`` in distinct pairs of them with their ``count``.

    Only values of ``from`` that two records or more share are looked at, and they must be those of
    half of the records: a column in which all records differ settles everything.
    """
    known = pairs.drop_nulls("from")
    records = int(known[_COUNT].sum())
    groups = known.group_by("from").agg(
        pl.col(_COUNT).sum().alias(_SIZE), pl.col(_COUNT).max().alias(_LARGEST)
    )
    shared = groups.filter(pl.col(_SIZE) > 1)
    several = int(shared[_SIZE].sum())
    if records < FEW_RECORDS or 2 * several < records:
        return False
    pure = int(shared.filter(pl.col(_SIZE) == pl.col(_LARGEST))[_SIZE].sum())
    if pure < PURE * several:
        return False
    shares = known.group_by("to").agg(pl.col(_COUNT).sum())[_COUNT] / records
    by_size = shared.group_by(_SIZE).agg(pl.len().alias(_COUNT))
    expected = sum(
        size * count * float((shares**size).sum()) for size, count in by_size.iter_rows()
    )
    return bool(expected < CHANCE * several)
