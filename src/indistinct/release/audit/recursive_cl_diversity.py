"""Does no value prevail in a class, even when others are ruled out?

Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), recursive (c, l)-diversity: with the
counts of a class's values in falling order, r1 >= r2 >= ... >= rm, it asks of every class that
r1 < c (rl + ... + rm).
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import TOLERANCE, Asked, described, least, most
from indistinct.release.audit.settings import number, whole
from indistinct.release.audit.verdict import RECORDS, Verdict

MODEL = "recursive-cl-diversity"


@class_check(
    MODEL,
    counts="values",
    settings={
        "c": number("a number above 0", lambda c: c > 0, example=3),
        "l": whole(1, example=3),
    },
)
def check(asked: Asked) -> Verdict:
    """Whether in every class the most frequent value is rarer than c times the tail from the l-th.

    What is achieved: as ``c`` the figure that every c above it would keep with this l (None if none
    would), as ``l`` the largest l that would be kept with this c. Both at once need not be kept.
    """
    falling = pl.col(RECORDS).sort(descending=True)
    # The tails that begin with the first value, the second, and so on.
    tails = falling.reverse().cum_sum().reverse()
    enough = pl.col(RECORDS).max() < asked["c"] * tails - TOLERANCE
    classes = described(
        asked.cells(),
        c=pl.col(RECORDS).max() / falling.slice(asked["l"] - 1).sum(),
        # Tails fall, so those that suffice are the first ones: their number is the largest l.
        l=enough.sum().cast(pl.Int64),
    )
    return asked.judged(
        classes,
        pl.col("l") < asked["l"],
        {"c": most(classes["c"]), "l": least(classes["l"])},
        {"c": {"l": asked["l"]}, "l": {"c": asked["c"]}},
    )
