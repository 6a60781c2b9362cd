"""Joined rows: whose row of one release is whose row of another one?

Releases of the same people show more than classes: a weight, a ward, a pseudonym under one key. A
person's rows in both agree in these columns. Somebody who knows the person's quasi-identifiers
finds the rows that could be the person's in each, and keeps of the first those that agree with one
of every other. Each way to choose an agreeing row from every release is equally likely. Where one
row is left, the person is singled out, whatever the releases promise of their classes; what it
shows is certain.

Columns that are changed at random join nothing, and values of a sensitive attribute only where all
releases publish them as they are. Linked tables list values beside nothing else: they are left
aside. Of somebody whom another release has no class for, that one says nothing. Releases in which
no rows agree were not made of the same records: the first is believed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from indistinct.analytics.attacks.context import SURE, AttackContext
from indistinct.analytics.attacks.finding import (
    Finding,
    Skipped,
    mean_of,
    of_people,
    share_of,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.remedies import fewer_joined
from indistinct.analytics.weighted import (
    Lists,
    Rows,
    Weighted,
    chosen_rows,
    expanded,
    ones,
    pointers,
)
from indistinct.frozen import dataclass
from indistinct.microdata.encoding import count_combinations, numbers_of_combinations
from indistinct.types import Floats, Ints, Ints32

NAME = "joined-rows"
KIND = "attribute"
PLACE = 145
HEEDS = ("second",)
KNOWLEDGE = (
    "the exact quasi-identifiers of a person, and another release whose rows show the same columns"
)
SOURCE = "record linkage between releases; after Ganta, Kasiviswanathan and Smith (2008)"
REMEDY = fewer_joined

MOST_STEPS = 100_000_000
"""Rows that are compared at most, of all people together."""

ROWS_AT_ONCE = 1 << 19
"""How many of them are compared at once."""


@dataclass(frozen=True)
class Left:
    """Which rows of the first release are left of a few that could be somebody's.

    Arguments:
        of: what everybody could be in all releases, as a number, [n].
        group: whose row each one left is, by that number.
        row: the row.
        ways: to choose an agreeing row from every other release.
        groups: how many numbers there are.
    """

    of: Ints32
    group: Ints32
    row: Ints32
    ways: Floats
    groups: int

    @property
    def rows(self) -> Ints:
        """How many rows are left of each person, [n]."""
        return np.bincount(self.group, minlength=self.groups)[self.of]


def run(context: AttackContext, sensitive: str) -> Finding | Skipped:
    """Keep of everybody the rows that agree with a row of every other release."""
    others = [one for one in _further(context) if not one.linked_tables]
    if context.second is None:
        return Skipped(NAME, "no second release of these people was given")
    if context.linked_tables or not others:
        return Skipped(NAME, "linked tables have no columns by which rows could be joined")
    names = _shared([context, *others])
    if not {*names} - {sensitive}:
        why = "the releases have no further column in common whose values stay as they are"
        return Skipped(NAME, why)

    def found(_: str) -> tuple[float, Left | None]:
        """What does not depend on what is learnt."""
        keys = _keys([context, *others], names)
        return _joined(keys), _left(context, others, keys)

    joined, left = context.once("rows joined by " + "\0".join(names), "", found)
    if left is None:
        return Skipped(NAME, "too many rows fit everybody to be compared", leaves_open=True)
    elsewhere = np.logical_or.reduce([one.found for one in others])
    both = context.found & elsewhere
    number = left.rows
    first, before = context.true_belief(sensitive), context.true_prior(sensitive)
    belief = np.where(both & (number > 0), _believed(context, sensitive, left), first)
    alone = both & (number == 1)
    gain = belief - first
    by_class = context.places.by_class(gain)
    listed = ", ".join(names[:3]) + f" and {len(names) - 3} more" * (len(names) > 3)
    return summarize(
        context,
        sensitive,
        belief,
        before,
        context.found & (belief >= 1 - SURE),
        figures={
            "releases": 1 + len(others),
            "in_both": share_of(both),
            "joined": joined,
            "singled_out": share_of(alone),
            "rows_in_first": mean_of(context.places.rows_of[both]),
            "rows_left": mean_of(number[both]),
            "contradicted": share_of(both & (number == 0)),
            "first_certain": share_of(context.found & (first >= 1 - SURE)),
            "gain_over_first": share_of(gain),
        },
        worst=worst_class(context, by_class, gain=by_class),
        note=f"Rows joined by {listed} leave one row, and single out, "
        f"{of_people(share_of(alone))}.",
    )


def _further(context: AttackContext) -> list[AttackContext]:
    """The other releases."""
    return [] if context.second is None else [context.second, *_further(context.second)]


def _shared(contexts: Sequence[AttackContext]) -> list[str]:
    """The columns that rows of all releases show, with values as they are."""
    first, *others = contexts
    names = [name for name in first.joining if all(name in one.joining for one in others)]
    return [
        name
        for name in names
        if all(name not in one.sensitive or bool(one.exact(name).all()) for one in contexts)
    ]


def _keys(contexts: Sequence[AttackContext], names: Sequence[str]) -> list[Ints]:
    """A number of every row of each release: the same where all these columns are."""
    coded = [_alike([one.joining[name] for one in contexts]) for name in names]
    columns = [np.concatenate(parts) for parts in coded]
    rows = len(columns[0])
    sizes = [int(column.max(initial=-1)) + 1 for column in columns]
    same = numbers_of_combinations(columns, sizes, ones(rows))
    begin = np.cumsum([0, *(len(part) for part in coded[0])])
    return [
        same[begin[at] : begin[at + 1]][one.cells_of].astype(np.int64)
        for at, one in enumerate(contexts)
    ]


def _alike(parts: Sequence[Lists]) -> list[Ints32]:
    """What every person shows in a column of each release, as numbers that all have in common."""
    if all(_plain(part) for part in parts):
        every = dict.fromkeys(label for part in parts for label in part.labels)
        number = {label: at for at, label in enumerate(every)}
        return [np.array([number[v] for v in p.labels], np.int32)[p.index] for p in parts]
    shown = [_texts(part) for part in parts]
    ranked = pl.concat(shown).rank("dense").cast(pl.Int32) - 1
    ends = np.cumsum([len(own) for own in shown])[:-1]
    return np.split(ranked.to_numpy(), ends)


def _plain(part: Lists) -> bool:
    """Whether everybody shows one value, once."""
    return part.one_each and bool((part.amount == 1).all())


def _texts(part: Lists) -> pl.Series:
    """What every person shows in a column: all values with how often they occur, as one text."""
    labels = pl.Series(
        ["-" if label is None else f"+{label}" for label in part.labels], dtype=pl.String
    )
    entry = pl.DataFrame(
        {"owner": part.row_of, "label": labels.gather(part.index), "times": part.amount}
    )
    whole = entry.group_by("owner", maintain_order=True).agg(
        pl.concat_str(pl.col("times").cast(pl.String), "label", separator=" ").str.join("\x1f")
    )
    found = pl.DataFrame({"owner": np.arange(len(part))}).join(
        whole, on="owner", how="left", maintain_order="left"
    )
    return found["times"].fill_null("")


def _joined(keys: Sequence[Ints]) -> float:
    """The share of rows that agree with one row alone of every release, their own one too."""
    number = max((int(own.max(initial=-1)) for own in keys), default=-1) + 1
    times = [np.bincount(own, minlength=number) for own in keys]
    once = np.logical_and.reduce([own == 1 for own in times])
    return share_of(once[keys[0]])


def _left(
    context: AttackContext, others: Sequence[AttackContext], keys: Sequence[Ints]
) -> Left | None:
    """The rows of the first release that agree with rows of the others; None if they are many."""
    columns = [context.set_of + 1, *(np.where(one.found, one.set_of + 1, 0) for one in others)]
    sizes = [len(one.places.candidate_sets) + 1 for one in (context, *others)]
    found, _, of = count_combinations(
        [column.astype(np.int32) for column in columns], sizes, ones(len(columns[0]))
    )
    number = context.places.set_size[found[0] - 1]
    steps = number.astype(np.float64)
    for column, one in zip(found[1:], others, strict=True):
        classes = one.places.candidate_sets.length[np.maximum(column - 1, 0)]
        steps *= np.where(column > 0, np.maximum(classes, 1), 1)
    if steps.sum() > MOST_STEPS:
        return None
    of_class = _rows_of_classes(context)
    there = [_keys_of_classes(one, own) for one, own in zip(others, keys[1:], strict=True)]
    upto, first, parts = np.cumsum(number), 0, list[tuple[Ints32, Ints32, Floats]]()
    while first < len(number):
        # As many groups as have so many rows together.
        before = upto[first] - number[first]
        last = max(int(np.searchsorted(upto, before + ROWS_AT_ONCE, "right")), first + 1)
        group, row = _rows_of_sets(context, of_class, found[0][first:last] - 1)
        ways = np.ones(len(row))
        for column, one, known in zip(found[1:], others, there, strict=True):
            ways *= _ways(one, known, column[first:last][group] - 1, keys[0][row])
        kept = ways > 0
        parts.append(((group[kept] + first).astype(np.int32), row[kept], ways[kept]))
        first = last
    groups, rows, every = (np.concatenate(own) for own in zip(*parts, strict=True))
    return Left(of, groups, rows, every, len(number))


def _rows_of_classes(context: AttackContext) -> Rows:
    """The published rows of every class."""
    places = context.places
    order = np.argsort(places.class_of, kind="stable").astype(np.int32)
    return Rows(pointers(places.class_of[order], len(places.classes)), order)


def _rows_of_sets(context: AttackContext, of_class: Rows, sets: Ints32) -> tuple[Ints, Ints32]:
    """The published rows of some candidate sets, and which of these each one is of."""
    place, at = expanded(context.places.candidate_sets, sets)
    entry, row = expanded(of_class, context.places.candidate_sets.index[at])
    return place[entry], of_class.index[row]


def _keys_of_classes(other: AttackContext, key_of: Ints) -> tuple[Ints, Ints, int]:
    """The classes of a release with the keys of their rows as one number, and how many have each.

    With the number of keys.
    """
    width = int(key_of.max(initial=-1)) + 1
    there, times = np.unique(other.places.class_of * np.int64(width) + key_of, return_counts=True)
    return there, times, width


def _ways(other: AttackContext, known: tuple[Ints, Ints, int], sets: Ints32, keys: Ints) -> Floats:
    """How many rows of a release's candidate sets have a key; 1 where it has no class."""
    there, times, width = known
    found = np.ones(len(sets))
    asked = np.flatnonzero(sets >= 0)
    place, at = expanded(other.places.candidate_sets, sets[asked])
    own = keys[asked][place]
    wanted = other.places.candidate_sets.index[at] * np.int64(width) + own
    where = np.minimum(np.searchsorted(there, wanted), max(len(there) - 1, 0))
    hits = np.zeros(len(at))
    if len(there):
        hits = np.where((there[where] == wanted) & (own < width), times[where], 0)
    found[asked] = np.bincount(place, hits, len(asked))
    return found


def _believed(context: AttackContext, sensitive: str, left: Left) -> Floats:
    """Belief in the truth of everybody, by the rows that are left, [n]."""
    shown = _shown(context, sensitive)
    domain = max(len(context.labels(sensitive)), 1)
    place, at = expanded(shown, left.row)
    codes, where = np.unique(
        left.group[place] * np.int64(domain) + shown.index[at], return_inverse=True
    )
    amount = np.bincount(where, left.ways[place] * shown.amount[at], len(codes))
    total = np.bincount(left.group, left.ways, left.groups)
    own = context.own(sensitive)
    wanted = left.of[own.person] * np.int64(domain) + own.label
    if not len(codes):
        return np.zeros(len(left.of))
    found = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
    mine = np.where(codes[found] == wanted, amount[found], 0.0)
    whole = total[left.of[own.person]]
    return np.minimum(own.best(np.divide(mine, whole, out=np.zeros(len(mine)), where=whole > 0)), 1)


def _shown(context: AttackContext, sensitive: str) -> Weighted:
    """How likely the person of a row has each label, [r]."""
    if context.shown is None:
        shares = context.spread(sensitive).shares
        place, at = expanded(shares, context.bucket_of)
        indptr = pointers(place, len(context.bucket_of))
        return Weighted(indptr, shares.index[at], shares.amount[at].astype(np.float64))
    entry = chosen_rows(context.parts(sensitive), context.shown[sensitive])
    implied = context.covering(sensitive).implied
    if entry.one_each and implied.one_each:
        return Weighted(entry.indptr, implied.index[entry.index], np.ones(len(entry)))
    place, at = expanded(implied, entry.index)
    domain = max(len(context.labels(sensitive)), 1)
    keys = np.unique(entry.row_of[place] * np.int64(domain) + implied.index[at])
    indptr = pointers(keys // domain, len(entry))
    return Weighted(indptr, (keys % domain).astype(np.int32), np.ones(len(keys)))
