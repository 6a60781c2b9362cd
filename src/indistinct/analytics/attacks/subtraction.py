"""What is left to people of a class when others are known, by another release, to have the rest.

A class of four lists cough twice and HIV once; another release shows two of its people in a class
of their own, with cough and HIV: the other two have what is left. Of classes of which it is certain
who is in them, as they fit nobody else, all lists together say which values are possible for whom,
and how likely each is (the shares of largest entropy).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.value_shares import fitted_shares, possible_cells
from indistinct.analytics.weighted import Rows, expanded
from indistinct.frozen import dataclass
from indistinct.microdata.encoding import distinct_rows
from indistinct.types import Bools, Floats, Ints

MOST = 1_000_000
"""Listed values of the classes of people who are alike, at most, that are looked at."""

NOWHERE, UNCLEAR = -1, -2
"""The class of people whom none fits, and of those whose class is not certain."""


@dataclass(frozen=True)
class Left:
    """What is left to people.

    Arguments:
        known: whose class is certain in every release that they are in, [n].
        belief: in the value of each of them, [n].
        possible: how many values each of them may have, [n].
    """

    known: Bools
    belief: Floats
    possible: Ints


def left_over(
    contexts: Sequence[AttackContext],
    sensitive: str,
    atom_of: Sequence[Mapping[str | None, int]],
    own: Rows,
) -> Left | None:
    """What all releases leave to people; None where they cannot be held against each other.

    Arguments:
        contexts: the releases.
        sensitive: the attribute.
        atom_of: of each release a number for every value.
        own: the number of each person's value.
    """
    classes = np.column_stack([_class_of_people(one, sensitive) for one in contexts])
    there = (classes >= 0).any(axis=1)
    listed = [
        rows
        for at, (one, atoms) in enumerate(zip(contexts, atom_of, strict=True))
        if (classes[:, at] >= 0).any()
        for rows in [_listed(one, sensitive, atoms, at)]
    ]
    if not there.any() or any(rows is None for rows in listed):
        return None
    inside, kind_of = _kinds(classes[there])
    lists = pl.concat(rows for rows in listed if rows is not None)
    held = inside.join(lists, on=["release", "class"]) if _few(inside, lists) else None
    if held is None:
        return None
    groups = inside.group_by("kind").len("groups")
    cells = held.group_by("kind", "value").len().join(groups, on="kind")
    cells = cells.filter(pl.col("len") == pl.col("groups")).sort("kind", "value")
    size = np.bincount(kind_of).astype(np.float64)
    if cells["kind"].n_unique() < len(size):
        return None
    pairs = cells.select("kind", "value").with_row_index("cell").join(held, on=["kind", "value"])
    pairs = pairs.with_columns(group=pl.struct("release", "class").rank("dense").cast(pl.Int64))
    kind, value = cells["kind"].to_numpy(), cells["value"].to_numpy()
    possible = possible_cells(pairs, kind, size)
    if possible is None:
        return None
    share = fitted_shares(pairs, kind, size, possible)
    people = np.flatnonzero(there)
    known = there & (classes != UNCLEAR).all(axis=1)
    belief, number = np.zeros(len(known)), np.zeros(len(known), np.int64)
    number[people] = np.bincount(kind, possible, minlength=len(size)).astype(np.int64)[kind_of]
    who, at = expanded(own, people)
    width = int(max(value.max(initial=0), own.index.max(initial=0))) + 1
    cell, wanted = kind * width + value, kind_of[who] * width + own.index[at]
    place = np.minimum(np.searchsorted(cell, wanted), len(cell) - 1)
    np.maximum.at(belief, people[who], np.where(cell[place] == wanted, share[place], 0.0))
    return Left(known, belief, number)


def _class_of_people(context: AttackContext, sensitive: str) -> Ints:
    """The class of everybody, if it is certain who is in it, [n]."""
    places = context.places
    sets, size = places.candidate_sets, places.classes.size
    found = np.where(places.found, UNCLEAR, NOWHERE)
    plain = context.one_record_each and not context.may_contain
    if not plain or context.lists_sets(sensitive) or places.suppressed > (~places.in_class).sum():
        return found
    people = np.bincount(places.set_of, minlength=len(sets))
    fits = np.bincount(sets.index, people[sets.row_of], minlength=len(size))
    only = np.flatnonzero(sets.length == 1)
    alone = np.bincount(sets.index[sets.indptr[only]], people[only], minlength=len(size))
    certain = (fits == size) & (alone == size)
    first = np.zeros(len(sets), np.int64)
    first[only] = sets.index[sets.indptr[only]]
    class_of = np.where((sets.length == 1) & certain[first], first, UNCLEAR)
    return np.where(places.found, class_of[places.set_of], NOWHERE)


def _listed(
    context: AttackContext, sensitive: str, atom_of: Mapping[str | None, int], release: int
) -> pl.DataFrame | None:
    """How often each class lists each value; None where a label stands for several."""
    covering = context.covering(sensitive)
    atoms = [{atom_of[covering.values[at]] for at in own.tolist()} for own in _each(covering.under)]
    if any(len(own) != 1 for own in atoms):
        return None
    of_label = np.array([one for (one,) in atoms], np.int64)
    parts, lists = context.parts(sensitive), context.buckets[sensitive]
    return (
        pl.DataFrame(
            {
                "class": lists.row_of,
                "value": of_label[parts.index[parts.indptr[lists.index]]],
                "count": lists.amount.astype(np.int64),
            }
        )
        .group_by("class", "value")
        .agg(pl.col("count").sum())
        .with_columns(release=pl.lit(release, pl.Int64))
    )


def _each(rows: Rows) -> Iterable[Ints]:
    return (rows[at].astype(np.int64) for at in range(len(rows)))


def _kinds(classes: Ints) -> tuple[pl.DataFrame, Ints]:
    """The ``kind``, ``release`` and ``class`` of people who are in the same classes; whose it is.

    Arguments:
        classes: the class of each person in each release, below 0 for none.
    """
    kinds, kind_of = distinct_rows(np.maximum(classes, -1) + 1, int(classes.max()) + 2)
    kind, release = np.nonzero(kinds)
    told = {"kind": kind, "release": release, "class": kinds[kind, release] - 1}
    return pl.DataFrame(told, dict.fromkeys(told, pl.Int64)), kind_of


def _few(inside: pl.DataFrame, lists: pl.DataFrame) -> bool:
    """Whether no more values are listed, of each kind of people, than are looked at."""
    of_class = lists.group_by("release", "class").len()
    met = inside.join(of_class, on=["release", "class"])
    return int(met["len"].sum()) <= MOST
