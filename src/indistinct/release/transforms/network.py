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

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from indistinct.randomness import Random, simulation
from indistinct.types import Ints

LOOKED_AT = 20_000
"""Records that the network is fitted to, at most; values are drawn from all of them."""

SHUFFLES = 3

FOR_EACH = 5
"""Records that each value of a parent has on average, at least."""

FOR_EACH_PAIR = 10
"""The same for pairs of values of two parents."""


@dataclass(frozen=True)
class Network:
    """Columns in the order in which they are drawn, and the parents of each."""

    order: tuple[int, ...]
    parents: tuple[tuple[int, ...], ...]


def fitted(columns: Sequence[Ints]) -> Network:
    """The network of columns of codes, [n] each."""
    records = len(columns[0])
    if records > LOOKED_AT:
        some = simulation(0).choice(records, LOOKED_AT, replace=False)
        columns = [column[some] for column in columns]
    number = len(columns)
    gain = np.zeros((number, number))  # what the column in each column tells of that in each row
    for one in range(number):
        for other in range(one):
            gain[one, other] = gain[other, one] = _told(columns[one], columns[other])
    wide = [len(np.unique(column)) * FOR_EACH > len(column) for column in columns]
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


def drawn(network: Network, columns: Sequence[Ints], random: Random) -> list[Ints]:
    """As many records as there are: each value is that of a record with equal parents."""
    records = len(columns[0])
    found = [np.zeros(0, np.int64)] * len(columns)
    for at in network.order:
        own = network.parents[at]
        if not own:
            found[at] = columns[at][random.integers(0, records, size=records)]
            continue
        both = [np.concatenate([columns[one], found[one]]) for one in own]
        group = _together(both)
        known, asked = group[:records], group[records:]
        order = np.argsort(known, kind="stable")
        start = np.searchsorted(known[order], asked, side="left")
        end = np.searchsorted(known[order], asked, side="right")
        found[at] = columns[at][order[random.integers(start, end)]]
    return found


def _second(
    columns: Sequence[Ints], child: int, parent: int, above: tuple[int, ...]
) -> tuple[int, ...]:
    """The parent's parent that tells most of the child beside it, if one tells more than chance."""
    best, found = 0.0, -1
    for other in above:
        pairs = _together([columns[parent], columns[other]])
        if len(np.unique(pairs)) * FOR_EACH_PAIR > len(pairs):
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
        by_chance.append(_shared(one, _together([shuffled, inside])))
    return max(_shared(one, _together([other, inside])) - max(by_chance), 0.0)


def _shared(one: Ints, other: Ints) -> float:
    """The mutual information of two columns, in nats."""
    return _entropy(one) + _entropy(other) - _entropy(_together([one, other]))


def _entropy(codes: Ints) -> float:
    share = np.unique(codes, return_counts=True)[1] / len(codes)
    return -float((share * np.log(share)).sum())


def _together(columns: Sequence[Ints]) -> Ints:
    """One number for every combination of values."""
    found = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        found = found * (int(column.max(initial=0)) + 1) + column
        found = np.unique(found, return_inverse=True)[1].astype(np.int64)
    return found
