"""Dates moved by a secret number of days, the same for all dates of a person.

What lies between two dates of a person stays as it was, so that courses and durations can be
studied; when something happened is not told (as in the MIMIC databases, Johnson and others 2016).
The season and the day of the week are lost. One true date of a person tells all of
them.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from indistinct.errors import DataError
from indistinct.randomness import Random
from indistinct.release.transforms.measured import DAY, Measured
from indistinct.types import Ints


def offsets(people: pl.Series | None, records: int, *, days: int, random: Random) -> Ints:
    """How many days the dates of every record are moved by, [n]; never by none.

    Arguments:
        people: the text that tells the person of every record; None: every record is a person. A
            record without a person is one of its own.
        records: number of records.
        days: the most days, back or forth.
        random: draws the offsets. Those of people are drawn in the order of their texts, so that
            they do not depend on the order of the records.
    """
    if people is None:
        return _drawn(records, days, random)
    known = people.drop_nulls().unique().sort()
    drawn = pl.Series(_drawn(len(known), days, random), dtype=pl.Int64)
    alone = pl.Series(_drawn(records, days, random), dtype=pl.Int64)
    if not len(known):
        return alone.to_numpy()
    found = people.replace_strict(known, drawn, default=None, return_dtype=pl.Int64)
    return found.zip_with(found.is_not_null(), alone).to_numpy()


def shift(column: Measured, moved: Ints) -> pl.Series:
    """The dates, each moved by so many days; the time of the day stays.

    Raises:
        DataError: the column holds numbers.
    """
    if column.kind == "number":
        raise DataError(
            "no-dates",
            "only dates can be shifted, and these are numbers",
            attribute=column.name,
            remedy='name the format of the dates, such as format = "%Y%m%d", or choose noise',
        )
    step = DAY if column.kind == "datetime" else 1
    return column.column(column.present + moved[column.there] * step)


def possible(days: Ints, moved: Ints, unit: Ints, *, most: int) -> Ints:
    """How many numbers of days dates may have been moved by, for those who know the column's ends.

    If the first and last day of the column are known, a date that is published before the first,
    or dates that lie far apart, tell the direction of the shift, and about how far.

    Arguments:
        days: the true dates, in days.
        moved: what each was moved by.
        unit: whose each date is, in codes from 0.
        most: the most days, back or forth.

    Returns:
        For everybody who has a date, the number.
    """
    if not len(days):
        return days
    order = np.argsort(unit, kind="stable")
    start = np.flatnonzero(np.diff(unit[order], prepend=-1))
    shown = (days + moved)[order]
    first, last = np.minimum.reduceat(shown, start), np.maximum.reduceat(shown, start)
    least = np.maximum(-most, last - days.max())
    furthest = np.minimum(most, first - days.min())
    zero = (least <= 0) & (furthest >= 0)  # nobody is moved by none
    found: Ints = furthest - least + 1 - zero
    return found


def told(*, by_person: bool, times: bool = False) -> str:
    """What the certificate says of it; ``times``: whether the dates have a time of the day."""
    whose = "each person's" if by_person else "each record's"
    return (
        f"dates shifted by a secret number of days, the same for all of {whose} dates; the days "
        f"between them stay{', and the time of day' * times}"
    )


def _drawn(count: int, days: int, random: Random) -> Ints:
    found = random.integers(-days, days, size=count, dtype=np.int64)
    return np.where(found >= 0, found + 1, found)
