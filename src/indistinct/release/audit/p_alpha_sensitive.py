"""Does every class have p different sensitive values, and weigh enough in all?

Sun, Sun and Wang (2011), (p, alpha)-sensitive k-anonymity, its part about values: of m categories
in falling order of sensitivity the i-th weighs (i - 1) / (m - 1), a value weighs what its category
does, and a class has at least p values and a total weight of at least alpha. The total is taken
over the different values of the class, or over its records. k is promised beside it.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import Asked, categories, described, least
from indistinct.release.audit.settings import number, whole, word
from indistinct.release.audit.verdict import RECORDS, Verdict

MODEL = "p-alpha-sensitive"


@class_check(
    MODEL,
    counts="values",
    settings={
        "p": whole(1, example=3),
        "alpha": number("a number of at least 0", lambda alpha: alpha >= 0, example=1),
        "over": word("distinct", "records"),
    },
)
def check(asked: Asked) -> Verdict:
    """Whether every class has p different values, and a total weight of at least alpha.

    ``over`` says whether the total is over the ``distinct`` values or over the ``records``.
    """
    cells = categories(asked.cells(), asked, ordered=True)
    times = pl.col(RECORDS) if asked["over"] == "records" else 1
    classes = described(cells, p=pl.len().cast(pl.Int64), alpha=(pl.col("weight") * times).sum())
    return asked.judged(
        classes,
        asked.below("p") | asked.below("alpha"),
        {"p": least(classes["p"]), "alpha": least(classes["alpha"])},
    )
