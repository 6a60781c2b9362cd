"""Does every class have p different sensitive values, and weigh enough in all?

Sun, Sun and Wang (2011), (p, alpha)-sensitive k-anonymity, its part about values: of m categories
in falling order of sensitivity the i-th weighs (i - 1) / (m - 1), a value weighs what its category
does, and a class has at least p values and a total weight of at least alpha. The total is taken
over the different values of the class, or over its records. k is promised beside it.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.classes import (
    TOLERANCE,
    categories,
    counts,
    described,
    judged,
    least,
    number,
    read,
    whole,
    word,
)
from indistinct.release.audit.verdict import RECORDS, Context, Verdict
from indistinct.requirement import Requirement

MODEL = "p-alpha-sensitive"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether every class has p different values, and a total weight of at least alpha.

    Arguments:
        records: The published records as text, missing cells null, suppressed records left out.
        requirement: The promise, with its parameters ``p``, ``alpha`` and ``over``: whether the
            total is over the ``distinct`` values (where it is left out) or the ``records``.
        context: The release's quasi-identifiers, and the values' categories with their order.

    Raises:
        PolicyError: If a parameter or the sensitive attribute is missing or of the wrong form, or
            a value's category or the order of categories is not known.
    """
    asked = read(
        requirement,
        p=whole(1, example=3),
        alpha=number("a number of at least 0", lambda alpha: alpha >= 0, example=1),
        over=word("distinct", "records"),
    )
    cells = categories(counts(records, requirement, context), requirement, context, ordered=True)
    times = pl.col(RECORDS) if asked["over"] == "records" else 1
    classes = described(cells, p=pl.len().cast(pl.Int64), alpha=(pl.col("weight") * times).sum())
    return judged(
        requirement,
        context,
        classes,
        (pl.col("p") < asked["p"]) | (pl.col("alpha") < asked["alpha"] - TOLERANCE),
        {"p": least(classes["p"]), "alpha": least(classes["alpha"])},
    )
