"""The node of the lattice at which a release was made, read off its cells.

A full-domain release publishes every value of an attribute at one level of its hierarchy. Which
levels these are is told by the labels; whether it is such a release at all, by comparing the
classes with the people who would be in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import polars as pl

from indistinct.analytics.attacks.places import Places
from indistinct.analytics.weighted import AT_ONCE
from indistinct.frozen import dataclass
from indistinct.microdata.encoding import numbers_of_combinations
from indistinct.types import Ints32

Levels = tuple[int, ...]

NODES_TRIED = 64
"""Nodes that are compared with the classes, where labels belong to several levels."""


@dataclass(frozen=True)
class Node:
    """A full-domain release: its levels, and the published class of every combination.

    Arguments:
        places: people and release.
        levels: the level of each quasi-identifier.
        leaf: the leaf codes of every combination of exact values, [C, J].
        class_of: the published class of every combination, -1 for those left out, [C].
    """

    places: Places
    levels: Levels
    leaf: Ints32
    class_of: Ints32

    def grouped(self, levels: Sequence[int], on: Sequence[int]) -> Ints32:
        """The class of every combination at a node, over some attributes, [C]."""
        codes, cards = [], []
        for j in on:
            table = self.places.taxonomies[self.places.quasi[j]].compile()
            codes.append(table.code[levels[j]][self.leaf[:, j]].astype(np.int32))
            cards.append(int(table.card[levels[j]]))
        return numbers_of_combinations(codes, cards, np.ones(len(self.leaf), np.int64))

    def loss(self, attribute: int, level: int) -> int:
        """Leaves under the cells that the published people have in an attribute at a level."""
        table = self.places.taxonomies[self.places.quasi[attribute]].compile()
        shown = self.class_of >= 0
        under = table.leaves[level][self.leaf[shown, attribute]]
        return int((under * self.places.weight[shown]).sum())

    def below(self, levels: Levels) -> Iterator[Levels]:
        """The nodes right below one."""
        for j, level in enumerate(levels):
            if level > 0:
                yield (*levels[:j], level - 1, *levels[j + 1 :])


def node_of(places: Places) -> Node | None:
    """The node at which a release was made, None where it is no full-domain release of the people.

    Of several nodes that publish the same, the lowest.
    """
    ordinary = places.classes.ordinary
    if not ordinary.any():
        return None
    leaf = np.stack([places.codes[places.known.index(name)] for name in places.quasi], axis=1)
    if (leaf < 0).any():
        return None
    possible = []
    for name in places.quasi:
        taxonomy = places.taxonomies[name]
        cells = set(places.classes.cells[name].filter(ordinary).to_list())
        possible.append([l for l in range(taxonomy.levels) if cells <= set(taxonomy.level(l))])  # noqa: E741
    for tried, levels in enumerate(sorted(product(*possible), key=lambda own: (sum(own), own))):
        if tried == NODES_TRIED:
            break
        class_of = _classes(places, leaf, levels)
        if class_of is not None:
            return Node(places, levels, leaf, class_of)
    return None


def _classes(places: Places, leaf: Ints32, levels: Levels) -> Ints32 | None:
    """The class of every combination at a node, -1 for none; None if classes have other sizes."""
    ordinary, number = places.classes.ordinary, len(places.classes)
    classes = places.classes.cells.with_columns(pl.Series("\0class", range(number)))
    classes = classes.filter(ordinary)
    held, size = np.zeros(number), np.where(ordinary, places.classes.size, 0)
    left = int(places.weight.sum())
    found = np.empty(len(leaf), np.int32)
    for first in range(0, len(leaf), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        labels = []
        for j, (name, level) in enumerate(zip(places.quasi, levels, strict=True)):
            table = places.taxonomies[name].compile()
            own = pl.Series(name, table.labels[level], pl.String)
            labels.append(own[table.code[level][leaf[some, j]].astype(np.int64)])
        joined = pl.DataFrame(labels).join(
            classes, on=list(places.quasi), how="left", nulls_equal=True, maintain_order="left"
        )
        own_class = joined["\0class"].fill_null(-1).cast(pl.Int32).to_numpy()
        weight, there = places.weight[some], own_class >= 0
        held += np.bincount(own_class[there], weight[there], minlength=number)
        left -= int(weight.sum())
        if (held > size).any() or held.sum() + left < size.sum():
            return None
        found[some] = own_class
    return found if (held == size).all() else None
