"""theta-sensitivity: k records in every class, whose sensitive values have a large rank variance.

    R. Khan, X. Tao, A. Anjum, T. Kanwal, S. Malik, A. Khan, W. Rehman, C. Maple: "theta-Sensitive
    k-Anonymity: An Anonymization Model for IoT based Electronic Health Records". Electronics 9(5),
    2020, Definition 10 and Algorithm 1.

The rank variance V of a class (:mod:`~indistinct.privacy.rank_variance`) is at least a share mu of
that of k different values, theta(k) = mu (k^2 - 1) / 12. With ``theta = "k"`` the threshold is the
same for all classes, as in line 8 of the paper's Algorithm 1; with ``theta = "size"`` each class
has that of its own size. Equality counts as kept.

What it does not promise: diversity. V falls when the rarer values become *more* evenly frequent, it
knows no categories, and with ``theta = "k"`` a class of a hundred may have ninety equal values. So
promise ``max-posterior`` beside it. ``theta = "size"`` bounds the classes' size instead: 5 values
allow classes of 6, 14 of 20 (mu = 0.6), and few tables can be released so. A missing value is a
value like any other. And made-up records count towards the variance: it is no bound on what an
attacker believes who recognizes them.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import ClassVar

import numpy as np

from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy import rank_variance as ranks
from indistinct.privacy.k_anonymity import too_few_records
from indistinct.privacy.parameters import choice, must, number, whole
from indistinct.privacy.promise import Closure, Promise
from indistinct.privacy.values import cells_of, had_by_all, present
from indistinct.types import Bools

THETAS = ("k", "size")


@dataclass(frozen=True, kw_only=True)
class ThetaSensitive(Promise):
    """Every equivalence class has ``k`` records and a rank variance of theta or more.

    ``theta`` is ``k`` or ``size``, ``mu`` the share. Closed under nothing: (2, 1, 1) and (1, 1, 2)
    have a variance of 0.69, and merged to (3, 2, 3) one of 0.61.
    """

    model: ClassVar[str] = "theta-sensitive"
    closure: ClassVar[Closure] = "none"
    needs_sensitive: ClassVar[bool] = True
    counts_made_up: ClassVar[bool] = True

    k: int = field(metadata=must(whole, least=1, remedy="choose k = 4 or more"))
    """Records, or people, that every class has at least; and the k of theta(k)."""
    mu: float = field(
        default=0.6, metadata=must(number, above=0, most=1, remedy="choose mu from 0.5 to 0.9")
    )
    """The share of the variance of k different values that is reached, above 0 and at most 1."""
    theta: str = field(default="k", metadata=must(choice, known=THETAS))
    """``k``: the threshold of every class is that of k; ``size``: that of its own size."""

    @property
    def class_size(self) -> int:
        """At least k records, for either theta."""
        return self.k

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """Too few records or values, or groups of equal records that are too large for theta."""
        few = too_few_records(self, self.k, table)
        totals = present(self, table)
        if few is not None or totals is None:
            return few
        values = int(np.count_nonzero(totals))
        most = ranks.largest_k(values, self.mu)
        if self.theta == "size":
            most = ranks.largest_size(values, self.mu)
        if most < self.k:
            return Problem(
                "too-few-values",
                f"{self} cannot be met: with {values} different values in the table no class "
                f"reaches theta({self.k})",
                attribute=self.sensitive,
                remedy=ranks.within_reach(values, self.k, self.mu, by_size=self.theta == "size"),
            )
        return self._too_large(table, allowed, values, most) if self.theta == "size" else None

    def _too_large(
        self, table: FrequencyTable, allowed: int | None, values: int, most: int
    ) -> Problem | None:
        """Combinations that are larger than any class that theta of its own size allows."""
        lost = int(table.weight[table.weight > most].sum())
        if lost <= (table.records - 1 if allowed is None else allowed):
            return None
        return Problem(
            "classes-too-large",
            f"{self} cannot be met: {values} different values allow classes of at most {most} "
            f"records, and {lost} records share all quasi-identifiers with more others than that",
            attribute=self.sensitive,
            remedy='leave out theta = "size", or choose a smaller mu',
        )

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and are too small or vary too little."""
        variance = ranks.rank_variance(cells_of(self, classes))
        if self.theta == "size":
            short = ranks.falls_short(variance, ranks.thresholds(classes.size, self.mu))
        else:
            short = ranks.falls_short(variance, ranks.theta(self.k, self.mu))
        broken = (short | (classes.size < self.k)) & classes.held
        return broken | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The largest k that is kept with this mu, and the largest mu that is with this k.

        With ``theta = "size"`` the size of the smallest class, and the largest mu for all sizes. mu
        is None where no threshold is above 0, since all classes are of one record.
        """
        held = classes.held
        if not held.any():
            return {"k": None, "mu": None}
        variance = ranks.rank_variance(cells_of(self, classes))[held]
        smallest = int(classes.size[held].min())
        if self.theta == "size":
            full = ranks.thresholds(classes.size[held], 1.0)
            several = full.nonzero()
            shares = variance[several] / full[several]
            return {"k": smallest, "mu": float(shares.min()) if len(shares) else None}

        def short(k: int) -> bool:
            return bool(ranks.falls_short(variance, ranks.theta(k, self.mu)).any())

        largest = 1 + bisect_left(range(2, smallest + 1), True, key=short)
        mu = float(variance.min()) / ranks.theta(self.k, 1.0) if self.k > 1 else None
        return {"k": largest, "mu": mu}
