"""Rank disclosure: how sensitive is what a person has?

Where a k is promised for every rank of sensitivity, classes of one rank may be as large as that k,
and finding a person in one tells how grave the value is, though not which it is. The
attacker takes the compatible classes of a person, and believes in every rank as its share among
their records. Of several values of a person the rank that is believed most counts.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.categorical_similarity import best_of
from indistinct.analytics.attacks.context import AttackContext, Spread
from indistinct.analytics.attacks.finding import (
    CERTAIN,
    Finding,
    Skipped,
    of_people,
    share_of,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.remedies import bounded_distance
from indistinct.analytics.weighted import Rows
from indistinct.document import many
from indistinct.types import Ints32

NAME = "rank-disclosure"
KIND = "attribute"
PLACE = 75
KNOWLEDGE = "the exact quasi-identifiers of a person, and how sensitive every value is"
SOURCE = "in place of the claim of Victor and Lopez (2020), section 4"
LEARNS = "the sensitivity of the {}"
REMEDY = bounded_distance

UNKNOWN = 0
"""Stands for the rank of what has none, or covers values of several."""

RANKS = 5
"""Ranks from 1 to 4, and the unknown one."""


def run(context: AttackContext, sensitive: str) -> Finding | Skipped:
    """Believe in each rank as the people of the compatible classes are likely to have it."""
    known = context.known.get(sensitive)
    if known is None or not known.ranks:
        return Skipped(NAME, f"the values of {sensitive} have no ranks of sensitivity", sensitive)
    rank_of, of_value = published_ranks(context, sensitive)
    spread = spread_of_ranks(context, sensitive, rank_of)
    values = context.own_values(sensitive)
    person, truth = values.row_of, of_value[values.index].astype(np.int64)
    person, truth = person[truth != UNKNOWN], truth[truth != UNKNOWN]
    people = context.people.height
    belief = best_of(person, context.likely(spread, person, truth), people)
    prior = best_of(person, spread.prior[truth], people)
    belief = np.where(context.found, belief, prior)
    held, size = spread.held, context.rows_of_people
    unknown = held.of(np.arange(len(size)), np.full(len(size), UNKNOWN))
    alone = (held.length == 1) & (unknown == 0)
    found = summarize(
        context,
        sensitive,
        belief,
        prior,
        figures={
            "one_rank_classes": int(alone.sum()),
            f"one_rank_{context.units}": int(size[alone].sum()),
            "largest_belief": float(belief.max(initial=0.0)),
            "found": share_of(context.found),
        },
        worst=worst_class(context, np.where(alone, size, 0).astype(np.float64)),
    )
    note = (
        f"How sensitive the {sensitive} is, is certain for {of_people(found.success[CERTAIN])} (by "
        f"plain frequencies for {of_people(found.prior[CERTAIN])}); {int(alone.sum()):,} of "
        f"{many(len(size), 'class is')} of one rank."
    )
    return Finding(**{**vars(found), "note": note})


def spread_of_ranks(context: AttackContext, sensitive: str, rank_of: Ints32) -> Spread:
    """How likely each rank is.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute.
        rank_of: the rank of each published label, [D].
    """
    to = Rows(np.arange(len(rank_of) + 1, dtype=np.int64), rank_of)
    return context.lifted(sensitive, to, RANKS)


def published_ranks(context: AttackContext, sensitive: str) -> tuple[Ints32, Ints32]:
    """The rank of each published label, [D], and of each known value, [values].

    A label that covers values of several ranks has none.
    """
    covering, ranks = context.covering(sensitive), context.known[sensitive].ranks
    of_value = np.array([ranks.get(value, UNKNOWN) for value in covering.values], np.int32)
    under = of_value[covering.under.index]
    row_of, number = covering.under.row_of, len(covering.under)
    least, most = np.full(number, RANKS, np.int32), np.full(number, UNKNOWN, np.int32)
    np.minimum.at(least, row_of, under)
    np.maximum.at(most, row_of, under)
    return np.where(least == most, most, UNKNOWN).astype(np.int32), of_value
