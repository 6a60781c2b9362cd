"""The quasi table: classes of people by their quasi-identifiers alone, not by their buckets.

Fazal and others (2023), Algorithm 1, lines 28 to 35, and Table 12A: the quasi-identifiers are
generalized on their own, and every row is linked to the bucket of its person, so that a bucket is
met in several classes ("loose linkability").

In the variant ``paper`` classes are made in the order of the people: the first that is free opens a
class, and takes the one who widens it least until it has k; who is left over joins the class that
gets wider least. Table 12A prints the exact values in brackets beside the ranges; here cells are
all that is published.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from indistinct.document import many
from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.kernels.linked import members_in_order
from indistinct.microdata.encoding import count_combinations
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.promise import Promise
from indistinct.randomness import Random
from indistinct.recoding.cells import cells_of
from indistinct.recoding.exchange.widths import Widths
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.linked.settings import LinkedSettings, Quasi
from indistinct.recoding.partition import partition, publishing
from indistinct.recoding.plan import CellPlan
from indistinct.types import Bools, Ints, Ints32
from indistinct.warning_kinds import Kind, WarningText

MOST_CLUSTERED = 50_000
"""Up to so many people are clustered where nothing else is said."""


def quasi_table(
    data: LeveledTable,
    promises: Sequence[Promise],
    k: int,
    settings: LinkedSettings,
    progress: Progress = silent,
) -> tuple[CellPlan, tuple[WarningText, ...]]:
    """The classes of the quasi table and their cells, and what the custodian should know of them.

    Arguments:
        data: the people, a combination for each.
        promises: what classes have to keep; none speaks of a sensitive attribute.
        k: the smallest class.
        settings: how classes are made, and what is published of them.
        progress: told the share of the people who are in a class.

    Raises:
        Unsatisfiable: if the promises cannot be kept within the suppression limit.
        PolicyError: for settings that do not fit the table.
    """
    people = int((data.weight > 0).sum())
    algorithm: Quasi = settings.quasi or ("k-member" if people <= MOST_CLUSTERED else "mondrian")
    notes = []
    if settings.quasi is None and algorithm == "mondrian":
        notes.append(
            Kind.SETTING(
                "the classes of the quasi table come from mondrian: clustering is for up to "
                f"{MOST_CLUSTERED:,} people, and there are {people:,}"
            )
        )
    asked = [KAnonymity(k=k), *promises]
    bare = replace(data, table=replace(data.table, sensitive={}))
    if algorithm == "mondrian":
        return by_combination(bare, asked, settings, progress), tuple(notes)
    if settings.variant == "safe":
        return partition(bare, asked, "k-member", settings, progress), ()
    return _in_order(bare, asked, k, settings), ()


def by_combination(
    data: LeveledTable,
    promises: Sequence[Promise],
    settings: LinkedSettings,
    progress: Progress = silent,
) -> CellPlan:
    """Mondrian on the distinct combinations of the people's quasi-identifiers.

    Equal people are in one class, so that a large table takes little longer than a small one.

    Arguments:
        data: the table of people.
        promises: what has to be kept.
        settings: how to cut, and what may be suppressed.
        progress: is told the share of the search that is done.
    """
    table = data.table
    columns = [codes.astype(np.int32) for codes in table.codes]
    sizes = [int(size) for size in data.domain]
    codes, weight, number = count_combinations(columns, sizes, table.weight)
    population = None
    if table.population is not None:
        counted = np.bincount(number, weights=table.population, minlength=len(weight))
        population = np.rint(counted).astype(np.int64)
    narrow = tuple(new.astype(old.dtype) for new, old in zip(codes, table.codes, strict=True))
    fewer = replace(table, codes=narrow, weight=weight, sensitive={}, population=population)
    few = LeveledTable(fewer, data.taxonomies, data.unchanged)
    plan = partition(few, promises, "mondrian", settings, progress)
    class_of = np.where(data.weight > 0, plan.class_of[number], -1).astype(np.int32)
    return replace(plan, class_of=class_of)


def homes_of_noise(
    data: LeveledTable, plan: CellPlan, promises: Sequence[Promise], number: int, random: Random
) -> Ints32:
    """The class of each of so many made-up people, [number].

    They are spread in proportion to the people of the classes, rounded up or down by chance: the
    share of rows that are made up is the same everywhere, and none of them can be told by its
    class. They have the cells of their class, which nobody's values are copied to.

    Arguments:
        data: the table of people.
        plan: the classes.
        promises: what the classes have to keep.
        number: how many people are made up.
        random: draws where they go.

    Raises:
        Unsatisfiable: if every class breaks a promise with a made-up person more.
    """
    free = np.ones(plan.groups, dtype=np.bool_)
    delicate = [
        part for part in promises if part.effective_closure != "superset" or part.needs_population
    ]
    homes = np.full(number, -1, dtype=np.int32)
    size = np.bincount(plan.class_of[plan.class_of >= 0], minlength=plan.groups)
    while (lost := np.flatnonzero(homes < 0)).size:
        open_to = np.flatnonzero(free)
        if not len(open_to):
            raise Unsatisfiable(
                "unsatisfiable",
                f"{many(number, 'made-up person is')} needed, and there is no class for them "
                "that "
                "keeps " + "; ".join(map(str, delicate)),
                remedy="choose weaker promises, or max_noise = 0",
            )
        homes[lost] = _in_proportion(size[open_to], len(lost), random, open_to)
        if not delicate:
            break
        broken = _broken_with(data, plan, delicate, homes)
        free &= ~broken
        homes[broken[homes]] = -1
    return homes


def _in_proportion(size: Ints, number: int, random: Random, names: Ints) -> Ints:
    """So many draws of classes, each as often as its size says, rounded up or down, [number].

    Classes stand in a line drawn at random, as long as their sizes; marks are made at even
    distances, from a beginning drawn at random.
    """
    order = random.permutation(len(size))
    ends = np.cumsum(size[order])
    marks = (np.arange(number) + random.random()) * (int(ends[-1]) / number)
    drawn = names[order[np.searchsorted(ends, marks, side="right")]]
    return drawn[random.permutation(number)]


def _broken_with(
    data: LeveledTable, plan: CellPlan, promises: Sequence[Promise], homes: Ints32
) -> Bools:
    """Which classes break a promise with people added to them, each with a classmate's codes."""
    first = np.zeros(plan.groups, dtype=np.int64)
    people = np.flatnonzero(plan.class_of >= 0)[::-1]
    first[plan.class_of[people]] = people
    rows = np.concatenate([np.arange(len(plan.class_of)), first[homes]])
    table = data.table
    weight = np.concatenate([table.weight, np.ones(len(homes), np.int64)])
    population = table.population
    if population is not None:
        population = np.concatenate([population, np.zeros(len(homes), np.int64)])
    codes = tuple(codes[rows] for codes in table.codes)
    more = replace(table, codes=codes, weight=weight, sensitive={}, population=population)
    longer = LeveledTable(more, data.taxonomies, data.unchanged)
    seen = replace(plan, class_of=np.concatenate([plan.class_of, homes]))
    return publishing.broken_either_way(longer, promises, seen)


def _in_order(
    data: LeveledTable, promises: Sequence[Promise], k: int, settings: LinkedSettings
) -> CellPlan:
    """k-member clustering in the order of the people."""
    began = time.perf_counter()
    publishing.check_feasible(data, promises, settings)
    rows = np.flatnonzero(data.weight > 0)
    if len(rows) > MOST_CLUSTERED:
        raise PolicyError(
            "too-many-records",
            f"the table has {len(rows)} people, and clustering compares each with every other: "
            f"it takes {MOST_CLUSTERED} at most",
            remedy='write start = "mondrian" under [method.partition]',
        )
    widths = Widths.of(data, settings.weights)
    class_of = np.full(data.table.combinations, -1, dtype=np.int32)
    members_in_order(
        widths.key,
        np.stack([widths.levels, widths.domain, widths.base], axis=1),
        widths.node,
        widths.width,
        widths.weight,
        rows.astype(np.int64),
        k,
        class_of,
    )
    report = publishing.report("k-member", began, parts=int(class_of.max(initial=-1)) + 1)
    plan = cells_of(data, class_of, settings.cells, report)
    broken = publishing.broken_either_way(data, promises, plan)
    if broken.any() or (plan.suppressed & (data.weight > 0)).any():
        raise Unsatisfiable(
            "unsatisfiable",
            "the classes of the paper's clustering break a promise: "
            + "; ".join(map(str, promises)),
            remedy='choose weaker promises, or variant = "safe"',
        )
    return publishing.finished(data, plan, began)
