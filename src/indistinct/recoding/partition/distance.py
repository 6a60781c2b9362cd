"""What a class costs while it is being made: the cells it would be published with.

Every attribute counts from 0 (one value) to 1 (suppressed): a range its length out of that of all
numbers in the hierarchy, a node of the hierarchy the leaves under it, a set its size, both less one
and out of all leaves. Byun and others (2007) count levels of the hierarchy instead of leaves; it is
leaves that the release is measured by.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy
from indistinct.kernels.clustering import NODE, RANGE, SET, Domains, Growing, Spans
from indistinct.kernels.ragged import pointers
from indistinct.microdata.leveled import LeveledTable
from indistinct.recoding.cells import numbers_in_order, styles_of
from indistinct.recoding.partition.settings import PartitionSettings
from indistinct.types import Bools, Floats, Ints32


class Costs(NamedTuple):
    """What classes cost by the values that their cells cover.

    Arguments:
        domains: what covering the values of each attribute costs.
        places: the place of every value of every combination in ``domains``, [C, m].
    """

    domains: Domains
    places: Ints32


def domains_of(data: LeveledTable, settings: PartitionSettings) -> Costs:
    """What covering values costs, and the place of every value of every combination, [C, m].

    How classes are published (``cells``) decides what they cost, and the ``weights`` how often each
    attribute counts.

    Raises:
        PolicyError: for an unknown style or attribute, or a range of what is no number or date.
    """
    kinds = {"range": RANGE, "set": SET, "ancestor": NODE, "level": NODE}
    kind_of = [kinds[style] for style in styles_of(data, settings.cells)]
    sizes = data.domain
    weights = np.array([settings.weights.get(name, 1.0) for name in data.attributes])
    start = pointers(sizes)
    value = np.full(int(start[-1]), np.nan)
    starred = np.zeros(int(start[-1]), dtype=np.bool_)
    node = np.zeros(int(start[-1]), dtype=np.int32)
    forest = _Forest()
    for j, (name, kind) in enumerate(zip(data.attributes, kind_of, strict=True)):
        taxonomy = data.taxonomies[name]
        own = slice(int(start[j]), int(start[j + 1]))
        starred[own] = [leaf in taxonomy.suppressed for leaf in taxonomy.leaves]
        if kind == RANGE:
            value[own] = _scaled(taxonomy, starred[own]) * weights[j]
        elif kind == NODE:
            node[own] = forest.add(taxonomy, float(weights[j]))
    found = Domains(
        start=start,
        kind=np.array(kind_of, dtype=np.int64),
        full=weights,
        step=weights / np.maximum(sizes - 1, 1),
        value=value,
        starred=starred,
        node=node,
        parent=np.array(forest.parent or [0], dtype=np.int32),
        depth=np.array(forest.depth or [0], dtype=np.int32),
        cost=np.array(forest.cost or [0.0]),
    )
    places = np.empty((data.table.combinations, len(sizes)), dtype=np.int32)
    for j, codes in enumerate(data.table.codes):
        places[:, j] = codes.astype(np.int64) + start[j]
    return Costs(found, places)


def room_to_grow(domains: Domains) -> Growing:
    """Room for a class that grows record by record."""
    number = len(domains.value)
    spans = empty_spans(1, len(domains.kind))
    return Growing(spans, np.zeros(number, dtype=np.bool_), np.zeros(number))


def empty_spans(classes: int, attributes: int) -> Spans:
    """Room for what so many classes cover."""
    shape = (classes, attributes)
    return Spans(
        low=np.full(shape, np.inf),
        high=np.full(shape, -np.inf),
        node=np.full(shape, -1, dtype=np.int32),
        missing=np.zeros(shape, dtype=np.bool_),
        starred=np.zeros(shape, dtype=np.bool_),
        held=np.zeros(shape, dtype=np.int32),
    )


def _scaled(taxonomy: Taxonomy, starred: Bools) -> Floats:
    """The leaves as numbers from 0 to 1, NaN for the missing one and for suppressed ones."""
    numbers = np.full(len(starred), np.nan)
    for number, code in numbers_in_order(taxonomy) or ():
        numbers[code] = number
    known = numbers[~np.isnan(numbers)]
    length = float(known.max() - known.min()) if len(known) else 0.0
    return (
        (numbers - known.min()) / length if length > 0 else np.where(np.isnan(numbers), np.nan, 0)
    )


class _Forest:
    """The nodes of several hierarchies, each under one root."""

    def __init__(self) -> None:
        self.parent: list[int] = []
        self.depth: list[int] = []
        self.cost: list[float] = []

    def add(self, taxonomy: Taxonomy, weight: float) -> list[int]:
        """Take in a hierarchy; returns the node of each of its leaves."""
        root = self._node(-1, 0, weight)
        most = max(len(taxonomy.leaves) - 1, 1)
        numbers: dict[Label, int] = {SUPPRESSED: root}
        found = []
        for leaf, shown in zip(taxonomy.leaves, taxonomy.level(0), strict=True):
            if leaf in taxonomy.suppressed:
                found.append(root)
                continue
            path = [shown, *taxonomy.ancestors(leaf)]
            above = root
            for label in reversed(path):
                if label not in numbers:
                    cost = weight * (taxonomy.leaf_count(label) - 1) / most
                    numbers[label] = self._node(above, self.depth[above] + 1, cost)
                above = numbers[label]
            found.append(above)
        return found

    def _node(self, parent: int, depth: int, cost: float) -> int:
        self.parent.append(max(parent, len(self.parent)) if parent < 0 else parent)
        self.depth.append(depth)
        self.cost.append(cost)
        return len(self.parent) - 1
