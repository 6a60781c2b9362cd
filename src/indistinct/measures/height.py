"""Height: the sum of the levels (Samarati 2001). It does not look at the data at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from indistinct.frozen import dataclass
from indistinct.measures.objective import CellObjective, Objective, Outcome, Recoding
from indistinct.microdata.leveled import LeveledTable
from indistinct.types import Floats, PlainMapping


@dataclass(frozen=True, kw_only=True)
class Height(Objective):
    """Sum of the generalization levels; suppression costs nothing."""

    measure: ClassVar[str] = "height"
    settings: ClassVar[frozenset[str]] = frozenset({"aggregate", "weights"})
    reported: ClassVar[Mapping[str, PlainMapping]] = {"height": {}}
    place: ClassVar[int] = 60

    def bind(self, data: LeveledTable) -> BoundHeight:
        """Height over one table."""
        return BoundHeight(self, data)


class BoundHeight(CellObjective):
    """Height over one table."""

    def __init__(self, setting: Height, data: LeveledTable) -> None:
        super().__init__(data, setting.over(data.attributes))
        m, most = data.row_of.shape
        self.base = np.tile(np.arange(most, dtype=np.float64), (m, 1))
        self.least_extra = np.zeros((m, most))
        self.worst = float(self.over.keys(data.heights.astype(np.float64))[0])

    def cells(self, attribute: int, recoding: Recoding) -> float:
        """Mean level, suppressed cells at the top."""
        weight = self.data.weight
        top = int(self.data.heights[attribute])
        level = np.where(recoding.suppressed, top, recoding.levels[:, attribute])
        return float((level * weight).sum() / weight.sum())

    def extra(self, outcome: Outcome) -> Floats:
        """Nothing."""
        return np.zeros(len(self._attribute))
