"""Skewness: how much more likely did a harmful value become?

Half of a class with a value that one in a hundred has: nobody is known for certain, and everybody
in it is suspected. The attacker strikes where the belief in a harmful value is at least twice what
the marginal distribution says. Harmful are the values of the most sensitive category, unless others
are named or promises are about some values alone; where none of this is known, each person's own
value is looked at. Harmful values that occur nowhere in the release are doubled for nobody.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.context import SURE, AttackContext
from indistinct.analytics.attacks.finding import (
    Finding,
    Skipped,
    mean_of,
    of_people,
    share_of,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.remedies import bounded_belief
from indistinct.metadata import Value
from indistinct.types import Bools

NAME = "skewness"
KIND = "attribute"
PLACE = 90
HEEDS = ("harmful",)
KNOWLEDGE = (
    "the exact quasi-identifiers of a person, and how often each value occurs in the release"
)
SOURCE = "Li, Li and Venkatasubramanian (2007), section 2"
REMEDY = bounded_belief

DOUBLE = 2 - 1e-12


def run(context: AttackContext, sensitive: str) -> Finding | Skipped:
    """Strike where people have a harmful value at least twice as likely as in the whole release.

    A published label is harmful if all values that it stands for are.
    """
    spread, own = context.spread(sensitive), context.own(sensitive)
    named = context.values_that_harm(sensitive)
    harmful = _harmful(context, sensitive, named)
    prior, pooled, held = spread.prior, spread.pooled, spread.held
    gains = pooled.amount / context.places.set_size[pooled.row_of] / prior[pooled.index]
    in_class = held.amount / context.classes.size[held.row_of] / prior[held.index]
    believed, before = context.believed(sensitive), prior[own.label]
    doubled_own = (before > 0) & (believed >= DOUBLE * before) & context.found[own.person]
    about = f"of a harmful {sensitive}"
    if named:
        most = pooled.largest_of(np.where(harmful[pooled.index], gains, 0.0))
        struck = context.found & (most[context.set_of] >= DOUBLE)
        in_class = np.where(harmful[held.index], in_class, 0.0)
    else:
        struck = own.best(doubled_own.astype(np.float64)) > 0
        its_own = sensitive if context.one_record_each else f"values of {sensitive}"
        about = f"of {'' if context.one_record_each else 'one of '}their own {its_own}"
    by_class = held.largest_of(in_class)
    with_harm = _people_with(context, sensitive, named)
    hit = int((own.best((doubled_own & harmful[own.label]).astype(np.float64)) > 0).sum())
    ratio = np.divide(believed, before, out=np.zeros_like(believed), where=before > 0)
    belief, base = context.true_belief(sensitive), context.true_prior(sensitive)
    # Of somebody whose values are not published nothing is believed, before and after.
    ratios = np.where(base > 0, own.best(ratio), 1.0)
    doubled = share_of(struck)
    return summarize(
        context,
        sensitive,
        np.where(struck, belief, base),
        base,
        struck & (belief >= 1 - SURE),
        figures={
            "harmful_values": int(harmful.sum()),
            "doubled": doubled,
            "harmed": hit / with_harm if with_harm else None,
            "largest_ratio": float(by_class.max(initial=0.0)) or None,
            "mean_ratio": mean_of(ratios),
        },
        worst=worst_class(context, by_class, ratio=by_class),
        note=f"The release at least doubles the suspicion {about} for {of_people(doubled)}.",
    )


def _harmful(context: AttackContext, sensitive: str, named: frozenset[Value]) -> Bools:
    """Which published labels are harmful, [D]."""
    covering = context.covering(sensitive)
    return np.array(
        [
            label in named or all(covering.values[v] in named for v in covering.under[at].tolist())
            for at, label in enumerate(context.labels(sensitive))
        ],
        np.bool_,
    )


def _people_with(context: AttackContext, sensitive: str, named: frozenset[Value]) -> int:
    """How many people have one of some values, published or not."""
    own = context.own_values(sensitive)
    those = np.array([v in named for v in context.covering(sensitive).values], np.bool_)
    return len(np.unique(own.row_of[those[own.index]]))
