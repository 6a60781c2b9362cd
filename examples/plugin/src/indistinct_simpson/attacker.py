"""The attacker: names of every person the most frequent value among the records that fit them."""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks import AttackContext, Finding, bounded_belief, summarize

NAME = "best-guess"
KIND = "attribute"
PLACE = 1000
KNOWLEDGE = "the exact quasi-identifiers of a person, and that the person is in the table"
SOURCE = "Simpson (1949)"
REMEDY = bounded_belief

SURE = 1 - 1e-9


def run(context: AttackContext, sensitive: str) -> Finding:
    """Believe in the most frequent value by its share, and in no other."""
    spread, places = context.spread(sensitive), context.places
    belief, prior = context.true_belief(sensitive), context.true_prior(sensitive)
    most_before = spread.prior.max(initial=0.0)
    most = np.where(
        context.found,
        spread.pooled.largest[context.set_of] / np.maximum(places.rows_of, 1),
        most_before,
    )
    right = (belief > 0) & (belief >= most * SURE)
    return summarize(
        context,
        sensitive,
        belief=np.where(right, belief, 0.0),
        prior=np.where(prior >= most_before * SURE, prior, 0.0),
        certain=right & context.found & (belief >= SURE),
        figures={"guessed": float(right.mean())},
    )
