"""What a set of suppressed rows costs, attribute by attribute."""

from __future__ import annotations

import numpy as np

from indistinct.kernels.jit import jit
from indistinct.types import Floats, Ints, Ints32


@jit
def sum_over_rows(
    columns: Ints32, which: Ints, amount: Ints, rows: Ints32, units: Ints, total: Ints
) -> None:
    """For each attribute j the sum over rows of units times amount[which[j], code of the row].

    Arguments:
        columns: codes of all rows of the table, [columns, rows].
        which: the column of each attribute, [m].
        amount: of every code of each column, [columns, codes].
        rows: the rows that are summed over.
        units: of each of these, by position in ``rows``.
        total: becomes the sums, [m].
    """
    for j in range(len(which)):
        column = columns[which[j]]
        of_code = amount[which[j]]
        subtotal = np.int64(0)
        for at in range(len(rows)):
            subtotal += units[at] * of_code[column[rows[at]]]
        total[j] = subtotal


@jit
def sum_over_prefixes(
    columns: Ints32, which: Ints, amount: Ints, rows: Ints32, units: Ints, ends: Ints, total: Ints
) -> None:
    """As :func:`sum_over_rows`, over the first ``ends[k]`` rows for every k.

    Arguments:
        columns: codes of all rows of the table, [columns, rows].
        which: the column of each attribute, [m].
        amount: of every code of each column, [columns, codes].
        rows: the rows that are summed over.
        units: of each of these, by position in ``rows``.
        ends: how many rows each sum is over, never falling, [K].
        total: becomes the sums, [K, m].
    """
    for j in range(len(which)):
        column = columns[which[j]]
        of_code = amount[which[j]]
        subtotal = np.int64(0)
        at = 0
        for k in range(len(ends)):
            while at < ends[k]:
                subtotal += units[at] * of_code[column[rows[at]]]
                at += 1
            total[k, j] = subtotal


@jit
def entropy_over_rows(
    columns: Ints32, which: Ints, card: Ints, rows: Ints32, units: Ints, tally: Ints, total: Floats
) -> None:
    """For each attribute j: -sum over rows of log2(share of the row's code among these rows).

    Arguments:
        columns: codes of all rows of the table, [columns, rows].
        which: the column of each attribute, [m].
        card: codes of each attribute, [m].
        rows: the rows that are summed over.
        units: of each of these, by position in ``rows``.
        tally: scratch of at least the largest ``card``.
        total: becomes the sums in bits, [m].
    """
    everything = np.int64(0)
    for at in range(len(rows)):
        everything += units[at]
    for j in range(len(which)):
        total[j] = 0.0
        if card[j] == 1:
            continue
        column = columns[which[j]]
        tally[: card[j]] = 0
        for at in range(len(rows)):
            tally[column[rows[at]]] += units[at]
        bits = 0.0
        for code in range(card[j]):
            if tally[code]:
                bits += tally[code] * np.log2(everything / tally[code])
        total[j] = bits
