"""Precision: how far up their hierarchies the cells are (Sweeney 2002; generalization intensity).

A cell costs level / height, a suppressed cell 1; per attribute the mean over records.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from indistinct.frozen import dataclass
from indistinct.measures.objective import CellObjective, Objective, Outcome, Recoding
from indistinct.microdata.leveled import LeveledTable
from indistinct.types import Floats, PlainMapping


@dataclass(frozen=True, kw_only=True)
class Precision(Objective):
    """Mean level / height of the published cells, 0 (untouched) to 1 (suppressed)."""

    measure: ClassVar[str] = "precision"
    default_aggregate: ClassVar[str] = "arithmetic"
    settings: ClassVar[frozenset[str]] = frozenset(
        {"aggregate", "gs_factor", "weights", "monotonic"}
    )
    reported: ClassVar[Mapping[str, PlainMapping]] = {"precision": {}}
    place: ClassVar[int] = 20

    def bind(self, data: LeveledTable) -> BoundPrecision:
        """Precision over one table."""
        return BoundPrecision(self, data)


class BoundPrecision(CellObjective):
    """Precision over one table. What suppression adds depends on the number of records alone."""

    def __init__(self, setting: Precision, data: LeveledTable) -> None:
        super().__init__(data, setting.over(data.attributes))
        g, s = setting.generalization_factor, setting.suppression_factor
        level = np.arange(data.row_of.shape[1])[None, :]
        share = np.minimum(level / np.maximum(data.heights, 1)[:, None], 1.0)
        share[data.heights == 0] = 0.0
        self.base = g * share
        per_unit = s * (1.0 - share) if s < 1.0 else 1.0 - g * share
        self.least_extra = per_unit * 0.0 if setting.monotonic else per_unit / data.table.records
        self.worst = float(self.over.keys(np.ones(len(data.attributes)))[0])

    def cells(self, attribute: int, recoding: Recoding) -> float:
        """Mean level / height of the published cells, suppressed ones at 1."""
        weight = self.data.weight
        cost = self.base[attribute, recoding.levels[:, attribute]]
        cost = np.where(recoding.suppressed, 1.0, cost)
        return float((cost * weight).sum() / weight.sum())

    def extra(self, outcome: Outcome) -> Floats:
        """What is left of 1, for every suppressed record."""
        return outcome.suppressed * self.least_extra[self._attribute, outcome.levels]
