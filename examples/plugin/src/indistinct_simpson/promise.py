"""The promise: in no class is Simpson's index of the sensitive attribute above a bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy.parameters import must, number
from indistinct.privacy.promise import Closure, Promise
from indistinct.privacy.values import cells_of, had_by_all
from indistinct.types import Bools, Ints


@dataclass(frozen=True, kw_only=True)
class SimpsonDiversity(Promise):
    """Two people of a class, drawn one after the other, have the same value with at most ``bound``.

    Closed under union: the index is convex, so a merged class has at most the larger of two.
    """

    model: ClassVar[str] = "simpson-diversity"
    closure: ClassVar[Closure] = "union"
    needs_sensitive: ClassVar[bool] = True

    bound: float = field(metadata=must(number, above=0, most=1))

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes with a larger index; an empty one has none."""
        broken = self._equal_pairs(classes) > self.bound * classes.size.astype(np.float64) ** 2
        return broken | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The largest index of a class."""
        held = classes.size > 0
        index = self._equal_pairs(classes)[held] / classes.size[held].astype(np.float64) ** 2
        return {"bound": float(index.max()) if len(index) else None}

    def _equal_pairs(self, classes: ClassTable) -> Ints:
        pairs: Ints = (cells_of(self, classes) ** 2).sum(axis=1)
        return pairs
