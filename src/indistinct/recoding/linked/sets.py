"""The set of values that a person has as one value, its *fingerprint*."""

from __future__ import annotations

import numpy as np

from indistinct.frozen import dataclass
from indistinct.hierarchies.cells import set_text
from indistinct.kernels.linked import number_sets
from indistinct.kernels.ragged import Ragged
from indistinct.metadata import ValueMetadata
from indistinct.microdata.frequencies import Cells
from indistinct.types import Ints32
from indistinct.warning_kinds import Kind

AS_SETS = Kind.LIMIT(
    "all values of a person are published as one set: no single value becomes certain, but "
    "promises other than max-posterior count sets, and one known value of a person may tell "
    "all others"
)


@dataclass(frozen=True)
class Fingerprints:
    """The different sets of values, and everybody's.

    Arguments:
        code: the set of every person, [n].
        labels: the sets as they are published: ``{cough, fever}``; a single value is itself.
        known: the category of every set: the highest of its values.
    """

    code: Ints32
    labels: tuple[str | None, ...]
    known: ValueMetadata


def fingerprints(cells: Cells) -> Fingerprints:
    """The sets of values that people have, with any number of records for each."""
    sets_of = _in_order(cells)
    entries, people = len(sets_of.value), len(sets_of)
    slots = 1 << max(4, int(2 * entries - 1).bit_length() + 1)
    code = np.zeros(people, dtype=np.int32)
    first = np.zeros(people, dtype=np.int64)
    sets = number_sets(
        sets_of.indptr,
        sets_of.value,
        max(len(cells.domain), 1),
        np.full(slots, -1, dtype=np.int64),
        np.empty(slots, dtype=np.int64),
        np.full(entries + 1, -1, dtype=np.int32),
        code,
        first,
    )
    about = cells.about
    categories: dict[str | None, str] = {}
    number: dict[str | None, int] = {}
    became = np.zeros(sets, dtype=np.int32)
    for at, person in enumerate(first[:sets].tolist()):
        held = sets_of[person]
        label = set_text([cells.domain[one] for one in held.tolist()])
        became[at] = number.setdefault(label, len(number))
        if about.categories and (highest := int(about.category_of[held].max(initial=-1))) >= 0:
            categories[label] = about.categories[highest]
    known = ValueMetadata(
        categories=categories, category_order=about.known.category_order if categories else ()
    )
    return Fingerprints(became[code], tuple(number), known)


def _in_order(cells: Cells) -> Ragged:
    """The values of every person in rising order."""
    person = cells.row_of
    same = person[1:] == person[:-1]
    value = cells.value
    if (same & (value[1:] < value[:-1])).any():
        value = value[np.lexsort((value, person))]
    return Ragged(cells.indptr, np.ascontiguousarray(value))
