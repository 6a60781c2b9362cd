"""Corruption: what remains if the values of others in the class are known?

The attacker knows the values of c other people who stand where the person stands, and subtracts
them. In the worst case they all have other values: of n records with n_s of the true value, the
belief becomes n_s / (n - c). On average over all choices of c others it is
(n_s - c (n_s - 1) / (n - 1)) / (n - c).
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import (
    CERTAIN,
    Finding,
    Skipped,
    mean_of,
    of_people,
    summarize,
    with_one_more,
    worst_class,
)
from indistinct.analytics.attacks.remedies import several_left
from indistinct.analytics.weighted import Weighted
from indistinct.types import Array, Floats

NAME = "colleague"
ALIASES = ("corruption",)
KIND = "attribute"
PLACE = 110
KNOWLEDGE = (
    "the exact quasi-identifiers of a person, and the value of one other person of the class"
)
SOURCE = "Tao, Xiao, Li and Zhang (2008)"
REMEDY = several_left


def run(context: AttackContext, sensitive: str, *, c: int = 1) -> Finding | Skipped:
    """Subtract what is known of the worst possible others.

    In linked tables they are people of one bucket that the person's rows are linked to, whose
    values leave its list; else people of the class, whose rows leave it.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute it learns.
        c: how many people's values the attacker knows; the figures tell of one more as well.
    """
    return with_one_more(
        lambda known: _finding(context, sensitive, known), "c", c, {"average_belief": "average"}
    )


def _finding(context: AttackContext, sensitive: str, c: int) -> Finding:
    own, spread = context.own(sensitive), context.spread(sensitive)
    before, held = context.true_prior(sensitive), spread.held
    if context.linked:
        worst, average = of_buckets(context, sensitive, c)
        score = held.amount / context.classes.size[held.row_of]
    else:
        true = spread.pooled.of(context.set_of[own.person], own.label)
        worst, average = beliefs(context.places.rows_of[own.person], np.rint(true), c)
        score = beliefs(context.classes.size[held.row_of], np.rint(held.amount), c)[0]
    by_class = held.largest_of(score)
    belief = np.where(context.found, own.best(worst), before)
    mean = np.where(context.found, own.best(average), before)
    one = context.one_record_each
    where = "bucket" if context.linked else "class"
    known = (
        f"values of {c} other people" if c > 1 else f"value{'s' * (not one)} of one other person"
    )
    found = summarize(
        context,
        sensitive,
        belief,
        before,
        knowledge=f"the exact quasi-identifiers of a person, and the {known} of the {where}",
        figures={"average": mean_of(mean)},
        worst=worst_class(context, by_class, belief=by_class),
    )
    values = "one other person's value" if one else "one other person's values"
    note = (
        f"In the worst case, knowing {values if c == 1 else f'the values of {c} other people'} "
        f"makes {context.truth(sensitive)} certain for {of_people(found.success[CERTAIN])}."
    )
    return Finding(**{**vars(found), "note": note})


def of_buckets(context: AttackContext, sensitive: str, c: int) -> tuple[Floats, Floats]:
    """Belief in every true label, by the pairs of `Own`, once some people are known.

    In the worst case they are of one bucket, and have the values, that hide the truth best. On
    average they are any people of the bucket that one of the person's rows, drawn blindly, is
    linked to.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute.
        c: how many people of a bucket are known.
    """
    shares, linked = context.spread(sensitive).shares, context.set_buckets
    size = context.buckets[sensitive].size if context.bucket_semantics == "one" else context.size_of
    people = size[shares.row_of]
    true = np.rint(shares.amount * people).astype(np.int64)
    worst, average = beliefs(people, true, c)
    rows = np.maximum(context.places.rows_of[context.own(sensitive).person], 1)
    more = Weighted(shares.indptr, shares.index, worst - shares.amount)
    _, raised = context.over_own(sensitive, linked, linked.amount, more)
    meant = Weighted(shares.indptr, shares.index, average - shares.amount)
    mean, _ = context.over_own(sensitive, linked, linked.amount * linked.amount, meant)
    base = context.believed(sensitive)
    return np.minimum(base + raised / rows, 1.0), np.clip(base + mean / rows / rows, 0.0, 1.0)


def beliefs(size: Array, true: Array, c: int) -> tuple[Floats, Floats]:
    """Belief in the true value after subtracting c others: in the worst case, and on average.

    Arguments:
        size: records among which the person is one, n.
        true: how many of them have the person's value; 0 if the person is not among them.
        c: how many others are known; all of them where there are not so many.
    """
    known = np.minimum(c, np.maximum(size - 1, 0))
    left = np.maximum(size - known, 1)
    alike = np.maximum(known - (size - true), 0)
    others = np.maximum(true - 1, 0) / np.maximum(size - 1, 1)
    worst = np.where(true > 0, (true - alike) / left, 0.0)
    average = np.where(true > 0, (true - known * others) / left, 0.0)
    return worst, average
