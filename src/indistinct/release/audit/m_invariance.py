"""Have all records of every class different sensitive values, m or more?

Xiao and Tao (2007), m-uniqueness: what one release shows of m-invariance. That everybody keeps the
signature is seen by those who know who is in which release.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import Asked, described, least
from indistinct.release.audit.settings import whole
from indistinct.release.audit.verdict import RECORDS, Verdict

MODEL = "m-invariance"


@class_check(MODEL, counts="values", settings={"m": whole(1, example=2)})
def check(asked: Asked) -> Verdict:
    """Whether every class has m values or more, and none of them twice."""
    return unique_values(asked)


def unique_values(asked: Asked) -> Verdict:
    """Whether every class has m values or more, and none of them twice."""
    classes = described(
        asked.cells(), values=pl.len().cast(pl.Int64), most_had=pl.col(RECORDS).max()
    )
    twice = pl.col("most_had") > 1
    achieved = None if classes.select(twice.any()).item() else least(classes["values"])
    return asked.judged(classes, twice | (pl.col("values") < asked["m"]), {"m": achieved})
