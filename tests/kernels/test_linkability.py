"""How far a value is from a published cell, and which classes are nearest."""

from __future__ import annotations

import math

import numpy as np
import pytest

from indistinct.kernels.linkability import gap, linked_by_distance

NONE = math.nan

# Cells of one attribute: the leaves 0 and 1, the leaves 2 and 3, the numbers 10 and 20 with leaves
# 4 and 5, the number 40 with leaf 6, nothing at all, the range from 10 to 20, and everything.
LEAVES = [[0, 1], [2, 3], [4, 5], [6], [], [], []]
NUMBERS = [[], [], [10.0, 20.0], [40.0], [], [], []]
LOW = np.array([NONE, NONE, NONE, NONE, NONE, 10.0, NONE])
HIGH = np.array([NONE, NONE, NONE, NONE, NONE, 20.0, NONE])
EVERYTHING = np.array([False] * 6 + [True])


def pointers(lists: list[list[int]] | list[list[float]]) -> np.ndarray:
    return np.cumsum([0, *map(len, lists)]).astype(np.int64)


CELLS = (
    LOW,
    HIGH,
    EVERYTHING,
    pointers(LEAVES),
    np.array([leaf for part in LEAVES for leaf in part], dtype=np.int32),
    pointers(NUMBERS),
    np.array([number for part in NUMBERS for number in part]),
)


@pytest.mark.parametrize(
    ("leaf", "number", "cell", "expected"),
    [
        (0, NONE, 0, 0.0),
        (1, NONE, 0, 0.0),
        (2, NONE, 0, 1.0),  # the first leaf of the next cell
        (2, NONE, 1, 0.0),
        (3, NONE, 1, 0.0),
        (1, NONE, 1, 1.0),  # the last leaf of the cell before
        (4, NONE, 1, 1.0),
        (5, 20.0, 2, 0.0),
        (9, 12.0, 2, 0.2),
        (9, 18.0, 2, 0.2),
        (9, 7.0, 2, 0.3),
        (9, 26.0, 2, 0.6),
        (9, 39.0, 2, 1.9),  # 40 is of the next cell
        (9, 21.0, 3, 1.9),  # 20 is of the cell before
        (9, 44.0, 3, 0.4),
        (9, NONE, 2, 1.0),
        (9, 40.0, 4, 1.0),
        (9, 10.0, 5, 0.0),
        (9, 20.0, 5, 0.0),
        (9, 7.0, 5, 0.3),
        (9, 26.0, 5, 0.6),
        (9, NONE, 5, 1.0),
        (9, NONE, 6, 0.0),
    ],
)
def test_how_far_a_value_is_from_a_cell(
    leaf: int, number: float, cell: int, expected: float
) -> None:
    assert gap(leaf, number, cell, *CELLS, 10.0) == pytest.approx(expected)


def test_numbers_without_a_span_are_as_far_as_any_other_value() -> None:
    assert gap(9, 12.0, 2, *CELLS, 0.0) == 1.0
    assert gap(9, 25.0, 5, *CELLS, 0.0) == 1.0
    assert gap(9, 15.0, 5, *CELLS, 0.0) == 0.0


def linked(codes: list[int], own: list[int], classes: list[int], size: list[int]) -> list[float]:
    found = np.empty(len(codes))
    linked_by_distance(
        np.array(codes, dtype=np.int32)[:, None], np.full((len(codes), 1), NONE),
        np.array(own, dtype=np.int32), np.array(classes, dtype=np.int64)[:, None],
        np.array(size, dtype=np.int64), *CELLS, np.array([10.0]), found,
    )  # fmt: skip
    return found.tolist()


def test_people_are_linked_to_the_nearest_classes_by_chance() -> None:
    """Classes of the cells {0, 1}, {0, 1} again, and {2, 3}, of two, three and four people."""
    found = linked([0, 2, 2, 9, 0], [0, 2, 0, 1, -1], [0, 0, 1], [2, 3, 4])
    assert found == pytest.approx([1 / 2 / 2, 1 / 4, 0.0, 1 / 3 / 3, 0.0])
