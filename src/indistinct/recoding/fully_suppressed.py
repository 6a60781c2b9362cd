"""Records of which nothing is left: those that a plan publishes with ``*`` in every cell.

A reader cannot tell them from suppressed ones, so they are in no class: they neither
count in a class over some of the attributes, nor in the distribution of the published records.
Where all records are such, nothing is published that a class could be seen in, and they are judged
as the one class that they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.types import Bools, Ints


class FullySuppressed:
    """Tells which combinations are ``*`` throughout, where it matters to a promise.

    It matters to promises on some of the quasi-identifiers, and to those that compare with the
    published records.
    """

    def __init__(self, data: LeveledTable, promises: Sequence[Promise]) -> None:
        quasi = [name for name in data.attributes if name not in data.unchanged]
        self._data = data
        self._stars: dict[int, Bools] = {}
        if not any(_looks_beyond(promise, quasi) for promise in promises):
            return
        stars = {}
        for name in quasi:
            j = data.attributes.index(name)
            table = data.compiled[j]
            labels = [
                np.array([label == SUPPRESSED for label in level], dtype=np.bool_)
                for level in table.labels
            ]
            stars[j] = np.array(
                [own[code] for own, code in zip(labels, table.code, strict=True)], dtype=np.bool_
            )
        # Where a level stars all values of an attribute or none, so it does all records or none.
        if any((star.any(axis=1) & ~star.all(axis=1)).any() for star in stars.values()):
            self._stars = stars

    def __bool__(self) -> bool:
        """Whether some records can be ``*`` throughout where others are not."""
        return bool(self._stars)

    def at(self, levels: Ints) -> Bools | None:
        """The combinations that are ``*`` throughout at a node, [C]; None where none or all are."""
        return self._throughout({j: star[levels[j]] for j, star in self._stars.items()})

    def under(self, cuts: Sequence[NDArray[np.int16]]) -> Bools | None:
        """The same where every leaf has a level of its own, ``cuts[j]`` [leaves]."""
        return self._throughout(
            {j: star[cuts[j], np.arange(len(cuts[j]))] for j, star in self._stars.items()}
        )

    def _throughout(self, starred: Mapping[int, Bools]) -> Bools | None:
        """Combinations of starred leaves alone, by attribute and leaf."""
        found: Bools | None = None
        for j, own in starred.items():
            if not own.any():
                return None
            mask = own[self._data.table.codes[j]]
            found = mask if found is None else found & mask
        if found is None:
            return None
        seen = found[self._data.weight > 0]
        return found if seen.any() and not seen.all() else None


def _looks_beyond(promise: Promise, quasi: Sequence[str]) -> bool:
    some = promise.on is not None and not set(quasi) <= set(promise.on)
    return some or (promise.compares and promise.reference == "published")
