"""How much two attributes of a table depend on each other, chance taken off.

Two figures for every pair, both 0 without and 1 with full dependence, and both freed of what two
independent attributes of many values show by chance:

* Cramér's V with the bias correction of Bergsma (A bias-correction for Cramér's V and Tschuprow's
  T, Journal of the Korean Statistical Society 42, 2013);
* mutual information, less what chance makes of it, as a share of the smaller entropy: 1 where one
  attribute settles the other. By chance it is about (r - 1)(c - 1) / 2n (Miller 1955) where records
  are many for the r by c cells; where they are few it is that of shuffled values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from indistinct.document import PlainData
from indistinct.frozen import dataclass, field
from indistinct.randomness import simulation
from indistinct.types import Array, Codes, Floats, Ints

BINS = 10
"""Numbers and dates of many values are put into so many bins with about as many records each."""

PER_CELL = 20
"""With so many records for each cell, chance is told by its formula; with fewer, by shuffling."""

SHUFFLES = 3

MANY = 30
"""From more values on than these, numbers and dates are put into bins."""


@dataclass(frozen=True)
class Association(PlainData):
    """How much two attributes depend on each other."""

    one: str = field(metadata={"as": "from"})
    other: str = field(metadata={"as": "to"})
    cramers_v: float
    information: float

    @property
    def strength(self) -> float:
        """The larger of the two figures."""
        return max(self.cramers_v, self.information)


def associations(columns: Mapping[str, Codes], weight: Ints) -> list[Association]:
    """The dependence of every pair of columns, strongest first.

    Arguments:
        columns: codes from 0 on, [C] each; a negative code is a missing value, and a record where
            one of the two is missing says nothing of the pair.
        weight: how many records have each combination, [C].
    """
    names = list(columns)
    found = []
    for at, one in enumerate(names):
        for other in names[at + 1 :]:
            v, information = association(columns[one], columns[other], weight)
            found.append(Association(one, other, v, information))
    return sorted(found, key=lambda item: -item.strength)


def association(one: Codes, other: Codes, weight: Ints) -> tuple[float, float]:
    """Bias-corrected Cramér's V, and corrected mutual information over the smaller entropy.

    Arguments:
        one: codes of a column, a negative one for a missing value, [C].
        other: those of the other column, [C].
        weight: how many records have each combination, [C].
    """
    known = (one >= 0) & (other >= 0) & (weight > 0)
    first, r = _dense(one[known])
    second, c = _dense(other[known])
    counts = weight[known].astype(np.float64)
    n = float(counts.sum())
    if n < 2 or min(r, c) < 2:
        return 0.0, 0.0
    pairs = first * c + second
    if r * c <= 4 * len(pairs) + 10_000:
        joint = np.bincount(pairs, counts, minlength=r * c)
        cells = np.flatnonzero(joint)
        joint = joint[cells]
    else:
        cells, inside = np.unique(pairs, return_inverse=True)
        joint = np.bincount(inside, counts)
    rows, across = np.bincount(first, counts), np.bincount(second, counts)
    expected = rows[cells // c] * across[cells % c] / n
    # Cells that are empty add their expectation: all of them together, n less the others.
    chi = float(((joint - expected) ** 2 / expected).sum() + n - expected.sum())
    phi = max(chi / n - (r - 1) * (c - 1) / (n - 1), 0.0)
    r_left, c_left = r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)
    least = min(r_left, c_left) - 1
    v = math.sqrt(min(phi / least, 1.0)) if least > 1e-9 else 0.0
    shared = float((joint * np.log(joint / expected)).sum()) / n
    chance = (r - 1) * (c - 1) / (2 * n)
    if n < PER_CELL * r * c and shared > 0:
        chance = _shuffled(first, second, c, weight[known], rows, across)
    entropy = min(_entropy(rows / n), _entropy(across / n))
    information = min(max(shared - chance, 0.0) / entropy, 1.0) if entropy > 0 else 0.0
    return v, information


def _shuffled(first: Ints, second: Ints, c: int, weight: Ints, rows: Array, across: Array) -> float:
    """The mutual information that is left when the records' values are shuffled, on average."""
    draw = simulation(0)
    one, other = np.repeat(first, weight), np.repeat(second, weight)
    n = len(one)
    total = 0.0
    for _ in range(SHUFFLES):
        cells, joint = np.unique(one * c + draw.permutation(other), return_counts=True)
        total += float((joint * np.log(joint * n / (rows[cells // c] * across[cells % c]))).sum())
    return total / n / SHUFFLES


def coarse(codes: Codes, values: Sequence[float | None], weight: Ints, bins: int = BINS) -> Ints:
    """Codes of about equally full bins of numbers; -1 where there is no number.

    A value v with count c, below which C of n records are, is in bin floor(bins (2C + c) / 2n), so
    that equal values are never split.

    Arguments:
        codes: the place of every combination's value in ``values``; negative where it is missing.
        values: the numbers.
        weight: how many records have each combination.
        bins: how many there are at most.
    """
    numbers = np.array([math.nan if value is None else value for value in values], dtype=np.float64)
    count = np.bincount(codes[codes >= 0], weight[codes >= 0], minlength=len(numbers))
    count[np.isnan(numbers)] = 0
    total = count.sum()
    found = np.full(len(numbers), -1, dtype=np.int64)
    if total:
        order = np.argsort(numbers, kind="stable")
        below = np.cumsum(count[order]) - count[order]
        place = np.floor(bins * (2 * below + count[order]) / (2 * total)).astype(np.int64)
        found[order] = np.minimum(place, bins - 1)
        found[np.isnan(numbers)] = -1
    return np.where(codes >= 0, found[np.maximum(codes, 0)], -1)


def _dense(codes: Codes) -> tuple[Ints, int]:
    """The codes that occur, numbered from 0 on, and how many there are."""
    wide = codes.astype(np.int64)
    seen = np.zeros(int(wide.max(initial=-1)) + 1, dtype=np.bool_)
    seen[wide] = True
    number = np.cumsum(seen) - 1
    return number[wide], int(seen.sum())


def _entropy(shares: Floats) -> float:
    held = shares[shares > 0]
    return float(-(held * np.log(held)).sum())
