"""How often two columns have which values together: in the table, and in its releases.

Counts are private: those of the table are of exact values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.document import Document, Grid, Line, Part, PlainData
from indistinct.frozen import dataclass, field
from indistinct.hierarchies.cells import range_of
from indistinct.hierarchies.decimals import parsed
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label
from indistinct.microdata.encoding import codes_in
from indistinct.types import Ints

OTHERS = "(others)"
MISSING = "(missing)"
"""What rare values and missing ones are called where there is little room."""


@dataclass(frozen=True, eq=False)
class Counts(PlainData):
    """How often each value of one column goes with each of another.

    Arguments:
        rows: the values of the first column; numbers and ranges by size, others as text, then
            missing ones, and suppressed ones last.
        columns: those of the second one.
        counts: records that have both, [rows, columns].
    """

    told_keys: ClassVar = "rows columns counts"

    rows: tuple[Label, ...]
    columns: tuple[Label, ...]
    counts: Ints = field(repr=False)

    @classmethod
    def of(
        cls, texts: pl.DataFrame, one: str, other: str, weight: pl.Series | None = None
    ) -> Counts:
        """The counts of two columns.

        Arguments:
            texts: the columns as text.
            one: the first column.
            other: the second one.
            weight: how many records each row stands for, [n]; not given: one.
        """
        rows, columns = (in_order(texts[name].unique().to_list()) for name in (one, other))
        shape = (len(rows), len(columns))
        at = codes_in(texts[one], rows).astype(np.int64) * shape[1]
        at += codes_in(texts[other], columns)
        many = None if weight is None else weight.to_numpy()
        counts = np.bincount(at, weights=many, minlength=shape[0] * shape[1])
        return cls(rows, columns, counts.astype(np.int64).reshape(shape))

    def within(self, rows: int, columns: int) -> Counts:
        """The most frequent values, and all others put together where there are more."""
        keep = [
            _frequent(self.counts.sum(axis=axis), most) for axis, most in ((1, rows), (0, columns))
        ]
        return self._gathered(keep[0], 0)._gathered(keep[1], 1)  # noqa: SLF001 - of this class

    def _gathered(self, keep: NDArray[np.intp], axis: int) -> Counts:
        labels = (self.rows, self.columns)[axis]
        if len(keep) == len(labels):
            return self
        rest = np.setdiff1d(np.arange(len(labels)), keep)
        others = self.counts.take(rest, axis=axis).sum(axis=axis, keepdims=True)
        counts = np.concatenate([self.counts.take(keep, axis=axis), others], axis=axis)
        named = (*(labels[at] for at in keep), OTHERS)
        if axis == 0:
            return Counts(named, self.columns, counts)
        return Counts(self.rows, named, counts)


ROWS, COLUMNS = 12, 6
"""Values of a column that a table for people has room for."""


@dataclass(frozen=True)
class Contingency(PlainData, Document):
    """Two columns before and after; private.

    Arguments:
        attributes: the two columns.
        before: how they go together in the table.
        after: how they do in each release, by its name.
    """

    attributes: tuple[str, str]
    before: Counts
    after: Mapping[str, Counts]

    def within(self, rows: int, columns: int) -> Contingency:
        """The same with at most so many values of each column, the others joined."""
        after = {name: counts.within(rows, columns) for name, counts in self.after.items()}
        return Contingency(self.attributes, self.before.within(rows, columns), after)

    def tables(self) -> dict[str, Counts]:
        """All counts, by their table."""
        return {"the table": self.before, **self.after}

    def frame(self) -> pl.DataFrame:
        """One row for each pair of values that occurs."""
        one, other = self.attributes
        rows = [
            (name, counts.rows[i], counts.columns[j], int(counts.counts[i, j]))
            for name, counts in self.tables().items()
            for i, j in np.argwhere(counts.counts)
        ]
        schema = {"of": pl.String, one: pl.String, other: pl.String, "records": pl.Int64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    def parts(self) -> Iterator[Part]:
        """A table for the source and for each release, with room for the first values."""
        one, other = self.attributes
        for of, counts in self.tables().items():
            few = counts.within(ROWS, COLUMNS)
            yield Line("")
            yield Line(f"{of}: records by {one} and {other}", "title")
            columns = tuple(map(said, few.columns))
            rows = [
                (said(label), *(f"{count:,}" if count else "" for count in own.tolist()))
                for label, own in zip(few.rows, few.counts, strict=True)
            ]
            yield Grid((one, *columns), rows, right=columns)

    def __repr__(self) -> str:
        return (
            f"<Contingency of {' and '.join(self.attributes)}, and of {len(self.after)} releases>"
        )


def contingency(
    before: pl.DataFrame,
    after: Mapping[str, pl.DataFrame],
    one: str,
    other: str,
    weight: pl.Series | None = None,
) -> Contingency:
    """How two columns go together in a table and in its releases.

    Arguments:
        before: the texts of the table, null for missing.
        after: the texts of every release, by name.
        one: the column whose values are the rows.
        other: the column whose values are the columns.
        weight: records of every row of ``before``; one each where not given.
    """
    return Contingency(
        (one, other),
        Counts.of(before, one, other, weight),
        {name: Counts.of(texts, one, other) for name, texts in after.items()},
    )


def in_order(labels: Sequence[Label]) -> tuple[Label, ...]:
    """Labels as a person would list them."""
    return tuple(sorted(labels, key=_place))


def said(label: Label) -> str:
    """A label in words."""
    return MISSING if label is None else label


def _place(label: Label) -> tuple[int, float, str]:
    if label is None or label == SUPPRESSED:
        return (3 if label is None else 4), 0.0, ""
    number = parsed(label)
    if number is not None:
        return 1, number[0] / 10 ** number[1], label
    ends = range_of(label)
    if ends is not None:
        return 1, float(ends[0]), label
    first = parsed(label.strip("<>=[]() ").split(",")[0].strip())
    if first is not None and label[0] in "<>[":
        below = label.startswith("<")
        return 1, first[0] / 10 ** first[1] - (0.5 if below else 0.0), label
    return 2, 0.0, label.removeprefix("[")


def _frequent(sums: Ints, most: int) -> NDArray[np.intp]:
    """Places of the most frequent values, in the order of the values."""
    if len(sums) <= most:
        return np.arange(len(sums))
    return np.sort(np.argsort(-sums, kind="stable")[: most - 1])
