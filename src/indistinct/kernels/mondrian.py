"""Cutting a table into ever smaller parts, in place.

A *part* is a run of rows of a matrix of ranks; cutting it brings the rows of each child together.
Every attribute has its values in one order (numbers by size, others as in their hierarchy) and one
way of telling what a part costs in it, on a scale from 0 to 1: the width of its numbers, how many
values it has, or how much of the hierarchy lies under their lowest common ancestor.

Kinds of cuts: a run of the order against the rest (``RUN``, from a to b), the most frequent values
against the rest (``TOP``, a of them), the branches below the lowest common ancestor (``BRANCHES``,
at depth a: b of them), and half of the records against the other half, where equal ones may be
parted (``HALVES``: those below a, and b units of a itself).

What a kernel calls in its innermost loop takes few arrays: each one costs a dozen registers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from indistinct.kernels import NONE
from indistinct.kernels.jit import jit
from indistinct.kernels.ragged import grown
from indistinct.types import Floats, Ints, Ints32

RANGE, SET, TREE = 0, 1, 2
RUN, TOP, BRANCHES, HALVES = 0, 1, 2, 3
BY_WIDTH, BY_ENTROPY, BY_GAIN, BY_BOTH = 0, 1, 2, 3

START, SIZE, KIND, DEPTH, PATH, COST = 0, 1, 2, 3, 4, 5
WEIGHT, EACH, BITS = 0, 1, 2
COUNT, VALUE, UNITS, ORDER, SIDE, LEFT, RIGHT, GOES = 0, 1, 2, 3, 4, 5, 6, 7
ATTRIBUTE, HOW, A, B, INSIDE = 0, 1, 2, 3, 4

ROOM = 2
"""Places of bounds beyond the children of a part."""

RUNS = 64
"""Values in a part up to which every run of a hierarchy's order is tried against the rest."""

AT_ONCE = 62
"""Cuts that are looked at in one pass, a bit each."""


class Space(NamedTuple):
    """The attributes of a table, m of them. What goes by value lies attribute after attribute."""

    at: Ints
    """[m, 6]: where an attribute's values start, their number, how it costs, the depth of its
    hierarchy, where its paths start, and where its costs start (-1: none beside its nodes')."""
    unit: Floats
    """[m, 3]: what an attribute counts, what one more value costs, what its entropy is divided
    by."""
    cost: Floats
    """Where each number lies from 0 to 1; what a pair of values spans [D, D]; nodes' costs."""
    path: Ints32
    """The node at each depth above each value [depth, D], as its place in ``cost``; -1: none."""


class Work(NamedTuple):
    """What is known of one part at a time; attributes' values from where they start."""

    values: Ints
    """[8, V]: units of every value, 0 between calls; the values that are present, in order; their
    units; values in another order; which child each goes to; the cuts that have it on their left
    and on their right, and those that send it left, 0 between calls."""
    held: Ints
    """[m]: how many values are present."""
    cuts: Ints
    """[2 m, 5]: attribute, kind, a, b, and units of the first child."""
    score: Floats
    """[2 m]: how good each cut is."""


class Rows(NamedTuple):
    """The table that is permuted, and room for as many rows again."""

    rank: Ints32
    """[C, m]"""
    weight: Ints
    member: Ints32
    """Which combination each row is."""
    spare_rank: Ints32
    spare_weight: Ints
    spare_member: Ints32


class Criterion(NamedTuple):
    """How a cut is chosen: units every child has at least, and the criteria."""

    least: int
    dimension: int
    cheapest: bool
    strict: bool


@jit
def _cost(space: Space, j: int, low: int, high: int, held: int) -> float:
    """What a part costs in one attribute where it spans two values and has so many."""
    kind, first = space.at[j, KIND], space.at[j, COST]
    if kind == RANGE:
        return float(space.cost[first + high] - space.cost[first + low])
    values = float(space.unit[j, EACH]) * (held - 1)
    if kind == SET:
        return values
    size = space.at[j, SIZE]
    if first >= 0:
        return values + float(space.cost[first + low * size + high])
    at = space.at[j, PATH]
    if space.path[at + low] != space.path[at + high]:
        return values + 1.0
    for _ in range(1, space.at[j, DEPTH]):
        node = space.path[at + size + low]
        if node < 0 or node != space.path[at + size + high]:
            break
        at += size
    return values + float(space.cost[space.path[at + low]])


@jit
def spans(space: Space, j: int, found: Floats) -> None:
    """What the hierarchy of an attribute costs between any two of its values.

    Arguments:
        space: the attributes.
        j: the attribute, one whose costs are not in a table yet.
        found: becomes the costs, [D, D].
    """
    for low in range(space.at[j, SIZE]):
        for high in range(low, space.at[j, SIZE]):
            found[low, high] = found[high, low] = _cost(space, j, low, high, 1)


@jit
def _tally(
    rank: Ints32,
    weight: Ints,
    low: int,
    high: int,
    at: Ints,
    values: Ints,
    held: Ints,
    begin: int,
    end: int,
) -> int:
    """The values of some attributes in a part, in order, and how often; returns the part's units.

    A value is there even if its rows weigh nothing: a bit says so while units are counted.
    """
    count, value = values[COUNT], values[VALUE]
    total = 0
    for j in range(begin, end):
        held[j] = 0
    for row in range(low, high):
        units = int(weight[row])
        total += units
        for j in range(begin, end):
            first = at[j, START]
            own = np.int64(rank[row, j])
            if not count[first + own]:
                value[first + held[j]] = own
                held[j] += 1
                count[first + own] = 1
            count[first + own] += 2 * units
    for j in range(begin, end):
        first, size, found = at[j, START], at[j, SIZE], held[j]
        if found * 8 > size:
            to = first
            for leaf in range(size):
                if count[first + leaf]:
                    value[to] = leaf
                    to += 1
        else:
            value[first : first + found].sort()
        for place in range(first, first + found):
            own = first + value[place]
            values[UNITS, place] = count[own] >> 1
            count[own] = 0
    return total


@jit
def _by_frequency(values: Ints, first: int, held: int) -> None:
    """Places of the present values in ORDER, the most frequent first, equal ones by rank."""
    for at in range(held):
        own = values[UNITS, first + at]
        to = first + at - 1
        while to >= first and values[UNITS, first + values[ORDER, to]] < own:
            values[ORDER, to + 1] = values[ORDER, to]
            to -= 1
        values[ORDER, to + 1] = at


@jit
def _run_cost(
    space: Space, value: Ints, held: int, j: int, a: int, b: int, inside: int, total: int
) -> float:
    """Units times cost of the a-th to b-th value that is present, and of the others.

    The last value is one of the others.
    """
    first = space.at[j, START]
    low = value[first] if a > 0 else value[first + b + 1]
    high = value[first + held - 1]
    one = _cost(space, j, value[first + a], value[first + b], b - a + 1)
    return inside * one + (total - inside) * _cost(space, j, low, high, held - b + a - 1)


@jit
def _at_median(
    space: Space, values: Ints, held: int, j: int, total: int, least: int, cut: Ints
) -> float:
    """The cut of the order that halves the units as evenly as allowed.

    Returns units times cost of both sides, -1 where no cut leaves enough on both.
    """
    first = space.at[j, START]
    left, best, even = 0, NONE, total
    for at in range(held - 1):
        left += values[UNITS, first + at]
        if left < least:
            continue
        if total - left < least:
            break
        uneven = abs(2 * left - total)
        if uneven < even:
            best, even = at, uneven
            cut[INSIDE] = left
    if best < 0:
        return -1.0
    cut[ATTRIBUTE], cut[HOW], cut[A], cut[B] = j, RUN, 0, values[VALUE, first + best]
    return _run_cost(space, values[VALUE], held, j, 0, best, cut[INSIDE], total)


@jit
def _cheapest(
    space: Space, values: Ints, held: int, j: int, total: int, least: int, cut: Ints
) -> float:
    """The cut in two whose sides cost least in this attribute; among equal ones the most even.

    Returns units times cost, -1 where no cut leaves enough on both sides.
    """
    first, kind = space.at[j, START], space.at[j, KIND]
    units, value, order = values[UNITS], values[VALUE], values[ORDER]
    found, even = -1.0, 0
    cut[ATTRIBUTE] = j
    if kind == SET and held <= RUNS:
        _by_frequency(values, first, held)
        each = space.unit[j, EACH]
        left = 0
        for at in range(held - 1):
            left += units[first + order[first + at]]
            if left < least:
                continue
            if total - left < least:
                break
            cost = each * (left * float(at) + (total - left) * float(held - 2 - at))
            uneven = abs(2 * left - total)
            if found < 0.0 or cost < found - 1e-9 or (cost <= found + 1e-9 and uneven < even):
                found, even = cost, uneven
                cut[HOW], cut[A], cut[B], cut[INSIDE] = TOP, at + 1, 0, left
        return found
    for a in range(held - 1 if kind == TREE and held <= RUNS else 1):
        inside = 0
        for b in range(a, held - 1):
            inside += units[first + b]
            if inside < least:
                continue
            if total - inside < least:
                break
            cost = _run_cost(space, value, held, j, a, b, inside, total)
            uneven = abs(2 * inside - total)
            if found < 0.0 or cost < found - 1e-9 or (cost <= found + 1e-9 and uneven < even):
                found, even = cost, uneven
                cut[HOW], cut[INSIDE] = RUN, inside
                cut[A] = value[first + a] if a > 0 else 0
                cut[B] = value[first + b]
    return found


@jit
def _branches(space: Space, values: Ints, held: int, j: int, least: int, cut: Ints) -> float:
    """The cut into the branches below the lowest common ancestor.

    Returns units times cost, -1 where a branch has not enough or there are none: values that are
    suppressed on every level are all one node.
    """
    first, size, path = space.at[j, START], space.at[j, SIZE], space.path
    value = values[VALUE]
    low, high = value[first], value[first + held - 1]
    at = space.at[j, PATH]
    for depth in range(space.at[j, DEPTH]):  # noqa: B007, the cut has it
        if path[at + low] != path[at + high]:
            break
        at += size
    else:
        return -1.0
    cost, begin, units, children = 0.0, 0, 0, 0
    for place in range(held + 1):
        if place == held or (
            place > 0 and path[at + value[first + place]] != path[at + value[first + place - 1]]
        ):
            if units < least:
                return -1.0
            if begin == 0:
                cut[INSIDE] = units
            here, last = value[first + begin], value[first + place - 1]
            cost += units * _cost(space, j, here, last, place - begin)
            begin, units, children = place, 0, children + 1
        if place < held:
            units += values[UNITS, first + place]
    cut[ATTRIBUTE], cut[HOW], cut[A], cut[B] = j, BRANCHES, depth, children
    return cost


@jit
def _halves(
    space: Space, values: Ints, held: int, j: int, total: int, least: int, cut: Ints
) -> float:
    """Half of the units against the others, in order; returns units times cost, -1 if too few."""
    first, value = space.at[j, START], values[VALUE]
    half = total // 2
    if half < least:
        return -1.0
    left, at = 0, 0
    while at < held - 1 and left + values[UNITS, first + at] <= half:
        left += values[UNITS, first + at]
        at += 1
    cut[ATTRIBUTE], cut[HOW], cut[A], cut[B] = j, HALVES, value[first + at], half - left
    cut[INSIDE] = half
    last = at if half > left else max(at - 1, 0)
    one = _cost(space, j, value[first], value[first + last], last + 1)
    other = _cost(space, j, value[first + at], value[first + held - 1], held - at)
    return half * one + (total - half) * other


@jit
def _entropy(values: Ints, first: int, held: int, total: int) -> float:
    found = 0.0
    for at in range(first, first + held):
        if values[UNITS, at]:
            share = values[UNITS, at] / total
            found -= share * np.log2(share)
    return found


@jit
def _sides(path: Ints32, at: Ints, values: Ints, held: int, cut: Ints) -> int:
    """Which child each present value goes to, into SIDE; returns the number of children.

    ``at`` and ``held`` are those of the cut's attribute, whose values must have been counted.
    """
    first, how = at[START], cut[HOW]
    if how == RUN:
        for place in range(first, first + held):
            own = values[VALUE, place]
            values[SIDE, first + own] = 0 if cut[A] <= own <= cut[B] else 1
        return 2
    if how == TOP:
        _by_frequency(values, first, held)
        for place in range(held):
            own = values[VALUE, first + values[ORDER, first + place]]
            values[SIDE, first + own] = 0 if place < cut[A] else 1
        return 2
    level = at[PATH] + cut[A] * at[SIZE]
    child = NONE
    before = np.int32(-2)
    for place in range(first, first + held):
        own = values[VALUE, place]
        if path[level + own] != before:
            child += 1
            before = path[level + own]
        values[SIDE, first + own] = child
    return child + 1


@jit
def _look_ahead(
    rows: Rows, low: int, high: int, total: int, cuts: int, space: Space, work: Work
) -> None:
    """Score cuts in two by units times cost of both sides over all attributes, the least best.

    One pass over the rows: a row's bits are the cuts that send it left, a value's those of its
    rows.
    """
    rank, at, values = rows.rank, space.at, work.values
    attributes = rank.shape[1]
    value, left, right, goes = values[VALUE], values[LEFT], values[RIGHT], values[GOES]
    side = values[SIDE]
    for begin in range(0, cuts, AT_ONCE):
        end = min(cuts, begin + AT_ONCE)
        every = (np.int64(1) << (end - begin)) - 1
        for which in range(begin, end):
            cut = work.cuts[which]
            j = cut[ATTRIBUTE]
            first = at[j, START]
            _sides(space.path, at[j], values, work.held[j], cut)
            bit = np.int64(1) << (which - begin)
            for place in range(first, first + work.held[j]):
                own = first + value[place]
                if side[own] == 0:
                    goes[own] |= bit
        for row in range(low, high):
            bits = np.int64(0)
            for j in range(attributes):
                bits |= goes[at[j, START] + rank[row, j]]
            for j in range(attributes):
                own = at[j, START] + rank[row, j]
                left[own] |= bits
                right[own] |= ~bits & every
        _score(begin, end, total, space, work)


@jit
def _score(begin: int, end: int, total: int, space: Space, work: Work) -> None:
    """Score some cuts by what their sides cost, whose values are marked by a bit for each cut.

    The marks are taken away.
    """
    at, values = space.at, work.values
    value, left, right, goes = values[VALUE], values[LEFT], values[RIGHT], values[GOES]
    for which in range(begin, end):
        work.score[which] = 0.0
    for j in range(len(work.held)):
        first = at[j, START]
        last = first + work.held[j]
        for which in range(begin, end):
            bit = np.int64(1) << (which - begin)
            low_a, high_a, held_a, low_b, high_b, held_b = 0, 0, 0, 0, 0, 0
            for place in range(first, last):
                own = value[place]
                if left[first + own] & bit:
                    if not held_a:
                        low_a = own
                    high_a = own
                    held_a += 1
                if right[first + own] & bit:
                    if not held_b:
                        low_b = own
                    high_b = own
                    held_b += 1
            inside = work.cuts[which, INSIDE]
            one = _cost(space, j, low_a, high_a, held_a)
            other = _cost(space, j, low_b, high_b, held_b)
            work.score[which] -= space.unit[j, WEIGHT] * (inside * one + (total - inside) * other)
        for place in range(first, last):
            own = first + value[place]
            left[own] = 0
            right[own] = 0
            goes[own] = 0


@jit
def _offer(
    j: int, total: int, criterion: Criterion, parting: bool, place: int, space: Space, work: Work
) -> int:
    """The cut of one attribute and its score, at this place of the part's cuts; 0 if none."""
    values, held, least = work.values, work.held[j], criterion.least
    first, kind = space.at[j, START], space.at[j, KIND]
    cut = work.cuts[place]
    after = -1.0
    if parting:
        after = _halves(space, values, held, j, total, least, cut)
    elif criterion.cheapest:
        after = _cheapest(space, values, held, j, total, least, cut)
    else:
        if kind != RANGE:
            after = _branches(space, values, held, j, least, cut)
        if after < 0.0:
            after = _at_median(space, values, held, j, total, least, cut)
    if after < 0.0:
        return 0
    if criterion.dimension == BY_ENTROPY:
        score = _entropy(values, first, held, total) / space.unit[j, BITS]
    else:
        score = _cost(space, j, values[VALUE, first], values[VALUE, first + held - 1], held)
        if criterion.dimension != BY_WIDTH:
            score = total * score - after
        elif kind == TREE:
            score -= space.unit[j, EACH] * (held - 1)
    work.score[place] = space.unit[j, WEIGHT] * score
    return 1


@jit
def _cuts(
    rows: Rows, low: int, high: int, criterion: Criterion, more: bool, space: Space, work: Work
) -> int:
    """The cuts of a part, the best first; returns how many there are.

    One for each attribute where there is one, in the order of the criterion; with ``more``, behind
    them another for each. Records that are equal are parted only where no cut leaves them together.
    """
    attributes = rows.rank.shape[1]
    total = _tally(
        rows.rank, rows.weight, low, high, space.at, work.values, work.held, 0, attributes
    )
    if total < 2 * criterion.least:
        return 0
    found, parting = _offers(total, criterion, space, work)
    if criterion.dimension == BY_BOTH and found > 1 and not parting:
        _look_ahead(rows, low, high, total, found, space, work)
    return _ordered(found, parting, total, criterion, more, space, work)


@jit
def _offers(total: int, criterion: Criterion, space: Space, work: Work) -> tuple[int, bool]:
    """A cut of each attribute where there is one; how many there are, and whether equal records are
    parted by them.
    """
    held, found = work.held, 0
    for j in range(len(held)):
        if held[j] > 1:
            found += _offer(j, total, criterion, False, found, space, work)
    if found or criterion.strict:
        return found, False
    for j in range(len(held)):
        if held[j] > 1:
            found += _offer(j, total, criterion, True, found, space, work)
    return found, True


@jit
def _ordered(
    found: int,
    parting: bool,
    total: int,
    criterion: Criterion,
    more: bool,
    space: Space,
    work: Work,
) -> int:
    """Put cuts in the order of their scores, further ones behind them; how many there are."""
    held = work.held
    for place in range(1, found):
        to = place
        while to and work.score[to - 1] < work.score[to]:
            work.score[to - 1], work.score[to] = work.score[to], work.score[to - 1]
            for part in range(5):
                other = work.cuts[to - 1, part]
                work.cuts[to - 1, part] = work.cuts[to, part]
                work.cuts[to, part] = other
            to -= 1
    if not more or parting:
        return found
    if not criterion.strict:
        for j in range(len(held)):
            if held[j] > 1:
                found += _offer(j, total, criterion, True, found, space, work)
        return found
    for place in range(found):
        own, cut = work.cuts[place], work.cuts[found]
        j = own[ATTRIBUTE]
        after = _at_median(space, work.values, held[j], j, total, criterion.least, cut)
        same = own[HOW] == cut[HOW] and own[A] == cut[A] and own[B] == cut[B]
        if after >= 0.0 and not same:
            found += 1
    return found


@jit
def _taken_in(units: Ints, space: Space, work: Work) -> int:
    """Take the units of every value of a part, [V], for what is counted; returns the part's."""
    total = 0
    for j in range(len(work.held)):
        first = space.at[j, START]
        to, total = first, 0
        for own in range(space.at[j, SIZE]):
            if units[first + own]:
                work.values[VALUE, to] = own
                work.values[UNITS, to] = units[first + own]
                total += units[first + own]
                to += 1
        work.held[j] = to - first
    return total


@jit
def offered(units: Ints, criterion: Criterion, space: Space, work: Work, side: Ints32) -> int:
    """All cuts of a part of which the units of every value are known; returns how many there are.

    Arguments:
        units: the units of every value of the part, [V].
        criterion: how cuts are chosen.
        space: the attributes.
        work: its ``cuts`` become those of the part, in no order that means something.
        side: becomes the child to which each value goes by each cut, [2 m, V].
    """
    total = _taken_in(units, space, work)
    if total < 2 * criterion.least:
        return 0
    found, parting = _offers(total, criterion, space, work)
    found = _ordered(found, parting, total, criterion, True, space, work)
    for which in range(found):
        j = work.cuts[which, ATTRIBUTE]
        first = space.at[j, START]
        _sides(space.path, space.at[j], work.values, work.held[j], work.cuts[which])
        for place in range(first, first + work.held[j]):
            own = first + work.values[VALUE, place]
            side[which, own] = work.values[SIDE, own]
    return found


@jit
def ranked(
    units: Ints,
    criterion: Criterion,
    space: Space,
    work: Work,
    tried: Ints,
    first: Ints,
    here: Ints,
) -> int:
    """The same cuts, the best first.

    Arguments:
        units: the units of every value of the part, [V].
        criterion: how cuts are chosen.
        space: the attributes.
        work: its ``cuts`` become those of the part.
        tried: all cuts of the part, [t, 5].
        first: where the children of each begin, [t].
        here: the units of every value in each child, [children, V].
    """
    total = _taken_in(units, space, work)
    found, parting = _offers(total, criterion, space, work)
    if criterion.dimension == BY_BOTH and found > 1:
        left, right = work.values[LEFT], work.values[RIGHT]
        for begin in range(0, found, AT_ONCE):
            end = min(found, begin + AT_ONCE)
            for which in range(begin, end):
                bit = np.int64(1) << (which - begin)
                child = first[_which(work.cuts[which], tried)]
                for own in range(len(units)):
                    if here[child, own]:
                        left[own] |= bit
                    if here[child + 1, own]:
                        right[own] |= bit
            _score(begin, end, total, space, work)
    return _ordered(found, parting, total, criterion, True, space, work)


@jit
def _which(cut: Ints, tried: Ints) -> int:
    """The place of a cut among those that were tried."""
    place = 0
    while (tried[place] != cut).any():
        place += 1
    return place


@jit
def _divide(
    rows: Rows, low: int, high: int, space: Space, work: Work, cut: Ints, bounds: Ints
) -> int:
    """Bring the rows of each child of a cut together, in their order; returns how many there are.

    ``bounds`` becomes where each child starts, and the end. The values of the cut's attribute must
    have been counted, unless it is a run or halves.
    """
    rank, weight, member = rows.rank, rows.weight, rows.member
    attributes = rank.shape[1]
    j, how, a, b = cut[ATTRIBUTE], cut[HOW], cut[A], cut[B]
    first = space.at[j, START]
    side = work.values[SIDE]
    children = 2
    if how in (TOP, BRANCHES):
        children = _sides(space.path, space.at[j], work.values, work.held[j], cut)
    if children == 2:
        to, beside, taken = low, 0, 0
        for row in range(low, high):
            own = np.int64(rank[row, j])
            if how == RUN:
                stays = a <= own <= b
            elif how == HALVES:
                stays = own < a
                if own == a and taken < b:
                    taken += weight[row]
                    stays = True
            else:
                stays = side[first + own] == 0
            if stays:
                if to != row:
                    for q in range(attributes):
                        rank[to, q] = rank[row, q]
                    weight[to] = weight[row]
                    member[to] = member[row]
                to += 1
            else:
                for q in range(attributes):
                    rows.spare_rank[beside, q] = rank[row, q]
                rows.spare_weight[beside] = weight[row]
                rows.spare_member[beside] = member[row]
                beside += 1
        bounds[0], bounds[1], bounds[2] = low, to, high
        for row in range(beside):
            for q in range(attributes):
                rank[to + row, q] = rows.spare_rank[row, q]
            weight[to + row] = rows.spare_weight[row]
            member[to + row] = rows.spare_member[row]
        return 2
    for child in range(children + 1):
        bounds[child] = 0
    for row in range(low, high):
        bounds[side[first + rank[row, j]] + 1] += 1
    for child in range(children):
        bounds[child + 1] += bounds[child]
    for row in range(low, high):
        child = side[first + rank[row, j]]
        place = bounds[child]
        bounds[child] += 1
        for q in range(attributes):
            rows.spare_rank[place, q] = rank[row, q]
        rows.spare_weight[place] = weight[row]
        rows.spare_member[place] = member[row]
    for row in range(high - low):
        for q in range(attributes):
            rank[low + row, q] = rows.spare_rank[row, q]
        weight[low + row] = rows.spare_weight[row]
        member[low + row] = rows.spare_member[row]
    bounds[1 : children + 1] = bounds[:children] + low
    bounds[0] = low
    return children


@jit
def by_size(rows: Rows, criterion: Criterion, space: Space, work: Work, starts: Ints) -> int:
    """Cut as long as every child has enough units; returns the number of parts.

    The best cut of a part is always taken.

    Arguments:
        rows: the table; moved, so that a part is a run.
        criterion: how cuts are chosen.
        space: the attributes.
        work: scratch.
        starts: becomes where each part begins; room for all parts.
    """
    bounds = np.empty(max(2, space.at[:, SIZE].max()) + ROOM, np.int64)
    stack = np.array([[0, len(rows.rank)]])
    waiting, parts = 1, 0
    while waiting:
        waiting -= 1
        low, high = stack[waiting, 0], stack[waiting, 1]
        if _cuts(rows, low, high, criterion, False, space, work) == 0:
            starts[parts] = low
            parts += 1
            continue
        children = _divide(rows, low, high, space, work, work.cuts[0], bounds)
        stack = grown(stack, waiting + children)
        for child in range(children - 1, -1, -1):
            stack[waiting, 0], stack[waiting, 1] = bounds[child], bounds[child + 1]
            waiting += 1
    return parts


@jit
def propose(
    rows: Rows,
    low: Ints,
    high: Ints,
    criterion: Criterion,
    space: Space,
    work: Work,
    cuts: Ints,
    found: Ints,
) -> None:
    """All cuts of several parts, the best first.

    Arguments:
        rows: the table.
        low: where each part begins, [parts].
        high: where each part ends, [parts].
        criterion: how cuts are chosen.
        space: the attributes.
        work: scratch.
        cuts: becomes the cuts of each part, [parts, 2 m, 5].
        found: becomes how many each has, [parts].
    """
    for part in range(len(low)):
        found[part] = _cuts(rows, low[part], high[part], criterion, True, space, work)
        for place in range(found[part]):
            for what in range(5):
                cuts[part, place, what] = work.cuts[place, what]


@jit
def weigh(
    rows: Rows,
    low: Ints,
    high: Ints,
    cuts: Ints,
    first: Ints,
    space: Space,
    work: Work,
    indptr: Ints,
    value: Ints32,
    count: Ints,
    size: Ints,
    cells: Ints,
) -> None:
    """Units of every child of each cut, and how often each sensitive value occurs in it.

    Arguments:
        rows: the table.
        low: where the part of each cut begins, [t].
        high: where the part of each cut ends, [t].
        cuts: the cuts, [t, 5].
        first: the number of each cut's first child, [t].
        space: the attributes.
        work: scratch.
        indptr: combination c has ``value[indptr[c]:indptr[c + 1]]``; empty where units alone are
            counted.
        value: sensitive values.
        count: how often the combination has each, by entries of ``value``.
        size: becomes the units of each child, [children].
        cells: becomes how often each value occurs, [children, D].
    """
    rank, weight, member = rows.rank, rows.weight, rows.member
    side = work.values[SIDE]
    size[:] = 0
    cells[:] = 0
    counts = len(indptr) > 1
    for which in range(len(low)):
        cut = cuts[which]
        j, how, a, b = cut[ATTRIBUTE], cut[HOW], cut[A], cut[B]
        start = space.at[j, START]
        if how in (TOP, BRANCHES):
            _tally(
                rank, weight, low[which], high[which], space.at, work.values, work.held, j, j + 1
            )
            _sides(space.path, space.at[j], work.values, work.held[j], cut)
        taken = 0
        for row in range(low[which], high[which]):
            own = np.int64(rank[row, j])
            if how == RUN:
                child = 0 if a <= own <= b else 1
            elif how == HALVES:
                child = 0 if own < a else 1
                if own == a and taken < b:
                    taken += weight[row]
                    child = 0
            else:
                child = side[start + own]
            to = first[which] + child
            size[to] += weight[row]
            if counts:
                for at in range(indptr[member[row]], indptr[member[row] + 1]):
                    cells[to, value[at]] += count[at]


@jit
def divide(
    rows: Rows,
    low: Ints,
    high: Ints,
    cuts: Ints,
    space: Space,
    work: Work,
    first: Ints,
    child_low: Ints,
    child_high: Ints,
) -> None:
    """Carry out one cut of each part.

    Arguments:
        rows: the table; moved, so that a child is a run.
        low: where each part begins, [parts].
        high: where each part ends, [parts].
        cuts: the cut of each part, [parts, 5].
        space: the attributes.
        work: scratch.
        first: the number of each part's first child, [parts].
        child_low: becomes where each child begins, [children].
        child_high: becomes where each child ends, [children].
    """
    bounds = np.empty(max(2, space.at[:, SIZE].max()) + ROOM, np.int64)
    for part in range(len(low)):
        cut = cuts[part]
        j = cut[ATTRIBUTE]
        if cut[HOW] in (TOP, BRANCHES):
            _tally(
                rows.rank, rows.weight, low[part], high[part], space.at, work.values, work.held,
                j, j + 1,
            )  # fmt: skip
        children = _divide(rows, low[part], high[part], space, work, cut, bounds)
        for child in range(children):
            child_low[first[part] + child] = bounds[child]
            child_high[first[part] + child] = bounds[child + 1]
