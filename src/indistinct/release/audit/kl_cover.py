"""Has every class k people and l different values, or categories of values?

What one release shows of (k,l)-cover over time. That as many stay in all releases together is seen
by those who know who is in which release.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import SIZE, Asked, categories, described, least
from indistinct.release.audit.settings import whole, word
from indistinct.release.audit.verdict import Verdict

MODEL = "kl-cover"


@class_check(
    MODEL,
    counts="values",
    settings={
        "k": whole(1, example=5),
        "l": whole(1, example=2),
        "of": word("values", "categories"),
    },
)
def check(asked: Asked) -> Verdict:
    """Whether every class has k people, and l values or categories."""
    if asked["of"] == "categories":
        cells = categories(asked.cells(), asked)
        classes = described(cells, l=pl.col("category").n_unique().cast(pl.Int64))
    else:
        classes = described(asked.cells(), l=pl.len().cast(pl.Int64))
    return asked.judged(
        classes,
        (pl.col("l") < asked["l"]) | (pl.col(SIZE) < asked["k"]),
        {"k": least(classes[SIZE]), "l": least(classes["l"])},
    )
