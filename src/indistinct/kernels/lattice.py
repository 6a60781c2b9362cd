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
    """Raise the bounds of these nodes to those of their direct neighbours.

    ``up``: neighbours one level more general, else one level more specific. ``least`` [N] is a
    lower bound that never falls from a neighbour to the node, ``extra`` [N, m] likewise (or
    [N, 0]).
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
