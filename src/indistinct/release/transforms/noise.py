"""Numbers and dates moved by a random amount."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import polars as pl

from indistinct.errors import DataError
from indistinct.randomness import Random
from indistinct.release.transforms.measured import DAY, Measured

Distribution = Literal["gaussian", "laplace"]

Ends = tuple[float | str | None, float | str | None]

FEW = 5
"""Fewer values than these, apart from all others, can be found again."""

STAYS = 0.05
"""A share of values that rounding leaves as they are, from which on readers are told of it."""

APART = 4.0
"""Standard deviations of the noise that lie between values it does not hide."""


def noise(
    column: Measured,
    *,
    scale: float,
    distribution: Distribution,
    multiplicative: bool,
    random: Random,
    ends: Ends = (None, None),
) -> pl.Series:
    """The column with noise, rounded to as many decimal places as a tenth of its values have.

    Nothing of the column decides how far values may go: the smallest and the largest would tell
    themselves, and what is held between them would be biased.

    Arguments:
        column: numbers, or dates, which are moved by whole days.
        scale: the standard deviation of Gaussian noise, the scale b of Laplacian noise: in the
            column's unit, in days for dates, as a share of the value where it is multiplicative.
        distribution: what the noise is drawn from.
        multiplicative: multiply every value by 1 + noise.
        random: draws the noise.
        ends: results below the first and above the second are published as these: the ends of what
            values can be at all.

    Raises:
        DataError: dates are to be multiplied, or an end is no value of the column's kind.
    """
    if multiplicative and column.kind != "number":
        raise DataError(
            "dates-multiplied",
            "dates cannot be multiplied",
            attribute=column.name,
            remedy="leave 'multiplicative' out; the scale is in days then",
        )
    present = column.present
    draw = random.normal if distribution == "gaussian" else random.laplace
    drawn = draw(0.0, scale, size=len(present))
    if multiplicative:
        moved = np.rint(present * drawn)
    elif column.kind == "datetime":
        moved = np.rint(drawn) * DAY
    else:
        moved = np.rint(drawn * column.in_steps(1.0))
    found = column.near((present + moved).astype(np.int64))
    for limit, pick in zip(ends, (np.maximum, np.minimum), strict=True):
        if limit is not None:
            found = pick(found, column.limit(limit))
    return column.column(found)


def hidden(
    column: Measured, *, scale: float, distribution: Distribution, multiplicative: bool
) -> bool:
    """Whether noise hides the ends of a column: no few values stand apart by more than it moves.

    A value stands apart with fewer than ``FEW`` others where the gap to the next one is larger than
    ``APART`` standard deviations of the noise.

    Arguments:
        column: numbers or dates, as they were.
        scale: how much, as :func:`noise` takes it.
        distribution: what the noise is drawn from.
        multiplicative: whether values are multiplied.
    """
    ordered = np.sort(column.present).astype(np.float64)
    spread = scale * (1.0 if distribution == "gaussian" else math.sqrt(2.0))
    if not multiplicative:
        spread = column.in_steps(spread)
    for ends in (ordered[: FEW + 1], ordered[::-1][: FEW + 1]):
        if len(ordered) <= FEW:
            return True
        gaps = np.abs(np.diff(ends))
        moved = spread * np.abs(ends[:-1]) if multiplicative else spread
        if (gaps > APART * moved).any():
            return False
    return True


def told(
    *,
    scale: float,
    distribution: Distribution,
    multiplicative: bool,
    dates: bool,
    ends: Ends = (None, None),
    step: float = 0.0,
) -> str:
    """What the certificate says of it, and of what it does to mean and variance.

    Arguments:
        scale: how much, as :func:`noise` takes it.
        distribution: what the noise is drawn from.
        multiplicative: whether values are multiplied.
        dates: whether the values are dates.
        ends: what smaller and larger results are published as.
        step: what results are rounded to, in the unit of ``scale``; of days for dates. Noise that
            rounding mostly takes away is told as what is left of it.
    """
    kind = {"gaussian": "Gaussian", "laplace": "Laplacian"}[distribution]
    of = " of the value" if multiplicative else " days" if dates else ""
    stay, variance = 0.0, scale * scale * (1 if distribution == "gaussian" else 2)
    if step and not multiplicative:
        stay = 1.0 - _beyond(distribution, step / 2 / scale)
    if stay >= STAYS:
        beyond = [_beyond(distribution, (2 * n - 1) * step / 2 / scale) for n in range(1, 200)]
        variance = step**2 * sum((2 * n - 1) * tail for n, tail in enumerate(beyond, start=1))
    said = f"{kind} noise of scale {scale:g}{of} added"
    said += f", and rounded, which leaves {stay:.0%} of values as they are" if stay >= STAYS else ""
    said += ": "
    if multiplicative:
        said += (
            f"it adds {variance:g} times the mean of the squared values to the variance, leaves 0 "
            "as it is"
        )
        middle = 0.6745 if distribution == "gaussian" else math.log(2.0)
        said += f", and most values below {step / 2 / scale / middle:.3g}" if step else ""
    else:
        said += f"it adds {variance:.6g} to the variance"
    held = [
        f"{word} than {end} published as {end}"
        for word, end in zip(("less", "more"), ends, strict=True)
        if end is not None
    ]
    if not held:
        return f"{said}, and nothing to the mean"
    return (
        f"{said}; {', '.join(held)}, which moves the mean away from there and lowers the variance"
    )


def _beyond(distribution: Distribution, deviation: float) -> float:
    """How often noise of scale 1 moves a value by more than this."""
    if distribution == "laplace":
        return math.exp(-deviation)
    return math.erfc(deviation / math.sqrt(2.0))
