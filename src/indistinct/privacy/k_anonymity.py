"""k-anonymity: everybody shares a class with k - 1 others (Samarati 2001; Sweeney 2002)."""

from __future__ import annotations

from typing import ClassVar

from indistinct.document import many
from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.parameters import must, whole
from indistinct.privacy.promise import Closure, Promise
from indistinct.types import Bools


@dataclass(frozen=True, kw_only=True)
class KAnonymity(Promise):
    """At least ``k`` records, or people, share all quasi-identifiers as they are published."""

    model: ClassVar[str] = "k-anonymity"
    closure: ClassVar[Closure] = "superset"

    k: int = field(
        metadata=must(whole, least=1, remedy="choose k = 5 or more for a release that you publish")
    )
    """Records, or people, that every class has at least."""

    @property
    def class_size(self) -> int:
        """At least k records."""
        return self.k

    @property
    def largest_violating_size(self) -> int:
        """A class of k is safe."""
        return self.k - 1

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """A table of fewer than k records has no class of k."""
        del allowed
        return too_few_records(self, self.k, table)

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, but fewer than k."""
        broken: Bools = (classes.size < self.k) & classes.held
        return broken

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The size of the smallest class (None for a table without records)."""
        sizes = classes.size[classes.held]
        return {"k": int(sizes.min()) if len(sizes) else None}


def too_few_records(promise: Promise, k: int, table: FrequencyTable) -> Problem | None:
    """The problem that a table is smaller than every class has to be."""
    if table.records >= k:
        return None
    return Problem(
        "k-exceeds-records",
        f"{promise} cannot be met: the table has only {many(table.records, 'record')}",
        remedy=f"{'choose a smaller k, or ' if table.records > 1 else ''}release a larger table",
    )
