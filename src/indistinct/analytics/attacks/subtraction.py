"""What is left to people of a class when others are known, by another release, to have the rest.

A class of four lists cough twice and HIV once; another release shows two of its people in a class
of their own, with cough and HIV: the other two have what is left. Of classes of which it is certain
who is in them, as they fit nobody else, all lists together say which values are possible for whom,
and how likely each is (the shares of largest entropy). Of people with several values whole sets are
looked at, where all releases publish them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.value_shares import Listings, fitted_shares, possible_cells
from indistinct.analytics.weighted import Rows, Weighted, expanded, gathered, stacked
from indistinct.frozen import dataclass
from indistinct.microdata.encoding import distinct_rows
from indistinct.types import Bools, Floats, Ints

MOST = 1_000_000
"""Listed values of the classes of people who are alike, at most, that are looked at."""

NOWHERE, UNCLEAR = -1, -2
"""The class of people whom none fits, and of those whose class is not certain."""


@dataclass(frozen=True)
class Left:
    """What is left to people.

    Arguments:
        known: whose class is certain in every release that they are in, [n].
        belief: in the value of each of them, [n].
        possible: how many values each of them may have, [n].
    """

    known: Bools
    belief: Floats
    possible: Ints


def left_over(
    contexts: Sequence[AttackContext],
    listed: Sequence[Weighted | None],
    holds: Rows,
    own: Rows,
) -> Left | None:
    """What all releases leave to people; None where they cannot be held against each other.

    Arguments:
        contexts: the releases.
        listed: how often the classes of each list each value, or set; None where that is not known.
        holds: the values in each set; each value, where they are listed one by one.
        own: the values of each person, [n].
    """
    width = len(holds)
    classes = np.column_stack(
        [_class_of_people(*one) for one in zip(contexts, listed, strict=True)]
    )
    inside = classes >= 0
    there, used = inside.any(axis=1), np.flatnonzero(inside.any(axis=0))
    parts = [part for at in used.tolist() if (part := listed[at]) is not None]
    if not parts or len(parts) < len(used):
        return None
    lists, first = stacked(parts), np.cumsum([0, *map(len, parts)])
    people = np.flatnonzero(there)
    codes = (np.maximum(classes[people][:, used], -1) + 1).astype(np.int64)
    known: Bools = there & (classes != UNCLEAR).all(axis=1)
    while (told := _shares(codes, lists, first, width)) is not None:
        kind_of, keys, share, possible, torn = told
        changed = _apart(codes, torn[kind_of])
        if not changed.any():
            break
        # Each release tells by itself of those whose value has changed.
        known[people[changed]] = False
        at, release = np.nonzero(codes * changed[:, None])
        alone = np.zeros((len(at), codes.shape[1]), np.int64)
        alone[np.arange(len(at)), release] = codes[at, release]
        codes = np.concatenate([codes[~changed], alone])
        people = np.concatenate([people[~changed], people[at]])
    else:
        return None
    size, row = len(classes), np.zeros(len(classes), np.int64)
    belief, number = np.zeros(size), np.zeros(size, np.int64)
    number[people] = np.bincount(keys // width, possible, minlength=len(torn))[kind_of]
    row[people] = np.arange(len(people))
    values = int(max(holds.index.max(initial=0), own.index.max(initial=0))) + 1
    entry, at = expanded(holds, keys % width)
    keys, of = np.unique(keys[entry] // width * values + holds.index[at], return_inverse=True)
    if not len(keys):
        return None
    share = np.bincount(of, share[entry]).astype(np.float64)
    who, at = expanded(own, np.flatnonzero(known))
    who = np.flatnonzero(known)[who]
    wanted = kind_of[row[who]] * values + own.index[at]
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    np.maximum.at(belief, who, np.where(keys[place] == wanted, share[place], 0.0))
    return Left(known, np.minimum(belief, 1.0), number)


def _apart(codes: Ints, torn: Bools) -> Bools:
    """Of whom releases are not put together any more, as they contradict each other there, [n].

    Who is in one class only has not changed, but somebody else of that class.

    Arguments:
        codes: the class of everybody in each release, from 1, or 0, [n, releases].
        torn: of whom nothing is possible that all releases say, [n].
    """
    several: Bools = (codes > 0).sum(axis=1) > 1
    if (torn & several).any() or not torn.any():
        return torn & several
    there = np.zeros(codes.shape[1] * (int(codes.max()) + 1), np.bool_)
    place = codes + np.arange(codes.shape[1]) * (int(codes.max()) + 1)
    there[place[torn]] = True
    found: Bools = several & (there[place] & (codes > 0)).any(axis=1)
    return found


def _shares(
    codes: Ints, lists: Weighted, first: Ints, width: int
) -> tuple[Ints, Ints, Floats, Bools, Bools] | None:
    """What people can have, by their classes; None where that is too much to look at.

    Arguments:
        codes: the class of everybody in each release, from 1, or 0, [n, releases].
        lists: what the classes list, those of one release after those of another.
        first: the first class of each release.
        width: how many values there are.

    Returns:
        The kind of everybody, [n]; of each kind and value a number, kind * width + value, the share
        of the kind who have it, and whether it is possible; and the kinds that cannot be, [kinds].
    """
    kinds, kind_of = distinct_rows(codes, int(codes.max()) + 1)
    owner, release = np.nonzero(kinds)
    group = first[release] + kinds[owner, release] - 1
    if lists.length[group].sum() > MOST:
        return None
    entry, at = expanded(lists, group)
    keys, of, met = np.unique(
        owner[entry] * width + lists.index[at], return_inverse=True, return_counts=True
    )
    # A value is possible that all groups of a kind list.
    whole = met == np.bincount(owner)[keys // width]
    kind = keys[whole] // width
    size = np.bincount(kind_of).astype(np.float64)
    kept, cell = whole[of], (np.cumsum(whole) - 1).astype(np.int32)[of]
    listings = Listings(cell[kept], at[kept], release[entry[kept]], lists.amount)
    possible, torn = possible_cells(listings, kind, size)
    share = np.zeros(len(kind))
    if not torn.any():
        share = fitted_shares(listings, kind, size, possible)
    return kind_of.astype(np.int64), keys[whole].astype(np.int64), share, possible, torn


def _class_of_people(context: AttackContext, listed: Weighted | None) -> Ints:
    """The class of everybody, if it is certain who is in it, and known what it lists, [n]."""
    places = context.places
    sets, size = places.candidate_sets, places.classes.size
    found = np.where(places.found, UNCLEAR, NOWHERE)
    unclear = listed is None or context.may_contain
    if unclear or places.suppressed > (~places.in_class).sum():
        return found
    people = np.bincount(places.set_of, minlength=len(sets))
    fits = np.bincount(sets.index, people[sets.row_of], minlength=len(size))
    only = np.flatnonzero(sets.length == 1)
    alone = np.bincount(sets.index[sets.indptr[only]], people[only], minlength=len(size))
    certain = (fits == size) & (alone == size)
    first = np.zeros(len(sets), np.int64)
    first[only] = sets.index[sets.indptr[only]]
    class_of = np.where((sets.length == 1) & certain[first], first, UNCLEAR)
    return np.where(places.found, class_of[places.set_of], NOWHERE)


def values_listed(
    context: AttackContext, sensitive: str, atom_of: Mapping[str | None, int], width: int
) -> Weighted | None:
    """How often each class lists each value; None where a label stands for several, or for a set.

    Arguments:
        context: the release.
        sensitive: the attribute.
        atom_of: a number for every value.
        width: how many numbers there are.
    """
    if not context.one_record_each or context.lists_sets(sensitive):
        return None
    covering = context.covering(sensitive)
    atoms = [{atom_of[covering.values[at]] for at in own.tolist()} for own in _each(covering.under)]
    if any(len(own) != 1 for own in atoms):
        return None
    of_label = np.array([one for (one,) in atoms], np.int64)
    parts, lists = context.parts(sensitive), context.buckets[sensitive]
    value = of_label[parts.index[parts.indptr[lists.index]]]
    return gathered(lists.row_of, value, lists.amount, len(lists), width)


def sets_listed(context: AttackContext, shares: Weighted, width: int) -> Weighted | None:
    """How often each class lists each set; None where buckets lie across classes.

    Arguments:
        context: the release.
        shares: how likely the people of each bucket are to have each set.
        width: how many sets there are.
    """
    held = context.over_rows(shares, width).held
    if context.one_record_each or context.bucket_semantics == "all":
        return held
    there = context.class_buckets
    return held if (there.amount == context.size_of[there.index]).all() else None


def _each(rows: Rows) -> Iterable[Ints]:
    return (rows[at].astype(np.int64) for at in range(len(rows)))
