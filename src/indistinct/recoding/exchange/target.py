"""What every class has to keep of one sensitive attribute: theta, and a bound on the posterior."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from indistinct.frozen import dataclass
from indistinct.privacy.rank_variance import rank_variance_exact

By = Literal["k", "size"]


@dataclass(frozen=True)
class Target:
    """The least rank variance of a class, and the largest share of one value in it.

    Arguments:
        domain: number of values of the sensitive attribute, D.
        k: of theta(k) = mu (k^2 - 1) / 12; 1 asks for no variance.
        mu: of theta(k).
        by: ``k``: one theta(k) for all classes (line 8 of Algorithm 1). ``size``: theta of each
            class's own size.
        posterior: the largest share that one value may have in a class; None for any.
        categories: category of each value, -1 for none, [D]; noise takes an absent category first.
    """

    domain: int
    k: int = 1
    mu: float = 0.6
    by: By = "k"
    posterior: float | None = None
    categories: Sequence[int] = ()

    def threshold(self, size: int) -> Fraction:
        """The least variance of a class of that size."""
        return _threshold(size if self.by == "size" else self.k, self.mu)

    @functools.cached_property
    def share(self) -> Fraction:
        """The largest share of one value."""
        return Fraction(1) if self.posterior is None else Fraction(str(self.posterior))

    def short_of_variance(self, counts: Sequence[int]) -> bool:
        """Whether the variance of these counts lies below the threshold."""
        return rank_variance_exact(counts) < self.threshold(sum(counts))

    def short(self, counts: Sequence[int]) -> bool:
        """Whether a class with these counts breaks the target."""
        return self.short_of_variance(counts) or max(counts) > self.share * sum(counts)

    def kept(self, before: Sequence[int], after: Sequence[int]) -> bool:
        """Whether a change breaks nothing that held, and makes nothing worse that did not."""
        least = rank_variance_exact(before)
        if least >= self.threshold(sum(before)):
            least = self.threshold(sum(after))
        most = max(Fraction(max(before), max(sum(before), 1)), self.share)
        return rank_variance_exact(after) >= least and max(after) <= most * sum(after)


@functools.lru_cache(maxsize=1024)
def _threshold(wide: int, mu: float) -> Fraction:
    return Fraction(str(mu)) * (wide * wide - 1) / 12
