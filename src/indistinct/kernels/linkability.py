"""How far people are from published classes, and which of these are nearest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels.jit import jit

_SLACK = 1e-12


@jit
def gap(
    leaf: int,
    number: float,
    cell: int,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    everything: NDArray[np.bool_],
    leaf_ptr: NDArray[np.int64],
    leaves: NDArray[np.int32],
    number_ptr: NDArray[np.int64],
    numbers: NDArray[np.float64],
    span: float,
) -> float:
    """How far a value is from a cell: 0 inside; of numbers the gap over ``span``; else 1."""
    if everything[cell]:
        return 0.0
    if not np.isnan(low[cell]):
        if np.isnan(number):
            return 1.0
        away = float(max(low[cell] - number, number - high[cell]))
        if away <= 0.0:
            return 0.0
        return away / span if span > 0.0 else 1.0
    first, last = leaf_ptr[cell], leaf_ptr[cell + 1]
    at = first + np.searchsorted(leaves[first:last], leaf)
    if at < last and leaves[at] == leaf:
        return 0.0
    first, last = number_ptr[cell], number_ptr[cell + 1]
    if np.isnan(number) or first == last or not span > 0.0:
        return 1.0
    at = first + np.searchsorted(numbers[first:last], number)
    away = np.inf
    if at < last:
        away = numbers[at] - number
    if at > first:
        away = min(away, number - numbers[at - 1])
    return away / span


@jit
def linked_by_distance(
    codes: NDArray[np.int32],
    exact: NDArray[np.float64],
    own: NDArray[np.int32],
    cells: NDArray[np.int64],
    size: NDArray[np.int64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    everything: NDArray[np.bool_],
    leaf_ptr: NDArray[np.int64],
    leaves: NDArray[np.int32],
    number_ptr: NDArray[np.int64],
    numbers: NDArray[np.float64],
    span: NDArray[np.float64],
    found: NDArray[np.float64],
) -> None:
    """The probability that each person is linked, where the own class is known.

    Person i, with leaves ``codes[i]`` and numbers ``exact[i]`` (NaN where a value is none), is
    published in class ``own[i]``, -1 for none. ``cells[g, j]`` is the place of a class's cell in
    the arrays of all attributes' cells. ``found[i]`` becomes 0 where another class is nearer, else
    one over the size of the own class and over the number of classes that are as near.
    """
    people, width = codes.shape
    for i in range(people):
        g = own[i]
        if g < 0:
            found[i] = 0.0
            continue
        mine = 0.0
        for j in range(width):
            mine += gap(
                codes[i, j], exact[i, j], cells[g, j], low, high, everything, leaf_ptr, leaves,
                number_ptr, numbers, span[j],
            )  # fmt: skip
        as_near = 0
        nearer = False
        for other in range(cells.shape[0]):
            total = 0.0
            for j in range(width):
                total += gap(
                    codes[i, j], exact[i, j], cells[other, j], low, high, everything, leaf_ptr,
                    leaves, number_ptr, numbers, span[j],
                )  # fmt: skip
                if total > mine + _SLACK:
                    break
            if total < mine - _SLACK:
                nearer = True
                break
            if total <= mine + _SLACK:
                as_near += 1
        found[i] = 0.0 if nearer else 1.0 / (as_near * size[g])
