"""What an attacker is given: people's exact values, the published classes, and who meets which.

An attacker knows the exact quasi-identifiers of a person and reads the release. The classes whose
cells all cover the person's values are the *compatible* classes; whoever has the same compatible
classes belongs to one *crowd*, and nothing an attacker of this kind concludes tells its members
apart. What is compatible with whom, and how often each sensitive value occurs there, is counted
here once, for all attackers.

"Random worlds" means that every assignment of the values of a person's compatible classes to the
people who stand there is equally likely (Machanavajjhala and others 2006), so that the belief in a
value is its share among the records of these classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.hierarchies.cells import Coverage
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy
from indistinct.metadata import Value, ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.encoding import codes_in, count_combinations
from indistinct.microdata.microdata import sorted_values
from indistinct.privacy.promise import promised_class_size
from indistinct.requirement import Requirement

BITS_AT_ONCE = 1 << 27
"""Most bits (values of all attributes times classes) that are laid out at once."""

Made = TypeVar("Made")


@dataclass(frozen=True)
class Classes:
    """The published classes: distinct rows of cells, sorted, with the number of their records.

    Arguments:
        cells: one row per class, the published texts, null for a missing cell.
        size: records of each class, [G].
    """

    cells: pl.DataFrame
    size: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.size)


@dataclass(frozen=True)
class Rows:
    """Compressed rows: row ``i`` holds ``index[indptr[i]:indptr[i + 1]]``, in rising order."""

    indptr: NDArray[np.int64]
    index: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __getitem__(self, row: int) -> NDArray[np.int32]:
        return self.index[self.indptr[row] : self.indptr[row + 1]]

    @property
    def length(self) -> NDArray[np.int64]:
        """Entries of each row."""
        return np.diff(self.indptr)


@dataclass(frozen=True)
class Pool(Rows):
    """How often each sensitive value occurs, as compressed rows of value codes and counts."""

    count: NDArray[np.int64]

    @cached_property
    def row_of(self) -> NDArray[np.int64]:
        """The row of every entry."""
        return np.repeat(np.arange(len(self)), self.length)

    @cached_property
    def size(self) -> NDArray[np.int64]:
        """Records of each row."""
        return sums(self.count, self.indptr)

    @cached_property
    def largest(self) -> NDArray[np.int64]:
        """Records of the most frequent value of each row, 0 for an empty row."""
        found = np.zeros(len(self), np.int64)
        np.maximum.at(found, self.row_of, self.count)
        return found

    def of(self, rows: NDArray[Any], values: NDArray[Any], domain: int) -> NDArray[np.int64]:
        """How often value ``values[i]`` (a code below ``domain``) occurs in row ``rows[i]``."""
        if not len(self.index):
            return np.zeros(len(rows), np.int64)
        keys = self.row_of * domain + self.index
        wanted = np.asarray(rows, np.int64) * domain + values
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[at] == wanted, self.count[at], 0)

    def distinct(self, group_of: NDArray[np.int32]) -> NDArray[np.int64]:
        """How many different groups the values of each row belong to; ``group_of`` is [D]."""
        if not len(self.index):
            return np.zeros(len(self), np.int64)
        groups = int(group_of.max()) + 1
        pairs = np.unique(self.row_of * groups + group_of[self.index])
        return np.bincount(pairs // groups, minlength=len(self)).astype(np.int64)

    def dense(self, domain: int) -> NDArray[np.int64]:
        """The counts as a table, [rows, domain]."""
        found = np.zeros((len(self), domain), np.int64)
        found[self.row_of, self.index] = self.count
        return found


@dataclass(frozen=True)
class Scene:
    """Everything that attackers are given, and what several of them need to count.

    Arguments:
        quasi: the quasi-identifiers.
        sensitive: the sensitive attributes.
        people: the source as text, one row per person, quasi-identifiers and sensitive attributes,
            in the source's order; null is missing.
        release: the published table as text, the same columns, in published order, without the
            records that have ``*`` in every quasi-identifier.
        suppressed: how many records were left out so.
        taxonomies: the hierarchy of each quasi-identifier, over the source's values.
        known: what is known of the values of sensitive attributes.
        promises: what the release promises.
        seed: of whatever an attacker draws at random.
        may_contain: what the certificate says the release may contain: ``"noise"``, ``"decoys"``.
        harmful: the values of each sensitive attribute that would harm most; where an attribute is
            not named, those of its most sensitive category.
        population: the exact quasi-identifiers of a population that the people belong to, as text,
            one row per person.
        second: another release about the same people, in the same order.
    """

    quasi: tuple[str, ...]
    sensitive: tuple[str, ...]
    people: pl.DataFrame
    release: pl.DataFrame
    taxonomies: Mapping[str, Taxonomy]
    suppressed: int = 0
    known: Mapping[str, ValueMetadata] = field(default_factory=dict)
    promises: tuple[Requirement, ...] = ()
    seed: int = 0
    may_contain: tuple[str, ...] = ()
    harmful: Mapping[str, frozenset[Value]] = field(default_factory=dict)
    population: pl.DataFrame | None = None
    second: Scene | None = None
    _kept: dict[tuple[str, str], Any] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        named = {
            name: frozenset(v for v, own in known.categories.items() if own == most)
            for name, known in self.known.items()
            for most in known.category_order[-1:]
        }
        object.__setattr__(self, "harmful", {**named, **self.harmful})

    @property
    def k(self) -> int | None:
        """The largest k promised for all quasi-identifiers together; None where none is."""
        of_records = [item for item in self.promises if item.unit == "record"]
        return promised_class_size(of_records, self.quasi)

    @property
    def records(self) -> int:
        """Published records, suppressed ones not counted."""
        return self.release.height

    @cached_property
    def _coded(self) -> tuple[list[NDArray[np.int32]], NDArray[np.int64], NDArray[np.int32]]:
        codes = [codes_in(self.people[name], self.taxonomies[name].leaves) for name in self.quasi]
        # A value that no hierarchy knows comes last, and is told apart from no other such value.
        sizes = [len(self.taxonomies[name].leaves) for name in self.quasi]
        shifted = [np.where(c < 0, size, c) for c, size in zip(codes, sizes, strict=True)]
        ones = np.ones(self.people.height, np.int64)
        found, weight, of = count_combinations(shifted, [size + 1 for size in sizes], ones)
        back = [np.where(c == n, -1, c).astype(np.int32) for c, n in zip(found, sizes, strict=True)]
        return back, weight, of

    @property
    def combination_of(self) -> NDArray[np.int32]:
        """The combination of exact quasi-identifiers of every person, [n]."""
        return self._coded[2]

    @property
    def weight(self) -> NDArray[np.int64]:
        """How many people have each combination, [C]."""
        return self._coded[1]

    @cached_property
    def combinations(self) -> pl.DataFrame:
        """The distinct combinations of exact quasi-identifiers, C rows of text."""
        columns = [
            pl.Series(name, [*self.taxonomies[name].leaves, None], pl.String)[codes]
            for name, codes in zip(self.quasi, self._coded[0], strict=True)
        ]
        return pl.DataFrame(columns)

    @cached_property
    def _classed(self) -> tuple[Classes, list[NDArray[np.int32]], NDArray[np.int32]]:
        domains = [sorted_values(self.release[name]) for name in self.quasi]
        codes = [codes_in(self.release[n], d) for n, d in zip(self.quasi, domains, strict=True)]
        ones = np.ones(self.release.height, np.int64)
        if not self.release.height:
            empty = self.release.select(self.quasi)
            return Classes(empty, ones), codes, np.zeros(0, np.int32)
        found, size, of = count_combinations(codes, [len(domain) for domain in domains], ones)
        cells = pl.DataFrame(
            [
                pl.Series(name, list(domain), pl.String)[own]
                for name, domain, own in zip(self.quasi, domains, found, strict=True)
            ]
        )
        return Classes(cells, size), found, of

    @property
    def classes(self) -> Classes:
        """The distinct rows of published cells, sorted, and their sizes."""
        return self._classed[0]

    @property
    def class_of(self) -> NDArray[np.int32]:
        """The class of every published record, [r]."""
        return self._classed[2]

    @cached_property
    def compatible(self) -> Rows:
        """For every combination the classes whose cells all cover it."""
        return self._meeting(self._coded[0], [self._covers(name) for name in self.quasi])

    @cached_property
    def _crowded(self) -> tuple[Rows, NDArray[np.int32]]:
        met = self.compatible
        numbers: dict[bytes, int] = {}
        of = np.empty(len(met), np.int32)
        members = []
        for c in range(len(met)):
            own = met[c]
            key = own.tobytes()
            if (number := numbers.get(key)) is None:
                number = numbers[key] = len(numbers)
                members.append(own)
            of[c] = number
        indptr = np.zeros(len(members) + 1, np.int64)
        np.cumsum([len(own) for own in members], out=indptr[1:])
        flat = np.concatenate(members) if members else np.zeros(0, np.int32)
        return Rows(indptr, flat), of

    @property
    def crowds(self) -> Rows:
        """The distinct sets of compatible classes, [K]; one of them may be empty."""
        return self._crowded[0]

    @cached_property
    def crowd_of(self) -> NDArray[np.int32]:
        """The crowd of every person, [n]."""
        return self._crowded[1][self.combination_of]

    @property
    def crowd_of_combination(self) -> NDArray[np.int32]:
        """The crowd of every combination, [C]."""
        return self._crowded[1]

    @cached_property
    def crowd_size(self) -> NDArray[np.int64]:
        """Published records in the classes of each crowd, [K]."""
        return sums(self.classes.size[self.crowds.index], self.crowds.indptr)

    @cached_property
    def found(self) -> NDArray[np.bool_]:
        """Which people have a compatible class at all, [n]."""
        return self.crowd_size[self.crowd_of] > 0

    @cached_property
    def class_population(self) -> NDArray[np.int64] | None:
        """How many people of the population each class could be, [G]; None without a population.

        At least the class's own size: whoever is published belongs to the population.
        """
        if self.population is None:
            return None
        met = self.population_compatible
        assert met is not None
        counted = np.bincount(met.index, minlength=len(self.classes)).astype(np.int64)
        return np.maximum(counted, self.classes.size)

    @cached_property
    def population_compatible(self) -> Rows | None:
        """For every person of the population the compatible classes; None without a population."""
        if self.population is None:
            return None
        codes, covers = [], []
        for name in self.quasi:
            own = _over_more(self.taxonomies[name], self.population[name])
            codes.append(codes_in(self.population[name], own.leaves))
            covers.append(self._covers(name, own))
        return self._meeting(codes, covers)

    def domain(self, sensitive: str) -> SensitiveDomain:
        """The sorted values of source and release, missing last, and what is known of them."""
        return self._once("domain", sensitive, self._make_domain)

    def truth(self, sensitive: str) -> NDArray[np.int32]:
        """The code of every person's true value, [n]."""
        return self._once(
            "truth",
            sensitive,
            lambda name: codes_in(self.people[name], self.domain(name).labels),
        )

    def published(self, sensitive: str) -> NDArray[np.int32]:
        """The code of the value of every published record, [r]."""
        return self._once(
            "published",
            sensitive,
            lambda name: codes_in(self.release[name], self.domain(name).labels),
        )

    def held(self, sensitive: str) -> Pool:
        """How often each value occurs in each class, as compressed rows, [G]."""
        return self._once("held", sensitive, self._make_held)

    def pooled(self, sensitive: str) -> Pool:
        """How often each value occurs in the classes of each crowd together, [K]."""
        return self._once("pooled", sensitive, self._make_pooled)

    def counts(self, sensitive: str) -> NDArray[np.int64]:
        """How often each value occurs in each class, [G, D]."""
        return self.held(sensitive).dense(len(self.domain(sensitive)))

    def prior(self, sensitive: str) -> NDArray[np.float64]:
        """The distribution of the values in the whole release, [D]; zeros for an empty release."""
        return self._once("prior", sensitive, self._make_prior)

    def beliefs(self, sensitive: str) -> NDArray[np.float64]:
        """Random-worlds belief in each value, for every combination, [C, D].

        The share of the value among the records of the compatible classes; the distribution of the
        whole release where no class is compatible.
        """
        pool, prior = self.pooled(sensitive), self.prior(sensitive)
        size = self.crowd_size[:, None]
        dense = pool.dense(len(prior))
        belief = np.where(size > 0, dense / np.maximum(size, 1), prior)
        return belief[self.crowd_of_combination]

    def true_count(self, sensitive: str) -> NDArray[np.int64]:
        """How often every person's true value occurs in the compatible classes, [n]."""
        return self._once(
            "true_count",
            sensitive,
            lambda name: self.pooled(name).of(
                self.crowd_of, self.truth(name), len(self.domain(name))
            ),
        )

    def true_prior(self, sensitive: str) -> NDArray[np.float64]:
        """The share of every person's true value in the whole release, [n]."""
        return self.prior(sensitive)[self.truth(sensitive)]

    def true_belief(self, sensitive: str) -> NDArray[np.float64]:
        """Random-worlds belief in every person's true value, [n]; see :meth:`beliefs`."""
        size = self.crowd_size[self.crowd_of]
        share = self.true_count(sensitive) / np.maximum(size, 1)
        return np.where(size > 0, share, self.true_prior(sensitive))

    def _once(self, what: str, sensitive: str, make: Callable[[str], Made]) -> Made:
        key = (what, sensitive)
        if key not in self._kept:
            self._kept[key] = make(sensitive)
        return cast("Made", self._kept[key])

    def _make_domain(self, name: str) -> SensitiveDomain:
        both = pl.concat([self.people[name], self.release[name]])
        return SensitiveDomain(sorted_values(both), self.known.get(name, ValueMetadata()))

    def _make_prior(self, name: str) -> NDArray[np.float64]:
        counted = np.bincount(self.published(name), minlength=len(self.domain(name)))
        return counted / max(self.records, 1)

    def _make_held(self, name: str) -> Pool:
        if not self.records:
            none = np.zeros(0, np.int64)
            return Pool(np.zeros(1, np.int64), none.astype(np.int32), none)
        found, count, _ = count_combinations(
            [self.class_of, self.published(name)],
            [len(self.classes), len(self.domain(name))],
            np.ones(self.records, np.int64),
        )
        indptr = np.zeros(len(self.classes) + 1, np.int64)
        np.cumsum(np.bincount(found[0], minlength=len(self.classes)), out=indptr[1:])
        return Pool(indptr, found[1].astype(np.int32), count)

    def _make_pooled(self, name: str) -> Pool:
        from indistinct.kernels.class_matching import pool

        held, crowds, domain = self.held(name), self.crowds, len(self.domain(name))
        indptr = np.zeros(len(crowds) + 1, np.int64)
        value, count = np.zeros(0, np.int32), np.zeros(0, np.int64)
        total, seen = np.zeros(domain, np.int64), np.empty(domain, np.int32)
        for fill in (False, True):
            if fill:
                value = np.empty(indptr[-1], np.int32)
                count = np.empty(indptr[-1], np.int64)
            pool(
                crowds.indptr, crowds.index, held.indptr, held.index, held.count, total, seen,
                indptr, value, count, fill,
            )  # fmt: skip
        row_of = np.repeat(np.arange(len(crowds)), np.diff(indptr))
        order = np.lexsort((value, row_of))
        return Pool(indptr, value[order], count[order])

    def _covers(self, name: str, taxonomy: Taxonomy | None = None) -> NDArray[np.bool_]:
        """Which values each distinct cell of an attribute covers, [cells, D]; cells as coded."""
        cells = sorted_values(self.release[name])
        return Coverage(taxonomy or self.taxonomies[name]).matrix(cells)

    def _meeting(
        self, codes: Sequence[NDArray[np.int32]], covers: Sequence[NDArray[np.bool_]]
    ) -> Rows:
        """The classes that each row of value codes meets."""
        found = classes_met(codes, covers, self._classed[1], len(self.classes))
        assert found is not None
        return found


def classes_met(
    codes: Sequence[NDArray[np.int32]],
    covers: Sequence[NDArray[np.bool_]],
    cell_of: Sequence[NDArray[np.int32]],
    groups: int,
    most: int | None = None,
) -> Rows | None:
    """The classes that each combination of values meets.

    Arguments:
        codes: for each attribute the value of every combination, negative for one that nothing
            covers.
        covers: for each attribute which values each distinct cell covers, [cells, D].
        cell_of: for each attribute the cell of every class, [G].
        groups: the number of classes, G.
        most: how many pairs of combinations and classes are listed; None is answered where there
            are more.
    """
    from indistinct.kernels.class_matching import WORD, meet

    values = np.ascontiguousarray(np.stack(codes, axis=1).astype(np.int32))
    sizes = [cover.shape[1] for cover in covers]
    start = np.zeros(len(sizes), np.int64)
    np.cumsum(sizes[:-1], out=start[1:])
    width = max(BITS_AT_ONCE // max(sum(sizes), 1) // WORD, 1) * WORD
    parts: list[tuple[NDArray[np.int64], NDArray[np.int32]]] = []
    for first in range(0, groups, width):
        own = slice(first, min(first + width, groups))
        bits = np.concatenate(
            [_bits(cover, cell[own]) for cover, cell in zip(covers, cell_of, strict=True)]
        )
        layer = np.empty((len(sizes) + 1, bits.shape[1]), np.uint64)
        count = np.zeros(len(values), np.int64)
        met = np.zeros(0, np.int32)
        meet(values, bits, start, first, count, met, layer, False)
        if most is not None and sum(len(part) for _, part in parts) + count.sum() > most:
            return None
        met = np.empty(count.sum(), np.int32)
        meet(values, bits, start, first, np.cumsum(count) - count, met, layer, True)
        parts.append((count, met))
    indptr = np.zeros(len(values) + 1, np.int64)
    if not parts:
        return Rows(indptr, np.zeros(0, np.int32))
    np.cumsum(sum(count for count, _ in parts), out=indptr[1:])
    if len(parts) == 1:
        return Rows(indptr, parts[0][1])
    row_of = np.concatenate([np.repeat(np.arange(len(values)), count) for count, _ in parts])
    order = np.argsort(row_of, kind="stable")
    return Rows(indptr, np.concatenate([met for _, met in parts])[order])


def _bits(cover: NDArray[np.bool_], cell: NDArray[np.int32]) -> NDArray[np.uint64]:
    """For every value the classes whose cell covers it, as bits, [D, words]."""
    over = cover[cell].T
    short = -over.shape[1] % 64
    packed = np.packbits(np.pad(over, ((0, 0), (0, short))), axis=1, bitorder="little")
    return np.ascontiguousarray(packed).view("<u8").astype(np.uint64, copy=False)


def sums(values: NDArray[np.int64], indptr: NDArray[np.int64]) -> NDArray[np.int64]:
    """The sum of each compressed row."""
    upto = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=upto[1:])
    return upto[indptr[1:]] - upto[indptr[:-1]]


def _over_more(taxonomy: Taxonomy, column: pl.Series) -> Taxonomy:
    """The hierarchy with further values: nothing but ranges, sets and ``*`` covers them."""
    more: list[Label] = [v for v in sorted_values(column) if not taxonomy.covers(v)]
    if not more:
        return taxonomy
    chains = [
        chain for leaf, chain in zip(taxonomy.leaves, taxonomy.chains, strict=True)
        if leaf not in taxonomy.suppressed
    ]  # fmt: skip
    taken = {label for chain in chains for label in chain}
    extra = [[value] for value in more if value not in taken]
    inner = [value for value in more if value in taken]
    return Taxonomy(
        taxonomy.attribute,
        [*chains, *extra],
        suppressed=[*taxonomy.suppressed, *inner],
    )


def is_suppressed(records: pl.DataFrame, quasi: Sequence[str]) -> pl.Series:
    """Which records are published with ``*`` in every quasi-identifier."""
    return records.select(
        pl.all_horizontal(pl.col(name).eq_missing(pl.lit(SUPPRESSED)) for name in quasi)
    ).to_series()
