"""How wide a class is: the normalised certainty penalty that its cells would have.

A number counts with the share of its column's span between the smallest and the largest in the
class; any other value with the share of the hierarchy's leaves under the lowest node above all of
the class, 0 for a single one. Times the records of the class. Exchanges are chosen by this,
for every style of cells published in the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from indistinct.frozen import dataclass
from indistinct.microdata.leveled import LeveledTable
from indistinct.recoding.cells import places_of
from indistinct.types import Floats, Ints, Ints32


@dataclass(frozen=True)
class Widths:
    """The arrays by which the width of a class is found.

    The least and the largest ``key`` [m, n] of a class decide in every attribute: numbers in rising
    order, leaves in the order of the hierarchy. From ``base[j]`` on, ``width`` has by key where a
    number lies in its span (``levels[j]`` is 0), or by level and key the share of the leaves under
    ``node``.
    """

    key: Ints32
    levels: Ints
    domain: Ints
    base: Ints
    node: Ints32
    width: Floats
    weight: Floats

    @classmethod
    def of(cls, data: LeveledTable, weights: Mapping[str, float] | None = None) -> Widths:
        """The widths over the quasi-identifiers of a table with a row for every record."""
        keys, levels, domains, nodes, widths = [], [], [], [], []
        for j, name in enumerate(data.attributes):
            codes = data.table.codes[j].astype(np.int64)
            compiled = data.compiled[j]
            size = compiled.code.shape[1]
            numbers = None if name in data.unchanged else places_of(data.taxonomies[name])
            if numbers is not None:
                of_code = np.array(numbers)
                order = np.argsort(of_code, kind="stable")  # NaN, the missing value, last
                rank = np.empty(size, dtype=np.int32)
                rank[order] = np.arange(size, dtype=np.int32)
                low, high = np.nanmin(of_code), np.nanmax(of_code)
                place = (of_code[order] - low) / (high - low or 1.0)
                levels.append(0)
                nodes.append(np.zeros(size, dtype=np.int32))
                widths.append(np.nan_to_num(place, nan=1.0))
            else:
                rank = compiled.order.astype(np.int32)
                order = np.empty(size, dtype=np.int64)
                order[rank] = np.arange(size)
                leaves = compiled.leaves[:, order]
                levels.append(len(compiled.card))
                nodes.append(compiled.code[:, order].astype(np.int32).ravel())
                widths.append(np.where(leaves <= 1, 0.0, leaves / size).ravel())
            keys.append(rank[codes])
            domains.append(size)
        return cls(
            key=np.ascontiguousarray(keys, dtype=np.int32).reshape(len(keys), -1),
            levels=np.array(levels, dtype=np.int64),
            domain=np.array(domains, dtype=np.int64),
            base=np.cumsum([0, *map(len, widths)])[: len(widths)].astype(np.int64),
            node=np.concatenate([*nodes, np.zeros(0, np.int32)]),
            width=np.concatenate([*widths, np.zeros(0)]),
            weight=np.array([(weights or {}).get(name, 1.0) for name in data.attributes], float),
        )

    def __call__(self, records: Sequence[int]) -> float:
        """How wide a class of these records is."""
        total = 0.0
        for j in range(len(self.key)):
            keys = [int(self.key[j, record]) for record in records]
            total += float(self.weight[j]) * self._span(j, min(keys), max(keys))
        return total * len(records)

    def _span(self, j: int, low: int, high: int) -> float:
        base, size = int(self.base[j]), int(self.domain[j])
        if self.levels[j] == 0:
            return float(self.width[base + high]) - float(self.width[base + low])
        for level in range(int(self.levels[j])):
            at = base + level * size
            if self.node[at + low] == self.node[at + high]:
                return float(self.width[at + low])
        return 1.0
