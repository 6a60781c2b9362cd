"""Does every published record share its quasi-identifiers with k - 1 others?

Counted as the definition reads (Samarati 2001; Sweeney 2002): group the records by the published
values of the quasi-identifiers and look at the smallest group.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import SIZE, Asked, least
from indistinct.release.audit.settings import whole
from indistinct.release.audit.verdict import Verdict

MODEL = "k-anonymity"


@class_check(MODEL, counts="units", settings={"k": whole(1, example=5)})
def check(asked: Asked) -> Verdict:
    """Whether every equivalence class has at least k records."""
    classes = asked.sizes()
    return asked.judged(classes, pl.col(SIZE) < asked["k"], {"k": least(classes[SIZE])})
