"""t-closeness: in every class the sensitive values are spread much as in the whole table.

    N. Li, T. Li, S. Venkatasubramanian: "t-Closeness: Privacy Beyond k-Anonymity and l-Diversity".
    ICDE 2007.

The earth mover's distance between a class's distribution and that of the reference is at most t.
Moving a share from one value to another costs, by ``distance``:

* ``equal``: 1, so that the distance is half the sum of absolute differences;
* ``ordered``: the number of steps between the values in their order, divided by the number of
  values less one. The values are those that occur in the reference; it needs numbers, or an order
  that was stated;
* ``hierarchical``: the height of their lowest common ancestor, divided by that of the hierarchy.
  Because all leaves are equally deep, the cheapest way of moving lets every node pass on only what
  its subtree has too much, and the distance is the mean, over all levels below the root, of half
  the sum of absolute differences between nodes. Values without a common ancestor are a full unit
  apart.

What it does not promise: a bound on what is learnt about one rare value. A value that one in a
thousand has may become a hundred times more likely within t = 0.1; beta-likeness bounds that. A
missing value is a value like any other: the last one of an order, beside all others in a hierarchy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from indistinct.errors import PolicyError, Problem
from indistinct.frozen import dataclass, field
from indistinct.kernels import promises as kernels
from indistinct.kernels.promises import hierarchical, ordered
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy.parameters import choice, must, number
from indistinct.privacy.promise import Closure
from indistinct.privacy.values import (
    CLOSE,
    AboutValues,
    cells_of,
    domain_of,
    had_by_all,
    most,
    shares_of,
)
from indistinct.types import Bools, Floats, Ints

DISTANCES = ("equal", "ordered", "hierarchical")


@dataclass(frozen=True, kw_only=True)
class TCloseness(AboutValues):
    """Every equivalence class is within distance ``t`` of the reference distribution.

    ``distance`` is ``equal``, ``ordered`` or ``hierarchical``. Closed under union for a fixed
    distribution: the distance of a mixture is at most the mixture of the distances, since moving
    each part on its own is one way of moving all.
    """

    model: ClassVar[str] = "t-closeness"
    nothing_at: ClassVar[Mapping[str, float]] = {"t": 1}
    closure: ClassVar[Closure] = "union"
    compares: ClassVar[bool] = True

    t: float = field(metadata=must(number, least=0, most=1))
    """The largest distance of any class, from 0 to 1."""
    distance: str = field(default="equal", metadata=must(choice, known=DISTANCES))
    """How far apart two values are: ``equal``, ``ordered`` or ``hierarchical``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.distance != "equal" and not self.about_all:
            raise PolicyError(
                "bad-parameter",
                f"{self.model} is about some values only, and between these there are no steps",
                remedy='leave out distance, or write distance = "equal"',
            )

    def missing_metadata(self, domain: SensitiveDomain) -> Problem | None:
        """An order of the values, or a hierarchy over them, where the distance needs one."""
        key = f'attributes."{self.sensitive}".hierarchy'
        if self.distance == "ordered" and domain.rank is None:
            return Problem(
                "order-missing",
                f"{self} needs an order of the values, but not all of them are numbers",
                attribute=self.sensitive,
                remedy=f"add {key} = {{ order = {{ values = [...] }} }}, from the smallest value "
                "to the largest",
            )
        if self.distance == "hierarchical" and domain.ancestors is None:
            return Problem(
                "hierarchy-missing",
                f"{self} needs a hierarchy over the values, and there is none",
                attribute=self.sensitive,
                remedy=f"add {key} = {{ file = ... }}, or {{ tree = {{ ... }} }}",
            )
        return None

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and are farther away than t."""
        classes = self.seen(classes)
        far: Bools = self._distances(classes) > self.t + CLOSE
        return (far & classes.held) | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The distance of the farthest class."""
        classes = self.seen(classes)
        return {"t": most(self._distances(classes), classes)}

    def _distances(self, classes: ClassTable) -> Floats:
        cells, shares = cells_of(self, classes), shares_of(self, classes)
        found = np.empty(len(cells), np.float64)
        if not self.about_all:
            # What does not harm is as good as one value.
            harmful = self.harmful(domain_of(self, classes))
            rest = cells[:, ~harmful].sum(axis=1)
            cells = np.column_stack([cells[:, harmful], rest])
            shares = np.append(shares[harmful], shares[~harmful].sum())
        if self.distance == "equal":
            kernels.variation(cells, shares, found)
            return found
        domain = domain_of(self, classes)
        problem = self.missing_metadata(domain)
        if problem is not None:
            raise PolicyError(problem)
        if self.distance == "hierarchical":
            _hierarchical(cells, domain, shares, found)
        else:
            _ordered(cells, domain, shares, found)
        return found


def _ordered(cells: Ints, domain: SensitiveDomain, shares: Floats, found: Floats) -> None:
    assert domain.rank is not None
    order = np.argsort(domain.rank)
    usual = shares.astype(np.bool_)
    ordered(cells, order[usual[order]], shares, found)
    if usual.all():
        return
    # Classes with a value that the reference lacks: all values are steps then.
    strange = np.flatnonzero(cells[:, ~usual].any(axis=1))
    again = np.empty(len(strange), np.float64)
    ordered(cells[strange], order, shares, again)
    found[strange] = again


def _hierarchical(cells: Ints, domain: SensitiveDomain, shares: Floats, found: Floats) -> None:
    assert domain.ancestors is not None
    ancestors = domain.ancestors.astype(np.int64)
    nodes = np.array([len(np.unique(level)) for level in ancestors])
    below = len(ancestors) - 1 if nodes[-1] <= 1 else len(ancestors)
    most = len(shares)
    reference = np.zeros((below, most))
    for level in range(below):
        reference[level] = np.bincount(ancestors[level], shares, most)
    hierarchical(cells, ancestors[:below], nodes, reference, np.empty(most, np.int64), found)
