"""(p+,alpha)-sensitivity: p different categories in every class, which together weigh alpha.

    X. Sun, L. Sun, H. Wang: "Extended k-Anonymity Models Against Sensitive Attribute Disclosure".
    Computer Communications 34(4), 2011.

As (p,alpha)-sensitivity (:mod:`~indistinct.privacy.p_alpha_sensitive`), with categories in the
place of values: each category of a class counts once and weighs once, from 0 for the most sensitive
to 1 for the least. That weights are summed over categories too is our reading: the definition is
known from overviews alone. Promise ``k-anonymity`` beside it for the whole of the model.

What it does not promise: that the categories are evenly held. A missing value is a value like any
other and needs a category.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from indistinct.errors import Problem
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.p_alpha_sensitive import lightest, too_light
from indistinct.privacy.p_plus_sensitive import categories_held, categories_present
from indistinct.privacy.parameters import number, whole
from indistinct.privacy.promise import Closure, Promise
from indistinct.privacy.values import (
    CLOSE,
    domain_of,
    had_by_all,
    least,
    too_few_values,
    without_categories,
)


@dataclass(frozen=True, kw_only=True)
class PPlusAlphaSensitive(Promise):
    """Every equivalence class has ``p`` categories, with weights of ``alpha`` or more together.

    Closed under supersets: records that join a class take no category away, and no weight is
    negative.
    """

    model: ClassVar[str] = "p-plus-alpha-sensitive"
    closure: ClassVar[Closure] = "superset"
    needs_sensitive: ClassVar[bool] = True

    p: int
    alpha: float

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.model, "p", self.p, 1, "choose p = 2 or more")
        number(self.model, "alpha", self.alpha, least=0)

    def missing_metadata(self, domain: SensitiveDomain) -> Problem | None:
        """A category for every value, and the order of the categories."""
        return without_categories(self, domain, in_order=True)

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """Values of fewer than p categories in the table, or categories that weigh too little."""
        del allowed
        held = categories_present(self, table)
        if held is None:
            return None
        worth = _worth(table.sensitive[str(self.sensitive)].about)
        few = too_few_values(self, len(held), self.p, "category")
        return few or too_light(self, self.alpha, float(worth[held].sum()))

    def breaks(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Classes that hold somebody, and too few categories or too little weight."""
        number, weight = self._held(classes)
        broken: NDArray[np.bool_] = (number < self.p) | (weight < self.alpha - CLOSE)
        return (broken & (classes.size > 0)) | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The smallest number of categories in a class, and the smallest weight of one."""
        number, weight = self._held(classes)
        return {"p": least(number, classes), "alpha": lightest(weight, classes)}

    def _held(self, classes: ClassTable) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        return categories_held(self, classes, _worth(domain_of(self, classes)))


def _worth(domain: SensitiveDomain) -> NDArray[np.float64]:
    weights = domain.known.category_weights
    return np.array([weights.get(name, 0.0) for name in domain.categories], np.float64)
