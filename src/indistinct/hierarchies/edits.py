"""Changing a hierarchy by hand: other names, and other groups for some of its labels."""

from __future__ import annotations

from collections.abc import Collection

from indistinct.errors import HierarchyError
from indistinct.hierarchies.taxonomy import Label, Taxonomy


def rename_labels(taxonomy: Taxonomy, level: int, labels: Collection[str], name: str) -> Taxonomy:
    """The hierarchy with one name for some labels of a level: several become one group.

    Arguments:
        taxonomy: the hierarchy.
        level: the level of the labels, above that of the values.
        labels: the labels. Afterwards all have the parent of the first.
        name: their name.

    Raises:
        HierarchyError: there are no such labels, or the result is not a tree.

    >>> sizes = Taxonomy("size", [("S", "small", "*"), ("M", "middle", "*"), ("L", "large", "*")])
    >>> rename_labels(sizes, 1, ["middle", "large"], "not small").level(1)
    ('small', 'not small', 'not small')
    """
    rows = _rows(taxonomy, level, labels, name, least=1)
    above = next(row[level + 1 :] for row in rows if row[level] in labels or row[level] == name)
    changed = [
        [*row[:level], name, *above] if row[level] in labels or row[level] == name else row
        for row in rows
    ]
    return _made(taxonomy, changed)


def regroup_labels(taxonomy: Taxonomy, level: int, labels: Collection[str], group: str) -> Taxonomy:
    """The hierarchy with some labels of a level under another group of the next level.

    A group of that name is used, or made. Under the root a level is added for it, on which all
    other labels stay as they are.

    Arguments:
        taxonomy: the hierarchy.
        level: the level of the labels, below the root.
        labels: the labels that are moved.
        group: the label above them.

    Raises:
        HierarchyError: there are no such labels, or the result is not a tree.

    >>> wards = Taxonomy("ward", [("ENT", "*"), ("Eyes", "*"), ("Surgery", "*")])
    >>> regroup_labels(wards, 0, ["ENT", "Eyes"], "Head").level(1)
    ('Head', 'Head', 'Surgery')
    """
    rows = _rows(taxonomy, level, labels, group, least=0)
    if level + 1 == taxonomy.height and group != taxonomy.root:
        rows = [[*row[: level + 1], row[level], *row[level + 1 :]] for row in rows]
    joined = [row[level + 1 :] for row in rows if row[level + 1] == group]
    found = [row for row in rows if row[level] in labels]
    above = joined[0] if joined else [group, *found[0][level + 2 :]]
    changed = [[*row[: level + 1], *above] if row[level] in labels else row for row in rows]
    return _made(taxonomy, changed)


def _rows(
    taxonomy: Taxonomy, level: int, labels: Collection[str], name: str, *, least: int
) -> list[list[Label]]:
    """The labels of every value but the missing one, level by level."""
    if taxonomy.shown:
        raise HierarchyError(
            "shown-otherwise",
            "groups by hand would publish the values below bottom or from top on as they are",
            attribute=taxonomy.attribute,
            remedy="change bottom, top, width or breaks, or take bottom and top out first",
        )
    known = set(taxonomy.level(level)) if least <= level < taxonomy.height else set()
    if not labels or not name.strip() or not set(labels) <= known:
        raise HierarchyError(
            "no-such-labels",
            f"level {level} has no such labels to change",
            attribute=taxonomy.attribute,
            remedy="choose labels of one level between the values and the root, and name them",
        )
    return [
        list(row)
        for row in taxonomy.rows()
        if row[0] is not None and row[0] not in taxonomy.suppressed
    ]


def _made(taxonomy: Taxonomy, rows: list[list[Label]]) -> Taxonomy:
    return Taxonomy(taxonomy.attribute, [tuple(row) for row in rows])
