"""How many people have some cells together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels.jit import inner, jit


@jit
def owners_of(
    indptr: NDArray[np.int64], cell: NDArray[np.int32], cells: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Who has each cell: cell x is had by ``owner[begin[x]:begin[x + 1]]``, rising.

    Arguments:
        indptr: person p has ``cell[indptr[p]:indptr[p + 1]]``, each once, [p + 1].
        cell: cells.
        cells: how many cells there are.
    """
    begin = np.zeros(cells + 1, np.int64)
    for x in cell:
        begin[x + 1] += 1
    for x in range(cells):
        begin[x + 1] += begin[x]
    owner, at = np.empty(cell.shape[0], np.int32), begin[:-1].copy()
    for person in range(indptr.shape[0] - 1):
        for e in range(indptr[person], indptr[person + 1]):
            owner[at[cell[e]]] = person
            at[cell[e]] += 1
    return begin, owner


@inner
def _first_from(cell: NDArray[np.int32], low: int, high: int, wanted: int) -> int:
    """Where the first cell of at least ``wanted`` stands in ``cell[low:high]``."""
    while low < high:
        middle = (low + high) // 2
        if cell[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def _first_near(cell: NDArray[np.int32], low: int, high: int, at: int, wanted: int) -> int:
    """The same where it stands at ``at``, or near."""
    at = min(at, high)
    while at > low and cell[at - 1] >= wanted:
        at -= 1
    while at < high and cell[at] < wanted:
        at += 1
    return at


@jit
def have_cells(
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    column: NDArray[np.int64],
    columns: int,
    indptr: NDArray[np.int64],
    cell: NDArray[np.int32],
    begin: NDArray[np.int64],
    owner: NDArray[np.int32],
    first: int,
    enough: int,
    budget: int,
    found: NDArray[np.int64],
) -> int:
    """How many people have the first cells of every draw; returns the draws that were looked at.

    Arguments:
        low: what is known: a cell from ``low[d, j]`` to ``high[d, j]``, for each draw d and place
            j; -1 where the draw has fewer, [draws, places].
        high: see ``low``.
        column: of these cells, [draws, places]; where a person has a cell in every column before,
            it stands there.
        columns: how many there are. People with more cells have several in one.
        indptr: person p has ``cell[indptr[p]:indptr[p + 1]]``, rising, [p + 1].
        cell: cells.
        begin: cell x is had by ``owner[begin[x]:begin[x + 1]]``.
        owner: people.
        first: the least number of places that is looked at.
        enough: people after which no more are counted.
        budget: steps after which no further draw is looked at.
        found: people who have what stands in the first j + 1 places, [draws, places].
    """
    draws, places = low.shape
    people = indptr.shape[0] - 1
    steps = 0
    for d in range(draws):
        if steps > budget and d > 0:
            return d
        for size in range(first, places + 1):
            if size > first and (low[d, size - 1] < 0 or found[d, size - 2] <= 1):
                found[d, size - 1] = found[d, size - 2]
                continue
            best, least = -1, np.int64(0)
            for j in range(size):
                if low[d, j] >= 0:
                    length = begin[high[d, j] + 1] - begin[low[d, j]]
                    if best < 0 or length < least:
                        best, least = j, length
            number = 0
            if best < 0:
                found[d, size - 1] = min(people, enough)
                continue
            for x in range(low[d, best], high[d, best] + 1):
                for at in range(begin[x], begin[x + 1]):
                    person = owner[at]
                    fits = True
                    for j in range(size):
                        if low[d, j] < 0:
                            continue
                        start, end = indptr[person], indptr[person + 1]
                        if end - start > columns:
                            place = _first_from(cell, start, end, low[d, j])
                        else:
                            guess = start + column[d, j]
                            place = _first_near(cell, start, end, guess, low[d, j])
                        steps += 1
                        fits = place < end and cell[place] <= high[d, j]
                        # Of several cells within bounds the first one stands for the person.
                        fits &= j != best or cell[place] == x
                        if not fits:
                            break
                    if fits:
                        number += 1
                        if number >= enough:
                            break
                if number >= enough:
                    break
            found[d, size - 1] = number
    return int(draws)
