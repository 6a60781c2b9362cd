"""The verb *attack* where people have many records: rows of a release are people, never records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import DataError, Problem
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.microdata import sorted_values
from indistinct.pipeline.attacking import (
    as_meant,
    contained,
    doubts,
    population_given,
    reported,
    unread,
)
from indistinct.pipeline.hierarchies import taxonomies_of
from indistinct.pipeline.opening import Progress, open_source
from indistinct.pipeline.people import people_in
from indistinct.pipeline.release import Release
from indistinct.pipeline.value_metadata import value_metadata_of

if TYPE_CHECKING:
    from indistinct.analytics.attacks import AttackContext, AttackReport
    from indistinct.analytics.attacks.weighted import Lists
    from indistinct.microdata.people import People
    from indistinct.policy import Policy
    from indistinct.release.audit.reading import Published, PublishedTable
    from indistinct.sources.table import Table

ATTRIBUTE, VALUE = "attribute", "value"
"""Columns of a sensitive table that lists several attributes."""


def attack_people(
    data: Any,
    release: Any,
    policy: Policy,
    only: Sequence[str] | None,
    seed: int | None,
    population: Any,
    harmful: Mapping[str, Iterable[str | None]] | None,
    second: Any,
    tell: Progress,
    path: str | Path | None,
) -> AttackReport:
    """Let every attacker loose on a release of people with many records.

    Arguments as of :func:`indistinct.attack`; the policy names the column of the person.

    Raises:
        DataError: the table or a release cannot be read, or nothing tells a release's people apart.
        PolicyError: the policy does not fit the table.
        HierarchyError: a hierarchy does not cover the table's values, or is no tree.
    """
    tell("reading", None)
    context, notes = _attacked(
        data,
        release,
        policy,
        seed=seed,
        population=population,
        harmful=harmful,
        second=second,
        tell=tell,
        path=path,
    )
    return reported(context, only, notes, tell)


def _attacked(
    data: Any,
    release: Any,
    policy: Policy,
    *,
    seed: int | None = None,
    population: Any = None,
    harmful: Mapping[str, Iterable[str | None]] | None = None,
    second: Any = None,
    tell: Progress,
    path: str | Path | None = None,
) -> tuple[AttackContext, list[str]]:
    """What attackers of people are given, and what else the reader of their findings should know.

    Arguments as of :func:`attack_people`.
    """
    table, digest = open_source(data, policy, path, held=True)
    file = None if digest is None else table.name
    assert policy.person is not None
    first = read_people_release(release, policy)
    other = None if second is None else read_people_release(second, policy)
    sensitive = list(dict.fromkeys([*first.lists, *(() if other is None else other.lists)]))
    texts = table.text([policy.person, *policy.quasi_identifiers, *sensitive])
    people = people_in(texts, policy, file)
    assert people is not None
    around = population_given(population, policy)
    tell("looking at the hierarchies", None)
    taxonomies = _taxonomies(table, policy, people, file, around, first)
    known = value_metadata_of(policy, table, texts, sensitive, file)
    contexts = []
    for read in (first, other):
        if read is None:
            continue
        contexts.append(
            _context(
                read,
                policy,
                people,
                texts,
                taxonomies,
                around,
                seed=next(part for part in (seed, policy.method.seed, 0) if part is not None),
                known={name: known[name] for name in read.lists},
                harmful={name: frozenset(values) for name, values in (harmful or {}).items()},
            )
        )
    context = contexts[0] if other is None else replace(contexts[0], second=contexts[1])
    notes = [*first.notes, *_source_keys(first, texts[policy.person])]
    notes += doubts(context)
    if other is not None:
        notes += [f"second release: {note}" for note in _source_keys(other, texts[policy.person])]
        notes += [f"second release: {note}" for note in other.notes]
    return context, notes


def _source_keys(release: PeopleRelease, keys: pl.Series) -> list[str]:
    """The warning that pseudonyms are the source's own keys, where they are."""
    own = set(keys.drop_nulls().to_list())
    told = [name for name in release.pseudonyms or () if name in own]
    if not told or 2 * len(told) < len(release.pseudonyms or ()):
        return []
    return [
        f"{len(told)} of {len(release.pseudonyms or ())} pseudonyms are keys of the source: "
        "whoever has the key of a person finds the person's records, and releases can be linked"
    ]


@dataclass(frozen=True)
class PeopleRelease:
    """A release of people with many records, as attackers read it.

    Arguments:
        quasi: the quasi-identifiers it has.
        rows: their cells as text, a row for every person.
        bucket_of: the bucket of every row, [rows].
        lists: of each sensitive attribute what every bucket lists, [B].
        holding: how the values of a bucket belong to its people.
        may_contain: what it may contain that was not in the source.
        pseudonyms: of a long release the pseudonym of every row.
        notes: what does not go together in it.
    """

    quasi: tuple[str, ...]
    rows: pl.DataFrame
    bucket_of: NDArray[np.int32]
    lists: Mapping[str, Lists]
    holding: str
    may_contain: tuple[str, ...] = ()
    pseudonyms: tuple[str | None, ...] | None = None
    notes: tuple[str, ...] = ()


def read_people_release(release: Any, policy: Policy) -> PeopleRelease:
    """A long release, or two linked tables, as text.

    Arguments:
        release: a :class:`Release`, a frame, a mapping of the frames ``quasi`` and ``sensitive``,
            the path of a file or of a release's folder.
        policy: names the attributes and the column of the person.

    Raises:
        DataError: it cannot be read, has no quasi-identifier, or nothing tells its people apart.
    """
    from indistinct.release.audit.linking import link_between
    from indistinct.release.audit.reading import read_release

    contains: tuple[str, ...] = ()
    link: Mapping[str, str] | None = None
    person = policy.person
    assert person is not None
    if isinstance(release, Release):
        contains = release.certificate.may_contain
        link, person = release.certificate.linked, release.certificate.person or person
        release = release.tables
    published = read_release(release)
    if published.claims is not None:
        contains = contained(published)
        link, person = published.claims.linked, published.claims.person or person
    link = link or link_between(published)
    if policy.method.algorithm == "theta-star" and link is not None:
        contains = tuple(dict.fromkeys([*contains, "noise"]))
    notes = list(published.notes)
    if any(table.matches is False for table in published.tables):
        notes.append("the release is not the one that its certificate speaks of")
    found = _long(published, policy, person) if link is None else _linked(published, policy, link)
    left = [
        f"'{name}'"
        for name in (*policy.quasi_identifiers, *policy.sensitive)
        if name not in (*found.quasi, *found.lists)
    ]
    if left:
        notes.append(f"the release has no column {', '.join(left)}: nothing is learnt from it")
    return replace(found, may_contain=contains, notes=(*notes, *found.notes))


def _long(published: Published, policy: Policy, person: str) -> PeopleRelease:
    """A release with a pseudonym in every row."""
    from indistinct.analytics.attacks.weighted import Lists

    table = max(published.tables, key=lambda part: part.find(person) is not None)
    if table.find(person) is None:
        raise DataError(
            Problem(
                "release-without-people",
                f"the release has no column '{person}', and no link between two tables: nothing "
                "says whose its rows are, and rows are not people",
                file=table.name,
                remedy="give the release with the pseudonyms that were made for it, or the folder "
                "of the two linked tables",
            )
        )
    quasi = _quasi_of(table, policy)
    sensitive = [name for name in policy.sensitive if table.find(name) is not None]
    texts = table.texts([person, *quasi, *sensitive])
    notes = []
    nobody = texts[person].null_count()
    if nobody:
        notes.append(f"{nobody} rows of the release name no person: they are passed over")
        texts = texts.filter(pl.col(person).is_not_null())
    names = texts[person].unique(maintain_order=True)
    of = codes_in(texts[person], names.to_list())
    first = pl.Series(np.unique(of, return_index=True)[1].astype(np.int64))
    cells = pl.DataFrame([as_meant(texts[name], policy, name) for name in quasi])
    several = cells.with_columns(pl.Series("\0person", of)).unique().height - len(names)
    if several:
        notes.append(
            f"people of the release stand in more than one class ({several} times): they are taken "
            "to be in that of their first row"
        )
    return PeopleRelease(
        quasi=quasi,
        rows=cells.select(pl.all().gather(first)),
        bucket_of=np.arange(len(names), dtype=np.int32),
        lists={
            name: Lists.gathered(of, as_meant(texts[name], policy, name), len(names))
            for name in sensitive
        },
        holding="all",
        pseudonyms=tuple(names.to_list()),
        notes=tuple(notes),
    )


def _linked(published: Published, policy: Policy, link: Mapping[str, str]) -> PeopleRelease:
    """Two linked tables."""
    from indistinct.analytics.attacks.weighted import Lists
    from indistinct.release.audit.reading import missing_columns

    tables = {part.name: part for part in published.tables}
    lacking = [link[key] for key in ("quasi", "sensitive") if link[key] not in tables]
    if lacking:
        raise DataError(
            [Problem("no-table", "the release lacks this table", file=name) for name in lacking]
        )
    one, other, by = tables[link["quasi"]], tables[link["sensitive"]], link["by"]
    quasi = _quasi_of(one, policy)
    lacking_columns = [*missing_columns(one, [by]), *missing_columns(other, [by])]
    if lacking_columns:
        raise DataError(lacking_columns)
    bucket = one.texts([by])[by]
    texts = one.texts(quasi)
    entries: dict[str, tuple[pl.Series, pl.Series]] = {}
    for name in policy.sensitive:
        if other.find(name) is not None:
            found = other.texts([by, name])
            entries[name] = found[by], as_meant(found[name], policy, name)
        elif other.find(ATTRIBUTE) is not None and other.find(VALUE) is not None:
            found = other.texts([by, ATTRIBUTE, VALUE]).filter(pl.col(ATTRIBUTE) == name)
            if found.height:
                entries[name] = found[by], as_meant(found[VALUE], policy, name)
    numbers = sorted_values(pl.concat([bucket, *(of for of, _ in entries.values())]))
    lists = {
        name: Lists.gathered(codes_in(of, numbers), values, len(numbers))
        for name, (of, values) in entries.items()
    }
    bucket_of = codes_in(bucket, numbers)
    size = np.bincount(bucket_of, minlength=len(numbers))
    holding = link.get("holding")
    if holding is None and policy.method.algorithm == "k-l-diversity":
        holding = "all"
    if holding is None:
        whole = all((part.size == size).all() for part in lists.values())
        holding = "one" if whole else "some"
    unlike = sum(int((part.size == 0)[size > 0].sum()) for part in lists.values())
    return PeopleRelease(
        quasi=quasi,
        rows=pl.DataFrame([as_meant(texts[name], policy, name) for name in quasi]),
        bucket_of=bucket_of,
        lists=lists,
        holding=holding,
        notes=(f"{unlike} buckets of the quasi table list no value",) if unlike else (),
    )


def _quasi_of(table: PublishedTable, policy: Policy) -> tuple[str, ...]:
    from indistinct.release.audit.reading import missing_columns

    quasi = tuple(name for name in policy.quasi_identifiers if table.find(name) is not None)
    if not quasi:
        raise DataError(missing_columns(table, policy.quasi_identifiers))
    return quasi


def _taxonomies(
    table: Table,
    policy: Policy,
    people: People,
    file: str | None,
    around: pl.DataFrame | None,
    read: PeopleRelease,
) -> dict[str, Taxonomy]:
    """The hierarchies over the people's values; over the population's too where cells need it."""
    taxonomies = taxonomies_of(table, policy, people.texts, None, file)
    if around is not None:
        wider = taxonomies_of(table, policy, people.texts, None, file, around)
        if unread(read.rows, wider, read.quasi) <= unread(read.rows, taxonomies, read.quasi):
            return wider
    return taxonomies


def _context(
    read: PeopleRelease,
    policy: Policy,
    people: People,
    texts: pl.DataFrame,
    taxonomies: Mapping[str, Taxonomy],
    around: pl.DataFrame | None,
    **more: Any,
) -> AttackContext:
    from indistinct.analytics.attacks import AttackContext, Places
    from indistinct.analytics.attacks.places import is_suppressed
    from indistinct.analytics.attacks.weighted import Lists

    gone = is_suppressed(read.rows, read.quasi)
    kept = ~gone
    there = kept.to_numpy()
    buckets = max([len(part) for part in read.lists.values()], default=0)
    buckets = max(buckets, int(read.bucket_of.max(initial=-1)) + 1)
    names = read.pseudonyms
    return AttackContext(
        places=Places(
            quasi=read.quasi,
            people=people.texts.select(read.quasi),
            rows=read.rows.filter(kept),
            taxonomies={name: taxonomies[name] for name in read.quasi},
            suppressed=int(gone.sum()),
            population=None if around is None else around.select(read.quasi),
        ),
        sensitive=tuple(read.lists),
        values={
            name: Lists.gathered(people.person_of, texts[name], people.count) for name in read.lists
        },
        bucket_of=read.bucket_of[there],
        buckets=read.lists,
        bucket_semantics=read.holding,
        bucket_size=np.bincount(read.bucket_of, minlength=buckets).astype(np.int64),
        promises=policy.requirements,
        may_contain=read.may_contain,
        pseudonyms=None
        if names is None
        else tuple(name for name, is_there in zip(names, there, strict=True) if is_there),
        **more,
    )
