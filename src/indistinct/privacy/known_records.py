"""Known records: who knows a person's class and m of the person's items learns little more.

A promise about classes speaks of people who know quasi-identifiers. An attacker who knows some
items of a person too (diagnoses, drugs) looks among the people of the class for those who have
them. Promised is either or both, in every class, of every combination of at most m published items
that somebody has together:

* ``k``: at least k people of the class have it (k^m-anonymity of Terrovitis, Mamoulis and Kalnis
  2008, with the quasi-identifiers beside the items); so every class has k people;
* ``bound``: of those people no larger share has any other item; for m = 0 that is a bound on the
  largest posterior, which is included.

An item that is published as ``*`` is one like others: known, it tells which rows show a
``*``; if all values of the table are known, ``*`` tells what a class does not show: of two values,
the other. So ``bound`` bounds the share of ``*`` too, but where a class shows nothing else.

What it does not promise: anything about other columns, about who knows more than m items, or how
many records a person has. Classes have to be much larger than k for items to be left as they are.
"""

from __future__ import annotations

from typing import ClassVar

from indistinct.errors import PolicyError
from indistinct.frozen import dataclass, field
from indistinct.privacy.parameters import must, number, whole
from indistinct.privacy.promise import BeyondClasses, Closure, Subject
from indistinct.types import Plain


@dataclass(frozen=True, kw_only=True)
class KnownRecords(BeyondClasses):
    """Knowing the class and up to m items leaves k people, or a belief of at most ``bound``.

    After classes are found, the items of each class are generalized to keep it.
    """

    model: ClassVar[str] = "known-records"
    closure: ClassVar[Closure] = "none"
    subject: ClassVar[Subject] = "items"
    applies_to: ClassVar[str] = "the set of items of each person"
    way_out: ClassVar[str] = 'name the person: [source] person = "patient_id", say'
    needs_sensitive: ClassVar[bool] = True

    k: int | None = field(default=None, metadata=must(whole, least=1, remedy="choose k = 5, say"))
    """People of a class who have every combination of items at least."""
    bound: float | None = field(default=None, metadata=must(number, above=0, most=1))
    """The largest share, of the people of a class with some items, that has another."""
    m: int = field(default=1, metadata=must(whole, least=1, remedy="choose m = 1, say"))
    """Items that an attacker knows of a person at most."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k is None and self.bound is None:
            raise PolicyError(
                "missing-setting",
                f"promise '{self.model}' needs 'k' or 'bound'",
                remedy="add k = 5, say, or bound = 0.5",
            )

    @property
    def parameters(self) -> Plain:
        """The parameters that are asked for."""
        return {name: value for name, value in super().parameters.items() if value is not None}

    @property
    def class_size(self) -> int:
        """Who knows the class alone finds k people, too."""
        return self.k or 1
