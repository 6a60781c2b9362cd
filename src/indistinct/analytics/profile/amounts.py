"""Whether whole numbers are amounts, counted or measured, or could be numbers of people and things.

Numbers of people, things or places are used up: they are spread evenly, or lie in
blocks with gaps between them. What is measured is dense in the middle and thin at its ends; what is
counted begins at 0; what is rounded ends in 0.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from indistinct.analytics.profile.values import Values

_FEWEST = 10


def looks_measured(values: Values) -> bool:
    """Whether numbers are spread as amounts are, and not as numbers of people or places.

    Texts are amounts if nearly all are numbers, some with a decimal comma or a limit before them.
    """
    if values.kind != "integer":
        return values.kind == "text" and _are_readings(values)
    return (
        _some_below_zero(values)
        or counts_from_zero(values)
        or _is_heaped(values)
        or _is_smooth(values)
        or _is_dense_in_the_middle(values)
    )


_READING = r"^\s*[<>≤≥]?=?\s*\d{1,6}([.,]\d{1,4})?\s*$"
_BROKEN = r"[<>≤≥,.]"
_NEARLY_ALL = 0.9


def _are_readings(values: Values) -> bool:
    """Whether nearly all texts are numbers, and some say "<0.5" or "18,5", as readings do."""
    found = values.sample.filter(values.sample.str.contains(_READING))
    nearly = len(found) >= max(_FEWEST, _NEARLY_ALL * len(values.sample))
    return nearly and 10 * int(found.str.contains(_BROKEN).sum()) >= len(found)


_COMMA = r"^\s*[+-]?\d{1,9},\d{1,6}\s*$"
_THOUSANDS = r",\d{3}\s*$"
_PLAIN = r"^\s*[+-]?\d{1,9}(,\d{1,6})?\s*$"


def has_decimal_commas(values: Values) -> bool:
    """Whether nearly all texts that have digits are numbers, most with a decimal comma."""
    if values.kind != "text":
        return False
    digits = values.sample.filter(values.sample.str.contains(r"\d"))
    plain = int(digits.str.contains(_PLAIN).sum())
    commas = digits.filter(digits.str.contains(_COMMA))
    written = len(commas)
    if commas.str.contains(_THOUSANDS).all():  # of English: 1,234
        return False
    most = 2 * len(digits) > len(values.sample) and 2 * written > len(digits)
    return most and plain >= max(_FEWEST, _NEARLY_ALL * len(digits))


def _some_below_zero(values: Values) -> bool:
    """Whether some numbers are negative, as none of a person or thing is."""
    low = None if values.numbers is None else values.numbers.min()
    return isinstance(low, float) and low < 0


_HEAPED = 0.2
_FEW_TO_HEAP = 200


def _is_heaped(values: Values) -> bool:
    """Whether far more whole numbers than by chance end in 0, and half lie close together.

    So it is of what was measured and rounded. Numbers of people spread over their whole range.
    """
    numbers, counts = values.numbers, values.counts
    if numbers is None or numbers.null_count() or 3 * values.distinct > 2 * values.filled:
        return False
    tens = int(counts.filter(numbers % 10 == 0).sum())
    if values.filled < _FEW_TO_HEAP or tens < _HEAPED * values.filled:
        return False
    ordered = pl.DataFrame({"number": numbers, "count": counts}).sort("number")
    inner = ordered.filter((pl.col("count").cum_sum() / values.filled).is_between(0.25, 0.75))
    middle = inner["number"]
    whole = ordered["number"][-1] - ordered["number"][0]
    return not middle.is_empty() and 3 * (middle[-1] - middle[0]) < whole


_SMOOTH = 0.7
_PER_NUMBER = 20


def _is_smooth(values: Values) -> bool:
    """Whether neighbouring whole numbers have about as many records each, as measurements have."""
    if values.numbers is None or values.numbers.null_count():
        return False
    if values.distinct < _FEWEST or _PER_NUMBER * values.distinct > values.filled:
        return False
    counts = pl.DataFrame({"number": values.numbers, "count": values.counts}).sort("number")
    held = counts["count"].rank().to_numpy()  # a code for missing among them changes few ranks
    if held[1:].std() == 0 or held[:-1].std() == 0:
        return False
    return bool(np.corrcoef(held[1:], held[:-1])[0, 1] >= _SMOOTH)


def counts_from_zero(values: Values) -> bool:
    """Whether whole numbers count something: from 0 on, of which there are most, with few gaps."""
    if values.numbers is None or values.numbers.null_count():
        return False
    low, high = values.numbers.min(), values.numbers.max()
    top = high if isinstance(high, float) else 0.0
    if low != 0 or top >= 4 * values.distinct:
        return False
    most, at_zero = values.counts.max(), int(values.counts.filter(values.numbers == 0)[0])
    return at_zero == most and at_zero > 1


_MIDDLE = 0.48
"""The part of the way from the 5th to the 95th percentile on which the middle half lies, at most;
of evenly spread numbers it lies on 5 / 9."""

_WIDEST_GAP = 0.2
"""The part of the way from the 10th to the 90th percentile on which no number lies, at most."""

_TOP_HEAVY = -0.4
"""Numbers of which most are high may be given to ever more people."""

_LARGEST = 100_000
"""Larger numbers are those of licences, accounts and places, rather than of measurements."""


def _is_dense_in_the_middle(values: Values) -> bool:
    """Whether numbers are dense in the middle, thin at the ends, and leave no gap between."""
    if values.numbers is None or values.filled < 2 * _FEWEST or values.distinct <= _FEWEST:
        return False
    numbers, counts = values.numbers.to_numpy(), values.counts.to_numpy()
    known = np.isfinite(numbers)
    if 2 * known.sum() < len(known) or numbers[known].max() >= _LARGEST:
        return False
    order = np.argsort(numbers[known])
    ordered, held = numbers[known][order], counts[known][order]
    held = np.minimum(held, _MOST_OF_ONE * np.median(held))  # a default says nothing of the others
    place = (np.cumsum(held) - held / 2) / held.sum()
    low, first, median, third, high = np.interp((0.05, 0.25, 0.5, 0.75, 0.95), place, ordered)
    inner = ordered[(place >= 0.1) & (place <= 0.9)]
    if high <= low or len(inner) < LEAST_INNER:
        return False
    lean = (high + low - 2 * median) / (high - low)
    gap = np.diff(inner).max() / (inner[-1] - inner[0])
    middle = (third - first) / (high - low)
    return bool(middle <= _MIDDLE and gap <= _WIDEST_GAP and lean >= _TOP_HEAVY)


_MOST_OF_ONE = 3
"""A number counts for no more than so many times what one has in the middle."""

LEAST_INNER = 5
"""Fewer different numbers say nothing of how they are spread."""
