"""The hierarchy of every quasi-identifier, over the values that occur."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from indistinct.errors import DataError, HierarchyError, Problem, refuse
from indistinct.hierarchies.build import build_taxonomy, finest_values, needs_counts
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.intake.asked import are_codes
from indistinct.microdata.microdata import distinct_values, sorted_values
from indistinct.sources.table import Table
from indistinct.types import Ints

if TYPE_CHECKING:
    from indistinct.policy import Policy


def taxonomies_of(
    table: Table,
    policy: Policy,
    texts: pl.DataFrame,
    weight: Ints | None,
    file: str | None,
    people: pl.DataFrame | None = None,
) -> dict[str, Taxonomy]:
    """The hierarchy of every quasi-identifier over the values that occur; all problems at once.

    Arguments:
        table: the table, whose rows problems name.
        policy: says how each is built.
        texts: rows with a column for each of them, null for missing, [n].
        weight: how often each row counts, [n]; None: once each.
        file: the name of the table's file, for messages.
        people: the same columns of a population, whose values are covered as well.

    Raises:
        DataError: a table without records leaves nothing to build a hierarchy of.
        HierarchyError: a hierarchy cannot be built, or does not cover the values.
    """
    found: dict[str, Taxonomy] = {}
    problems: list[Problem] = []
    for name in policy.quasi_identifiers:
        counts: Sequence[int] | None = None
        if needs_counts(policy.attributes[name].hierarchy):
            values, counts = distinct_values(texts[name], weight)
        else:
            values = sorted_values(texts[name])
        if people is not None:
            others = [value for value in sorted_values(people[name]) if value not in set(values)]
            values = (*values, *others)
            counts = None if counts is None else (*counts, *(0 for _ in others))
        try:
            found[name] = taxonomy_of(policy, table, name, values, counts)
        except HierarchyError as error:
            problems += [
                replace(item, file=file) if item.rows and item.file is None else item
                for item in error.problems
            ]
    if problems and texts.is_empty() and (people is None or people.is_empty()):
        raise DataError(
            "no-records",
            "the table has no records, and so no values that hierarchies could be built of",
            file=file,
        )
    refuse(HierarchyError, problems)
    return found


def taxonomy_of(
    policy: Policy,
    table: Table,
    name: str,
    values: Sequence[str | None],
    counts: Sequence[int] | None,
) -> Taxonomy:
    """The hierarchy of one attribute over some values.

    Arguments:
        policy: says how it is built.
        table: the table, whose rows problems name.
        name: the attribute.
        values: the different values, None for missing, [v].
        counts: how many records have each, [v]; None where the hierarchy does not depend on it.

    Raises:
        HierarchyError: it does not cover the values, or is no tree.
    """
    item = policy.attributes[name]
    if policy.by_policy_alone:
        values = (*values, *(one for one in finest_values(item.hierarchy) if one not in values))
        counts = None
    found = build_taxonomy(
        name,
        item.hierarchy,
        values,
        counts,
        directory=policy.directory,
        missing=item.missing.as_,
        uncovered=item.uncovered,
        rows_of=functools.partial(table.rows_where, name),
    )
    return found.of_codes() if are_codes(item) else found
