"""Recursive (c,l)-diversity: the most frequent value is not too frequent, the rarer not too rare.

    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: "l-Diversity: Privacy Beyond
    k-Anonymity". ACM TKDD 1(1), 2007, recursive (c,l)-diversity.

With the counts of a class's values in falling order r_1 >= r_2 >= .. >= r_m a class is
(c,l)-diverse if r_1 < c (r_l + r_{l+1} + .. + r_m). A class with fewer than l values never is. Who
can rule out l - 2 values still finds the others (c,2)-diverse.

What it does not promise: that the values differ in meaning. A missing value is a value like any
other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from indistinct.document import rounded
from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.kernels.promises import head_and_tail
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.parameters import must, number, whole
from indistinct.privacy.promise import Closure, Promise
from indistinct.privacy.values import (
    EXACT,
    cells_of,
    evened,
    had_by_all,
    present,
    too_few_values,
    too_uneven,
)
from indistinct.types import Bools, Ints


@dataclass(frozen=True, kw_only=True)
class RecursiveCLDiversity(Promise):
    """In every class r_1 < ``c`` (r_l + .. + r_m), with counts r in descending order.

    Closed under union: merging classes adds at most their r_1, and at least their r_l + .. + r_m,
    which is all but the largest l - 1 counts.
    """

    model: ClassVar[str] = "recursive-cl-diversity"
    nothing_at: ClassVar[Mapping[str, float]] = {"l": 1}
    closure: ClassVar[Closure] = "union"
    needs_sensitive: ClassVar[bool] = True

    c: float = field(metadata=must(number, above=0))
    """How many times as frequent as the l-th and rarer ones the most frequent value stays below."""
    l: int = field(  # noqa: E741, the field's own name
        metadata=must(whole, least=1, remedy="choose l = 2 or more")
    )
    """The place from which on values, in falling order, count as rare ones."""

    @property
    def allows_one_value(self) -> bool:
        """Where every value counts as a rare one, and it may be all of them."""
        return super().allows_one_value and self.c > 1

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """All classes together are (c,l)-diverse if each of them is."""
        totals = present(self, table)
        if totals is None:
            return None
        few = too_few_values(self, int(np.count_nonzero(totals)), self.l)
        if few is not None or not totals.any():
            return few
        shares = evened(self, table, allowed)
        reached = float(shares[0] / shares[self.l - 1 :].sum())
        if reached < self.c * (1 - EXACT):
            return None
        return too_uneven(
            self,
            allowed,
            f"the table's most frequent value is {reached:.3g} times as frequent as the "
            f"{_ordinal(self.l)} and rarer ones together",
            f"choose c above {rounded(reached, up=True)} or a smaller l, or "
            "allow more to be left out",
        )

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and whose most frequent value is too frequent."""
        return self._too_frequent(classes, self.l) | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """What c has to lie above for the same l, and the largest l that is kept for the same c.

        No c is enough (None) where a class has fewer than l values.
        """
        held = classes.held
        if not held.any():
            return {"c": None, "l": None}
        head, tail = self._head_and_tail(classes, self.l)
        least = float((head[held] / tail[held]).max()) if tail[held].all() else None
        largest = 0
        while not self._too_frequent(classes, largest + 1).any():
            largest += 1
        return {"c": least, "l": largest}

    def _too_frequent(self, classes: ClassTable, place: int) -> Bools:
        head, tail = self._head_and_tail(classes, place)
        broken: Bools = head >= self.c * (1 - EXACT) * tail
        return broken & classes.held

    def _head_and_tail(self, classes: ClassTable, place: int) -> tuple[Ints, Ints]:
        cells = cells_of(self, classes)
        head, tail = np.empty(len(cells), np.int64), np.empty(len(cells), np.int64)
        place = min(place, cells.shape[1] + 1)
        head_and_tail(cells, place, np.empty(place, np.int64), head, tail)
        return head, tail


def _ordinal(place: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{'th' if place % 100 in (11, 12, 13) else ending}"
