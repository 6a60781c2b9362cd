"""What other programs can store of a release: the rest is written as text, so that nothing is lost.

Spreadsheets and programs for statistics have numbers with 53 bits, and days and moments of whole
seconds in a range of years. Columns of anything else get the texts by which they are called
everywhere else (:mod:`indistinct.sources.text`).
"""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Literal

import polars as pl

from indistinct.errors import OutputError, Problem, refuse
from indistinct.frozen import dataclass
from indistinct.sources.text import canonical

EXACT = 1 << 53
"""Whole numbers up to here are exact where every number is a float."""

LEAVE_OUT = 'write Parquet ([output] format = "parquet"), or leave the column out'


@dataclass(frozen=True)
class Storable:
    """What a program stores as it is.

    Arguments:
        title: what messages call its file.
        first: its first day.
        last: its last day.
        longest: the size of its longest text.
        unit: what that is counted in: ``bytes`` of UTF-8, or ``characters``.
        truths: whether it has a type for true and false.
    """

    title: str
    first: datetime.date
    last: datetime.date
    longest: int
    unit: Literal["bytes", "characters"] = "bytes"
    truths: bool = False

    def of(self, frame: pl.DataFrame, path: Path) -> pl.DataFrame:
        """The frame with texts in the place of what the program has no type for.

        Arguments:
            frame: a release.
            path: its file, for messages.

        Raises:
            OutputError: columns of lists or bytes, and texts that are too long.
        """
        refuse(
            OutputError,
            [
                self._problem(name, "unstorable", f"values of type {kind} cannot be written", path)
                for name, kind in frame.schema.items()
                if kind.is_nested() or kind in (pl.Object, pl.Binary)
            ],
        )
        stored = frame.with_columns(map(self._stored, frame.get_columns()))
        texts = pl.col(pl.String).str
        counted = texts.len_bytes() if self.unit == "bytes" else texts.len_chars()
        lengths = stored.select(counted.max())
        told = f"a text has more than {self.longest:,} {self.unit}"
        refuse(
            OutputError,
            [
                self._problem(name, "unstorable", told, path)
                for name in lengths.columns
                if (lengths[name].item() or 0) > self.longest
            ],
        )
        return stored

    def _stored(self, values: pl.Series) -> pl.Series:
        """The values, or their texts; decimals as numbers where these are called the same."""
        if self._has(values):
            return values
        texts = canonical(values.to_frame()).to_series()
        if values.dtype == pl.Decimal:
            numbers = values.cast(pl.Float64)
            if self._has(numbers) and canonical(numbers.to_frame()).to_series().equals(texts):
                return numbers
        return texts

    def _problem(self, name: str, code: str, message: str, path: Path) -> Problem:
        where = f"{message} to {self.title}" if message.endswith("written") else message
        return Problem(code, where, file=path.name, attribute=name, remedy=LEAVE_OUT)

    def _has(self, values: pl.Series) -> bool:
        """Whether the program has a type for these values, and every one of them is exact in it."""
        kind = values.dtype
        if kind == pl.String:
            return True
        if kind == pl.Boolean:
            return self.truths
        if kind.is_integer() or kind.is_float():
            numbers = values.cast(pl.Float64).drop_nulls().drop_nans()
            return bool(numbers.is_between(-EXACT, EXACT).all())
        if kind == pl.Date:
            return bool(values.drop_nulls().is_between(self.first, self.last).all())
        if kind == pl.Datetime and getattr(kind, "time_zone", None) is None:
            days = values.drop_nulls()
            whole = (days == days.dt.truncate("1s")).all()
            return bool(whole and days.dt.date().is_between(self.first, self.last).all())
        return False
