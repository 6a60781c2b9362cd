"""Numbers and dates moved by a random amount."""

from __future__ import annotations

from typing import Literal

import numpy as np
import polars as pl

from indistinct.errors import DataError, Problem
from indistinct.randomness import Random
from indistinct.release.transforms.measured import DAY, Measured

Distribution = Literal["gaussian", "laplace"]


def noise(
    column: Measured,
    *,
    scale: float,
    distribution: Distribution,
    multiplicative: bool,
    random: Random,
) -> pl.Series:
    """The column with noise, as exact as it was, and within the range it had.

    Arguments:
        column: numbers, or dates, which are moved by whole days.
        scale: the standard deviation of Gaussian noise, the scale b of Laplacian noise: in the
            column's unit, in days for dates, as a share of the value where it is multiplicative.
        distribution: what the noise is drawn from.
        multiplicative: multiply every value by 1 + noise.
        random: draws the noise.

    Raises:
        DataError: dates are to be multiplied.
    """
    if multiplicative and column.kind != "number":
        raise DataError(
            Problem(
                "dates-multiplied",
                "dates cannot be multiplied",
                attribute=column.name,
                remedy="leave 'multiplicative' out; the scale is in days then",
            )
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
    if not len(present):
        return column.column(present)
    least, most = int(present.min()), int(present.max())
    found = np.clip(present + moved, least, most).astype(np.int64)
    return column.column(found)


def told(*, scale: float, distribution: Distribution, multiplicative: bool, dates: bool) -> str:
    """What the certificate says of it."""
    kind = {"gaussian": "Gaussian", "laplace": "Laplacian"}[distribution]
    of = " of the value" if multiplicative else " days" if dates else ""
    return f"{kind} noise of scale {scale:g}{of} added"
