"""k-map: everybody shares the quasi-identifiers with k - 1 others of the population.

    L. Sweeney: "Computational Disclosure Control: A Primer on Data Privacy Protection". PhD thesis,
    MIT, 2001; K. El Emam, F. K. Dankar: "Protecting Privacy Using k-Anonymity". JAMIA
    15(5), 2008.

Weaker than k-anonymity where the table is a sample: who does not know whether a person is in it has
to reckon with all people of the population that the class stands for, and they are k or more.

What it does not promise: anything against somebody who knows that the person is in the table; and
nothing if the population that was given is not the attacker's. Where people are under several
classes, as after local recoding, a comparison of these may leave fewer: the
certificate says so where that may be.
"""

from __future__ import annotations

from typing import ClassVar

from indistinct.document import many
from indistinct.errors import PolicyError, Problem
from indistinct.frozen import dataclass, field
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.parameters import must, whole
from indistinct.privacy.promise import Closure, Promise
from indistinct.privacy.values import least
from indistinct.types import Bools, Ints


@dataclass(frozen=True, kw_only=True)
class KMap(Promise):
    """Every equivalence class stands for at least ``k`` people of the population.

    Closed under supersets: a class that grows stands for the same people and more.
    """

    model: ClassVar[str] = "k-map"
    closure: ClassVar[Closure] = "superset"
    needs_population: ClassVar[bool] = True
    about_population: ClassVar[bool] = True

    k: int = field(metadata=must(whole, least=1, remedy="choose k = 5 or more"))
    """People of the population that every class stands for at least."""

    @property
    def sufficient_size(self) -> int:
        """With k records a class stands for as many people of the population; fewer may do."""
        return self.k

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """No population, or one of fewer than k people."""
        if table.population is None:
            return no_population(self)
        people = int(table.population.sum())
        if people >= self.k:
            return None
        return Problem(
            "k-exceeds-population",
            f"{self} cannot be met: the population has only {many(people, 'person')}",
            remedy="choose a smaller k, or name the population from which the table is a sample",
        )

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes that hold somebody, and stand for fewer than k people."""
        broken: Bools = people_of(self, classes) < self.k
        return broken & classes.held

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The smallest number of people that a class stands for."""
        return {"k": least(people_of(self, classes), classes)}


def people_of(promise: Promise, classes: ClassTable) -> Ints:
    """The people of the population in every class, [G].

    Raises:
        PolicyError: If no population is given.
    """
    if classes.population is None:
        raise PolicyError(no_population(promise))
    return classes.population


def no_population(promise: Promise) -> Problem:
    """The problem that a promise compares with a population, and there is none."""
    return Problem(
        "population-missing",
        f"{promise} compares with the population, and none is given",
        remedy="add population = { file = ... } to [risk]",
    )
