"""Non-membership: which sensitive values can be ruled out?

A value that occurs in no compatible class is excluded. That alone can harm ("they do not have what
they say they have"), and many exclusions leave few values: the attacker here knows nothing of how
often the values of a class occur, only which do, and believes in each of those as in the whole
release, in proportion.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.context import SURE, AttackContext
from indistinct.analytics.attacks.finding import Finding, Skipped, share_of, summarize, worst_class
from indistinct.analytics.attacks.remedies import bounded_belief
from indistinct.document import many

NAME = "non-membership"
KIND = "attribute"
PLACE = 50
KNOWLEDGE = "the exact quasi-identifiers of a person, and that the person is in the table"
SOURCE = "Fazal and others (2023)"
REMEDY = bounded_belief


def run(context: AttackContext, sensitive: str) -> Finding | Skipped:
    """Exclude every published label that nobody of a person's compatible classes can have.

    A label is possible where one is listed that has a value in common with it. Of what is left the
    attacker believes as much as before, in proportion, and nothing more than certainty.
    """
    labels, own = context.labels(sensitive), context.own(sensitive)
    prior = context.listed(sensitive).prior
    touched, touching = context.listed(sensitive), context.covering(sensitive).touching
    if not context.covering(sensitive).plain:
        touched = context.lifted(sensitive, touching, len(labels))
    pool = touched.pooled
    left = np.bincount(pool.row_of, weights=prior[pool.index], minlength=len(pool))
    candidates, found = context.set_of, context.found
    there = pool.of(candidates[own.person], own.label) > 0
    scale = float(prior.sum()) / np.maximum(left, 1e-300)
    truth = context.spread(sensitive).prior[own.label]
    held = np.where(there, np.minimum(truth * scale[candidates[own.person]], 1.0), 0.0)
    before = context.true_prior(sensitive)
    possible = own.best(there.astype(np.float64)) > 0
    number = pool.length[candidates]
    excluded = np.where(found, len(labels) - number, 0)
    wrong = int((found[own.person] & ~there).sum())
    pairs, people = int(excluded.sum()), context.people.height
    rate = pairs / (people * len(labels)) if people and labels else 0.0
    by_class = len(labels) - touched.held.length
    alone = found & possible & (number == 1)
    certain = (own.best(held) >= 1 - SURE) & (context.true_belief(sensitive) >= 1 - SURE)
    figures: dict[str, float | int | None] = {
        "values": len(labels),
        "excluded_pairs": pairs,
        "exclusion_rate": rate,
        "right": 1 - wrong / pairs if pairs else None,
    }
    if not context.one_record_each:
        support = number[found]
        figures["support_mean"] = float(support.mean()) if len(support) else None
        figures["support_smallest"] = int(support.min()) if len(support) else None
        figures["support_one"] = share_of(found & (number == 1))
    return summarize(
        context,
        sensitive,
        np.where(alone, 1.0, np.where(found, own.best(held), before)),
        before,
        alone | (found & certain),
        figures=figures,
        worst=worst_class(context, by_class.astype(np.float64), excluded=by_class),
        note=(
            f"On average {rate:.1%} of the {many(len(labels), 'published value')} of {sensitive} "
            "can be ruled out for a person."
        ),
    )
