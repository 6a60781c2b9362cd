"""Does every class of the release have l different sensitive values?

Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), distinct l-diversity: count the
different values in every group of equal quasi-identifiers. A missing value is a value of its own.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.classes import counts, described, judged, least, read, whole
from indistinct.release.audit.verdict import Context, Verdict
from indistinct.requirement import Requirement

MODEL = "distinct-l-diversity"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether every equivalence class has at least l different values.

    Arguments:
        records: The published records as text, missing cells null, suppressed records left out.
        requirement: The promise, with its parameter ``l``.
        context: The release's quasi-identifiers.

    Raises:
        PolicyError: If a parameter or the sensitive attribute is missing or of the wrong form.
    """
    asked = read(requirement, l=whole(1, example=3))
    classes = described(counts(records, requirement, context), l=pl.len().cast(pl.Int64))
    return judged(
        requirement, context, classes, pl.col("l") < asked["l"], {"l": least(classes["l"])}
    )
