"""Distinct l-diversity: every class has l different sensitive values (Machanavajjhala and others).

    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: "l-Diversity: Privacy Beyond
    k-Anonymity". ACM TKDD 1(1), 2007; its simplest form, named so by N. Li, T. Li and
    S. Venkatasubramanian: "t-Closeness", ICDE 2007.

What it does not promise: that the values are evenly frequent. A class with 98 equal values and two
others is distinct 3-diverse, and everybody in it is 98% known. A missing value is a value like any
other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.parameters import must, whole
from indistinct.privacy.promise import Closure
from indistinct.privacy.values import (
    AboutValues,
    different_values,
    had_by_all,
    present,
    too_few_values,
)
from indistinct.types import Bools


@dataclass(frozen=True, kw_only=True)
class DistinctValues(AboutValues):
    """Every equivalence class has so many values of the sensitive attribute: ``least_values``.

    Closed under supersets: records that join a class take no value away from it.
    """

    closure: ClassVar[Closure] = "superset"
    parameter: ClassVar[str]
    """The letter that the model has for the number of values."""

    @property
    def least_values(self) -> int:
        """Different values that every class has at least."""
        return int(getattr(self, self.parameter))

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """A table with fewer values has no class with so many."""
        totals = present(self, table)
        if totals is None or not self.about_all:
            return None
        return too_few_values(self, int(np.count_nonzero(totals)), self.least_values)

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and too few values."""
        classes = self.seen(classes)
        few: Bools = different_values(self, classes) < self.least_values
        return (few & self._harm(classes)) | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The smallest number of values in a class."""
        classes = self.seen(classes)
        found = different_values(self, classes)[self._harm(classes)]
        return {self.parameter: int(found.min()) if len(found) else None}

    def _harm(self, classes: ClassTable) -> Bools:
        """Classes in which somebody has a harmful value, [G]."""
        if self.about_all:
            return classes.held
        return np.asarray(self.harmful_cells(classes).any(axis=1))


@dataclass(frozen=True, kw_only=True)
class DistinctLDiversity(DistinctValues):
    """Every equivalence class has at least ``l`` values of the sensitive attribute.

    Closed under supersets: records that join a class take no value away from it.
    """

    model: ClassVar[str] = "distinct-l-diversity"
    nothing_at: ClassVar[Mapping[str, float]] = {"l": 1}
    parameter: ClassVar[str] = "l"

    l: int = field(  # noqa: E741, the field's own name
        metadata=must(whole, least=1, remedy="choose l = 2 or more")
    )
    """Different values that every class has at least."""
