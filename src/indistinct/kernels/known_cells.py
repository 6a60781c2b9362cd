"""How many people have some cells together.

People who have a cell are a list of numbers or, where they are many, a row of bits. Cells that are
known together are laid upon each other one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels import NONE
from indistinct.kernels.candidate_sets import ones
from indistinct.kernels.jit import inner, jit
from indistinct.kernels.ragged import first_from
from indistinct.types import Ints, Ints32

BLOCK = 128
"""Words that are laid upon each other at once."""

_ONE = np.uint64(1)
_NONE = np.uint64(0)


@jit
def owners_of(indptr: Ints, cell: Ints32, cells: int) -> tuple[Ints, Ints32]:
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
    owner, at = np.empty(len(cell), np.int32), begin[:-1].copy()
    for person in range(len(indptr) - 1):
        for e in range(indptr[person], indptr[person + 1]):
            owner[at[cell[e]]] = person
            at[cell[e]] += 1
    return begin, owner


@jit
def lay_out(begin: Ints, owner: Ints32, row: Ints32, bits: NDArray[np.uint64], had: Ints) -> None:
    """Who has some cells, as rows of bits, which are zero before; cells of one row are one.

    Arguments:
        begin: cell x is had by ``owner[begin[x]:begin[x + 1]]``.
        owner: people.
        row: the row of every cell, -1 for none, [cells].
        bits: who has a cell of each row, [rows, words].
        had: how many people these are, [rows].
    """
    for x in range(len(row)):
        if row[x] >= 0:
            for at in range(begin[x], begin[x + 1]):
                bits[row[x], owner[at] >> 6] |= _ONE << np.uint64(owner[at] & 63)
    for place in range(len(bits)):
        had[place] = 0
        for word in bits[place]:
            had[place] += ones(word)


@inner
def _narrowed(few: Ints32, number: int, more: Ints32, low: int, high: int) -> int:
    """Leave of the first people of ``few`` those who are in ``more[low:high]``; their number."""
    left = 0
    for at in range(number):
        person, step = few[at], 1
        while low + step < high and more[low + step] < person:
            low += step
            step *= 2
        low = first_from(more, low, min(low + step, high), person)
        if low < high and more[low] == person:
            few[left] = person
            left += 1
    return left


@inner
def _laid_upon(
    cells: Ints32,
    number: int,
    row: Ints32,
    bits: NDArray[np.uint64],
    first: int,
    enough: int,
    layer: NDArray[np.uint64],
    found: Ints,
) -> None:
    """How many people have the first cells of a draw, each of which has a row of bits.

    Counted up to ``enough`` at least, in ``found`` from the place ``first - 1`` on.
    """
    words = bits.shape[1]
    for begin in range(0, words, BLOCK):
        block = min(BLOCK, words - begin)
        for j in range(number):
            own, count = row[cells[j]], 0
            if j == 0:
                for w in range(block):
                    layer[w] = bits[own, begin + w]
            else:
                for w in range(block):
                    layer[w] &= bits[own, begin + w]
            if j + 1 >= first or j + 1 == number:
                for w in range(block):
                    count += ones(layer[w])
                found[j] += count
                if not count:
                    break
        if found[number - 1] >= enough:
            return


@jit
def have_cells(
    known: Ints32,
    people: int,
    begin: Ints,
    owner: Ints32,
    row: Ints32,
    bits: NDArray[np.uint64],
    had: Ints,
    first: int,
    enough: int,
    budget: int,
    found: Ints,
) -> int:
    """How many people have the first cells of every draw; returns the draws that were looked at.

    Arguments:
        known: cells that somebody has all; -1 where a draw has fewer, [draws, places].
        people: how many people there are.
        begin: cell x is had by ``owner[begin[x]:begin[x + 1]]``.
        owner: people, rising for each cell.
        row: the row of ``bits`` that says who has a cell, -1 where none does, [cells].
        bits: see :func:`lay_out`.
        had: likewise, [rows].
        first: the least number of places that is asked about.
        enough: people after which no more are counted.
        budget: steps (words and people) after which no further draw is looked at.
        found: becomes how many people have what stands in the first j + 1 places, from j =
            ``first - 1`` on, [draws, places].
    """
    draws, places = known.shape
    words = bits.shape[1]
    layer, few = np.empty(words, np.uint64), np.empty(people, np.int32)
    steps = 0
    for d in range(draws):
        if steps > budget and d:
            return d
        number, listed, laid = people, False, NONE
        held = plain = 0
        for j in range(places):
            held += known[d, j] >= 0
            plain += known[d, j] >= 0 and row[known[d, j]] >= 0 and held == j + 1
        if plain == held and held > 1:
            found[d] = 0
            _laid_upon(known[d], held, row, bits, first, enough, layer, found[d])
            for j in range(first - 1, places):
                found[d, j] = min(found[d, min(j, held - 1)], enough)
            steps += (held - 1) * words
            continue
        for j in range(places):
            x = known[d, j]
            if x >= 0 and number > 1:  # somebody has all cells of a draw
                if row[x] < 0 and not listed:
                    # ``laid`` is the row of the only cell before; -2: their bits are in ``layer``.
                    left = 0
                    for at in range(begin[x], begin[x + 1]):
                        person = owner[at]
                        word = ~_NONE
                        if laid == -2:
                            word = layer[person >> 6]
                        elif laid >= 0:
                            word = bits[laid, person >> 6]
                        few[left] = person
                        left += int((word >> np.uint64(person & 63)) & _ONE)
                    number, listed = left, True
                    steps += begin[x + 1] - begin[x]
                elif row[x] < 0:
                    steps += number
                    number = _narrowed(few, number, owner, begin[x], begin[x + 1])
                elif listed:
                    left, own = 0, row[x]
                    steps += number
                    for at in range(number):
                        person = few[at]
                        few[left] = person
                        word = bits[own, person >> 6] >> np.uint64(person & 63)
                        left += int(word & _ONE)
                    number = left
                elif laid == NONE:
                    number, laid = had[row[x]], row[x]
                else:
                    number, own = 0, row[x]
                    steps += words
                    if laid >= 0:
                        for w in range(words):
                            layer[w] = bits[laid, w] & bits[own, w]
                    else:
                        for w in range(words):
                            layer[w] &= bits[own, w]
                    for w in range(words):
                        number += ones(layer[w])
                    laid = -2
            found[d, j] = min(number, enough)
    return int(draws)
