"""k-map without a table of the population: classes so large that a small population would surprise.

Where only the share of the population that is in the table is known, the number of people that a
class stands for can be estimated. Suppose k people of the population share the quasi-identifiers.
How many of them are in the table is taken to be Poisson distributed with mean k times that share;
``zero-truncated-poisson`` takes into account that the class would not be seen without one. A class
must be larger than that number is, but for a probability of at most ``significance``. A class of k
records stands for k people under any estimate, so no class has to be larger than k. So it is
k-anonymity with a k computed from the population, and no stricter than with its own.

    K. El Emam, F. K. Dankar: "Protecting Privacy Using k-Anonymity". JAMIA 15(5), 2008, who test
    the hypothesis that k people share a class so; ARX has both estimators.

What it does not promise: anything for one class. It is a statement about classes on the whole, true
as far as the table is a random sample of the population; a table of patients of one hospital is
none.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import ClassVar

from indistinct.frozen import dataclass, field
from indistinct.privacy.k_anonymity import SizeAlone
from indistinct.privacy.parameters import choice, must, number, whole

ESTIMATORS = ("zero-truncated-poisson", "poisson")


@dataclass(frozen=True, kw_only=True)
class EstimatedKMap(SizeAlone):
    """Every equivalence class is as large as a class that stands for ``k`` or more people.

    ``fraction`` is the share of the population that is in the table, ``significance`` the
    probability that a class of k people exceeds the required size, ``estimator``
    ``zero-truncated-poisson`` or ``poisson``. Closed under supersets: size alone decides.
    """

    model: ClassVar[str] = "estimated-k-map"
    about_population: ClassVar[bool] = True

    k: int = field(metadata=must(whole, least=1, remedy="choose k = 5 or more"))
    """People of the population that every class stands for, or more."""
    fraction: float = field(metadata=must(number, above=0, most=1))
    """The share of the population that is in the table, above 0 and at most 1."""
    significance: float = field(default=0.01, metadata=must(number, above=0, most=0.5))
    """The probability with which a class of k people may exceed the size asked for."""
    estimator: str = field(
        default="zero-truncated-poisson", metadata=must(choice, known=ESTIMATORS)
    )
    """``zero-truncated-poisson``, or ``poisson``."""

    @cached_property
    def size(self) -> int:
        """The least size of a class, k at most.

        >>> EstimatedKMap(k=1000, fraction=30162 / 317238626).size
        3
        >>> EstimatedKMap(k=5, fraction=1.0).size
        5
        """
        mean = self.k * self.fraction
        first = {"zero-truncated-poisson": 1}.get(self.estimator, 0)
        possible = -math.expm1(-mean) if first else 1.0
        below = 0.0
        for count in range(first, self.k):
            below += math.exp(count * math.log(mean) - mean - math.lgamma(count + 1))
            if below >= possible * (1 - self.significance):
                return count + 1
        return self.k
