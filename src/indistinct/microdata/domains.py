"""The domain of a sensitive attribute in the form that array code wants."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from indistinct.frozen import dataclass
from indistinct.metadata import NO_METADATA, Value, ValueMetadata
from indistinct.types import Floats, Ints, Ints32


@dataclass(frozen=True)
class SensitiveDomain:
    """The values of one sensitive attribute in code order, and what is known of them.

    ``labels`` has length D; every array below is over it. ``exclusive`` says that one unit has one
    value; it is false for people with several.
    """

    labels: tuple[Value, ...]
    known: ValueMetadata = NO_METADATA
    exclusive: bool = True

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The names of the categories, from the least to the most sensitive."""
        named = self.known.category_order
        return named or tuple(sorted(set(self.known.categories.values())))

    @cached_property
    def category_of(self) -> Ints32:
        """Place of each value's category in :attr:`categories`, -1 where it has none, [D]."""
        place = {name: at for at, name in enumerate(self.categories)}
        of = self.known.categories
        return np.array([place.get(of.get(label, ""), -1) for label in self.labels], np.int32)

    @cached_property
    def weight(self) -> Floats:
        """Weight of each value's category, from 0 (most sensitive) to 1; 0 without one, [D]."""
        weights = self.known.category_weights
        of = self.known.categories
        return np.array([weights.get(of.get(label, ""), 0.0) for label in self.labels], float)

    @cached_property
    def sensitivity(self) -> Ints:
        """Rank of each value's sensitivity, 1 (critical) to 4 (low); 0 without one, [D]."""
        of = self.known.ranks
        return np.array([of.get(label, 0) for label in self.labels], np.int64)

    @cached_property
    def rank(self) -> Ints | None:
        """Place of each value from the smallest to the largest, [D]; None without an order.

        The order that was stated; else that of numbers, if all values are. Values that the stated
        order leaves out, and the missing value, come last.
        """
        keys = _order_keys(self.labels, self.known.order)
        if keys is None:
            return None
        ranks = np.empty(len(self.labels), np.int64)
        ranks[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
        return ranks

    @cached_property
    def ancestors(self) -> Ints32 | None:
        """Number of each value's ancestor at each level, [L, D], root last; None without chains.

        Level 0 is the value itself. Short chains repeat their last label. Numbers of one level are
        dense, and a value without a chain is its own ancestor up to a common root.
        """
        if not self.known.chains:
            return None
        chains = {chain[0]: chain for chain in self.known.chains}
        most = max(map(len, chains.values()))
        root = next(iter(chains.values()))[-1]
        rows = [chains.get(label, (*(label,) * (most - 1), root)) for label in self.labels]
        padded = [(*chain, *(chain[-1],) * (most - len(chain))) for chain in rows]
        levels = np.empty((most, len(padded)), np.int32)
        for level in range(most):
            numbers: dict[Value, int] = {}
            for at, chain in enumerate(padded):
                levels[level, at] = numbers.setdefault(chain[level], len(numbers))
        return levels


def numbers_of(labels: Sequence[Value]) -> list[float] | None:
    """The labels as numbers (NaN for the missing one), or None if one of them is no number."""
    found = []
    for label in labels:
        try:
            number = math.nan if label is None else float(label)
        except ValueError:
            return None
        if label is not None and not math.isfinite(number):
            return None
        found.append(number)
    return found if any(label is not None for label in labels) else None


def _order_keys(
    labels: Sequence[Value], stated: Sequence[Value]
) -> list[tuple[bool, float, str]] | None:
    if stated:
        place = {label: at for at, label in enumerate(stated)}
        return [
            (label not in place, float(place.get(label, 0)), label or "\U0010ffff")
            for label in labels
        ]
    numbers = numbers_of(labels)
    if numbers is None:
        return None
    return [
        (label is None, 0.0 if label is None else number, "")
        for label, number in zip(labels, numbers, strict=True)
    ]
