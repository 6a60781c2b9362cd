"""Quasi-identifiers that lie within others or follow from them: trees, and what to leave out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from indistinct.analytics.profile.described import FOLLOWS, IN_A_TREE, AttributeProfile
from indistinct.analytics.profile.hierarchy_draft import ZIP, Draft
from indistinct.analytics.profile.names import names_one_of
from indistinct.analytics.profile.neighbours import SOME_RECORDS
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
    return [_told_by(item, tellers.get(item.attribute)) for item in items]


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


def _told_by(item: AttributeProfile, teller: AttributeProfile | None) -> AttributeProfile:
    if teller is None:
        return item
    tree = isinstance(teller.hierarchy, Mapping) and "tree" in teller.hierarchy
    advice = IN_A_TREE if tree else "consider leaving one of the two out"
    note = f"{FOLLOWS} '{teller.attribute}': {advice} (role = \"identifier\" drops a column)"
    return replace(item, notes=(*item.notes, note))
