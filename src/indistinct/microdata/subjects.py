"""Whose rows are these: every row somebody of their own, or people who have many rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.document import first_names, many
from indistinct.errors import DataError, Problem, Problems, refuse
from indistinct.frozen import dataclass, field
from indistinct.microdata.encoding import codes_in
from indistinct.types import Bools, Ints, Ints32
from indistinct.warning_kinds import Kind, WarningText

Conflicts = Literal["error", "first", "last", "most-frequent"]
"""What becomes of quasi-identifiers that differ between the rows of one person."""


_Kind = TypeVar("_Kind", bound=np.generic)


@dataclass(frozen=True)
class Events:
    """The records of people: whose each is, and its sensitive values.

    Arguments:
        person_of: the person of every record, [rows].
        texts: the records' sensitive attributes, null for a missing value.
    """

    person_of: Ints32
    texts: pl.DataFrame

    def of(self, there: Bools) -> Events:
        """The records of some of the people, who are numbered anew in the same order."""
        kept = there[self.person_of]
        number = (np.cumsum(there) - 1).astype(np.int32)
        return Events(number[self.person_of[kept]], self.texts.filter(pl.Series(kept)))


_PERSON, _ROW, _VALUE, _COUNT = "person", "row", "value", "count"

Unit = Literal["record", "person"]


@dataclass(frozen=True)
class Subjects:
    """Whose rows these are: what a release speaks of, one row of ``texts`` for each.

    Where every row is somebody of their own, subjects are rows. Where people have many rows, they
    are people, numbered by their first row.

    Arguments:
        unit: what a subject is, a ``record`` or a ``person``.
        texts: the subjects' attributes, one row each, null for a missing value. Of records these
            are all their attributes, of people the quasi-identifiers.
        count: number of subjects; where an engine counted, of distinct rows.
        rows: number of rows of the table.
        weight: how many records each row of ``texts`` stands for, where an engine counted the
            distinct ones; None for one.
        key: the column that names the person of each row.
        subject_of: the subject of every row, [rows]; None where each row is its own subject, or
            where an engine holds the rows.
        events: the people's records, with their sensitive values; None of records, which have them
            in ``texts``.
        resolved: of each quasi-identifier how many people had different values of it, which a rule
            made one.
    """

    unit: Unit
    texts: pl.DataFrame
    count: int
    rows: int
    weight: Ints | None = None
    key: str | None = None
    subject_of: Ints32 | None = None
    events: Events | None = None
    resolved: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of_records(cls, texts: pl.DataFrame, weight: Ints | None = None) -> Subjects:
        """Rows that are subjects themselves, or distinct ones with how many records have each."""
        rows = texts.height if weight is None else int(weight.sum())
        return cls("record", texts, texts.height, rows, weight)

    @classmethod
    def of_people(
        cls,
        texts: pl.DataFrame,
        key: str,
        attributes: Sequence[str],
        sensitive: Sequence[str] = (),
        *,
        conflicts: Conflicts = "error",
        file: str | None = None,
    ) -> Subjects:
        """The people of a table in which a person has many rows.

        Arguments:
            texts: the table's rows as text, with all the columns named.
            key: the column that names the person.
            attributes: what has to be the same in all rows of a person: the quasi-identifiers.
            sensitive: the attributes whose values are the people's events.
            conflicts: what becomes of attributes that are not: an ``error``, or the person's
                ``first``, ``last`` or ``most-frequent`` value (of equally frequent ones the
                earliest); a missing value is chosen only where a person has no other.
            file: the table's name, for messages.

        Raises:
            DataError: rows without a person; or attributes that differ within people, with the
                number of these people and some of their rows. All of it at once.
        """
        problems = Problems()
        person_of = _numbered(texts[key])
        nobody = np.flatnonzero(person_of < 0)
        if len(nobody):
            problems.add(
                "row-without-person",
                "1 row names no person"
                if len(nobody) == 1
                else f"{many(len(nobody), 'row names')} no person",
                file=file,
                attribute=key,
                rows=tuple(int(row) + 1 for row in nobody[:11]),
                remedy="fill in the person, or take these rows out",
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
        refuse(DataError, problems)
        return cls(
            "person",
            pl.DataFrame(columns),
            count,
            texts.height,
            key=key,
            subject_of=person_of,
            events=Events(person_of, texts.select(sensitive)),
            resolved=resolved,
        )

    @property
    def person_of(self) -> Ints32:
        """The subject of every row, [rows], where the rows are at hand."""
        if self.subject_of is not None:
            return self.subject_of
        return np.arange(self.rows, dtype=np.int32)

    def of_rows(self, values: NDArray[_Kind]) -> NDArray[_Kind] | None:
        """What every row has of what subjects have, [rows]; None where an engine holds the rows."""
        if self.subject_of is not None:
            return values[self.subject_of]
        return values if self.weight is None else None

    def first_rows(self) -> Ints:
        """The first row of every subject, [n]."""
        first = np.zeros(self.count, np.int64)
        first[self.person_of[::-1]] = np.arange(self.rows - 1, -1, -1)
        return first

    @property
    def records(self) -> pl.DataFrame:
        """The records' sensitive attributes, and of records that are subjects all others."""
        return self.texts if self.events is None else self.events.texts

    def values_of(self, name: str) -> pl.Series:
        """The values of a sensitive attribute, each once for every subject who has it."""
        if self.events is None:
            return self.texts[name]
        pairs = pl.DataFrame({_PERSON: self.events.person_of, _VALUE: self.events.texts[name]})
        return pairs.unique(maintain_order=True)[_VALUE].alias(name)

    def with_most_sensitive(self, ranks: Mapping[str, Mapping[str | None, int]]) -> pl.DataFrame:
        """The subjects' attributes, and of ranked ones the most critical value of each subject.

        Arguments:
            ranks: of every ranked attribute the rank of every value, 1 the most critical.
        """
        if self.events is None:
            return self.texts
        columns = []
        for name, rank_of in ranks.items():
            order = sorted(rank_of, key=lambda value: (rank_of[value], value or ""))
            values = self.events.texts[name]
            found = pl.DataFrame(
                {
                    _PERSON: self.events.person_of,
                    _VALUE: values,
                    "place": codes_in(values, order),
                }
            )
            first = found.sort(_PERSON, "place", maintain_order=True).unique(
                _PERSON, keep="first", maintain_order=True
            )
            columns.append(first[_VALUE].alias(name))
        return self.texts.with_columns(columns)

    def constant(self, texts: pl.DataFrame, looked_at: Bools | None = None) -> pl.DataFrame:
        """The columns that are the same in all rows of a subject, a row for every subject.

        Arguments:
            texts: columns of the table, a row for every row of it.
            looked_at: the subjects whose rows decide, [n]; all where not given.
        """
        first = pl.Series(self.first_rows())
        decides = np.ones(self.count, np.bool_) if looked_at is None else looked_at
        rows, subjects = pl.Series(decides[self.person_of]), int(decides.sum())
        person = pl.Series("\0person", self.person_of)
        return pl.DataFrame(
            [
                values.gather(first)
                for values in texts.get_columns()
                if pl.DataFrame([person, values]).filter(rows).n_unique() == subjects
            ]
        )

    def among(self, there: Bools) -> Subjects:
        """Some of the subjects, in the same order, without the others' records.

        Arguments:
            there: which of the rows of ``texts`` are kept, [n].
        """
        texts = self.texts.filter(pl.Series(there))
        if self.events is None:
            weight = None if self.weight is None else self.weight[there]
            return Subjects.of_records(texts, weight)
        events = self.events.of(there)
        return replace(
            self,
            texts=texts,
            count=texts.height,
            rows=len(events.person_of),
            subject_of=events.person_of,
            events=events,
        )

    @property
    def warnings(self) -> list[WarningText]:
        """What the custodian should know of how rows became people."""
        most_first = sorted(self.resolved.items(), key=lambda item: -item[1])
        told = [f"'{name}' of {many(number, 'person')}" for name, number in most_first]
        return [
            Kind.LOSS(
                "one value was chosen for each person where it differed between records: "
                f"{first_names(told)}"
            )
        ] * bool(told)


def _numbered(column: pl.Series) -> Ints32:
    """Numbers of equal texts, by their first row; -1 where there is none."""
    order = column.drop_nulls().unique(maintain_order=True)
    found = column.replace_strict(
        order, pl.Series(np.arange(len(order), dtype=np.int32)), default=-1, return_dtype=pl.Int32
    )
    return found.fill_null(-1).to_numpy().astype(np.int32)


def _of_people(
    column: pl.Series, person_of: Ints32, count: int, conflicts: Conflicts
) -> tuple[pl.Series, Ints32]:
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


def _differing(column: pl.Series, person_of: Ints32, people: Ints32, file: str | None) -> Problem:
    number = len(people)
    rows = np.flatnonzero(person_of == people[0])[:11]
    return Problem(
        "differs-within-people",
        f"differs between the rows of {number} {'person' if number == 1 else 'people'}; "
        "those of the first",
        file=file,
        attribute=column.name,
        rows=tuple(int(row) + 1 for row in rows),
        remedy='correct it, or say which value counts: source.conflicts = "first", "last" or '
        '"most-frequent"; for an attribute of visits, write level = "event" at it, '
        "which keeps every value",
    )
