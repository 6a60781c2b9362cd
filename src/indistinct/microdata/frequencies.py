"""What an algorithm sees of a table: its distinct combinations, and how often each occurs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from indistinct.frozen import dataclass, field
from indistinct.kernels.ragged import Counted
from indistinct.metadata import NO_METADATA, ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.types import Bools, Ints, Ints32

Codes = NDArray[np.unsignedinteger]


@dataclass(frozen=True, eq=False)
class Cells(Counted):
    """How often each value of one sensitive attribute occurs in each combination.

    Arguments:
        indptr: combination ``c`` has the values ``value[indptr[c]:indptr[c + 1]]``, [C + 1].
        value: codes of values, [entries].
        count: units of the combination that have the value, [entries].
        domain: the values' labels in code order, [D].
        exclusive: one unit has one value, so that the counts of a combination add up to its weight;
            false for people with several values.
        known: what is known of the values otherwise.
    """

    domain: tuple[str | None, ...]
    exclusive: bool = True
    known: ValueMetadata = NO_METADATA

    @property
    def about(self) -> SensitiveDomain:
        """The domain with what is known of it."""
        return SensitiveDomain(self.domain, self.known, self.exclusive)

    @property
    def totals(self) -> Ints:
        """How often each value occurs in all combinations together, [D]."""
        found = np.bincount(self.value, weights=self.count, minlength=len(self.domain))
        return np.rint(found).astype(np.int64)


@dataclass(frozen=True)
class FrequencyTable:
    """The distinct combinations of quasi-identifier codes, in canonical order, with their weights.

    ``codes[j][c]`` is the leaf code of attribute ``attributes[j]`` in combination ``c``; rows are
    sorted by code, so the table is the same for every engine. ``weight[c]`` is the
    number of units (records, or people) with that combination.

    ``population[c]`` is how many people of a population table have the combination, where one was
    given; combinations that only the population has weigh 0 then.
    """

    attributes: tuple[str, ...]
    codes: tuple[Codes, ...]
    weight: Ints
    sensitive: Mapping[str, Cells] = field(default_factory=dict)
    unit: str = "record"
    population: Ints | None = None

    @property
    def combinations(self) -> int:
        """Number of distinct combinations, C."""
        return len(self.weight)

    @property
    def records(self) -> int:
        """Number of units in the table, n."""
        return int(self.weight.sum())

    def together(self) -> ClassTable:
        """Everybody in one class: what is left where all combinations are published alike."""
        totals = {name: own.totals for name, own in self.sensitive.items()}
        people = None if self.population is None else self.population.sum(keepdims=True)
        return ClassTable(
            class_of=np.zeros(self.combinations, np.int32),
            size=np.array([self.records]),
            cells={name: own[None, :] for name, own in totals.items()},
            reference=totals,
            domains={name: own.about for name, own in self.sensitive.items()},
            population=people,
        )

    def restricted(self, rows: Ints32) -> FrequencyTable:
        """Some of the combinations, in the order given."""
        return FrequencyTable(
            attributes=self.attributes,
            codes=tuple(codes[rows] for codes in self.codes),
            weight=self.weight[rows],
            sensitive={name: cells.select(rows) for name, cells in self.sensitive.items()},
            unit=self.unit,
            population=None if self.population is None else self.population[rows],
        )


@dataclass(frozen=True)
class ClassTable:
    """Equivalence classes over one set of attributes, as a promise sees them.

    ``size[g]`` is the number of units in class ``g``; ``cells[name]`` is the dense [G, D] count of
    each sensitive value per class; ``reference[name]`` is the [D] count of the distribution that a
    promise compares with; ``domains[name]`` is what is known of the values. ``population[g]`` is
    the number of people of the population in the class. ``class_of[c]`` is the class of combination
    ``c``.
    """

    class_of: Ints32
    size: Ints
    cells: Mapping[str, Ints] = field(default_factory=dict)
    reference: Mapping[str, Ints] = field(default_factory=dict)
    domains: Mapping[str, SensitiveDomain] = field(default_factory=dict)
    population: Ints | None = None

    @property
    def held(self) -> Bools:
        """Which classes hold somebody, [G]."""
        return self.size > 0
