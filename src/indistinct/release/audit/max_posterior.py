"""Does no class tell any sensitive value with more than a stated probability?

If a person's class is known, each value is as likely as its share there; no share may be
above the bound. The share is that of (alpha, k)-anonymity (Wong, Li, Fu and Wang 2006), without a
bound on sizes.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import APPLIES, Asked, described, most
from indistinct.release.audit.settings import share, word
from indistinct.release.audit.verdict import RECORDS, Verdict

MODEL = "max-posterior"


@class_check(
    MODEL,
    counts="shares",
    settings={"bound": share(example=0.5, default=0.5), "over": word("release", "releases")},
    about_values=True,
)
def check(asked: Asked) -> Verdict:
    """Whether no value makes up more than the share ``bound`` of a class."""
    most_had = pl.col(RECORDS).filter(asked.harmful).max().fill_null(0)
    classes = described(asked.cells(), bound=most_had / pl.col(APPLIES).first())
    return asked.judged(classes, asked.above("bound"), {"bound": most(classes["bound"])})
