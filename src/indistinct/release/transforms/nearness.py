"""Who is found by a true value, although it was changed: what is published is it, or lies near."""

from __future__ import annotations

import numpy as np
import polars as pl

from indistinct.release.transforms.measured import Measured, as_measured
from indistinct.types import Bools, Floats

FEW = 5
"""Among fewer records than these, somebody counts as found."""

BY_CHANCE = 3 * (FEW - 1)
"""Of values that are dealt out at random, about ``FEW - 1`` are as near by chance, and seldom so
many."""


def found_again(before: pl.Series, after: pl.Series, form: str) -> int:
    """Records that their true value finds among fewer than ``FEW``.

    Numbers and dates are looked for by how near they are: as many as are no farther from the true
    value than the record's own. Of other values those are looked at that stayed.

    Arguments:
        before: the texts of the column, null for missing.
        after: the texts that are published.
        form: how dates are written: ``"iso"``, or a pattern of ``strptime``.

    Returns:
        How many; 0 where it is no more than chance brings about.
    """
    columns = [as_measured(texts, texts, form) for texts in (before, after)]
    true, shown = columns
    if true is None or shown is None or true.kind != shown.kind:
        found = _stayed(before, after)
    else:
        found = _near(true, shown)
    count = int(found.sum())
    return count if count > BY_CHANCE else 0


def _stayed(before: pl.Series, after: pl.Series) -> Bools:
    pairs = pl.DataFrame({"before": before, "after": after}).drop_nulls()
    few = pl.col("after").count().over("after") < FEW
    return pairs.select((pl.col("before") == pl.col("after")) & few).to_series().to_numpy()


def _near(true: Measured, shown: Measured) -> Bools:
    there = true.there & shown.there
    sought, own = _amounts(true)[there], _amounts(shown)[there]
    ordered = np.sort(own)
    away = np.abs(own - sought)
    above = np.searchsorted(ordered, sought + away, side="right")
    return above - np.searchsorted(ordered, sought - away, side="left") < FEW


def _amounts(column: Measured) -> Floats:
    return column.steps / 10.0**column.digits
