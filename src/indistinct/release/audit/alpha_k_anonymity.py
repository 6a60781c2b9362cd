"""Are the classes large enough, and does no sensitive value fill more than a share of one?

Wong, Li, Fu and Wang (2006), (alpha, k)-anonymity, for every value of the attribute: every class
has at least k records, and each value at most the share alpha of them.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.classes import (
    SIZE,
    TOLERANCE,
    counts,
    described,
    judged,
    least,
    most,
    read,
    share,
    whole,
)
from indistinct.release.audit.verdict import RECORDS, UNITS, Context, Verdict
from indistinct.requirement import Requirement

MODEL = "alpha-k-anonymity"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether every class has k records, and no value more than the share alpha of them.

    Arguments:
        records: The published records as text, missing cells null, suppressed records left out.
        requirement: The promise, with its parameters ``alpha`` and ``k``.
        context: The release's quasi-identifiers.

    Raises:
        PolicyError: If a parameter or the sensitive attribute is missing or of the wrong form.
    """
    asked = read(requirement, alpha=share(example=0.5), k=whole(1, example=5))
    classes = described(
        counts(records, requirement, context), alpha=pl.col(RECORDS).max() / pl.col(UNITS).first()
    )
    return judged(
        requirement,
        context,
        classes,
        (pl.col("alpha") > asked["alpha"] + TOLERANCE) | (pl.col(SIZE) < asked["k"]),
        {"alpha": most(classes["alpha"]), "k": least(classes[SIZE])},
    )
