"""Loss: how much of its domain a published value covers (Iyengar 2002; the granularity of ARX).

A cell costs leaves under its value / leaves of the domain, a suppressed cell all of it. Per
attribute the sum over records is put on a scale from nothing generalized to everything suppressed:
x = (sum - g n / D) / (n - g n / D).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np

from indistinct.frozen import dataclass
from indistinct.kernels.costs import sum_over_prefixes, sum_over_rows
from indistinct.measures.objective import CellObjective, Objective, Outcome, Recoding
from indistinct.microdata.leveled import LeveledTable
from indistinct.types import Bools, Floats, Ints, Ints32, PlainMapping


@dataclass(frozen=True, kw_only=True)
class Loss(Objective):
    """Share of the domain that published values cover, 0 (untouched) to 1 (suppressed)."""

    measure: ClassVar[str] = "loss"
    default_aggregate: ClassVar[str] = "geometric"
    settings: ClassVar[frozenset[str]] = frozenset({"aggregate", "gs_factor", "weights"})
    reported: ClassVar[Mapping[str, PlainMapping]] = {
        "loss": {},
        "loss-arithmetic": {"aggregate": "arithmetic"},
    }
    place: ClassVar[int] = 10

    def bind(self, data: LeveledTable) -> BoundLoss:
        """Loss over one table."""
        return BoundLoss(self, data)


class BoundLoss(CellObjective):
    """Loss over one table. Sums stay whole numbers of leaves until the last division."""

    counts: ClassVar[Literal["leaves", "records"] | None] = "leaves"

    def __init__(self, setting: Loss, data: LeveledTable) -> None:
        super().__init__(data, setting.over(data.attributes))
        self._g = setting.generalization_factor
        self._s = setting.suppression_factor
        m, most = data.row_of.shape
        self.width = m
        n = data.table.records
        self.base = np.zeros((m, most))
        self.least_extra = np.zeros((m, most))
        self._spread = n - self._g * n / data.domain
        # An attribute of one leaf has nothing to lose.
        self._alive = self._spread > 1e-12
        self._spread[~self._alive] = 1.0
        codes = int(data.card.max()) if data.card.size else 1
        self._leaves = np.zeros((len(data.columns), codes), np.int64)
        for j, (leaves, tallies) in enumerate(zip(data.leaves, data.tallies, strict=True)):
            for level, (under, units) in enumerate(zip(leaves, tallies, strict=True)):
                self._leaves[data.row_of[j, level], : len(under)] = under
                total = int((under * units).sum())
                share = float(under[units > 0].max(initial=0)) / float(data.domain[j])
                self.base[j, level] = self._g * (total - n) / float(data.domain[j])
                self.least_extra[j, level] = self._added(1.0, share)
        self.base *= (self._alive / self._spread)[:, None]
        np.maximum(self.base, 0.0, out=self.base)
        # A bound: rounding must not lift it above what suppression really adds.
        self.least_extra *= (self._alive / self._spread)[:, None] * (1.0 - 1e-12)
        worst = np.where(self._alive, 1.0, 0.0)
        self.worst = float(self.over.keys(worst)[0])
        self._total = np.empty(m, np.int64)

    def extra(self, outcome: Outcome) -> Floats:
        """What suppression adds: 1 - g share (or s of what is left, where s is below 1)."""
        if outcome.suppressed == 0:
            return np.zeros(len(self._spread))
        sum_over_rows(
            self.data.columns,
            self.data.which(outcome.levels),
            self._leaves,
            outcome.rows,
            outcome.units,
            self._total,
        )
        added = self._added(float(outcome.suppressed), self._total / self.data.domain)
        return np.where(self._alive, added / self._spread, 0.0)

    def extras(self, levels: Ints, rows: Ints32, units: Ints, ends: Ints, lost: Ints) -> Floats:
        """What suppression adds, one row after the other, in one pass over them all."""
        total = np.empty((len(ends), len(levels)), np.int64)
        sum_over_prefixes(
            self.data.columns, self.data.which(levels), self._leaves, rows, units, ends, total
        )
        added = self._added(lost[:, None].astype(np.float64), total / self.data.domain)
        return np.where(self._alive & (lost > 0)[:, None], added / self._spread, 0.0)

    def cells(self, attribute: int, recoding: Recoding) -> float:
        """Leaves under every published cell, put on the same scale."""
        data = self.data
        leaves = data.of_cells(data.leaves[attribute], attribute, recoding.levels[:, attribute])
        return self.cost_of(attribute, leaves, recoding.suppressed)

    def cost_of(self, attribute: int, leaves: Ints, suppressed: Bools) -> float:
        """The loss of an attribute.

        Arguments:
            attribute: j.
            leaves: those that the cell of each combination stands for, [C].
            suppressed: which combinations are suppressed, [C].
        """
        if not self._alive[attribute]:
            return 0.0
        data, kept = self.data, ~suppressed
        covered = int((leaves * data.weight)[kept].sum()) / float(data.domain[attribute])
        records = data.table.records
        lost = int(data.weight[~kept].sum())
        untouched = self._g * records / float(data.domain[attribute])
        return float((self._g * covered + lost - untouched) / self._spread[attribute])

    def _added(self, units: Floats | float, share: Floats | float) -> Floats:
        if self._s < 1.0:
            return np.asarray(self._s * (units - share))
        return np.asarray(units - self._g * share)
