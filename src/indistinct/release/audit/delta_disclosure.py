"""Is every sensitive value nearly as likely in each class as everywhere?

Brickell and Shmatikov (2008), delta-disclosure privacy: for every value and class |ln(p / q)| is
below delta, p the share in the class and q that in the whole table. A value that a class does not
have breaks it whatever delta, unless absent values are to be skipped.
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
    word,
)
from indistinct.release.audit.verdict import Context, Verdict
from indistinct.requirement import Requirement

MODEL = "delta-disclosure"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether every |ln(p / q)| is below delta.

    What is achieved is the figure that every delta above it would keep, None if none would.

    Arguments:
        records: The published records as text, missing cells null, suppressed records left out.
        requirement: The promise, with its parameters ``delta`` (in natural logarithms) and
            ``absent``: whether a value that a class lacks is to ``break`` it (where it is left out)
            or to be passed over, ``skip``.
        context: The release's quasi-identifiers and, with ``reference = "original"``, the original
            distribution of the values.

    Raises:
        PolicyError: If a parameter or the sensitive attribute is missing or of the wrong form, or
            the original distribution is needed and not known.
    """
    asked = read(
        requirement,
        compares=True,
        delta=number("a number above 0", lambda delta: delta > 0, example=2),
        absent=word("break", "skip"),
    )
    cells = counts(records, requirement, context)
    told = reference(cells, requirement, context)
    p, q = pl.col(SHARE), pl.col("expected")
    classes = described(
        beside(cells, told),
        delta=(p / q).log().abs().max(),
        present=(q > 0).sum(),
    )
    if asked["absent"] == "break":
        lacks = pl.col("present") < told.height
        classes = classes.with_columns(
            pl.when(lacks).then(pl.lit(float("inf"))).otherwise("delta").alias("delta")
        )
    return judged(
        requirement,
        context,
        classes,
        pl.col("delta") >= asked["delta"] - TOLERANCE,
        {"delta": most(classes["delta"])},
    )
