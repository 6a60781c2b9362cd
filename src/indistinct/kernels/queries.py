"""Counting queries over distinct rows: how many records fit conditions on some columns."""

from __future__ import annotations

import numpy as np

from indistinct.kernels.jit import jit
from indistinct.types import Bools, Floats, Ints, Ints32


@jit
def answers(columns: Ints32, weight: Ints, fits: Floats, counts: Floats) -> None:
    """The sum over rows of their weight times the product of what their codes fit.

    ``columns`` is [q, R]; ``fits`` [Q, q, L] tells for every query, column and code how well it
    fits the condition, from 0 (no) to 1 (wholly). ``counts`` [Q] is filled.
    """
    width = len(columns)
    rows = columns.shape[1]
    for query in range(len(fits)):
        total = 0.0
        first = fits[query, 0]
        for row in range(rows):
            share = first[columns[0, row]]
            at = 1
            while share and at < width:
                share *= fits[query, at, columns[at, row]]
                at += 1
            total += share * weight[row]
        counts[query] = total


@jit
def fit_range(
    low: Floats, high: Floats, least: float, most: float, whole: bool, uniform: bool, fits: Floats
) -> None:
    """How well intervals [L] fit the condition ``least <= x <= most``.

    With ``uniform`` the share of the interval that fits (of its whole numbers, where values are
    ``whole``; else of its length), without it 1 if any of it does. Entries of no interval (NaN) are
    left as they are.
    """
    for at in range(len(low)):
        if np.isnan(low[at]):
            continue
        start = max(low[at], least)
        end = min(high[at], most)
        if start > end:
            fits[at] = 0.0
            continue
        values = np.floor(high[at]) - np.ceil(low[at]) + 1.0
        if whole and values >= 1.0:
            found = max(np.floor(end) - np.ceil(start) + 1.0, 0.0)
            share = found / values
        else:
            found = 1.0
            share = (end - start) / (high[at] - low[at]) if high[at] > low[at] else 1.0
        if uniform:
            fits[at] = share
        else:
            fits[at] = 1.0 if found > 0.0 else 0.0


@jit
def fit_leaves(indptr: Ints, leaves: Ints32, asked: Bools, uniform: bool, fits: Floats) -> None:
    """How well cells [L], each standing for some leaves, fit a condition that names leaves [D].

    With ``uniform`` the share of the leaves that is asked for, without it 1 if any is. Entries
    without leaves are left as they are.
    """
    for at in range(len(indptr) - 1):
        held = indptr[at + 1] - indptr[at]
        if not held:
            continue
        found = 0
        for place in range(indptr[at], indptr[at + 1]):
            if asked[leaves[place]]:
                found += 1
        if uniform:
            fits[at] = found / held
        else:
            fits[at] = 1.0 if found else 0.0
