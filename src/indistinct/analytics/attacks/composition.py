"""Composition: which values do several releases with the same person all allow?

Each release keeps its promise, made on its own. Somebody who knows a person's quasi-identifiers
finds the compatible classes in both, and only a value that both allow is possible: of 5 values here
and 5 there often one is left. The belief is the product of what the two say, made to add up to one
(every pair of assignments being equally likely). Where people have several values, whole sets are
looked at if both releases publish the sets of people as they are (two long releases of the same
records, or lists of sets): only a set that both show is possible, and often that is one. Else every
value goes by itself, by the product of its odds. Of classes of which it is certain who is in them,
and what values, or sets, they list, those of one release are subtracted from those of the other
(:mod:`~indistinct.analytics.attacks.subtraction`): who left a class has what it lists no more.

Of several further releases, what they say together is put together first. Where the labels of the
releases stand at different levels, they are compared by the values they cover, a
label speaking for each of them alike.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from indistinct.analytics.attacks.context import SURE, AttackContext, Spread
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
from indistinct.analytics.attacks.subtraction import left_over, sets_listed, values_listed
from indistinct.analytics.weighted import (
    Rows,
    Weighted,
    chosen_rows,
    compressed,
    each_its_own,
    expanded,
    gathered,
    pointers,
)
from indistinct.frozen import dataclass
from indistinct.kernels.candidate_sets import compose, compose_sets
from indistinct.types import Floats, Ints, Ints32

NAME = "composition"
KIND = "attribute"
PLACE = 140
HEEDS = ("second",)
KNOWLEDGE = "the exact quasi-identifiers of a person, and another release that the person is in"
SOURCE = "Ganta, Kasiviswanathan and Smith (2008)"
REMEDY = bounded_belief

TOGETHER = 1 << 16
"""People of whom it is worked out at once what several releases say."""


@dataclass(frozen=True)
class Together:
    """What two releases say together.

    Arguments:
        belief: in the value of each person that is believed most, [n].
        common: values, or sets of values, that both allow, [n].
        alone: what the first allows by itself, [n].
    """

    belief: Floats
    common: Ints
    alone: Ints


@dataclass(frozen=True)
class Side:
    """What a release says of people, or several together.

    Arguments:
        set_of: the candidate set of every person, [n].
        size: published rows of each set, [K]; 1 for what several releases say.
        masses: how much of each statement they have.
    """

    set_of: Ints32
    size: Ints
    masses: Weighted

    @classmethod
    def of(
        cls, context: AttackContext, some: Ints, masses: Callable[[AttackContext, Rows], Weighted]
    ) -> Side:
        """What one release says of some of the people.

        Arguments:
            context: the release.
            some: the people.
            masses: how much of each statement the classes of sets have.
        """
        there, of = np.unique(context.set_of[some], return_inverse=True)
        sets = chosen_rows(context.places.candidate_sets, there)
        return cls(of.astype(np.int32), context.places.set_size[there], masses(context, sets))


def run(context: AttackContext, sensitive: str) -> Finding | Skipped:
    """Put what two releases say of every person together."""
    other = context.second
    if other is None:
        return Skipped(NAME, "no second release of these people was given")
    others = _further(other, sensitive)
    if not others:
        return Skipped(NAME, f"the second release says nothing of {sensitive}", sensitive)
    first, before = context.true_belief(sensitive), context.true_prior(sensitive)
    elsewhere = np.logical_or.reduce([one.found for one in others])
    both = context.found & elsewhere
    of_sets = all(publishes_sets(one, sensitive) for one in (context, *others))
    told = (by_sets if of_sets else by_values)(context, other, sensitive)
    belief = np.where(both, told.belief, np.where(context.found, first, before))
    for one in reversed(others):
        alone = np.flatnonzero(one.found & ~context.found)
        belief[alone] = one.belief_of(sensitive, alone)
    left = left_over((context, *others), *_listed((context, *others), sensitive, sets=of_sets))
    one_left = both & (told.common == 1)
    if left is not None:
        belief = np.where(left.known, left.belief, belief)
        told = replace(told, common=np.where(left.known, left.possible, told.common))
        one_left = np.where(left.known, left.possible == 1, one_left)
    other.forget()
    gain = belief - first
    by_class = context.places.by_class(gain)
    what = "set of values" if of_sets else "value"
    share = share_of(one_left)
    return summarize(
        context,
        sensitive,
        belief,
        before,
        (context.found | elsewhere) & (belief >= 1 - SURE),
        figures={
            "releases": 1 + len(others),
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
        note=f"{'Both' if len(others) == 1 else f'All {1 + len(others)}'} releases together leave "
        f"one {what} of {sensitive} for {of_people(share)}.",
    )


def _listed(
    contexts: Sequence[AttackContext], sensitive: str, *, sets: bool
) -> tuple[list[Weighted | None], Rows, Rows]:
    """What classes list, which values that holds, and the values of every person.

    Arguments:
        contexts: the releases.
        sensitive: the attribute.
        sets: whether all of them publish people's sets of values.
    """
    if not sets or all(one.one_record_each for one in contexts):
        atom_of, number = _atoms(contexts, sensitive)
        listed = [
            values_listed(one, sensitive, own, number)
            for one, own in zip(contexts, atom_of, strict=True)
        ]
        return listed, each_its_own(number), _own_atoms(contexts[0], sensitive, atom_of[0])
    numbers: dict[frozenset[str | None], int] = {}
    masses = [_masses_of_sets(one, sensitive, numbers) for one in contexts]
    pairs = zip(contexts, masses, strict=True)
    listed = [sets_listed(one, own, len(numbers)) for one, own in pairs]
    return listed, _members(contexts[0], sensitive, numbers), contexts[0].own_values(sensitive)


def _members(
    context: AttackContext, sensitive: str, numbers: Mapping[frozenset[str | None], int]
) -> Rows:
    """The values in each set that people may have."""
    place = {value: at for at, value in enumerate(context.covering(sensitive).values)}
    return compressed([sorted(place[v] for v in key if v in place) for key in numbers])


def _further(other: AttackContext, sensitive: str) -> list[AttackContext]:
    """The release, and those that follow it, as far as they speak of an attribute."""
    found = [other] if sensitive in other.sensitive else []
    return found if other.second is None else [*found, *_further(other.second, sensitive)]


def publishes_sets(context: AttackContext, sensitive: str) -> bool:
    """Whether the sets of people are published as they are."""
    if context.bucket_semantics == "some" or not context.exact(sensitive).all():
        return False
    alone = bool((context.own(sensitive).number <= 1).all())
    return context.bucket_semantics == "all" or alone or context.lists_sets(sensitive)


def by_values(context: AttackContext, other: AttackContext, sensitive: str) -> Together:
    """What the releases say together, value by value.

    Arguments:
        context: the first release.
        other: the second one, and those that follow it.
        sensitive: the attribute.
    """
    contexts = (context, *_further(other, sensitive))
    atom_of, number = _atoms(contexts, sensitive)
    makers = [_atoms_of_sets(sensitive, own, number) for own in atom_of]
    single = all(
        one.bucket_semantics == "one" and not one.lists_sets(sensitive) for one in contexts
    )
    every = _own_atoms(context, sensitive, atom_of[0])
    told = _nothing_yet(context)
    for some in _batches(contexts):
        sides = [Side.of(one, some, make) for one, make in zip(contexts, makers, strict=True)]
        rest = functools.reduce(lambda one, two: _joined(one, two, odds=not single), sides[1:])
        own = chosen_rows(every, some)
        total, common, product, odds = _composed(sides[0], rest, own)
        person = own.row_of
        share = odds
        if single:
            share = np.divide(
                product, total[person], out=np.zeros(len(product)), where=total[person] > 0
            )
        belief = np.zeros(len(some))
        np.maximum.at(belief, person, share)
        told.belief[some], told.common[some] = belief, common
        told.alone[some] = sides[0].masses.length[sides[0].set_of]
    return _of_the_same_records(context, sensitive, told)


def by_sets(context: AttackContext, other: AttackContext, sensitive: str) -> Together:
    """Set by set: the people of all releases whose sets are equal.

    Arguments:
        context: the first release.
        other: the second one, and those that follow it.
        sensitive: the attribute.
    """
    contexts = (context, *_further(other, sensitive))
    numbers: dict[frozenset[str | None], int] = {}
    masses = [_masses_of_sets(one, sensitive, numbers) for one in contexts]
    makers = [
        functools.partial(_over, one.over_rows(own, len(numbers)))
        for one, own in zip(contexts, masses, strict=True)
    ]
    lists = _members(context, sensitive, numbers)
    told = _nothing_yet(context)
    for some in _batches(contexts):
        sides = [Side.of(one, some, make) for one, make in zip(contexts, makers, strict=True)]
        rest = functools.reduce(_joined, sides[1:])
        nothing = Rows(np.zeros(len(some) + 1, np.int64), np.zeros(0, np.int32))
        total, common, _, _ = _composed(sides[0], rest, nothing)
        own_values = chosen_rows(context.own_values(sensitive), some)
        told.belief[some] = _of_sets(own_values, (sides[0], rest), total, lists)
        told.common[some] = common
        told.alone[some] = sides[0].masses.length[sides[0].set_of]
    return _of_the_same_records(context, sensitive, told)


def _over(spread: Spread, _context: AttackContext, sets: Rows) -> Weighted:
    """What the classes of sets have of each statement."""
    return spread.over(sets)


def _nothing_yet(context: AttackContext) -> Together:
    """Room for what is found of everybody."""
    people = context.people.height
    return Together(np.zeros(people), np.zeros(people, np.int64), np.zeros(people, np.int64))


def _of_the_same_records(context: AttackContext, sensitive: str, told: Together) -> Together:
    """The same where releases contradict each other: they were not made of the same records.

    The first is believed.
    """
    alone = context.true_belief(sensitive)
    return replace(told, belief=np.where(told.common > 0, told.belief, alone))


def _batches(contexts: Sequence[AttackContext]) -> Iterator[Ints]:
    """The people, some at a time: what releases say of all together takes far more memory.

    People of whom all releases say the same stand beside each other.
    """
    sets = [one.set_of for one in contexts]
    order = np.lexsort(sets) if len(sets[0]) > TOGETHER else np.arange(len(sets[0]))
    for first in range(0, len(order), TOGETHER):
        yield order[first : first + TOGETHER]


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


def _of_sets(own: Rows, sides: tuple[Side, Side], total: Floats, members: Rows) -> Floats:
    """Belief in the value of each person that most of the possible sets hold."""
    most, (mine, theirs) = np.zeros(len(total)), (side.masses for side in sides)
    values = max(int(part.index.max(initial=-1)) for part in (own, members)) + 1
    compose_sets(
        sides[0].set_of, sides[1].set_of,
        mine.indptr, mine.index, mine.amount, theirs.indptr, theirs.index, theirs.amount,
        members.indptr, members.index, own.indptr, own.index, np.zeros(values), most,
    )  # fmt: skip
    return np.minimum(np.divide(most, total, out=np.zeros(len(total)), where=total > 0), 1.0)


def _atoms(
    contexts: Sequence[AttackContext], sensitive: str
) -> tuple[list[dict[str | None, int]], int]:
    """What no release tells apart: a number for every value, by the labels that cover it."""
    coverings = [one.covering(sensitive) for one in contexts]
    covered: list[dict[str | None, tuple[str | None, ...]]] = []
    for one, own in zip(contexts, coverings, strict=True):
        labels = one.labels(sensitive)
        covered.append(
            {
                value: tuple(labels[at] for at in own.over[place].tolist())
                for place, value in enumerate(own.values)
            }
        )
    numbers: dict[tuple[object, ...], int] = {}
    every = dict.fromkeys(value for own in coverings for value in own.values)
    atom = {
        value: numbers.setdefault(tuple(own.get(value, ()) for own in covered), len(numbers))
        for value in every
    }
    return [{value: atom[value] for value in own.values} for own in coverings], len(numbers)


def _atoms_of_sets(
    sensitive: str, atom_of: dict[str | None, int], number: int
) -> Callable[[AttackContext, Rows], Weighted]:
    """What tells how much of each atom the rows of sets of classes have."""

    def of_sets(context: AttackContext, sets: Rows) -> Weighted:
        covering = context.covering(sensitive)
        atom = np.array([atom_of[value] for value in covering.values], np.int32)
        pooled = context.listed(sensitive).over(sets)
        entry, at = expanded(covering.under, pooled.index)
        share = 1 / np.maximum(covering.under.length, 1)
        return gathered(
            pooled.row_of[entry],
            atom[covering.under.index[at]],
            pooled.amount[entry] * share[pooled.index[entry]],
            len(pooled),
            number,
        )

    return of_sets


def _own_atoms(context: AttackContext, sensitive: str, atom_of: dict[str | None, int]) -> Rows:
    """The atoms of every person's values."""
    own, covering = context.own_values(sensitive), context.covering(sensitive)
    atom = np.array([atom_of[value] for value in covering.values], np.int64)
    width = int(atom.max(initial=0)) + 1
    person = np.repeat(np.arange(len(own)), own.length)
    keys = np.unique(person * width + atom[own.index])
    return Rows(pointers(keys // width, len(own)), (keys % width).astype(np.int32))


def _joined(one: Side, two: Side, *, odds: bool = False) -> Side:
    """What two releases say together, as if it were one.

    Somebody who is in one of them only is believed what that one says.

    Arguments:
        one: a release.
        two: another one about the same people.
        odds: whether every statement goes by itself, by the product of its odds.
    """
    width = len(two.size)
    keys, of = np.unique(one.set_of.astype(np.int64) * width + two.set_of, return_inverse=True)
    sets, places = [], []
    for lead, other, mine, theirs in (
        (one, two, keys // width, keys % width),
        (two, one, keys % width, keys // width),
    ):
        place, at = expanded(lead.masses, mine)
        statement, amount = lead.masses.index[at], lead.masses.amount[at].astype(np.float64)
        also = other.masses.of(theirs[place], statement)
        alone = other.size[theirs][place] == 0
        if odds:
            amount = amount / np.maximum(lead.size[mine][place], 1)
            amount = np.where(amount > 1 - SURE, 1.0, amount)
            share = also / np.maximum(other.size[theirs][place], 1)
            share = np.where(share > 1 - SURE, 1.0, share)
            yes, no = amount * share, (1 - amount) * (1 - share)
            both = np.divide(yes, yes + no, out=amount.copy(), where=yes + no > 0)
        else:
            both = amount * also
        kept = alone if lead is two else np.ones(len(place), np.bool_)
        value = np.where(alone, amount, both)
        kept &= value > 0
        sets.append((place[kept], statement[kept], value[kept]))
        places.append(lead.size[mine] > 0)
    row, index, amount = (np.concatenate(part) for part in zip(*sets, strict=True))
    order = np.lexsort((index, row))
    joint = Weighted(pointers(row[order], len(keys)), index[order], amount[order])
    return Side(of.astype(np.int32), (places[0] | places[1]).astype(np.int64), joint)


def _composed(one: Side, other: Side, own: Rows) -> tuple[Floats, Ints, Floats, Floats]:
    n = len(one.set_of)
    total, common = np.zeros(n), np.zeros(n, np.int64)
    product, odds = np.zeros(len(own.index)), np.zeros(len(own.index))
    mine, theirs = one.masses, other.masses
    compose(
        one.set_of, other.set_of, one.size, other.size,
        mine.indptr, mine.index, mine.amount, theirs.indptr, theirs.index, theirs.amount,
        own.indptr, own.index, total, common, product, odds,
    )  # fmt: skip
    return total, common, product, odds
