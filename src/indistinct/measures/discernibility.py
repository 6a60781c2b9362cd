"""Discernibility: every record costs the size of its class (Bayardo and Agrawal 2005).

The sum of squared class sizes over kept classes, and n for every suppressed record. The monotonic
form takes suppressed records at the size of their class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from indistinct.frozen import dataclass
from indistinct.measures.objective import BoundObjective, Levels, Objective, Outcome, Recoding
from indistinct.microdata.leveled import LeveledTable
from indistinct.types import Floats, Ints, PlainMapping


@dataclass(frozen=True, kw_only=True)
class Discernibility(Objective):
    """Sum of squared class sizes; a suppressed record costs n (unless ``monotonic``)."""

    measure: ClassVar[str] = "discernibility"
    settings: ClassVar[frozenset[str]] = frozenset({"monotonic"})
    reported: ClassVar[Mapping[str, PlainMapping]] = {"discernibility": {}}
    place: ClassVar[int] = 40

    def bind(self, data: LeveledTable) -> BoundDiscernibility:
        """Discernibility over one table."""
        return BoundDiscernibility(self, data)


class BoundDiscernibility(BoundObjective):
    """Discernibility over one table.

    Squared class sizes never fall as nodes become more general, and a suppressed record costs n
    instead of the size of its class, which is ``broken_at_most``.
    """

    width = 1
    inherits_up = True
    needs_classes = True

    def __init__(self, setting: Discernibility, data: LeveledTable) -> None:
        self._monotonic = setting.monotonic
        self._n = data.table.records
        self._card = data.card
        self.broken_at_most = self._n
        self.worst = float(self._n) ** 2

    def score(self, outcome: Outcome) -> tuple[Floats, Floats]:
        """The node's own sum; others inherit the sum with nothing suppressed."""
        whole = _squares(outcome.size)
        if self._monotonic:
            return np.array([whole]), np.array([whole])
        kept = _squares(outcome.kept) + float(self._n) * outcome.suppressed
        return np.array([kept]), np.array([whole])

    def recoded(self, recoding: Recoding) -> Floats:
        """Squares of the published classes, and n for every suppressed record."""
        suppressed = self._n - int(recoding.kept.sum())
        each = suppressed if self._monotonic else self._n
        return np.array([_squares(recoding.kept) + float(each) * suppressed])

    def lower(self, levels: Levels, least: Ints, inherited: Floats) -> Floats:
        """At least the inherited squares, n^2 over the possible classes, and n a record."""
        cards = self._card[np.arange(levels.shape[1]), levels].astype(np.float64)
        floor: Floats = np.maximum(inherited[:, 0], self._n * (self._n / cards.prod(axis=1)))
        if not self._monotonic:
            floor = floor + least * float(self._n - self.broken_at_most)
            np.maximum(floor, least * float(self._n), out=floor)
        return floor[:, None]


def _squares(size: Ints) -> float:
    return float((size.astype(np.float64) ** 2).sum())
