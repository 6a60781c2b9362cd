"""Bounds that a node of a generalization lattice inherits from its neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels.jit import jit
from indistinct.types import Floats, Ints


@jit
def inherit(
    nodes: Ints,
    levels: NDArray[np.int16],
    first: Ints,
    last: Ints,
    stride: Ints,
    up: bool,
    least: Ints,
    extra: Floats,
) -> None:
    """Raise the bounds of some nodes to those of their direct neighbours.

    Arguments:
        nodes: the nodes whose bounds are raised.
        levels: levels of every node, [N, m].
        first: the lowest level of each attribute, [m].
        last: the highest level of each attribute, [m].
        stride: how far apart nodes are that differ by one level of an attribute, [m].
        up: whether neighbours are one level more general, or else one more specific.
        least: a lower bound that never falls from a neighbour to the node, [N]; raised.
        extra: more such bounds, [N, bounds], of which there may be none; raised.
    """
    attributes = len(stride)
    width = extra.shape[1]
    for node in nodes:
        for j in range(attributes):
            if up:
                if levels[node, j] >= last[j]:
                    continue
                other = node + stride[j]
            else:
                if levels[node, j] <= first[j]:
                    continue
                other = node - stride[j]
            least[node] = max(least[node], least[other])
            for column in range(width):
                extra[node, column] = max(extra[node, column], extra[other, column])
