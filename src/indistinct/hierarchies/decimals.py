"""Decimal numbers without rounding: 0.3 is three tenths, and lies in [0.3, 0.4)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

_NUMBER = re.compile(r"([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?", re.ASCII)
_LONGEST = 400

Scaled = tuple[int, int]
"""A number as (m, p), meaning m / 10^p with p >= 0."""


def parsed(value: object) -> Scaled | None:
    """The number that a text or a setting says, or None if it says none.

    Floats are taken as they are written (0.1 is one tenth). Booleans, infinities, fractions such
    as 1/2, digit groups and texts of more than 400 characters are no numbers.

    >>> parsed("-1.50"), parsed(0.1), parsed("1e3"), parsed("1_000")
    ((-150, 2), (1, 1), (1000, 0), None)
    """
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    if value.isdigit() and value.isascii():
        return int(value), 0
    found = _NUMBER.fullmatch(value)
    if not found:
        return None
    sign, whole, fraction, exponent = found.groups(default="")
    number = int(sign + whole + fraction)
    scale = len(fraction) - int(exponent or 0)
    return (number, scale) if scale >= 0 else (number * 10**-scale, 0)


def places(numbers: Iterable[Scaled]) -> int:
    """The number of decimal places that writes all of them without rounding."""
    return max((scale for _, scale in numbers), default=0)


def at(number: Scaled, scale: int) -> int:
    """The number times 10^scale, for a scale at least its own."""
    return int(number[0] * 10 ** (scale - number[1]))


def written(number: int, scale: int, digits: int = 0) -> str:
    """The number / 10^scale in the shortest way.

    Arguments:
        number: the number, in units of its last decimal place.
        scale: how many decimal places it has.
        digits: to how many digits the whole part is padded with zeros.

    >>> written(50, 2), written(-205, 1), written(7, 0, digits=3)
    ('0.5', '-20.5', '007')
    """
    whole, rest = divmod(abs(number), 10**scale)
    fraction = str(rest).rjust(scale, "0").rstrip("0") if rest else ""
    sign = "-" if number < 0 else ""
    return f"{sign}{str(whole).rjust(digits, '0')}" + (f".{fraction}" if fraction else "")
