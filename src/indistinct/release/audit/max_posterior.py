"""Does no class tell any sensitive value with more than a stated probability?

Whoever knows somebody's class holds each value for as likely as its share there; no share may be
above the bound. The share is that of (alpha, k)-anonymity (Wong, Li, Fu and Wang 2006), without a
bound on sizes.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.classes import (
    TOLERANCE,
    counts,
    described,
    judged,
    most,
    read,
    share,
)
from indistinct.release.audit.verdict import RECORDS, UNITS, Context, Verdict
from indistinct.requirement import Requirement

MODEL = "max-posterior"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether no value makes up more than the share ``bound`` of a class.

    Arguments:
        records: The published records as text, missing cells null, suppressed records left out.
        requirement: The promise, with its parameter ``bound`` (1/2 where it is left out).
        context: The release's quasi-identifiers.

    Raises:
        PolicyError: If the sensitive attribute is missing or the bound of the wrong form.
    """
    asked = read(requirement, bound=share(example=0.5, default=0.5))
    classes = described(
        counts(records, requirement, context), bound=pl.col(RECORDS).max() / pl.col(UNITS).first()
    )
    return judged(
        requirement,
        context,
        classes,
        pl.col("bound") > asked["bound"] + TOLERANCE,
        {"bound": most(classes["bound"])},
    )
