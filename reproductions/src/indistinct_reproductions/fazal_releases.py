"""Releases of people with many records by the four methods that the paper compares, measured.

Every release is made by :func:`indistinct.anonymize` from a policy, as anybody would, and measured
against the private table of people. Theta-sensitivity on rows is what the paper calls the failure:
records are taken for people. Its linkability is counted over records, since nothing in its release
says which of them are one person's, and its answers to questions are held against the table's
records; what is believed of people is counted over people all the same.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import indistinct as ind
from indistinct import Policy, Release, Unsatisfiable
from indistinct.analytics.joined import JoinedRelease, PeopleTable
from indistinct.analytics.published import read_rows
from indistinct.analytics.utility.figures import CertaintyPenalty, Utility
from indistinct.analytics.utility.linkability import (
    Intersection,
    Linkability,
    record_intersection,
    record_linkability,
)
from indistinct.analytics.utility.linked_query_error import LinkedQueries, LinkedQueryError
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.intake.private_table import PrivateTable
from indistinct.intake.run import Run as OneRun
from indistinct.pipeline.anonymization import read
from indistinct.recoding.plan import CellPlan
from indistinct_reproductions.fazal_tables import MU

THETA_STAR, GUARDED = "theta-star as printed", "theta-star guarded"
KL, PL, ROWS = "(k,l)-diversity", "(p,l)-angelization", "theta on rows"

METHODS = (THETA_STAR, GUARDED, KL, PL, ROWS)
COMPARED = (THETA_STAR, KL, PL, ROWS)
"""The four of the paper."""

CATEGORIES_PER_BUCKET = 2
"""The p of (p,l)-angelization, which the paper does not print."""


@dataclass(frozen=True, eq=False)
class Patients:
    """A table of people with many records, and what a policy says of it.

    Arguments:
        rows: a row for every record.
        person: the column that names the person.
        quasi: the quasi-identifiers, and their hierarchies as a policy has them.
        sensitive: the column of sensitive values.
        categories: the values of each category, from the least to the most sensitive.
    """

    rows: pl.DataFrame
    person: str
    quasi: Mapping[str, Any]
    sensitive: str
    categories: Mapping[str, Sequence[str]]

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(self.quasi)

    def policy(
        self,
        promises: Sequence[Mapping[str, Any]],
        method: Mapping[str, Any],
        *,
        by_rows: bool = False,
    ) -> Policy:
        """A policy for this table; ``by_rows`` takes every record for a person."""
        table = {name: list(values) for name, values in self.categories.items()}
        attributes: dict[str, Any] = {
            self.person: {"role": "identifier"},
            **{
                name: {"role": "quasi-identifier", "hierarchy": hierarchy}
                for name, hierarchy in self.quasi.items()
            },
            self.sensitive: {
                "role": "sensitive",
                "categories": {"table": table, "order": list(table)},
                "hierarchy": {"tree": {"*": table}},
            },
        }
        return Policy.from_dict(
            {
                "source": {} if by_rows else {"person": self.person},
                "attributes": attributes,
                "promises": list(promises),
                "method": dict(method),
            }
        )

    def first(self, people: int) -> Patients:
        """The table of the first people."""
        kept = self.rows[self.person].unique(maintain_order=True).head(people)
        own = self.rows.filter(self.rows[self.person].is_in(kept.implode()))
        return replace(self, rows=own)

    @cached_property
    def read(self) -> PrivateTable:
        """The table as linked tables are made of it."""
        policy = self.policy(*asked_of(GUARDED, 2, self))
        return read(self.rows, OneRun(policy, 0))[0]

    @cached_property
    def people(self) -> PeopleTable:
        """The private table as people."""
        read = self.read
        return PeopleTable.of(
            read.subjects.texts,
            read.taxonomies,
            read.subjects.person_of,
            read.subjects.records,
            read.metadata,
        )

    @cached_property
    def records(self) -> PeopleTable:
        """The private table as if every record were of another person."""
        read = self.read
        return PeopleTable.of(
            self.rows.select(self.names),
            read.taxonomies,
            np.arange(self.rows.height, dtype=np.int32),
            read.subjects.records,
            read.metadata,
        )


def asked_of(name: str, k: int, patients: Patients) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What a method promises for k, and its settings."""
    theta = {"model": "theta-sensitive", "k": k, "mu": MU, "sensitive": patients.sensitive}
    if name == THETA_STAR:
        return [theta], {"algorithm": "theta-star", "variant": "paper", "max_noise": 0.9}
    if name == GUARDED:
        return [theta], {"algorithm": "theta-star", "max_noise": 0.9}
    if name == ROWS:
        chunks = {"partition": {"start": "chunks"}}
        return [theta], {"algorithm": "theta", "variant": "paper", **chunks}
    own = {"sensitive": patients.sensitive}
    if name == KL:
        return (
            [{"model": "kl-diversity", "k": k, "l": k, **own}],
            {"algorithm": "k-l-diversity", "variant": "paper"},
        )
    return (
        [
            {"model": "k-anonymity", "k": k},
            {"model": "p-plus-sensitive", "p": CATEGORIES_PER_BUCKET, **own},
            {"model": "distinct-l-diversity", "l": k, **own},
        ],
        {"algorithm": "p-l-angelization"},
    )


def made(name: str, k: int, patients: Patients, seed: int = 0) -> Release:
    """A release by one method.

    Raises:
        Unsatisfiable: if there is none.
    """
    promises, method = asked_of(name, k, patients)
    policy = patients.policy(promises, {**method, "seed": seed}, by_rows=name == ROWS)
    return ind.anonymize(patients.rows, policy)


# -------- What is published, as measures see it --------


def joined(
    release: Release, table: PeopleTable, sensitive: str, *, telling: bool = False
) -> JoinedRelease:
    """The published tables as rows about people and lists of what they have.

    Arguments:
        release: the release.
        table: the people, or records, that it is measured by.
        sensitive: the sensitive attribute.
        telling: leave out values of ``*``, which are true of everybody.
    """
    names = list(table.original.attributes)
    if release.linked:
        quasi, listed = release.tables["quasi"], release.tables["sensitive"]
        if telling:
            listed = listed.filter(pl.col(sensitive).ne_missing(SUPPRESSED))
        link = release.certificate.linked or {}
        return JoinedRelease.of_linked(
            read_rows(table.original, quasi.select(names)),
            quasi["bucket"].cast(pl.String),
            {sensitive: listed.select(pl.col("bucket").cast(pl.String), sensitive)},
            link["holding"],
        )
    number = pl.Series("bucket", np.arange(release.tables.height)).cast(pl.String)
    return JoinedRelease.of_linked(
        read_rows(table.original, release.tables.select(names)),
        number,
        {sensitive: pl.DataFrame([number, release.tables[sensitive]])},
        "one",
    )


def one_person_classes(release: Release, person_of: NDArray[np.int32]) -> tuple[int, int]:
    """Of a release of records how many classes are one person's, and how many there are."""
    assert isinstance(release.plan, CellPlan)
    class_of = release.plan.class_of
    rows = pl.DataFrame({"class": class_of, "person": person_of}).filter(pl.Series(class_of >= 0))
    people = rows.group_by("class").agg(pl.col("person").n_unique())["person"]
    return int((people == 1).sum()), len(people)


@dataclass(frozen=True, eq=False)
class Run:
    """A release by one method, measured; or ``why`` there is none.

    Arguments:
        method: its name.
        k: of its promise.
        people: how many the table has.
        seconds: from the table to the release, its audit included.
        why: the reason where there is none.
        noise: made-up people or records.
        classes: classes of equal cells.
        published: the rows and lists.
        table: what they are measured by: people, or records.
        ncp: the certainty penalty of quasi-identifiers.
        linkability: of the rows.
        met: whose exact records stand in the release, and what is believed.
        alone: share of classes that are one person's.
        errors: of questions on quasi-identifiers.
        with_categories: of questions on what people have, too.
    """

    method: str
    k: int
    people: int
    seconds: float
    why: str = ""
    noise: int = 0
    classes: int = 0
    published: JoinedRelease | None = None
    table: PeopleTable | None = None
    ncp: CertaintyPenalty | None = None
    linkability: Linkability | None = None
    met: Intersection | None = None
    alone: float = 0.0
    errors: LinkedQueryError | None = None
    with_categories: LinkedQueryError | None = None

    @property
    def made(self) -> bool:
        """Whether there is a release."""
        return self.published is not None

    def error(self, kind: str = "count", *, categories: bool = False) -> float | None:
        """The mean error of questions, counting every row that may be meant."""
        found = self.with_categories if categories else self.errors
        return None if found is None else found.errors[kind]["overlap"].mean  # type: ignore[index]

    def believed(self, least: str = "0.5") -> float | None:
        """The share of people of whom something true is believed with a probability so high."""
        return None if self.met is None else next(iter(self.met.believed.values()))[least]

    @property
    def vulnerable(self) -> int | None:
        """People whose exact record stands in the joined release."""
        return None if self.met is None else next(iter(self.met.vulnerable.values()))


@dataclass(frozen=True, eq=False)
class Asked:
    """Questions about the people of a table, with or without conditions on what they have."""

    plain: LinkedQueries
    categories: LinkedQueries | None = field(default=None)

    def over(self, table: PeopleTable) -> Asked:
        """The same questions about another table."""
        other = None
        if self.categories is not None:
            other = replace(self.categories, people=table)
        return Asked(replace(self.plain, people=table), other)


def measured(
    name: str, k: int, patients: Patients, asked: Asked | None = None, seed: int = 0
) -> Run:
    """A release by one method, held against the table of people."""
    people = patients.people
    began = time.perf_counter()
    try:
        release = made(name, k, patients, seed)
    except Unsatisfiable as impossible:
        taken = time.perf_counter() - began
        return Run(name, k, people.count, taken, why=impossible.problems[0].message)
    seconds = time.perf_counter() - began
    table = patients.records if name == ROWS else people
    published = joined(release, table, patients.sensitive)
    noise = len(release.plan.noise)  # type: ignore[union-attr]
    alone, classes = 0, published.published.classes
    if name == ROWS:
        alone, classes = one_person_classes(release, patients.read.subjects.person_of)
    own_questions = None if asked is None else asked.over(table)
    return Run(
        name,
        k,
        people.count,
        seconds,
        noise=noise,
        classes=classes,
        published=published,
        table=table,
        ncp=Utility(table.original, published.published, added=noise, k=k).ncp,
        linkability=record_linkability(table, published.published),
        met=record_intersection(people, joined(release, people, patients.sensitive, telling=True)),
        alone=alone / max(classes, 1),
        errors=None if own_questions is None else own_questions.plain.error(published),
        with_categories=None
        if own_questions is None or own_questions.categories is None
        else own_questions.categories.error(published),
    )
