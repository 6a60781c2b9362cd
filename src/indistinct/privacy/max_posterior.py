"""A bound on the largest posterior: in no class is a sensitive value more likely than the bound.

An attacker who knows only a person's class believes in a value as much as it is frequent
there. The bound is on that belief, for every value. It is the promise that rank variance needs
beside it: alone it lets a class of a hundred have ninety equal values
(:mod:`~indistinct.privacy.rank_variance`). The same as (alpha,k)-anonymity without the k.

What it does not promise: that little is *learnt*. Where a value is rare, half is far more than was
known before. Compare with a distribution for that: t-closeness, beta-likeness. A missing value is a
value like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.kernels.promises import largest
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.parameters import choice, must, number
from indistinct.privacy.promise import Closure
from indistinct.privacy.values import (
    EXACT,
    LEAVE_OUT,
    AboutValues,
    beside_one,
    evened,
    most,
    present,
    too_uneven,
)
from indistinct.types import Bools, Plain

OVER = ("release", "releases")


@dataclass(frozen=True, kw_only=True)
class MaxPosterior(AboutValues):
    """No value of the sensitive attribute has more than a share of ``bound`` in any class.

    Closed under union: a value's share in a merged class lies between its shares in the parts.
    """

    model: ClassVar[str] = "max-posterior"
    nothing_at: ClassVar[Mapping[str, float]] = {"bound": 1}
    closure: ClassVar[Closure] = "union"

    bound: float = field(default=0.5, metadata=must(number, above=0, most=1))
    """The largest share of a class that any value may have, above 0 and at most 1."""
    over: str = field(default="release", metadata=must(choice, known=OVER))
    """What the bound is on: the belief by each ``release``, or by all ``releases`` of the ledger
    together, and then on what no reader can exceed."""

    @property
    def parameters(self) -> Plain:
        """The bound, and what it is on where that is not each release."""
        found = super().parameters
        return found if found.pop("over") == "release" else {**found, "over": self.over}

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """A value whose share stays above the bound with any suppression."""
        return share_too_large(self, "a bound", self.bound, table, allowed)

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and in which a value is too frequent."""
        classes = self.seen(classes)
        cells = self.harmful_cells(classes)
        total, top = np.empty(len(cells), np.int64), np.empty(len(cells), np.int64)
        largest(cells, total, top)
        broken: Bools = top > self.bound * (1 + EXACT) * classes.size
        return broken & classes.held

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The largest share of a value in a class."""
        classes = self.seen(classes)
        shares = self.harmful_cells(classes).max(axis=1, initial=0) / np.maximum(classes.size, 1)
        return {"bound": most(shares, classes)}


def share_too_large(
    promise: AboutValues, name: str, bound: float, table: FrequencyTable, allowed: int | None
) -> Problem | None:
    """The problem that a value's share in the whole release stays above a bound on all classes.

    Arguments:
        promise: whose bound it is.
        name: what the bound is called.
        bound: the largest share.
        table: the table to be released.
        allowed: records that may be left out; None for any number.
    """
    totals = present(promise, table)
    if totals is None or not totals.any() or not promise.about_all:
        return None
    share = float(evened(promise, table, allowed)[0])
    if share <= bound * (1 + EXACT):
        return None
    return too_uneven(
        promise,
        allowed,
        f"the most frequent value has a share of {share:.3g} in the whole table",
        f"choose {name} of at least {beside_one(share, up=True)}, or allow more to be left out, or "
        'name the values that do harm: values = ["…"]'
        if share < 1
        else LEAVE_OUT,
    )
