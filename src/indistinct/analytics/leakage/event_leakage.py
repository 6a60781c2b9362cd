"""What the records of people tell who they are: columns that differ between a person's records.

An attacker knows one value of a person (the day of a visit, a diagnosis) and looks for people with
it. Of n people, m of whom have the value, that tells log2(n / m) bits; m = 1 names the person. A
missing value is nothing to know.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from indistinct.analytics.attacks.unicity import Cells, known_cells
from indistinct.analytics.weighted import Lists, sums
from indistinct.document import PlainData
from indistinct.frozen import dataclass
from indistinct.types import Plain

DRAWS = 5_000
"""Sets of cells that are drawn."""


@dataclass(frozen=True)
class EventLeakage(PlainData):
    """What one value of a person tells, in bits.

    Arguments:
        attribute: the column.
        values: how many different values it has.
        loss: bits that a value of a person tells, the mean over values and people.
        worst: bits that the most telling value of a person does, the mean over people.
        alone: share of people with a value that nobody else has.
    """

    attribute: str
    values: int
    loss: float
    worst: float
    alone: float

    @classmethod
    def of(cls, attribute: str, column: Lists) -> EventLeakage:
        """What the values of people tell."""
        people = len(column)
        known = np.array([label is not None for label in column.labels], np.bool_)
        there = known[column.index] if len(known) else np.zeros(0, np.bool_)
        had = np.bincount(column.index, minlength=len(known))
        bits = np.where(there, np.log2(max(people, 1) / np.maximum(had[column.index], 1)), 0.0)
        number = np.maximum(sums(there.astype(np.int64), column.indptr), 1)
        worst = column.largest_of(bits)
        alone = column.largest_of((there & (had[column.index] == 1)).astype(np.int64))
        return cls(
            attribute,
            int(known.sum()),
            float((sums(bits, column.indptr) / number).mean()) if people else 0.0,
            float(worst.mean()) if people else 0.0,
            float(alone.mean()) if people else 0.0,
        )


def unicity_of(columns: Mapping[str, Lists]) -> Plain:
    """By how many known cells, of any columns and records, how many people are unique."""
    if not columns or len(next(iter(columns.values()))) < 2:
        return {}
    return dict(known_cells(Cells.of(columns), [0], DRAWS)[0])
