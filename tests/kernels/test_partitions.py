"""Splitting classes by one attribute after another, and leaving attributes out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels.partitions import (
    ALONE,
    LOSS,
    MOST,
    PAIRS,
    PARTS,
    SQUARES,
    add_up,
    pass_over,
    tails,
    take,
)

# Rows of two attributes, sorted by the second, then the first: (a, b).
ROWS = [(0, 0), (1, 0), (1, 0), (0, 1), (2, 1)]
WHOLE = float(np.log2(5))


def numbered() -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Own numbers, codes and next tails of both positions."""
    later = np.zeros(5, dtype=np.int32)
    found = []
    for position in (1, 0):
        column = np.array([row[position] for row in ROWS], dtype=np.int32)
        own = np.empty(5, dtype=np.int32)
        count, code, up = tails(column, later, own)
        assert count == len(code) == len(up)
        found.insert(0, (own, code, up))
        later = own
    return found


def test_tails_are_numbered_so_that_those_alike_later_on_are_neighbours() -> None:
    (first, code, up), (second, last_code, last_up) = numbered()
    assert first.tolist() == [0, 1, 1, 2, 3]
    assert code.tolist() == [0, 1, 0, 2]
    assert up.tolist() == [0, 0, 1, 1]
    assert second.tolist() == [0, 0, 0, 1, 1]
    assert last_code.tolist() == [0, 1]
    assert last_up.tolist() == [0, 0]


def root(width: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    weights = np.zeros((5, width))
    weights[:, :2] = 1.0
    return numbered()[0][0].copy(), np.array([0, 5], dtype=np.int64), weights


def split(keep: bool = True, width: int = 3) -> tuple[int, int, dict[str, np.ndarray]]:
    entries, start, weights = root(width)
    _, code, up = numbered()[0]
    made = {
        "tally": np.zeros(3, dtype=np.int32),
        "closed": np.zeros(6),
        "entries": np.empty(5, dtype=np.int32),
        "start": np.empty(4, dtype=np.int64),
        "weights": np.empty((5, width)),
        "total": np.zeros(6),
    }
    kept, classes = take(
        entries, start, weights, code, up, WHOLE, made["tally"], np.zeros(3, dtype=np.int32),
        np.zeros((3, width)), made["closed"], keep, made["entries"], made["start"], made["weights"],
        made["total"],
    )  # fmt: skip
    return kept, classes, made


def test_a_class_alike_in_what_comes_is_closed_and_the_others_stay_open() -> None:
    kept, classes, made = split()
    # a = 0 is open (b is 0 and 1), a = 1 (twice b = 0) and a = 2 are closed.
    assert (kept, classes) == (2, 1)
    assert made["entries"][:kept].tolist() == [0, 1]
    assert made["start"][: classes + 1].tolist() == [0, 2]
    assert made["weights"][:kept, 0].tolist() == [1.0, 1.0]
    assert made["closed"][PARTS] == 2
    assert made["total"][PARTS] == 3
    assert made["total"][PAIRS] == 2 + 2
    assert made["total"][ALONE] == 1
    assert made["total"][MOST] == pytest.approx(WHOLE)
    loss = 4 * (WHOLE - 1) + WHOLE
    assert made["total"][LOSS] == pytest.approx(loss)
    assert made["total"][SQUARES] == pytest.approx(4 * (WHOLE - 1) ** 2 + WHOLE**2)
    assert made["tally"].tolist() == [0, 0, 0]


def test_of_units_alone_the_sums_are_those_of_equal_records() -> None:
    kept, classes, made = split()
    *counted, alone = split(width=1)
    assert counted == [kept, classes]
    assert alone["weights"][:kept].tolist() == made["weights"][:kept, :1].tolist()
    assert alone["entries"][:kept].tolist() == made["entries"][:kept].tolist()
    assert alone["start"][: classes + 1].tolist() == made["start"][: classes + 1].tolist()
    for name in ("closed", "total", "tally"):
        assert alone[name].tolist() == made[name].tolist()


def test_the_sums_alone_are_the_same() -> None:
    _, _, made = split()
    kept, classes, bare = split(keep=False)
    assert (kept, classes) == (0, 0)
    assert bare["total"].tolist() == made["total"].tolist()
    assert bare["tally"].tolist() == [0, 0, 0]


def test_leaving_an_attribute_out_merges_what_is_alike_later_on() -> None:
    entries, start, weights = root()
    closed = np.zeros(6)
    kept, classes = pass_over(entries, start, weights, numbered()[0][2], WHOLE, closed)
    assert (kept, classes) == (2, 1)
    assert entries[:kept].tolist() == [0, 1]
    assert weights[:kept, 0].tolist() == [3.0, 2.0]
    assert not closed.any()
    kept, classes = pass_over(
        entries[:kept], start[: classes + 1], weights, numbered()[1][2], WHOLE, closed
    )
    assert (kept, classes) == (0, 0)
    assert closed[PARTS] == 1
    assert closed[LOSS] == pytest.approx(0, abs=1e-12)


UNITS = [1.0, 2.0, 3.0, 1.0, 2.0]
MASSES = [0.5, 0.1, 0.2, 0.3, 0.4]
OWN = [-0.9, -0.2, 0.7, 0.3, -0.5]


def sums(rows: list[int]) -> list[float]:
    return [sum(weights[row] for row in rows) for weights in (UNITS, MASSES, OWN)]


def test_units_their_mass_and_their_information_are_each_added_up() -> None:
    """Records that weigh differently: no column of the weights stands for another."""
    entries, start, _ = root()
    weights = np.array([UNITS, MASSES, OWN]).T.copy()
    _, code, up = numbered()[0]
    closed, total, new = np.zeros(6), np.zeros(6), np.empty((5, 3))
    take(
        entries, start, weights, code, up, WHOLE, np.zeros(3, dtype=np.int32),
        np.zeros(3, dtype=np.int32), np.zeros((3, 3)), closed, True, np.empty(5, dtype=np.int32),
        np.empty(4, dtype=np.int64), new, total,
    )  # fmt: skip
    assert new[:2].tolist() == [pytest.approx(sums([0])), pytest.approx(sums([3]))]

    def expected(classes: list[list[int]]) -> list[float]:
        found = []
        for units, mass, own in map(sums, classes):
            loss = WHOLE - (np.log2(mass) - own / mass)
            alone = float(units == 1)
            found.append((1, mass * loss, mass * loss**2, units * (units - 1), alone, loss))
        columns = list(zip(*found, strict=True))
        return [*map(sum, columns[:5]), max(columns[5])]

    # By a: the first and the fourth row, the second and the third, the last.
    assert closed.tolist() == pytest.approx(expected([[1, 2], [4]]))
    assert total.tolist() == pytest.approx(expected([[0, 3], [1, 2], [4]]))
    closed[:] = 0.0
    kept, classes = pass_over(entries, start, weights, up, WHOLE, closed)
    assert weights[:kept].tolist() == [
        pytest.approx(sums([0, 1, 2])),
        pytest.approx(sums([3, 4])),
    ]
    assert not closed.any()
    again = numbered()[1][2]
    pass_over(entries[:kept], start[: classes + 1], weights, again, WHOLE, closed)
    assert closed.tolist() == pytest.approx(expected([[0, 1, 2, 3, 4]]))


def test_empty_classes_do_not_count() -> None:
    total = np.ones(6)
    add_up(np.array([[0.0, 0.0, 0.0], [2.0, 2.0, 0.0]]), 1.0, total)
    assert total.tolist() == [1.0, 0.0, 0.0, 2.0, 0.0, 0.0]


def test_records_nobody_looks_for_are_counted_and_lose_nothing() -> None:
    total = np.zeros(6)
    add_up(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]), 0.0, total)
    assert total[PARTS] == 2
    assert total[ALONE] == 2
    assert total[LOSS] == 0


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.lists(st.booleans(), min_size=2, max_size=4))
def test_any_choice_of_attributes_has_the_sums_of_its_classes(seed: int, ways: list[bool]) -> None:
    """Attributes are taken or passed over one after the other; the classes are those of NumPy."""
    random = np.random.default_rng(seed)
    rows, width = int(random.integers(1, 10)), len(ways)
    table = random.integers(0, 3, (rows, width)).astype(np.int32)
    table = table[np.lexsort(table.T)]
    units = random.integers(1, 3, rows).astype(float)
    mass = random.random(rows)
    weights = np.stack([units, mass, mass * np.log2(mass)], axis=1)
    later, tails_of = np.zeros(rows, np.int32), []
    for position in range(width - 1, -1, -1):
        own = np.empty(rows, np.int32)
        _, code, up = tails(table[:, position].copy(), later, own)
        tails_of.insert(0, (code, up))
        later = own
    entries, start, open_ = later.copy(), np.array([0, rows]), weights.copy()
    closed, total, whole = np.zeros(6), np.zeros(6), 2.0
    for position, (code, up) in enumerate(tails_of):
        if ways[position]:
            new = np.empty(rows, np.int32), np.empty(rows + 1, np.int64), np.empty((rows, 3))
            kept, classes = take(
                entries, start, open_, code, up, whole, np.zeros(3, np.int32),
                np.zeros(3, np.int32), np.zeros((3, 3)), closed, True, *new, total,
            )  # fmt: skip
            entries, start, open_ = new
        else:
            kept, classes = pass_over(entries, start, open_, up, whole, closed)
        entries, start, open_ = entries[:kept], start[: classes + 1], open_[:kept]
        if ways[position]:
            taken = [at for at in range(position + 1) if ways[at]]
            _, class_of = np.unique(table[:, taken], axis=0, return_inverse=True)
            together, expected = np.zeros((rows, 3)), np.empty(6)
            np.add.at(together, class_of.reshape(-1), weights)
            add_up(together, whole, expected)
            assert total == pytest.approx(expected)
