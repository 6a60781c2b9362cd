"""Records taken for people: what an algorithm for single records makes of people with many.

Fazal and others (2023), section 1, scenario II: theta-sensitivity counts rows, and of people with
many records it promises less than it says. A class of k rows may be one person's, whose values it
then lists. To see it, give the records to any algorithm as if each were a person, and count the
people of its classes:

    data, person_of = rows_as_people(linked, "symptom")
    plan = theta_sensitive(data, [promise("theta-sensitive", k=2, sensitive="symptom")])
    people_per_class(plan.class_of, person_of)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from indistinct.microdata.frequencies import Cells, FrequencyTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.recoding.linked.table import LinkedTable


def rows_as_people(linked: LinkedTable, sensitive: str) -> tuple[LeveledTable, NDArray[np.int32]]:
    """A table with a combination for every record, and whose each is.

    Arguments:
        linked: the people and their records.
        sensitive: the attribute whose values the records have. The records of a person follow one
            another in the order of the values.
    """
    own = linked.events[sensitive]
    person_of = np.repeat(own.row_of, own.count).astype(np.int32)
    ones = np.ones(len(person_of), dtype=np.int64)
    each = np.arange(len(person_of) + 1, dtype=np.int64)
    value = np.repeat(own.value, own.count)
    table = FrequencyTable(
        attributes=linked.data.attributes,
        codes=tuple(codes[person_of] for codes in linked.data.table.codes),
        weight=ones,
        sensitive={sensitive: Cells(each, value, ones, own.domain, True, own.known)},
    )
    return replace(linked.data, table=table), person_of


def people_per_class(
    class_of: NDArray[np.int32], person_of: NDArray[np.int32]
) -> NDArray[np.int64]:
    """How many people the records of every class are of, [G]; records in class -1 are in none."""
    there = class_of >= 0
    groups = int(class_of.max(initial=-1)) + 1
    people = int(person_of.max(initial=0)) + 1
    pairs = np.unique(class_of[there].astype(np.int64) * people + person_of[there])
    return np.bincount(pairs // people, minlength=groups)
