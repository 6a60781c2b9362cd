"""k-anonymity: everybody shares a class with k - 1 others (Samarati 2001; Sweeney 2002)."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from indistinct.document import many
from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.parameters import must, whole
from indistinct.privacy.promise import Closure, Promise
from indistinct.privacy.values import least
from indistinct.types import Bools


@dataclass(frozen=True, kw_only=True)
class SizeAlone(Promise):
    """A promise that size alone decides: every class has at least :attr:`size` records, or people.

    Closed under supersets.
    """

    closure: ClassVar[Closure] = "superset"
    figure: ClassVar[str] = "size"
    """How the size of the smallest class is called."""
    less: ClassVar[str] = "choose a smaller k"
    """How to ask for smaller classes."""

    @property
    @abstractmethod
    def size(self) -> int:
        """What every class has at least."""

    @property
    def class_size(self) -> int:
        """The size itself."""
        return self.size

    @property
    def largest_violating_size(self) -> int:
        """A class of the size asked for is safe."""
        return self.size - 1

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """A table that is smaller than every class has to be."""
        return too_few_records(self, self.size, table, self.less)

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, but too few."""
        return (classes.size < self.size) & classes.held

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The size of the smallest class (None for a table without records)."""
        return {self.figure: least(classes.size, classes)}


@dataclass(frozen=True, kw_only=True)
class KAnonymity(SizeAlone):
    """At least ``k`` records, or people, share all quasi-identifiers as they are published."""

    model: ClassVar[str] = "k-anonymity"
    figure: ClassVar[str] = "k"

    k: int = field(
        metadata=must(whole, least=1, remedy="choose k = 5 or more for a release that you publish")
    )
    """Records, or people, that every class has at least."""

    @property
    def size(self) -> int:
        """At least k."""
        return self.k


def too_few_records(
    promise: Promise, k: int, table: FrequencyTable, less: str = "choose a smaller k"
) -> Problem | None:
    """The problem that a table is smaller than every class has to be.

    Arguments:
        promise: what is promised.
        k: the records that a class has at least.
        table: the table.
        less: how to ask for less.
    """
    if table.records >= k:
        return None
    return Problem(
        "k-exceeds-records",
        f"{promise} cannot be met: the table has only {many(table.records, promise.unit)}",
        remedy=f"{less}, or release a larger table"
        if table.records > 1
        else "release a larger table",
    )
