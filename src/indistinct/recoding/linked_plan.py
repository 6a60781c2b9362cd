"""What is published of people with many records: a class and a bucket for everybody.

The quasi table has a row for every person, with cells that fit the person's class and the number of
the person's bucket; the sensitive table lists what the people of each bucket have. A bucket may be
met in several classes, and a class in several buckets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from indistinct.frozen import dataclass, field
from indistinct.kernels.ragged import Ragged, pointers
from indistinct.metadata import ValueMetadata
from indistinct.recoding.plan import CellPlan, SearchReport
from indistinct.types import Bools, Ints, Ints32, Plain, PlainMapping
from indistinct.warning_kinds import WarningText

Holding = Literal["one", "some", "all"]
"""How the values of a bucket belong to its people: everybody has ``one`` of them, everybody has
``some`` of them (each value counted once for every person who has it), everybody has ``all``."""


@dataclass(frozen=True, eq=False)
class Buckets(Ragged):
    """The published values of one sensitive attribute, bucket by bucket.

    Arguments:
        indptr: bucket ``b`` lists ``value[indptr[b]:indptr[b + 1]]``, [B + 1].
        value: places in ``labels``, one entry per published row. Values of noise are among them.
        labels: the published texts: categories, or nodes of the hierarchy; None is missing.
        holding: how the values belong to the bucket's people.
    """

    labels: tuple[str | None, ...]
    holding: Holding = "one"

    @property
    def counts(self) -> Ints:
        """How often each value is listed in each bucket, [B, labels]."""
        found = np.zeros((len(self), len(self.labels)), dtype=np.int64)
        np.add.at(found, (self.row_of, self.value), 1)
        return found


@dataclass(frozen=True)
class LinkedNoise:
    """A made-up person: a row in the class ``group`` of the quasi table, linked to a bucket.

    Its values, places in ``Buckets.labels`` by attribute, are listed in the bucket already.
    """

    group: int
    bucket: int
    values: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class History:
    """Values of people that a release leaves out, with how many of their records have each."""

    person: Ints32
    value: tuple[str | None, ...]
    count: Ints


@dataclass(frozen=True, eq=False)
class LinkedPlan:
    """People linked to classes and buckets.

    Arguments:
        quasi: the class of every person [n] and the cells of each class; suppressed people are in
            class -1.
        bucket_of: the bucket of every person, [n]; -1 for suppressed ones.
        buckets: of each sensitive attribute what is published of each bucket.
        search: how the plan was found.
        noise: people who are made up.
        truth: of each sensitive attribute the place in ``buckets[...].labels`` of the value that
            stands for each person, [n]; -1 for suppressed people and where a person has a set.
            Private.
        log: every step on the way, private.
        history: per sensitive attribute the entries of ``LinkedTable.events`` that the release does
            not use, as person [h], value label [h], count [h]. Private, always.
        algorithm: its name.
        notes: what the custodian should know, as sentences.
        told: what a reader should know, as sentences without a figure of the run.
        known: per sensitive attribute what a reader has to know of the published values, such as
            the order of categories, for promises to be recomputed; where an algorithm says nothing
            of it, what is known of the source's values.
    """

    quasi: CellPlan
    bucket_of: Ints32
    buckets: Mapping[str, Buckets]
    search: SearchReport
    noise: tuple[LinkedNoise, ...] = ()
    truth: Mapping[str, Ints32] = field(default_factory=dict)
    log: PlainMapping = field(default_factory=dict)
    history: Mapping[str, History] = field(default_factory=dict)
    algorithm: str = ""
    notes: tuple[WarningText, ...] = ()
    told: tuple[WarningText, ...] = ()
    known: Mapping[str, ValueMetadata] = field(default_factory=dict)

    @property
    def suppressed(self) -> Bools:
        """Which people are left out, [n]."""
        return self.bucket_of < 0

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self.quasi.attributes

    @property
    def classes(self) -> int:
        """Number of classes that a reader tells apart: those with equal cells are one."""
        cells = np.array(self.quasi.cell_of)
        used = np.unique(self.quasi.class_of[self.quasi.class_of >= 0])
        return np.unique(cells[:, used], axis=1).shape[1] if cells.size else min(len(used), 1)

    def to_dict(self) -> Plain:
        """The plan without its people: numbers of classes and buckets, and how it was found."""
        return {
            **self.search.to_dict(),
            "scope": "linked",
            "levels": {},
            "classes": self.classes,
            "buckets": {name: len(part) for name, part in self.buckets.items()},
            **({"quasi": self.log["quasi"]} if "quasi" in self.log else {}),
        }


def listed(counts: Ints, labels: tuple[str | None, ...], holding: Holding) -> Buckets:
    """Buckets that list every value as often as it is counted, in the order of labels.

    The order tells nothing of the people.

    Arguments:
        counts: how often each bucket lists each value, [B, D].
        labels: the published texts, [D].
        holding: how the values belong to the bucket's people.
    """
    buckets, domain = counts.shape
    values = np.tile(np.arange(domain, dtype=np.int32), buckets)
    return Buckets(pointers(counts.sum(axis=1)), np.repeat(values, counts.ravel()), labels, holding)


def without_noise(plan: LinkedPlan) -> LinkedPlan:
    """The plan without the people who are made up, and without their values in the buckets."""
    buckets = {}
    for name, part in plan.buckets.items():
        counts = part.counts
        for one in plan.noise:
            counts[one.bucket, one.values[name]] -= 1
        buckets[name] = listed(counts, part.labels, part.holding)
    return replace(plan, buckets=buckets, noise=())
