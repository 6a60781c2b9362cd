"""Is the entropy of the sensitive values in every class at least that of l equal shares?

Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), entropy l-diversity: in every class
the sum of -p ln p over the values' shares is at least ln l. Shannon's entropy of the shares as they
are; a class of l values with equal shares reaches exactly l.
"""

from __future__ import annotations

import math

import polars as pl

from indistinct.release.audit.classes import (
    TOLERANCE,
    counts,
    described,
    judged,
    least,
    number,
    read,
)
from indistinct.release.audit.verdict import RECORDS, Context, Verdict
from indistinct.requirement import Requirement

MODEL = "entropy-l-diversity"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether the values of every equivalence class have an entropy of at least ln l.

    Arguments:
        records: The published records as text, missing cells null, suppressed records left out.
        requirement: The promise, with its parameter ``l``, which need not be whole.
        context: The release's quasi-identifiers.

    Raises:
        PolicyError: If a parameter or the sensitive attribute is missing or of the wrong form.
    """
    asked = read(
        requirement, l=number("a number of at least 1", lambda least: least >= 1, example=3)
    )
    p = pl.col(RECORDS) / pl.col(RECORDS).sum()
    classes = described(counts(records, requirement, context), entropy=-(p * p.log()).sum())
    lowest = least(classes["entropy"])
    return judged(
        requirement,
        context,
        classes,
        pl.col("entropy") < math.log(asked["l"]) - TOLERANCE,
        # With one value the sum can be the other zero, -0.0.
        {"l": None if lowest is None else max(math.exp(lowest), 1.0)},
    )
