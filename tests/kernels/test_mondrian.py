"""Cuts of a part and what comes of them, against sets of records."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct.kernels import mondrian
from indistinct.kernels.mondrian import (
    AT_ONCE,
    ATTRIBUTE,
    BRANCHES,
    BY_BOTH,
    BY_ENTROPY,
    BY_GAIN,
    BY_WIDTH,
    HALVES,
    RANGE,
    RUN,
    SET,
    TOP,
    TREE,
    Criterion,
    Rows,
    Space,
    Work,
)

KINDS = (RANGE, TREE, SET, TREE)
SIZES = (6, 7, 4, 4)
START = [0, 6, 13, 17]
VALUES = 21
PLACE = [0.0, 0.125, 0.125, 0.125, 0.5, 1.0]
"""Where the numbers of the first attribute lie."""
WAYS = {
    1: ["rax", "ray", "raz", "rbu", "rbv", "rw", "s"],
    2: ["mc", "md", "n", "ne"],
    3: ["p", "q", "t", "t"],  # the last two are one node, with nothing below it
}
"""The nodes above each value, a letter each, where there is a hierarchy."""
NODES = "awsrbvzxyumndceptq"
"""All of them, siblings in neither order."""
COVERS = {"r": 0.75, "a": 0.375, "b": 0.25, "t": 1.0}
EACH = (0.0, 0.125, 0.25, 0.0)
BITS = (1.0, 1.25, 1.75, 1.5)


def space(pairs: bool, weight: Sequence[float]) -> Space:
    """The attributes; with ``pairs``, what two values of a hierarchy span stands in a table."""
    cost = [*(COVERS.get(node, 0.0) for node in NODES), *PLACE]
    paths: list[int] = []
    at = np.zeros((4, 6), np.int64)
    for j in range(4):
        at[j] = START[j], SIZES[j], KINDS[j], 0, 0, len(NODES) if j == 0 else -1
        if j in WAYS:
            at[j, 3:5] = 3, len(paths)
            for depth in range(3):
                paths += [NODES.find(way[depth : depth + 1] or " ") for way in WAYS[j]]
    unit = np.stack([weight, EACH, BITS], axis=1)
    made = Space(at, unit, np.array(cost), np.array(paths, np.int32))
    if pairs:
        found = np.empty((7, 7))
        mondrian.spans(made, 1, found)
        assert found.tolist() == [
            [width(1, {low, high}) - EACH[1] * (low != high) for high in range(7)]
            for low in range(7)
        ]
        at[1, 5] = len(cost)
        made = made._replace(cost=np.concatenate([cost, found.ravel()]))
    return made


def room() -> Work:
    return Work(
        values=np.zeros((8, VALUES), np.int64),
        held=np.zeros(4, np.int64),
        cuts=np.zeros((8, 5), np.int64),
        score=np.zeros(8),
    )


def width(j: int, held: set[int]) -> float:
    """What an attribute costs a part that has these values."""
    if KINDS[j] == RANGE:
        return PLACE[max(held)] - PLACE[min(held)]
    values = EACH[j] * (len(held) - 1)
    if KINDS[j] == SET:
        return values
    shared = [node for node in WAYS[j][min(held)] if node in WAYS[j][max(held)]]
    return values + (COVERS.get(shared[-1], 0.0) if shared else 1.0)


Found = tuple[float, int, list[Any]]
"""Units times cost after a cut, how uneven it is, and the cut."""


class Part:
    """Records with what they weigh, and all cuts of them."""

    def __init__(self, rank: np.ndarray, weight: np.ndarray, asked: Criterion, counts: Any) -> None:
        self.rank, self.weight, self.asked, self.counts = rank, weight, asked, counts
        self.total = int(weight.sum())
        self.units = [
            {value: int(weight[rank[:, j] == value].sum()) for value in sorted(set(rank[:, j]))}
            for j in range(4)
        ]

    def after(self, j: int, sides: Sequence[set[int]]) -> float:
        return sum(sum(self.units[j][v] for v in side) * width(j, side) for side in sides)

    def in_two(self, j: int, ways: list[tuple[set[int], list[int]]]) -> Found | None:
        """The cheapest of some cuts in two; of equal ones the most even, then the first."""
        found: list[Found] = []
        for left, cut in ways:
            inside = sum(self.units[j][value] for value in left)
            if min(inside, self.total - inside) >= self.asked.least:
                sides = (left, set(self.units[j]) - left)
                uneven = abs(2 * inside - self.total)
                found.append((self.after(j, sides), uneven, [j, *cut, inside]))
        return min(found, key=lambda one: one[:2], default=None)

    def median(self, j: int) -> Found | None:
        values = list(self.units[j])
        ways = [(set(values[: b + 1]), [RUN, 0, values[b]]) for b in range(len(values) - 1)]
        found = [self.in_two(j, [one]) for one in ways]
        return min((one for one in found if one), key=lambda one: one[1], default=None)

    def cheapest(self, j: int) -> Found | None:
        values = list(self.units[j])
        if KINDS[j] == SET:
            often = sorted(values, key=lambda value: -self.units[j][value])
            return self.in_two(j, [(set(often[:n]), [TOP, n, 0]) for n in range(1, len(often))])
        first = range(len(values) - 1 if KINDS[j] == TREE else 1)
        return self.in_two(
            j,
            [
                (set(values[a : b + 1]), [RUN, values[a] if a else 0, values[b]])
                for a in first
                for b in range(a, len(values))
                if b - a < len(values) - 1
            ],
        )

    def branches(self, j: int) -> Found | None:
        values = list(self.units[j])
        depth = 0
        while len({WAYS[j][value][: depth + 1] for value in values}) == 1:
            depth += 1
            if depth == 3:
                return None
        kinds: dict[str, set[int]] = {}
        for value in values:
            kinds.setdefault(WAYS[j][value][: depth + 1], set()).add(value)
        sides = list(kinds.values())
        held = [sum(self.units[j][value] for value in side) for side in sides]
        if min(held) < self.asked.least:
            return None
        return self.after(j, sides), 0, [j, BRANCHES, depth, len(sides), held[0]]

    def halves(self, j: int) -> Found | None:
        half, left = self.total // 2, 0
        if half < self.asked.least:
            return None
        values = list(self.units[j])
        below: set[int] = set()
        for value in values[:-1]:
            if left + self.units[j][value] > half:
                break
            left += self.units[j][value]
            below.add(value)
        at = next(value for value in values if value not in below)
        one = below | {at} if half > left or not below else below
        after = half * width(j, one) + (self.total - half) * width(j, set(values) - below)
        return after, 0, [j, HALVES, at, half - left, half]

    def score(self, found: Found, several: bool) -> float:
        j, after = found[2][0], found[0]
        held = set(self.units[j])
        weight = self.counts[j]
        if self.asked.dimension == BY_BOTH and several:
            sides = [row for row in self.children(found[2]) if len(row)]
            return -sum(
                self.weight[rows].sum() * self.counts[q] * width(q, set(self.rank[rows, q]))
                for rows in sides
                for q in range(4)
            )
        if self.asked.dimension == BY_ENTROPY:
            shares = [own / self.total for own in self.units[j].values() if own]
            return weight * -sum(share * math.log2(share) for share in shares) / BITS[j]
        if self.asked.dimension == BY_WIDTH:
            extra = EACH[j] * (len(held) - 1) if KINDS[j] == TREE else 0.0
            return weight * (width(j, held) - extra)
        return weight * (self.total * width(j, held) - after)

    def cuts(self, more: bool) -> list[list[Any]]:
        """The best cut of each attribute, the best first, and others behind them."""
        if self.total < 2 * self.asked.least:
            return []
        some = [j for j in range(4) if len(self.units[j]) > 1]
        if self.asked.cheapest:
            tried = [self.cheapest(j) for j in some]
        else:
            tried = [(KINDS[j] != RANGE and self.branches(j)) or self.median(j) for j in some]
        found = [one for one in tried if one]
        parting = not found and not self.asked.strict
        if parting:
            found = [one for one in map(self.halves, some) if one]
        several = len(found) > 1 and not parting
        found.sort(key=lambda one: -self.score(one, several))
        cuts = [one[2] for one in found]
        if more and not parting:
            if self.asked.strict:
                others = [self.median(one[2][0]) for one in found]
                pairs = zip(others, found, strict=True)
                cuts += [other[2] for other, one in pairs if other and other[2] != one[2]]
            else:
                cuts += [one[2] for one in map(self.halves, some) if one]
        return cuts

    def children(self, cut: list[Any]) -> list[np.ndarray]:
        """The rows of each child, in their order."""
        j, how, a, b, _ = cut
        own = self.rank[:, j].tolist()
        if how == RUN:
            side = [0 if a <= value <= b else 1 for value in own]
        elif how == TOP:
            often = sorted(self.units[j], key=lambda value: -self.units[j][value])
            side = [0 if value in often[:a] else 1 for value in own]
        elif how == BRANCHES:
            kinds = list(dict.fromkeys(WAYS[j][value][: a + 1] for value in self.units[j]))
            side = [kinds.index(WAYS[j][value][: a + 1]) for value in own]
        else:
            side, taken = [], 0
            for value, weight in zip(own, self.weight.tolist(), strict=True):
                side.append(0 if value < a or (value == a and taken < b) else 1)
                taken += weight if value == a and side[-1] == 0 else 0
        children = b if how == BRANCHES else 2
        return [np.flatnonzero(np.array(side) == child) for child in range(children)]


class Drawn:
    """A table, and how it is to be cut."""

    def __init__(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        rows = int(random.integers(1, 16))
        some = [random.choice(size, random.integers(1, size + 1)) for size in SIZES]
        if random.random() < 0.2:
            some[0] = np.arange(1, 4)  # they lie in one place
        self.rank = np.stack([random.choice(own, rows) for own in some], axis=1).astype(np.int32)
        self.weight = random.integers(1, 3, rows)
        self.counts = random.choice([0.5, 1.0], 4)
        dimension = int(random.choice([BY_WIDTH, BY_ENTROPY, BY_GAIN, BY_BOTH]))
        cheapest, strict = (bool(random.integers(2)) for _ in range(2))
        cheapest |= dimension == BY_BOTH  # which looks at cuts in two alone
        self.asked = Criterion(int(random.integers(1, 4)), dimension, cheapest, strict)
        self.space = space(bool(random.integers(2)), self.counts)
        self.random = random

    def rows(self) -> Rows:
        rank, weight = self.rank.copy(), self.weight.copy()
        member = np.arange(len(rank), dtype=np.int32)
        return Rows(rank, weight, member, rank.copy(), weight.copy(), member.copy())

    def part(self, rows: np.ndarray) -> Part:
        return Part(self.rank[rows], self.weight[rows], self.asked, self.counts)


@settings(max_examples=120)
@given(st.integers(0, 2**32 - 1))
def test_cuts_their_children_and_what_these_hold(seed: int) -> None:
    drawn = Drawn(seed)
    rows, work, n = drawn.rows(), room(), len(drawn.rank)
    low = int(drawn.random.integers(0, n))
    part = drawn.part(np.arange(low, n))
    wanted = part.cuts(more=True)
    cuts, found = np.zeros((1, 8, 5), np.int64), np.zeros(1, np.int64)
    ends = np.array([low]), np.array([n])
    mondrian.propose(rows, *ends, drawn.asked, drawn.space, work, cuts, found)
    assert cuts[0, : found[0]].tolist() == wanted
    values = np.array([0, 1, 1, 2], np.int32)
    had = np.concatenate([[0], np.cumsum(drawn.random.integers(0, 2, n))])
    held = values[drawn.random.integers(0, 4, had[-1])]
    count = drawn.random.integers(1, 3, had[-1])
    for cut in wanted:
        children = [low + own for own in part.children(cut)]
        first = np.array([1, 1 + len(children)])
        size, cells = np.full(len(children) + 1, 7), np.full((len(children) + 1, 3), 7)
        own_cut = np.array([cut])
        mondrian.weigh(
            rows, *ends, own_cut, first, drawn.space, work, had, held, count, size, cells
        )
        assert size.tolist() == [0, *(drawn.weight[own].sum() for own in children)]
        for own, found_cells in zip(children, cells[1:], strict=True):
            tally = np.zeros(3, np.int64)
            for row in own:
                entries = slice(had[row], had[row + 1])
                np.add.at(tally, held[entries], count[entries])
            assert found_cells.tolist() == tally.tolist()
        moved, bounds = drawn.rows(), np.full((2, len(children) + 1), 7)
        mondrian.divide(moved, *ends, own_cut, drawn.space, work, first[:1], *bounds)
        made = [moved.member[a:b].tolist() for a, b in zip(*bounds[:, 1:], strict=True)]
        assert made == [own.tolist() for own in children]
        assert moved.rank.tolist() == drawn.rank[moved.member].tolist()
        assert moved.weight.tolist() == drawn.weight[moved.member].tolist()
    assert not work.values[[0, 5, 6, 7]].any()


def proposed(drawn: Drawn) -> list[list[Any]]:
    """All cuts of the whole table, the best first."""
    n = np.array([len(drawn.rank)])
    cuts, found = np.zeros((1, 8, 5), np.int64), np.zeros(1, np.int64)
    mondrian.propose(drawn.rows(), 0 * n, n, drawn.asked, drawn.space, room(), cuts, found)
    return cuts[0, : found[0]].tolist()


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_halves_of_records_that_are_nearly_all_equal(seed: int) -> None:
    """No value but one has as many as a part needs: all attributes can only be halved."""
    drawn = Drawn(seed)
    drawn.asked = drawn.asked._replace(least=3, strict=False)
    often, rare = drawn.random.permuted(np.array([[0, 1]] * 4), axis=1).T
    n = int(drawn.random.integers(7, 14))
    drawn.rank = np.where(np.arange(n)[:, None] < drawn.random.integers(1, 3, 4), rare, often)
    drawn.rank, drawn.weight = drawn.rank.astype(np.int32), np.ones(n, np.int64)
    wanted = drawn.part(np.arange(n)).cuts(more=False)
    assert {cut[1] for cut in wanted} == {HALVES}
    assert proposed(drawn) == wanted


@pytest.mark.parametrize("units", [[6, 2, 2, 2], [4, 2, 1, 1], [2, 2, 2, 2], [3, 1, 1, 1]])
def test_of_equally_cheap_sets_the_most_even_is_cut_off(units: list[int]) -> None:
    drawn = Drawn(0)
    drawn.asked = Criterion(1, BY_WIDTH, True, True)
    drawn.rank = np.zeros((4, 4), np.int32)
    drawn.rank[:, 2], drawn.weight = range(4), np.array(units)
    wanted = drawn.part(np.arange(4)).cuts(more=False)
    assert wanted[0][:2] == [2, TOP]
    assert proposed(drawn)[: len(wanted)] == wanted


@settings(max_examples=120)
@given(st.integers(0, 2**32 - 1))
def test_cutting_ends_where_a_child_would_be_too_small(seed: int) -> None:
    drawn = Drawn(seed)
    rows, starts = drawn.rows(), np.full(len(drawn.rank), 7)
    parts = mondrian.by_size(rows, drawn.asked, drawn.space, room(), starts)
    wanted, waiting = [], [np.arange(len(drawn.rank))]
    while waiting:
        own = waiting.pop()
        part = drawn.part(own)
        cuts = part.cuts(more=False)
        if cuts:
            waiting += [own[child] for child in reversed(part.children(cuts[0]))]
        else:
            wanted.append(own.tolist())
    ends = [*starts[:parts].tolist(), len(drawn.rank)]
    assert [rows.member[a:b].tolist() for a, b in itertools.pairwise(ends)] == wanted


@settings(max_examples=120)
@given(st.integers(0, 2**32 - 1))
def test_cuts_by_the_units_of_values_alone(seed: int) -> None:
    """The same cuts, where no more is known of a part, and of the children it could have."""
    drawn = Drawn(seed)
    drawn.asked = drawn.asked._replace(strict=True)  # equal records are one, and never parted
    part = drawn.part(np.arange(len(drawn.rank)))

    def units(rows: np.ndarray) -> np.ndarray:
        found = np.zeros(VALUES, np.int64)
        for j in range(4):
            np.add.at(found, START[j] + drawn.rank[rows, j], drawn.weight[rows])
        return found

    work, side = room(), np.full((8, VALUES), 7, np.int32)
    every = np.arange(len(drawn.rank))
    number = mondrian.offered(units(every), drawn.asked, drawn.space, work, side)
    wanted = part.cuts(more=True)
    tried = work.cuts[:number].copy()
    assert sorted(tried.tolist()) == sorted(wanted)
    children = [part.children(cut) for cut in tried.tolist()]
    for cut, own, to in zip(tried.tolist(), children, side, strict=False):
        for child, rows in enumerate(own):
            assert (to[START[cut[0]] + drawn.rank[rows, cut[0]]] == child).all()
    if not wanted:
        return
    first = np.cumsum([0, *map(len, children)])[:-1]
    here = np.array([units(rows) for own in children for rows in own])
    number = mondrian.ranked(units(every), drawn.asked, drawn.space, work, tried, first, here)
    assert work.cuts[:number].tolist() == wanted


def test_more_cuts_than_are_looked_at_in_one_pass() -> None:
    """Attributes of two numbers, by what the sides of their cuts cost in all of them."""
    m = 2 * AT_ONCE + 3
    rank = np.random.default_rng(5).integers(0, 2, (9, m)).astype(np.int32)
    rank[0], rank[1] = 0, 1
    at = np.array([[2 * j, 2, RANGE, 0, 0, 0] for j in range(m)])
    made = Space(at, np.ones((m, 3)), np.array([0.0, 1.0]), np.zeros(0, np.int32))

    def after(j: int) -> int:
        sides = [rank[rank[:, j] == value] for value in (0, 1)]
        return sum(len(side) * len(np.flatnonzero(np.ptp(side, axis=0))) for side in sides)

    wanted = sorted(range(m), key=after)
    work = Work(
        np.zeros((8, 2 * m), np.int64),
        np.zeros(m, np.int64),
        np.zeros((2 * m, 5), np.int64),
        np.zeros(2 * m),
    )
    weight, member = np.ones(9, np.int64), np.arange(9, dtype=np.int32)
    rows = Rows(rank.copy(), weight, member, rank.copy(), weight.copy(), member.copy())
    asked = Criterion(1, BY_BOTH, True, True)
    cuts, found = np.zeros((1, 2 * m, 5), np.int64), np.zeros(1, np.int64)
    mondrian.propose(rows, np.array([0]), np.array([9]), asked, made, work, cuts, found)
    assert cuts[0, : found[0], ATTRIBUTE].tolist() == wanted
    # And where no more is known than the units of values in the children.
    units = np.stack([(rank == value).sum(axis=0) for value in (0, 1)], axis=1).ravel()
    number = mondrian.offered(units, asked, made, work, np.zeros((2 * m, 2 * m), np.int32))
    tried = work.cuts[:number].copy()
    children = [rank[rank[:, cut[ATTRIBUTE]] == value] for cut in tried for value in (0, 1)]
    here = np.array([[(own == v).sum(axis=0) for v in (0, 1)] for own in children])
    here = here.transpose(0, 2, 1).reshape(len(children), 2 * m)
    first = 2 * np.arange(number)
    number = mondrian.ranked(units, asked, made, work, tried, first, here)
    assert work.cuts[:number, ATTRIBUTE].tolist() == wanted


@pytest.mark.parametrize("held", [1, 2, 5, 40, 200])
def test_values_are_put_into_order(held: int) -> None:
    """Of many values few are present: these are sorted, not looked for."""
    size = 9 * held
    rank = np.random.default_rng(held).permutation(size)[:held, None].astype(np.int32)
    at = np.array([[0, size, RANGE, 0, 0, 0]])
    made = Space(at, np.ones((1, 3)), np.arange(size) / size, np.zeros(0, np.int32))
    work = Work(
        np.zeros((8, size), np.int64),
        np.zeros(1, np.int64),
        np.zeros((2, 5), np.int64),
        np.zeros(2),
    )
    weight, member = np.ones(held, np.int64), np.arange(held, dtype=np.int32)
    rows = Rows(rank, weight, member, rank.copy(), weight.copy(), member.copy())
    starts = np.zeros(held, np.int64)
    parts = mondrian.by_size(rows, Criterion(1, BY_WIDTH, False, True), made, work, starts)
    assert parts == held
    assert rows.rank[:, 0].tolist() == sorted(rank[:, 0].tolist())
