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

from indistinct.analytics.attacks.finding import Finding, Skipped, of_people, summarize
from indistinct.analytics.attacks.people_scene import (
    SURE,
    Mass,
    PeopleScene,
    expanded,
    massed,
    pointers,
    worst_of,
)
from indistinct.analytics.attacks.scene import Rows, Scene

NAME = "composition"
KNOWLEDGE = "the exact quasi-identifiers of a person, and another release that the person is in"
SOURCE = "Ganta, Kasiviswanathan and Smith (2008)"


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


def run(scene: Scene, sensitive: str | None) -> Finding | Skipped:
    """Put two releases together in which every record is of another person."""
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    if scene.second is None:
        return Skipped(NAME, "no second release of these people was given")
    return run_people(PeopleScene.of_records(scene), sensitive)


def run_people(scene: PeopleScene, sensitive: str | None) -> Finding | Skipped:
    """Put what two releases say of every person together."""
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    other = scene.second
    if other is None:
        return Skipped(NAME, "no second release of these people was given")
    if sensitive not in other.sensitive:
        return Skipped(NAME, f"the second release says nothing of {sensitive}", sensitive)
    first = scene.true_belief(sensitive)
    before = scene.true_prior(sensitive)
    both = scene.found & other.found
    of_sets = publishes_sets(scene, sensitive) and publishes_sets(other, sensitive)
    told = by_sets(scene, other, sensitive) if of_sets else by_values(scene, other, sensitive)
    belief = np.where(both, told.belief, np.where(scene.found, first, before))
    only_second = other.found & ~scene.found
    belief = np.where(only_second, other.true_belief(sensitive), belief)
    people = int(both.sum())
    one = both & (told.common == 1)
    n = len(first)
    gain = belief - first
    crowds = scene.places.crowds
    by_crowd = np.zeros(len(crowds))
    np.maximum.at(by_crowd, scene.crowd_of, gain)
    by_class = np.zeros(len(scene.classes))
    np.maximum.at(
        by_class, crowds.index, by_crowd[np.repeat(np.arange(len(crowds)), crowds.length)]
    )
    what = "set of values" if of_sets else "value"
    share = float(one.mean()) if n else 0.0
    return summarize(
        scene,
        sensitive,
        belief,
        before,
        (scene.found | other.found) & (belief >= 1 - SURE),
        name=NAME,
        knowledge=KNOWLEDGE,
        figures={
            "in_both": people / n if n else 0.0,
            "possible_in_first": float(told.alone[both].mean()) if people else None,
            "possible_in_both": float(told.common[both].mean()) if people else None,
            "left_with_one": share,
            "contradicted": float((both & (told.common == 0)).mean()) if n else 0.0,
            "first_0.5": float((first >= 0.5 - SURE).mean()) if n else 0.0,
            "first_certain": float((scene.found & (first >= 1 - SURE)).mean()) if n else 0.0,
            "gain_over_first": float(gain.mean()) if n else 0.0,
        },
        worst=worst_of(scene, by_class, gain=by_class),
        note=(f"Both releases together leave one {what} of {sensitive} for {of_people(share)}."),
    )


def publishes_sets(scene: PeopleScene, sensitive: str) -> bool:
    """Whether the sets of people are published as they are."""
    if scene.holding == "some" or not scene.exact(sensitive).all():
        return False
    alone = bool((scene.own(sensitive).number <= 1).all())
    return scene.holding == "all" or alone or scene.lists_sets(sensitive)


def by_values(scene: PeopleScene, other: PeopleScene, sensitive: str) -> Together:
    """Value by value."""
    scenes = (scene, other)
    atom_of, number = _atoms(scene, other, sensitive)
    masses = [_of_atoms(one, sensitive, atom_of[at], number) for at, one in enumerate(scenes)]
    own = _own_atoms(scene, sensitive, atom_of[0])
    total, common, product, odds = _composed(scene, other, masses, own)
    person = np.repeat(np.arange(len(own)), own.length)
    if all(one.holding == "one" and not one.lists_sets(sensitive) for one in scenes):
        share = np.divide(
            product, total[person], out=np.zeros(len(product)), where=total[person] > 0
        )
    else:
        share = odds
    belief = np.zeros(len(total))
    np.maximum.at(belief, person, share)
    # Releases that contradict each other were not made of the same records: the first is believed.
    belief = np.where(common > 0, belief, scene.true_belief(sensitive))
    return Together(belief, common, masses[0].length[scene.crowd_of])


def by_sets(scene: PeopleScene, other: PeopleScene, sensitive: str) -> Together:
    """Set by set: the people of both releases whose sets are equal."""
    numbers: dict[frozenset[str | None], int] = {}
    masses = [_masses_of_sets(one, sensitive, numbers) for one in (scene, other)]
    masses = [
        one.over_rows(own, len(numbers)).pooled
        for one, own in zip((scene, other), masses, strict=True)
    ]
    values = scene.covering(sensitive).values
    place = {value: at for at, value in enumerate(values)}
    lists = [[place[v] for v in key if v in place] for key in numbers]
    nothing = Rows(np.zeros(len(scene.crowd_of) + 1, np.int64), np.zeros(0, np.int32))
    total, common, _, _ = _composed(scene, other, masses, nothing)
    belief = _of_sets(scene, other, sensitive, masses, total, lists)
    belief = np.where(common > 0, belief, scene.true_belief(sensitive))
    return Together(belief, common, masses[0].length[scene.crowd_of])


def _masses_of_sets(
    scene: PeopleScene, sensitive: str, numbers: dict[frozenset[str | None], int]
) -> Mass:
    """How likely the people of each bucket are to have each set; new sets get a number."""
    labels = scene.labels(sensitive)
    if scene.holding == "all":
        shares = scene.listed(sensitive).shares
        sets: Rows = shares
        owner, amount = np.arange(len(sets)), np.ones(len(sets))
        which = owner
    else:
        sets, shares = scene.parts(sensitive), scene.entries(sensitive).shares
        owner, amount, which = shares.row_of, shares.amount, shares.index.astype(np.int64)
    number = np.array(
        [
            numbers.setdefault(frozenset(labels[at] for at in sets[row].tolist()), len(numbers))
            for row in range(len(sets))
        ],
        np.int64,
    )
    return massed(owner, number[which], amount, len(shares), len(numbers))


def _of_sets(
    scene: PeopleScene,
    other: PeopleScene,
    sensitive: str,
    masses: list[Mass],
    total: NDArray[np.float64],
    members: list[list[int]],
) -> NDArray[np.float64]:
    """Belief in the value of each person that most of the possible sets hold."""
    own = scene.own_values(sensitive)
    known: dict[tuple[int, int], dict[int, float]] = {}
    belief = np.zeros(len(total))
    pairs = zip(scene.crowd_of.tolist(), other.crowd_of.tolist(), strict=True)
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
    scene: PeopleScene, other: PeopleScene, sensitive: str
) -> tuple[list[dict[str | None, int]], int]:
    """What neither release tells apart: a number for every value, by the labels that cover it."""
    coverings = (scene.covering(sensitive), other.covering(sensitive))
    covered: list[dict[str | None, tuple[str | None, ...]]] = []
    for one, own in zip((scene, other), coverings, strict=True):
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
    scene: PeopleScene, sensitive: str, atom_of: dict[str | None, int], number: int
) -> Mass:
    """How much of each atom the rows of every crowd have."""
    covering = scene.covering(sensitive)
    atom = np.array([atom_of[value] for value in covering.values], np.int32)
    pooled = scene.listed(sensitive).pooled
    entry, at = expanded(covering.under, pooled.index)
    share = 1 / np.maximum(covering.under.length, 1)
    return massed(
        pooled.row_of[entry],
        atom[covering.under.index[at]],
        pooled.amount[entry] * share[pooled.index[entry]],
        len(pooled),
        number,
    )


def _own_atoms(scene: PeopleScene, sensitive: str, atom_of: dict[str | None, int]) -> Rows:
    """The atoms of every person's values."""
    own, covering = scene.own_values(sensitive), scene.covering(sensitive)
    atom = np.array([atom_of[value] for value in covering.values], np.int64)
    width = int(atom.max(initial=0)) + 1
    person = np.repeat(np.arange(len(own)), own.length)
    keys = np.unique(person * width + atom[own.index])
    return Rows(pointers(keys // width, len(own)), (keys % width).astype(np.int32))


def _composed(
    scene: PeopleScene, other: PeopleScene, masses: list[Mass], own: Rows
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    from indistinct.kernels.candidate_sets import compose

    n = len(scene.crowd_of)
    total, common = np.zeros(n), np.zeros(n, np.int64)
    product, odds = np.zeros(len(own.index)), np.zeros(len(own.index))
    mine, theirs = masses
    compose(
        scene.crowd_of, other.crowd_of, scene.places.crowd_size, other.places.crowd_size,
        mine.indptr, mine.index, mine.amount, theirs.indptr, theirs.index, theirs.amount,
        own.indptr, own.index, total, common, product, odds,
    )  # fmt: skip
    return total, common, product, odds
