"""Does every class have values of p categories, as many sensitive ones as harmless ones?

Balanced p+-sensitive k-anonymity after Anjum and others (2018), its part about values: those of a
class belong to at least p categories, and the records with a value of the more sensitive half of
the categories are as many as those of the less sensitive half, up to a stated difference. With an
odd number of categories the middle one is in neither half. k is promised beside it.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.classes import (
    categories,
    counts,
    described,
    judged,
    least,
    most,
    read,
    whole,
)
from indistinct.release.audit.verdict import RECORDS, Context, Verdict
from indistinct.requirement import Requirement

MODEL = "balanced-p-plus-sensitive"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether every class has values of p categories, and both halves in nearly equal numbers.

    Arguments:
        records: The published records as text, missing cells null, suppressed records left out.
        requirement: The promise, with its parameters ``p`` and ``difference`` (1 where it is left
            out), the largest difference between the numbers of records of both halves.
        context: The release's quasi-identifiers, and the values' categories with their order.

    Raises:
        PolicyError: If a parameter or the sensitive attribute is missing or of the wrong form, or
            a value's category or the order of categories is not known.
    """
    asked = read(requirement, p=whole(1, example=2), difference=whole(0, example=1, default=1))
    cells = categories(counts(records, requirement, context), requirement, context, ordered=True)
    assert requirement.sensitive is not None
    number = len(context.known[requirement.sensitive].category_order)
    place, many = pl.col("place"), pl.col(RECORDS)
    harmless = many.filter(place < number // 2).sum()
    sensitive = many.filter(place >= number - number // 2).sum()
    classes = described(
        cells,
        p=pl.col("category").n_unique().cast(pl.Int64),
        difference=(sensitive - harmless).abs(),
    )
    return judged(
        requirement,
        context,
        classes,
        (pl.col("p") < asked["p"]) | (pl.col("difference") > asked["difference"]),
        {"p": least(classes["p"]), "difference": most(classes["difference"])},
    )
