"""Costs of classes while they are made: every kernel against cells made anew."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.kernels.clustering import (
    class_cost,
    close_up,
    costs_together,
    cover_members,
    extend_class,
    furthest,
    nearest,
    nearest_by_profile,
    nearest_of_each,
    smallest,
    start_class,
)
from indistinct.microdata.microdata import Microdata
from indistinct.recoding.partition import PartitionSettings
from indistinct.recoding.partition.distance import domains_of, empty_spans

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


@pytest.mark.parametrize("cells", [CELLS, "set", "ancestor"])
@pytest.mark.parametrize("seed", range(8))
def test_costs_are_those_of_the_cells(cells: dict[str, str] | str, seed: int) -> None:
    random = np.random.default_rng(seed)
    domains, places = table(cells)
    members = random.choice(len(ROWS), size=int(random.integers(1, 5)), replace=False).tolist()
    spans = empty_spans(3, 3)
    held = np.zeros(len(domains.value), dtype=np.bool_)
    costs = np.zeros(len(domains.value))
    start_class(domains, spans, held, places[members[0]], costs)
    for member in members[1:]:
        extend_class(domains, spans, held, places[member], costs)
    assert class_cost(domains, spans, 0) == pytest.approx(cost(members, cells))
    found = costs[places].sum(axis=1)
    expected = [cost([*members, row], cells) for row in range(len(ROWS))]
    assert found == pytest.approx(expected)

    taken = np.zeros(len(ROWS), dtype=np.bool_)
    taken[members] = True
    taken[random.choice(len(ROWS), 20)] = True
    free = [row for row in range(len(ROWS)) if not taken[row]]
    row, least = nearest(places, len(ROWS), taken, costs, -1.0)
    assert least == pytest.approx(min(expected[other] for other in free))
    assert row in free
    assert expected[furthest(places, len(ROWS), taken, costs)] == pytest.approx(
        max(expected[other] for other in free)
    )
    profile = random.integers(0, 3, len(ROWS)).astype(np.int32)
    best, lowest = np.empty(4, np.int64), np.empty(4)
    nearest_of_each(places, len(ROWS), taken, costs, profile, best, lowest)
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
    values = np.zeros((4, 1), dtype=np.int32)
    taken = np.array([True, False, False, False])
    assert nearest(values, 4, taken, np.array([0.5]), 0.0) == (1, 0.5)
    assert nearest(values, 4, taken, np.array([0.5]), 0.5) == (1, 0.5)
    assert furthest(values, 4, taken, np.array([0.5])) == 1
    assert nearest(values, 1, taken, np.array([0.5]), 0.0)[0] == -1
    assert furthest(values, 1, taken, np.array([0.5])) == -1


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
    assert close_up(values, rows, units, profile, taken, 4) == 2
    assert values[:2].tolist() == [[0, 1], [4, 5]]
    assert rows[:2].tolist() == units[:2].tolist() == profile[:2].tolist() == [0, 2]
    assert not taken[:2].any()


def test_the_nearest_of_every_profile() -> None:
    best, least = np.empty(3, np.int64), np.empty(3)
    nearest_by_profile(
        np.array([3.0, 1, 1, 0]), 4, np.array([False, False, False, True]),
        np.array([0, 1, 1, 1], np.int32), best, least,
    )  # fmt: skip
    assert best.tolist() == [0, 1, -1]
    assert least.tolist() == [3.0, 1.0, np.inf]
