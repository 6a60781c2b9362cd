"""Composition: two releases that share people say more together than either does (Ganta 2008).

Each release keeps its promise, made on its own. Somebody who knows a person's quasi-identifiers
finds the compatible classes in both, and only a value that both allow is possible: of 5 values here
and 5 there often one is left. The belief is the product of what the two say, made to add up to one
(every pair of assignments being equally likely). Where people have several values, whole sets are
looked at if both releases publish the sets of people as they are (two long releases of the same
records, or lists of sets): only a set that both show is possible, and often that is one. Else every
value goes by itself, by the product of its odds.

Where the labels of the two stand at different levels, they are compared by the values they cover, a
label speaking for each of them alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
from indistinct.analytics.weighted import Rows, Weighted, expanded, gathered, pointers
from indistinct.kernels.candidate_sets import compose

NAME = "composition"
KIND = "attribute"
PLACE = 140
KNOWLEDGE = "the exact quasi-identifiers of a person, and another release that the person is in"
SOURCE = "Ganta, Kasiviswanathan and Smith (2008)"
REMEDY = bounded_belief


@dataclass(frozen=True)
class Together:
    """What two releases say together.

    Arguments:
        belief: in the value of each person that is believed most, [n].
        common: values, or sets of values, that both allow, [n].
        alone: what the first allows by itself, [n].
    """

    belief: NDArray[np.float64]
    common: NDArray[np.int64]
    alone: NDArray[np.int64]


def run(context: AttackContext, sensitive: str) -> Finding | Skipped:
    """Put what two releases say of every person together."""
    other = context.second
    if other is None:
        return Skipped(NAME, "no second release of these people was given")
    if sensitive not in other.sensitive:
        return Skipped(NAME, f"the second release says nothing of {sensitive}", sensitive)
    first, before = context.true_belief(sensitive), context.true_prior(sensitive)
    both = context.found & other.found
    of_sets = publishes_sets(context, sensitive) and publishes_sets(other, sensitive)
    told = (by_sets if of_sets else by_values)(context, other, sensitive)
    belief = np.where(both, told.belief, np.where(context.found, first, before))
    only_second = other.found & ~context.found
    belief = np.where(only_second, other.true_belief(sensitive), belief)
    gain = belief - first
    by_class = context.places.by_class(gain)
    what = "set of values" if of_sets else "value"
    share = share_of(both & (told.common == 1))
    return summarize(
        context,
        sensitive,
        belief,
        before,
        (context.found | other.found) & (belief >= 1 - SURE),
        figures={
            "in_both": share_of(both),
            "possible_in_first": mean_of(told.alone[both]),
            "possible_in_both": mean_of(told.common[both]),
            "left_with_one": share,
            "contradicted": share_of(both & (told.common == 0)),
            "first_0.5": share_of(first >= 0.5 - SURE),
            "first_certain": share_of(context.found & (first >= 1 - SURE)),
            "gain_over_first": share_of(gain),
        },
        worst=worst_class(context, by_class, gain=by_class),
        note=f"Both releases together leave one {what} of {sensitive} for {of_people(share)}.",
    )


def publishes_sets(context: AttackContext, sensitive: str) -> bool:
    """Whether the sets of people are published as they are."""
    if context.bucket_semantics == "some" or not context.exact(sensitive).all():
        return False
    alone = bool((context.own(sensitive).number <= 1).all())
    return context.bucket_semantics == "all" or alone or context.lists_sets(sensitive)


def by_values(context: AttackContext, other: AttackContext, sensitive: str) -> Together:
    """Value by value."""
    contexts = (context, other)
    atom_of, number = _atoms(context, other, sensitive)
    masses = [_of_atoms(one, sensitive, atom_of[at], number) for at, one in enumerate(contexts)]
    own = _own_atoms(context, sensitive, atom_of[0])
    total, common, product, odds = _composed(context, other, masses, own)
    person = np.repeat(np.arange(len(own)), own.length)
    if all(one.bucket_semantics == "one" and not one.lists_sets(sensitive) for one in contexts):
        share = np.divide(
            product, total[person], out=np.zeros(len(product)), where=total[person] > 0
        )
    else:
        share = odds
    belief = np.zeros(len(total))
    np.maximum.at(belief, person, share)
    # Releases that contradict each other were not made of the same records: the first is believed.
    belief = np.where(common > 0, belief, context.true_belief(sensitive))
    return Together(belief, common, masses[0].length[context.set_of])


def by_sets(context: AttackContext, other: AttackContext, sensitive: str) -> Together:
    """Set by set: the people of both releases whose sets are equal."""
    numbers: dict[frozenset[str | None], int] = {}
    masses = [_masses_of_sets(one, sensitive, numbers) for one in (context, other)]
    masses = [
        one.over_rows(own, len(numbers)).pooled
        for one, own in zip((context, other), masses, strict=True)
    ]
    values = context.covering(sensitive).values
    place = {value: at for at, value in enumerate(values)}
    lists = [[place[v] for v in key if v in place] for key in numbers]
    nothing = Rows(np.zeros(len(context.set_of) + 1, np.int64), np.zeros(0, np.int32))
    total, common, _, _ = _composed(context, other, masses, nothing)
    belief = _of_sets(context, other, sensitive, masses, total, lists)
    belief = np.where(common > 0, belief, context.true_belief(sensitive))
    return Together(belief, common, masses[0].length[context.set_of])


def _masses_of_sets(
    context: AttackContext, sensitive: str, numbers: dict[frozenset[str | None], int]
) -> Weighted:
    """How likely the people of each bucket are to have each set; new sets get a number."""
    labels = context.labels(sensitive)
    if context.bucket_semantics == "all":
        shares = context.listed(sensitive).shares
        sets: Rows = shares
        owner, amount = np.arange(len(sets)), np.ones(len(sets))
        which = owner
    else:
        sets, shares = context.parts(sensitive), context.entries(sensitive).shares
        owner, amount, which = shares.row_of, shares.amount, shares.index.astype(np.int64)
    number = np.array(
        [
            numbers.setdefault(frozenset(labels[at] for at in sets[row].tolist()), len(numbers))
            for row in range(len(sets))
        ],
        np.int64,
    )
    return gathered(owner, number[which], amount, len(shares), len(numbers))


def _of_sets(
    context: AttackContext,
    other: AttackContext,
    sensitive: str,
    masses: list[Weighted],
    total: NDArray[np.float64],
    members: list[list[int]],
) -> NDArray[np.float64]:
    """Belief in the value of each person that most of the possible sets hold."""
    own = context.own_values(sensitive)
    known: dict[tuple[int, int], dict[int, float]] = {}
    belief = np.zeros(len(total))
    pairs = zip(context.set_of.tolist(), other.set_of.tolist(), strict=True)
    for person, pair in enumerate(pairs):
        if total[person] <= 0:
            continue
        if pair not in known:
            mine, theirs = masses[0], masses[1]
            one = slice(mine.indptr[pair[0]], mine.indptr[pair[0] + 1])
            two = slice(theirs.indptr[pair[1]], theirs.indptr[pair[1] + 1])
            shared, at, place = np.intersect1d(
                mine.index[one], theirs.index[two], assume_unique=True, return_indices=True
            )
            weight = mine.amount[one][at] * theirs.amount[two][place]
            found: dict[int, float] = {}
            for number, amount in zip(shared.tolist(), weight.tolist(), strict=True):
                for value in members[number]:
                    found[value] = found.get(value, 0.0) + amount
            known[pair] = found
        best = max((known[pair].get(value, 0.0) for value in own[person].tolist()), default=0.0)
        belief[person] = best / total[person]
    return np.minimum(belief, 1.0)


def _atoms(
    context: AttackContext, other: AttackContext, sensitive: str
) -> tuple[list[dict[str | None, int]], int]:
    """What neither release tells apart: a number for every value, by the labels that cover it."""
    coverings = (context.covering(sensitive), other.covering(sensitive))
    covered: list[dict[str | None, tuple[str | None, ...]]] = []
    for one, own in zip((context, other), coverings, strict=True):
        labels = one.labels(sensitive)
        covered.append(
            {
                value: tuple(labels[at] for at in own.over[place].tolist())
                for place, value in enumerate(own.values)
            }
        )
    numbers: dict[tuple[object, object], int] = {}
    every = dict.fromkeys([*coverings[0].values, *coverings[1].values])
    atom = {
        value: numbers.setdefault(
            (covered[0].get(value, ()), covered[1].get(value, ())), len(numbers)
        )
        for value in every
    }
    return [{value: atom[value] for value in own.values} for own in coverings], len(numbers)


def _of_atoms(
    context: AttackContext, sensitive: str, atom_of: dict[str | None, int], number: int
) -> Weighted:
    """How much of each atom the rows of every candidate set have."""
    covering = context.covering(sensitive)
    atom = np.array([atom_of[value] for value in covering.values], np.int32)
    pooled = context.listed(sensitive).pooled
    entry, at = expanded(covering.under, pooled.index)
    share = 1 / np.maximum(covering.under.length, 1)
    return gathered(
        pooled.row_of[entry],
        atom[covering.under.index[at]],
        pooled.amount[entry] * share[pooled.index[entry]],
        len(pooled),
        number,
    )


def _own_atoms(context: AttackContext, sensitive: str, atom_of: dict[str | None, int]) -> Rows:
    """The atoms of every person's values."""
    own, covering = context.own_values(sensitive), context.covering(sensitive)
    atom = np.array([atom_of[value] for value in covering.values], np.int64)
    width = int(atom.max(initial=0)) + 1
    person = np.repeat(np.arange(len(own)), own.length)
    keys = np.unique(person * width + atom[own.index])
    return Rows(pointers(keys // width, len(own)), (keys % width).astype(np.int32))


def _composed(
    context: AttackContext, other: AttackContext, masses: list[Weighted], own: Rows
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    n = len(context.set_of)
    total, common = np.zeros(n), np.zeros(n, np.int64)
    product, odds = np.zeros(len(own.index)), np.zeros(len(own.index))
    mine, theirs = masses
    compose(
        context.set_of, other.set_of, context.places.set_size, other.places.set_size,
        mine.indptr, mine.index, mine.amount, theirs.indptr, theirs.index, theirs.amount,
        own.indptr, own.index, total, common, product, odds,
    )  # fmt: skip
    return total, common, product, odds
