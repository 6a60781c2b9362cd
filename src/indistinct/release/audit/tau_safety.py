"""Have all records of every class different sensitive values, m or more?

Anjum and others (2017): what one release shows of tau-safety, the same as of m-invariance.
"""

from __future__ import annotations

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import Asked
from indistinct.release.audit.m_invariance import unique_values
from indistinct.release.audit.settings import whole
from indistinct.release.audit.verdict import Verdict

MODEL = "tau-safety"


@class_check(MODEL, counts="values", settings={"m": whole(1, example=2, default=2)})
def check(asked: Asked) -> Verdict:
    """Whether every class has m values or more, and none of them twice."""
    return unique_values(asked)
