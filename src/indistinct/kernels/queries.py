"""Counting queries over distinct rows: how many records fit conditions on some columns."""

from __future__ import annotations

import numpy as np

from indistinct.kernels.jit import jit
from indistinct.types import Bools, Floats, Ints, Ints32


@jit
def answers(columns: Ints32, weight: Ints, fits: Floats, counts: Floats) -> None:
    """The sum over rows of their weight times the product of what their codes fit.

    Arguments:
        columns: codes of every row, [q, R].
        weight: of every row, [R].
        fits: how well each code of each column fits every query, from 0 (no) to 1 (wholly),
            [Q, q, L].
        counts: becomes the sums, [Q].
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
    """How well intervals fit the condition ``least <= x <= most``.

    Arguments:
        low: where each interval begins, NaN for none, [L].
        high: where each interval ends, [L].
        least: the least number that fits.
        most: the largest number that fits.
        whole: whether values are whole numbers.
        uniform: whether the share of the interval that fits is wanted (of its whole numbers, where
            values are whole; else of its length), or else 1 if any of it does.
        fits: becomes how well each fits, from 0 to 1, [L]; left as it is for no interval.
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
    """How well cells, each standing for some leaves, fit a condition that names leaves.

    Arguments:
        indptr: cell c stands for ``leaves[indptr[c]:indptr[c + 1]]``, [L + 1].
        leaves: leaves.
        asked: the leaves that are asked for, [D].
        uniform: whether the share of the leaves that is asked for is wanted, or else 1 if any is.
        fits: becomes how well each fits, from 0 to 1, [L]; left as it is for a cell without leaves.
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
