"""Balanced p+-sensitivity: p categories in every class, as many sensitive ones as harmless ones.

After the description of balanced p+-sensitive k-anonymity by A. Anjum and others, Computers &
Security 72, 2018, doi 10.1016/j.cose.2017.09.014. **Low confidence**: what "balanced" asks was not
to be read in what could be had of the paper, and is our reading. p+-sensitivity falls to classes
whose categories are alike; so the ordered categories are divided into a harmless and a sensitive
half, and a class must have about as many records of the one as of the other. Of an odd number of
categories the middle one belongs to neither half: it counts towards p, and not in the balance.

Promise ``k-anonymity`` beside it for the whole of the model.

What it does not promise: that the categories of a half are evenly frequent. With a ``difference``
of p or more a class may lack one half; with a small one large classes hardly ever keep it, however
diverse they are. A missing value is a value like any other and needs a category.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from indistinct.document import many
from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.kernels.promises import weigh
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.p_plus_sensitive import categories_held, categories_present
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
from indistinct.types import Bools, Ints


@dataclass(frozen=True, kw_only=True)
class BalancedPPlusSensitive(Promise):
    """Every equivalence class has ``p`` categories, and its two halves are balanced.

    The numbers of records of the harmless and of the sensitive half differ by at most
    ``difference``. Closed under nothing: two classes with one sensitive record too many make one
    with two.
    """

    model: ClassVar[str] = "balanced-p-plus-sensitive"
    closure: ClassVar[Closure] = "none"
    needs_sensitive: ClassVar[bool] = True

    p: int = field(metadata=must(whole, least=1, remedy="choose p = 2 or more"))
    """Different categories that every class has at least."""
    difference: int = field(default=1, metadata=must(whole, least=0))
    """By how many records one half of the categories may exceed the other."""

    def missing_metadata(self, domain: SensitiveDomain) -> Problem | None:
        """A category for every value, and the order of the categories."""
        return without_categories(self, domain, in_order=True)

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """Too few categories, or one half that no number of classes can balance."""
        held, totals = categories_present(self, table), present(self, table)
        if held is None or totals is None:
            return None
        few = too_few_values(self, len(held), self.p, categories=True)
        if few is not None:
            return few
        about = table.sensitive[str(self.sensitive)].about
        sides = _side_of(about)
        harmless, sensitive = int(totals[sides < 0].sum()), int(totals[sides > 0].sum())
        middle = int((_sides(about)[held] == 0).sum())
        one_sided = not (harmless and sensitive) and self.p - middle > self.difference
        lost = table.records if allowed is None else allowed
        if (
            not one_sided
            and abs(sensitive - harmless) - lost <= self.difference * table.combinations
        ):
            return None
        return Problem(
            "halves-out-of-balance",
            f"{self} cannot be met: the table has {many(harmless, self.unit)} of the harmless half "
            "of the "
            f"categories and {sensitive} of the sensitive half",
            attribute=self.sensitive,
            remedy="choose a larger difference, or divide the values differently into categories",
        )

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and too few categories or too many of one half."""
        broken: Bools = categories_held(self, classes)[0] < self.p
        broken |= self._apart(classes) > self.difference
        return (broken & classes.held) | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The smallest number of categories in a class, and the largest difference in one."""
        apart = self._apart(classes)[classes.held]
        return {
            "p": least(categories_held(self, classes)[0], classes),
            "difference": int(apart.max()) if len(apart) else None,
        }

    def _apart(self, classes: ClassTable) -> Ints:
        """By how many records one half exceeds the other, [G]."""
        domain, cells = domain_of(self, classes), cells_of(self, classes)
        found = np.empty(len(cells), np.float64)
        weigh(cells, _side_of(domain).astype(np.float64), False, found)
        return np.abs(found).astype(np.int64)


def _sides(domain: SensitiveDomain) -> Ints:
    """For each category -1 in the harmless half, 1 in the sensitive half, 0 in the middle."""
    categories = len(domain.categories)
    return np.sign(2 * np.arange(categories) - (categories - 1))


def _side_of(domain: SensitiveDomain) -> Ints:
    """The side of each value's category; 0 where it has none."""
    return np.append(_sides(domain), 0)[domain.category_of]
