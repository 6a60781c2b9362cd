"""Presence: is this person in the table at all?

Somebody who knows who lives in a population counts for every class how many people of it could
stand there. If as many are published, all of them are in the table; being in a table about a
disease is harm enough. The belief that a person is in it is the share of released among possible
people, added up over the compatible classes: a record of one is no record of another. Where
somebody fits several classes, these are looked at together: whom the rows need, however they are
given to people, is in the table for certain. A flow from rows to people tells who they are (Dulmage
and Mendelsohn 1958: those whom no alternating path leads to from somebody left over).
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.context import SURE, AttackContext
from indistinct.analytics.attacks.finding import Finding, Skipped, summarize, worst_class
from indistinct.analytics.attacks.places import Places
from indistinct.analytics.attacks.remedies import absent
from indistinct.analytics.weighted import Rows, chosen_rows, sums
from indistinct.kernels.grouping import number_lists
from indistinct.kernels.needed_people import mark_left_over
from indistinct.types import Bools, Ints, Ints32

NAME = "presence"
KIND = "membership"
PLACE = 20
HEEDS = ("population",)
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
    needed = _needed(places, met)
    if needed is not None:
        # Shares of classes that others could stand in as well may add up to more than there is.
        absent = np.log1p(-np.minimum(of_class, 1 - SURE))
        there = -np.expm1(sums(absent[sets.index], sets.indptr))
        doubted = np.where(share < 1 - SURE, share, np.minimum(there, 1 - 2 * SURE))
        share = np.where(needed, 1.0, doubted)
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


MOST_PAIRS = 200_000
"""Pairs of a class and people of one kind up to which classes are looked at together."""


def _needed(places: Places, met: Rows) -> Bools | None:
    """The candidate sets whose people the published rows need, whoever has which row, [K].

    None, where each of the population fits one class at most, where there are more pairs than can
    be looked at, or where the population lacks people of the release: shares tell then.

    Arguments:
        places: the people, the classes that they could stand in, and a population.
        met: the compatible classes of every person of the population.
    """
    sets, sizes = places.candidate_sets, places.classes.size
    if met.length.max(initial=0) < 2:
        return None
    # People who fit the same classes are one kind; those who are attacked may be of any of them.
    indptr = np.concatenate([met.indptr, met.indptr[-1] + sets.indptr[1:]])
    index: Ints32 = np.concatenate([met.index, sets.index])
    kind_of = np.empty(len(indptr) - 1, np.int32)
    first: Ints = number_lists(indptr, index, kind_of)
    people = np.bincount(kind_of[: len(met)], minlength=len(first))
    kinds = chosen_rows(Rows(indptr, index), first)
    if len(kinds.index) > MOST_PAIRS:
        return None
    spare = np.zeros(len(first), np.bool_)
    if not mark_left_over(kinds.indptr, kinds.index, people, sizes.astype(np.int64), spare):
        return None
    needed: Bools = (people > 0) & ~spare
    return needed[kind_of[len(met) :]]
