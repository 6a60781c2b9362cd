"""Numbers rounded to multiples of a base or to decimal places, dates to their period."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from indistinct.errors import DataError
from indistinct.hierarchies import decimals
from indistinct.release.transforms.measured import DAY, LARGEST, MOST_DIGITS, Measured
from indistinct.types import Ints

PERIODS: Final = {"week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}
"""What dates are rounded to: the first day of the period."""


def round_to(column: Measured, to: float | str) -> pl.Series:
    """The nearest multiple of a base, halves upwards; of a date the first day of its period.

    Arguments:
        column: numbers or dates.
        to: a number above 0 for numbers, one of ``PERIODS`` for dates. Decimal places are asked
            for as the base 0.1, 0.01 and so on.

    Raises:
        DataError: numbers are to be rounded to a period, dates to a number, or whole numbers that
            are stored as such to a fraction.
    """
    if isinstance(to, str) and to in PERIODS:
        if column.kind == "number":
            raise _unfit(column, f"numbers have no {to}", "name a number, such as to = 5")
        return _period(column, PERIODS[to])
    if column.kind != "number":
        periods = ", ".join(PERIODS)
        raise _unfit(column, "dates are not rounded to a number", f"name one of {periods}")
    base = _base(to)
    digits = max(column.digits, base[1])
    if not isinstance(column.dtype, type) and column.dtype.is_integer() and base[0] % 10 ** base[1]:
        raise _unfit(column, "these are whole numbers", "round to a whole number")
    present = column.present
    finer = 10 ** min(digits - column.digits, 16)
    largest = int(np.abs(present).max(initial=0))
    if largest * finer > LARGEST or base[1] > MOST_DIGITS:
        raise _unfit(column, "the base is too fine for numbers as large", "choose a larger one")
    steps = present * finer
    # From there on all round to 0, as no number is half as large.
    width = min(decimals.at(base, digits), 4 * LARGEST)
    rounded: Ints = (2 * steps + width) // (2 * width) * width
    # Multiples of the base need no more decimal places than the base has.
    return column.column(rounded // 10 ** min(digits - base[1], 16), base[1])


def base_of(digits: int) -> str:
    """The base that rounds to so many decimal places; negative ones are tens, hundreds.

    >>> base_of(2), base_of(0), base_of(-3)
    ('0.01', '1', '1000')
    """
    return decimals.written(1, digits) if digits >= 0 else str(10**-digits)


def told(to: float | str) -> str:
    """What the certificate says of it."""
    return f"rounded to the {to}" if to in PERIODS else f"rounded to multiples of {_shown(to)}"


def _base(to: float | str) -> decimals.Scaled:
    """The base without zeros at the end: 2.0 is 2."""
    found = decimals.parsed(to)
    assert found is not None
    number, scale = found
    while scale and number % 10 == 0:
        number, scale = number // 10, scale - 1
    return number, scale


def _shown(to: float | str) -> str:
    number = decimals.parsed(to)
    return str(to) if number is None else decimals.written(*number)


def _period(column: Measured, every: str) -> pl.Series:
    kind = pl.Date if column.kind == "date" else pl.Datetime("us")
    narrow = pl.Series(column.present)
    held = (narrow.cast(pl.Int32) if column.kind == "date" else narrow).cast(kind)
    first = held.dt.truncate(every).to_physical().cast(pl.Int64).to_numpy()
    assert column.kind == "date" or not len(first) or not (first % DAY).any()
    return column.column(first)


def _unfit(column: Measured, message: str, remedy: str) -> DataError:
    return DataError("unfit-rounding", message, attribute=column.name, remedy=remedy)
