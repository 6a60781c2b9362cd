"""The audit's side of the promise: it computes the index anew, and does not import the promise."""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.classes import SIZE, counts, described, judged, most, read, share
from indistinct.release.audit.verdict import RECORDS, Context, Verdict
from indistinct.requirement import Requirement

MODEL = "simpson-diversity"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Add up the squares of the counts of every class."""
    bound = read(requirement, bound=share(example=0.5))["bound"]
    pairs = (pl.col(RECORDS).cast(pl.Int64) ** 2).sum()
    classes = described(counts(records, requirement, context), pairs=pairs)
    return judged(
        requirement,
        context,
        classes,
        pl.col("pairs") > bound * pl.col(SIZE).cast(pl.Float64) ** 2,
        {"bound": most(classes["pairs"] / classes[SIZE].cast(pl.Float64) ** 2)},
    )
