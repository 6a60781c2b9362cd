"""Are the classes large enough, and does no sensitive value fill more than a share of one?

Wong, Li, Fu and Wang (2006), (alpha, k)-anonymity, for every value of the attribute: every class
has at least k records, and each value at most the share alpha of them.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import APPLIES, SIZE, Asked, described, least, most
from indistinct.release.audit.settings import share, whole
from indistinct.release.audit.verdict import CLASS, RECORDS, Verdict

MODEL = "alpha-k-anonymity"


@class_check(
    MODEL,
    counts="shares",
    settings={"alpha": share(example=0.5), "k": whole(1, example=5)},
    about_values=True,
)
def check(asked: Asked) -> Verdict:
    """Whether every class has k records, and no value more than the share alpha of them."""
    most_had = pl.col(RECORDS).filter(asked.harmful).max().fill_null(0)
    shares = described(asked.cells(), alpha=most_had / pl.col(APPLIES).first())
    # A class of records that the values do not apply to has no shares, and a size.
    every = described(asked.context.counts(asked.counted, asked.on, asked.sensitive))
    classes = every.join(shares.drop(SIZE), on=CLASS, how="left", maintain_order="left")
    return asked.judged(
        classes,
        asked.above("alpha") | (pl.col(SIZE) < asked["k"]),
        {"alpha": most(classes["alpha"]), "k": least(classes[SIZE])},
    )
