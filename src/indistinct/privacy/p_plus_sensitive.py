"""p+-sensitivity: every class has values of p different categories (Sun, Sun and Wang 2011).

    X. Sun, L. Sun, H. Wang: "Extended k-Anonymity Models Against Sensitive Attribute Disclosure".
    Computer Communications 34(4), 2011.

Values are put into categories by how sensitive they are; a class of four cancers has four values
and one category. Promise ``k-anonymity`` beside it for the whole of the model.

What it does not promise: that the categories are evenly held. One record in a hundred is enough for
a category, and where the others are alike they are known almost for certain. A missing value is a
value like any other and needs a category of its own or another's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.kernels.promises import kinds
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.parameters import must, whole
from indistinct.privacy.promise import Closure, Promise
from indistinct.privacy.values import (
    cells_of,
    domain_of,
    had_by_all,
    least,
    present,
    too_few_values,
    without_categories,
)
from indistinct.types import Bools, Floats, Ints, Ints32


@dataclass(frozen=True, kw_only=True)
class PPlusSensitive(Promise):
    """Every equivalence class has values of at least ``p`` categories.

    Closed under supersets: records that join a class take no category away from it.
    """

    model: ClassVar[str] = "p-plus-sensitive"
    nothing_at: ClassVar[Mapping[str, float]] = {"p": 1}
    closure: ClassVar[Closure] = "superset"
    needs_sensitive: ClassVar[bool] = True

    p: int = field(metadata=must(whole, least=1, remedy="choose p = 2 or more"))
    """Different categories that every class has at least."""

    def missing_metadata(self, domain: SensitiveDomain) -> Problem | None:
        """A category for every value."""
        return without_categories(self, domain, in_order=False)

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """A table with values of fewer than p categories has no class with p."""
        held = categories_present(self, table)
        return None if held is None else too_few_values(self, len(held), self.p, categories=True)

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and fewer than p categories."""
        broken: Bools = categories_held(self, classes)[0] < self.p
        return (broken & classes.held) | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The smallest number of categories in a class."""
        return {"p": least(categories_held(self, classes)[0], classes)}


def categories_present(promise: Promise, table: FrequencyTable) -> Ints32 | None:
    """The places of the categories that a table has values of; None where none are known."""
    totals = present(promise, table)
    if totals is None:
        return None
    about = table.sensitive[str(promise.sensitive)].about
    held = np.unique(about.category_of[np.flatnonzero(totals)])
    return held[held >= 0] if about.categories else None


def categories_held(
    promise: Promise, classes: ClassTable, worth: Floats | None = None
) -> tuple[Ints, Floats]:
    """The number of different categories in every class, and what they are worth together, [G].

    Arguments:
        promise: says whose categories.
        classes: the classes, and how often values occur in each, [G, D].
        worth: what each category is worth, [categories]; nothing where not given.
    """
    domain = domain_of(promise, classes)
    cells = cells_of(promise, classes)
    if worth is None:
        worth = np.zeros(len(domain.categories))
    number, total = np.empty(len(cells), np.int64), np.empty(len(cells), np.float64)
    kinds(cells, domain.category_of, worth, np.empty(len(worth), np.int64), number, total)
    return number, total
