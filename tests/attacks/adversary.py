"""Adversaries who know everything public, and a register of everybody in the order of the source.

A release is *public*: its tables, its certificate, the policy without a seed, this program. None of
these adversaries is one of the package: they share no code with its attackers. Each says how likely
every label is for everybody, and how likely every published row is somebody's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import indistinct as ind
from indistinct.randomness import stream

Beliefs = NDArray[np.float64]


@dataclass(frozen=True)
class Public:
    """What everybody has of a release.

    Arguments:
        register: the quasi-identifiers of everybody, in the order of the source, [n].
        rows: the published ones, [r].
        listed: what is published of each row: how likely its owner has each label, [r].
        bucket_of: the bucket of every row; of a release of records every row is one, [r].
        promises: as the certificate has them.
        may_contain: what may be made up.
        under: the values under each published label.
    """

    register: pl.DataFrame
    rows: pl.DataFrame
    listed: tuple[Mapping[str, float], ...]
    bucket_of: tuple[int, ...]
    promises: Mapping[str, Mapping[str, Any]]
    may_contain: tuple[str, ...]
    under: Mapping[str, frozenset[str]]

    @classmethod
    def of(
        cls,
        release: ind.Release,
        register: pl.DataFrame,
        sensitive: str,
        under: Mapping[str, frozenset[str]],
    ) -> Public:
        """What is public of a release."""
        certificate = release.certificate.to_dict()
        promises = {item["model"]: item["parameters"] for item in certificate["promises"]}
        quasi = register.columns
        if not release.linked:
            table = release.tables
            listed = tuple({value: 1.0} for value in table[sensitive].to_list())
            buckets = tuple(range(table.height))
        else:
            table = release.tables["quasi"]
            of_buckets: dict[int, list[str]] = {}
            for bucket, value in release.tables["sensitive"].rows():
                of_buckets.setdefault(bucket, []).append(value)
            people = Counter(table["bucket"].to_list())
            everybody = certificate["linked"]["holding"] == "all"
            listed = tuple(
                {
                    label: 1.0 if everybody else count / people[bucket]
                    for label, count in Counter(of_buckets[bucket]).items()
                }
                for bucket in table["bucket"].to_list()
            )
            buckets = tuple(table["bucket"].to_list())
        may_contain = tuple(certificate["may_contain"])
        cells = table.select(pl.col(quasi).cast(pl.String))
        return cls(register, cells, listed, buckets, promises, may_contain, under)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels that say something: not all values are under them."""
        seen = sorted({label for own in self.listed for label in own})
        whole = frozenset().union(*(self.under.get(one, {one}) for one in seen))
        return tuple(one for one in seen if self.under.get(one, frozenset({one})) != whole)

    @cached_property
    def shares(self) -> Beliefs:
        """How likely the owner of each row has each label, [r, labels]."""
        return np.array([[own.get(label, 0.0) for label in self.labels] for own in self.listed])

    @cached_property
    def fits(self) -> NDArray[np.bool_]:
        """Which rows could be whose, [n, r]."""
        found = np.ones((self.register.height, self.rows.height), np.bool_)
        for name in self.register.columns:
            known: dict[tuple[str, Any], bool] = {}
            cells, values = self.rows[name].to_list(), self.register[name].to_list()
            for value in set(values):
                for cell in set(cells):
                    known[cell, value] = covers(cell, value)
            found &= np.array([[known[cell, value] for cell in cells] for value in values])
        return found

    def believed(self, rows: Beliefs) -> Beliefs:
        """What follows of the likelihoods of rows: of everybody who fits none, the frequencies."""
        total = rows.sum(axis=1, keepdims=True)
        shares = rows @ self.shares / np.maximum(total, 1e-300)
        found: Beliefs = np.where(total > 0, shares, self.shares.mean(axis=0))
        return found


def covers(cell: str, value: object) -> bool:
    """Whether a published cell stands for a value."""
    text = str(value)
    if cell in ("*", text):
        return True
    if cell.startswith("["):
        low, high = cell[1:-1].split(", ")
        closed = cell.endswith("]") and float(text) == float(high)
        return closed or float(low) <= float(text) < float(high)
    if cell.startswith("{"):
        return text in cell[1:-1].split(", ")
    return cell.endswith("*") and text.startswith(cell.rstrip("*"))


@dataclass(frozen=True)
class Guess:
    """What an adversary says.

    Arguments:
        beliefs: how likely everybody has each label, [n, labels].
        rows: how likely each row is whose, [n, r].
    """

    beliefs: Beliefs
    rows: Beliefs


Adversary = Callable[[Public], Guess]


def by_frequencies(public: Public) -> Guess:
    """Believes what the rows say that fit."""
    rows = public.fits / np.maximum(public.fits.sum(axis=1, keepdims=True), 1)
    return Guess(public.believed(rows), rows)


def in_order(public: Public) -> Guess:
    """Gives everybody, in the source's order, the first row that fits and is not taken."""
    return _taken(public, range(public.rows.height))


def in_reverse(public: Public) -> Guess:
    """The same from the last row on."""
    return _taken(public, range(public.rows.height - 1, -1, -1))


def _taken(public: Public, order: Sequence[int]) -> Guess:
    free = list(order)
    rows = np.zeros(public.fits.shape)
    for person, fits in enumerate(public.fits):
        for at in free:
            if fits[at]:
                rows[person, at] = 1.0
                free.remove(at)
                break
    return Guess(public.believed(rows), rows)


SEEDS = range(64)
"""Seeds that people choose."""


def tries_seeds(public: Public) -> Guess:
    """Shuffles as the program would with every seed, and takes one that fits what is published."""
    n, height = public.fits.shape
    if height == n:
        for seed in SEEDS:
            for order in _orders(seed, n):
                if public.fits[order, np.arange(n)].all():
                    rows = np.zeros((n, height))
                    rows[order, np.arange(n)] = 1.0
                    return Guess(public.believed(rows), rows)
    return by_frequencies(public)


@cache
def _orders(seed: int, n: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """The orders in which the program publishes n rows with a seed: of a table, of two."""
    shuffled = np.arange(n, dtype=np.uint32)
    stream(seed, "publication.shuffle").shuffle(shuffled)
    return shuffled, stream(seed, "publication.quasi").permutation(n)


def follows_the_generator(public: Public) -> Guess:
    """Takes the order of rows for the order in which people were dealt to buckets.

    Of anatomy, which deals people in the order that it draws: those with a value in this order,
    the last first, to the buckets in turn. A bucket with a certain set of values came so late that
    its people are where such buckets take theirs from.
    """
    plain = by_frequencies(public)
    members: dict[int, list[int]] = {}
    for row, bucket in enumerate(public.bucket_of):
        members.setdefault(bucket, []).append(row)
    sets = {
        bucket: sorted(label for label, share in public.listed[rows[0]].items() if share > 0)
        for bucket, rows in members.items()
    }
    if any(len(rows) != len(sets[bucket]) for bucket, rows in members.items()):
        return plain  # people who are left over join a bucket: of these nothing is said
    totals = Counter(label for own in sets.values() for label in own)
    turns: dict[tuple[str, ...], list[list[float]]] = {}
    for turn in _dealt(totals, len(next(iter(sets.values())))):
        own = sorted(turn)
        turns.setdefault(tuple(own), []).append([turn[label] for label in own])
    places = np.linspace(0, 1, public.rows.height)
    owner = np.argmax(plain.rows, axis=0)
    shares = np.zeros((len(public.register), len(public.labels)))
    for bucket, rows in members.items():
        labels = sets[bucket]
        order = np.array(list(permutations(range(len(labels)))))
        expected = np.array(turns.get(tuple(labels), [[0.5] * len(labels)]))[:, order]
        often = np.array([totals[label] for label in labels])[order]
        away = ((places[rows] - expected) ** 2 * often * 2).sum(axis=2)
        likely = np.exp(away.min() - away).sum(axis=0)
        for turn, weight in zip(order, likely / likely.sum(), strict=True):
            numbers = [public.labels.index(labels[at]) for at in turn]
            shares[owner[rows], numbers] += weight
    return Guess(np.where(shares.sum(axis=1, keepdims=True) > 0, shares, plain.beliefs), plain.rows)


def _dealt(totals: Mapping[str, int], wanted: int) -> list[dict[str, float]]:
    """For every bucket in turn its values, and how far in the order each takes its person from."""
    left = dict(totals)
    found = []
    while sum(count > 0 for count in left.values()) >= wanted:
        most = sorted((one for one in left if left[one]), key=lambda one: -left[one])[:wanted]
        found.append({one: (left[one] - 0.5) / totals[one] for one in most})
        for one in most:
            left[one] -= 1
    return found


def strips_noise(public: Public) -> Guess:
    """Takes values that occur once out of groups of more than the smallest size."""
    plain = by_frequencies(public)
    if "noise" not in public.may_contain and "decoys" not in public.may_contain:
        return plain
    linked = len(set(public.bucket_of)) < public.rows.height
    of_row = public.bucket_of if linked else _classes(public)
    sizes = Counter(of_row)
    smallest = min(sizes.values())
    counts: dict[int, Counter[str]] = {}
    for group in sizes:
        inside = [own for own, of in zip(public.listed, of_row, strict=True) if of == group]
        counts[group] = Counter()
        for own in inside[:1] if linked else inside:
            for label, share in own.items():
                counts[group][label] += round(share * (sizes[group] if linked else 1))
        for label, count in sorted(counts[group].items()):
            if count == 1 and sum(counts[group].values()) > smallest:
                del counts[group][label]
    shares = np.array(
        [
            [counts[group][label] / max(sum(counts[group].values()), 1) for label in public.labels]
            for group in of_row
        ]
    )
    total = plain.rows.sum(axis=1, keepdims=True)
    return Guess(np.where(total > 0, plain.rows @ shares, plain.beliefs), plain.rows)


def _classes(public: Public) -> tuple[int, ...]:
    cells = public.rows.rows()
    number = {row: at for at, row in enumerate(dict.fromkeys(cells))}
    return tuple(number[row] for row in cells)


ADVERSARIES: Mapping[str, Adversary] = {
    "by frequencies": by_frequencies,
    "in order": in_order,
    "in reverse": in_reverse,
    "tries seeds": tries_seeds,
    "follows the generator": follows_the_generator,
    "strips noise": strips_noise,
}
