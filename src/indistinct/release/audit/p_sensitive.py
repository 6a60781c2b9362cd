"""Does every class of the release have p different sensitive values?

Truta and Vinay (2006), p-sensitive k-anonymity, its part about values: at least p of them in every
class. k is promised beside it.
"""

from __future__ import annotations

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import Asked
from indistinct.release.audit.distinct_l_diversity import different_values
from indistinct.release.audit.settings import whole
from indistinct.release.audit.verdict import Verdict

MODEL = "p-sensitive"


@class_check(MODEL, counts="values", settings={"p": whole(1, example=3)}, about_values=True)
def check(asked: Asked) -> Verdict:
    """Whether every class has at least p different values."""
    return different_values(asked, "p")
