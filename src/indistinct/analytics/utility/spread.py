"""How often each value of a column occurs: bars of values, or of ranges of numbers."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.types import Plain

MOST_VALUES = 12
"""Values of an attribute that a report draws; the others are counted together."""
_COUNT = "\0records"


def spread(column: pl.Series, weight: NDArray[np.int64] | None = None) -> Plain:
    """How often each value occurs, as a share: the most frequent ones, or ranges of many numbers.

    Arguments:
        column: the values as text, null where missing.
        weight: how many records each stands for; one where not given.

    Returns:
        ``distinct`` values, ``bars`` [label, share], ``missing`` and the ``rest`` that has no bar,
        as shares; ``ranges`` says whether the bars are ranges of numbers.
    """
    held = column.cast(pl.String).alias("value")
    if weight is None:
        held, counted = held.value_counts(name=_COUNT).get_columns()
        counts = counted.to_numpy().astype(np.int64)
    elif held.n_unique() < len(held):
        frame = pl.DataFrame([held, pl.Series(_COUNT, weight)])
        held, counted = frame.group_by("value").agg(pl.col(_COUNT).sum()).get_columns()
        counts = counted.to_numpy().astype(np.int64)
    else:
        counts = weight
    there = held.is_not_null().to_numpy()
    total, missing = int(counts.sum()) or 1, int(counts[~there].sum())
    values, counts = held.drop_nulls(), counts[there]
    numbers = values.cast(pl.Float64, strict=False)
    finite = bool(numbers.is_finite().fill_null(value=False).all())
    ranged = finite and numbers.n_unique() > MOST_VALUES  # long numbers may have one place
    if ranged:
        bars = _ranges(numbers.to_numpy(), counts)
    else:
        bars = _most_frequent(values, counts)
        if len(values) <= MOST_VALUES:
            bars.sort(key=lambda bar: _natural(bar[0]))
    shown = sum(count for _, count in bars)
    return {
        "distinct": len(values),
        "missing": missing / total,
        "bars": [[label, count / total] for label, count in bars],
        "rest": (total - missing - shown) / total,
        "ranges": ranged,
    }


def _most_frequent(values: pl.Series, counts: NDArray[np.int64]) -> list[tuple[str, int]]:
    """The most frequent values and their counts; of equally frequent ones the first by name."""
    if len(values) > MOST_VALUES:
        least = int(np.partition(counts, -MOST_VALUES)[-MOST_VALUES])
        above = counts > least
        more = values.filter(pl.Series(counts == least)).sort()
        more = more.head(MOST_VALUES - int(above.sum()))
        values = values.filter(pl.Series(above)).append(more)
        counts = np.append(counts[above], np.full(len(more), least))
    return sorted(
        zip(values.to_list(), counts.tolist(), strict=True), key=lambda one: (-one[1], one[0])
    )


def _natural(label: str) -> tuple[bool, float, str]:
    """Numbers and ranges by where they begin, then texts."""
    start = "".join(sign if sign in "0123456789.-" else " " for sign in label).split()
    try:
        return False, float(start[0]), label
    except (IndexError, ValueError):
        return True, 0.0, label


def _ranges(numbers: NDArray[np.float64], counts: NDArray[np.int64]) -> list[tuple[str, int]]:
    """Ranges of equal width and round ends, with how many numbers are in each from its begin on."""
    low, high = float(numbers.min()), float(numbers.max())
    unit = 10.0 ** np.floor(np.log10((high - low) / 10))
    step = next(unit * size for size in (1, 2, 5, 10) if unit * size * MOST_VALUES >= high - low)
    first = np.floor(low / step)
    place = np.floor(numbers / step - first).astype(np.int64)
    return [
        (
            f"{(first + at) * step:.6g} to {(first + at + 1) * step:.6g}",
            int(counts[place == at].sum()),
        )
        for at in range(int(place.max()) + 1)
    ]
