"""Does every class of the release have sensitive values of p different categories?

Sun, Sun and Wang (2011), p+-sensitive k-anonymity, its part about values: those of a class belong
to at least p categories. k is promised beside it.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.classes import (
    categories,
    counts,
    described,
    judged,
    least,
    read,
    whole,
)
from indistinct.release.audit.verdict import Context, Verdict
from indistinct.requirement import Requirement

MODEL = "p-plus-sensitive"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether the values of every class belong to at least p different categories.

    Arguments:
        records: The published records as text, missing cells null, suppressed records left out.
        requirement: The promise, with its parameter ``p``.
        context: The release's quasi-identifiers, and the categories of the values.

    Raises:
        PolicyError: If a parameter or the sensitive attribute is missing or of the wrong form, or
            a value's category is not known.
    """
    asked = read(requirement, p=whole(1, example=2))
    cells = categories(counts(records, requirement, context), requirement, context)
    classes = described(cells, p=pl.col("category").n_unique().cast(pl.Int64))
    return judged(
        requirement, context, classes, pl.col("p") < asked["p"], {"p": least(classes["p"])}
    )
