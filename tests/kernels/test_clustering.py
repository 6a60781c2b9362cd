"""Costs of classes while they are made: every kernel against cells made anew."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.kernels.clustering import (
    NODE,
    RANGE,
    SET,
    Domains,
    Growing,
    Points,
    Waiting,
    average_groups,
    class_cost,
    close_up,
    costs_together,
    cover_members,
    extend_class,
    furthest,
    grow_classes,
    nearest,
    nearest_by_profile,
    nearest_of_each,
    smallest,
    start_class,
)
from indistinct.microdata.microdata import Microdata
from indistinct.recoding.partition import PartitionSettings
from indistinct.recoding.partition.distance import domains_of, empty_spans, room_to_grow

NUMBERS = Taxonomy("n", [(str(n), "*") for n in (0, 2, 3, 10)]).extended("value", ["off"])
WORDS = Taxonomy(
    "w", [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "cde", "*"), ("d", "cd", "cde", "*"),
          ("e", "cde", "*")],
).extended(None, ["off"])  # fmt: skip
NO_ROOT = Taxonomy("r", [("x", "xy"), ("y", "xy"), ("z", "z")])

ROWS = list(itertools.product(NUMBERS.leaves, WORDS.leaves, NO_ROOT.leaves))
CELLS = {"n": "range", "w": "ancestor", "r": "level"}


def table(cells: dict[str, str] | str):
    texts = pl.DataFrame(ROWS, schema=["n", "w", "r"], orient="row", infer_schema_length=None)
    trees = {"n": NUMBERS, "w": WORDS, "r": NO_ROOT}
    data = Microdata.encode(texts, trees, by_record=True).data
    return domains_of(data, PartitionSettings(cells=cells))


def cost(members: list[int], cells: dict[str, str] | str) -> float:
    """What the cells of a class cost, from their definition."""
    total = 0.0
    for at, tree in enumerate((NUMBERS, WORDS, NO_ROOT)):
        held = {ROWS[row][at] for row in members}
        most = len(tree.leaves) - 1
        style = cells if isinstance(cells, str) else cells[tree.attribute]
        if held & set(tree.suppressed):
            total += 1.0
        elif style == "set":
            total += (len(held) - 1) / most
        elif style == "range":
            numbers = [int(text) for text in held if text is not None]
            if numbers:
                total += (max(numbers) - min(numbers)) / 10 + (None in held) / most
        else:
            ancestor = tree.lowest_common_ancestor(held)
            total += (tree.leaf_count(ancestor) - 1) / most
    return total


def of_values(values: NDArray[np.int32], taken: NDArray[np.bool_]) -> Waiting:
    """Rows of which nothing else is looked at."""
    rows = np.arange(len(values), dtype=np.int32)
    return Waiting(values, rows, np.ones(len(values), np.int64), rows.copy(), taken)


@pytest.mark.parametrize("cells", [CELLS, "set", "ancestor"])
@pytest.mark.parametrize("seed", range(8))
def test_costs_are_those_of_the_cells(cells: dict[str, str] | str, seed: int) -> None:
    random = np.random.default_rng(seed)
    domains, places = table(cells)
    members = random.choice(len(ROWS), size=int(random.integers(1, 5)), replace=False).tolist()
    spans = empty_spans(3, 3)
    held = np.zeros(len(domains.value), dtype=np.bool_)
    costs = np.zeros(len(domains.value))
    growing = Growing(spans, held, costs)
    for member in (0, len(ROWS) // 2, len(ROWS) - 1):  # what a class held before is forgotten
        extend_class(domains, growing, places[member])
    start_class(domains, growing, places[members[0]])
    for member in members[1:]:
        extend_class(domains, growing, places[member])
    assert class_cost(domains, spans, 0) == pytest.approx(cost(members, cells))
    found = costs[places].sum(axis=1)
    expected = [cost([*members, row], cells) for row in range(len(ROWS))]
    assert found == pytest.approx(expected)

    taken = np.zeros(len(ROWS), dtype=np.bool_)
    taken[members] = True
    taken[random.choice(len(ROWS), 20)] = True
    free = [row for row in range(len(ROWS)) if not taken[row]]
    waiting = of_values(places, taken)
    row, far = nearest(waiting, len(ROWS), costs, -1.0), furthest(waiting, len(ROWS), costs)
    assert expected[row] == pytest.approx(min(expected[other] for other in free))
    assert expected[far] == pytest.approx(max(expected[other] for other in free))
    assert {row, far} <= set(free)
    profile = random.integers(0, 3, len(ROWS)).astype(np.int32)
    best, lowest = np.empty(4, np.int64), np.empty(4)
    nearest_of_each(places, taken, costs, profile, best, lowest)
    for kind in range(3):
        own = [expected[other] for other in free if profile[other] == kind]
        assert lowest[kind] == pytest.approx(min(own))
    assert best[3] == -1

    others = [random.choice(len(ROWS), size=3).astype(np.int32) for _ in range(2)]
    groups = [np.array(members, np.int32), *others]
    for group, own in enumerate(groups):
        cover_members(domains, spans, group, held, places, own)
    together = np.empty(3)
    costs_together(
        domains, spans, 0, held, places, groups[0],
        np.cumsum([0, *map(len, groups)]), np.concatenate(groups),
        np.array([True, True, False]), together,
    )  # fmt: skip
    assert together[0] == np.inf
    assert together[1] == pytest.approx(cost([*members, *others[0].tolist()], cells))
    assert together[2] == np.inf


def test_the_first_of_equals_is_taken() -> None:
    waiting = of_values(np.zeros((4, 1), np.int32), np.array([True, False, False, False]))
    assert nearest(waiting, 4, np.array([0.5]), 0.0) == 1
    assert nearest(waiting, 4, np.array([0.5]), 0.5) == 1
    assert furthest(waiting, 4, np.array([0.5])) == 1
    assert nearest(waiting, 1, np.array([0.5]), 0.0) == -1
    assert furthest(waiting, 1, np.array([0.5])) == -1


@pytest.mark.parametrize("seed", range(5))
def test_the_smallest_are_in_order(seed: int) -> None:
    random = np.random.default_rng(seed)
    found = random.integers(0, 9, 30).astype(float)
    found[random.choice(30, 5)] = np.inf
    heap = np.zeros(12, dtype=np.int64)
    held = smallest(found, 30, 12, heap)
    expected = [row for row in np.argsort(found, kind="stable") if np.isfinite(found[row])][:12]
    assert heap[:held].tolist() == expected


def test_rows_move_together_in_order() -> None:
    values = np.arange(8, dtype=np.int32).reshape(4, 2)
    rows, units = np.arange(4, dtype=np.int32), np.arange(4, dtype=np.int64)
    profile, taken = np.arange(4, dtype=np.int32), np.array([False, True, False, True])
    assert close_up(Waiting(values, rows, units, profile, taken), 4) == 2
    assert values[:2].tolist() == [[0, 1], [4, 5]]
    assert rows[:2].tolist() == units[:2].tolist() == profile[:2].tolist() == [0, 2]
    assert not taken[:2].any()


def test_the_nearest_of_every_profile() -> None:
    best, least = np.empty(3, np.int64), np.empty(3)
    taken, found = np.array([False, False, False, True]), np.array([3.0, 1, 1, 0])
    points = Points(np.zeros((4, 1)), np.arange(4, dtype=np.int32), taken, found, np.zeros(1))
    nearest_by_profile(points, 4, np.array([0, 1, 1, 1], np.int32), best, least)
    assert best.tolist() == [0, 1, -1]
    assert least.tolist() == [3.0, 1.0, np.inf]


PLACES = (5, 4, 4)
EIGHTHS = Domains(
    start=np.cumsum([0, *PLACES]),
    kind=np.array([RANGE, NODE, SET]),
    full=np.ones(3),
    step=np.full(3, 0.25),
    value=np.array([0.0, 0.25, 0.5, 1.0, np.nan, *[0.0] * 8]),
    starred=np.zeros(13, np.bool_),
    node=np.array([0] * 5 + [0, 1, 2, 3] + [0] * 4, np.int32),
    parent=np.array([4, 4, 5, 5, 6, 6, -1], np.int32),
    depth=np.array([2, 2, 2, 2, 1, 1, 0], np.int32),
    cost=np.array([0.0, 0.0, 0.0, 0.0, 0.125, 0.5, 1.0]),
)
"""A number, a hierarchy and a set, whose costs add up without rounding: equal ones are equal."""


def in_eighths(records: list[list[int]]) -> float:
    """What the cells of these records cost, by EIGHTHS in words."""
    numbers, leaves, values = ({own[j] for own in records} for j in range(3))
    known = [EIGHTHS.value[place] for place in numbers if place < 4]
    total = max(known) - min(known) + 0.25 * (4 in numbers) if known else 0.0
    branches = {(leaf - 5) // 2 for leaf in leaves}
    if len(leaves) > 1:
        total += 1.0 if len(branches) > 1 else (0.125, 0.5)[branches.pop()]
    return total + 0.25 * (len(values) - 1)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(1, 5), st.integers(0, 4))
def test_classes_grow_from_the_furthest_by_the_nearest(
    seed: int, n: int, least: int, most: int
) -> None:
    random = np.random.default_rng(seed)
    values = random.integers(EIGHTHS.start[:-1], EIGHTHS.start[1:], (n, 3)).astype(np.int32)
    units, rows = random.integers(1, 3, n), random.permutation(n).astype(np.int32)
    records, last = values.tolist(), values[random.integers(n)].copy()
    end, left, wanted = last.tolist(), list(range(n)), np.full(n, -1)
    group = 3
    while group < 3 + most and units[left].sum() >= least:
        costs = [in_eighths([end, records[row]]) for row in left]
        members = [left.pop(costs.index(max(costs)))]
        while units[members].sum() < least:
            held = [records[row] for row in members]
            costs = [in_eighths([*held, records[row]]) for row in left]
            members.append(left.pop(costs.index(min(costs))))
        wanted[rows[members]] = group
        end, group = records[members[-1]], group + 1
    class_of, own_rows, own_units = np.full(n, -1, np.int32), rows.copy(), units.copy()
    waiting = Waiting(values, own_rows, own_units, np.zeros(n, np.int32), np.zeros(n, np.bool_))
    found = grow_classes(
        EIGHTHS, room_to_grow(EIGHTHS), waiting, last, n, int(units.sum()), least, 3, most, class_of
    )
    assert class_of.tolist() == wanted.tolist()
    assert found == (len(left), units[left].sum(), group)
    assert own_rows[: len(left)].tolist() == rows[left].tolist()
    assert values[: len(left)].tolist() == [records[row] for row in left]
    assert last.tolist() == end


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 20), st.integers(1, 3), st.integers(0, 5))
def test_groups_around_the_furthest_from_the_average(seed: int, n: int, k: int, most: int) -> None:
    random = np.random.default_rng(seed)
    numbers = random.integers(0, 4, (n, 2)).astype(float)
    rows = random.permutation(n).astype(np.int32)
    points = numbers.tolist()
    left, wanted, group = list(range(n)), np.full(n, -1), 3

    def away(row: int, point: list[float]) -> float:
        return sum((own - other) ** 2 for own, other in zip(points[row], point, strict=True))

    def around(centre: int) -> None:
        others = sorted(left, key=lambda row: (row != centre, away(row, points[centre])))
        for row in others[:k]:
            wanted[rows[row]] = group
            left.remove(row)

    while group < 3 + most and len(left) >= 3 * k:
        middle = [sum(points[row][j] for row in left) / len(left) for j in range(2)]
        one = max(left, key=lambda row: away(row, middle))
        other = max(left, key=lambda row: away(row, points[one]))
        around(one)
        if other not in left:
            other = max(left, key=lambda row: away(row, points[one]))
        group += 1
        around(other)
        group += 1
    class_of, own_rows = np.full(n, -1, np.int32), rows.copy()
    waiting = Points(numbers, own_rows, np.zeros(n, np.bool_), np.empty(n), np.empty(2))
    found = average_groups(waiting, np.empty(k, np.int64), n, 3, most, class_of)
    assert found == (len(left), group)
    assert class_of.tolist() == wanted.tolist()
    assert own_rows[: len(left)].tolist() == rows[left].tolist()
    assert numbers[: len(left)].tolist() == [points[row] for row in left]


def test_of_rows_that_cost_nothing_the_first_that_is_left_is_furthest() -> None:
    values, nothing = np.zeros((3, 1), np.int32), np.zeros(1)
    assert furthest(of_values(values, np.array([True, False, False])), 3, nothing) == 1
    assert furthest(of_values(values, np.array([True, True, True])), 3, nothing) == -1
