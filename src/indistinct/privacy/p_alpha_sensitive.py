"""(p,alpha)-sensitivity: p different values in every class, which together weigh alpha.

    X. Sun, L. Sun, H. Wang: "Extended k-Anonymity Models Against Sensitive Attribute Disclosure".
    Computer Communications 34(4), 2011.

Categories are ordered by how sensitive they are. Of m categories the most sensitive weighs 0, the
next 1/(m - 1), and so on up to 1 for the least sensitive; a value weighs what its category does.
The weight of a class keeps it from having sensitive values alone.

Whether the total runs over the class's different values or over its records is not said in what
could be read of the paper. ``over = "distinct"``, the default, is the stricter reading; in the
published examples both come to the same verdicts. Promise ``k-anonymity`` beside it for the whole
of the model.

What it does not promise: that the values are evenly frequent. Over records a large class of one
harmless and many sensitive values has any weight. A missing value is a value like any other and
needs a category.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from indistinct.document import rounded
from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.kernels.promises import weigh
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.parameters import choice, must, number, whole
from indistinct.privacy.promise import Closure, Promise
from indistinct.privacy.values import (
    CLOSE,
    cells_of,
    different_values,
    domain_of,
    had_by_all,
    least,
    present,
    too_few_values,
    whole_if_close,
    without_categories,
)
from indistinct.types import Bools, Floats, Ints

TOTALS = ("distinct", "records")


@dataclass(frozen=True, kw_only=True)
class WeighedSensitive(Promise):
    """Every equivalence class has ``p`` values, or kinds of them, that weigh ``alpha`` together.

    Closed under supersets: records that join a class take nothing away, and no weight is negative.
    """

    closure: ClassVar[Closure] = "superset"
    needs_sensitive: ClassVar[bool] = True
    nothing_at: ClassVar[Mapping[str, float]] = {"p": 1, "alpha": 0}

    p: int = field(metadata=must(whole, least=1, remedy="choose p = 2 or more"))
    """Different values, or categories, that every class has at least."""
    alpha: float = field(metadata=must(number, least=0))
    """What they weigh together at least."""

    def missing_metadata(self, domain: SensitiveDomain) -> Problem | None:
        """A category for every value, and the order of the categories."""
        return without_categories(self, domain, in_order=True)

    @abstractmethod
    def held(self, classes: ClassTable) -> tuple[Ints, Floats]:
        """How many different ones every class has, and what they weigh together, [G] each."""

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and too few or too little weight."""
        different, weight = self.held(classes)
        broken: Bools = (different < self.p) | (weight < self.alpha - CLOSE)
        return (broken & classes.held) | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The smallest number in a class, and the smallest weight of one."""
        different, weight = self.held(classes)
        return {"p": least(different, classes), "alpha": _lightest(weight, classes)}


@dataclass(frozen=True, kw_only=True)
class PAlphaSensitive(WeighedSensitive):
    """Every class has ``p`` values, and their weights add up to ``alpha`` or more.

    ``over`` is ``distinct`` (each value weighs once) or ``records`` (as often as it occurs). Closed
    under supersets: records that join a class take no value away, and no weight is negative.
    """

    model: ClassVar[str] = "p-alpha-sensitive"

    over: str = field(default="distinct", metadata=must(choice, known=TOTALS))
    """``distinct``: each value weighs once; ``records``: as often as it occurs."""

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """Fewer than p values in the table, or all of it together weighs less than alpha."""
        totals = present(self, table)
        if totals is None:
            return None
        few = too_few_values(self, int(np.count_nonzero(totals)), self.p)
        weight = table.sensitive[str(self.sensitive)].about.weight
        times = totals.astype(bool) if self.over == "distinct" else totals
        return few or too_light(self, self.alpha, float((weight * times).sum()))

    def held(self, classes: ClassTable) -> tuple[Ints, Floats]:
        """The values of every class, and their weight."""
        cells = cells_of(self, classes)
        weight = np.empty(len(cells), np.float64)
        weigh(cells, domain_of(self, classes).weight, self.over == "distinct", weight)
        return different_values(self, classes), weight


def _lightest(weight: Floats, classes: ClassTable) -> float | None:
    """The smallest weight of a class that holds somebody."""
    held = weight[classes.held]
    return whole_if_close(float(held.min())) if len(held) else None


def too_light(promise: Promise, alpha: float, together: float) -> Problem | None:
    """The problem that all values of a table together weigh less than every class has to.

    Arguments:
        promise: what is promised.
        alpha: the weight that a class has at least.
        together: the weight of all values of the table.
    """
    if together >= alpha - CLOSE:
        return None
    return Problem(
        "values-too-light",
        f"{promise} cannot be met: all values of the table together weigh {together:.3g}",
        attribute=promise.sensitive,
        remedy=f"choose alpha of at most {rounded(together, up=False)}"
        if together > 0
        else "order the categories so that values of the table are more sensitive than the least",
    )
