"""Vertical: which values were published unchanged among generalized ones?

A release of sets may generalize each set as far as it has to and no further: headache, flu and
tiredness become *Low*, and chills, the only one of its category, stays chills. A person with a
value that stayed is exposed, however well the others are hidden: the labels stand at different
levels of one hierarchy, and the lowest says what somebody had. Where all labels stand at one level
above the values, as categories do, nobody is exposed.

A person is *exposed* if a row that could be theirs lists one of their values as it is. In the
paper's third rule the attacker also knows a visit, and so which row it is: ``known_visit`` is the
share of people of whom, after some one of them, another one that stayed as it
was is certain.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from indistinct.analytics.attacks.context import SURE, AttackContext
from indistinct.analytics.attacks.finding import (
    Figures,
    Finding,
    Skipped,
    of_people,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.known_records import items_of, know
from indistinct.analytics.attacks.remedies import bounded_belief

NAME = "vertical"
KIND = "attribute"
PLACE = 120
KNOWLEDGE = "the exact quasi-identifiers of a person, and the hierarchy of the values"
SOURCE = "Fazal and others (2023), scenario I and definition 5"
REMEDY = bounded_belief


def run(context: AttackContext, sensitive: str) -> Finding | Skipped:
    """Look for values that stayed as they were in a release that generalizes values."""
    exact, labels = context.exact(sensitive), context.labels(sensitive)
    if exact.all():
        return Skipped(NAME, "no value is generalized: all are published as they are", sensitive)
    own, spread = context.own(sensitive), context.spread(sensitive)
    stayed = exact[own.label]
    believed = context.believed(sensitive)
    before = own.best(np.where(stayed, spread.prior[own.label], 0.0))
    belief = own.best(np.where(stayed, believed, 0.0))
    candidates = context.set_of[own.person]
    there = spread.pooled.of(candidates, own.label) > 0
    exposed = context.found & (own.best((stayed & there).astype(np.float64)) > 0)
    people = int(exposed.sum())
    share = people / len(exposed) if len(exposed) else 0.0
    of_class = np.where(exact[spread.held.index], spread.held.amount, 0.0)
    by_class = np.bincount(spread.held.row_of, of_class, minlength=len(spread.held))
    figures: dict[str, Figures] = {
        "exposed": share,
        "exposed_people": people,
        "exact_labels": int(exact.sum()),
        "labels": len(labels),
    }
    if not context.one_record_each:
        known = know(context, items_of(context, sensitive, exact)).figures()["1"]
        assert isinstance(known, Mapping)
        figures["known_visit"] = known["certain"]
    return summarize(
        context,
        sensitive,
        belief,
        before,
        exposed & (belief >= 1 - SURE),
        figures=figures,
        worst=worst_class(context, by_class.astype(np.float64), exact=by_class)
        if by_class.any()
        else {},
        note=(
            f"A value of {sensitive} that was not generalized is published of {of_people(share)}."
            if people
            else f"Every {sensitive} is generalized: no value is published as it is."
        ),
    )
