"""Does every class have values of p categories, as many sensitive ones as harmless ones?

Balanced p+-sensitive k-anonymity after Anjum and others (2018), its part about values: those of a
class belong to at least p categories, and the records with a value of the more sensitive half of
the categories are as many as those of the less sensitive half, up to a stated difference. With an
odd number of categories the middle one is in neither half. k is promised beside it.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import Asked, categories, described, least, most
from indistinct.release.audit.settings import whole
from indistinct.release.audit.verdict import RECORDS, Verdict

MODEL = "balanced-p-plus-sensitive"


@class_check(
    MODEL,
    counts="values",
    settings={"p": whole(1, example=2), "difference": whole(0, example=1, default=1)},
)
def check(asked: Asked) -> Verdict:
    """Whether every class has values of p categories, and both halves in nearly equal numbers.

    ``difference`` is the largest one between the numbers of records of both halves.
    """
    cells = categories(asked.cells(), asked, ordered=True)
    number = len(asked.known.category_order)
    place, many = pl.col("place"), pl.col(RECORDS)
    harmless = many.filter(place < number // 2).sum()
    sensitive = many.filter(place >= number - number // 2).sum()
    classes = described(
        cells,
        p=pl.col("category").n_unique().cast(pl.Int64),
        difference=(sensitive - harmless).abs(),
    )
    return asked.judged(
        classes,
        (pl.col("p") < asked["p"]) | (pl.col("difference") > asked["difference"]),
        {"p": least(classes["p"]), "difference": most(classes["difference"])},
    )
