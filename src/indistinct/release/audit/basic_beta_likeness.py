"""Does no class make a sensitive value much likelier than it is everywhere?

Cao and Karras (2012), basic beta-likeness: where the share p of a value in a class is above its
share q in the whole table, the gain (p - q) / q is at most beta.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import (
    SHARE,
    Asked,
    beside,
    described,
    most,
    reference,
)
from indistinct.release.audit.settings import number
from indistinct.release.audit.verdict import Verdict

MODEL = "basic-beta-likeness"


@class_check(
    MODEL,
    counts="values",
    settings={"beta": number("a number above 0", lambda beta: beta > 0, example=2)},
    compares=True,
    about_values=True,
)
def check(asked: Asked) -> Verdict:
    """Whether no value gains more than beta of its share in any class."""
    cells = asked.cells()
    p, q = pl.col(SHARE), pl.col("expected")
    # Some value of a class has at least its share, so the largest gain is never below 0.
    gain = (p / q - 1).filter(asked.harmful)
    classes = described(beside(cells, reference(asked)), beta=pl.max_horizontal(gain.max(), 0.0))
    return asked.judged(classes, asked.above("beta"), {"beta": most(classes["beta"])})
