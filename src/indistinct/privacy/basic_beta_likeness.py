"""Basic beta-likeness: in no class does a value become more than 1 + beta times as likely.

    J. Cao, P. Karras: "Publishing Microdata with a Robust Privacy Guarantee". PVLDB 5(11), 2012,
    basic beta-likeness.

With a value's share p in the reference and q in a class, the relative gain (q - p) / p is at most
beta for every value that becomes more likely. What becomes less likely is not bounded.

What it does not promise: for frequent values, anything: a value with p = 0.4 may become certain
from beta = 1.5 on. :mod:`~indistinct.privacy.enhanced_beta_likeness` mends that. A missing value is
a value like any other.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from indistinct.frozen import dataclass, field
from indistinct.kernels import promises as kernels
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy.parameters import must, number
from indistinct.privacy.promise import Closure
from indistinct.privacy.values import (
    EXACT,
    AboutValues,
    cells_of,
    domain_of,
    had_by_all,
    most,
    shares_of,
)
from indistinct.types import Bools, Floats


@dataclass(frozen=True, kw_only=True)
class BetaLikeness(AboutValues):
    """No value has more than its highest share, ``highest``, in any class.

    Closed under union for a fixed distribution: a value's share in a merged class lies between its
    shares in the parts.
    """

    closure: ClassVar[Closure] = "union"
    compares: ClassVar[bool] = True

    beta: float = field(metadata=must(number, above=0))
    """How much a value may gain, in times its share in the distribution compared with."""

    @abstractmethod
    def highest(self, shares: Floats) -> Floats:
        """The largest share that each value may have in a class, [D], by its share elsewhere."""

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and in which a value gains too much."""
        classes = self.seen(classes)
        ratio = largest_ratio(self, classes, self.highest(shares_of(self, classes)))
        broken: Bools = ratio > 1 + EXACT
        return (broken & classes.held) | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The largest gain; None where a class has a value that the reference lacks."""
        classes = self.seen(classes)
        ratio = most(largest_ratio(self, classes, shares_of(self, classes)), classes)
        return {"beta": None if ratio is None else max(ratio - 1, 0.0)}


@dataclass(frozen=True, kw_only=True)
class BasicBetaLikeness(BetaLikeness):
    """No value gains more than ``beta`` times its share in the reference distribution.

    Closed under union for a fixed distribution: a value's share in a merged class lies between its
    shares in the parts.
    """

    model: ClassVar[str] = "basic-beta-likeness"

    def highest(self, shares: Floats) -> Floats:
        """The share and beta times it."""
        return shares * (1 + self.beta)


def largest_ratio(promise: AboutValues, classes: ClassTable, base: Floats) -> Floats:
    """For every class the largest quotient of a harmful value's share and its base, [G].

    Arguments:
        promise: says which values are harmful.
        classes: the classes, and how often values occur in each, [G, D].
        base: what the share of each value is divided by, [D].
    """
    cells = cells_of(promise, classes)
    if not promise.about_all:
        base = np.where(promise.harmful(domain_of(promise, classes)), base, np.inf)
    found = np.empty(len(cells), np.float64)
    kernels.largest_ratio(cells, base, found)
    return found
