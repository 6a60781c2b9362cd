"""Membership: which sensitive value does a person in the table have?

The attacker takes the classes that are compatible with the person's exact quasi-identifiers, and
believes in every value as its share among their records: the average over random worlds. It
succeeds where the belief in the true value is large, and is certain where one value alone is left.
Of several values of a person the one that is believed most counts.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.context import SURE, AttackContext
from indistinct.analytics.attacks.finding import (
    CERTAIN,
    Finding,
    Skipped,
    of_people,
    share_of,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.remedies import bounded_belief
from indistinct.types import Bools

NAME = "membership"
KIND = "attribute"
PLACE = 30
KNOWLEDGE = "the exact quasi-identifiers of a person, and that the person is in the table"
SOURCE = "Machanavajjhala and others (2006), section 3; Fazal and others (2023)"
REMEDY = bounded_belief


def run(context: AttackContext, sensitive: str) -> Finding | Skipped:
    """Believe in each value as the people of the compatible classes are likely to have it."""
    spread, own = context.spread(sensitive), context.own(sensitive)
    prior, believed = context.true_prior(sensitive), context.believed(sensitive)
    pooled, held = spread.pooled, spread.held
    size = np.maximum(context.places.set_size, 1)
    certain = pooled.amount >= size[pooled.row_of] - SURE
    sure = np.bincount(pooled.row_of, certain, minlength=len(pooled))
    # A missing value is true of who has one, though it is not what is learnt of who has others.
    lacking = np.array([label is None for label in context.labels(sensitive)], np.bool_)
    gone = np.bincount(pooled.row_of[certain & lacking[pooled.index]], minlength=len(pooled))
    true = _lacking_one(context, sensitive) * gone[context.set_of]
    known = np.bincount(own.person, believed >= 1 - SURE, minlength=len(prior))
    share = held.amount / context.classes.size[held.row_of]
    top = held.largest_of(share - spread.prior[held.index])
    figures: dict[str, float | int | None] = {
        "found": share_of(context.found),
        "misled": share_of(context.found & (sure[context.set_of] > known + true)),
        "largest_belief": float(share.max(initial=0.0)),
    }
    if not context.one_record_each:
        added = own.best(np.maximum(believed - spread.prior[own.label], 0))
        figures["value_gain_mean"] = share_of(added)
        figures["value_gain_max"] = float(added.max(initial=0.0))
    found = summarize(
        context,
        sensitive,
        context.true_belief(sensitive),
        prior,
        context.found & (known > 0),
        figures=figures,
        worst=worst_class(context, top, gain=top),
    )
    half, before = of_people(found.success["0.5"]), of_people(found.prior["0.5"])
    truth = context.truth(sensitive)
    note = (
        f"{truth[0].upper()}{truth[1:]} is at least as likely as not for {half} (from overall "
        f"frequencies alone for {before}), and certain for {of_people(found.success[CERTAIN])}."
    )
    return Finding(**{**vars(found), "note": note})


def _lacking_one(context: AttackContext, sensitive: str) -> Bools:
    """Who has a missing value beside others, [n]."""
    values = context.values[sensitive]
    missing = np.array([label is None for label in values.labels], np.bool_)
    several = values.length[values.row_of] > 1
    return np.bincount(values.row_of, missing[values.index] & several, len(values)) > 0
