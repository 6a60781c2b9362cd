"""Classes out of the parts of a table that breaks a promise as a whole.

Parts that break a promise are cut on until they cannot be cut. From the smallest upwards, what is
in no class of a part is then put together with what is left of its neighbours: out of the records
of both a class is made that keeps the promises, and another, as long as there is one; the rest is
carried to the part from which both were cut. What is left of the whole table joins the classes that
still keep their promises with it, the one whose cells then cost least. Records with which no class
keeps them are suppressed.

Which values a class takes is decided by how often each is left: the most frequent one first, of
which most has to be placed, then what the class lacks, and more of the first as long as the class
bears it. Which records with these values it takes is decided by what its cells would cost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from indistinct.kernels.clustering import (
    SET,
    class_cost,
    costs_together,
    cover_members,
    extend_class,
    nearest_of_each,
    start_class,
)
from indistinct.recoding.partition.deficits import Deficit, Deficits
from indistinct.recoding.partition.distance import Costs, empty_spans, room_to_grow
from indistinct.types import Bools, Ints, Ints32

NEAR: Final = 16
"""Least sizes of a class up to which a part counts as near: records in it are grouped at once."""

WINDOW: Final = 4096
"""Records among which the nearest are looked for, at most."""

MOST: Final = 64
"""Profiles of which a class takes one each, at most."""

OFTEN: Final = 16
"""Profiles that are held against what a class lacks, the most frequent ones."""

GROWN: Final = 500
"""Classes that are looked for step by step, at most: later ones repeat what was found."""

SPARE: Final = 1
"""Units beyond the least with which no smaller class is looked for."""

_SAME: Final = 1e-12


@dataclass(frozen=True)
class Parts:
    """A table that was cut: parts are runs of ``member``, each within its parent's.

    ``low``, ``high`` and ``parent`` go by part, parents before their children; ``broken`` says
    which break a promise; ``member`` [rows] is which combination each row is.
    """

    low: Ints
    high: Ints
    parent: Ints
    broken: Bools
    member: Ints32


@dataclass(frozen=True)
class Manner:
    """How records are regrouped.

    ``near`` says that only what lies near is grouped, and what is left joins classes before it is
    grouped from afar. ``sparing`` says that a class is made below the whole table only if it takes
    as large a share of the most frequent value as a class can.
    """

    near: bool
    sparing: bool


@dataclass
class Recipes:
    """Out of which records classes were made already, and out of which none could be.

    ``known`` goes by how often each profile was left, the first ``failures`` of ``failed`` are
    those of which no class came: no more is expected of fewer. ``made`` are the classes, ``grown``
    says how many of them were looked for step by step.
    """

    known: dict[bytes, Ints | None] = field(default_factory=dict)
    failed: Ints = field(default_factory=lambda: np.zeros((0, 1), dtype=np.int64))
    failures: int = 0
    made: dict[bytes, Ints] = field(default_factory=dict)
    grown: int = 0

    def fails(self, counts: Ints) -> bool:
        """Whether nothing came of as many or more of each profile."""
        return bool((counts <= self.failed[: self.failures]).all(axis=1).any())

    def fail(self, counts: Ints) -> None:
        """Nothing comes of so many; what that says already of fewer need not be kept."""
        known = self.failed[: self.failures]
        known = known[~(known <= counts).all(axis=1)]
        self.failures = len(known) + 1
        if self.failures > len(self.failed):
            self.failed = np.zeros((2 * self.failures, len(counts)), dtype=np.int64)
        self.failed[: len(known)] = known
        self.failed[len(known)] = counts

    def fitting(self, counts: Ints, top: int) -> Ints | None:
        """The recipe that these are enough for and that takes most of one profile, if any."""
        found, most = None, 0.0
        for recipe in self.made.values():
            share = recipe[top] / recipe.sum()
            if share > most and (recipe <= counts).all():
                found, most = recipe, share
        return found


class Regrouping:
    """One table whose records are put into classes from the smallest parts upwards."""

    def __init__(
        self,
        weight: Ints,
        wants: Deficits,
        costs: Costs,
        least: int,
        manner: Manner,
        recipes: Recipes,
    ) -> None:
        self._weight = weight
        self._wants = wants
        domains, places = costs
        self._domains = domains
        self._places = places
        self._least = least
        self._manner = manner
        self._recipes = recipes
        self._full = float(domains.full.sum())
        self._growing = room_to_grow(domains)
        self._best = np.empty(wants.profiles, dtype=np.int64)
        self._price = np.empty(wants.profiles)
        self.class_of = np.full(len(weight), -1, dtype=np.int32)
        self._classes = 0
        self._top, self._share = -1, 0.0

    def run(self, parts: Parts) -> Ints32:
        """The class of every combination, [C]; -1 for those that fit nowhere."""
        wants, member = self._wants, parts.member
        if self._manner.sparing:
            counts = np.bincount(wants.profile[member], minlength=wants.profiles)
            recipe = self._recipe(counts)
            if recipe is not None:
                self._top = int(np.argmax(counts))
                self._share = recipe[self._top] / recipe.sum()
        pool: list[list[Ints32]] = [[] for _ in parts.low]
        leaf = np.ones(len(parts.low), dtype=np.bool_)
        leaf[parts.parent[parts.parent >= 0]] = False
        for part in range(len(parts.low) - 1, -1, -1):
            rows = member[parts.low[part] : parts.high[part]]
            if leaf[part]:
                left = rows if parts.broken[part] else rows[:0]
                if not parts.broken[part]:
                    self._new(rows)
            else:
                left = np.concatenate([*pool[part], rows[:0]])
                pool[part] = []
                if len(left) and not parts.broken[part] and self._whole_is_better(rows, left):
                    self._new(rows)
                    left = rows[:0]
            near = not self._manner.near or int(self._weight[rows].sum()) <= NEAR * self._least
            if len(left) and (part == 0 or near):
                left = self._group(left, last=part == 0 and not self._manner.near)
            if len(left) and parts.parent[part] >= 0:
                pool[parts.parent[part]].insert(0, left)
        self._absorb()
        left = member[self.class_of[member] < 0]
        if len(left):
            before = self._classes
            self._group(left, last=True)
            if self._classes > before:
                self._absorb()
        return self._numbered()

    def _new(self, rows: Ints32) -> None:
        self.class_of[rows] = self._classes
        self._classes += 1

    def _whole_is_better(self, rows: Ints32, left: Ints32) -> bool:
        """Whether a part that keeps its promises costs less than the classes made of it."""
        if self._manner.sparing:
            return True
        apart = float(self._weight[left].sum()) * self._full
        own = self.class_of[rows]
        for group in np.unique(own[own >= 0]).tolist():
            apart += self._cost(rows[own == group])
        return self._cost(rows) <= apart

    def _cost(self, rows: Ints32) -> float:
        """Units of a class times what its cells cost."""
        domains, (spans, held, _) = self._domains, self._growing
        cover_members(domains, spans, 0, held, self._places, rows)
        return float(class_cost(domains, spans, 0)) * float(self._weight[rows].sum())

    # Classes of what is left.

    def _group(self, left: Ints32, last: bool) -> Ints32:
        """Make classes of some rows; returns those that are in none."""
        wants = self._wants
        profile = wants.profile[left]
        counts = np.bincount(profile, minlength=wants.profiles)
        while True:
            recipe = self._recipe(counts)
            if recipe is None:
                break
            top = self._top
            if not last and top >= 0 and recipe[top] / recipe.sum() < self._share - _SAME:
                break
            chosen = self._nearest(left, profile, recipe)
            self._new(left[chosen])
            counts = counts - recipe
            there = np.ones(len(left), dtype=np.bool_)
            there[chosen] = False
            left, profile = left[there], profile[there]
        return left

    def _nearest(self, left: Ints32, profile: Ints32, recipe: Ints) -> Ints:
        """Places of rows that make a class by a recipe, near each other."""
        seed = int(np.flatnonzero(profile == np.argmax(recipe))[0])
        begin = max(0, min(seed - WINDOW // 2, len(left) - WINDOW))
        window = np.arange(begin, min(begin + WINDOW, len(left)))
        few = np.bincount(profile[window], minlength=len(recipe)) < recipe
        if few.any():
            window = np.union1d(window, np.flatnonzero(few[profile]))
        values = np.ascontiguousarray(self._places[left[window]])
        kind = np.ascontiguousarray(profile[window])
        taken = np.zeros(len(window), dtype=np.bool_)
        lacking = recipe.copy()
        at = int(np.searchsorted(window, seed))
        start_class(self._domains, self._growing, values[at])
        chosen = []
        while True:
            chosen.append(at)
            taken[at] = True
            lacking[kind[at]] -= 1
            if not lacking.any():
                found: Ints = window[np.array(chosen)]
                return found
            table = self._growing.table
            nearest_of_each(values, taken, table, kind, self._best, self._price)
            at = int(self._best[np.argmin(np.where(lacking > 0, self._price, np.inf))])
            extend_class(self._domains, self._growing, values[at])

    def _recipe(self, counts: Ints) -> Ints | None:
        """How many rows of each profile make a class, out of so many; None if none do."""
        key = counts.tobytes()
        known = self._recipes.known
        if key not in known:
            known[key] = self._new_recipe(counts)
        return known[key]

    def _new_recipe(self, counts: Ints) -> Ints | None:
        wants = self._wants
        if int((wants.unit * counts).sum()) < self._least:
            return None
        if self._recipes.fails(counts):
            return None
        top = int(np.argmax(counts))
        recipe = self._one_of_each(counts)
        if recipe is None or int((recipe * wants.unit).sum()) > self._least + SPARE:
            grown = self._recipes.fitting(counts, top)
            if grown is None and self._recipes.grown < GROWN:
                self._recipes.grown += 1
                grown = self._grown(top, counts)
            if grown is not None and (recipe is None or grown.sum() < recipe.sum()):
                recipe = grown
        if recipe is None:
            self._recipes.fail(counts)
            return None
        recipe = self._stretched(recipe, top, counts)
        self._recipes.made.setdefault(recipe.tobytes(), recipe)
        return recipe

    def _one_of_each(self, counts: Ints) -> Ints | None:
        """A class of the most frequent profiles, one of each, as few as will do."""
        order = np.argsort(-counts, kind="stable")[: min(np.count_nonzero(counts), MOST)]
        fine = self._wants.kept_by_first(order, self._least)
        if not fine.any():
            return None
        recipe = np.zeros_like(counts)
        recipe[order[: int(np.argmax(fine)) + 1]] = 1
        return recipe

    def _grown(self, seed: int, counts: Ints) -> Ints | None:
        """A class from one profile on, by what it lacks."""
        wants = self._wants
        recipe = np.zeros_like(counts)
        recipe[seed] = 1
        class_ = wants.of([seed])
        while True:
            kept = wants.kept(class_)
            if kept and class_.size >= self._least:
                return recipe
            left = counts - recipe
            chosen = -1
            if not kept:
                cost = np.full(len(left), np.inf)
                often = np.argsort(-left, kind="stable")[:OFTEN]
                often = often[left[often] > 0]
                cost[often] = 1.0 / left[often]
                chosen = wants.helping(class_, cost)
            if chosen < 0 and class_.size < self._least:
                chosen = self._filling(class_, left)
            if chosen < 0:
                return None
            recipe[chosen] += 1
            class_ = wants.added(class_, chosen)

    def _filling(self, class_: Deficit, left: Ints) -> int:
        """The most frequent profile of those with which the class breaks fewest promises."""
        there = np.flatnonzero(left)
        if not len(there):
            return -1
        broken = self._wants.broken_with(class_, there)
        return int(there[np.lexsort((there, -left[there], broken))[0]])

    def _stretched(self, recipe: Ints, top: int, counts: Ints) -> Ints:
        """A class with a larger share of the most frequent profile, as far as it bears it."""
        wants = self._wants
        asked = counts[top] / counts.sum()
        class_ = wants.of(np.repeat(np.arange(len(recipe)), recipe))
        while recipe[top] / recipe.sum() < asked - _SAME and recipe[top] < counts[top]:
            more = wants.added(class_, top)
            if wants.kept(more):
                recipe, class_ = recipe.copy(), more
                recipe[top] += 1
                continue
            left = counts - recipe
            left[top] = 0
            there = np.flatnonzero(left)
            if (recipe[top] + 1) / (recipe.sum() + 2) <= recipe[top] / recipe.sum() + _SAME:
                break
            there = there[wants.broken_with(more, there) == 0] if len(there) else there
            if not len(there):
                break
            chosen = int(there[np.lexsort((there, -left[there]))[0]])
            recipe, class_ = recipe.copy(), wants.added(more, chosen)
            recipe[top] += 1
            recipe[chosen] += 1
        return recipe

    # What joins classes.

    def _absorb(self) -> None:
        """Let rows that are left join classes that still keep what is promised with them."""
        class_of = self._numbered()
        self.class_of, groups = class_of, int(class_of.max(initial=-1)) + 1
        self._classes = groups
        left = np.flatnonzero((class_of < 0) & (self._weight > 0)).astype(np.int32)
        if not groups or not len(left):
            return
        wants, weight = self._wants, self._weight
        spans = empty_spans(groups + 1, self._places.shape[1])
        order = np.argsort(class_of, kind="stable").astype(np.int32)
        start = np.searchsorted(class_of[order], np.arange(groups + 1))
        members = [order[start[at] : start[at + 1]] for at in range(groups)]
        sets = bool((self._domains.kind == SET).any())
        size = np.zeros(groups, dtype=np.int64)
        cost = np.zeros(groups)
        nothing = wants.nothing().counts
        counts = {name: np.zeros((groups, len(own)), np.int64) for name, own in nothing.items()}

        def look(group: int) -> None:
            cover_members(
                self._domains, spans, group, self._growing.held, self._places, members[group]
            )
            cost[group] = class_cost(self._domains, spans, group)
            size[group] = weight[members[group]].sum()
            for name, own in wants.of(wants.profile[members[group]]).counts.items():
                counts[name][group] = own

        for group in range(groups):
            look(group)
        alive = np.append(np.ones(groups, dtype=np.bool_), False)
        found = np.empty(groups + 1)
        fits_of: dict[int, Bools] = {}
        changed = True
        while changed:
            changed = False
            for row in left.tolist():
                kind = int(wants.profile[row])
                fits = fits_of.get(kind)
                if fits is None:
                    fits = fits_of[kind] = wants.fits(counts, size, kind)
                if not fits.any():
                    continue
                alone = np.array([row], dtype=np.int32)
                cover_members(self._domains, spans, groups, self._growing.held, self._places, alone)
                alive[:groups] = fits
                at = np.zeros(groups + 2, dtype=np.int64)
                flat = order[:0]
                if sets:
                    at[1 : groups + 1] = np.cumsum([len(own) for own in members])
                    at[groups + 1] = at[groups]
                    flat = np.concatenate(members)
                costs_together(
                    self._domains, spans, groups, self._growing.held, self._places, alone, at, flat,
                    alive, found,
                )  # fmt: skip
                rise = np.full(groups, np.inf)
                rise[fits] = (found[:groups] * (size + weight[row]) - cost * size)[fits]
                best = int(np.argmin(rise))
                class_of[row] = best
                members[best] = np.append(members[best], alone)
                look(best)
                changed = True
                one = Deficit({name: own[best] for name, own in counts.items()}, int(size[best]))
                kinds = np.array(list(fits_of))
                for own, wrong in zip(
                    fits_of.values(), wants.broken_with(one, kinds).tolist(), strict=True
                ):
                    own[best] = wrong == 0
            left = left[class_of[left] < 0]
            if not len(left):
                break

    def _numbered(self) -> Ints32:
        """The classes, numbered without gaps."""
        there = np.unique(self.class_of[self.class_of >= 0])
        number = np.full(self._classes + 1, -1, dtype=np.int32)
        number[there] = np.arange(len(there), dtype=np.int32)
        return number[self.class_of]
