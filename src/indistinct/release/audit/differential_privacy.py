"""Is every class as large as differential privacy by sampling and suppression asks?

Bild, Kuhn and Prasser (2018): records stay with a stated probability, and classes of few are
suppressed. How far the counts of a class with one record more and less then differ is added up from
its definition: the probability of every count that can be published, one beside the other. What a
release cannot show is that records were drawn at random and levels not chosen for them; the verdict
says so.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import SIZE, Asked, least
from indistinct.release.audit.settings import number
from indistinct.release.audit.verdict import Verdict

MODEL = "differential-privacy"

RESTS = (
    f"'{MODEL}' is a property of how a release was made: records show that no class is smaller "
    "than {size}; that others were left out at random and levels chosen by chance they cannot show"
)


@class_check(
    MODEL,
    counts="units",
    settings={
        "epsilon": number("a number from 0.01 to 6", lambda e: 0.01 <= e <= 6, example=1.0),
        "delta": number("a number above 0 and at most 0.01", lambda d: 0 < d <= 0.01, example=1e-6),
        "search": number(
            "a number from 0 to 0.9", lambda s: 0 <= s <= 0.9, example=0.05, default=0.05
        ),
    },
)
def check(asked: Asked) -> Verdict:
    """Whether every class has as many records as epsilon and delta ask.

    What is achieved is the ``size`` of the smallest class.
    """
    classes = asked.sizes()
    enough = _enough(asked["epsilon"] * (1 - asked["search"]), asked["delta"])
    verdict = asked.judged(classes, pl.col(SIZE) < enough, {"size": least(classes[SIZE])})
    return replace(verdict, note=RESTS.format(size=enough), in_part=True)


def _enough(epsilon: float, delta: float) -> int:
    """The least size from which on no count tells more than epsilon, but for delta."""
    stays = 1 - math.exp(-epsilon)
    fewer, size, n = np.ones(1), 1, 0
    # More records than these stay out of reach of delta: of n of them at most this share has so
    # many that stay (Chernoff 1952), and it falls with n.
    many = 1 - math.exp(-2 * epsilon)
    pace = many * math.log(many / stays) + (1 - many) * math.log((1 - many) / (1 - stays))
    while math.exp(-n * pace) > delta:
        n += 1
        more = _one_more(fewer, stays)
        excess = np.maximum(more - math.exp(epsilon) * np.append(fewer, 0.0), 0.0)
        from_here_on = np.cumsum(excess[::-1])[::-1]
        size = max(size, int(np.count_nonzero(from_here_on[1:] > delta)) + 1)
        fewer = more
    return size


def _one_more(counts: NDArray[np.float64], stays: float) -> NDArray[np.float64]:
    """How likely 0, 1, 2, ... records stay if there is one more."""
    return np.append(counts, 0.0) * (1 - stays) + np.append(0.0, counts) * stays
