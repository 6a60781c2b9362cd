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

from typing import ClassVar

import numpy as np

from indistinct.errors import Problem
from indistinct.frozen import dataclass
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.p_alpha_sensitive import WeighedSensitive, too_light
from indistinct.privacy.p_plus_sensitive import categories_held, categories_present
from indistinct.privacy.values import domain_of, too_few_values
from indistinct.types import Floats, Ints


@dataclass(frozen=True, kw_only=True)
class PPlusAlphaSensitive(WeighedSensitive):
    """Every class has ``p`` categories, and their weights add up to ``alpha`` or more.

    Closed under supersets: records that join a class take no category away, and no weight is
    negative.
    """

    model: ClassVar[str] = "p-plus-alpha-sensitive"

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """Values of fewer than p categories in the table, or categories that weigh too little."""
        held = categories_present(self, table)
        if held is None:
            return None
        worth = _worth(table.sensitive[str(self.sensitive)].about)
        few = too_few_values(self, len(held), self.p, categories=True)
        return few or too_light(self, self.alpha, float(worth[held].sum()))

    def held(self, classes: ClassTable) -> tuple[Ints, Floats]:
        """The categories of every class, and their weight."""
        return categories_held(self, classes, _worth(domain_of(self, classes)))


def _worth(domain: SensitiveDomain) -> Floats:
    weights = domain.known.category_weights
    return np.array([weights.get(name, 0.0) for name in domain.categories], np.float64)
