"""Bounds go to a node from its direct neighbours, in one direction."""

from __future__ import annotations

import numpy as np
import pytest

from indistinct.kernels.lattice import inherit
from indistinct.recoding.lattice import Lattice


@pytest.mark.parametrize("up", [True, False])
def test_inherit(up: bool) -> None:
    lattice = Lattice(np.array([1, 0, 0]), np.array([2, 3, 1]))
    random = np.random.default_rng(5)
    least = random.integers(0, 100, lattice.size)
    extra = random.random((lattice.size, 2))
    before, costs = least.copy(), extra.copy()
    nodes = lattice.strata(lattice.height)[2]
    inherit(nodes, lattice.levels, lattice.first, lattice.last, lattice.stride, up, least, extra)
    for node in range(lattice.size):
        near = [node]
        if node in nodes:
            step = 1 if up else -1
            for j in range(3):
                other = lattice.levels[node].astype(int)
                other[j] += step
                if lattice.first[j] <= other[j] <= lattice.last[j]:
                    near.append(lattice.node(other))
        assert least[node] == before[near].max()
        assert extra[node].tolist() == costs[near].max(axis=0).tolist()
