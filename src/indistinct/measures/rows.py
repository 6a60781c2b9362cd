"""Distinct rows kept: the measure that Arca and Hewett (2021) search by.

A row is a distinct record over all published attributes. The table has to hold, beside the
quasi-identifiers, one unchanged column of everything else that is published.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from indistinct.frozen import dataclass
from indistinct.measures.objective import BoundObjective, Levels, Objective, Outcome, Recoding
from indistinct.microdata.leveled import LeveledTable
from indistinct.types import Floats, Ints


@dataclass(frozen=True, kw_only=True)
class Rows(Objective):
    """Distinct rows of the release; as many as possible."""

    measure: ClassVar[str] = "rows"
    maximized: ClassVar[bool] = True

    def bind(self, data: LeveledTable) -> BoundRows:
        """Distinct rows of one table."""
        return BoundRows(self, data)


class BoundRows(BoundObjective):
    """Distinct rows of one table; keys count those lost. Generalizing never wins one back."""

    width = 1
    inherits_up = True
    needs_classes = True

    def __init__(self, setting: Rows, data: LeveledTable) -> None:
        self._most = data.table.combinations
        self.worst = float(self._most)

    def score(self, outcome: Outcome) -> tuple[Floats, Floats]:
        """Rows that are lost; more general nodes lose what is lost here with nothing suppressed."""
        kept = int((outcome.kept > 0).sum())
        whole = int((outcome.size > 0).sum())
        return np.array([float(self._most - kept)]), np.array([float(self._most - whole)])

    def recoded(self, recoding: Recoding) -> Floats:
        """Rows that a recoding loses; its classes are rows."""
        return np.array([float(self._most - int((recoding.kept > 0).sum()))])

    def lower(self, levels: Levels, least: Ints, inherited: Floats) -> Floats:
        """At least what is inherited."""
        return inherited[:, :1]

    def value(self, key: Floats) -> float | list[float]:
        """The number of rows kept."""
        return float(self._most - key[0])
