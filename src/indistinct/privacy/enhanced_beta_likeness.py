"""Enhanced beta-likeness: no value gains more than beta, and frequent ones less than that.

    J. Cao, P. Karras: "Publishing Microdata with a Robust Privacy Guarantee". PVLDB 5(11), 2012,
    enhanced beta-likeness.

With a value's share p in the reference and q in a class, the relative gain (q - p) / p is at most
min(beta, -ln p). So q <= p (1 - ln p) however large beta is, and that is below 1 for every p below
1: no value becomes certain.

What it does not promise: that values do not become *less* likely, or vanish. A missing value is a
value like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy.basic_beta_likeness import largest_ratio
from indistinct.privacy.parameters import number
from indistinct.privacy.promise import Closure, Promise
from indistinct.privacy.values import EXACT, had_by_all, most, shares_of


@dataclass(frozen=True, kw_only=True)
class EnhancedBetaLikeness(Promise):
    """No value gains more than min(``beta``, -ln p) times its share p in the reference.

    Closed under union for a fixed distribution: a value's share in a merged class lies between its
    shares in the parts.
    """

    model: ClassVar[str] = "enhanced-beta-likeness"
    closure: ClassVar[Closure] = "union"
    needs_sensitive: ClassVar[bool] = True
    compares: ClassVar[bool] = True

    beta: float

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.model, "beta", self.beta, above=0)

    def breaks(self, classes: ClassTable) -> NDArray[np.bool_]:
        """Classes that hold somebody, and in which a value gains too much."""
        ratio = largest_ratio(self, classes, _highest(shares_of(self, classes), self.beta))
        broken: NDArray[np.bool_] = ratio > 1 + EXACT
        return (broken & (classes.size > 0)) | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The largest gain; None where a gain exceeds -ln p, so that no beta is kept."""
        shares = shares_of(self, classes)
        worst = most(largest_ratio(self, classes, _highest(shares, np.inf)), classes)
        if worst is None or worst > 1 + EXACT:
            return {"beta": None}
        ratio = most(largest_ratio(self, classes, shares), classes)
        return {"beta": None if ratio is None else max(ratio - 1, 0.0)}


def _highest(shares: NDArray[np.float64], beta: float) -> NDArray[np.float64]:
    """The largest share that each value may have in a class, [D]."""
    logarithm = -np.log(np.where(shares > 0, shares, 1.0))
    found: NDArray[np.float64] = shares * (1 + np.minimum(beta, logarithm))
    return found
