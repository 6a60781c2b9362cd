"""Sample uniqueness: few records are the only ones with their quasi-identifiers.

A record that is alone in its class is *unique in the sample*; who of these is unique in the
population as well can be found for certain. The share of such records is the oldest figure of
disclosure risk:

    C. J. Skinner, M. J. Elliot: "A Measure of Disclosure Risk for Microdata". JRSS B 64(4), 2002.

What breaks the promise are unique records, as many as have to be left out until the others have
a share within the bound.

What it does not promise: anything for those who stay unique, nor for classes of two. With a bound
of 0 it is ``k-anonymity`` with k = 2.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from indistinct.frozen import dataclass, field
from indistinct.privacy.average_risk import OfAllClasses
from indistinct.privacy.parameters import must, number
from indistinct.privacy.values import EXACT
from indistinct.types import Ints


@dataclass(frozen=True, kw_only=True)
class SampleUniqueness(OfAllClasses):
    """At most a share of ``bound`` of all records, or people, are alone in their class."""

    model: ClassVar[str] = "sample-uniqueness"

    bound: float = field(metadata=must(number, least=0, most=1))
    """Unique records divided by all records, at most; from 0 to 1."""

    @property
    def class_size(self) -> int:
        """Two records, where nobody may be alone."""
        return 1 if self.bound else 2

    @property
    def largest_violating_size(self) -> int:
        """Classes of two have no unique record.

        >>> SampleUniqueness(bound=0.01).sufficient_size
        2
        """
        return 0 if self.bound == 1 else 1

    def fewest(self, smallest_first: Ints) -> int:
        """So many unique records that the others are a share of the bound.

        >>> SampleUniqueness(bound=0.25).fewest(np.array([1, 1, 1, 6]))
        1
        """
        out = np.arange(np.count_nonzero(smallest_first == 1) + 1)
        unique, left = out[::-1], smallest_first.sum() - out
        kept = unique <= self.bound * (1 + EXACT) * left
        return int(kept.argmax())

    def figure(self, sizes: Ints) -> float:
        """Unique records divided by all records."""
        return int(np.count_nonzero(sizes == 1)) / int(sizes.sum())
