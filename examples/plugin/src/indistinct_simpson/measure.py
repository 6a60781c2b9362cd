"""The measure: the records of the largest class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from indistinct.errors import PolicyError
from indistinct.measures.objective import BoundObjective, Levels, Objective, Outcome, Recoding
from indistinct.microdata.leveled import LeveledTable
from indistinct.types import Floats, PlainMapping


@dataclass(frozen=True, kw_only=True)
class LargestClass(Objective):
    """Records of the largest class, the suppressed ones taken as a class of their own.

    Its fields are settings, each with a default: ``objective = { measure = "largest-class",
    tolerated = 100 }``.

    Arguments:
        tolerated: so many records of a class cost nothing.
    """

    measure: ClassVar[str] = "largest-class"
    reported: ClassVar[Mapping[str, PlainMapping]] = {"largest-class": {}}

    tolerated: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tolerated < 0:
            raise PolicyError("bad-value", f"tolerated must be 0 or more, not {self.tolerated}")

    def bind(self, data: LeveledTable) -> BoundLargestClass:
        """The largest class of one table."""
        return BoundLargestClass(data.table.records, self.tolerated)


class BoundLargestClass(BoundObjective):
    """The largest class of one table."""

    needs_classes = True

    def __init__(self, records: int, tolerated: int) -> None:
        self._records, self._tolerated = records, tolerated
        self.worst = float(max(records - tolerated, 0))

    def score(self, outcome: Outcome) -> tuple[Floats, Floats]:
        """The largest of what is kept and what is suppressed; nodes inherit nothing."""
        return self._cost(outcome.kept, outcome.suppressed), np.zeros(0)

    def recoded(self, recoding: Recoding) -> Floats:
        """The same of a recoding at several nodes."""
        suppressed = self._records - int(recoding.kept.sum())
        return self._cost(recoding.kept, suppressed)

    def lower(self, levels: Levels, least: NDArray[np.int64], inherited: Floats) -> Floats:
        """No class is smaller than what is suppressed at least."""
        del levels, inherited
        return np.maximum(least[:, None].astype(np.float64) - self._tolerated, 0.0)

    def _cost(self, kept: NDArray[np.int64], suppressed: int) -> Floats:
        largest = max(int(kept.max(initial=0)), suppressed)
        return np.array([float(max(largest - self._tolerated, 0))])
