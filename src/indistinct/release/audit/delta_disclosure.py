"""Is every sensitive value nearly as likely in each class as everywhere?

Brickell and Shmatikov (2008), delta-disclosure privacy: for every value and class |ln(p / q)| is
below delta, p the share in the class and q that in the whole table. A value that a class does not
have breaks it for any delta, unless absent values are to be skipped.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import (
    SHARE,
    TOLERANCE,
    Asked,
    beside,
    described,
    most,
    reference,
)
from indistinct.release.audit.settings import number, word
from indistinct.release.audit.verdict import Verdict

MODEL = "delta-disclosure"


@class_check(
    MODEL,
    counts="values",
    settings={
        "delta": number("a number above 0", lambda delta: delta > 0, example=2),
        "absent": word("break", "skip"),
    },
    compares=True,
    about_values=True,
)
def check(asked: Asked) -> Verdict:
    """Whether every |ln(p / q)| is below delta.

    What is achieved is the figure that every delta above it would keep, None if none would.
    ``absent`` says whether a value that a class lacks is to ``break`` the promise or to be passed
    over, ``skip``.
    """
    cells = asked.cells()
    told = reference(asked)
    p, q = pl.col(SHARE), pl.col("expected")
    classes = described(
        beside(cells, told),
        delta=(p / q).log().abs().filter(asked.harmful).max().fill_null(0.0),
        present=p.filter(asked.harmful).len(),
    )
    if asked["absent"] == "break":
        lacks = pl.col("present") < told.filter(asked.harmful).height
        classes = classes.with_columns(
            pl.when(lacks).then(pl.lit(float("inf"))).otherwise("delta").alias("delta")
        )
    return asked.judged(
        classes, pl.col("delta") >= asked["delta"] - TOLERANCE, {"delta": most(classes["delta"])}
    )
