"""Is every class larger than one of few people in the population would likely be?

k-map where no table of the population is at hand, only the share of it that is in the release
(Dankar, El Emam, Neisa and Roffey 2012): how many of k people with equal quasi-identifiers come
into the release is taken to be Poisson distributed with mean k times that share, or zero-truncated
Poisson, since a class of none is not seen. A class is large enough if that number would be as large
with no more than a stated probability, or if it has k records itself. It is an estimate, right only
for a random sample.
"""

from __future__ import annotations

import math

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import SIZE, TOLERANCE, Asked, least
from indistinct.release.audit.settings import number, share, whole, word
from indistinct.release.audit.verdict import Verdict

MODEL = "estimated-k-map"


@class_check(
    MODEL,
    counts="units",
    settings={
        "k": whole(1, example=5),
        "fraction": share(example=0.01),
        "significance": number(
            "a number between 0 and 1", lambda p: 0 < p < 1, example=0.01, default=0.01
        ),
        "estimator": word("zero-truncated-poisson", "poisson"),
    },
)
def check(asked: Asked) -> Verdict:
    """Whether every class is as large as one of k people or more would be.

    ``fraction`` is the share of the population that is in the release. What is achieved is the
    ``size`` of the smallest class.
    """
    few = _quantile(
        asked["k"] * asked["fraction"],
        1 - asked["significance"],
        truncated=asked["estimator"] == "zero-truncated-poisson",
    )
    classes = asked.sizes()
    enough = min(few + 1, asked["k"])
    return asked.judged(classes, pl.col(SIZE) < enough, {"size": least(classes[SIZE])})


def _quantile(mean: float, probability: float, *, truncated: bool) -> int:
    """The smallest number that is not exceeded with at least this probability."""
    none = math.exp(-mean)
    seen = 1 - none if truncated else 1.0
    count, total = 0, 0.0 if truncated else none
    while total / seen < probability - TOLERANCE:
        count += 1
        total += math.exp(count * math.log(mean) - mean - math.lgamma(count + 1))
    return count
