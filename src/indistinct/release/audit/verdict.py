"""What a check is told, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import polars as pl

from indistinct.knowledge import Knowledge
from indistinct.requirement import Requirement

CLASS, VALUE, RECORDS = "class", "value", "records"
"""Columns of :meth:`Context.counts`."""

_SIZE, _VALUE = "\0size", "\0value"


@dataclass(frozen=True)
class Context:
    """What a check may need beside the records and the requirement.

    ``quasi`` are the release's quasi-identifiers; ``known`` what is known of the values of
    sensitive attributes, with the distribution to compare with where that is not the release's own.
    ``population`` are the people of a population table, one row each, with the exact values of the
    quasi-identifiers as text; ``covers[name][label]`` are the exact values that a published label
    of a quasi-identifier stands for.
    """

    quasi: tuple[str, ...]
    known: Mapping[str, Knowledge] = field(default_factory=dict)
    population: pl.DataFrame | None = None
    covers: Mapping[str, Mapping[str | None, frozenset[str | None]]] = field(default_factory=dict)
    _sizes: dict[frozenset[str], pl.Series] = field(default_factory=dict, repr=False, compare=False)
    _counts: dict[tuple[frozenset[str], str], pl.DataFrame] = field(
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
        if key not in self._sizes:
            counted = records.group_by(list(on)).agg(pl.len().cast(pl.Int64).alias(_SIZE))
            self._sizes[key] = counted[_SIZE]
        return self._sizes[key]

    def counts(self, records: pl.DataFrame, on: tuple[str, ...], sensitive: str) -> pl.DataFrame:
        """How often each value of an attribute occurs in each class, counted once for each ``on``.

        Columns ``class`` (a number), ``value`` and ``records``; sorted by class, then by value.
        """
        key = frozenset(on), sensitive
        if key not in self._counts:
            self._counts[key] = (
                records.with_columns(pl.col(sensitive).alias(_VALUE))
                .group_by([*on, _VALUE])
                .agg(pl.len().cast(pl.Int64).alias(_SIZE))
                .sort([*on, _VALUE])
                .select(
                    pl.struct(on).rle_id().alias(CLASS),
                    pl.col(_VALUE).alias(VALUE),
                    pl.col(_SIZE).alias(RECORDS),
                )
            )
        return self._counts[key]


@dataclass(frozen=True)
class Verdict:
    """Whether a release keeps one promise, what it achieves, and how many break it.

    Arguments:
        requirement: The promise that was checked.
        on: The quasi-identifiers whose classes were looked at.
        holds: Whether every class keeps the promise.
        achieved: The strictest value of each parameter that every class would still keep; None
            for a release without a class.
        breaking_classes: Number of classes that break the promise.
        breaking_records: Number of records in those classes.
    """

    requirement: Requirement
    on: tuple[str, ...]
    holds: bool
    achieved: Mapping[str, float | int | None]
    breaking_classes: int = 0
    breaking_records: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain data, in the words of the audit document."""
        return {
            **self.requirement.to_dict(),
            "on": list(self.on),
            "holds": self.holds,
            "achieved": dict(self.achieved),
            "violations": {"classes": self.breaking_classes, "records": self.breaking_records},
        }

    def __repr__(self) -> str:
        word = "holds" if self.holds else "broken"
        return f"<Verdict: {self.requirement} {word}, achieved {words(self.achieved)}>"


class Check(Protocol):
    """A module that checks one privacy model.

    It names its model in ``MODEL``. It is found by being in the folder of the audit.
    """

    MODEL: str

    def check(self, records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
        """Whether the records keep the promise.

        Arguments:
            records: The published records as text, missing cells null; records that are
                suppressed as a whole are left out.
            requirement: The promise. Its attributes are columns of ``records``.
            context: The release's quasi-identifiers, and distributions to compare with.

        Raises:
            PolicyError: If the requirement lacks a parameter or has one of the wrong form.
        """
        ...  # pragma: no cover


@dataclass(frozen=True)
class ClassSizes:
    """How many equivalence classes there are, and how large; the sizes are None if there are none.

    ``mean`` is records per class.
    """

    count: int
    smallest: int | None
    mean: float | None
    largest: int | None

    def to_dict(self) -> dict[str, float | int | None]:
        """The figures as plain data."""
        return {
            "count": self.count,
            "smallest": self.smallest,
            "mean": self.mean,
            "largest": self.largest,
        }


def summarize(sizes: pl.Series) -> ClassSizes:
    """Count, smallest, mean and largest of the sizes of classes."""
    every: list[int] = sizes.to_list()
    if not every:
        return ClassSizes(count=0, smallest=None, mean=None, largest=None)
    return ClassSizes(
        count=len(every), smallest=min(every), mean=sum(every) / len(every), largest=max(every)
    )


def words(achieved: Mapping[str, float | int | None]) -> str:
    """What was achieved, for people to read: ``k=7``.

    >>> words({"k": 7}), words({"k": None}), words({"t": 0.25})
    ('k=7', 'k=none', 't=0.25')
    """
    return ", ".join(
        f"{name}={'none' if value is None else format(value, '.6g')}"
        if not isinstance(value, int)
        else f"{name}={value}"
        for name, value in achieved.items()
    )
