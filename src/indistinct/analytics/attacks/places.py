"""Who could stand where: people's exact quasi-identifiers, the published classes, who meets which.

An attacker knows the exact quasi-identifiers of a person and reads the release. The classes whose
cells all cover the person's values are the *compatible* classes. People with the same compatible
classes have the same *candidate set*; no attacker of this kind can tell them apart. Which classes
are compatible with whom is counted here once, for all attackers.

Rows with ``*`` in every quasi-identifier are one more class, of the people whom no other class
fits: a register tells who these are, and that such a row is theirs. Where there are
more such rows than people whom no class fits, as where records are suppressed one by one, some
people whom a class fits have one, too. Who that is follows in part from how many people fit which
classes. Attackers take those for suppressed who are so more likely than not, and everybody else for
a member of the classes that fit. Of people whom they take for the wrong one they believe too little
in what is true: what attackers reach is a lower bound of what can be reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.analytics.published import is_suppressed
from indistinct.analytics.weighted import Rows, chosen_rows, ones, pointers, sums
from indistinct.document import many, some_of
from indistinct.frozen import dataclass
from indistinct.hierarchies.cells import Coverage
from indistinct.hierarchies.taxonomy import Label, Taxonomy
from indistinct.kernels.class_matching import WORD, meet
from indistinct.kernels.grouping import number_lists
from indistinct.kernels.proportional_fitting import fit_margins
from indistinct.microdata.encoding import codes_in, count_combinations
from indistinct.microdata.microdata import sorted_values

BITS_AT_ONCE = 1 << 27
"""Most bits (values of all attributes times classes) that are laid out at once."""


FITTED = 100
"""Rounds of proportional fitting that tell who may be suppressed, at most."""

STILL = 1e-3
"""Change of any share that calls for another round."""

MOST_PAIRS = 50_000_000
"""Pairs of people alike and classes that fit them, at most, of which it is fitted who is where."""


@dataclass(frozen=True)
class Classes:
    """The published classes: distinct rows of cells, sorted, with the number of their records.

    Arguments:
        cells: one row per class, the published texts, null for a missing cell.
        size: records of each class, [G].
        starred: which class is that of rows with ``*`` in every quasi-identifier, [G].
    """

    cells: pl.DataFrame
    size: NDArray[np.int64]
    starred: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.size)

    @property
    def ordinary(self) -> NDArray[np.bool_]:
        """Which classes are generalized, and not suppressed, [G].

        Where there are only rows of ``*``, they may be either.
        """
        return self.starred if self.starred.all() else ~self.starred


@dataclass(frozen=True)
class Combined:
    """The distinct combinations of what attackers know of people.

    Arguments:
        codes: of each attribute the leaf of every combination, -1 where no hierarchy knows the
            value, [C].
        weight: how many people have each combination, [C].
        of: the combination of every person, [n].
    """

    codes: list[NDArray[np.int32]]
    weight: NDArray[np.int64]
    of: NDArray[np.int32]

    @classmethod
    def of_people(
        cls, people: pl.DataFrame, taxonomies: Mapping[str, Taxonomy], known: Sequence[str]
    ) -> Combined:
        """The combinations of some attributes of people.

        Arguments:
            people: their exact values as text, one row per person.
            taxonomies: the hierarchy of each attribute.
            known: the attributes.
        """
        codes = [codes_in(people[name], taxonomies[name].leaves) for name in known]
        # A value that no hierarchy knows comes last, and is told apart from no other such value.
        sizes = [len(taxonomies[name].leaves) for name in known]
        for own, size in zip(codes, sizes, strict=True):
            own[own < 0] = size
        found, weight, of = count_combinations(
            codes, [size + 1 for size in sizes], ones(people.height)
        )
        for own, size in zip(found, sizes, strict=True):
            own[own == size] = -1
        return cls(found, weight, of)


@dataclass(frozen=True)
class Places:
    """Who could stand where: people's exact quasi-identifiers, and the published rows.

    Arguments:
        quasi: the quasi-identifiers.
        people: the people's exact quasi-identifiers as text, one row per person, in the source's
            order; null is missing.
        rows: the published quasi-identifiers as text, one row per person, in published order.
        taxonomies: the hierarchy of each quasi-identifier, over the people's values.
        population: the exact quasi-identifiers of a population that the people belong to, as text,
            one row per person.
        known: those of the quasi-identifiers that attackers know of people; all where not given.
        combined: the combinations of what is known, where they have been made for another release.
        register: whether attackers have a register of all people, and so know who else fits a row.
    """

    quasi: tuple[str, ...]
    people: pl.DataFrame
    rows: pl.DataFrame
    taxonomies: Mapping[str, Taxonomy]
    population: pl.DataFrame | None = None
    known: tuple[str, ...] = ()
    combined: Combined | None = None
    register: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", self.known or self.quasi)

    @property
    def records(self) -> int:
        """Published rows."""
        return self.rows.height

    @property
    def suppressed(self) -> int:
        """Rows with ``*`` in every quasi-identifier."""
        return int(self.classes.size[self.classes.starred].sum())

    @property
    def in_class(self) -> NDArray[np.bool_]:
        """Which people a class fits that is not that of rows of ``*``, [n]."""
        return self._fits_class[self.combination_of]

    @cached_property
    def _fits_class(self) -> NDArray[np.bool_]:
        met = self._fitting
        found = np.zeros(len(met), np.bool_)
        found[met.row_of[~self.classes.starred[met.index]]] = True
        return found

    @cached_property
    def _coded(self) -> Combined:
        given = self.combined
        return given or Combined.of_people(self.people, self.taxonomies, self.known)

    @property
    def combination_of(self) -> NDArray[np.int32]:
        """The combination of known quasi-identifiers of every person, [n]."""
        return self._coded.of

    @property
    def weight(self) -> NDArray[np.int64]:
        """How many people have each combination, [C]."""
        return self._coded.weight

    @property
    def codes(self) -> list[NDArray[np.int32]]:
        """For each known attribute the value of every combination, -1 where no hierarchy knows it.

        Values are numbered as the hierarchy's leaves, [C].
        """
        return self._coded.codes

    @property
    def cell_codes(self) -> list[NDArray[np.int32]]:
        """For each quasi-identifier the cell of every class, numbered as they sort, [G]."""
        return self._classed[1]

    @cached_property
    def _classed(self) -> tuple[Classes, list[NDArray[np.int32]], NDArray[np.int32]]:
        domains = [sorted_values(self.rows[name]) for name in self.quasi]
        codes = [codes_in(self.rows[n], d) for n, d in zip(self.quasi, domains, strict=True)]
        each = ones(self.rows.height)
        if not self.rows.height:
            empty = self.rows.select(pl.col(self.quasi).cast(pl.String))
            return Classes(empty, each, each > 0), codes, np.zeros(0, np.int32)
        found, size, of = count_combinations(codes, [len(domain) for domain in domains], each)
        cells = pl.DataFrame(
            [
                pl.Series(name, list(domain), pl.String)[own]
                for name, domain, own in zip(self.quasi, domains, found, strict=True)
            ]
        )
        return Classes(cells, size, is_suppressed(cells, self.quasi).to_numpy()), found, of

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
        """For every combination the classes whose cells all cover it; else that of ``*``.

        That of ``*`` also for people who are more likely suppressed than in a class.
        """
        met, fits = self._fitting, self._fits_class
        if self.suppressed <= self.weight[~fits].sum():
            return met
        likely = suppressed_shares(met, self.weight, self.classes) > 0.5
        return _moved(met, fits & likely, int(np.flatnonzero(self.classes.starred)[0]))

    @cached_property
    def _fitting(self) -> Rows:
        return self._meeting(self.codes, [self._covers(name) for name in self.known])

    @cached_property
    def _sets(self) -> tuple[Rows, NDArray[np.int32]]:
        met = self.compatible
        of = np.empty(len(met), np.int32)
        first = number_lists(met.indptr, met.index, of)
        return chosen_rows(met, first), of

    @property
    def candidate_sets(self) -> Rows:
        """The distinct sets of compatible classes, [K]; one of them may be empty."""
        return self._sets[0]

    @cached_property
    def set_of(self) -> NDArray[np.int32]:
        """The candidate set of every person, [n]."""
        return self._sets[1][self.combination_of]

    @property
    def set_of_combination(self) -> NDArray[np.int32]:
        """The candidate set of every combination, [C]."""
        return self._sets[1]

    @cached_property
    def set_size(self) -> NDArray[np.int64]:
        """Published rows in the classes of each candidate set, [K]."""
        return sums(self.classes.size[self.candidate_sets.index], self.candidate_sets.indptr)

    @cached_property
    def overlaps(self) -> bool:
        """Whether several classes fit somebody."""
        met = self.compatible
        return not met.one_each and bool((met.length > 1).any())

    @property
    def too_many(self) -> bool:
        """Whether more pairs of people and classes fit than a register is used for."""
        return len(self.compatible.index) > MOST_PAIRS

    def with_register(self) -> Places:
        """The same with a register; what is counted without one is not counted anew."""
        known = copy(self)
        object.__setattr__(known, "register", True)
        for own in ("row_weight", "set_weight"):
            vars(known).pop(own, None)
        return known

    @cached_property
    def row_weight(self) -> NDArray[np.float64]:
        """How likely a row of each class is that of somebody whom several fit, [G].

        The same for all, unless the others are known by a register. Then people have all rows
        between them: who fits a class that others do not
        fit is likely there, and its rows are likely not of those who fit others as well.
        """
        met, size, weight = self.compatible, self.classes.size, self.weight
        found = np.ones(len(size))
        if not self.register:
            return found
        there = met.length > 0
        weight = np.where(there, weight, 0)
        size = np.where(np.bincount(met.index, minlength=len(size)) > 0, size, 0)
        # People without a row may be any of them, and rows of strangers stand anywhere.
        _, of_groups, _ = fitted(met, weight, size, int(weight.sum() - size.sum()))
        return of_groups / self.classes.size

    @cached_property
    def set_weight(self) -> NDArray[np.float64]:
        """What the rows in the classes of each candidate set weigh together, [K]."""
        sets, weight = self.candidate_sets, self.classes.size * self.row_weight
        whole = np.bincount(sets.row_of, weight[sets.index], minlength=len(sets))
        return whole.astype(np.float64, copy=False)

    @cached_property
    def rows_of(self) -> NDArray[np.int64]:
        """Published rows that each person could stand in, [n]."""
        return self.set_size[self.set_of]

    @cached_property
    def found(self) -> NDArray[np.bool_]:
        """Which people have a compatible class at all, [n]."""
        return (self.set_size > 0)[self.set_of]

    def by_class(self, score: NDArray[np.float64]) -> NDArray[np.float64]:
        """The largest score among the people who could stand in each class, 0 at least, [G]."""
        sets = self.candidate_sets
        by_set, found = np.zeros(len(sets)), np.zeros(len(self.classes))
        np.maximum.at(by_set, self.set_of, score)
        np.maximum.at(found, sets.index, by_set[sets.row_of])
        return found

    @cached_property
    def class_population(self) -> NDArray[np.int64] | None:
        """How many people of the population each class could be, [G]; None without a population.

        At least the class's own size: published people belong to the population.
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
        for name in self.known:
            own = _over_more(self.taxonomies[name], self.population[name])
            codes.append(codes_in(self.population[name], own.leaves))
            covers.append(self._covers(name, own))
        return self._meeting(codes, covers)

    @property
    def strangers(self) -> bool:
        """Whether nobody fits what is published: another table, or values written otherwise."""
        published = self.records and not self.suppressed
        return bool(published and self.people.height and not self.in_class.any())

    def doubts(self, what: str) -> list[str]:
        """What figures of this release do not rest upon as they should.

        Arguments:
            what: what a row of the release is, for messages.
        """
        lost = int((~self.in_class).sum())
        more = self.suppressed - lost
        notes = []
        if self.suppressed == self.records:
            notes.append(
                f"no {what} is published in a class: attackers know nothing but the source"
            )
        if self.suppressed:
            also = (
                f"; at least {more} of them also fit a class, and attackers try those who are "
                "more likely to"
            )
            notes.append(
                f"{self.suppressed} published {what}s have * in every quasi-identifier: people "
                f"who fit no class ({many(lost, 'person')}) are among these" + also * (more > 0)
            )
        elif lost:
            notes.append(
                f"{some_of(lost, self.people.height, 'person matches')} no published class "
                "(suppressed, or changed): for them attackers fall back to overall frequencies"
            )
        return notes

    def _covers(self, name: str, taxonomy: Taxonomy | None = None) -> NDArray[np.bool_]:
        """Which values each distinct cell of an attribute covers, [cells, D]; cells as coded."""
        cells = sorted_values(self.rows[name])
        return Coverage(taxonomy or self.taxonomies[name]).matrix(cells)

    def _meeting(
        self, codes: Sequence[NDArray[np.int32]], covers: Sequence[NDArray[np.bool_]]
    ) -> Rows:
        """The classes that each row of value codes meets."""
        cell_of = [self._classed[1][self.quasi.index(name)] for name in self.known]
        found = classes_met(codes, covers, cell_of, len(self.classes))
        assert found is not None
        starred = np.flatnonzero(self.classes.starred)
        if not len(starred):
            return found
        kept = found.index != starred[0]
        others = np.bincount(found.row_of[kept], minlength=len(found)) == 0
        rows = found.row_of[kept]
        found = Rows(pointers(rows, len(found)), found.index[kept])
        return _moved(found, others, int(starred[0]))


def _moved(met: Rows, which: NDArray[np.bool_], group: int) -> Rows:
    """The classes that rows meet, where some meet this class and no other."""
    kept, others = ~which[met.row_of], np.flatnonzero(which)
    rows = np.concatenate([met.row_of[kept], others])
    order = np.argsort(rows, kind="stable")
    index = np.concatenate([met.index[kept], np.full(len(others), group, np.int32)])[order]
    return Rows(pointers(rows, len(met)), index)


def suppressed_shares(
    met: Rows, weight: NDArray[np.int64], classes: Classes
) -> NDArray[np.float64]:
    """How likely people of each combination are suppressed, [C].

    Every way to give people rows that fit them is equally likely, where any of them may have a row
    of ``*``.

    Arguments:
        met: the classes that each combination meets; that of ``*`` where it meets no other.
        weight: people of each combination, [C].
        classes: the classes, one of them of ``*``.
    """
    starred = int(np.flatnonzero(classes.starred)[0])
    ordinary = met.index != starred
    rows = Rows(pointers(met.row_of[ordinary], len(met)), met.index[ordinary])
    of_rows, _, of_starred = fitted(
        rows, weight, np.where(classes.starred, 0, classes.size), int(classes.size[starred])
    )
    found: NDArray[np.float64] = of_rows * of_starred / weight
    return found


def fitted(
    met: Rows, weight: NDArray[np.int64], size: NDArray[np.int64], more: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Factors of combinations [C] and of classes [G]: their product is how many people are in both.

    Every way to give people rows that fit them is equally likely. What is to be expected then is
    approximated by proportional fitting, as a table of 0 and 1 whose margins become the people of
    every combination and the rows of every class. The third is the factor of a class beside these.

    Arguments:
        met: the classes that fit each combination.
        weight: people of each combination, [C].
        size: rows of each class, [G].
        more: rows of a class that fits everybody; below 0, people who fit every class.
    """
    of_rows, of_groups = np.empty(len(weight)), np.empty(len(size))
    others = fit_margins(
        met.indptr, met.index, weight.astype(np.int64), size.astype(np.int64), more,
        FITTED, STILL, of_rows, of_groups,
    )  # fmt: skip
    return of_rows, of_groups, others


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
        place = np.empty(layer.shape, np.int32)
        count = np.zeros(len(values), np.int64)
        met = np.zeros(0, np.int32)
        meet(values, bits, start, first, count, met, place, layer, False)
        if most is not None and sum(len(part) for _, part in parts) + count.sum() > most:
            return None
        met = np.empty(count.sum(), np.int32)
        meet(values, bits, start, first, np.cumsum(count) - count, met, place, layer, True)
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
    over = np.take(np.ascontiguousarray(cover.T), cell, axis=1)
    packed = np.packbits(over, axis=1, bitorder="little")
    packed = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return packed.view("<u8").astype(np.uint64, copy=False)


def _over_more(taxonomy: Taxonomy, column: pl.Series) -> Taxonomy:
    """The hierarchy with further values: nothing but ranges, sets and ``*`` covers them."""
    more: list[Label] = [v for v in sorted_values(column) if not taxonomy.covers(v)]
    if not more:
        return taxonomy
    chains = [
        (leaf, *chain[1:])
        for leaf, chain in zip(taxonomy.leaves, taxonomy.chains, strict=True)
        if leaf not in taxonomy.suppressed
    ]  # fmt: skip
    taken = {label for chain in chains for label in chain}
    extra = [[value] for value in more if value not in taken]
    inner = [value for value in more if value in taken]
    return Taxonomy(
        taxonomy.attribute,
        [*chains, *extra],
        suppressed=[*taxonomy.suppressed, *inner],
        shown=taxonomy.shown,
    )
