"""Small trees, their nodes numbered depth first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class Tree:
    """A tree by the depth of each node, in order: what follows it and is deeper lies under it."""

    depths: tuple[int, ...]

    @classmethod
    def drawn(cls, random: np.random.Generator, nodes: int) -> Tree:
        """Some tree of at most three levels below the root."""
        depths = [0]
        while len(depths) < nodes:
            depths.append(int(random.integers(1, min(depths[-1] + 1, 3) + 1)))
        return cls(tuple(depths))

    @cached_property
    def parents(self) -> list[int]:
        return [
            max((up for up in range(node) if self.depths[up] < own), default=-1)
            for node, own in enumerate(self.depths)
        ]

    @cached_property
    def under(self) -> list[list[int]]:
        """The leaves under every node; a leaf is under itself."""
        leaves = [node for node in range(len(self.depths)) if node not in self.parents]
        return [
            [leaf for leaf in leaves if node in self.way(leaf)] for node in range(len(self.depths))
        ]

    def way(self, node: int) -> list[int]:
        """The nodes from the root to a node."""
        return [] if node < 0 else [*self.way(self.parents[node]), node]

    @cached_property
    def last(self) -> list[int]:
        """The last node under every node."""
        return [own[-1] for own in self.under]

    @cached_property
    def from_top(self) -> np.ndarray:
        """The node above each node at each depth, the node itself below its own."""
        ways = [self.way(node) for node in range(len(self.depths))]
        return np.array([[way[min(at, len(way) - 1)] for way in ways] for at in range(5)], np.int32)
