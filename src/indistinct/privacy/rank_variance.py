"""Rank variance: how much the ranks of a class's sensitive values vary (Khan and others 2020).

Sort the frequencies of a class's m distinct values in falling order and number them x = 1..m. The
rank variance is V = sum(f x^2) / N - (sum(f x) / N)^2 with N = sum(f), section 5.1 and Table 5 of

    R. Khan, X. Tao, A. Anjum, T. Kanwal, S. Malik, A. Khan, W. Rehman, C. Maple: "theta-Sensitive
    k-Anonymity: An Anonymization Model for IoT based Electronic Health Records". Electronics 9(5),
    2020.

A class is theta-sensitive if V is at least theta(k) = mu (k^2 - 1) / 12, a share mu of the variance
of k values that are all different.

**What V is not.** It is no measure of diversity. Over all classes with D values V gets as large as
((2D - 1) / 6)^2, which is *more* than (D^2 - 1) / 12, that of a class in which all values are
equally frequent: the largest V belongs to classes in which one value has a third of the records.
(3, 1, 1) has .64 and (2, 2, 1) only .56. A class of 100 records with 90 equal values has V = 3.55
and is theta-sensitive for k = 4. Nor does V know that values are alike: four cancers are four
values. With theta-sensitivity also promise a bound on the largest posterior.

Plain functions of counts, without any compiled code; thresholds with exact fractions, since
equality counts as kept.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from indistinct.privacy.values import LEAVE_OUT
from indistinct.types import Bools, Floats, Ints

TOLERANCE = 1e-12
"""How far, in proportion, a variance may lie below a threshold and still count as equal to it.

Variances are whole numbers divided by N^2, thresholds products of floats: in the last places they
differ by rounding alone. Unequal ones differ by far more for any class below ten thousand records.
"""

EXACT_VALUES = 40
"""Up to so many values :func:`largest_size` compares all classes there are."""


def rank_variance(cells: Ints) -> Floats:
    """The rank variance of every class.

    Arguments:
        cells: records per class and sensitive value, [G, D].

    Returns:
        V per class, [G]; 0 for classes without records.

    >>> rank_variance(np.array([[1, 1, 1, 1], [0, 1, 2, 1], [0, 0, 4, 0]])).tolist()
    [1.25, 0.6875, 0.0]
    """
    falling = -np.sort(-cells.astype(np.int64), axis=1)
    rank = np.arange(cells.shape[1], dtype=np.int64)
    size = falling.sum(axis=1)
    linear = falling @ rank
    square = falling @ (rank * rank)
    some = np.maximum(size, 1)
    # Whole numbers up to here: what is equal stays equal.
    spread = some * square - linear * linear
    found: Floats = spread / (some.astype(np.float64) * some)
    return found


def rank_variance_exact(counts: Sequence[int]) -> Fraction:
    """The rank variance of one class as a fraction; the order of the counts does not matter.

    >>> rank_variance_exact([1, 2, 1]), rank_variance_exact([2, 1, 1, 1])
    (Fraction(11, 16), Fraction(34, 25))
    """
    rising = sorted(map(int, counts))  # numbered from the other end they vary as much
    size = sum(rising)
    linear = sum(count * rank for rank, count in enumerate(rising))
    square = sum(count * rank * rank for rank, count in enumerate(rising))
    return Fraction(size * square - linear * linear, max(size, 1) ** 2)


def theta(k: float, mu: float) -> float:
    """The least variance asked for: mu (k^2 - 1) / 12, Equation (1), line 8 of Algorithm 1.

    >>> theta(4, 0.6)
    0.75
    """
    return float(_fraction(mu) * (Fraction(k) ** 2 - 1) / 12)


def thresholds(sizes: Ints, mu: float) -> Floats:
    """The threshold of every class's own size, [G]; 0 for classes without records."""
    exact = _fraction(mu) / 12
    wide = np.maximum(sizes, 1).astype(np.float64)
    return (wide * wide - 1) * exact.numerator / exact.denominator


def falls_short(variance: Floats, threshold: float | Floats) -> Bools:
    """Where a variance lies below its threshold; equal ones (up to rounding) do not.

    >>> falls_short(np.array([0.75, 0.6875]), 0.75).tolist()
    [False, True]
    """
    return variance < np.asarray(threshold) * (1 - TOLERANCE)


def serves(values: int, k: float, mu: float) -> bool:
    """Whether theta(k) lies within reach of classes with that many distinct values.

    3 mu (k^2 - 1) <= (2D - 1)^2. Necessary; a class of exactly k records may need more (8 values
    for k = 9 and mu = .9). No class with D > 1 values varies more than ((2D - 1) / 6)^2: V is
    concave in the shares of the ranks, and shares that fall are mixtures of uniform ones over the
    first 1, 2, .. D ranks. The best mixture is of the first rank and of all D, with a third of the
    records beside the uniform part.

    Arguments:
        values: D, how many different values a class has.
        k: of theta(k).
        mu: of theta(k).

    >>> serves(5, 6, 0.6), serves(5, 7, 0.6)
    (True, False)
    """
    needed = 3 * _fraction(mu) * (Fraction(k) ** 2 - 1)
    return needed <= 0 or (values > 1 and needed <= (2 * values - 1) ** 2)


def least_values(k: int, mu: float) -> int:
    """How many distinct values a class of any size needs at least.

    The least D with D >= (1 + sqrt(3 mu (k^2 - 1))) / 2.

    >>> [least_values(k, 0.6) for k in (2, 4, 5, 10, 20)]
    [2, 4, 4, 8, 14]
    """
    if serves(1, k, mu):
        return 1
    needed = math.ceil(3 * _fraction(mu) * (k * k - 1))
    return max((math.isqrt(needed - 1) + 3) // 2, 2)


def largest_k(values: int, mu: float) -> int:
    """The largest k whose theta(k) that many values can serve; at least 1.

    >>> largest_k(5, 0.6), largest_k(14, 0.6)
    (6, 20)
    """
    most = Fraction((2 * values - 1) ** 2) / (3 * _fraction(mu)) + 1
    return math.isqrt(int(most)) if values > 1 else 1


def within_reach(values: int, k: int, mu: float, *, by_size: bool) -> str:
    """What to ask of that many values in place of a k and a mu that they do not reach.

    Arguments:
        values: how many different values the table has.
        k: of theta(k).
        mu: of theta(k).
        by_size: whether theta goes by the size of each class, which k stands for.

    >>> within_reach(3, 5, 1.0, by_size=False)
    'choose k of at most 3, or mu of at most 0.34'
    >>> within_reach(1, 5, 1.0, by_size=False).split(":")[0]
    'leave it out (role = "identifier")'
    """
    reach = largest_size if by_size else largest_k
    most = reach(values, mu)
    ways = [f"k of at most {most}"] if most > 1 else []
    lower = [at / 100 for at in range(int(mu * 100), 0, -1)]
    first = bisect_left(lower, True, key=lambda at: reach(values, at) >= k)
    if lower[first:]:
        ways.append(f"mu of at most {lower[first]:g}")
    return f"choose {', or '.join(ways)}" if ways else LEAVE_OUT


def largest_size(values: int, mu: float) -> int:
    """The largest class that can keep theta of its own size with that many values; at least 1.

    Exact up to :data:`EXACT_VALUES` values: the best class is looked for among all. Beyond, an
    upper bound: :func:`largest_k`.

    >>> [largest_size(values, 0.6) for values in (2, 5, 14)]
    [2, 6, 20]
    """
    bound = largest_k(values, mu)
    if values > EXACT_VALUES or bound > 4 * EXACT_VALUES:
        return bound
    best = _best_spreads(bound, values)
    share = _fraction(mu)
    for size in range(bound, 1, -1):
        if 12 * Fraction(best[size], size * size) >= share * (size * size - 1):
            return size
    return 1


def least_noise(totals: Sequence[int] | Ints, classes: int, k: int, mu: float) -> int:
    """How many made-up records any algorithm needs at least to make that many classes.

    A class of any size needs :func:`least_values` distinct values L. A value that occurs
    t times in the table is in at most min(t, G) of G classes, so real records bring at most
    sum(min(t, G)) of the L G pairs of a class and a value in it, and a made-up record brings one.

    Arguments:
        totals: how often each sensitive value occurs in the table, [D].
        classes: number of classes, G; at most n // k.
        k: of theta(k).
        mu: of theta(k).

    >>> least_noise([9, 500, 500], classes=100, k=3, mu=0.6)
    91
    """
    brought = int(np.minimum(np.asarray(totals, dtype=np.int64), classes).sum())
    return max(0, least_values(k, mu) * classes - brought)


def _best_spreads(size: int, values: int) -> list[int]:
    """For every size up to this one the largest N sum(f x^2) - (sum(f x))^2.

    Falling frequencies are a sum of columns: one record in each of the first j ranks. A knapsack
    over columns finds for every number of records and every sum(f x) the largest sum(f x^2).
    """
    most = min(values, size)
    width = size * most
    square = np.full((size + 1, width + 1), -np.inf)
    square[0, 0] = 0
    for ranks in range(1, most + 1):
        linear = ranks * (ranks + 1) // 2
        own = ranks * (ranks + 1) * (2 * ranks + 1) // 6
        for records in range(ranks, size + 1):
            before = square[records - ranks, : width + 1 - linear]
            now = square[records, linear:]
            np.maximum(now, before + own, out=now)
    sums = np.arange(width + 1)
    # Without records there is nothing to be multiplied.
    return [0, *(int((n * row - sums * sums).max()) for n, row in enumerate(square[1:], 1))]


def _fraction(number: float) -> Fraction:
    """The number that was written: 0.6 is 3/5."""
    return Fraction(str(number))
