"""Which values people have, by how often groups list them: what is possible, and how likely it is.

Groups are classes or buckets of one release or several. People who are in the same groups are alike
and of one *kind*; a *cell* is a kind and a value that all of its groups list.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from indistinct.types import Bools, Floats, Ints

ROUNDS = 60
"""Rounds of proportional fitting, at most."""

NEAR = 1e-7
"""How little of a person a round may change for it to be the last."""


def possible_cells(pairs: pl.DataFrame, kind: Ints, size: Floats) -> Bools | None:
    """Which values people of each kind can have, by how many of them there are, [cells].

    At least so many of a kind have a value as its other values leave over, and as nobody else of a
    group can have; at most as many as a group lists and others do not need. Each of these makes
    others narrower, until nothing changes. None where that is impossible: a value has changed.

    Arguments:
        pairs: as for :func:`fitted_shares`.
        kind: the kind of people of every cell, [cells].
        size: how many people of each kind there are, [kinds].
    """
    cell = pairs["cell"].to_numpy()
    place = pairs.select(pl.struct("group", "value").rank("dense").cast(pl.Int64) - 1)
    at, listed = place.to_series().to_numpy(), pairs["count"].to_numpy().astype(np.float64)
    most, least = size[kind].copy(), np.zeros(len(kind))
    for _ in range(ROUNDS):
        before = most.sum() - least.sum()
        others = np.bincount(kind, most, minlength=len(size))[kind] - most
        np.maximum(least, size[kind] - others, out=least)
        needed = np.bincount(at, least[cell])[at] - least[cell]
        np.minimum.at(most, cell, listed - needed)
        able = np.bincount(at, most[cell])[at] - most[cell]
        np.maximum.at(least, cell, listed - able)
        if (most < least).any():
            return None
        if most.sum() - least.sum() == before:
            break
    return most > 0


def fitted_shares(pairs: pl.DataFrame, kind: Ints, size: Floats, possible: Bools) -> Floats:
    """The share of each value among people of each kind, [cells].

    Arguments:
        pairs: ``cell``, ``group``, its ``release``, ``value`` and the ``count`` that the group
            lists, for each group of the cell's kind.
        kind: the kind of people of every cell, [cells].
        size: how many people of each kind there are, [kinds].
        possible: which cells are not ruled out, [cells].
    """
    amount = possible * size[kind] / np.bincount(kind, possible, minlength=len(size))[kind]
    steps = []
    for part in pairs.partition_by("release"):
        place = part.select(pl.struct("group", "value").rank("dense").cast(pl.Int64) - 1)
        places = place.to_series().to_numpy()
        target = np.zeros(places.max() + 1)
        target[places] = part["count"].to_numpy()
        steps.append((part["cell"].to_numpy(), places, target))
    for _ in range(ROUNDS):
        before = amount.copy()
        for cells, places, target in steps:
            summed = np.bincount(places, amount[cells], minlength=len(target))
            factor = np.divide(target, summed, out=np.ones(len(target)), where=summed > 0)
            amount[cells] *= factor[places]
        whole = np.bincount(kind, amount, minlength=len(size))
        amount *= np.divide(size, whole, out=np.zeros(len(size)), where=whole > 0)[kind]
        if np.abs(amount - before).max(initial=0.0) < NEAR:
            break
    return amount / size[kind]
