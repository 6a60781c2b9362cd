"""What a check is told, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import polars as pl

from indistinct.document import PlainData
from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.metadata import ValueMetadata
from indistinct.requirement import Requirement
from indistinct.sources.text import ranks
from indistinct.types import Ints, PlainMapping

CLASS, VALUE, RECORDS, UNITS = "class", "value", "records", "units"
"""Columns of :meth:`Context.counts`."""

TIMES = "\0times"
"""Column that says how many records a row stands for, where an engine has counted equal ones."""

MANY = 500_000
"""Records from which on they are counted in batches."""

_SIZE, _VALUE, _UNITS = "\0size", "\0value", "\0units"

SIZE_OF_BUCKET = "\0people"
"""Column with the number of people of a bucket."""


@dataclass(frozen=True)
class LinkedTables:
    """A release of two linked tables, as text.

    Arguments:
        quasi: a row per person: the quasi-identifiers, and the column ``by``.
        sensitive: for each sensitive attribute the rows of the other table, columns ``by`` and the
            attribute.
        by: the column that links them.
        holding: how the rows of a bucket belong to its people: everybody has ``one`` of them,
            everybody has ``some`` and every value is there once for everybody who has it,
            everybody has ``all``.
    """

    quasi: pl.DataFrame
    sensitive: Mapping[str, pl.DataFrame]
    by: str
    holding: str = "one"

    def people(self) -> pl.DataFrame:
        """The buckets and how many people each has: columns ``by`` and ``people``."""
        counted = self.quasi.group_by(self.by).len(SIZE_OF_BUCKET)
        return counted.with_columns(pl.col(SIZE_OF_BUCKET).cast(pl.Int64))


@dataclass(frozen=True)
class Context:
    """What a check may need beside the records and the requirement.

    ``quasi`` are the release's quasi-identifiers; ``known`` what is known of the values of
    sensitive attributes, with the distribution to compare with where that is not the release's own.
    ``population`` are the people of a population table, one row each, with the exact values of the
    quasi-identifiers as text; ``covers[name][label]`` are the exact values that a published label
    of a quasi-identifier stands for. ``person`` is the column of ``records`` that names the person
    of each, where people have many: then classes hold people, and every value counts once for
    everybody who has it. ``linked`` are the two tables of a release that links them.
    ``published`` are all published records, where a check is asked about some of them alone.
    ``members`` are the rows of every person's set of values, where sets are listed as one value:
    the columns of ``records``, and one that numbers the sets.
    """

    quasi: tuple[str, ...]
    known: Mapping[str, ValueMetadata] = field(default_factory=dict)
    population: pl.DataFrame | None = None
    covers: Mapping[str, Mapping[str | None, frozenset[str | None]]] = field(default_factory=dict)
    person: str | None = None
    linked: LinkedTables | None = None
    published: pl.DataFrame | None = None
    members: tuple[pl.DataFrame, str] | None = None
    _sizes: dict[frozenset[str], pl.Series] = field(default_factory=dict, repr=False, compare=False)
    _counts: dict[tuple[frozenset[str], str], pl.DataFrame] = field(
        default_factory=dict, repr=False, compare=False
    )
    _classes: dict[tuple[str, ...], tuple[pl.DataFrame, Ints]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def on(self, requirement: Requirement) -> tuple[str, ...]:
        """The quasi-identifiers that the requirement speaks of: its own, or all."""
        return self.quasi if requirement.on is None else requirement.on

    def sizes(self, records: pl.DataFrame, on: tuple[str, ...]) -> pl.Series:
        """Size of every equivalence class of the release's records, counted once for each ``on``.

        A class is made of the records with equal values; missing is a value too.
        """
        key = frozenset(on)
        numbered = on in self._classes and self._classes[on][0] is records
        by_number = numbered or TIMES in records.columns
        by_number = by_number and self._counted_by_number(records, on)
        if key not in self._sizes and by_number:
            size = _added_up(self._class_of(records, on), records)
            self._sizes[key] = pl.Series(_SIZE, size)
        elif key not in self._sizes:
            people = self.people(records, on)
            counting = people.lazy().group_by(list(on)).agg(times(people).alias(_SIZE))
            counted = counting.collect(engine="streaming" if people.height > MANY else "auto")
            self._sizes[key] = counted[_SIZE]
        return self._sizes[key]

    def people(self, records: pl.DataFrame, on: tuple[str, ...]) -> pl.DataFrame:
        """The records with these columns; where people have many, a row for every person."""
        if self.person is None:
            return records.select(*on, *([TIMES] if TIMES in records.columns else []))
        return records.select(self.person, *on).unique()

    def counts(self, records: pl.DataFrame, on: tuple[str, ...], sensitive: str) -> pl.DataFrame:
        """How often each value of an attribute occurs in each class, counted once for each ``on``.

        Columns ``class`` (a number), ``value``, ``records`` and ``units``, the size of the class;
        sorted by class, then by value. Where people have many records, ``records`` counts the
        people who have the value, and ``units`` everybody of the class.

        Arguments:
            records: the release's records.
            on: the quasi-identifiers that make the classes.
            sensitive: the attribute.
        """
        key = frozenset(on), sensitive
        if key not in self._counts and self._counted_by_number(records, on):
            self._counts[key] = self._cells(records, on, sensitive)
        elif key not in self._counts:
            told = records.with_columns(pl.col(sensitive).alias(_VALUE))
            if self.person is not None:
                told = told.select(self.person, *on, _VALUE).unique()
            self._counts[key] = (
                told.group_by([*on, _VALUE])
                .agg(times(told).alias(_SIZE))
                .join(self._units(records, on), on=list(on), how="left", nulls_equal=True)
                .sort([*on, _VALUE])
                .select(
                    pl.struct(on).rle_id().alias(CLASS),
                    pl.col(_VALUE).cast(pl.String).alias(VALUE),
                    pl.col(_SIZE).alias(RECORDS),
                    pl.col(_UNITS).alias(UNITS),
                )
            )
        return self._counts[key]

    def _counted_by_number(self, records: pl.DataFrame, on: tuple[str, ...]) -> bool:
        """Whether classes are told by numbers: they are of records, of which there are some."""
        return self.person is None and self.linked is None and bool(on) and not records.is_empty()

    def _class_of(self, records: pl.DataFrame, on: tuple[str, ...]) -> Ints:
        """The class of every row, numbered in the order of their texts."""
        known = self._classes.get(on)
        if known is None or known[0] is not records:
            number, many = np.zeros(records.height, np.int64), 1
            for name in on:
                number, many = _numbered(number, many, ranks(records[name]))
            known = self._classes[on] = records, number
        return known[1]

    def _cells(self, records: pl.DataFrame, on: tuple[str, ...], sensitive: str) -> pl.DataFrame:
        """What :meth:`counts` says, where classes are of records."""
        class_of = self._class_of(records, on)
        units = _added_up(class_of, records)
        cell, _ = _numbered(class_of, len(units), ranks(records[sensitive]))
        have = _added_up(cell, records)
        first = np.empty(len(have), np.int64)
        first[cell] = np.arange(len(cell))
        return pl.DataFrame(
            [
                pl.Series(CLASS, class_of[first], pl.UInt32),
                records[sensitive].gather(pl.Series(first)).cast(pl.String).alias(VALUE),
                pl.Series(RECORDS, have),
                pl.Series(UNITS, units[class_of[first]]),
            ]
        )

    def _units(self, records: pl.DataFrame, on: tuple[str, ...]) -> pl.DataFrame:
        """How many records, or people, each class holds."""
        if self.linked is not None and tuple(on) == (self.linked.by,):
            return self.linked.people().rename({SIZE_OF_BUCKET: _UNITS})
        people = self.people(records, on)
        return people.group_by(list(on)).agg(times(people).alias(_UNITS))


SPARSE = 4
"""So many numbers for each row at most are counted without sorting them."""


def _numbered(number: Ints, many: int, place: Ints) -> tuple[Ints, int]:
    """Numbers of rows with a further column, without gaps and in its order; how many there are.

    Arguments:
        number: the numbers of the rows by the columns before, [n].
        many: how many these are.
        place: the rank of each row's value in the further column, [n].
    """
    domain = int(place.max()) + 1
    wider = number * domain + place
    if many * domain > SPARSE * len(place):
        found, wider = np.unique(wider, return_inverse=True)
        return wider, len(found)
    there = np.zeros(many * domain, bool)
    there[wider] = True
    return (np.cumsum(there) - 1)[wider], int(there.sum())


def _added_up(number: Ints, records: pl.DataFrame) -> Ints:
    """How many records stand behind the rows of each number."""
    if TIMES not in records.columns:
        return np.bincount(number)
    return np.bincount(number, records[TIMES].to_numpy()).astype(np.int64)


def times(records: pl.DataFrame) -> pl.Expr:
    """How many records stand behind some rows: as many as they say, or one each."""
    return (pl.col(TIMES).sum() if TIMES in records.columns else pl.len()).cast(pl.Int64)


def people_not_told(model: str) -> Problem:
    """That a promise counts people, and nothing says whose each record is."""
    return Problem(
        "people-not-told",
        f"promise '{model}' counts people, and nothing says whose each record is",
        remedy="name the column of the person's pseudonym, or audit a folder whose certificate "
        "names it",
    )


def one_by_one(records: pl.DataFrame) -> pl.DataFrame:
    """A row for every record, where rows stand for several."""
    if TIMES not in records.columns:
        return records
    rows = pl.int_range(pl.len()).repeat_by(TIMES).explode(empty_as_null=False)
    return records.select(pl.exclude(TIMES).gather(rows))


@dataclass(frozen=True)
class Verdict(PlainData):
    """Whether a release keeps one promise, what it achieves, and how many break it.

    Arguments:
        requirement: The promise that was checked.
        on: The quasi-identifiers whose classes were looked at.
        holds: Whether every class keeps the promise; None where nothing can be said of it.
        achieved: The strictest value of each parameter that every class would still keep; None
            for a release without a class.
        breaking_classes: Number of classes that break the promise.
        breaking_records: Number of records in those classes.
        achieved_with: For figures that hold only while other parameters are as they were asked:
            these, by the name of the figure. Two such figures may not be promised together.
        note: What a reader should know of it, in a sentence.
        in_part: Whether a release shows a part of the promise alone, and ``holds`` is about that.
    """

    told_keys: ClassVar = (
        "*requirement on holds achieved achieved_with? in_part? "
        "violations.classes=breaking_classes violations.records=breaking_records"
    )

    requirement: Requirement
    on: tuple[str, ...]
    holds: bool | None
    achieved: Mapping[str, float | int | None]
    breaking_classes: int = 0
    breaking_records: int = 0
    achieved_with: Mapping[str, PlainMapping] = field(default_factory=dict)
    note: str = ""
    in_part: bool = False

    @property
    def in_words(self) -> str:
        """What was achieved, for people to read."""
        return words(self.achieved, self.achieved_with)

    def __repr__(self) -> str:
        if self.holds is None:
            return f"<Verdict: {self.requirement} not verifiable>"
        word = "holds" if self.holds else "broken"
        return f"<Verdict: {self.requirement} {word}, achieved {self.in_words}>"


@dataclass(frozen=True)
class ClassSizes(PlainData):
    """How many equivalence classes there are, and how large; the sizes are None if there are none.

    ``mean`` is records per class.
    """

    count: int
    smallest: int | None
    mean: float | None
    largest: int | None


def summarize(sizes: pl.Series) -> ClassSizes:
    """Count, smallest, mean and largest of the sizes of classes."""
    every: list[int] = sizes.to_list()
    if not every:
        return ClassSizes(count=0, smallest=None, mean=None, largest=None)
    return ClassSizes(
        count=len(every), smallest=min(every), mean=sum(every) / len(every), largest=max(every)
    )


def words(
    achieved: Mapping[str, float | int | None],
    achieved_with: Mapping[str, PlainMapping] | None = None,
) -> str:
    """What was achieved, for people to read: ``k=7``; and with which others it was.

    >>> words({"k": 7}), words({"k": None}), words({"t": 0.25})
    ('k=7', 'k=none', 't=0.25')
    >>> words({"c": 2.5, "l": 4}, {"c": {"l": 3}, "l": {"c": 4.0}})
    'c=2.5 (l=3), l=4 (c=4)'
    """
    found = []
    for name, value in achieved.items():
        others = (achieved_with or {}).get(name)
        beside = "" if not others else f" ({', '.join(map(_pair, others, others.values()))})"
        found.append(_pair(name, value) + beside)
    return ", ".join(found)


def _pair(name: str, value: object) -> str:
    if isinstance(value, float):
        return f"{name}={value:.6g}"
    return f"{name}={'none' if value is None else value}"
