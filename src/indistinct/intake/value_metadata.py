"""What a policy says of the values of sensitive attributes, over the values that occur."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl

from indistinct.document import toml_key
from indistinct.errors import (
    DataError,
    HierarchyError,
    IndistinctError,
    PolicyError,
    Problems,
)
from indistinct.hierarchies.cells import members_of
from indistinct.hierarchies.code_systems import groups_of
from indistinct.hierarchies.files import read_hierarchy
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.intake.hierarchies import taxonomy_of
from indistinct.intake.ranking import ranks_of, values_without
from indistinct.metadata import NO_METADATA, ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import FrequencyTable
from indistinct.microdata.microdata import distinct_values, sorted_values
from indistinct.microdata.subjects import Subjects
from indistinct.privacy.promise import Promise
from indistinct.sources.engines import open_table
from indistinct.sources.table import Table
from indistinct.types import Frame

if TYPE_CHECKING:
    from indistinct.policy import Categories, Policy


def value_metadata_of(
    policy: Policy,
    table: Table,
    texts: pl.DataFrame,
    names: Iterable[str],
    file: str | None = None,
) -> dict[str, ValueMetadata]:
    """What is known of the values of these attributes; all problems at once.

    Arguments:
        policy: names categories, ranks, and hierarchies that say an order or how near values are.
        table: the table, whose rows problems name.
        texts: its texts, with a column for each attribute.
        names: sensitive attributes.
        file: the name of the table's file, for messages.

    Raises:
        DataError: a value has no category, or no rank; a file of scores cannot be read.
        HierarchyError: a hierarchy does not cover the values.
        PolicyError: a file of categories cannot be understood.
    """
    found: dict[str, ValueMetadata] = {}
    problems: list[IndistinctError] = []
    for name in names:
        values = sorted_values(texts[name])
        try:
            found[name] = _known(policy, table, name, values, file)
        except (DataError, HierarchyError, PolicyError) as error:
            problems.append(error)
    if problems:
        # All problems under the kind of the first: they are mended in the same policy.
        first = problems[0]
        assert isinstance(first, DataError | HierarchyError | PolicyError)
        raise type(first)([item for error in problems for item in error.problems])
    return found


def with_references(
    known: Mapping[str, ValueMetadata], promises: Sequence[Promise], subjects: Subjects
) -> dict[str, ValueMetadata]:
    """The same, with the original distribution where a promise compares with that one.

    Of people with many records it is that of their values, each once for every person who has it.

    Arguments:
        known: what is known of the values, by attribute.
        promises: what is promised.
        subjects: who has the values.
    """
    asked = {
        part.sensitive
        for part in promises
        if part.compares and part.reference == "original" and part.sensitive is not None
    }
    found = dict(known)
    for name in asked:
        values, counts = distinct_values(subjects.values_of(name), subjects.weight)
        total = sum(counts)
        shares = {value: n / total for value, n in zip(values, counts, strict=True)}
        found[name] = replace(known[name], reference=shares)
    return found


def published_metadata(
    known: Mapping[str, ValueMetadata], promises: Sequence[Promise], released: Frame
) -> dict[str, ValueMetadata]:
    """What a reader has to know to recompute the promises: of the published values only.

    Arguments:
        known: what is known of the values, by attribute.
        promises: what is promised.
        released: the published records.
    """
    asked = {part.sensitive for part in promises if part.sensitive is not None}
    names = [name for name, about in known.items() if name in asked and about != NO_METADATA]
    if not names:
        return {}
    table = open_table(released, allow_empty=True)
    found = {
        name: needed_metadata(
            known[name], [part for part in promises if part.sensitive == name]
        ).about(table.distinct([name])[name].to_list())
        for name in names
    }
    return {name: about for name, about in found.items() if about != NO_METADATA}


def needed_metadata(about: ValueMetadata, promises: Sequence[Promise]) -> ValueMetadata:
    """The part of what is known that these promises rest on; the rest is nobody's business."""
    # Values of which all is known: of those that are in no record of the table some may be unknown.
    told = [{*one} for one in (about.categories, about.order, about.ranks, about.reference) if one]
    labels = tuple(set.intersection(*told)) if told else ()
    distances = {getattr(part, "distance", None) for part in promises}
    if "ordered" not in distances:
        about = replace(about, order=())
    if "hierarchical" not in distances:
        about = replace(about, chains=())
    if not any(part.compares and part.reference == "original" for part in promises):
        about = replace(about, reference={})
    without = replace(about, categories={}, category_order=())
    if not any(part.missing_metadata(SensitiveDomain(labels, without)) for part in promises):
        about = without
    without = replace(about, ranks={})
    if not any(part.missing_metadata(SensitiveDomain(labels, without)) for part in promises):
        about = without
    return about


def require_metadata(table: FrequencyTable, promises: Sequence[Promise]) -> None:
    """Raise :class:`PolicyError` where a promise needs to know more than the policy says."""
    problems = Problems()
    for part in promises:
        if part.sensitive is not None:
            lacking = part.missing_metadata(table.sensitive[part.sensitive].about)
            if lacking is not None:
                problems.append(lacking)
        if part.needs_population and table.population is None:
            problems.add(
                "no-population",
                f"promise '{part.model}' compares the table with a population, and none is named",
                remedy='add [risk] with population = { file = "..." }',
            )
    if problems:
        raise PolicyError(list(dict.fromkeys(problems)))


def _known(
    policy: Policy, table: Table, name: str, values: Sequence[str | None], file: str | None
) -> ValueMetadata:
    item = policy.attributes[name]
    categories: dict[str | None, str] = {}
    order: tuple[str, ...] = ()
    if item.categories is not None:
        categories, order = categories_of(policy, name, item.categories, values)
        categories |= _spelt_otherwise(values, categories)
        _require_all(table, name, values, categories, file)
    ranks = {} if item.ranks is None else ranks_of(policy, table, name, values, file)
    stated: tuple[str | None, ...] = item.order
    _require_places(table, name, values, stated, file)
    if item.hierarchy is None:
        return ValueMetadata(categories, order, stated, ranks=ranks)
    taxonomy = taxonomy_of(policy, table, name, values, None)
    if isinstance(item.hierarchy, Mapping) and "order" in item.hierarchy:
        stated = taxonomy.leaves
    return ValueMetadata(categories, order, stated, _chains(taxonomy), ranks=ranks)


def _chains(taxonomy: Taxonomy) -> tuple[tuple[str | None, ...], ...]:
    """From every leaf of the hierarchy to its root, all of one length.

    Each label begins on the level of its height, the longest way up to it: values that have only
    the root in common are as far apart as any, also where they stand right under it.
    """
    above = [taxonomy.level(level) for level in range(1, taxonomy.levels)]
    chains = list(zip(taxonomy.leaves, *above, strict=True))
    height = dict.fromkeys(taxonomy.leaves, 0)
    for chain in chains:
        for level, (below, label) in enumerate(pairwise(chain), 1):
            if label != below:
                height[label] = max(height.get(label, 0), level)
    return tuple(
        (
            chain[0],
            *(
                next((label for label in chain[level::-1] if height[label] <= level), chain[0])
                for level in range(1, len(chain))
            ),
        )
        for chain in chains
    )


def knowledge_of_categories(
    policy: Policy, name: str, labels: Sequence[str | None]
) -> ValueMetadata:
    """What is known of an attribute whose categories are published in place of its values.

    Arguments:
        policy: says what the categories are.
        name: the attribute.
        labels: the published categories, None for missing.
    """
    given = policy.attributes[name].categories
    if given is None:
        return NO_METADATA
    homes, order = categories_of(policy, name, given, labels)
    return ValueMetadata({home: home for home in homes.values()}, order)


def knowledge_of_labels(
    policy: Policy, name: str, labels: Sequence[str | None]
) -> ValueMetadata | None:
    """What is known of an attribute of which more than its values is published.

    A category is its own; a set of values, ``{cough, fever}``, has the highest category of these;
    a node of the values' hierarchy has none. None where the policy says it of the labels as they
    are.

    Arguments:
        policy: says what the categories are.
        name: the attribute.
        labels: what is published: values, categories, sets or nodes; None for missing.
    """
    given = policy.attributes[name].categories
    if given is None:
        return None
    values = [member for label in labels for member in members_of(label) or (label,)]
    homes, order = categories_of(policy, name, given, values)
    if labels and set(homes.values()).issuperset(labels):
        return knowledge_of_categories(policy, name, labels)
    homes |= _spelt_otherwise(values, homes)
    if all(label in homes for label in labels):
        return None
    place = {home: at for at, home in enumerate(order)}
    found: dict[str | None, str] = {}
    for label in labels:
        of_members = [homes.get(member) for member in members_of(label) or (label,)]
        known = [home for home in of_members if home is not None]
        if len(known) == len(of_members):
            found[label] = max(known, key=lambda home: place.get(home, -1))
    return ValueMetadata(found, order)


def categories_of(
    policy: Policy, name: str, given: Categories, values: Iterable[str | None]
) -> tuple[dict[str | None, str], tuple[str, ...]]:
    """The category of each value, and the categories in order.

    Arguments:
        policy: its folder is that of the file.
        name: the attribute, for messages.
        given: what the policy says of its categories.
        values: the values that occur: a code system says of each what it belongs to.
    """
    if given.code_system is not None:
        groups = groups_of(values, given.code_system, given.level)
        pairs = [(value, home) for home, values in groups.items() for value in values]
        if given.order and (left := set(groups) - set(given.order)):
            raise PolicyError(
                "category-without-place",
                f"the order of the categories has no place for {len(left)} of the groups of "
                f"{given.code_system} that occur",
                attribute=name,
                remedy="name every group that occurs; they are listed by: indistinct hierarchy "
                f"DATA {name} --code-system {given.code_system}",
            )
    elif given.table is not None:
        pairs = [(value, home) for home, values in given.table.items() for value in values]
    else:
        assert given.file is not None
        path = policy.directory / given.file
        chains = read_hierarchy(path, name, given.separator).chains
        pairs = [(chain[0] or "", chain[1] or "") for chain in chains if len(chain) > 1]
        homes = {home for _, home in pairs}
        if given.order and set(given.order) != homes:
            raise PolicyError(
                "unknown-category",
                f"the order of the categories of '{name}' and the file do not name the same: "
                f"the file has {', '.join(sorted(homes))}",
                file=str(path),
                attribute=name,
            )
    found: dict[str | None, str] = dict(pairs)
    if given.missing is not None:
        found[None] = given.missing
    return found, given.order


def _spelt_otherwise(
    values: Sequence[str | None], categories: Mapping[str | None, str]
) -> dict[str | None, str]:
    """The category of values that differ from a listed one only in case, apostrophes or blanks.

    Where two listed values with different categories are alike in this way, neither speaks for a
    third.
    """
    homes: dict[str, set[str]] = {}
    for value, home in categories.items():
        if value is not None:
            homes.setdefault(_plainly(value), set()).add(home)
    found: dict[str | None, str] = {}
    for value in values:
        if value is None or value in categories:
            continue
        near = homes.get(_plainly(value), set())
        if len(near) == 1:
            found[value] = next(iter(near))
    return found


def _plainly(value: str) -> str:
    """A label without what people write differently: case, apostrophes, blanks in a row."""
    return " ".join(re.sub("['\u2019\u2018`\u00b4]", "", value).casefold().split())


def _require_places(
    table: Table,
    name: str,
    values: Sequence[str | None],
    order: Sequence[str | None],
    file: str | None,
) -> None:
    """Raise :class:`DataError` for values that a stated order leaves out; a missing one is last."""
    without = [value for value in values if value is not None and value not in order]
    if order and without:
        raise DataError(
            "value-without-place",
            values_without(name, without, "place in the order"),
            file=file,
            attribute=name,
            rows=table.rows_where(name, without),
            remedy=f"name every value in the order of [attributes.{toml_key(name)}]",
        )


def _require_all(
    table: Table,
    name: str,
    values: Sequence[str | None],
    categories: Mapping[str | None, str],
    file: str | None,
) -> None:
    without = [value for value in values if value not in categories]
    if without:
        raise DataError(
            "value-without-category",
            values_without(name, without, "category"),
            file=file,
            attribute=name,
            rows=table.rows_where(name, without),
            remedy=f"add {'them' if len(without) > 1 else 'it'} to the categories of "
            f"[attributes.{toml_key(name)}]; missing values have a key of their own, missing",
        )
