"""Presence: is this person in the table at all?

Somebody who knows who lives in a population counts for every class how many people of it could
stand there. If as many are published, all of them are in the table; being in a table about a
disease is harm enough. The belief that a person is in it is the share of released among possible
people, added up over the compatible classes: a record of one is no record of another.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.context import SURE, AttackContext
from indistinct.analytics.attacks.finding import Finding, Skipped, summarize, worst_class
from indistinct.analytics.attacks.remedies import absent
from indistinct.analytics.weighted import sums

NAME = "presence"
KIND = "membership"
PLACE = 20
KNOWLEDGE = "the exact quasi-identifiers of everybody in a population"
SOURCE = "Nergiz, Atzori and Clifton (2007)"
REMEDY = absent


def run(context: AttackContext, sensitive: str | None = None) -> Finding | Skipped:
    """Compare released with possible people in every class."""
    del sensitive
    places = context.places
    possible = places.class_population
    met = places.population_compatible
    if possible is None or met is None or places.population is None:
        return Skipped(NAME, "it needs a table of the population")
    sets, size = places.candidate_sets, places.classes.size
    of_class = size / np.maximum(possible, 1)
    share = np.minimum(sums(of_class[sets.index], sets.indptr), 1.0)
    before = min(context.records / max(places.population.height, 1), 1.0)
    prior = np.full(context.people.height, before)
    belief = np.where(context.found, share[context.set_of], prior)
    delta = np.minimum(sums(of_class[met.index], met.indptr), 1.0)
    highest = float(delta.max(initial=0.0))
    return summarize(
        context,
        None,
        belief,
        prior,
        context.found & (share[context.set_of] >= 1 - SURE),
        figures={
            "population": places.population.height,
            "delta_lowest": float(delta.min()) if len(delta) else None,
            "delta_highest": highest,
        },
        worst=worst_class(context, size / possible, population=possible),
        note=(
            f"By the release, a person of the population is in the table with a probability of "
            f"{highest:.0%} at most; without it, of {before:.0%}."
        ),
    )
