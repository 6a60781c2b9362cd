"""Average risk: whoever looks for everybody finds at most a share of them.

The chance to find a person of a class of n is 1 / n. Its average over all records is the number of
classes divided by that of the records: what an attacker finds who guesses for everybody, the
marketer (Dankar and El Emam 2010). Guidelines for data that are shared under a contract bound it:

    K. El Emam: "Guide to the De-Identification of Personal Health Information". CRC Press, 2013,
    chapters 16 and 18.

A table keeps or breaks it as a whole. So what breaks it are the smallest classes, as many as have
to be left out until the others keep it: no other classes that keep it have more records.

What it does not promise: anything for one person, who may be the only one of a class. Promise
``k-anonymity`` beside it, with k = 3 or more.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np

from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.k_anonymity import too_few_records
from indistinct.privacy.parameters import must, number
from indistinct.privacy.promise import Closure, Promise, Subject
from indistinct.privacy.values import EXACT
from indistinct.types import Bools, Ints


@dataclass(frozen=True, kw_only=True)
class OfAllClasses(Promise):
    """A promise that all classes keep together: a share of the records is bounded.

    No class keeps it by itself, so that it is closed under nothing. But generalization does not
    make more records be left out: classes that keep it still do where some of them merge, or get
    more records.
    """

    subject: ClassVar[Subject] = "together"
    closure: ClassVar[Closure] = "none"

    bound: float

    @property
    def sufficient_size(self) -> int:
        """Classes as large are never left out."""
        return self.largest_violating_size + 1

    @property
    @abstractmethod
    def largest_violating_size(self) -> int:
        """The largest class that may have to be left out."""

    @abstractmethod
    def fewest(self, smallest_first: Ints) -> int:
        """How many classes have to be left out, the smallest first.

        Arguments:
            smallest_first: the sizes of classes that hold somebody, ascending.
        """

    @abstractmethod
    def figure(self, sizes: Ints) -> float:
        """What is bounded, for classes of these sizes; there is one at least."""

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """A table that is too small even as one class."""
        return too_few_records(self, self.sufficient_size, table, "choose a larger bound")

    def breaks(self, classes: ClassTable) -> Bools:
        """The smallest classes, as many as have to be left out; of equal ones the first."""
        held = np.flatnonzero(classes.held)
        order = held[np.argsort(classes.size[held], kind="stable")]
        broken = np.zeros(len(classes.size), dtype=np.bool_)
        broken[order[: self.fewest(classes.size[order])]] = True
        return broken

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """What is bounded, over all classes that hold somebody."""
        sizes = classes.size[classes.held]
        return {"bound": self.figure(sizes) if len(sizes) else None}


@dataclass(frozen=True, kw_only=True)
class AverageRisk(OfAllClasses):
    """Of all records, an attacker who guesses a person for each is right in a share of ``bound``.

    The share that is right in the long run: the number of classes divided by that of the records.
    """

    model: ClassVar[str] = "average-risk"

    bound: float = field(
        metadata=must(number, above=0, most=1, remedy="choose bound = 0.05, or 0.1")
    )
    """Classes divided by records, or people, at most; above 0 and at most 1."""

    @property
    def largest_violating_size(self) -> int:
        """A class of 1 / bound is as large as all have to be on average.

        >>> AverageRisk(bound=0.05).largest_violating_size
        19
        """
        return math.ceil(min(1 / self.bound, 2.0**62) * (1 - EXACT)) - 1

    def fewest(self, smallest_first: Ints) -> int:
        """The larger ones that are left are large enough on average.

        >>> AverageRisk(bound=0.25).fewest(np.array([1, 1, 2, 8]))
        2
        """
        without = np.concatenate([[0], smallest_first.cumsum()])
        units = without[-1] - without
        left = np.arange(len(smallest_first), -1, -1)
        kept = left <= self.bound * (1 + EXACT) * units
        return int(kept.argmax())

    def figure(self, sizes: Ints) -> float:
        """Classes divided by records."""
        return len(sizes) / int(sizes.sum())
