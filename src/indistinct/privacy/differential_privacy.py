"""(epsilon, delta)-differential privacy of a release of records (Bild, Kuhn and Prasser 2018).

Whether one record more or less was in the table hardly changes how likely any release is: by the
factor exp(epsilon) at most, but for a probability of delta. Three things together give that, and
the method ``safepub`` does them:

* levels are not chosen by looking at the table, or by chance with a bounded influence of every
  record (the share ``search`` of epsilon is spent on that);
* every record is left out at random, and stays with probability 1 - exp(-epsilon);
* classes with fewer than k of the records that stay are suppressed.

The k follows from epsilon and delta, exactly. A record more in a class of n makes its count another
binomial one. How much more likely m records of n are than m of n - 1 depends on m: more than
exp(epsilon) times where m is above gamma n, gamma = 1 - exp(-2 epsilon). What such counts have too
much is at most delta, in a class of any size, where fewer than k are never published. The paper
bounds that by all of their probability, after Li and others: its k is a fifth larger.

    R. Bild, K. A. Kuhn, F. Prasser: "SafePub: A Truthful Data Anonymization Algorithm With Strong
    Privacy Guarantees". PoPETs 2018(1). N. Li, W. Qardaji, D. Su: "On Sampling, Anonymization, and
    Differential Privacy Or, k-Anonymization Meets Differential Privacy". ASIACCS 2012, theorem 5.

What it does not promise: anything about people with several records, about what hierarchies that
were made with a look at the table tell, or about several releases: their epsilons and deltas add
up. The published records alone show no more of it than their k. A missing value is a value like any
other.
"""

from __future__ import annotations

import math
from functools import cache, cached_property
from typing import ClassVar

import numpy as np

from indistinct.frozen import dataclass, field
from indistinct.privacy.k_anonymity import SizeAlone
from indistinct.privacy.parameters import must, number

MUCH = 4.0
"""An epsilon from which on probabilities may differ more than fifty-fold."""

OFTEN = 1e-4
"""A delta from which on somebody of ten thousand may be published as they are."""


@dataclass(frozen=True, kw_only=True)
class DifferentialPrivacy(SizeAlone):
    """One record changes the probability of a release by exp(``epsilon``), but for ``delta``.

    ``search`` is the share of epsilon that is spent on the choice of levels; 0 where a policy
    states them. Closed under supersets: of the classes, size alone matters.
    """

    model: ClassVar[str] = "differential-privacy"
    kept_by: ClassVar[str | None] = "safepub"
    by_policy_alone: ClassVar[bool] = True
    less: ClassVar[str] = "choose a larger epsilon"

    epsilon: float = field(metadata=must(number, least=0.01, most=6, remedy="choose epsilon = 1"))
    """How much a record may change probabilities, at most: by the factor exp(epsilon)."""
    delta: float = field(
        metadata=must(
            number, above=0, most=0.01, remedy="choose delta = 0.000001, far below 1 / records"
        )
    )
    """The probability that it changes them more."""
    search: float = field(default=0.05, metadata=must(number, least=0, most=0.9))
    """The share of epsilon that is spent on choosing levels, from 0 to 0.9."""

    @property
    def on_records(self) -> float:
        """The part of epsilon that drawing records and suppressing classes spends."""
        return self.epsilon * (1 - self.search)

    @property
    def on_levels(self) -> float:
        """The part of epsilon that choosing levels spends."""
        return self.epsilon * self.search

    @property
    def chance(self) -> float:
        """The probability with which a record stays: the largest that epsilon allows.

        >>> round(DifferentialPrivacy(epsilon=1.0, delta=1e-6, search=0.0).chance, 4)
        0.6321
        """
        return -math.expm1(-self.on_records)

    @cached_property
    def size(self) -> int:
        """The least number of published records of a class.

        >>> DifferentialPrivacy(epsilon=1.0, delta=1e-6, search=0.0).size
        58
        """
        return least_size(self.on_records, self.delta)

    @property
    def caution(self) -> str | None:
        """An epsilon or a delta that promises little."""
        found = []
        if self.epsilon >= MUCH:
            found.append(
                f"epsilon = {self.epsilon:g} promises little: with one record more a release may "
                f"be {math.exp(self.epsilon):,.0f} times as likely"
            )
        if self.delta >= OFTEN:
            found.append(
                f"delta = {self.delta:g} promises little in a table of {1 / self.delta:,.0f} "
                "records or more: choose one far below 1 / records"
            )
        return "; ".join(found) or None


@cache
def least_size(epsilon: float, delta: float) -> int:
    """The least size of a published class, where records stay with probability 1 - exp(-epsilon).

    Arguments:
        epsilon: what drawing records and suppressing classes may spend.
        delta: the probability that may be left.

    Source: the hockey-stick divergence of the counts of classes with n and with n - 1 records, for
    every n up to the one from which on a bound of Chernoff's is below delta.
    """
    stays, gamma = -math.expm1(-epsilon), -math.expm1(-2 * epsilon)
    falls = gamma * math.log(gamma / stays) - epsilon * (1 - gamma)
    largest = math.ceil(-math.log(delta) / falls)
    ways = np.concatenate([[0.0], np.log(np.arange(1, largest + 1)).cumsum()])
    found = 1
    for n in range(largest + 1):
        first = max(math.floor(gamma * n * (1 - 1e-12)), found)
        if first > n:
            continue
        counts = np.arange(first, n + 1)
        likely = np.exp(
            ways[n]
            - ways[counts]
            - ways[n - counts]
            + counts * math.log(stays)
            - (n - counts) * epsilon
        )
        beyond = np.maximum(likely * (1 - (n - counts) / n * math.exp(2 * epsilon)), 0.0)
        above = beyond[::-1].cumsum()[::-1] * (1 + 1e-9)  # of this count and of all larger ones
        if above[0] > delta:
            found = first + int(np.count_nonzero(above > delta))
    return found
