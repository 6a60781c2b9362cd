"""Sums over pairs: a combination of exact values, and a class that it may be published in.

There are far more pairs than ways to publish a value of one attribute, so what depends on value and
cell alone is added up, or looked up, by these.
"""

from __future__ import annotations

from indistinct.kernels.jit import jit
from indistinct.types import Floats, Ints32


@jit
def add_up(
    value: Ints32, cell: Ints32, combination: Ints32, group: Ints32, records: Floats, found: Floats
) -> None:
    """How many records of each value each cell has: added to ``found`` [D, L].

    Arguments:
        value: the value of every combination, [C].
        cell: the cell of every class, [G].
        combination: that of every pair, [P].
        group: the class of every pair, [P].
        records: how many records each pair has, [P].
        found: what is added to.
    """
    for at in range(len(combination)):
        found[value[combination[at]], cell[group[at]]] += records[at]


@jit
def look_up(
    value: Ints32, cell: Ints32, combination: Ints32, group: Ints32, table: Floats, found: Floats
) -> None:
    """What a table has for each pair's value and cell.

    Arguments:
        value: the value of every combination, [C].
        cell: the cell of every class, [G].
        combination: that of every pair, [P].
        group: the class of every pair, [P].
        table: what there is for each value and cell, [D, L].
        found: what is added to, [P].
    """
    for at in range(len(combination)):
        found[at] += table[value[combination[at]], cell[group[at]]]
