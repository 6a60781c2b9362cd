"""Columns that number people who have several records each, recognised from the data.

A number that repeats, and in whose records the sex, the birth, the ethnicity hardly ever differ,
numbers people, whatever its name. How often they would differ by chance is known from how frequent
their values are: a number in whose records they differ a tenth as often, or less, is taken for one
of people. Where no column is known to be about a person, two columns do that are the same in all
records of a number and do not follow from each other; one that does could be the name of a code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from indistinct.sources.table import Table, count_column

STEADY = frozenset(
    ("birth", "death", "sex", "ethnicity", "nationality", "language", "religion")
)  # fmt: skip
"""What a column may be about that is the same in all records of a person."""

CHANGING = frozenset(("age", "family", "education", "occupation"))
"""What seldom changes from one record of a person to the next: asked where nothing is steady."""

FEWEST_DIFFERENCES = 3.0
"""With fewer differences expected by chance, nothing follows from there being none."""

MOST_DIFFERENCES = 0.1
"""Differences there may be for each that is expected by chance: people are mistyped."""

FEWEST_NUMBERS = 20
"""With fewer numbers, each of them has to be that of five records or fewer on average."""

MOST_LOOKED_AT = 40
"""Columns with the most values that may be numbers, and columns looked at beside each of them."""


@dataclass(frozen=True)
class Column:
    """What is known of a column before others are looked at beside it.

    Arguments:
        name: its name.
        about: what its name says it is about.
        kind: of what kind its values are.
        distinct: how many different values it has.
        filled: how many records have one.
        tokens: what stands for a missing one.
    """

    name: str
    about: str | None
    kind: str
    distinct: int
    filled: int
    tokens: tuple[str, ...] = ()

    @property
    def could_number(self) -> bool:
        """Whether its values could be numbers of people with several records."""
        several = self.distinct >= FEWEST_NUMBERS or 5 * self.distinct >= self.filled
        return self.kind in ("integer", "text") and 1 < self.distinct < self.filled and several


def person_keys(
    table: Table, columns: Sequence[Column], candidates: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The columns that number people, each with the columns that show it.

    Arguments:
        table: the table.
        columns: its columns.
        candidates: the names of those that may be such numbers.
    """
    known = [item for item in columns if item.distinct > 1]
    personal = [item for item in known if item.about in STEADY]
    personal = personal or [item for item in known if item.about in CHANGING]
    others = [item for item in known if item.about is None]
    numbers = [item for item in columns if item.name in candidates and item.could_number]
    numbers.sort(key=lambda item: -item.distinct)
    found = {}
    for item in numbers[:MOST_LOOKED_AT]:
        shown = [
            one.name
            for one in personal[:MOST_LOOKED_AT]
            if one is not item and _constant(table, item, one)
        ]
        if not personal:
            shown = _independent(table, item, others)
        if shown and not several_people(table, columns, item.name):
            found[item.name] = tuple(shown)
    return found


def several_people(table: Table, columns: Sequence[Column], name: str) -> bool:
    """Whether a number is one of several people: their sex or birth differs within it.

    Arguments:
        table: the table.
        columns: its columns.
        name: the column of the number.
    """
    number = next(item for item in columns if item.name == name)
    steady = [item for item in columns if item.about in ("sex", "birth") and item.distinct > 1]
    found = (_differences(table, number, item) for item in steady if item is not number)
    return any(
        expected > 0 and differing > MOST_DIFFERENCES * expected for differing, expected in found
    )


def _independent(table: Table, number: Column, others: Sequence[Column]) -> list[str]:
    """Two columns that hardly differ in the records of a number, and are no names of each other."""
    shown: list[str] = []
    few = [item for item in others if item is not number and 2 * item.distinct <= number.distinct]
    for item in few[:MOST_LOOKED_AT]:
        if not _constant(table, number, item):
            continue
        if any(not _follows(table, one, item.name) for one in shown):
            return [shown[0], item.name]
        shown = shown or [item.name]
    return []


def _follows(table: Table, one: str, other: str) -> bool:
    """Whether one of two columns says what the other is."""
    pairs = table.distinct([one, other]).height
    return pairs in (table.distinct([one]).height, table.distinct([other]).height)


def _constant(table: Table, number: Column, other: Column) -> bool:
    """Whether a column differs far less often within the records of a number than by chance."""
    differing, expected = _differences(table, number, other)
    return expected >= FEWEST_DIFFERENCES and differing <= MOST_DIFFERENCES * expected


def _differences(table: Table, number: Column, other: Column) -> tuple[int, float]:
    """Numbers within which a column differs, and how many there would be by chance."""
    columns = [number.name, other.name]
    counted = table.distinct(columns)
    counted = counted.select(
        pl.col(item.name).replace(dict.fromkeys(item.tokens)).alias(role)
        for item, role in ((number, "number"), (other, "value"))
    ).hstack(counted.select(pl.col(count_column(columns)).alias("count")))
    counted = counted.drop_nulls()
    share = counted.group_by("value").agg(pl.col("count").sum())["count"]
    share = share / share.sum()
    groups = counted.group_by("number").agg(
        pl.len().alias("values"), pl.col("count").sum().alias("records")
    )
    groups = groups.filter(pl.col("records") > 1)
    sizes = groups.group_by("records").len()
    expected = sum(count * (1.0 - float((share**size).sum())) for size, count in sizes.iter_rows())
    return int((groups["values"] > 1).sum()), float(expected)
