"""KL divergence: what readers believe of records against how they are (Kifer and Gehrke 2006).

A reader takes each record of a class to be any combination of leaves under its cells, all equally
likely. With s_E records in the class of x and a_E combinations under its cells, q(x) = s_E / (n
a_E); the divergence is the sum of p(x) log2(p(x) / q(x)) over the combinations of the table, in
bits. Suppressed records are one class that may be anything. Where cells overlap, what other classes
add to q is left out: the figure is at most too large. ``compare`` leaves nothing out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from indistinct.frozen import dataclass
from indistinct.measures.objective import BoundObjective, Levels, Objective, Outcome, Recoding
from indistinct.microdata.encoding import count_combinations
from indistinct.microdata.leveled import LeveledTable
from indistinct.types import Bools, Floats, Ints


@dataclass(frozen=True, kw_only=True)
class KLDivergence(Objective):
    """Kullback-Leibler divergence of what is published from the table, in bits."""

    measure: ClassVar[str] = "kl-divergence"

    def bind(self, data: LeveledTable) -> BoundKLDivergence:
        """The divergence over one table."""
        return BoundKLDivergence(self, data)


class BoundKLDivergence(BoundObjective):
    """The divergence over one table.

    With nothing suppressed it never falls as nodes become more general, where the cells of a level
    share no leaf; and no records that are left out make it smaller (log-sum inequality).
    """

    width = 1
    inherits_up = True
    needs_classes = True
    counts: ClassVar[Literal["leaves", "records"] | None] = "leaves"

    def __init__(self, setting: KLDivergence, data: LeveledTable) -> None:
        self._data = data
        self._n = max(data.table.records, 1)
        self._attribute = np.arange(len(data.attributes), dtype=np.int64)
        # A table may have a combination for each record.
        codes, most = data.table.codes, data.domain.tolist()
        self._source = _n_log_n(count_combinations(list(codes), most, data.weight)[1])
        self._most = float(np.log2(data.domain.astype(np.float64)).sum())
        self.worst = max(self._source / self._n - np.log2(self._n) + self._most, 0.0)
        self._base = np.zeros(data.row_of.shape)
        self._overlaps = np.zeros(data.row_of.shape, dtype=np.bool_)
        for j, (leaves, tallies) in enumerate(zip(data.leaves, data.tallies, strict=True)):
            for level, (under, units) in enumerate(zip(leaves, tallies, strict=True)):
                self._base[j, level] = float((np.log2(np.maximum(under, 1)) * units).sum())
                self._overlaps[j, level] = under.sum() > data.domain[j]

    def score(self, outcome: Outcome) -> tuple[Floats, Floats]:
        """The node's own divergence; others inherit that with nothing suppressed."""
        base = float(self._base[self._attribute, outcome.levels].sum())
        whole = self._bits(base, outcome.size, 0)
        gone = 0.0
        for j, level in enumerate(outcome.levels.tolist()):
            code = self._data.columns[self._data.row_of[j, level]][outcome.rows]
            gone += float((np.log2(self._data.leaves[j][level][code]) * outcome.units).sum())
        kept = self._bits(base - gone, outcome.kept, outcome.suppressed)
        inherited = 0.0 if self._overlaps[self._attribute, outcome.levels].any() else whole
        return np.array([kept]), np.array([inherited])

    def recoded(self, recoding: Recoding) -> Floats:
        """The divergence of a recoding whose combinations may be at different levels."""
        data = self._data
        leaves = [
            data.of_cells(data.leaves[j], j, recoding.levels[:, j])
            for j in range(len(self._attribute))
        ]
        return self.of_cells(leaves, recoding.suppressed, recoding.kept)

    def of_cells(self, amounts: Sequence[Ints], suppressed: Bools, sizes: Ints) -> Floats:
        """The divergence where the cells of each combination stand for so many leaves."""
        weight = np.where(suppressed, 0, self._data.weight)
        base = sum(float((np.log2(np.maximum(one, 1)) * weight).sum()) for one in amounts)
        lost = int(self._data.weight.sum() - weight.sum())
        return np.array([self._bits(base, sizes, lost)])

    def lower(self, levels: Levels, least: Ints, inherited: Floats) -> Floats:
        """What is inherited, and what it would be if all records were in one class."""
        base = self._base[np.arange(levels.shape[1]), levels].sum(axis=1)
        one_class = (self._source + base) / self._n - np.log2(self._n)
        # A bound: rounding must not lift it above the divergence of any node.
        floor: Floats = np.maximum(inherited[:, 0], one_class) * (1.0 - 1e-9) - 1e-9
        return np.maximum(floor, 0.0)[:, None]

    def _bits(self, base: float, sizes: Ints, suppressed: int) -> float:
        """Bits per record: ``base`` is the sum of the logarithms of what cells stand for."""
        apart = _n_log_n(sizes) + _n_log_n(np.array([suppressed]))
        return max((self._source + base + suppressed * self._most - apart) / self._n, 0.0)


def _n_log_n(sizes: Ints) -> float:
    """Sum of s log2 s over positive sizes."""
    size = sizes[sizes > 0].astype(np.float64)
    return float((size * np.log2(size)).sum())
