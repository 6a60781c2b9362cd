"""Does no class make a value much likelier, and none that was likely anyway nearly certain?

Cao and Karras (2012), enhanced beta-likeness: where the share p of a value in a class is above its
share q in the whole table, the gain (p - q) / q is at most beta, and at most -ln q.
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
from indistinct.release.audit.settings import number
from indistinct.release.audit.verdict import Verdict

MODEL = "enhanced-beta-likeness"


@class_check(
    MODEL,
    counts="values",
    settings={"beta": number("a number above 0", lambda beta: beta > 0, example=2)},
    compares=True,
    about_values=True,
)
def check(asked: Asked) -> Verdict:
    """Whether no value gains more than beta, or than -ln q, of its share q in any class.

    What is achieved is None where a gain is above -ln q: no beta would be kept then.
    """
    cells = asked.cells()
    p, q = pl.col(SHARE), pl.col("expected")
    gain = p / q - 1
    classes = described(
        beside(cells, reference(asked)),
        beta=pl.max_horizontal(gain.filter(asked.harmful).max(), 0.0),
        beyond=((gain > TOLERANCE) & (gain > -q.log() + TOLERANCE) & asked.harmful).any(),
    )
    best = None if classes["beyond"].any() else most(classes["beta"])
    return asked.judged(classes, asked.above("beta") | pl.col("beyond"), {"beta": best})
