"""The hierarchy of items as a tree of numbered nodes.

Nodes are numbered in depth-first order, so that what lies under a node is a run of numbers, and a
cut of the tree, read from left to right, is a rising sequence. A value that is itself the parent of
others (a diagnosis that is recorded as such, with finer ones under it) becomes a leaf of its own
under the node of the same label.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from indistinct.document import many
from indistinct.errors import HierarchyError, PolicyError
from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import Label, Taxonomy
from indistinct.microdata.frequencies import Cells
from indistinct.types import Floats, Ints, Ints32


@dataclass(frozen=True, eq=False)
class ItemTree:
    """A tree of N nodes in depth-first order; node 0 is the root.

    Arguments:
        labels: what each node is published as, [N].
        parent: the parent of each node, -1 for the root, [N].
        last: the last node under each node, itself included, [N].
        leaves: number of leaves under each node, [N].
        node_of: the node of each value of a domain, [D]; always a leaf.
    """

    labels: tuple[Label, ...]
    parent: Ints32
    last: Ints32
    leaves: Ints
    node_of: Ints32

    @classmethod
    def of(cls, taxonomy: Taxonomy, values: Sequence[Label]) -> ItemTree:
        """The tree of a hierarchy, and where values stand in it.

        A missing value that the hierarchy has no place for stands right under the root.

        Arguments:
            taxonomy: the hierarchy; branches may be of unequal length.
            values: the domain of the items, in code order.

        Raises:
            HierarchyError: if the hierarchy has no root, or does not cover a value.
        """
        if None in values:
            taxonomy = taxonomy.extended("value")
        _ = taxonomy.root
        outside = sum(not taxonomy.covers(value) for value in values)
        if outside:
            raise HierarchyError(
                "uncovered-value",
                f"the hierarchy lacks {outside} of the {many(len(values), 'value')} that occur",
                attribute=taxonomy.attribute,
                remedy='add them to the hierarchy, or set uncovered = "suppress"',
            )
        children, ends = _children(taxonomy)
        labels: list[Label] = []
        parents: list[int] = []
        place: dict[Label, int] = {}
        open_nodes: list[tuple[Label, int, bool]] = [(taxonomy.root, -1, False)]
        while open_nodes:
            label, parent, own = open_nodes.pop()
            number = len(labels)
            labels.append(label)
            parents.append(parent)
            if own or label not in children:
                place[label] = number
                continue
            if label in ends:
                open_nodes.append((label, number, True))
            open_nodes += [(child, number, False) for child in reversed(children[label])]
        parent_of = np.array(parents, dtype=np.int32)
        last, leaves = _under(parent_of)
        tops = dict(zip(taxonomy.leaves, (chain[0] for chain in taxonomy.chains), strict=True))
        node_of = np.array([place[tops[value]] for value in values], dtype=np.int32)
        return cls(tuple(labels), parent_of, last, leaves, node_of)

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def from_top(self) -> Ints32:
        """The node above each node at every depth, itself at its own, [depth, N]; -1 below it."""
        depth = self.depth
        found = np.full((int(depth.max()) + 1, len(self)), -1, dtype=np.int32)
        for at in range(len(found)):
            here = np.flatnonzero(depth == at)
            if at:
                found[:at, here] = found[:at, self.parent[here]]
            found[at, here] = here
        return found

    @cached_property
    def depth(self) -> Ints32:
        """Number of nodes above each node, [N]."""
        found = np.zeros(len(self), dtype=np.int32)
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                found[node] = found[parent] + 1
        return found

    @property
    def cost(self) -> Floats:
        """Normalised certainty penalty of each node: its share of all leaves, 0 for a leaf, [N]."""
        found = self.leaves / self.leaves[0]
        found[self.last == np.arange(len(self))] = 0.0
        return np.asarray(found, dtype=np.float64)


def tree_of(name: str, cells: Cells) -> ItemTree:
    """The tree over the values of a sensitive attribute.

    Raises:
        PolicyError: if no hierarchy is known.
        HierarchyError: if it has no root, or does not cover a value.
    """
    if not cells.known.chains:
        raise PolicyError(
            "no-hierarchy",
            "items are generalized in a hierarchy, and none is named",
            attribute=name,
            remedy=f'add attributes."{name}".hierarchy',
        )
    return ItemTree.of(Taxonomy(name, cells.known.chains), cells.domain)


def _children(taxonomy: Taxonomy) -> tuple[dict[Label, list[Label]], set[Label]]:
    """The labels under each label in their order, and those at which a chain begins."""
    children: dict[Label, list[Label]] = {}
    above: dict[Label, Label] = {}
    ends: set[Label] = set()
    for chain in taxonomy.chains:
        ends.add(chain[0])
        for label, parent in pairwise(chain):
            if label == parent:
                continue
            if label in above:
                break
            above[label] = parent
            children.setdefault(parent, []).append(label)
    return children, ends


def _under(parent: Ints32) -> tuple[Ints32, Ints]:
    """The last node under each, and the number of leaves."""
    last = list(range(len(parent)))
    leaves = [0] * len(parent)
    above = parent.tolist()
    for node in range(len(above) - 1, -1, -1):
        if last[node] == node:
            leaves[node] = 1
        if above[node] >= 0:
            last[above[node]] = max(last[above[node]], last[node])
            leaves[above[node]] += leaves[node]
    return np.array(last, dtype=np.int32), np.array(leaves, dtype=np.int64)
