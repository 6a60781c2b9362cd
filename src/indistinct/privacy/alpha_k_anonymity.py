"""(alpha,k)-anonymity: classes of k, in which no sensitive value has more than a share of alpha.

    R. C.-W. Wong, J. Li, A. W.-C. Fu, K. Wang: "(alpha, k)-Anonymity: An Enhanced k-Anonymity Model
    for Privacy-Preserving Data Publishing". KDD 2006.

In the general form of the paper every value is sensitive, and so it is here.

What it does not promise: that rare values stay unlikely. A share of alpha of a value that one in
ten thousand has tells a great deal. A missing value is a value like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.kernels.promises import largest
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.k_anonymity import too_few_records
from indistinct.privacy.max_posterior import share_too_large
from indistinct.privacy.parameters import must, number, whole
from indistinct.privacy.promise import Closure
from indistinct.privacy.values import EXACT, AboutValues, least, most
from indistinct.types import Bools, Ints


@dataclass(frozen=True, kw_only=True)
class AlphaKAnonymity(AboutValues):
    """Every equivalence class has ``k`` records, and no value has a share above ``alpha``.

    Closed under union: a merged class is larger, and a value's share in it lies between its shares
    in the parts. Only the size is closed under supersets.
    """

    model: ClassVar[str] = "alpha-k-anonymity"
    nothing_at: ClassVar[Mapping[str, float]] = {"alpha": 1}
    closure: ClassVar[Closure] = "union"

    alpha: float = field(metadata=must(number, above=0, most=1))
    """The largest share of a class that any value may have, above 0 and at most 1."""
    k: int = field(metadata=must(whole, least=1, remedy="choose k = 5 or more"))
    """Records, or people, that every class has at least."""

    @property
    def class_size(self) -> int:
        """At least k records."""
        return self.k

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """Too few records, or a value whose share stays above alpha."""
        return too_few_records(self, self.k, table) or share_too_large(
            self, "alpha", self.alpha, table, allowed
        )

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and are too small or have too frequent a value."""
        top, applies = self._largest(classes), self.seen(classes).size
        broken: Bools = top > self.alpha * (1 + EXACT) * applies
        return (broken | (classes.size < self.k)) & classes.held

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The largest share of a value in a class, and the size of the smallest class."""
        seen = self.seen(classes)
        shares = self._largest(classes) / np.maximum(seen.size, 1)
        return {"alpha": most(shares, seen), "k": least(classes.size, classes)}

    def _largest(self, classes: ClassTable) -> Ints:
        cells = self.harmful_cells(self.seen(classes))
        total, top = np.empty(len(cells), np.int64), np.empty(len(cells), np.int64)
        largest(cells, total, top)
        return top
