"""Do k people of a class have every visit that somebody of the class has?

k-anonymity (Sweeney 2002) of people who have a record with some values: the attributes of a visit
beside the quasi-identifiers of the person. A missing value is a value, and so is ``*``.
"""

from __future__ import annotations

import polars as pl

from indistinct.release.audit.check import class_check
from indistinct.release.audit.classes import Asked
from indistinct.release.audit.settings import names, whole
from indistinct.release.audit.verdict import Verdict

MODEL = "known-visit"

_PEOPLE = "\0people"


@class_check(
    MODEL,
    counts="visits",
    settings={"k": whole(1, example=5), "visit": names("date")},
)
def check(asked: Asked) -> Verdict:
    """Whether every class and visit that occur together do so for k people.

    What breaks the promise are such pairs (as classes), and the people who have one (as records).

    Raises:
        PolicyError: If nothing tells people apart.
    """
    person = asked.person
    known = list(dict.fromkeys([*asked.on, *asked["visit"]]))
    held = asked.records.select(person, *known).unique()
    counted = held.group_by(known).agg(pl.len().cast(pl.Int64).alias(_PEOPLE))
    few = counted.filter(pl.col(_PEOPLE) < asked["k"])
    concerned = held.join(few, on=known, how="semi", nulls_equal=True)
    return Verdict(
        requirement=asked.requirement,
        on=asked.on,
        holds=few.is_empty(),
        achieved={"k": counted[_PEOPLE].min()},  # type: ignore[dict-item]
        breaking_classes=few.height,
        breaking_records=concerned[person].n_unique(),
    )
