"""Is every class larger than one of few people in the population would likely be?

k-map where no table of the population is at hand, only the share of it that is in the release
(Dankar, El Emam, Neisa and Roffey 2012): how many of k people with equal quasi-identifiers come
into the release is taken to be Poisson distributed with mean k times that share, or zero-truncated
Poisson, since a class of none is not seen. A class is large enough if that number would be as large
with no more than a stated probability. It is an estimate, right only for a random sample.
"""

from __future__ import annotations

import math

import polars as pl

from indistinct.release.audit.classes import (
    SIZE,
    TOLERANCE,
    judged,
    least,
    number,
    read,
    share,
    whole,
    word,
)
from indistinct.release.audit.verdict import Context, Verdict
from indistinct.requirement import Requirement

MODEL = "estimated-k-map"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether every class is larger than one of k people would be but for a small probability.

    What is achieved is the ``size`` of the smallest class.

    Arguments:
        records: The published records as text, missing cells null, suppressed records left out.
        requirement: The promise, with its parameters ``k``, ``fraction`` (the share of the
            population that is in the release), ``significance`` (0.01 where it is left out) and
            ``estimator``: ``zero-truncated-poisson`` (where it is left out) or ``poisson``.
        context: The release's quasi-identifiers.

    Raises:
        PolicyError: If a parameter is missing or of the wrong form.
    """
    asked = read(
        requirement,
        sensitive=False,
        k=whole(1, example=5),
        fraction=share(example=0.01),
        significance=number(
            "a number between 0 and 1", lambda p: 0 < p < 1, example=0.01, default=0.01
        ),
        estimator=word("zero-truncated-poisson", "poisson"),
    )
    few = _quantile(
        asked["k"] * asked["fraction"],
        1 - asked["significance"],
        truncated=asked["estimator"] == "zero-truncated-poisson",
    )
    classes = context.sizes(records, context.on(requirement)).alias(SIZE).to_frame()
    return judged(
        requirement, context, classes, pl.col(SIZE) <= few, {"size": least(classes[SIZE])}
    )


def _quantile(mean: float, probability: float, *, truncated: bool) -> int:
    """The smallest number that is not exceeded with at least this probability."""
    none = math.exp(-mean)
    seen = 1 - none if truncated else 1.0
    count, total = 0, 0.0 if truncated else none
    while total / seen < probability - TOLERANCE:
        count += 1
        total += math.exp(count * math.log(mean) - mean - math.lgamma(count + 1))
    return count
