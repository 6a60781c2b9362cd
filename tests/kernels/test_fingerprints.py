"""Buckets of people whose sets of values lie under the same nodes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from indistinct.kernels.fingerprints import partition_sets


@pytest.mark.parametrize("leaves", [3, 64, 65, 129])
def test_there_are_as_many_buckets_as_leaves_where_two_people_have_each(leaves: int) -> None:
    """However many: the arrays of buckets begin with room for 64, and grow."""
    nodes = np.arange(leaves + 1, dtype=np.int32)  # the root, and the leaves under it
    under = np.minimum(nodes, 1)
    order = np.random.default_rng(leaves).permutation(2 * leaves).astype(np.int32)
    people = np.arange(2 * leaves + 1, dtype=np.int64)
    item = 1 + np.arange(2 * leaves, dtype=np.int32) // 2
    starts, cut_at, cuts, tally = partition_sets(
        people,
        item,
        np.stack([np.zeros_like(nodes), nodes]),
        under.astype(np.int32),
        np.where(nodes == 0, leaves, nodes).astype(np.int32),
        np.where(nodes == 0, leaves, 1).astype(np.int64),
        2,
        order,
    )
    buckets = {frozenset(order[at : at + 2].tolist()) for at in starts}
    assert buckets == {frozenset((2 * leaf, 2 * leaf + 1)) for leaf in range(leaves)}
    own = [cuts[first:end].tolist() for first, end in itertools.pairwise(cut_at)]
    assert own == [[item[order[at]]] for at in starts]
    assert tally.tolist() == [1, 1]
