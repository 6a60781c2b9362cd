"""Record linkage: which published record is this person's?

The *prosecutor* knows that the person is in the table, and guesses among the records of the
compatible classes, and is right with one over their number. The
*journalist* only knows that the person belongs to a population, and guesses among the people there
who could be meant. The *marketer* links everybody, and asks how many links are right. With class
sizes f and n their sum, population sizes F of the same classes, and a threshold t:

* prosecutor: at risk sum(f [1/f > t]) / n, highest 1 / min f, average |classes| / n;
* journalist: at risk sum(f [1/F > t]) / n, highest 1 / min F, average
  max(|classes| / sum F, sum(f / F) / n);
* marketer: |classes| / n where the release holds the whole population, else sum(f / F) / n.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import Finding, Skipped, summarize, worst_class
from indistinct.analytics.attacks.places import Places
from indistinct.analytics.attacks.remedies import larger_classes
from indistinct.analytics.weighted import sums
from indistinct.document import some_of
from indistinct.types import Floats, Ints

NAME = "record-linkage"
KIND = "identity"
PLACE = 10
HEEDS = ("population",)
KNOWLEDGE = "the exact quasi-identifiers of a person, and that the person is in the table"
SOURCE = "El Emam and others (2009); Victor and Lopez (2020), section IV"
REMEDY = larger_classes

RISK_THRESHOLD = 0.2
"""Records linked with more than this probability are at risk."""


def run(
    context: AttackContext, sensitive: str | None = None, *, threshold: float = RISK_THRESHOLD
) -> Finding | Skipped:
    """Link every person to a row of the compatible classes.

    In a long release a person's row leads to all of the person's records. Rows
    beyond the people who could stand in a class are made up, and are taken for recognized.

    Arguments:
        context: what the attacker is given.
        sensitive: not looked at.
        threshold: records that are linked with more than this probability are at risk.
    """
    del sensitive
    places = context.places
    held = context.rows_of_people
    records = int(held.sum())
    prior = np.full(context.people.height, 1 / records if records else 0.0)
    sets = places.candidate_sets
    size = sums(held[sets.index], sets.indptr)[places.set_of]
    likely = _likeliest_row(places, held)[places.set_of]
    figures: dict[str, float | int | None] = {"threshold": threshold}
    if len(held):
        figures |= _named("prosecutor", *prosecutor(held, threshold))
        figures["marketer"] = len(held) / int(held.sum())
        population = places.class_population
        if population is not None and places.population is not None:
            figures |= _named("journalist", *journalist(held, population, threshold))
            whole = records == places.population.height
            figures["marketer"] = marketer(held, population, whole)
    return summarize(
        context,
        None,
        np.where(size > 0, likely, prior),
        prior,
        size == 1,
        figures=figures,
        worst=worst_class(context, 1 / held),
        note=_note(context, size, held),
    )


def prosecutor(size: Ints, threshold: float) -> tuple[float, float, float]:
    """At risk, highest and average risk of somebody who is known to be in the table.

    >>> prosecutor(np.array([2, 3, 5]), 0.2)
    (0.5, 0.5, 0.3)
    """
    records = int(size.sum())
    # 1/f > t, without rounding where 1/t is whole.
    risky = size * threshold < 1 - 1e-12
    return float(size[risky].sum()) / records, 1 / int(size.min()), len(size) / records


def journalist(size: Ints, population: Ints, threshold: float) -> tuple[float, float, float]:
    """At risk, highest and average risk of somebody who is known to be in the population.

    Arguments:
        size: records of every class, each 1 or more, [G].
        population: people of the population in every class, not fewer than its records, [G].
        threshold: the risk above which a record is at risk.

    >>> journalist(np.array([4, 4, 8]), np.array([4, 16, 16]), 0.2)
    (0.25, 0.25, 0.109375)
    """
    records = int(size.sum())
    risky = population * threshold < 1 - 1e-12
    average = max(len(size) / int(population.sum()), _links(size, population))
    return float(size[risky].sum()) / records, 1 / int(population.min()), average


def marketer(size: Ints, population: Ints, whole: bool) -> float:
    """The share of right links where everybody is linked.

    Arguments:
        size: records of every class, each 1 or more, [G].
        population: people of the population in every class, [G].
        whole: whether everybody of the population is in the table.
    """
    return len(size) / int(size.sum()) if whole else _links(size, population)


def _links(size: Ints, population: Ints) -> float:
    return float((size / population).sum()) / int(size.sum())


def _likeliest_row(places: Places, held: Ints) -> Floats:
    """How likely the likeliest row of each candidate set is that of who fits its classes, [K]."""
    sets, weight = places.candidate_sets, places.row_weight
    whole = np.bincount(sets.row_of, (held * weight)[sets.index], minlength=len(sets))
    best = np.zeros(len(sets))
    np.maximum.at(best, sets.row_of, weight[sets.index])
    return best / np.where(whole > 0, whole, 1.0)


def _named(who: str, at_risk: float, highest: float, average: float) -> dict[str, float]:
    return {
        f"{who}_at_risk": at_risk,
        f"{who}_highest": highest,
        f"{who}_average": average,
    }


def _note(context: AttackContext, size: Ints, held: Ints) -> str:
    if not len(held):
        return "Nothing is published that a person could be linked to."
    alone, least = int((size == 1).sum()), int(held.min())
    if alone:
        only = (
            "one published record only can be theirs"
            if context.one_record_each
            else "one published person only can be they"
        )
        return f"{some_of(alone, context.people.height, 'person is')} found for certain: {only}."
    return (
        f"Everybody hides among at least {least:,} {context.units}: "
        f"a guess is right with {1 / least:.0%} at most."
    )
