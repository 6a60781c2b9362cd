"""Would a guess for every record be right more often than is promised?

Somebody of a class of n is guessed right with a chance of 1 / n (Dankar and El Emam 2010). The mean
over all records is the number of classes divided by that of the records.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import SIZE, TOLERANCE, Asked
from indistinct.release.audit.settings import number
from indistinct.release.audit.verdict import Verdict

MODEL = "average-risk"


@class_check(
    MODEL,
    counts="units",
    settings={
        "bound": number("a number above 0 and at most 1", lambda p: 0 < p <= 1, example=0.05)
    },
    together=True,
)
def check(asked: Asked) -> Verdict:
    """Whether classes divided by records are ``bound`` at most.

    Of classes that break it the smallest do: the larger ones would keep it without them.
    """
    classes = asked.sizes().sort(SIZE, descending=True)
    # With the classes that are as large or larger.
    risk = pl.int_range(1, pl.len() + 1) / pl.col(SIZE).cum_sum()
    total = int(classes[SIZE].sum())
    return asked.judged(
        classes.with_columns(risk.alias("risk")),
        pl.col("risk") > asked["bound"] * (1 + TOLERANCE),
        {"bound": classes.height / total if total else None},
    )
