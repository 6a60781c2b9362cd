"""Entropy l-diversity: every class's values are as uncertain as l equally frequent ones.

    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: "l-Diversity: Privacy Beyond
    k-Anonymity". ACM TKDD 1(1), 2007, entropy l-diversity.

The entropy of a class, estimated from its shares (Shannon), is at least log(l). Equality counts as
kept: a class (2, 2, 2) is 3-diverse, also where rounding puts its entropy a hair below log(3).

What it does not promise: a bound on how well the most frequent value is known. Entropy averages: a
class with half of its records of one value, the others all different, is as diverse as its size
allows. A missing value is a value like any other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.kernels.promises import entropy
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.parameters import must, number
from indistinct.privacy.promise import Closure, Promise
from indistinct.privacy.values import (
    CLOSE,
    beside_one,
    cells_of,
    evened,
    had_by_all,
    present,
    too_few_values,
    too_uneven,
    whole_if_close,
)
from indistinct.types import Bools, Floats


@dataclass(frozen=True, kw_only=True)
class EntropyLDiversity(Promise):
    """The entropy of the sensitive values of every equivalence class is at least log(``l``).

    ``l`` is any number of 1 or more. Closed under union: the entropy of a mixture is at least the
    mixture of the entropies. Not under supersets: a thousand equal records drown the others.
    """

    model: ClassVar[str] = "entropy-l-diversity"
    nothing_at: ClassVar[Mapping[str, float]] = {"l": 1}
    closure: ClassVar[Closure] = "union"
    needs_sensitive: ClassVar[bool] = True

    l: float = field(  # noqa: E741, the field's own name
        metadata=must(number, least=1, remedy="choose l = 2 or more")
    )
    """How many equally frequent values are as uncertain as those of a class, at least 1."""

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """All classes together have at least the entropy of the least diverse of them."""
        totals = present(self, table)
        if totals is None:
            return None
        few = too_few_values(self, int(np.count_nonzero(totals)), math.ceil(self.l - CLOSE))
        if few is not None or not totals.any():
            return few
        shares = evened(self, table, allowed)
        reached = math.exp(-float((shares * np.log(shares)).sum()))
        if math.log(reached) >= math.log(self.l) - CLOSE:
            return None
        return too_uneven(
            self,
            allowed,
            "the table's values are together no more uncertain than "
            f"{reached:.3g} equally frequent ones",
            f"choose l of at most {beside_one(reached, up=False)}, or allow more to be left out",
        )

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and whose entropy is below log(l)."""
        short: Bools = self._entropy(classes) < math.log(self.l) - CLOSE
        return (short & classes.held) | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """As many equally frequent values as are as uncertain as the least uncertain class."""
        entropy = self._entropy(classes)[classes.held]
        return {"l": whole_if_close(math.exp(entropy.min())) if len(entropy) else None}

    def _entropy(self, classes: ClassTable) -> Floats:
        cells = cells_of(self, classes)
        found = np.empty(len(cells), np.float64)
        entropy(cells, found)
        return found
