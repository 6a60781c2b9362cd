"""A known visit: who knows a person's class and one of the person's visits finds k people with it.

Quasi-identifiers of a visit (its date, its ward, how long it took) differ between the records of a
person. An attacker knows one visit and the person's own quasi-identifiers, and looks for people of
the class who have such a visit. At least k people have it: the k-anonymity of Sweeney (2002), of
people who have a record with these values.

What it does not promise: anything about who knows two visits of a person together, about sensitive
values of the visit that is found, or how many visits a person has.
"""

from __future__ import annotations

from typing import ClassVar

from indistinct.frozen import dataclass, field
from indistinct.privacy.parameters import must, whole
from indistinct.privacy.promise import BeyondClasses, Closure, Subject


@dataclass(frozen=True, kw_only=True)
class KnownVisit(BeyondClasses):
    """For every published visit, k people of the class have one like it.

    After classes are found, the attributes of visits are generalized, the same for everyone. Visits
    that are still rare become ``*``. A missing value is a value like any other.
    """

    model: ClassVar[str] = "known-visit"
    closure: ClassVar[Closure] = "none"
    subject: ClassVar[Subject] = "items"
    applies_to: ClassVar[str] = "the visits of each person"
    way_out: ClassVar[str] = 'name the person: [source] person = "patient_id", say'

    k: int = field(metadata=must(whole, least=1, remedy="choose k = 5, say"))
    """People of a class who have a visit like each that is published."""
    visit: tuple[str, ...] = ()
    """The attributes of a visit: the quasi-identifiers with ``level = "event"``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "visit", tuple(self.visit))
