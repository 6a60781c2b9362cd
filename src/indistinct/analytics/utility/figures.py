"""What a release is still good for, as a stranger with the original table computes it.

Over classes E of the release, of |E| records each:

* **Discernibility penalty** DCP, the sum of |E|^2 (Khan and others 2020, equation 2; Bayardo and
  Agrawal 2005). With classes of at least k records it cannot be below :func:`least_dcp`.
* **Average class size** C_AVG, records per class over k (equation 3; LeFevre and others 2006).

Over cells:

* **Normalized certainty penalty** NCP (:mod:`indistinct.measures.certainty`). A record costs the
  sum over attributes, each times its weight; a record of the table that is in no class costs all
  weights. The total is the sum over records; normalized, it is divided by what it would be if
  everything were suppressed.
* **Loss** as in :mod:`indistinct.measures.loss`: the share of leaves that a cell stands for, put on
  a scale from 0 (every cell a value) to 1 (every record suppressed).

``quality`` turns some of this round, and adds more: 1 is what the table itself has, 0 a release of
nothing (Prasser and others 2020; :mod:`indistinct.analytics.utility.quality`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from indistinct.analytics.published import Original, PublishedCells, PublishedRows
from indistinct.analytics.utility.quality import Quality, quality_of
from indistinct.document import PlainData
from indistinct.errors import DataError, Problem, Problems, did_you_mean, refuse
from indistinct.frozen import dataclass, field
from indistinct.measures.certainty import Domain
from indistinct.types import Floats, Ints, Ints32, Plain


@dataclass(frozen=True)
class CertaintyPenalty(PlainData):
    """The normalized certainty penalty of a release.

    Arguments:
        total: the weighted sum over records and attributes.
        normalized: the total over what suppressing everything costs, from 0 to 1.
        per_attribute: the mean over records, from 0 to 1, without weights.
        of_class: what each record of each class costs, [G].
    """

    total: float
    normalized: float
    per_attribute: Mapping[str, float]
    of_class: Floats = field(repr=False, compare=False)


@dataclass(frozen=True)
class Utility:
    """What is left of a table in a release.

    Arguments:
        original: the table.
        published: the release, read against it.
        added: records of the release that are not in the table, where that is known.
        k: the size of classes that was asked for, where one was.
        weights: of quasi-identifiers, for the certainty penalty; 1 where not named.
    """

    original: Original
    published: PublishedRows
    added: int | None = None
    k: int | None = None
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        problems = Problems(
            Problem(
                "bad-weight",
                f"a weight was given for '{name}': {did_you_mean(name, self.original.attributes)}",
            )
            for name in self.weights
            if name not in self.original.attributes
        )
        weights = [self.weights.get(name, 1.0) for name in self.original.attributes]
        if not all(0 <= weight < math.inf for weight in weights) or not any(weights):
            problems.add(
                "bad-weight", "weights must be finite and not negative, one at least above 0"
            )
        if self.k is not None and self.k < 1:
            problems.add("bad-setting", f"k must be 1 or more, not {self.k}")
        refuse(DataError, problems)

    @cached_property
    def suppressed(self) -> int:
        """Records of the table that are in no class of the release.

        Where it is not known how many records were added, as few as there can be.
        """
        return max(self.original.records - (self.published.kept - (self.added or 0)), 0)

    @property
    def records(self) -> int:
        """Records that measures speak of: those in classes, and those that were suppressed."""
        return self.published.kept + self.suppressed

    @property
    def noise_ratio(self) -> float | None:
        """Records that were added, as a share of the table's; None where it is not known."""
        return None if self.added is None else self.added / self.original.records

    @cached_property
    def dcp(self) -> int:
        """Discernibility penalty of the classes: the sum of their squared sizes."""
        return dcp(self.published.size)

    @property
    def dcp_least(self) -> int | None:
        """The least penalty that classes of k of these records can have; None without k."""
        if self.k is None or self.published.kept < self.k:
            return None
        return least_dcp(self.published.kept, self.k)

    @property
    def c_avg(self) -> float | None:
        """Records per class over k; None without k, or without a class."""
        return None if self.k is None else c_avg(self.published.size, self.k)

    @cached_property
    def ncp(self) -> CertaintyPenalty:
        """The normalized certainty penalty."""
        size = self.published.size
        of_class = np.zeros(len(size))
        means, total, everything = {}, 0.0, 0.0
        records = self.records
        for name, domain, cells, codes in self._columns():
            weight = self.weights.get(name, 1.0)
            cost = ncp_of_cells(domain, cells)[codes]
            own = float((cost * size).sum()) + self.suppressed
            of_class += weight * cost
            total += weight * own
            everything += weight * records
            means[name] = own / records if records else 0.0
        normalized = total / everything if everything else 0.0
        return CertaintyPenalty(total, normalized, means, of_class)

    @cached_property
    def loss(self) -> dict[str, float]:
        """Loss of every quasi-identifier, from 0 to 1."""
        records, size = self.records, self.published.size
        found = {}
        for name, domain, cells, codes in self._columns():
            leaves = len(domain)
            covered = np.where(cells.suppressed, leaves, cells.covered)[codes]
            under = int((covered * size).sum()) + leaves * self.suppressed
            spread = records * (leaves - 1)
            found[name] = (under - records) / spread if spread else 0.0
        return found

    @property
    def mean_loss(self) -> float:
        """The mean of the quasi-identifiers' losses."""
        return float(np.mean(list(self.loss.values())))

    @property
    def missings(self) -> float:
        """Share of cells that are suppressed, or left out with their record."""
        if not self.records:
            return 0.0
        stars = [
            int(self.published.size[cells.suppressed[codes]].sum()) + self.suppressed
            for _, _, cells, codes in self._columns()
        ]
        return sum(stars) / (len(stars) * self.records)

    @property
    def discernibility(self) -> int:
        """The penalty of the classes, and of each suppressed record as if it could be any."""
        return self.dcp + self.suppressed * self.records

    @property
    def average_class_size(self) -> float:
        """Records per class, the suppressed ones taken as one more class."""
        return self.records / max(self.published.classes + (self.suppressed > 0), 1)

    @cached_property
    def quality_by_attribute(self) -> Quality:
        """What is left of every attribute, and of whole records."""
        return quality_of(self.original, self.published, self.suppressed, self.loss)

    @property
    def quality(self) -> dict[str, float | None]:
        """Figures from 0 (nothing left) to 1 (as the table itself).

        None for those that need numbers, where no quasi-identifier is numeric.
        """
        own = self.original
        records = float(max(self.records, own.records))
        further = self.quality_by_attribute
        return {
            "missings": 1.0 - self.missings,
            "generalization_intensity": further.mean("generalization_intensity"),
            "granularity": 1.0 - self.mean_loss,
            "non_uniform_entropy": further.non_uniform_entropy,
            "squared_error": further.mean("squared_error"),
            "discernibility": _turned(self.discernibility, dcp(own.weight), records**2),
            "average_class_size": _turned(
                self.average_class_size, own.records / own.combinations, records
            ),
            "kl_divergence": further.kl_divergence,
            "row_squared_error": further.row_squared_error,
            "ambiguity": further.ambiguity,
        }

    def to_dict(self) -> Plain:
        """The figures as plain data."""
        size = self.published.size
        return {
            "rows": self.published.rows,
            "suppressed": self.suppressed,
            "classes": {
                "count": len(size),
                "smallest": int(size.min()) if len(size) else None,
                "mean": float(size.mean()) if len(size) else None,
                "largest": int(size.max()) if len(size) else None,
            },
            "ncp": self.ncp.to_dict(),
            "loss": {"mean": self.mean_loss, "per_attribute": dict(self.loss)},
            "k": self.k,
            "dcp": self.dcp,
            "dcp_least": self.dcp_least,
            "c_avg": self.c_avg,
            "quality": {
                **self.quality,
                "per_attribute": {
                    name: own.to_dict()
                    for name, own in self.quality_by_attribute.per_attribute.items()
                },
            },
            "noise_ratio": self.noise_ratio,
        }

    def _columns(self) -> list[tuple[str, Domain, PublishedCells, Ints32]]:
        published = self.published
        return [
            (name, domain, cells, codes)
            for (name, domain), cells, codes in zip(
                self.original.domains.items(), published.cells, published.codes, strict=True
            )
        ]


def dcp(sizes: Ints) -> int:
    """The discernibility penalty of classes of these sizes (Khan and others 2020, equation 2).

    >>> dcp(np.array([4, 4, 5]))
    57
    """
    size, often = np.unique(sizes, return_counts=True)
    return sum(one * one * times for one, times in zip(size.tolist(), often.tolist(), strict=True))


def c_avg(sizes: Ints, k: int) -> float | None:
    """Records per class over k (Khan and others 2020, equation 3); None without a class.

    >>> c_avg(np.array([4, 4, 4]), 4)
    1.0
    """
    return float(sizes.sum()) / len(sizes) / k if len(sizes) else None


def least_dcp(records: int, k: int) -> int:
    """The least penalty that so many records in classes of at least k each can have.

    As many classes as there can be, as even as they can be. The paper's baseline, records times k,
    is reached only where k divides the records.

    Raises:
        ValueError: where there are fewer records than k.

    >>> least_dcp(10, 2), least_dcp(160_150, 4)
    (20, 640610)
    """
    if not 1 <= k <= records:
        raise ValueError("there must be at least k records, and k must be 1 or more")
    classes = records // k
    size, larger = divmod(records, classes)
    return (classes - larger) * size**2 + larger * (size + 1) ** 2


def ncp_of_cells(domain: Domain, cells: PublishedCells) -> Floats:
    """The certainty penalty of every published cell of an attribute, from 0 to 1, [L]."""
    return domain.penalties(cells.covered, cells.low, cells.high, cells.suppressed)


def _turned(value: float, least: float, most: float) -> float:
    """A figure on a scale from 0 (the worst) to 1 (the best)."""
    if most <= least:
        return 1.0
    return min(max(1.0 - (value - least) / (most - least), 0.0), 1.0)
