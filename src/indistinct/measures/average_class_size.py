"""Average class size (LeFevre and others 2006); suppressed records count as one more class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from indistinct.frozen import dataclass
from indistinct.measures.objective import BoundObjective, Levels, Objective, Outcome, Recoding
from indistinct.microdata.leveled import LeveledTable
from indistinct.types import Floats, Ints, PlainMapping


@dataclass(frozen=True, kw_only=True)
class AverageClassSize(Objective):
    """n / (kept classes, and one more if anything is suppressed)."""

    measure: ClassVar[str] = "average-class-size"
    reported: ClassVar[Mapping[str, PlainMapping]] = {"average-class-size": {}}
    place: ClassVar[int] = 50

    def bind(self, data: LeveledTable) -> BoundAverageClassSize:
        """Average class size over one table."""
        return BoundAverageClassSize(self, data)


class BoundAverageClassSize(BoundObjective):
    """Average class size over one table. The number of classes never rises as nodes generalize."""

    width = 1
    inherits_up = True
    needs_classes = True

    def __init__(self, setting: AverageClassSize, data: LeveledTable) -> None:
        self._n = data.table.records
        self._card = data.card
        self.worst = float(self._n)

    def score(self, outcome: Outcome) -> tuple[Floats, Floats]:
        """Records over classes; others inherit the least it can be, with all classes kept."""
        classes = int((outcome.kept > 0).sum()) + (outcome.suppressed > 0)
        whole = int((outcome.size > 0).sum())
        return np.array([self._n / max(classes, 1)]), np.array([self._n / max(whole, 1)])

    def recoded(self, recoding: Recoding) -> Floats:
        """Records over published classes, the suppressed ones taken as one more."""
        classes = len(recoding.kept) + (int(recoding.kept.sum()) < self._n)
        return np.array([self._n / max(classes, 1)])

    def lower(self, levels: Levels, least: Ints, inherited: Floats) -> Floats:
        """At most as many classes as specific nodes have, and as the levels have combinations."""
        cards = self._card[np.arange(levels.shape[1]), levels].astype(np.float64)
        floor: Floats = np.maximum(inherited[:, 0], self._n / cards.prod(axis=1))
        return floor[:, None]
