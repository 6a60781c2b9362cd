"""delta-presence: how likely it is that somebody is in the table lies between two bounds.

    M. E. Nergiz, M. Atzori, C. Clifton: "Hiding the Presence of Individuals from Shared Databases".
    SIGMOD 2007.

An attacker who knows the population and a person's class believes that the person is in the table
with the probability: records of the class / people it stands for. It lies between ``lower`` and
``upper`` in every class, for all people of the population: with a lower bound above 0 no class may
consist of people outside the table alone.

A person who fits no record is believed absent. ``absent`` says what that means:

* ``break`` (the default, the only one that keeps the definition): no record may be left out.
* ``suppressed``: people whose class was suppressed are passed over. They are then known to be of a
  class that had records and was left out, perhaps for a share outside the bounds, which was to be
  hidden.
* ``skip``: the promise is about the people of published classes alone.

Suppressed records that are published (``suppressed = "keep"``) are about people who fit no class.
The upper bound holds for these too, but under ``skip``; else the records are left out.

ARX's d-presence is ``suppressed``; beside (c, l)-diversity, which asks for classes of several
records, it is ``skip``.

If people are under several classes, as after local recoding, these are added up; a release that
keeps the bounds by each class alone is withheld.

What it does not promise: that presence is hidden if it follows from elsewhere, or from another
population. In a class of more records than people (the table is no part of the population) the
share is above 1, and no upper bound is kept.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from indistinct.document import rounded
from indistinct.errors import Problem
from indistinct.frozen import dataclass, field
from indistinct.microdata.frequencies import ClassTable, FrequencyTable
from indistinct.privacy.k_map import no_population, people_of
from indistinct.privacy.parameters import choice, must, number
from indistinct.privacy.promise import Closure, Promise
from indistinct.privacy.values import EXACT
from indistinct.types import Bools

ABSENT = ("break", "suppressed", "skip")


@dataclass(frozen=True, kw_only=True)
class DeltaPresence(Promise):
    """In every class, the records are a share of the population from ``lower`` to ``upper``.

    ``absent`` says who may be in no published class without breaking a lower bound: nobody
    (``break``), people of suppressed classes (``suppressed``), or anyone (``skip``). Closed under
    union: the share in a merged class lies between the shares in its parts; but a lower bound that
    skips classes without records is closed under nothing, since they dilute those they are merged
    with.

    A class of size 0 breaks a lower bound that does not skip it, if people of the population are in
    it. No other promise can be broken by classes without records.
    """

    model: ClassVar[str] = "delta-presence"
    closure: ClassVar[Closure] = "union"
    needs_population: ClassVar[bool] = True
    about_population: ClassVar[bool] = True

    lower: float = field(metadata=must(number, least=0, most=1))
    """The smallest share of the people of any class who may be in the table, from 0 to 1."""
    upper: float
    """The largest such share, from 0 to 1."""
    absent: str = field(default="break", metadata=must(choice, known=ABSENT))
    """Who may be in no published class: nobody (``break``), people of ``suppressed`` classes, or
    everybody (``skip``)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        number(self.model, "upper", self.upper, least=self.lower, most=1)

    @property
    def effective_closure(self) -> Closure:
        """Union; nothing for a lower bound that skips classes without records."""
        return "none" if self.lower and self.absent == "skip" else self.closure

    @property
    def keeps_everybody(self) -> bool:
        """Whether suppression breaks it: with a lower bound, if nobody may be suppressed."""
        return bool(self.lower) and self.absent == "break"

    @property
    def relaxation_hint(self) -> str | None:
        """Another ``absent``, where the lower bound is what asks for everybody."""
        if not self.lower or self.absent == "skip":
            return None
        skip = 'absent = "skip", for a promise about people of published classes alone'
        if self.absent == "suppressed":
            return skip
        return f'absent = "suppressed", which passes over people of suppressed classes, or {skip}'

    def infeasible(self, table: FrequencyTable, allowed: int | None = None) -> Problem | None:
        """No population, or one of which the whole table is too large or too small a part."""
        if table.population is None:
            return no_population(self)
        people = int(table.population.sum())
        if self.keeps_everybody:
            allowed = 0
        least = max(table.records - (table.records if allowed is None else allowed), 1)
        share = table.records / max(people, 1)
        if least > self.upper * (1 + EXACT) * people:
            fewer = "allow more to be left out"
            if self.keeps_everybody:
                fewer += f" (and {self.relaxation_hint})"
            return Problem(
                "table-too-large",
                f"{self} cannot be met: the table's records are a share of {share:.3g} of the "
                "population",
                remedy=f"choose a larger upper bound, {fewer}, or name the population from "
                "which the table is a sample",
            )
        if (
            allowed == 0
            and self.absent != "skip"
            and table.records < self.lower * (1 - EXACT) * people
        ):
            return Problem(
                "table-too-small",
                f"{self} cannot be met: the table's records are a share of {share:.3g} of the "
                "population",
                remedy=f"choose a lower bound of at most {rounded(share, up=False)}, or "
                f"{self.relaxation_hint}",
            )
        return None

    def breaks(self, classes: ClassTable) -> Bools:
        """Classes with too small or too large a share."""
        people = people_of(self, classes)
        below = classes.size < self.lower * (1 - EXACT) * people
        if self.absent == "skip":
            below &= classes.held
        above = classes.size > self.upper * (1 + EXACT) * people
        return below | above

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        """The smallest and the largest share; None for that of a class beyond the population."""
        people = people_of(self, classes)
        some = classes.held if self.absent == "skip" else (people > 0) | classes.held
        if not some.any():
            return {"lower": None, "upper": None}
        people, size = people[some], classes.size[some]
        shares = np.divide(size, people, out=np.full(len(size), np.inf), where=people > 0)
        upper = float(shares.max()) if np.isfinite(shares).all() else None
        lowest = float(shares.min())
        return {"lower": lowest if np.isfinite(lowest) else None, "upper": upper}
