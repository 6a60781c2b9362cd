"""A tree of cuts, walked from the top by what a record has; and what cuts would make of parts.

A node that was cut says in which attribute, and where its children begin. A run of values goes to
the first of two children; of other cuts it is written down where each value goes.
"""

from __future__ import annotations

from indistinct.kernels import NONE
from indistinct.kernels.jit import jit
from indistinct.types import Array, Ints, Ints32

ATTRIBUTE, FIRST, LOW, HIGH, AT = 0, 1, 2, 3, 4
FIELDS = 5
"""Of a node: the attribute in which it is cut (-1: not at all), its first child, the first and the
last value of a run, or of those that are written down; and where these are (-1: it is a run)."""


@jit
def _child(node: Ints, side: Ints32, own: int) -> int:
    """Where a value goes from a node; -1 where no record of the node had it."""
    if node[AT] < 0:
        return int(node[FIRST]) + (0 if node[LOW] <= own <= node[HIGH] else 1)
    if own < node[LOW] or own > node[HIGH]:
        return -1
    to = side[node[AT] + own - node[LOW]]
    return -1 if to < 0 else int(node[FIRST]) + to


@jit
def leaves_of(rank: Array, node: Ints, side: Ints32, found: Ints32) -> None:
    """The node, not cut further, in which each row ends.

    Arguments:
        rank: the place of each row's values, negative for one that fits nowhere, [n, m].
        node: the tree, [nodes, FIELDS].
        side: where values go.
        found: becomes the nodes, -1 where a row fits none, [n].
    """
    for row in range(len(rank)):
        at = 0
        while at >= 0 and node[at, ATTRIBUTE] >= 0:
            own = int(rank[row, node[at, ATTRIBUTE]])
            at = NONE if own < 0 else _child(node[at], side, own)
        found[row] = at


@jit
def weigh_tried(
    rank: Array,
    value: Array,
    weight: Ints,
    of: Ints32,
    tried: Ints,
    starts: Ints,
    side: Ints32,
    begin: Ints,
    found: Ints,
) -> None:
    """Add what the children of cuts that are tried of parts would hold.

    Arguments:
        rank: the place of each row's values, [n, m].
        value: its sensitive values, [n, s].
        weight: its units, [n].
        of: the part of each row, [n]; -1: none of these.
        tried: the cuts as nodes whose children are numbered on, [t, FIELDS].
        starts: the first cut of each part, and the end.
        side: where values go.
        begin: where the values of each attribute, quasi-identifying or sensitive, begin [m + s].
        found: by child the units of each value, and how many rows there are last, [children, V].
    """
    attributes, sensitive = rank.shape[1], value.shape[1]
    last = found.shape[1] - 1
    for row in range(len(rank)):
        part = of[row]
        if part < 0:
            continue
        units = weight[row]
        for which in range(starts[part], starts[part + 1]):
            to = _child(tried[which], side, int(rank[row, tried[which, ATTRIBUTE]]))
            if to < 0:
                continue
            for j in range(attributes):
                found[to, begin[j] + rank[row, j]] += units
            for s in range(sensitive):
                found[to, begin[attributes + s] + value[row, s]] += units
            found[to, last] += 1
