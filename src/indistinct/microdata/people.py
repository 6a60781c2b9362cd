"""Whose rows are these: the people behind a table in which a person has many rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import DataError, Problem

Conflicts = Literal["error", "first", "last", "most-frequent"]
"""What becomes of quasi-identifiers that differ between the rows of one person."""

CONFLICTS = get_args(Conflicts)


@dataclass(frozen=True)
class Events:
    """The records of people: whose each is, and its sensitive values.

    Arguments:
        person_of: the person of every record, [rows].
        texts: the records' sensitive attributes, null for a missing value.
    """

    person_of: NDArray[np.int32]
    texts: pl.DataFrame

    def of(self, there: NDArray[np.bool_]) -> Events:
        """The records of some of the people, who are numbered anew in the same order."""
        kept = there[self.person_of]
        number = (np.cumsum(there) - 1).astype(np.int32)
        return Events(number[self.person_of[kept]], self.texts.filter(pl.Series(kept)))


_PERSON, _ROW, _VALUE, _COUNT = "person", "row", "value", "count"


@dataclass(frozen=True)
class People:
    """The people behind the rows of a table, numbered by their first row.

    Arguments:
        key: the column that names the person of each row.
        person_of: the person of every row, [rows].
        texts: the people's quasi-identifiers, one row each, null for a missing value.
        resolved: of each quasi-identifier how many people had different values of it, which a rule
            made one.
    """

    key: str
    person_of: NDArray[np.int32]
    texts: pl.DataFrame
    resolved: dict[str, int]

    @property
    def count(self) -> int:
        """Number of people, n."""
        return int(self.person_of.max(initial=-1)) + 1

    @property
    def rows(self) -> int:
        """Number of rows of the table."""
        return len(self.person_of)

    @classmethod
    def of(
        cls,
        texts: pl.DataFrame,
        key: str,
        attributes: Sequence[str],
        *,
        conflicts: Conflicts = "error",
        file: str | None = None,
    ) -> People:
        """The people of a table.

        Arguments:
            texts: the table's rows as text, with the columns ``key`` and ``attributes``.
            key: the column that names the person.
            attributes: what has to be the same in all rows of a person: the quasi-identifiers.
            conflicts: what becomes of attributes that are not: an ``error``, or the person's
                ``first``, ``last`` or ``most-frequent`` value (of equally frequent ones the
                earliest); a missing value is chosen only where a person has no other.
            file: the table's name, for messages.

        Raises:
            DataError: rows without a person; or attributes that differ within people, with the
                number of these people and some of their rows. All of it at once.
        """
        problems = []
        person_of = _numbered(texts[key])
        nobody = np.flatnonzero(person_of < 0)
        if len(nobody):
            problems.append(
                Problem(
                    "row-without-person",
                    "1 row names no person"
                    if len(nobody) == 1
                    else f"{len(nobody)} rows name no person",
                    file=file,
                    attribute=key,
                    rows=tuple(int(row) + 1 for row in nobody[:11]),
                    remedy="fill in the person, or take these rows out",
                )
            )
        count = int(person_of.max(initial=-1)) + 1
        columns, resolved = [], {}
        for name in attributes:
            column, differing = _of_people(texts[name], person_of, count, conflicts)
            columns.append(column)
            if not len(differing):
                continue
            resolved[name] = len(differing)
            if conflicts == "error":
                problems.append(_differing(texts[name], person_of, differing, file))
        if problems:
            raise DataError(problems)
        return cls(key, person_of, pl.DataFrame(columns), resolved)

    def first_rows(self) -> NDArray[np.int64]:
        """The first row of every person, [n]."""
        first = np.zeros(self.count, np.int64)
        first[self.person_of[::-1]] = np.arange(self.rows - 1, -1, -1)
        return first


def _numbered(column: pl.Series) -> NDArray[np.int32]:
    """Numbers of equal texts, by their first row; -1 where there is none."""
    order = column.drop_nulls().unique(maintain_order=True)
    found = column.replace_strict(
        order, pl.Series(np.arange(len(order), dtype=np.int32)), default=-1, return_dtype=pl.Int32
    )
    numbers: NDArray[np.int32] = found.fill_null(-1).to_numpy().astype(np.int32)
    return numbers


def _of_people(
    column: pl.Series, person_of: NDArray[np.int32], count: int, conflicts: Conflicts
) -> tuple[pl.Series, NDArray[np.int32]]:
    """One value per person, and the people with several."""
    rows = pl.DataFrame({_PERSON: person_of, _VALUE: column}).with_row_index(_ROW)
    rows = rows.filter(pl.col(_PERSON) >= 0)
    counted = (
        rows.group_by(_PERSON, _VALUE)
        .agg(pl.len().alias(_COUNT), pl.col(_ROW).min(), pl.col(_ROW).max().alias("last"))
        .with_columns(pl.col(_VALUE).is_null().alias("missing"))
    )
    several = counted.group_by(_PERSON).len().filter(pl.col("len") > 1)[_PERSON].sort()
    by, descending = {
        "last": (["last"], [True]),
        "most-frequent": ([_COUNT, _ROW], [True, False]),
    }.get(conflicts, ([_ROW], [False]))
    chosen = counted.sort([_PERSON, "missing", *by], descending=[False, False, *descending]).unique(
        _PERSON, keep="first", maintain_order=True
    )
    values = chosen.sort(_PERSON)[_VALUE].alias(column.name)
    assert len(values) == count
    return values, several.to_numpy().astype(np.int32)


def _differing(
    column: pl.Series, person_of: NDArray[np.int32], people: NDArray[np.int32], file: str | None
) -> Problem:
    number = len(people)
    rows = np.flatnonzero(person_of == people[0])[:11]
    return Problem(
        "differs-within-people",
        f"differs between the rows of {number} {'person' if number == 1 else 'people'}; "
        "those of the first",
        file=file,
        attribute=column.name,
        rows=tuple(int(row) + 1 for row in rows),
        remedy='correct it, or say which counts: source.conflicts = "first", "last" or '
        '"most-frequent"',
    )
