"""(k,l)-cover over time: in all releases together k people and l values stay possible of everybody.

Our reading of (k,l)-diversity (Gong, Luo, Yang and Ni 2017;
:mod:`~indistinct.privacy.kl_diversity`) for several releases, as Xiao and Tao (2007) read
l-diversity for them. No paper defines it.

What a release says of a person it says of everybody in the same class or bucket: they cover each
other. Over several releases covers are intersected. In every release everybody has

* k: k people, the person among them, in the same class in all releases that contain the person;
* l: l values, or categories, that stay possible in all releases together, for a reader who draws
  any conclusion from all people at once and knows when each joined and left.

The first follows from who is in which class. For the second, people who share a class are
connected:

* All classes of connected people list the same values equally often: exchanging two values
  everywhere gives another possible world. This also holds for several values of people in buckets,
  or if values change.
* Connected people share one class only: two rows of it can be exchanged.
* Few people are connected: all possible worlds are counted.
* People in the same classes of the same releases can be exchanged: a value that more people of one
  of these classes have than there are others in it is possible for each.

Otherwise one value is taken to be left. One release shows that every class has k people and l
values; the rest is checked against the ledger.

What it does not promise: that the possible values are equally likely (promise ``max-posterior``
with ``over = "releases"`` too), or anything against an attacker who knows that somebody was left
out. A missing value is a value like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.k_anonymity import too_few_records
from indistinct.privacy.p_plus_sensitive import categories_held, categories_present
from indistinct.privacy.parameters import choice, must, whole
from indistinct.privacy.promise import Closure, Promise
from indistinct.privacy.values import (
    different_values,
    had_by_all,
    least,
    present,
    too_few_values,
    without_categories,
)
from indistinct.types import Bools, Ints

OF = ("values", "categories")


@dataclass(frozen=True, kw_only=True)
class KLCover(Promise):
    """Every class has ``k`` people and ``l`` values, and keeps as many in all releases together.

    Closed under supersets: records that join a class take nobody and no value away from it.
    """

    model: ClassVar[str] = "kl-cover"
    nothing_at: ClassVar[Mapping[str, float]] = {"l": 1}
    closure: ClassVar[Closure] = "superset"
    needs_sensitive: ClassVar[bool] = True

    k: int = field(metadata=must(whole, least=1, remedy="choose k = 5 or more"))
    """People who are together in all releases of each of them, at least."""
    l: int = field(  # noqa: E741, the letter of the model that it extends
        metadata=must(whole, least=1, remedy="choose l = 2 or more")
    )
    """Values that stay possible of everybody, at least."""
    of: str = field(default="values", metadata=must(choice, known=OF))
    """What l counts: ``values``, or ``categories`` of values."""

    @property
    def class_size(self) -> int:
        """At least k records."""
        return self.k

    def missing_metadata(self, domain: SensitiveDomain) -> Problem | None:
        """A category for every value, where categories are counted."""
        return None if self.of == "values" else without_categories(self, domain, in_order=False)

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """Too few records, or too few values."""
        if found := too_few_records(self, self.k, table):
            return found
        if self.of == "categories":
            kinds = categories_present(self, table)
            return (
                None if kinds is None else too_few_values(self, len(kinds), self.l, categories=True)
            )
        totals = present(self, table)
        held = None if totals is None else int(np.count_nonzero(totals))
        return None if held is None else too_few_values(self, held, self.l)

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and too few people or values."""
        few = (self._held(classes) < self.l) | (classes.size < self.k)
        return (few & classes.held) | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The size of the smallest class, and the smallest number of values in one."""
        return {"k": least(classes.size, classes), "l": least(self._held(classes), classes)}

    def _held(self, classes: ClassTable) -> Ints:
        if self.of == "values":
            return different_values(self, classes)
        return categories_held(self, classes)[0]
