"""The certainty penalty: how much of what an attribute can be a published cell leaves open.

A range of numbers, or a node of the hierarchy that is one, costs its width over that of the table's
own range, ends beyond it cut off; another node, or a set, the share of the hierarchy's leaves that
it stands for; a single value nothing; ``*`` one (Xu and others, KDD 2006, section 3.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from indistinct.frozen import dataclass
from indistinct.hierarchies.cells import Coverage, members_of, range_of
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy
from indistinct.microdata.domains import numbers_of
from indistinct.types import Bools, Floats, Ints

EXACT = 2.0**53
"""Above this size not every whole number can be told from its neighbours."""


@dataclass(frozen=True, eq=False)
class Domain:
    """The values that one quasi-identifier can have, and how many records of the table have each.

    ``counts`` is over the D leaves of the hierarchy. An attribute is *numeric* if all its values
    (missing ones and those that the hierarchy suppresses aside) are numbers.
    """

    taxonomy: Taxonomy
    counts: Ints

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def numbers(self) -> Floats | None:
        """The leaves as numbers, NaN for those that are none, [D]; None: not numeric."""
        leaves = self.taxonomy.leaves
        outside = set(self.taxonomy.suppressed)
        found = numbers_of([None if leaf in outside else leaf for leaf in leaves])
        if found is None or not (self.counts[np.isfinite(found)] > 0).any():
            return None
        return np.array(found)

    @cached_property
    def span(self) -> tuple[float, float]:
        """The smallest and the largest number in the table; NaN where it is not numeric."""
        if self.numbers is None:
            return math.nan, math.nan
        there = self.numbers[(self.counts > 0) & np.isfinite(self.numbers)]
        return float(there.min()), float(there.max())

    @cached_property
    def whole(self) -> bool:
        """Whether all numbers in the table are whole ones."""
        if self.numbers is None:
            return False
        there = self.numbers[(self.counts > 0) & np.isfinite(self.numbers)]
        return bool(((there == np.floor(there)) & (np.abs(there) < EXACT)).all())

    @cached_property
    def sorted_numbers(self) -> Floats:
        """The numbers among the leaves, rising."""
        numbers = np.zeros(0) if self.numbers is None else self.numbers
        return np.sort(numbers[np.isfinite(numbers)])

    def ends(self, label: Label, places: Sequence[int] | None) -> tuple[float, float] | None:
        """The ends of the interval that a cell is; None where it is none.

        Arguments:
            label: the cell.
            places: the leaves that it stands for; None if it cannot be read by the hierarchy.
        """
        numbers = self.numbers
        if numbers is None or label is None or members_of(label) is not None:
            return None
        if label == SUPPRESSED:
            return self.span
        if self.taxonomy.dates is None and (ends := range_of(label)) is not None:
            low = float(ends[0]) if ends[0].is_finite() else self.span[0]
            high = float(ends[1]) if ends[1].is_finite() else self.span[1]
            return low, high
        if places is None:
            alone = numbers_of([label])
            return None if alone is None else (alone[0], alone[0])
        under = numbers[np.asarray(places, dtype=np.int64)]
        under = under[np.isfinite(under)]
        if not len(under):
            return None
        low, high = float(under.min()), float(under.max())
        inside = self.sorted_numbers
        between = np.searchsorted(inside, high, "right") - np.searchsorted(inside, low, "left")
        return (low, high) if between == len(under) else None

    def penalties(self, covered: Ints, low: Floats, high: Floats, suppressed: Bools) -> Floats:
        """What cells cost, from 0 to 1, [L].

        Arguments:
            covered: how many leaves each stands for, [L].
            low: where the interval that it is begins, NaN where it is none, [L].
            high: where that interval ends, [L].
            suppressed: which are ``*``, [L].
        """
        cost = np.where(covered > 1, covered / len(self), 0.0)
        inside = ~np.isnan(low)
        if inside.any():
            least, most = self.span
            width = np.clip(high[inside], least, most) - np.clip(low[inside], least, most)
            cost[inside] = width / (most - least) if most > least else 0.0
        cost[suppressed] = 1.0
        return cost

    def penalties_of(self, labels: Sequence[Label], covered: Ints) -> Floats:
        """The same of cells by their labels.

        Arguments:
            labels: the cells, L of them.
            covered: how many leaves each stands for, [L].
        """
        ends = np.full((2, len(labels)), np.nan)
        if self.numbers is not None:
            coverage = Coverage(self.taxonomy)
            read = self.taxonomy.dates is None
            for at, label in enumerate(labels):
                places = () if read and range_of(label) else coverage.places(label)
                ends[:, at] = self.ends(label, places) or math.nan
        suppressed = np.array([label == SUPPRESSED for label in labels], dtype=np.bool_)
        return self.penalties(covered, ends[0], ends[1], suppressed)
