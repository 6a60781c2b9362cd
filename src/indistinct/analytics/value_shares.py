"""Which values people have, by how often groups list them: what is possible, and how likely it is.

Groups are classes or buckets of one release or several. People who are in the same groups are alike
and of one *kind*; a *cell* is a kind and a value that all of its groups list.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from indistinct.frozen import dataclass
from indistinct.types import Bools, Floats, Ints, Ints32

ROUNDS = 60
"""Rounds of proportional fitting, at most."""

NEAR = 1e-7
"""How little of a person a round may change for it to be the last."""


@dataclass(frozen=True)
class Listings:
    """What groups list, and which cells could have it.

    Arguments:
        cell: the cell of every pair of a cell and a listing of one of its groups, [pairs].
        place: the listing of every pair, [pairs].
        release: the release of every pair, [pairs].
        count: how often a listing's group lists its value, [listings].
    """

    cell: Ints32
    place: Ints
    release: Ints
    count: Floats

    @classmethod
    def of(cls, pairs: pl.DataFrame) -> Listings:
        """Of pairs: each a ``cell``, a ``group``, ``release``, ``value`` and a ``count``."""
        place = pairs.select(pl.struct("group", "value").rank("dense").cast(pl.Int64) - 1)
        places = place.to_series().to_numpy()
        count = np.zeros(int(places.max(initial=-1)) + 1)
        count[places] = pairs["count"].to_numpy()
        cell = pairs["cell"].to_numpy().astype(np.int32)
        return cls(cell, places, pairs["release"].to_numpy(), count)


def possible_cells(listings: Listings, kind: Ints, size: Floats) -> tuple[Bools, Bools]:
    """Which values people of each kind can have, by how many of them there are, [cells].

    At least so many of a kind have a value as its other values leave over, and as nobody else of a
    group can have; at most as many as a group lists and others do not need. Each of these makes
    others narrower, until nothing changes. And of which kinds that is impossible, [kinds]: a value
    has changed there, or nearby, and nothing more is known of the others.

    Arguments:
        listings: what the groups of cells list.
        kind: the kind of people of every cell, [cells].
        size: how many people of each kind there are, [kinds].
    """
    cell, at = listings.cell, listings.place
    listed = listings.count[at]
    most, least = size[kind].copy(), np.zeros(len(kind))
    torn = np.bincount(kind, minlength=len(size)) == 0
    for _ in range(ROUNDS):
        before = most.sum() - least.sum()
        others = np.bincount(kind, most, minlength=len(size))[kind] - most
        np.maximum(least, size[kind] - others, out=least)
        needed = np.bincount(at, least[cell])[at] - least[cell]
        np.minimum.at(most, cell, listed - needed)
        able = np.bincount(at, most[cell])[at] - most[cell]
        np.maximum.at(least, cell, listed - able)
        torn[kind[most < least]] = True
        if torn.any():
            return np.ones(len(kind), np.bool_), torn
        if most.sum() - least.sum() == before:
            break
    return most > 0, torn


def fitted_shares(listings: Listings, kind: Ints, size: Floats, possible: Bools) -> Floats:
    """The share of each value among people of each kind, [cells].

    Arguments:
        listings: what the groups of cells list.
        kind: the kind of people of every cell, [cells].
        size: how many people of each kind there are, [kinds].
        possible: which cells are not ruled out, [cells].
    """
    amount = possible * size[kind] / np.bincount(kind, possible, minlength=len(size))[kind]
    target = listings.count
    steps = [
        (listings.cell[own], listings.place[own])
        for release in np.unique(listings.release)
        for own in [listings.release == release]
    ]
    for _ in range(ROUNDS):
        before = amount.copy()
        for cells, places in steps:
            summed = np.bincount(places, amount[cells], minlength=len(target))
            factor = np.divide(target, summed, out=np.ones(len(target)), where=summed > 0)
            amount[cells] *= factor[places]
        whole = np.bincount(kind, amount, minlength=len(size))
        amount *= np.divide(size, whole, out=np.zeros(len(size)), where=whole > 0)[kind]
        if np.abs(amount - before).max(initial=0.0) < NEAR:
            break
    return amount / size[kind]
