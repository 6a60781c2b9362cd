"""Random classes of sensitive values, and how the package sees them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from indistinct.metadata import ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable

LABELS = ("1", "2", "3", "4", "5", None)

KNOWN = ValueMetadata(
    categories={"1": "low", "2": "low", "3": "middle", "4": "high", "5": "top", None: "low"},
    category_order=("low", "middle", "high", "top"),
    chains=(
        ("1", "small", "*"),
        ("2", "small", "*"),
        ("3", "large", "*"),
        ("4", "large", "*"),
        ("5", "5", "*"),
    ),
    ranks={"1": 4, "2": 4, "3": 3, "4": 2, "5": 1, None: 4},
)
"""Four categories from the least to the most sensitive; no chain for the missing value."""

DOMAIN = SensitiveDomain(LABELS, KNOWN)

Counts = tuple[int, ...]


@dataclass(frozen=True)
class Class:
    """Records per value of one class, and the people of the population in it."""

    counts: Counts
    people: int

    @property
    def size(self) -> int:
        return sum(self.counts)

    def __add__(self, other: Class) -> Class:
        added = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        return Class(added, self.people + other.people)


COUNTS = st.one_of(st.tuples(*[st.integers(0, top)] * len(LABELS)) for top in (1, 2, 3, 6, 40))
OTHERS = st.integers(0, 20)


@functools.cache
def classes(least: int = 0) -> st.SearchStrategy[Class]:
    """A class, often with few values and equal counts; its population holds its records."""

    def counted(counts: Counts, others: int) -> Class:
        if sum(counts) < least:
            counts = (least, *counts[1:])
        return Class(counts, sum(counts) + others)

    return st.builds(counted, COUNTS, OTHERS)


def table(drawn: Sequence[Class], reference: Counts | None = None) -> ClassTable:
    """The classes as the package sees them; the reference is that of all where not given."""
    cells = np.array([one.counts for one in drawn], np.int64).reshape(len(drawn), len(LABELS))
    whole = cells.sum(axis=0) if reference is None else np.array(reference, np.int64)
    return ClassTable(
        np.arange(len(drawn), dtype=np.int32),
        cells.sum(axis=1),
        {"s": cells},
        {"s": whole},
        {"s": DOMAIN},
        np.array([one.people for one in drawn], np.int64),
    )


CHECKED = settings(max_examples=60)
"""Kernels are compiled when they are first called, which takes its time."""
