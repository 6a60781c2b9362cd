"""Releasing rows node by node: at each node the classes that are large enough, the others go on."""

from __future__ import annotations

import numpy as np

from indistinct.kernels.grouping import Scratch, group
from indistinct.kernels.jit import jit
from indistinct.types import Bools, Ints, Ints32


@jit
def peel(
    nodes: Ints,
    least: int,
    columns: Ints32,
    row_of: Ints,
    card: Ints,
    attributes: Ints,
    rows: Ints32,
    weight: Ints,
    released: Ints,
    scratch: Scratch,
) -> int:
    """Go through nodes and release the classes that are large enough.

    Arguments:
        nodes: levels of each node, [N, m].
        least: units a class has at least.
        columns: codes of all rows of the table, [columns, rows].
        row_of: the column of each attribute at each level, [m, levels].
        card: codes of each attribute at each level, [m, levels].
        attributes: those that tell classes apart.
        rows: the rows that are not released yet; closed up in place.
        weight: units of each of these; closed up in place.
        released: becomes the position in ``nodes`` at which a row was released,
            [rows of the table].
        scratch: room for so many rows.

    Returns:
        How many rows are left.
    """
    left: int = len(rows)
    units = np.int64(0)
    for at in range(left):
        units += weight[at]
    for node in range(len(nodes)):
        if units < least:
            break
        groups = group(
            columns, row_of, card, attributes, nodes[node], rows[:left], weight[:left], scratch
        )
        size = scratch.size[:groups]
        largest = size.max()
        if largest < least:
            continue
        kept = 0
        for at in range(left):
            if size[scratch.class_of[at]] >= least:
                released[rows[at]] = node
                units -= weight[at]
            else:
                rows[kept] = rows[at]
                weight[kept] = weight[at]
                kept += 1
        left = kept
    return left


@jit
def large_throughout(
    nodes: Ints, least: int, columns: Ints32, row_of: Ints, rows: Ints32, weight: Ints, large: Bools
) -> None:
    """Mark the nodes at which no class has fewer than ``least`` units.

    Arguments:
        nodes: levels of each node, [N, m].
        least: units a class has at least.
        columns: codes of all rows of the table, [columns, rows].
        row_of: the column of each attribute at each level, [m, levels].
        rows: the rows that are looked at.
        weight: units of each of these.
        large: becomes whether all classes are large enough, [N].
    """
    for node in range(len(nodes)):
        large[node] = True
        for at in range(len(rows)):
            units = np.int64(0)
            for other in range(len(rows)):
                same = True
                for j in range(nodes.shape[1]):
                    column = columns[row_of[j, nodes[node, j]]]
                    if column[rows[at]] != column[rows[other]]:
                        same = False
                        break
                if same:
                    units += weight[other]
                    if units >= least:
                        break
            if units < least:
                large[node] = False
                break
