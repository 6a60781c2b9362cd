"""A release's cells read as numbers: their ends and their middle.

For analyses of a release: a column of ages holds ``41``, ``[40, 45)``, ``[74, >=90]``, ``<20``
and ``*``, and a mean or a model needs numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import polars as pl

from indistinct.hierarchies.cells import members_of, range_of
from indistinct.hierarchies.intervals import interval_key
from indistinct.hierarchies.taxonomy import SUPPRESSED

Ends = tuple[float, float]


def read_numbers(
    cells: Iterable[object], *, bottom: float | None = None, top: float | None = None
) -> pl.DataFrame:
    """The numbers that the cells of one column stand for, one row for each cell.

    A range that has no end on one side, such as ``>=90``, ends at ``bottom`` or ``top``, and so
    does ``*``. The middle of a range is a guess: a mean of middles is as good as ranges are narrow.

    Arguments:
        cells: the cells: a column of a frame, or a list.
        bottom: the smallest value there may be; where not given, an open range has no ``low``.
        top: the largest value there may be; where not given, an open range has no ``high``.

    Returns:
        Columns ``low``, ``high`` and ``middle``. ``[40, 45)`` has the ends 40 and 45, although 45
        is not among its values; ``[40, 44]``, ``40-44`` and the set ``{40, 44, missing}`` have 40
        and 44. An end that is not known is null, and so is the middle then. All three are null for
        a missing cell and for one that is not a number, such as ``021**``.

    >>> read_numbers(["41", "[40, 45)", "[74, >=90]", "021**"], top=100).rows()
    [(41.0, 41.0, 41.0), (40.0, 45.0, 42.5), (74.0, 100.0, 87.0), (None, None, None)]
    """
    outer = (-math.inf if bottom is None else bottom, math.inf if top is None else top)
    known: dict[object, Ends | None] = {}
    found = []
    for cell in cells:
        if cell not in known:
            known[cell] = _within(_ends(cell), outer)
        found.append(known[cell])
    frame = pl.DataFrame(
        [ends or (None, None) for ends in found],
        schema={"low": pl.Float64, "high": pl.Float64},
        orient="row",
    )
    frame = frame.with_columns(pl.when(pl.all().is_finite()).then(pl.all()))
    return frame.with_columns(middle=(pl.col("low") + pl.col("high")) / 2)


def _ends(cell: object) -> Ends | None:
    """The ends of what a cell stands for; None where it is missing or no number."""
    if cell is None or cell != cell:  # noqa: PLR0124, a missing number of pandas is no number
        return None
    if isinstance(cell, (int, float)):
        return float(cell), float(cell)
    text = str(cell).strip()
    if text == SUPPRESSED:
        return -math.inf, math.inf
    if (ends := range_of(text)) is not None:
        return float(ends[0]), float(ends[1])
    if (members := members_of(text)) is not None:
        inner = [_ends(member) for member in members if member is not None]
        parts = [part for part in inner if part is not None]
        if not parts or len(parts) < len(inner):
            return None
        return min(low for low, _ in parts), max(high for _, high in parts)
    kind, low, high, _ = interval_key(text)
    return (low, high) if kind == 0 else None


def _within(ends: Ends | None, outer: Ends) -> Ends | None:
    """The ends, of which those that are open are the outer ones."""
    if ends is None:
        return None
    low, high = ends
    return outer[0] if low == -math.inf else low, outer[1] if high == math.inf else high
