"""m-invariance: everybody keeps a signature of m values from release to release (Xiao and Tao).

    X. Xiao, Y. Tao: "m-Invariance: Towards Privacy Preserving Re-publication of Dynamic Datasets".
    SIGMOD 2007.

The signature of a class is the set of its sensitive values. Two things are promised: in every
release all records of a class have different values, m or more; and a person in two releases
that follow each other has classes of the same signature. Then every value of the signature is as
likely as any other, also for a reader who knows who is in which release: 1/m at most is believed.

One release shows the first half; the second is held against the ledger of what is out.

What it does not promise: anything of somebody who leaves and comes back with another signature,
for which there is :mod:`~indistinct.privacy.tau_safety`; or that the values of a signature differ
in meaning; or anything against who knows the table's people beside those of the release: that
somebody was left out, or a counterfeit needed, tells which values were lacking. A missing value is
a value like any other.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.kernels.promises import largest
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.parameters import must, whole
from indistinct.privacy.promise import Closure, Promise
from indistinct.privacy.values import (
    cells_of,
    different_values,
    had_by_all,
    present,
    too_few_values,
)
from indistinct.types import Bools


@dataclass(frozen=True, kw_only=True)
class Signatures(Promise):
    """In every class all records have different values, ``m`` or more.

    Closed under nothing: two classes may have a value in common.
    """

    closure: ClassVar[Closure] = "none"
    needs_sensitive: ClassVar[bool] = True
    counts_made_up: ClassVar[bool] = True
    consecutive: ClassVar[bool]
    """Whether signatures stay only between releases that follow each other."""

    m: int = field(metadata=must(whole, least=1, remedy="choose m = 2 or more"))
    """Values that a class has at least, each of one record."""

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """A table with fewer values has no class with so many."""
        totals = present(self, table)
        if totals is None:
            return None
        return too_few_values(self, int(np.count_nonzero(totals)), self.m)

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and too few values, or one of them twice."""
        few = different_values(self, classes) < self.m
        broken: Bools = (few | self._twice(classes)) & classes.held
        return broken | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The smallest number of values in a class; None where a class has one of them twice."""
        held = classes.held
        found = different_values(self, classes)[held]
        if not len(found) or self._twice(classes)[held].any():
            return {"m": None}
        return {"m": int(found.min())}

    def _twice(self, classes: ClassTable) -> Bools:
        cells = cells_of(self, classes)
        total, top = np.empty(len(cells), np.int64), np.empty(len(cells), np.int64)
        largest(cells, total, top)
        return np.asarray(top > 1)


@dataclass(frozen=True, kw_only=True)
class MInvariance(Signatures):
    """All values of a class differ, and people who stay get a class with the same values.

    Closed under nothing: two classes may have a value in common.
    """

    model: ClassVar[str] = "m-invariance"
    consecutive: ClassVar[bool] = True
