"""A known number: who knows a person's class and number of records finds k people with as many.

A long release shows how many records each pseudonym has. Neighbours and insurers may know how
often somebody was in hospital, and look for that number among the people of the class. At least k
people of the class have as many: the k-anonymity of Sweeney (2002), of people and their numbers of
records.

What it does not promise: anything about who knows the number and values of records together, or
about values at all. A missing value counts as any other: what is counted is records.
"""

from __future__ import annotations

from typing import ClassVar

from indistinct.frozen import dataclass, field
from indistinct.privacy.parameters import must, whole
from indistinct.privacy.promise import BeyondClasses, Closure, Subject


@dataclass(frozen=True, kw_only=True)
class KnownNumber(BeyondClasses):
    """In every class, k people share each number of records that occurs.

    After classes are found, as few records as possible are left out, drawn at random from people
    with more than others. Then the search starts again with the records that are left.
    """

    model: ClassVar[str] = "known-number"
    closure: ClassVar[Closure] = "none"
    subject: ClassVar[Subject] = "items"
    applies_to: ClassVar[str] = "the number of records of each person"
    way_out: ClassVar[str] = 'name the person: [source] person = "patient_id", say'

    k: int = field(metadata=must(whole, least=1, remedy="choose k = 5, say"))
    """People of a class who have each number of records that occurs."""
