"""Rows of several releases that a reader can join, and the classes that these divide.

What a ledger knows of a release are its classes and the values that each lists. Where rows show
more beside, and another release shows it too (a weight, a ward, a pseudonym), rows that agree in it
are one person's. Nothing follows from that where the same people share a class in both: their rows
stay alike. Where others have joined or left the class, or it was divided in another way, a joined
row is one of fewer people, and what is left over is another one's. Where people have several
values, all values of one of them stand together, and join rows as another column does.

A column may have another role in another release. One that stands in the rows of a release, and is
a quasi-identifier of another one, is known of everybody in both: whoever knows it finds their rows.
And a release may show an attribute that was not sensitive then, so that the ledger has no list of
it: nothing was compared with what it says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import polars as pl

from indistinct.analytics.series.together import Series
from indistinct.document import in_quotes, many
from indistinct.frozen import dataclass, field
from indistinct.release.ledger import Entry, numbered
from indistinct.types import Bools

BESIDE = "beside"
"""Where the account of a release names the columns whose values stay as they are."""

QUASI = "quasi-identifier"
"""The role of what a reader knows of people."""


@dataclass(frozen=True, eq=False)
class Joined:
    """Of whom rows may tell more than classes list.

    Arguments:
        people: for whom that is so, [n].
        columns: what the rows of two releases have in common that divides their classes.
        known: columns in the rows of one release that another one takes for known, or of visits.
        unlisted: whether a release shows the attribute that has no list of it in the ledger.
    """

    people: Bools = field(repr=False)
    columns: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    unlisted: bool = False

    def told(self, attributes: Sequence[str]) -> str:
        """What follows of it for these attributes."""
        whom = many(int(self.people.sum()), "person", "people")
        why = []
        if self.columns:
            why.append(
                f"rows of several releases can be joined by {_listed(self.columns)}, which divides "
                f"the classes of {whom}"
            )
        if self.known:
            why.append(
                f"{_listed(self.known)}: in the rows of one release, and a quasi-identifier, of "
                f"visits or in another release: whoever knows it finds rows of {whom}"
            )
        if self.unlisted:
            why.append(
                f"another release of {whom} shows it, where it was not sensitive, and the ledger "
                "has no list of it"
            )
        return (
            f"{_listed(attributes)}: {'; '.join(why)}: what they have may be told by more than "
            "classes list, and nothing is proved of it"
        )


def _listed(columns: Sequence[str]) -> str:
    listed = in_quotes(columns[:3])
    return listed + f" and {len(columns) - 3} more" * (len(columns) > 3)


def joined_rows(series: Series, entries: Sequence[Entry]) -> Joined:
    """Of whom rows of several releases may tell more than their classes list."""
    beside = [{*entry.account.get(BESIDE, ())} for entry in entries]
    kept = [each - {series.attribute} for each in beside] if series.single else beside
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
    roles = [_roles(entry) for entry in entries]
    known, unlisted = set[str](), False
    for one, other in permutations(range(len(entries)), 2):
        quasi = {name for name, role in roles[other].items() if role == QUASI}
        if one in there and (both := beside[one] & quasi - {series.attribute}):
            torn_apart = _in_both(series, [entries[one], entries[other]])
            known |= both if torn_apart.any() else set()
            found |= torn_apart
    for at, entry in enumerate(entries):
        if at not in there and series.attribute in {*roles[at], *beside[at]}:
            shown = _in_both(series, [entry])
            unlisted |= bool(shown.any())
            found |= shown
    return Joined(found, tuple(sorted(columns)), tuple(sorted(known)), unlisted)


def _roles(entry: Entry) -> Mapping[str, str]:
    """The roles of the published attributes of a release, as its policy has them."""
    stated = entry.account.get("policy", {}).get("attributes", {})
    return {name: item["role"] for name, item in stated.items() if item["role"] != "identifier"}


def _in_both(series: Series, entries: Sequence[Entry]) -> Bools:
    """Who of a series is in all of some releases, [n]."""
    found = np.ones(series.people, np.bool_)
    for entry in entries:
        order, person = numbered([series.hashes, entry.people])
        again = np.flatnonzero(person[1:] == person[:-1])
        there = np.zeros(series.people, np.bool_)
        there[order[again]] = True
        found &= there
    return found


def _divided(one: pl.DataFrame, other: pl.DataFrame) -> pl.Series:
    """The people whose class of the one release is not all in one, or in none, of the other."""
    found = []
    for own, beside in ((one, other), (other, one)):
        both = own.join(beside, on="person", how="left", suffix=" beside")
        apart = both.filter(pl.col("group beside").n_unique().over("group") > 1)
        found.append(apart["person"])
    return pl.concat(found).unique()


def unproved(joined: Mapping[str, Joined]) -> list[str]:
    """What is told of all attributes of which nothing is proved, for rows that can be joined.

    Attributes of which the same is to be said stand together: rows joined by one are not joined by
    it where it is looked at itself.
    """
    alike: dict[tuple[object, ...], tuple[list[str], set[str]]] = {}
    for name, one in joined.items():
        if one.people.any():
            others = frozenset(one.columns).difference(joined)
            key = (one.people.tobytes(), bool(one.columns), others, one.known, one.unlisted)
            names, columns = alike.setdefault(key, ([], set()))
            names.append(name)
            columns.update(one.columns)
    return [
        replace(joined[names[0]], columns=tuple(sorted(columns))).told(names)
        for names, columns in alike.values()
    ]
