"""Quasi-identifiers that lie within others or follow from them: trees, and what to leave out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import polars as pl

from indistinct.analytics.profile.described import FOLLOWS, IN_A_TREE, AttributeProfile
from indistinct.analytics.profile.hierarchy_draft import ZIP, Draft
from indistinct.analytics.profile.names import names_one_of
from indistinct.analytics.profile.neighbours import (
    FEWEST_SPANS,
    MOST_DAYS,
    NEARLY_ALWAYS,
    SOME_RECORDS,
    as_days,
)
from indistinct.analytics.profile.nested import Nestable, columns_around, tree_of
from indistinct.document import in_quotes
from indistinct.sources.table import Table

_UNNESTED = ("sex", "age", "birth", "death", "time")
"""What nothing lies within, however often it seems so."""


def with_trees(table: Table, items: list[AttributeProfile]) -> list[AttributeProfile]:
    """The columns; those that lie within others get a tree over these: ward, hospital, region."""
    found = {}
    for item in items:
        public = item.role in ("quasi-identifier", "insensitive") and item.distinct > 1
        if public and item.type in ("category", "text") and item.about not in _UNNESTED:
            narrow = item.role == "quasi-identifier" and item.draft.by_itself
            narrow = narrow and not names_one_of(item.called or item.attribute, ZIP)
            tokens = (*item.missing_tokens, *item.codes)
            found[item.attribute] = Nestable(
                item.attribute, item.about, item.distinct, tokens, narrow
            )
    around = columns_around(table, [*found.values()])
    return [
        _within(table, item, [found[one] for one in (item.attribute, *around[item.attribute])])
        if item.attribute in around
        else item
        for item in items
    ]


def _within(table: Table, item: AttributeProfile, columns: Sequence[Nestable]) -> AttributeProfile:
    """The column with a tree over those that it lies in."""
    wider = in_quotes([one.name for one in columns[1:]], ", then ")
    why = f"values generalize to {wider} of their records; one of a later table becomes *"
    draft = Draft({"tree": tree_of(table, columns)}, why, (), "suppress")
    return replace(item, draft=draft)


def with_relations(table: Table, items: list[AttributeProfile]) -> list[AttributeProfile]:
    """Say of quasi-identifiers about the same thing which one follows from which."""
    quasi = [item for item in items if item.role == "quasi-identifier" and item.distinct > 1]
    tellers: dict[str, AttributeProfile] = {}
    for one, other in _perhaps_related(table, quasi):
        pairs = table.distinct([one.attribute, other.attribute]).height
        for told, teller in ((one, other), (other, one)):
            if pairs == teller.distinct + (teller.missing > 0):
                known = tellers.setdefault(told.attribute, teller)
                if teller.distinct < known.distinct:
                    tellers[told.attribute] = teller
                break
    ends = dict(_ends_of_stays(table, quasi))
    return [
        _told_by(item, tellers.get(item.attribute), ends.get(item.attribute, ())) for item in items
    ]


def _ends_of_stays(
    table: Table, quasi: Sequence[AttributeProfile]
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Days that follow from an earlier one and the number of days between, or that and one more."""
    days = [item.attribute for item in quasi if item.type == "date"][:MOST_DAYS]
    numbers = [item.attribute for item in quasi if item.kind == "integer" and item.type != "date"]
    if len(days) < 2 or not numbers:
        return
    some = table.sample([*days, *numbers], SOME_RECORDS).select(
        *(pl.col(one).map_batches(as_days, pl.Date) for one in days),
        *(pl.col(one).cast(pl.Int64, strict=False) for one in numbers),
    )
    for (first, last), number in product(permutations(days, 2), numbers):
        held = some.select(first, last, number).drop_nulls()
        apart = (held[last] - held[first]).dt.total_days()
        counted = (held[number] - apart).to_numpy()
        if apart.n_unique() >= FEWEST_SPANS and any(
            np.mean(counted == more) >= NEARLY_ALWAYS for more in (0, 1)
        ):
            yield last, (first, number)


def _perhaps_related(
    table: Table, quasi: Sequence[AttributeProfile]
) -> Iterator[tuple[AttributeProfile, AttributeProfile]]:
    """Pairs of columns about one thing, of which in some records one follows from the other."""
    alike: dict[str, list[AttributeProfile]] = {}
    for item in quasi:
        about = item.about or ("time" if item.type == "date" else None)
        if about is not None:
            alike.setdefault(about, []).append(item)
    for items in alike.values():
        if len(items) < 2:
            continue
        some = table.sample([item.attribute for item in items], SOME_RECORDS)
        codes = np.array([one.rank("dense").fill_null(0).to_numpy() for one in some.get_columns()])
        follows = np.empty((len(items), len(items)), dtype=np.bool_)
        for at, code in enumerate(codes):
            order = np.argsort(code, kind="stable")
            starts = np.flatnonzero(np.diff(code[order], prepend=-1))
            rows = codes[:, order]
            least = np.minimum.reduceat(rows, starts, axis=1)
            follows[at] = (least == np.maximum.reduceat(rows, starts, axis=1)).all(axis=1)
        first, second = np.nonzero(np.triu(follows | follows.T, k=1))
        yield from ((items[one], items[other]) for one, other in zip(first, second, strict=True))


def _told_by(
    item: AttributeProfile, teller: AttributeProfile | None, stay: Sequence[str]
) -> AttributeProfile:
    """The column, with a note if it follows from another one, or from the two of a stay."""
    drops = '(role = "identifier" drops a column)'
    if stay:
        told = (
            f"{FOLLOWS} {in_quotes(stay, ' and ')}: consider leaving one of the three out {drops}"
        )
        item = replace(item, notes=(*item.notes, told))
    if teller is None:
        return item
    tree = isinstance(teller.hierarchy, Mapping) and "tree" in teller.hierarchy
    advice = IN_A_TREE if tree else "consider leaving one of the two out"
    note = f"{FOLLOWS} '{teller.attribute}': {advice} {drops}"
    return replace(item, notes=(*item.notes, note))
