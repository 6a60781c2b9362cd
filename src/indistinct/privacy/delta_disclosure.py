"""delta-disclosure privacy: no value becomes much more or much less likely in a class.

    J. Brickell, V. Shmatikov: "The Cost of Privacy: Destruction of Data-Mining Utility in
    Anonymized Data Publishing". KDD 2008.

With a value's share p in the reference and q in a class, |ln(q / p)| < delta for every value, with
the natural logarithm, strictly. Taken at its word a value of the reference that a class lacks
breaks it for every delta, since the class tells that nobody there has it; hardly any release of a
table with rare values can be so. That is the default, ``absent = "break"``. ``absent = "skip"``
passes over values that a class lacks, as several programs do, and promises nothing against being
told what a person does *not* have.

What it does not promise: small differences where values are rare: delta bounds proportions. A
missing value is a value like any other.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from indistinct.frozen import dataclass, field
from indistinct.kernels.promises import largest_log_ratio
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy.parameters import choice, must, number
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

ABSENT = ("break", "skip")


@dataclass(frozen=True, kw_only=True)
class DeltaDisclosure(AboutValues):
    """In every class |ln(q / p)| < ``delta``: q is a value's share there, p that in the reference.

    ``absent`` is ``break`` or ``skip``. Closed under union for a fixed distribution, if absent
    values break it: a value's share in a merged class lies between its shares in the parts. Skipped
    ones are closed under nothing: merged with a class that lacks the value, a share can fall below
    the bound.
    """

    model: ClassVar[str] = "delta-disclosure"
    closure: ClassVar[Closure] = "union"
    compares: ClassVar[bool] = True

    delta: float = field(metadata=must(number, above=0))
    """What |ln(q / p)| stays below, in natural logarithms."""
    absent: str = field(default="break", metadata=must(choice, known=ABSENT))
    """What a value that a class lacks does: ``break`` the promise, or nothing (``skip``)."""

    @property
    def effective_closure(self) -> Closure:
        """Union with a fixed distribution; nothing where absent values are skipped."""
        return "none" if self.absent == "skip" else super().effective_closure

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and in which a value's share is too different."""
        classes = self.seen(classes)
        broken: Bools = self._largest(classes) >= self.delta * (1 - EXACT)
        return (broken & classes.held) | had_by_all(self, classes)

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """What delta has to lie above; None where no finite one does."""
        classes = self.seen(classes)
        return {"delta": most(self._largest(classes), classes)}

    def _largest(self, classes: ClassTable) -> Floats:
        cells = cells_of(self, classes)
        found = np.empty(len(cells), np.float64)
        shares = shares_of(self, classes)
        if self.about_all:
            largest_log_ratio(cells, shares, self.absent == "break", found)
            return found
        total = cells.sum(axis=1, keepdims=True)
        harmful = self.harmful(domain_of(self, classes)) & (total > 0)
        there, usual = cells.astype(np.bool_), shares.astype(np.bool_)
        ratio = np.where(there & usual, cells / np.maximum(total, 1), 1.0)
        logs = np.abs(np.log(ratio / np.where(there & usual, shares, 1.0)))
        logs[there & ~usual] = np.inf
        if self.absent == "break":
            logs[~there & usual] = np.inf
        found[:] = np.where(harmful, logs, 0.0).max(axis=1, initial=0.0)
        return found
