"""What the people of each bucket have, held against promises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from indistinct.frozen import dataclass
from indistinct.kernels.ragged import pointers
from indistinct.metadata import ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.linked_plan import Buckets
from indistinct.types import Bools, Ints, Ints32

AT_ONCE = 1 << 22
"""Counts of values that are held at once, about."""

FEW_BUCKETS = 1024
"""Buckets that are looked at together where there are more values than can be held."""


@dataclass(frozen=True)
class Bar:
    """The promises about one sensitive attribute, as its buckets are published.

    Arguments:
        promises: those that speak of it.
        about: what is known of the values that are listed.
        original: how often each of them occurs among all people, [D].
        several: whether somebody has several of them. A value that everybody of a bucket has then
            breaks it, however many values are listed beside.
    """

    name: str
    promises: tuple[Promise, ...]
    about: SensitiveDomain
    original: Ints
    several: bool = False

    @property
    def known(self) -> ValueMetadata:
        """What is known of the values, with how often each occurs where a promise compares it."""
        known = self.about.known
        if not any(part.compares and part.reference == "original" for part in self.promises):
            return known
        original = map(float, self.original.tolist())
        return replace(known, reference=dict(zip(self.about.labels, original, strict=True)))

    def broken(self, counts: Ints, size: Ints, published: Ints | None = None) -> Bools:
        """Which buckets break a promise, [B].

        Arguments:
            counts: how often each value is listed, [B, D].
            size: the people of each, [B].
            published: how often each value is listed in all buckets together, [D]; those given
                where not said.
        """
        total = counts.sum(axis=0) if published is None else published
        found = np.zeros(len(size), dtype=np.bool_)
        for promise in self.promises:
            reference = self.original if promise.reference == "original" else total
            found |= promise.breaks(
                ClassTable(
                    class_of=np.zeros(0, dtype=np.int32),
                    size=size,
                    cells={self.name: counts},
                    reference={self.name: reference},
                    domains={self.name: self.about},
                )
            )
        if self.several and counts.shape[1]:
            found |= (counts.max(axis=1) >= size) & (counts.sum(axis=1) > size)
        return found

    def broken_by_code(self, bucket_of: Ints32, code: Ints32, buckets: int) -> Bools:
        """Which buckets break a promise, where there may be very many values, [B].

        Arguments:
            bucket_of: the bucket of every listed value, -1 for none.
            code: the value.
            buckets: their number, B.
        """
        order = np.argsort(bucket_of, kind="stable")
        order = order[bucket_of[order] >= 0]
        bucket, code = bucket_of[order].astype(np.int64), code[order].astype(np.int64)
        domain = len(self.about)
        total = np.bincount(code, minlength=domain)
        found = np.zeros(buckets, dtype=np.bool_)
        compares = any(part.compares for part in self.promises)
        at_once = max(1, AT_ONCE // max(domain, 1)) if compares else FEW_BUCKETS
        if buckets * domain <= AT_ONCE:
            at_once = max(buckets, 1)
        for first in range(0, buckets, at_once):
            last = min(first + at_once, buckets)
            part = slice(*np.searchsorted(bucket, [first, last]).tolist())
            values, own = np.arange(domain), code[part]
            if not compares and at_once < buckets:
                values, inverse = np.unique(own, return_inverse=True)
                own = inverse.astype(np.int64)
            place = (bucket[part] - first) * len(values) + own
            counts = np.bincount(place, minlength=(last - first) * len(values))
            counts = counts.reshape(last - first, len(values))
            bar = self if len(values) == domain else self.of(values)
            found[first:last] = bar.broken(counts, counts.sum(axis=1), total[values])
        return found

    @property
    def of_people(self) -> Bar:
        """The promises that have to hold without made-up people as well."""
        return replace(self, promises=tuple(p for p in self.promises if not p.counts_made_up))

    def of(self, values: Ints) -> Bar:
        """The same of some of the values alone."""
        labels = tuple(self.about.labels[at] for at in values.tolist())
        about = SensitiveDomain(labels, self.about.known)
        return replace(self, about=about, original=self.original[values])


def bars_of(
    promises: Sequence[Promise],
    about: dict[str, SensitiveDomain],
    original: dict[str, Ints],
) -> tuple[Bar, ...]:
    """The promises by the attribute they speak of.

    Arguments:
        promises: what is promised.
        about: what is known of the values of each sensitive attribute.
        original: how often each value occurs in the table, [D], by attribute.
    """
    return tuple(
        Bar(name, tuple(part for part in promises if part.sensitive == name), own, original[name])
        for name, own in about.items()
    )


def counted(bucket_of: Ints32, code: Ints32, buckets: int, domain: int) -> Ints:
    """How many people of each bucket have each value, [B, D].

    Arguments:
        bucket_of: the bucket of every person, [n]; -1 of those in none.
        code: the value of every person, [n].
        buckets: how many there are, B.
        domain: how many values there are, D.
    """
    there = bucket_of >= 0
    place = bucket_of[there].astype(np.int64) * domain + code[there]
    return np.bincount(place, minlength=buckets * domain).reshape(buckets, domain)


def listed_codes(
    bucket_of: Ints32, code: Ints32, buckets: int, labels: tuple[str | None, ...]
) -> Buckets:
    """Buckets that list one value for each of their people, in the order of labels.

    Arguments:
        bucket_of: the bucket of every person, [n]; -1 of those in none.
        code: the value of every person, [n].
        buckets: how many there are, B.
        labels: the published text of every code, [D].
    """
    there = np.flatnonzero(bucket_of >= 0)
    order = there[np.lexsort((code[there], bucket_of[there]))]
    indptr = pointers(np.bincount(bucket_of[there], minlength=buckets))
    return Buckets(indptr, code[order].astype(np.int32), labels, "one")
