"""Down-coding: what was in a cell that is as narrow as it can be?

A cell that is tight to its class says more than which values it covers. Somebody has the lower end
of a range, and somebody the upper; somebody has each member of a set; and below the lowest common
ancestor at least two branches have somebody. As many records as there are such values follow *up to
permutation* inside the class: where a class of two is published with ``[20, 29]``, one is 20 and
one is 29. If values are otherwise equally likely, assignments of s records to the w covered values
in which each of f values has to occur number

    N(s, f) = sum over i of (-1)^i C(f, i) (w - i)^s,

so the belief that a record has one of the f values is N(s - 1, f - 1) / N(s, f), and N(s - 1, f) /
N(s, f) for each other value. Below an ancestor with branches of w_1, w_2, .. values it is
(w^(s-1) - w_i^(s-1)) / (w^s - sum of w_j^s) for a value of branch i.

A full-domain release has no tight cells, but a minimal node: one level further down in an attribute
some class had fewer than k records. Where classes are few, that tells how their values are spread.

Attributes whose cells are not tight to the people who could stand in their classes are left alone:
the algorithm, if known, tells that too. Rows with ``*`` in every quasi-identifier are no tight
cells. Success and prior are shares of *cells* here, one for
every person and quasi-identifier; the prior spreads belief evenly over what a cell covers.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import comb, lgamma

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import Finding, Skipped, summarize, worst_class
from indistinct.analytics.attacks.lattice_node import Node, node_of
from indistinct.analytics.attacks.places import Places
from indistinct.analytics.attacks.remedies import levels
from indistinct.frozen import dataclass
from indistinct.hierarchies.cells import Coverage, members_of, range_of
from indistinct.hierarchies.moments import days_of
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy
from indistinct.kernels.class_matching import add_beliefs, mark
from indistinct.microdata.microdata import sorted_values
from indistinct.privacy.promise import known_promise

NAME = "down-coding"
KIND = "identity"
PLACE = 190
KNOWLEDGE = "the release, the hierarchies, and that cells are as narrow as they can be"
SOURCE = "Cohen (2022), section 5"
REMEDY = levels

EXACT = 64
"""Records of the largest class whose assignments are counted in whole numbers."""

LARGE = 2000
"""Records of a class from which on its branches are taken to fill up independently."""

SURE = 1e-12

MOST_FLAGS = 1 << 27
"""Pairs of classes and values up to which each has a flag of its own."""


_ByCell = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]


@dataclass(frozen=True)
class Tight:
    """What a tight cell says.

    Arguments:
        covered: how many values it covers.
        group_of: the group of every value of the domain, -1 for those it does not cover, [D].
        forced: how many values have to occur; they are group 1, all others group 0. None for an
            ancestor, whose branches are the groups.
        branches: how many values each branch has, empty unless for an ancestor.
    """

    covered: int
    group_of: NDArray[np.int32]
    forced: int | None = 0
    branches: tuple[int, ...] = ()

    @property
    def says_something(self) -> bool:
        """Whether it says more than what it covers."""
        return self.forced is None or self.forced > 0

    def beliefs(self, size: int) -> tuple[float, ...]:
        """Belief in one value of each group for a record of a class of that size."""
        if self.forced is None:
            return _of_branches(self.covered, self.branches, size)
        return _of_forced(self.covered, self.forced, size)

    def narrowed(self, size: int) -> tuple[int, float]:
        """Records of a class that follow up to permutation, and the mean width of all after."""
        if self.forced is None:
            if len(self.branches) != 2 or size < 2:
                return 0, float(self.covered)
            return 2, (sum(self.branches) + (size - 2) * self.covered) / size
        known = min(size, self.forced)
        return known, (known + (size - known) * self.covered) / size


def run(context: AttackContext, sensitive: str | None = None) -> Finding | Skipped:
    """Sharpen the beliefs about every quasi-identifier of every person."""
    del sensitive
    places = context.places
    if not places.classes.ordinary.any() or not context.people.height:
        return Skipped(NAME, "nothing is published that could be sharpened")
    node = node_of(places)
    by_column, changed = list[Finding](), 0.0
    figures: dict[str, float | int | None] = {}
    score = np.zeros(len(places.classes))
    totals = np.zeros(4)
    size = places.classes.size
    for j, name in enumerate(places.quasi):
        column = _Column(places, name)
        tight = node is None and column.is_tight()
        factors = None if node is None else by_minimal_node(context, node, j)
        before, after = (part[places.combination_of] for part in column.beliefs(tight, factors))
        changed += float((np.abs(after - before) > SURE).mean()) / len(places.quasi)
        by_column.append(summarize(context, None, after, before, after >= 1 - SURE))
        known, width = column.narrowed(tight)
        wide = (column.width > 1) & places.classes.ordinary
        records = float(size[wide].sum())
        counts = np.array(
            [
                records,
                known[wide].sum(),
                (column.width * size)[wide].sum(),
                (width * size)[wide].sum(),
            ]
        )
        totals += counts
        score += np.where(wide, known, 0) / size / len(places.quasi)
        figures |= _figures(f"{name}.", counts)
        figures[f"{name}.minimal"] = int(tight or factors is not None)
    sharpened = float(totals[1] / totals[0]) if totals[0] else 0.0
    return replace(
        _over_columns(by_column),
        figures={
            "cells": context.people.height * len(places.quasi),
            **_figures("", totals),
            "changed": changed,
            **figures,
        },
        worst=worst_class(context, score, sharpened=score) if score.any() else {},
        note=(
            f"{sharpened:.1%} of generalized cells follow up to permutation inside their class."
            if sharpened
            else "No generalized cell follows from the others of its class."
        ),
    )


def _over_columns(found: Sequence[Finding]) -> Finding:
    """What is found of all cells of people, given what is found of those of every column."""

    def mean(shares: Sequence[Mapping[str, float]]) -> dict[str, float]:
        return {key: float(np.mean([own[key] for own in shares])) for key in shares[0]}

    gain = mean([one.gain for one in found])
    return replace(
        found[0],
        success=mean([one.success for one in found]),
        prior=mean([one.prior for one in found]),
        gain={**gain, "max": max(one.gain["max"] for one in found)},
    )


def _figures(of: str, counts: NDArray[np.float64]) -> dict[str, float | int | None]:
    cells, known, before, after = counts.tolist()
    return {
        f"{of}generalized": int(cells),
        f"{of}sharpened": known / cells if cells else 0.0,
        f"{of}width_before": before / cells if cells else None,
        f"{of}width_after": after / cells if cells else None,
    }


def meaning(cell: Label, taxonomy: Taxonomy, coverage: Coverage) -> Tight:
    """What a cell says if it is tight to its class.

    Arguments:
        cell: the published cell.
        taxonomy: the hierarchy of the attribute.
        coverage: the values that each cell stands for.
    """
    places = np.array(coverage.places(cell) or [], np.int64)
    group_of = np.full(len(taxonomy.leaves), -1, np.int32)
    group_of[places] = 0
    nothing = Tight(len(places), group_of)
    if len(places) < 2:
        return nothing
    if cell == SUPPRESSED and taxonomy.suppressed:
        return nothing  # It may stand for a value that is always suppressed.
    label_of = {taxonomy.level(level)[places[0]] for level in range(taxonomy.levels)}
    if cell == SUPPRESSED or cell in label_of:
        return _ancestor(cell, taxonomy, places, group_of)
    forced = _forced(cell, taxonomy)
    if forced is None:
        return nothing
    group_of[forced] = 1
    return Tight(len(places), group_of, len(forced))


def _forced(cell: Label, taxonomy: Taxonomy) -> list[int] | None:
    """Places of the values that have to occur in a class with a range or a set."""
    found: set[int] = set()
    for part in members_of(cell) or (cell,):
        if part in taxonomy.index:
            found.add(taxonomy.index[part])
            continue
        ends = _at_ends(part, taxonomy)
        if any(len(same) != 1 for same in ends):
            return None
        found.update(same[0] for same in ends)
    return sorted(found)


def _at_ends(cell: Label, taxonomy: Taxonomy) -> list[list[int]]:
    """Places of the values that each end of a range may be; of none where a cell is no range."""
    places = taxonomy.index
    if (dates := taxonomy.dates) is not None:
        spans = [days_of(end) for end in (cell or "").strip("[]").split(", ")]
        return [
            [
                places[leaf]
                for leaf, own in dates.days.items()
                if own[0] >= span[0] and own[1] <= span[1]
            ]
            if span is not None
            else []
            for span in spans
        ]
    numbers = {leaf: range_of(f"[{leaf}, {leaf}]") for leaf in taxonomy.index}
    return [
        [places[leaf] for leaf, own in numbers.items() if own is not None and own[0] == end]
        for end in range_of(cell) or (None,)
    ]


def _ancestor(
    cell: Label, taxonomy: Taxonomy, places: NDArray[np.int64], group_of: NDArray[np.int32]
) -> Tight:
    """The branches below a node: what its values become on the way up just before it."""
    branches: dict[tuple[Label, bool], int] = {}
    sizes: list[int] = []
    for at in places.tolist():
        way = [taxonomy.level(level)[at] for level in range(taxonomy.levels)]
        below = way[: way.index(cell)] if cell in way else way
        # Two values without a label below the node are branches of their own.
        name = (below[-1], True) if below else (taxonomy.leaves[at], False)
        number = branches.setdefault(name, len(branches))
        if number == len(sizes):
            sizes.append(0)
        sizes[number] += 1
        group_of[at] = number
    if len(sizes) < 2:
        group_of[places] = 0
        return Tight(len(places), group_of)
    return Tight(len(places), group_of, None, tuple(sizes))


class _Column:
    """One quasi-identifier: its cells, by class, and the people who could stand there."""

    def __init__(self, places: Places, name: str) -> None:
        self.places, self.taxonomy = places, places.taxonomies[name]
        coverage = Coverage(self.taxonomy)
        labels = sorted_values(places.rows[name])
        self.cell_of = places.cell_codes[places.quasi.index(name)]
        self.meanings = [meaning(cell, self.taxonomy, coverage) for cell in labels]
        self.width = np.array([cell.covered for cell in self.meanings], np.int64)[self.cell_of]
        self.leaf = places.codes[places.known.index(name)]
        self.met = places.compatible
        self.ordinary = places.classes.ordinary

    def is_tight(self) -> bool:
        """Whether every class can have its cell if cells are tight."""
        domain = max(len(self.taxonomy.leaves), 1)
        if len(self.places.classes) * domain <= MOST_FLAGS:
            there = np.zeros((len(self.places.classes), domain), np.bool_)
            mark(self.met.indptr, self.met.index, self.leaf, there)
            pairs = np.flatnonzero(there)
        else:
            leaf = self.leaf[self.met.row_of]
            pairs = np.unique((self.met.index.astype(np.int64) * domain + leaf)[leaf >= 0])
        of, value = np.divmod(pairs, domain)
        group = np.stack([cell.group_of for cell in self.meanings])[self.cell_of[of], value]
        size, ordinary = self.places.classes.size, self.ordinary
        branches = np.array([cell.forced is None for cell in self.meanings])[self.cell_of]
        forced = np.array([cell.forced or 0 for cell in self.meanings])[self.cell_of]
        occur = np.bincount(of[group == 1], minlength=len(size))
        low, high = np.full(len(size), len(self.taxonomy.leaves)), np.full(len(size), -1)
        inside = group >= 0
        np.minimum.at(low, of[inside], group[inside])
        np.maximum.at(high, of[inside], group[inside])
        kept = np.where(branches, (low < high) & (size > 1), forced <= size)
        kept &= branches | (forced == 0) | (occur == forced)
        return bool(kept[ordinary].all())

    def beliefs(
        self, tight: bool, factors: Mapping[int, NDArray[np.float64]] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Belief in the true value of every combination, before and after, [C].

        Averaged over the compatible classes by their records; even over the whole domain where
        there is none.
        """
        places, size = self.places, self.places.classes.size
        sets, of = places.candidate_sets, places.set_of_combination
        even = 1 / max(len(self.taxonomy.leaves), 1)
        own = 1 / np.maximum(self.width, 1)
        summed = np.bincount(sets.row_of, own[sets.index] * size[sets.index], len(sets))
        total = places.set_size
        before = np.where(total > 0, summed / np.maximum(total, 1), even)[of]
        if not (tight or factors):
            return before, before
        by_cell = self._beliefs_by_size() if factors is None else _beliefs_by_class(own, factors)
        after = np.zeros(len(self.leaf))
        add_beliefs(self.met.indptr, self.met.index, self.leaf, size, own, *by_cell, after)
        total = total[of]
        return before, np.where(total > 0, after / np.maximum(total, 1), even)

    @cached_property
    def _by_size(self) -> tuple[list[list[int]], NDArray[np.int64]]:
        """The different cells that say something with sizes of their classes; which every class is.

        A class whose cell says nothing is -1, [G].
        """
        says = np.array([cell.says_something for cell in self.meanings])
        inside = np.flatnonzero(says[self.cell_of] & self.ordinary)
        size, row_of = self.places.classes.size, np.full(len(self.cell_of), -1)
        width = int(size.max(initial=0)) + 1
        keys, row_of[inside] = np.unique(
            self.cell_of[inside] * width + size[inside], return_inverse=True
        )
        return np.stack(np.divmod(keys, width), axis=1).tolist(), row_of

    def _beliefs_by_size(self) -> _ByCell:
        """Where cells are tight: beliefs in values of their groups, by cell and size of class."""
        group = np.stack([cell.group_of for cell in self.meanings])
        sizes, row_of = self._by_size
        beliefs = np.zeros((len(sizes), int(group.max(initial=-1)) + 1))
        for at, (cell, size) in enumerate(sizes):
            own = self.meanings[cell].beliefs(size)
            beliefs[at, : len(own)] = own
        return self.cell_of, group, row_of, beliefs

    def narrowed(self, tight: bool) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Records that follow up to permutation, and the mean width afterwards, by class, [G]."""
        known, width = np.zeros(len(self.width), np.int64), self.width.astype(np.float64)
        if tight and self._by_size[0]:
            sizes, row_of = self._by_size
            found = [self.meanings[cell].narrowed(size) for cell, size in sizes]
            inside = row_of >= 0
            known[inside] = np.array([own for own, _ in found])[row_of[inside]]
            width[inside] = np.array([own for _, own in found])[row_of[inside]]
        return known, width


def _beliefs_by_class(
    own: NDArray[np.float64], factors: Mapping[int, NDArray[np.float64]]
) -> _ByCell:
    """Where a node was minimal: beliefs in every value, by class.

    Arguments:
        own: the belief in each value of the cell of every class, [G].
        factors: what changes of it for every value of the domain, by class.
    """
    beliefs = np.stack([own[g] * by_leaf for g, by_leaf in factors.items()])
    row_of = np.full(len(own), -1)
    row_of[[*factors]] = np.arange(len(factors))
    group = np.arange(beliefs.shape[1], dtype=np.int32)[None, :]
    return np.zeros(len(own), np.int32), group, row_of, beliefs


@functools.lru_cache(maxsize=1 << 14)
def _of_forced(width: int, forced: int, size: int) -> tuple[float, float]:
    """Belief in each value that need not occur, and in each that has to.

    >>> _of_forced(10, 2, 2), _of_forced(3, 1, 2)
    ((0.0, 0.5), (0.2, 0.6))
    """
    if forced in (0, width):
        return 1 / width, 1 / width
    signs = [(-1) ** i * comb(forced, i) for i in range(forced + 1)]
    if size <= EXACT:
        total = sum(sign * (width - i) ** size for i, sign in enumerate(signs))
        other = sum(sign * (width - i) ** (size - 1) for i, sign in enumerate(signs))
        share = other / total
    else:
        left = [1 - i / width for i in range(forced + 1)]
        total_share = sum(sign * part**size for sign, part in zip(signs, left, strict=True))
        other_share = sum(sign * part ** (size - 1) for sign, part in zip(signs, left, strict=True))
        share = other_share / total_share / width
    # What is left for those that have to occur is even among them.
    return share, (1 - (width - forced) * share) / forced


@functools.lru_cache(maxsize=1 << 14)
def _of_branches(width: int, branches: tuple[int, ...], size: int) -> tuple[float, ...]:
    """Belief in one value of each branch.

    >>> _of_branches(4, (1, 3), 2)
    (0.5, 0.16666666666666666)
    """
    share = [part / width for part in branches]
    total = 1 - sum(part**size for part in share)
    if total <= 0:
        return (1 / width,) * len(branches)
    return tuple((1 - part ** (size - 1)) / total / width for part in share)


def by_minimal_node(
    context: AttackContext, node: Node, attribute: int
) -> Mapping[int, NDArray[np.float64]] | None:
    """How beliefs in values change since one level further down was not possible.

    For every class the factor for every value of the domain; None where nothing follows: promises
    that are not about sizes alone, records left out, an attribute as it is, a node that was not
    minimal, or so many classes that one of them has to be too small anyway.

    Arguments:
        context: what the attacker is given.
        node: the node at which the release was made.
        attribute: the place of the quasi-identifier.
    """
    places = node.places
    level = node.levels[attribute]
    made = list(map(known_promise, context.promises))
    only_sizes = all(
        one is not None and one.largest_violating_size == one.class_size - 1 for one in made
    )
    parted = any(item.on is not None or not context.counts_rows(item) for item in context.promises)
    if not only_sizes or parted or context.k is None or not level:
        return None
    if not places.classes.ordinary.all():
        return None
    if (node.class_of < 0).any() or node.loss(attribute, level - 1) == node.loss(attribute, level):
        return None
    lower = (*node.levels[:attribute], level - 1, *node.levels[attribute + 1 :])
    held = np.bincount(node.grouped(lower, range(len(places.quasi))), places.weight)
    if held.min() >= context.k:
        return None
    table = places.taxonomies[places.quasi[attribute]].compile()
    own, below = table.code[level], table.code[level - 1].astype(np.int64)
    first = np.zeros(len(places.classes), np.int64)
    first[node.class_of] = np.arange(len(node.class_of))
    spread = []
    for g, size in enumerate(places.classes.size.tolist()):
        inside = own == own[node.leaf[first[g], attribute]]
        parts = np.unique(below[inside], return_counts=True)
        shares = tuple((parts[1] / inside.sum()).tolist())
        keeps, given = _all_large(shares, size, context.k)
        spread.append((inside, parts[0], keeps, given))
    logs = np.array([np.log(max(keeps, 1e-300)) for _, _, keeps, _ in spread])
    kept = -np.expm1(logs.sum())
    if logs.sum() - logs.min() < np.log(SURE) or kept <= SURE:
        return None
    factors = {}
    for g, (inside, names, _, given) in enumerate(spread):
        others = np.exp(logs.sum() - logs[g])
        factor = np.zeros(len(inside))
        by_part = dict(zip(names.tolist(), given, strict=True))
        chance = np.array([by_part.get(int(code), 0.0) for code in below])
        factor[inside] = (1 - chance[inside] * others) / kept
        factors[g] = factor
    return factors


@functools.lru_cache(maxsize=1 << 12)
def _all_large(shares: tuple[float, ...], size: int, k: int) -> tuple[float, tuple[float, ...]]:
    """The chance that every branch has none or at least k of so many records.

    And the same given that one of the records is in each of the branches. Branches are counted as
    Poisson variables, given their sum.

    >>> chance, given = _all_large((0.5, 0.5), 2, 2)
    >>> round(chance, 9), [round(share, 9) for share in given]
    (0.5, [0.5, 0.5])
    """
    number = np.arange(size + 1)
    factorials = np.array([lgamma(n + 1) for n in number])
    log = np.log(size) * number - size - factorials
    branches = []
    for share in shares:
        chance = np.exp(np.log(size * share) * number - size * share - factorials)
        branches.append(chance)

    def together(parts: Sequence[NDArray[np.float64]], records: int) -> float:
        if size > LARGE:
            return float(np.prod([part.sum() for part in parts]))
        total = np.zeros(records + 1)
        total[0] = 1.0
        for part in parts:
            total = np.convolve(total, part[: records + 1])[: records + 1]
        return float(total[records] / np.exp(log[records]))

    kept = [np.where((number == 0) | (number >= k), chance, 0.0) for chance in branches]
    every = min(together(kept, size), 1.0)
    given = []
    for at, chance in enumerate(branches):
        more = np.where(number >= k - 1, chance, 0.0)
        parts = [*kept[:at], more, *kept[at + 1 :]]
        given.append(min(together(parts, size - 1), 1.0))
    return every, tuple(given)
