"""p-sensitivity: every class has p different sensitive values (Truta and Vinay 2006).

    T. M. Truta, B. Vinay: "Privacy Protection: p-Sensitive k-Anonymity Property". ICDE Workshops
    2006.

The same condition as distinct l-diversity under the name it has together with k-anonymity; promise
``k-anonymity`` beside it for the whole of the model.

What it does not promise: that the values differ in meaning or are evenly frequent. That is why
categories (``p-plus-sensitive``) and weights (``p-alpha-sensitive``) were added to it. A missing
value is a value like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from indistinct.errors import Problem
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.parameters import whole
from indistinct.privacy.promise import Closure, Promise
from indistinct.privacy.values import cells_of, had_by_all, least, present, too_few_values


@dataclass(frozen=True, kw_only=True)
class PSensitive(Promise):
    """Every equivalence class has at least ``p`` values of the sensitive attribute.

    Closed under supersets: records that join a class take no value away from it.
    """

    model: ClassVar[str] = "p-sensitive"
    closure: ClassVar[Closure] = "superset"
    needs_sensitive: ClassVar[bool] = True

    p: int

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.model, "p", self.p, 1, "choose p = 2 or more")

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """A table with fewer than p values has no class with p."""
        del allowed
        totals = present(self, table)
        if totals is None:
            return None
        return too_few_values(self, int(np.count_nonzero(totals)), self.p)

    def breaks(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Classes that hold somebody, and fewer than p values."""
        broken: NDArray[np.bool_] = (self._values(classes) < self.p) & (classes.size > 0)
        return broken | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The smallest number of values in a class."""
        return {"p": least(self._values(classes), classes)}

    def _values(self, classes: ClassTable) -> NDArray[np.int64]:
        from indistinct.kernels.promises import distinct

        cells = cells_of(self, classes)
        found = np.empty(len(cells), np.int64)
        distinct(cells, found)
        return found
