"""Are few records the only ones with their quasi-identifiers?

The share of records that are alone in their class (Skinner and Elliot 2002).
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import SIZE, TOLERANCE, Asked
from indistinct.release.audit.settings import number
from indistinct.release.audit.verdict import Verdict

MODEL = "sample-uniqueness"


@class_check(
    MODEL,
    counts="units",
    settings={"bound": number("a number from 0 to 1", lambda p: 0 <= p <= 1, example=0.01)},
    together=True,
)
def check(asked: Asked) -> Verdict:
    """Whether unique records divided by all records are ``bound`` at most.

    All of them break it, where they are more.
    """
    classes = asked.sizes()
    sizes = classes[SIZE].to_list()
    unique = sizes.count(1) / sum(sizes) if sizes else None
    broken = unique is not None and unique > asked["bound"] + TOLERANCE
    return asked.judged(classes, (pl.col(SIZE) == 1) & broken, {"bound": unique})
