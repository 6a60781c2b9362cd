"""The measure: the records of the largest class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from indistinct.measures.objective import BoundObjective, Levels, Objective, Outcome, Recoding
from indistinct.microdata.leveled import LeveledTable
from indistinct.types import Floats, PlainMapping


@dataclass(frozen=True, kw_only=True)
class LargestClass(Objective):
    """Records of the largest class, the suppressed ones taken as a class of their own."""

    measure: ClassVar[str] = "largest-class"
    reported: ClassVar[Mapping[str, PlainMapping]] = {"largest-class": {}}

    def bind(self, data: LeveledTable) -> BoundLargestClass:
        """The largest class of one table."""
        return BoundLargestClass(data.table.records)


class BoundLargestClass(BoundObjective):
    """The largest class of one table."""

    needs_classes = True

    def __init__(self, records: int) -> None:
        self._records = records
        self.worst = float(records)

    def score(self, outcome: Outcome) -> tuple[Floats, Floats]:
        """The largest of what is kept and what is suppressed; nodes inherit nothing."""
        largest = max(int(outcome.kept.max(initial=0)), outcome.suppressed)
        return np.array([float(largest)]), np.zeros(0)

    def recoded(self, recoding: Recoding) -> Floats:
        """The same of a recoding at several nodes."""
        suppressed = self._records - int(recoding.kept.sum())
        return np.array([float(max(int(recoding.kept.max(initial=0)), suppressed))])

    def lower(self, levels: Levels, least: NDArray[np.int64], inherited: Floats) -> Floats:
        """No class is smaller than what is suppressed at least."""
        del levels, inherited
        return least[:, None].astype(np.float64)
