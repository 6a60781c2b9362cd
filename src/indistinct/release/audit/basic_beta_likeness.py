"""Does no class make a sensitive value much likelier than it is everywhere?

Cao and Karras (2012), basic beta-likeness: where the share p of a value in a class is above its
share q in the whole table, the gain (p - q) / q is at most beta.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.classes import (
    SHARE,
    TOLERANCE,
    beside,
    counts,
    described,
    judged,
    most,
    number,
    read,
    reference,
)
from indistinct.release.audit.verdict import Context, Verdict
from indistinct.requirement import Requirement

MODEL = "basic-beta-likeness"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether no value gains more than beta of its share in any class.

    Arguments:
        records: The published records as text, missing cells null, suppressed records left out.
        requirement: The promise, with its parameter ``beta``.
        context: The release's quasi-identifiers and, with ``reference = "original"``, the original
            distribution of the values.

    Raises:
        PolicyError: If a parameter or the sensitive attribute is missing or of the wrong form, or
            the original distribution is needed and not known.
    """
    asked = read(
        requirement,
        compares=True,
        beta=number("a number above 0", lambda beta: beta > 0, example=2),
    )
    cells = counts(records, requirement, context)
    told = reference(cells, requirement, context)
    p, q = pl.col(SHARE), pl.col("expected")
    # Some value of a class has at least its share, so the largest gain is never below 0.
    classes = described(beside(cells, told), beta=pl.max_horizontal((p / q - 1).max(), 0.0))
    return judged(
        requirement,
        context,
        classes,
        pl.col("beta") > asked["beta"] + TOLERANCE,
        {"beta": most(classes["beta"])},
    )
