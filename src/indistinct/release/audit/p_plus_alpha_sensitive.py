"""Does every class have sensitive values of p categories, and do these weigh enough in all?

(p+, alpha)-sensitive k-anonymity of Sun, Sun and Wang (2011), its part about values: of m
categories in falling order of sensitivity the i-th weighs (i - 1) / (m - 1), and the values of a
class belong to at least p categories, whose weights add up to at least alpha. k is promised beside
it.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import SIZE, Asked, categories, least
from indistinct.release.audit.settings import number, whole
from indistinct.release.audit.verdict import CLASS, UNITS, Verdict

MODEL = "p-plus-alpha-sensitive"


@class_check(
    MODEL,
    counts="values",
    settings={
        "p": whole(1, example=2),
        "alpha": number("a number of at least 0", lambda alpha: alpha >= 0, example=1),
    },
)
def check(asked: Asked) -> Verdict:
    """Whether every class has values of p categories, with a total weight of at least alpha."""
    cells = categories(asked.cells(), asked, ordered=True)
    found = cells.group_by([CLASS, "category"]).agg(
        pl.col(UNITS).first(), pl.col("weight").first(), pl.col("place").first()
    )
    classes = (
        found.sort([CLASS, "place"])
        .group_by(CLASS)
        .agg(
            pl.col(UNITS).first().alias(SIZE),
            pl.len().cast(pl.Int64).alias("p"),
            pl.col("weight").sum().alias("alpha"),
        )
    )
    return asked.judged(
        classes,
        asked.below("p") | asked.below("alpha"),
        {"p": least(classes["p"]), "alpha": least(classes["alpha"])},
    )
