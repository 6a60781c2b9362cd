"""Is the entropy of the sensitive values in every class at least that of l equal shares?

Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), entropy l-diversity: in every class
the sum of -p ln p over the values' shares is at least ln l. Shannon's entropy of the shares as they
are; a class of l values with equal shares reaches exactly l.
"""

from __future__ import annotations

import math

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import TOLERANCE, Asked, described, least
from indistinct.release.audit.settings import number
from indistinct.release.audit.verdict import RECORDS, Verdict

MODEL = "entropy-l-diversity"


@class_check(
    MODEL,
    counts="values",
    settings={"l": number("a number of at least 1", lambda least: least >= 1, example=3)},
)
def check(asked: Asked) -> Verdict:
    """Whether the values of every class have an entropy of at least ln l, l whole or not."""
    p = pl.col(RECORDS) / pl.col(RECORDS).sum()
    classes = described(asked.cells(), entropy=-(p * p.log()).sum())
    lowest = least(classes["entropy"])
    return asked.judged(
        classes,
        pl.col("entropy") < math.log(asked["l"]) - TOLERANCE,
        # With one value the sum can be the other zero, -0.0.
        {"l": None if lowest is None else max(math.exp(lowest), 1.0)},
    )
