"""Rows of several releases that a reader can join, and the classes that these divide.

What a ledger knows of a release are its classes and the values that each lists. Where rows show
more beside, and another release shows it too (a weight, a ward, a pseudonym), rows that agree in it
are one person's. Nothing follows from that where the same people share a class in both: their rows
stay alike. Where others have joined or left the class, or it was divided in another way, a joined
row is one of fewer people, and what is left over is another one's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import polars as pl

from indistinct.analytics.series.together import Series
from indistinct.document import many
from indistinct.release.ledger import Entry
from indistinct.types import Bools

BESIDE = "beside"
"""Where the account of a release names the columns whose values stay as they are."""


@dataclass(frozen=True)
class Joined:
    """Whose classes are divided by rows that can be joined.

    Arguments:
        people: for whom that is so, [n].
        columns: what the rows of two releases have in common.
    """

    people: Bools = field(repr=False)
    columns: tuple[str, ...]

    def told(self, attribute: str) -> str:
        """What follows of it."""
        listed = ", ".join(f"'{name}'" for name in self.columns[:3])
        listed += f" and {len(self.columns) - 3} more" * (len(self.columns) > 3)
        whom = many(int(self.people.sum()), "person", "people")
        return (
            f"'{attribute}': rows of several releases can be joined by {listed}, which divides the "
            f"classes of {whom}: what they have may be told by more than classes list, and nothing "
            "is proved of it"
        )


def joined_rows(series: Series, entries: Sequence[Entry]) -> Joined:
    """Whose classes are divided by rows of releases that have columns in common.

    Arguments:
        series: all releases that list an attribute, person by person.
        entries: the releases.
    """
    kept = [{*entry.account.get(BESIDE, ())} - {series.attribute} for entry in entries]
    there = series.members["release"].unique().sort().to_list()
    pairs = [(one, other) for one, other in combinations(there, 2) if kept[one] & kept[other]]
    group_of = {
        at: series.members.filter(pl.col("release") == at).select("person", "group")
        for at in {at for pair in pairs for at in pair}
    }
    found, columns = np.zeros(series.people, np.bool_), set[str]()
    for pair in pairs:
        torn = _divided(*(group_of[at] for at in pair))
        if len(torn):
            columns |= kept[pair[0]] & kept[pair[1]]
            found[torn.to_numpy()] = True
    return Joined(found, tuple(sorted(columns)))


def _divided(one: pl.DataFrame, other: pl.DataFrame) -> pl.Series:
    """The people whose class of the one release is not all in one, or in none, of the other."""
    found = []
    for own, beside in ((one, other), (other, one)):
        both = own.join(beside, on="person", how="left", suffix=" beside")
        apart = both.filter(pl.col("group beside").n_unique().over("group") > 1)
        found.append(apart["person"])
    return pl.concat(found).unique()


def unproved(joined: Mapping[str, Joined]) -> list[str]:
    """What is told of all attributes of which nothing is proved, for rows that can be joined."""
    return [one.told(name) for name, one in joined.items() if one.people.any()]
