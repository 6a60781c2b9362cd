"""Unicity: who else has all of some published cells of a person?

    Y.-A. de Montjoye, C. A. Hidalgo, M. Verleysen, V. D. Blondel: "Unique in the Crowd: The privacy
    bounds of human mobility". Scientific Reports 3:1376, 2013.

The attacker knows p published cells of a person: of any columns, of any of the person's records,
drawn at random among the different cells that the person has; and looks who in the release has
them all. Four places and times were enough for 95 % of people in de Montjoye's data. Nothing is
sensitive or quasi-identifying here: administrative columns count like diagnoses. A missing cell
and one of stars alone (``*``, ``***`` of a mask) are nothing to know; columns are left out in which
others cannot know what is published (pseudonyms, values that were perturbed). In linked tables a
person has the cells of the own row and what the bucket lists.

Told are, for p from 1 to 5, ``unique``: the share of draws that one published person has; and for
the p at which about half are unique, the columns that carry it:

* ``carried``: the share of unique draws that are so because of the column's cell;
* ``without``: what is unique where the column is left out, and as many cells of others are known;
* ``coarser``: what is unique where its values are published in five groups of neighbouring values,
  with about as many people in each.

All sets of cells are looked at where there are not too many; else some are drawn, and ``error`` is
half the width of the 95 % confidence interval of a share, at most.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import (
    CERTAIN,
    THRESHOLDS,
    Figures,
    Finding,
    Skipped,
    of_people,
)
from indistinct.analytics.attacks.known_records import margin
from indistinct.analytics.attacks.remedies import fewer_columns
from indistinct.analytics.weighted import Lists, Rows, alongside, chosen_rows, numbered_anew
from indistinct.document import first_names
from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label
from indistinct.kernels.known_cells import have_cells, lay_out, owners_of
from indistinct.randomness import simulation

NAME = "unicity"
KIND = "identity"
PLACE = 16
KNOWLEDGE = "any four published cells of a person"
SOURCE = "de Montjoye and others (2013), Scientific Reports 3:1376"
REMEDY = fewer_columns

MOST_CELLS = 5
"""Cells that are known at most."""

TOLD = 4
"""Cells that are known for the shares that are compared with those of other attackers."""

DRAWS = 10_000
"""Sets of cells that are drawn."""

MOST_SETS = 50_000
"""Sets of cells up to which all are looked at, and none is drawn."""

FEW = 2_000
"""Sets of cells that are looked at again, column by column."""

COLUMNS = 5
"""Columns of which it is told what leaving them out would change."""

GROUPS = 5
"""Groups of neighbouring values that a coarser column has."""

ENOUGH = 100
"""People who have the known cells, from which on they are not counted: all others might as well."""

MOST_STEPS = 4_000_000_000
"""Steps after which no more draws are looked at."""

SPARSE = 32
"""Cells that more than one in so many people has are laid out as bits."""


_Bits = tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.int64]]


@dataclass(frozen=True)
class Cells:
    """The cells of published people, numbered column by column in the order of values.

    Arguments:
        rows: the different cells of every person, [p].
        first: the first cell of every column, and the number of all, [columns + 1].
        names: the columns.
    """

    rows: Rows
    first: NDArray[np.int64]
    names: tuple[str, ...]

    @classmethod
    def of(cls, columns: Mapping[str, Lists]) -> Cells:
        """The cells of columns that somebody could know."""
        parts, width = list[Rows](), [0]
        for column in columns.values():
            parts.append(_ordered(column))
            width.append(len(column.labels))
        first = np.cumsum(width)
        return cls(alongside(parts, first)[0], first, tuple(columns))

    @cached_property
    def _held(self) -> NDArray[np.int64]:
        """How many people have 0, 1, 2 and so on cells."""
        return np.bincount(self.rows.length)

    @cached_property
    def owners(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Who has each cell."""
        return owners_of(self.rows.indptr, self.rows.index, int(self.first[-1]))

    @cached_property
    def common(self) -> _Bits:
        """The row of every common cell, -1 for all others; who has these, and how many."""
        had = np.diff(self.owners[0])
        row = np.full(len(had), -1, np.int32)
        common = np.flatnonzero(had * SPARSE > len(self.rows))
        row[common] = np.arange(len(common))
        return row, *self._laid_out(row, len(common))

    def _laid_out(
        self, row: NDArray[np.int32], rows: int
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        bits = np.zeros((rows, -(-len(self.rows) // 64)), np.uint64)
        had = np.zeros(rows, np.int64)
        lay_out(*self.owners, row, bits, had)
        return bits, had

    def without(self, column: int) -> Cells:
        """The same without what is known of a column."""
        return Cells(self._without(self.rows, column), self.first, self.names)

    def _without(self, rows: Rows, column: int) -> Rows:
        other = (rows.index < self.first[column]) | (rows.index >= self.first[column + 1])
        return Rows(np.append(0, np.cumsum(other))[rows.indptr], rows.index[other])

    def ways(self, number: int) -> int:
        """How many sets of so many cells people have; of those who have fewer, of all of these."""
        people = self._held.tolist()
        return sum(math.comb(own, min(number, own)) * have for own, have in enumerate(people))

    def sets(self, number: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """All sets of so many cells of everybody, and their weights: as :class:`Sets` has them."""
        rows, parts, weights = self.rows, [], []
        for held in np.unique(rows.length).tolist():
            own, people = min(number, held), np.flatnonzero(rows.length == held)
            places = np.array(list(combinations(range(held), own)), np.int64).reshape(
                math.comb(held, own), own
            )
            found = np.full((len(people), len(places), number), -1, np.int32)
            at = rows.indptr[people][:, None, None] + places
            found[:, :, :own] = rows.index[at] if own else -1
            parts.append(found.reshape(-1, number))
            weights.append(np.full(len(parts[-1]), 1 / len(places)))
        return np.concatenate(parts), np.concatenate(weights) / len(rows)

    def draw(self, number: int, seed: list[int], without: int | None = None) -> NDArray[np.int32]:
        """Different cells of as many people, each the same chance; -1 where somebody has fewer.

        Arguments:
            number: draws; where there are fewer people, everybody is drawn equally often.
            seed: of the draws.
            without: a column of which nothing is known.
        """
        random, people = simulation(seed), len(self.rows)
        if number < people:
            drawn = random.choice(people, number, replace=False)
        else:
            drawn = np.tile(np.arange(people), number // max(people, 1))
            random.shuffle(drawn)
        rows = chosen_rows(self.rows, drawn)
        if without is not None:
            rows = self._without(rows, without)
        held = rows.length
        chosen = np.full((len(drawn), MOST_CELLS), -1, np.int64)
        for place in range(MOST_CELLS):
            # The place among those that are left, which becomes one among all.
            at = (random.random(len(drawn)) * np.maximum(held - place, 1)).astype(np.int64)
            for before in np.sort(chosen[:, :place], axis=1).T:
                at += (before >= 0) & (before <= at)
            chosen[:, place] = np.where(held > place, at, -1)
        index = np.append(rows.index, np.int32(-1))
        found = index[np.where(chosen >= 0, rows.indptr[:-1, None] + chosen, -1)]
        return found.astype(np.int32)

    def people_with(
        self,
        known: NDArray[np.int32],
        *,
        first: int = 1,
        enough: int = 2,
        most: int = MOST_STEPS,
        column: int | None = None,
    ) -> NDArray[np.int64]:
        """How many people have the first cells of draws, up to ``enough``, [draws, places].

        Fewer draws than there are come back where they take more steps than ``most``.

        Arguments:
            known: the cells, -1 where a draw has fewer, [draws, places].
            first: the least number of cells.
            enough: people after which no more are counted.
            most: steps after which no further draw is looked at.
            column: a column that is published in a few groups of neighbours.
        """
        begin, owner = self.owners
        row, bits, had = self.common
        if column is not None:
            cells = slice(self.first[column], self.first[column + 1])
            known = np.where(known >= 0, self.coarser(column)[known], -1).astype(np.int32)
            firsts, of = np.unique(self.coarser(column)[cells], return_inverse=True)
            groups, row = np.full(len(row), -1, np.int32), row.copy()
            groups[cells] = of
            row[firsts] = len(bits) + np.arange(len(firsts))
            laid, many = self._laid_out(groups, len(firsts))
            bits, had = np.concatenate([bits, laid]), np.append(had, many)
        found = np.zeros(known.shape, np.int64)
        done = have_cells(
            known, len(self.rows), begin, owner, row, bits, had, first, enough, most, found
        )
        return found[:done]

    def coarser(self, column: int) -> NDArray[np.int64]:
        """What every cell becomes where a column is published in a few groups of neighbours.

        The first of the group's cells, [cells].
        """
        begin, end = int(self.first[column]), int(self.first[column + 1])
        had = np.diff(self.owners[0])[begin:end]
        middle = np.cumsum(had) - had / 2
        group = np.minimum(GROUPS * middle / max(had.sum(), 1), GROUPS - 1).astype(np.int64)
        to = np.arange(int(self.first[-1]))
        to[begin:end] = begin + np.searchsorted(group, group)
        return to


@dataclass(frozen=True)
class Sets:
    """Sets of cells of people, and how many people have each.

    Arguments:
        cells: so many different cells of a person, -1 where somebody has fewer, [sets, number].
        weight: what each set counts, in sum 1, [sets].
        had: people who have all of them, up to some number, [sets].
    """

    cells: NDArray[np.int32]
    weight: NDArray[np.float64]
    had: NDArray[np.int64]

    @property
    def unique(self) -> float:
        """The share of sets that one person has."""
        return self.share(self.had == 1)

    def share(self, which: NDArray[np.bool_]) -> float:
        """The share of some of the sets."""
        return min(float(self.weight[which].sum()), 1.0)


def run(
    context: AttackContext,
    sensitive: str | None = None,
    *,
    draws: int = DRAWS,
    most: int = MOST_STEPS,
) -> Finding | Skipped:
    """Draw published cells of people, and count who has them.

    Arguments:
        context: what the attacker is given.
        sensitive: not looked at.
        draws: sets of cells that are drawn.
        most: steps after which no more of them are looked at.
    """
    del sensitive
    if not context.cells:
        return Skipped(NAME, "no column is published that others could know as it is")
    cells = Cells.of(context.cells)
    people = len(cells.rows)
    if people < 2:
        return Skipped(NAME, "nobody else is published who could be taken for them")
    figures, looked = known_cells(cells, [context.seed, 0x0C], draws, most)
    number = 1 + min(range(MOST_CELLS), key=lambda at: abs(looked[at].unique - 0.5))
    figures["told_at"] = number
    if looked[number - 1].unique > 0:
        figures |= _columns(context, cells, looked[number - 1], most)
    told = looked[TOLD - 1]
    belief = 1 / np.where(told.had >= ENOUGH, people, np.maximum(told.had, 1))
    return Finding(
        people=context.people.height,
        success={
            **{str(at): told.share(belief >= at) for at in THRESHOLDS},
            CERTAIN: told.unique,
        },
        prior={**{str(at): float(1 / people >= at) for at in THRESHOLDS}, CERTAIN: 0.0},
        gain={
            "mean": float(told.weight @ belief) - 1 / people,
            "max": float(belief.max()) - 1 / people,
        },
        figures=figures,
        note=in_words(figures) + _unknowable(context),
    )


def _unknowable(context: AttackContext) -> str:
    """Which columns are not looked at."""
    listed = first_names(context.unknowable) if context.unknowable else ""
    return f" Not looked at, as others cannot know what is published: {listed}." * bool(listed)


def known_cells(
    cells: Cells, seed: list[int], draws: int = DRAWS, most: int = MOST_STEPS
) -> tuple[dict[str, Figures], list[Sets]]:
    """What is unique by the number of cells, and the sets of cells that were looked at.

    Where there are not too many sets, all of them are looked at, and everybody counts the same.

    Arguments:
        cells: the cells of at least one person.
        seed: of the draws.
        draws: sets of cells that are drawn.
        most: steps after which no more of them are looked at.
    """
    numbers = range(1, MOST_CELLS + 1)
    if sum(cells.ways(number) for number in numbers) <= MOST_SETS:
        looked = [_counted(cells, *cells.sets(number), enough=ENOUGH) for number in numbers]
        error, drawn = 0.0, sum(len(own.had) for own in looked)
    else:
        chosen = cells.draw(draws, seed)
        had = cells.people_with(chosen, enough=ENOUGH, most=most)
        drawn = len(had)
        error, weight = margin(drawn), np.full(drawn, 1 / drawn)
        looked = [Sets(chosen[:drawn, :p], weight, had[:, p - 1]) for p in numbers]
    figures: dict[str, Figures] = {
        str(number): {"unique": own.unique} for number, own in zip(numbers, looked, strict=True)
    }
    return figures | {"draws": drawn, "error": error}, looked


def _counted(
    cells: Cells, known: NDArray[np.int32], weight: NDArray[np.float64], **how: int
) -> Sets:
    """Sets of cells with how many people have each; fewer sets where they take too many steps."""
    had = cells.people_with(known, first=known.shape[1], **how)[:, -1]
    weight = weight[: len(had)]
    return Sets(known[: len(had)], weight / max(weight.sum(), np.finfo(float).tiny), had)


def _columns(
    context: AttackContext, cells: Cells, looked: Sets, most_steps: int
) -> dict[str, Figures]:
    """The columns that most of the unique sets rest upon, and what would change without them.

    Arguments:
        context: what the attacker is given.
        cells: the cells.
        looked: sets of so many cells.
        most_steps: a twentieth of these are taken for each figure, where sets are drawn.
    """
    number, alone = looked.cells.shape[1], looked.had == 1
    every = cells.ways(number) <= MOST_SETS
    few, steps = (len(alone), MOST_STEPS) if every else (FEW, most_steps // 20)
    own, weight = looked.cells[alone][:few], looked.weight[alone][:few]
    needs = np.zeros((len(own), len(cells.names)), np.bool_)
    for place in range(number):
        left = own.copy()
        left[:, place] = -1
        had = _counted(cells, left, weight, most=steps).had
        needed = np.flatnonzero((had > 1) & (own[: len(had), place] >= 0))
        columns = np.searchsorted(cells.first, own[needed, place], side="right") - 1
        needs[needed, columns] = True
    carried = np.round(weight @ needs / weight.sum(), 12)
    most = [at for at in np.argsort(-carried, kind="stable")[:COLUMNS].tolist() if carried[at] > 0]
    without, coarser = {}, {}
    chosen, weight = looked.cells[:few], looked.weight[:few]
    for column in most:
        name, seed = cells.names[column], [context.seed, 0x0C, column]
        sets = (
            cells.without(column).sets(number)
            if every
            else (cells.draw(few, seed, column)[:, :number], weight)
        )
        without[name] = _counted(cells, sets[0], sets[1][: len(sets[0])], most=steps).unique
        coarser[name] = _counted(cells, chosen, weight, most=steps, column=column).unique
    return {
        "carried": {cells.names[column]: float(carried[column]) for column in most},
        "without": without,
        "coarser": coarser,
    }


def in_words(figures: Mapping[str, Figures]) -> str:
    """What the figures say, in a sentence."""
    shares = []
    for p in range(1, MOST_CELLS + 1):
        own = figures[str(p)]
        assert isinstance(own, Mapping)
        shares.append(of_people(own["unique"] or 0.0))
    error, carried = figures["error"], figures.get("carried")
    assert isinstance(error, float)
    five = f" (give or take {error:.1%})" if error else ""
    told = (
        f"Cells drawn from a published person are unique: one cell for {shares[0]}, two cells for "
        f"{shares[1]}, three for {shares[2]}, four for {shares[3]}, five for {shares[4]}{five}."
    )
    if not isinstance(carried, Mapping):
        return told
    without, coarser, at = figures["without"], figures["coarser"], figures["told_at"]
    assert isinstance(without, Mapping)
    assert isinstance(coarser, Mapping)
    assert isinstance(at, int)
    columns = "; ".join(
        f"{without[name] or 0.0:.1%} without '{name}', {coarser[name] or 0.0:.1%} with it in "
        f"{GROUPS} groups"
        for name in carried
    )
    now = figures[str(at)]
    assert isinstance(now, Mapping)
    return f"{told} Of {at} cells, {now['unique'] or 0.0:.1%} are unique; {columns}."


def _ordered(column: Lists) -> Rows:
    """The cells of people in one column, numbered in the order of values; none of no value."""
    place = np.full(max(len(column.labels), 1), -1, np.int64)
    known = [at for at, label in enumerate(column.labels) if _tells(label)]
    numbers = [_number(column.labels[at]) for at in known]
    if all(number is not None for number in numbers):
        known = [at for _, at in sorted(zip(numbers, known, strict=True))]
    place[known] = np.arange(len(known))
    return numbered_anew(column, place)


def _tells(label: Label) -> bool:
    return label is not None and set(label) != {SUPPRESSED}


def _number(label: Label) -> float | None:
    try:
        found = float(label or "")
    except ValueError:
        return None
    return found if math.isfinite(found) else None
