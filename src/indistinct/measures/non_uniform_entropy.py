"""Non-uniform entropy: bits lost about the original values (Gionis and Tassa 2009; ARX).

A cell costs -log2(records with the original value / records with the generalized one). Suppressed
records add, per attribute, the bits of their own generalized values: the sum over them of
-log2(share of that value among the suppressed).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np

from indistinct.frozen import dataclass
from indistinct.kernels.costs import entropy_over_rows
from indistinct.measures.objective import CellObjective, Objective, Outcome, Recoding
from indistinct.microdata.leveled import LeveledTable
from indistinct.types import Bools, Floats, Ints, PlainMapping


@dataclass(frozen=True, kw_only=True)
class NonUniformEntropy(Objective):
    """Bits lost, summed over records and attributes; ``monotonic`` leaves suppression out."""

    measure: ClassVar[str] = "non-uniform-entropy"
    settings: ClassVar[frozenset[str]] = frozenset({"aggregate", "weights", "monotonic"})
    reported: ClassVar[Mapping[str, PlainMapping]] = {"non-uniform-entropy": {}}
    place: ClassVar[int] = 30

    def bind(self, data: LeveledTable) -> BoundEntropy:
        """Non-uniform entropy over one table."""
        return BoundEntropy(self, data)


class BoundEntropy(CellObjective):
    """Non-uniform entropy over one table.

    What suppression adds never falls as nodes become more specific: more records are suppressed,
    their values are finer, and size times entropy is superadditive.
    """

    counts: ClassVar[Literal["leaves", "records"] | None] = "records"

    def __init__(self, setting: NonUniformEntropy, data: LeveledTable) -> None:
        super().__init__(data, setting.over(data.attributes))
        self._counts_suppression = not setting.monotonic
        m, most = data.row_of.shape
        self.width = m if self._counts_suppression else 0
        self.base = np.zeros((m, most))
        self.least_extra = np.zeros((m, most))
        top = np.zeros(m)
        for j, tallies in enumerate(data.tallies):
            exact = data.units(j)
            raw = _bits(exact)
            for level, units in enumerate(tallies):
                self.base[j, level] = max(_bits(units) - raw, 0.0)
            top[j] = max(_bits(exact.sum(keepdims=True)) - raw, 0.0)
        self.worst = float(self.over.keys(top)[0])
        self._tally = np.empty(int(data.card.max()) if data.card.size else 1, np.int64)
        self._bits = np.empty(m)

    def cells(self, attribute: int, recoding: Recoding) -> float:
        """Sum over cells of log2(records under the published value / with the original one)."""
        data = self.data
        under = data.of_cells(data.tallies[attribute], attribute, recoding.levels[:, attribute])
        return self.cost_of(attribute, under, recoding.suppressed)

    def cost_of(self, attribute: int, under: Ints, suppressed: Bools) -> float:
        """Bits lost in an attribute.

        Arguments:
            attribute: j.
            under: the records that the cell of each combination covers, [C].
            suppressed: which combinations are suppressed, [C].
        """
        data = self.data
        own = data.units(attribute)[data.table.codes[attribute]]
        under = np.where(suppressed, data.table.records, under)
        # What only a population has weighs nothing, and may have nobody under its value.
        bits = np.log2(np.maximum(under, 1) / np.maximum(own, 1))
        return float((data.weight * bits).sum())

    def extra(self, outcome: Outcome) -> Floats:
        """Size times entropy of the suppressed records' generalized values."""
        if outcome.suppressed == 0 or not self._counts_suppression:
            return np.zeros(len(self._attribute))
        entropy_over_rows(
            self.data.columns,
            self.data.which(outcome.levels),
            self.data.card[self._attribute, outcome.levels],
            outcome.rows,
            outcome.units,
            self._tally,
            self._bits,
        )
        return self._bits.copy()


def _bits(units: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> float:
    """Sum of c log2 c over positive counts."""
    positive = units[units > 0].astype(np.float64)
    return float((positive * np.log2(positive)).sum())
