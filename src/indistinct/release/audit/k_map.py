"""Does every class of the release stand for at least k people of a population?

Sweeney (2002), k-map: whoever links a published record to a population that is known finds at least
k people whom it may be about. For every class the people of the population are counted whose exact
quasi-identifiers lie under the published ones.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.classes import judged, least, read, whole
from indistinct.release.audit.population import PEOPLE, people
from indistinct.release.audit.verdict import Context, Verdict
from indistinct.requirement import Requirement

MODEL = "k-map"


def check(records: pl.DataFrame, requirement: Requirement, context: Context) -> Verdict:
    """Whether at least k people of the population are under every class.

    Arguments:
        records: The published records as text, missing cells null, suppressed records left out.
        requirement: The promise, with its parameter ``k``.
        context: The release's quasi-identifiers, the population, and what labels stand for.

    Raises:
        PolicyError: If a parameter is missing or of the wrong form, or the population or the
            meaning of a label is not known.
    """
    asked = read(requirement, sensitive=False, k=whole(1, example=5))
    classes, _ = people(records, requirement, context)
    return judged(
        requirement, context, classes, pl.col(PEOPLE) < asked["k"], {"k": least(classes[PEOPLE])}
    )
