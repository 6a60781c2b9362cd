"""A hierarchy written out as a nested table: every label, and what lies under it.

    { "*" = { Yes = ["Low", "Med", "High"], No = [] } }

A table's keys are labels; a list holds the values under a label, and may hold tables again. A label
with nothing under it is a value itself. With several labels at the top, ``*`` is put above them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from indistinct.errors import PolicyError, Problem, refuse
from indistinct.hierarchies.domain import as_text
from indistinct.hierarchies.settings import wrong
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy


def tree_taxonomy(attribute: str, tree: Mapping[str, object]) -> Taxonomy:
    """The hierarchy that a nested table says; branches may have unequal depth.

    Levels are counted from the values up: a value directly under the root joins it on level 1. An
    empty text stands for the missing value.

    Raises:
        PolicyError: for anything in it that is neither a table, nor a list, nor a plain value.
        HierarchyError: for a value with two places, or a label with two parents.

    >>> tree_taxonomy("alcohol", {"Any": {"Yes": ["Low", "High"], "No": []}}).chains
    (('Low', 'Yes', 'Any'), ('High', 'Yes', 'Any'), ('No', 'Any'))
    """
    refuse(PolicyError, check(tree))
    above: tuple[Label, ...] = () if len(tree) == 1 else (SUPPRESSED,)
    return Taxonomy(attribute, list(_chains(tree, above)))


def check(tree: object) -> list[Problem]:
    """What is wrong with the table, without looking at data."""
    example = 'tree = { "*" = { young = ["child", "teen"], old = ["adult"] } }'
    if not isinstance(tree, Mapping) or not tree:
        return [wrong("tree", "must be a table of labels", example)]
    return list(_unfit(tree, ()))


def _chains(node: object, above: tuple[Label, ...]) -> Iterator[tuple[Label, ...]]:
    if isinstance(node, Mapping):
        for key, inside in node.items():
            label = as_text(key)
            way = above if (label,) == above else (label, *above)
            if inside:
                yield from _chains(inside, way)
            else:
                yield way
    elif isinstance(node, (list, tuple)):
        for item in node:
            yield from _chains(item, above)
    else:
        yield (as_text(node), *above)


def _unfit(node: object, way: tuple[str, ...]) -> Iterator[Problem]:
    if isinstance(node, Mapping):
        for key, inside in node.items():
            yield from _unfit_key(key, inside, (*way, str(key)))
    elif isinstance(node, (list, tuple)):
        for item in node:
            if not isinstance(item, (list, tuple)):
                yield from _unfit(item, way)
            else:
                yield _place(way, "holds a list in a list")
    else:
        try:
            as_text(node)
        except TypeError:
            yield _place(way, "contains something that is not a text, list or table")


def _unfit_key(key: object, inside: object, way: tuple[str, ...]) -> Iterator[Problem]:
    if not isinstance(inside, (Mapping, list, tuple)):
        yield _place(way, "must be a list or a table", f'"{key}" = ["{inside}"]')
    else:
        yield from _unfit(inside, way)


def _place(way: tuple[str, ...], message: str, remedy: str | None = None) -> Problem:
    return wrong("tree", f"'{' > '.join(way)}' {message}", remedy)
