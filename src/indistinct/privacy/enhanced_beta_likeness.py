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

from typing import ClassVar

import numpy as np

from indistinct.frozen import dataclass
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy.basic_beta_likeness import BetaLikeness, largest_ratio
from indistinct.privacy.values import EXACT, most, shares_of
from indistinct.types import Floats


@dataclass(frozen=True, kw_only=True)
class EnhancedBetaLikeness(BetaLikeness):
    """No value gains more than min(``beta``, -ln p) times its share p in the reference.

    Closed under union for a fixed distribution: a value's share in a merged class lies between its
    shares in the parts.
    """

    model: ClassVar[str] = "enhanced-beta-likeness"

    def highest(self, shares: Floats) -> Floats:
        """The share and beta times it, but -ln p times where that is less."""
        return _highest(shares, self.beta)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The largest gain; None where a gain exceeds -ln p, so that no beta is kept."""
        seen = self.seen(classes)
        unbounded = _highest(shares_of(self, seen), np.inf)
        worst = most(largest_ratio(self, seen, unbounded), seen)
        if worst is None or worst > 1 + EXACT:
            return {"beta": None}
        return super().achieved(classes)


def _highest(shares: Floats, beta: float) -> Floats:
    """The largest share that each value may have in a class, [D]."""
    logarithm = -np.log(np.where(shares > 0, shares, 1.0))
    found: Floats = shares * (1 + np.minimum(beta, logarithm))
    return found
