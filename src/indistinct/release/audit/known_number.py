"""Do k people of a class have every number of records that somebody of the class has?

k-anonymity (Sweeney 2002) of people by their numbers of records, beside the quasi-identifiers.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import Asked
from indistinct.release.audit.settings import whole
from indistinct.release.audit.verdict import Verdict

MODEL = "known-number"

_NUMBER, _PEOPLE = "\0number", "\0people"


@class_check(MODEL, counts="visits", settings={"k": whole(1, example=5)})
def check(asked: Asked) -> Verdict:
    """Whether every class and number of records that occur together do so for k people.

    What breaks the promise are such pairs (as classes), and the people who have one (as records).

    Raises:
        PolicyError: If nothing tells people apart.
    """
    person, on = asked.person, list(asked.on)
    held = asked.records.group_by(person, *on).agg(pl.len().alias(_NUMBER))
    counted = held.group_by(*on, _NUMBER).agg(pl.len().cast(pl.Int64).alias(_PEOPLE))
    few = counted.filter(pl.col(_PEOPLE) < asked["k"])
    return Verdict(
        requirement=asked.requirement,
        on=asked.on,
        holds=few.is_empty(),
        achieved={"k": counted[_PEOPLE].min()},  # type: ignore[dict-item]
        breaking_classes=few.height,
        breaking_records=int(few[_PEOPLE].sum()),
    )
