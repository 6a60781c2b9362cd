"""The audit's side of the promise: it computes the index anew, and does not import the promise."""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import SIZE, Asked, described, most
from indistinct.release.audit.settings import share
from indistinct.release.audit.verdict import RECORDS, Verdict

MODEL = "simpson-diversity"


@class_check(MODEL, counts="values", settings={"bound": share(example=0.5)})
def check(asked: Asked) -> Verdict:
    """Add up the squares of the counts of every class."""
    classes = described(asked.cells(), pairs=(pl.col(RECORDS).cast(pl.Int64) ** 2).sum())
    every_pair = pl.col(SIZE).cast(pl.Float64) ** 2
    return asked.judged(
        classes,
        pl.col("pairs") > asked["bound"] * every_pair,
        {"bound": most(classes.select(pl.col("pairs") / every_pair).to_series())},
    )
