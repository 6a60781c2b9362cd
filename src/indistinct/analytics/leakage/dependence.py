"""Columns that give a quasi-identifier away: an exact age beside one in classes of ten years.

What is published as it is can undo a generalization, where one value of it goes with one value of
the quasi-identifier; or undo some of it, as a year of birth does, or an age in classes of five. No
promise about equivalence classes sees that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from indistinct.analytics.profile.record_numbers import FEW_RECORDS
from indistinct.sources.table import Table
from indistinct.sources.text import all_ranks, ranks
from indistinct.types import Ints

PURE = 0.95
"""Share of the records, with company in their column, whose value settles the other one."""

CHANCE = 0.5
"""If as many would be settled by chance, the column is not held to give the other one away."""

SAMPLE = 4_000
"""Records at which a large table is looked at first."""

NARROWER = 1.8
"""How many times as often two records of a class must share an exact value to be told of it."""

MANY_PAIRS = 1_000
"""Columns times quasi-identifiers from which fewer records are looked at."""

CLEAR = 10
"""Pairs that must share an exact value beyond what chance explains."""

FEWER = 500
"""Records that are looked at then."""

_SIZE, _LARGEST, _COUNT = "size", "largest", "count"

Narrowed = list[tuple[str, str, float]]
"""A column, a quasi-identifier, and how many times fewer records of a class it leaves."""


def giving_away(
    table: Table,
    published: Iterable[str],
    generalized: Sequence[str],
    sampled: pl.DataFrame | None = None,
) -> list[tuple[str, str]]:
    """Pairs of a column that is published as it is, and a quasi-identifier that it determines.

    Arguments:
        table: the private table.
        published: columns that are published as they are.
        generalized: quasi-identifiers that are not.
        sampled: both in some records of the table, where these were drawn already.
    """
    columns = list(published) if generalized else []
    if not columns:
        return []
    small = table.height() <= SAMPLE
    wanted = [*columns, *generalized]
    some = table.sample(wanted, SAMPLE) if sampled is None else sampled.select(wanted)
    codes = all_ranks(some)
    found = []
    for column in columns:
        for quasi in generalized:
            if not _settles(codes[column], codes[quasi]):
                continue
            seen = some.select(pl.col(column).alias("from"), pl.col(quasi).alias("to"))
            pairs = seen.group_by("from", "to").agg(pl.len().alias(_COUNT))
            if determines(pairs) and not small:
                pairs = table.distinct([column, quasi])
                pairs.columns = ["from", "to", _COUNT]
            if determines(pairs):
                found.append((column, quasi))
    return found


def _settles(code: Ints, other: Ints) -> bool:
    """Whether values of one column settle those of another in nearly all records, chance or not.

    Where they do not, :func:`determines` does not say so either, and takes longer to find it.
    """
    there = code > 0
    code, other = code[there], other[there]
    size = np.bincount(code)
    low, high = np.full(len(size), np.iinfo(np.int64).max), np.full(len(size), -1)
    np.minimum.at(low, code, other)
    np.maximum.at(high, code, other)
    return bool(size[(size > 1) & (low == high)].sum() >= PURE * size[size > 1].sum())


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


def narrowing(beside: pl.DataFrame, exact: pl.DataFrame, shown: pl.DataFrame) -> Narrowed:
    """Columns that are published as they are and narrow a generalized quasi-identifier down.

    Two records that show the same label and have the same value in a column share their exact value
    so many times as often as two that only show the same label. As many times fewer records are
    left of a class if the exact value is known. Pairs are counted without those of a
    record with itself, so a column of many values is not held to tell anything by that.

    Arguments:
        beside: the columns, with a row for every record (or person).
        exact: the quasi-identifiers, with their own values, the same rows.
        shown: the same as published.
    """
    rows = FEWER if beside.width * exact.width > MANY_PAIRS else SAMPLE
    columns = all_ranks(beside.head(rows))
    found = []
    for quasi in exact.columns:
        label, value = ranks(shown[quasi].head(rows)), ranks(exact[quasi].head(rows))
        if len(value) < FEW_RECORDS:
            continue
        for column, code in columns.items():
            there = code > 0
            same, alike = _pairs(label[there]), _pairs(label[there], value[there])
            among = _pairs(label[there], code[there])
            both = _pairs(label[there], code[there], value[there])
            expected = among * alike / max(same, 1)
            if both > max(NARROWER * expected, expected + 6 * expected**0.5 + 2 * CLEAR):
                found.append((column, quasi, both / max(expected, 1e-9)))
    return found


def _pairs(*codes: Ints) -> int:
    """How many ordered pairs of two records are equal in all of these codes."""
    key = np.zeros(len(codes[0]), np.int64)
    for code in codes:
        key = key * (int(code.max(initial=0)) + 1) + code
    count = np.unique(key, return_counts=True)[1].astype(np.int64)
    return int((count * (count - 1)).sum())
