"""Does every class of the release have sensitive values of p different categories?

Sun, Sun and Wang (2011), p+-sensitive k-anonymity, its part about values: those of a class belong
to at least p categories. k is promised beside it.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import Asked, categories, described, least
from indistinct.release.audit.settings import whole
from indistinct.release.audit.verdict import Verdict

MODEL = "p-plus-sensitive"


@class_check(MODEL, counts="values", settings={"p": whole(1, example=2)})
def check(asked: Asked) -> Verdict:
    """Whether the values of every class belong to at least p different categories."""
    cells = categories(asked.cells(), asked)
    classes = described(cells, p=pl.col("category").n_unique().cast(pl.Int64))
    return asked.judged(classes, pl.col("p") < asked["p"], {"p": least(classes["p"])})
