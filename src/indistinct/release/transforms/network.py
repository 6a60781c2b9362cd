"""How columns of codes go together: a Bayesian network with few parents, fitted to a table.

Columns are put in one by one, each under the column that tells most of it, as in the trees of Chow
and Liu (1968); where one more of those above tells clearly more, there are two parents (PrivBayes
by Zhang and others 2017 has networks of this kind). What columns tell of each other by chance is
taken off: that is what they tell of shuffled values.

Two parents are a column and a parent of its own, so that every column is drawn with values that
stand together in some record of the table: no record has a pair of neighbours that is not there. A
column of nearly as many values as records is nobody's parent, since records would be copied with
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from indistinct.frozen import dataclass
from indistinct.randomness import Random, simulation
from indistinct.types import Ints

LOOKED_AT = 20_000
"""Records that the network is fitted to, at most; values are drawn from all of them."""

SHUFFLES = 3

FOR_EACH = 5
"""Records that each value of a parent has on average, at least."""

FOR_EACH_PAIR = 10
"""The same for pairs of values of two parents."""


@dataclass(frozen=True, eq=False)
class Given:
    """What a column is drawn by beside its parents.

    Arguments:
        columns: codes of columns that stay as they are, coarse, [n] each.
        k: the fewest people of a group who have a value that is drawn for the group.
        owners: whose the records are, [n]; by default every record is somebody else's.
    """

    columns: Sequence[Ints]
    k: int
    owners: Ints | None = None

    def shared(self, group: Ints, values: Ints) -> NDArray[np.bool_]:
        """Whether k people of a record's group have its value."""
        pair = together([group, values])
        if self.owners is None:
            return np.bincount(pair)[pair] >= self.k
        first = np.unique(together([pair, self.owners]), return_index=True)[1]
        return np.bincount(pair[first], minlength=len(pair))[pair] >= self.k


@dataclass(frozen=True)
class Network:
    """Columns in the order in which they are drawn, and the parents of each."""

    order: tuple[int, ...]
    parents: tuple[tuple[int, ...], ...]


def fitted(columns: Sequence[Ints]) -> Network:
    """The network of columns of codes, [n] each."""
    if len(columns[0]) > LOOKED_AT:
        some = _sample(len(columns[0]))
        columns = [column[some] for column in columns]
    number = len(columns)
    gain = np.zeros((number, number))  # what the column in each column tells of that in each row
    for one in range(number):
        for other in range(one):
            gain[one, other] = gain[other, one] = _told(columns[one], columns[other])
    wide = [_too_many([column], FOR_EACH) for column in columns]
    gain[:, wide] = 0.0
    parents: list[tuple[int, ...]] = [()] * number
    order: list[int] = []
    left = set(range(number))
    while left:
        ways = [(child, parent) for child in sorted(left) for parent in order]
        child, parent = max(ways, key=lambda way: gain[way], default=(-1, -1))
        if child < 0 or gain[child, parent] <= 0.0:
            child = max(sorted(left), key=lambda at: gain[:, at].sum())
        else:
            parents[child] = (parent, *_second(columns, child, parent, parents[parent]))
        order.append(child)
        left.remove(child)
    return Network(tuple(order), tuple(parents))


def drawn(
    network: Network,
    columns: Sequence[Ints],
    random: Random,
    given: Mapping[int, Given] = MappingProxyType({}),
) -> list[Ints]:
    """As many records as there are: each value is that of a record with equal parents.

    Arguments:
        network: the columns' order, and the parents of each.
        columns: codes, [n] each.
        random: where records are drawn from.
        given: what is given of some columns, by their places.
    """
    records = len(columns[0])
    everybody = np.arange(records)
    found = [np.zeros(0, np.int64)] * len(columns)
    for at in network.order:
        own = network.parents[at]
        both = [np.concatenate([columns[one], found[one]]) for one in own]
        beside: list[Ints] = []
        if at in given:
            beside = [*both[1:], *(np.tile(column, 2) for column in given[at].columns)]
            both = both[:1]
        group = together(both) if own else np.zeros(2 * records, np.int64)
        if own:
            like = _like(group[:records], group[records:], everybody, random)
        else:
            like = random.integers(0, records, size=records)
        if at in given:
            like = _given(given[at], columns[at], group, beside, like, random)
        found[at] = columns[at][like]
    return found


def _like(known: Ints, asked: Ints, some: Ints, random: Random) -> Ints:
    """For each group one of some records of it: their places; the groups have such records."""
    order = some[np.argsort(known[some], kind="stable")]
    start = np.searchsorted(known[order], asked, side="left")
    end = np.searchsorted(known[order], asked, side="right")
    return order[random.integers(start, end)]


def _given(
    given: Given, column: Ints, group: Ints, left: list[Ints], like: Ints, random: Random
) -> Ints:
    """The records whose values are drawn, where columns are given.

    Arguments:
        given: those columns.
        column: the codes of the column that is drawn, [n].
        group: a number of every record's parent, as it was and as it is drawn, [2n].
        left: what may be put beside it: another parent, and the columns that are given, [2n].
        like: the record that each value was drawn from by its parent alone, [n].
        random: where records are drawn from.
    """
    records, parent = len(column), group
    some = _sample(records)
    while left:
        told = [
            0.0
            if _too_many([beside[some], group[some]], FOR_EACH)
            else _told(column[some], beside[some], group[some])
            for beside in left
        ]
        if max(told) <= 0.0:
            break
        group = together([group, left.pop(told.index(max(told)))])
        shared = given.shared(group[:records], column)
        known = np.flatnonzero(shared)
        again = np.flatnonzero(shared[like])
        # What few of a group have and many of another would come back to the group alone.
        rest = np.flatnonzero(~shared[like] & np.isin(column, column[known])[like])
        like[rest] = _like(parent[:records], parent[records:][rest], np.arange(records), random)
        asked = group[records:][again]
        there = np.isin(asked, group[known])
        like[again[there]] = _like(group[:records], asked[there], known, random)
    return like


def merged(codes: Ints, k: int, owners: Ints | None) -> Ints:
    """Codes of which those that too few people have are one.

    Arguments:
        codes: the codes of a column, from 0, [n].
        k: how many people must have a code for it to stay one of its own.
        owners: whose the records are, [n]; None: every record is somebody else's.
    """
    nobody = np.zeros(len(codes), np.int64)
    return np.where(Given((), k, owners).shared(nobody, codes), codes + 1, 0)


def _sample(records: int) -> Ints:
    """The records that a network is fitted to."""
    if records <= LOOKED_AT:
        return np.arange(records)
    return simulation(0).choice(records, LOOKED_AT, replace=False)


def _too_many(columns: Sequence[Ints], each: int) -> bool:
    """Whether columns have more combinations than one for each so many records."""
    group = together(columns)
    return len(np.unique(group)) * each > len(group)


def _second(
    columns: Sequence[Ints], child: int, parent: int, above: tuple[int, ...]
) -> tuple[int, ...]:
    """The parent's parent that tells most of the child beside it, if one tells more than chance."""
    best, found = 0.0, -1
    for other in above:
        if _too_many([columns[parent], columns[other]], FOR_EACH_PAIR):
            continue
        told = _told(columns[child], columns[other], columns[parent])
        if told > best:
            best, found = told, other
    return (found,) if found >= 0 else ()


def _told(one: Ints, other: Ints, given: Ints | None = None) -> float:
    """What a column tells of another beside a third, in nats: more than any shuffle of it does."""
    draw = simulation(0)
    inside = np.zeros(len(one), np.int64) if given is None else given
    by_group = np.argsort(inside, kind="stable")
    by_chance = []
    for _ in range(SHUFFLES):
        mixed = np.lexsort((draw.random(len(one)), inside))
        shuffled = np.empty_like(other)
        shuffled[by_group] = other[mixed]
        by_chance.append(_shared(one, together([shuffled, inside])))
    return max(_shared(one, together([other, inside])) - max(by_chance), 0.0)


def _shared(one: Ints, other: Ints) -> float:
    """The mutual information of two columns, in nats."""
    return _entropy(one) + _entropy(other) - _entropy(together([one, other]))


def _entropy(codes: Ints) -> float:
    share = np.unique(codes, return_counts=True)[1] / len(codes)
    return -float((share * np.log(share)).sum())


def together(columns: Sequence[Ints]) -> Ints:
    """One number for every combination of values."""
    found = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        found = found * (int(column.max(initial=0)) + 1) + column
        found = np.unique(found, return_inverse=True)[1].astype(np.int64)
    return found
