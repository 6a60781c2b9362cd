"""Does the rank variance of the sensitive values in every class reach its threshold?

Khan and others (2020), section 5: the counts f of a class's values, in falling order, get the ranks
x = 1, 2, ..., and the variance of the ranks over the records is at least theta = mu (k^2 - 1) / 12,
which is mu times the variance of k different values. theta is that of k for every class, or that of
each class's own size. Every class has at least k records.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import SIZE, TOLERANCE, Asked, described, least
from indistinct.release.audit.settings import share, whole, word
from indistinct.release.audit.verdict import RECORDS, Verdict

MODEL = "theta-sensitive"


@class_check(
    MODEL,
    counts="values",
    settings={
        "k": whole(1, example=4),
        "mu": share(0.6, default=0.6),
        "theta": word("k", "size"),
    },
)
def check(asked: Asked) -> Verdict:
    """Whether every class has k records and a rank variance of at least theta.

    What is achieved: as ``k`` the largest k that would be kept with this mu, as ``mu`` the largest
    mu that would be kept with this k (None for theta of a single record, which is 0 for any mu).
    Both at once need not be kept, unless theta is that of the class size: then neither asks for the
    other.
    """
    k, mu = asked["k"], asked["mu"]
    f = pl.col(RECORDS).sort(descending=True)
    x = pl.int_range(1, pl.len() + 1)
    mean = (f * x).sum() / pl.col(RECORDS).sum()
    classes = described(
        asked.cells(),
        variance=(f * (x - mean) ** 2).sum() / pl.col(RECORDS).sum(),
    )
    by_size = asked["theta"] == "size"
    rule = pl.col(SIZE) if by_size else pl.lit(k)
    classes = classes.with_columns((rule * rule - 1).cast(pl.Float64).alias("span") / 12)
    kept = classes.filter(pl.col("span") > 0)
    if by_size:
        largest = least(classes[SIZE])
    else:
        fits = (12 * pl.col("variance") / mu + 1 + TOLERANCE).sqrt().floor()
        largest = least(classes.select(k=pl.min_horizontal(fits, SIZE).cast(pl.Int64))["k"])
    return asked.judged(
        classes,
        (pl.col("variance") < mu * pl.col("span") - TOLERANCE) | (pl.col(SIZE) < k),
        {"k": largest, "mu": least(kept.select(mu=pl.col("variance") / pl.col("span"))["mu"])},
        {} if by_size else {"k": {"mu": mu}, "mu": {"k": k}},
    )
