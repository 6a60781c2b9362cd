"""Does every class have sensitive values of p categories, and do these weigh enough in all?

(p+, alpha)-sensitive k-anonymity of Sun, Sun and Wang (2011), its part about values: of m
categories in falling order of sensitivity the i-th weighs (i - 1) / (m - 1), and the values of a
class belong to at least p categories, whose weights add up to at least alpha. k is promised beside
it.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.classes import (
    SIZE,
    TOLERANCE,
    categories,
    counts,
    judged,
    least,
    number,
    read,
    whole,
)
from indistinct.release.audit.verdict import CLASS, UNITS, Context, Verdict
from indistinct.requirement import Requirement

MODEL = "p-plus-alpha-sensitive"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether every class has values of p categories, with a total weight of at least alpha.

    Arguments:
        records: The published records as text, missing cells null, suppressed records left out.
        requirement: The promise, with its parameters ``p`` and ``alpha``.
        context: The release's quasi-identifiers, and the values' categories with their order.

    Raises:
        PolicyError: If a parameter or the sensitive attribute is missing or of the wrong form, or
            a value's category or the order of categories is not known.
    """
    asked = read(
        requirement,
        p=whole(1, example=2),
        alpha=number("a number of at least 0", lambda alpha: alpha >= 0, example=1),
    )
    cells = categories(counts(records, requirement, context), requirement, context, ordered=True)
    found = cells.group_by([CLASS, "category"], maintain_order=True).agg(
        pl.col(UNITS).first(), pl.col("weight").first(), pl.col("place").first()
    )
    classes = (
        found.sort([CLASS, "place"])
        .group_by(CLASS, maintain_order=True)
        .agg(
            pl.col(UNITS).first().alias(SIZE),
            pl.len().cast(pl.Int64).alias("p"),
            pl.col("weight").sum().alias("alpha"),
        )
    )
    return judged(
        requirement,
        context,
        classes,
        (pl.col("p") < asked["p"]) | (pl.col("alpha") < asked["alpha"] - TOLERANCE),
        {"p": least(classes["p"]), "alpha": least(classes["alpha"])},
    )
