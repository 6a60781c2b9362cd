"""Worst posterior: what is the highest belief about each person?

Counting the records of which exact quasi-identifiers and an exact value stand in the release is no
measure of harm: where values are generalized nothing exact stands there, and nobody is safe for it.
What can be measured is the belief. Of all classes that a person could stand in the one is taken
that tells most. Of linked tables the figures ``bucket_*`` are of somebody who knows the person's
bucket as well, which no promise about classes can be worse than. The share of people with a
posterior of at least tau is what should be compared between releases.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from indistinct.analytics.attacks.context import SURE, AttackContext
from indistinct.analytics.attacks.finding import (
    THRESHOLDS,
    Finding,
    Skipped,
    of_people,
    share_of,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.remedies import bounded_belief
from indistinct.analytics.weighted import Rows, Weighted
from indistinct.types import Array, Floats

NAME = "worst-posterior"
KIND = "attribute"
PLACE = 40
KNOWLEDGE = (
    "the exact quasi-identifiers of a person, and which of the classes that fit is the person's"
)
SOURCE = "in place of record intersection, Fazal and others (2023), Equation (25)"
REMEDY = bounded_belief

TENTHS = tuple(at / 10 for at in range(1, 11))
"""Posteriors from which on people are counted."""


def run(context: AttackContext, sensitive: str) -> Finding | Skipped:
    """The largest belief in one of each person's values, over classes and over buckets."""
    belief, before = posteriors(context, sensitive), context.true_prior(sensitive)
    held = context.spread(sensitive).held
    figures: dict[str, float | int | None] = {
        f"at_least_{at:g}": share_of(belief >= at - SURE) for at in TENTHS
    }
    figures |= {
        "mean": _of(belief, np.mean),
        "median": _of(belief, np.median),
        "largest": _of(belief, np.max),
    }
    if context.linked:
        known = posteriors(context, sensitive, of_buckets=True)
        figures |= {
            **{f"bucket_{at}": share_of(known >= at - SURE) for at in THRESHOLDS},
            "bucket_certain": share_of(context.found & (known >= 1 - SURE)),
            "bucket_mean": _of(known, np.mean),
            "bucket_largest": _of(known, np.max),
        }
    top = held.largest_of(held.amount / context.classes.size[held.row_of])
    found = summarize(
        context,
        sensitive,
        belief,
        before,
        figures=figures,
        worst=worst_class(context, top, posterior=top),
    )
    note = (
        f"The {sensitive} is believed with {belief.max(initial=0.0):.0%} at most; with 50% or more "
        f"for {of_people(found.success['0.5'])}."
    )
    return Finding(**{**vars(found), "note": note})


def posteriors(context: AttackContext, sensitive: str, *, of_buckets: bool = False) -> Floats:
    """The largest belief in a true label of each person, over the classes that fit, [n].

    The prior, for people who fit nowhere.

    Arguments:
        context: people and release.
        sensitive: the attribute.
        of_buckets: over the buckets that these classes are linked to, instead.
    """
    own, spread = context.own(sensitive), context.spread(sensitive)
    places: Rows = context.places.candidate_sets
    held = spread.held
    lists = Weighted(held.indptr, held.index, held.amount / context.classes.size[held.row_of])
    if of_buckets:
        places, lists = context.set_buckets, spread.shares
    _, most = context.over_own(sensitive, places, np.ones(len(places.index)), lists)
    return np.where(context.found, own.best(most), context.true_prior(sensitive))


def _of(values: Array, figure: Callable[[Array], Any]) -> float | None:
    return float(figure(values)) if len(values) else None
