"""Does every class of the release have p different sensitive values?

Truta and Vinay (2006), p-sensitive k-anonymity, its part about values: at least p of them in every
class. k is promised beside it.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.classes import counts, described, judged, least, read, whole
from indistinct.release.audit.verdict import Context, Verdict
from indistinct.requirement import Requirement

MODEL = "p-sensitive"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether every class has at least p different values.

    Arguments:
        records: The published records as text, missing cells null, suppressed records left out.
        requirement: The promise, with its parameter ``p``.
        context: The release's quasi-identifiers.

    Raises:
        PolicyError: If a parameter or the sensitive attribute is missing or of the wrong form.
    """
    asked = read(requirement, p=whole(1, example=3))
    classes = described(counts(records, requirement, context), p=pl.len().cast(pl.Int64))
    return judged(
        requirement, context, classes, pl.col("p") < asked["p"], {"p": least(classes["p"])}
    )
