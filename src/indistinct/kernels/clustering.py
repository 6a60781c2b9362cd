"""Clusters of records: which record costs a class least, which is furthest, which class is nearest.

A class costs, per attribute, what its published cell would cover: the length of a range, the
leaves under a node of the hierarchy, the size of a set. Before all records are held against a
class, what each *value* would make it cost is written into one table over all values of all
attributes; a record then takes one look-up per attribute. Values of all attributes are numbered in
one row ("places").
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from indistinct.kernels import NONE
from indistinct.kernels.jit import inner, jit
from indistinct.types import Bools, Floats, Ints, Ints32

RANGE, NODE, SET = range(3)
"""A cell from the smallest to the largest number, or one that is the lowest node of the hierarchy
above all values, or one that names every value."""


class Domains(NamedTuple):
    """What the values of each attribute are, and what covering them costs.

    Attribute j has the places ``start[j]`` to ``start[j + 1]``. ``kind`` [m] is one of the three
    above, ``full`` [m] the cost of a suppressed cell, ``step`` [m] that of one more value in a set.
    ``value`` [places] is the number that a value is, on a scale on which differences are costs; NaN
    for the missing one. ``starred`` [places] are values that are suppressed wherever they are.
    ``node`` [places] is the node of each value in a forest with ``parent``, ``depth`` and ``cost``.
    """

    start: Ints
    kind: Ints
    full: Floats
    step: Floats
    value: Floats
    starred: Bools
    node: Ints32
    parent: Ints32
    depth: Ints32
    cost: Floats


class Spans(NamedTuple):
    """What each of G classes covers: rows of the arrays are classes, columns attributes.

    ``low`` and ``high`` are the ends of a range, ``node`` the lowest node above all values (-1 in
    an empty class), ``missing`` and ``starred`` whether there are such values, ``held`` the size of
    a set.
    """

    low: Floats
    high: Floats
    node: Ints32
    missing: Bools
    starred: Bools
    held: Ints32


class Growing(NamedTuple):
    """A class while it grows: what it covers, the first row of ``spans``.

    ``held`` [places] are the values of its sets, and ``table`` [places] is what each value would
    make its cell cost.
    """

    spans: Spans
    held: Bools
    table: Floats


class Waiting(NamedTuple):
    """The n rows that are in no class yet; those that are left are moved to the front, in order.

    ``values`` [n, m] are the places of each row's values, ``rows`` [n] is which row of the table it
    is, ``units`` [n] and ``profile`` [n] are its own. Rows that are ``taken`` [n] are passed over.
    """

    values: Ints32
    rows: Ints32
    units: Ints
    profile: Ints32
    taken: Bools


class Points(NamedTuple):
    """The n rows that are in no group of MDAV yet, likewise.

    ``numbers`` [n, m] are the coordinates of each. ``found`` [n] becomes the squared distance of
    each from a point, infinite for rows that are taken, and ``middle`` [m] the average.
    """

    numbers: Floats
    rows: Ints32
    taken: Bools
    found: Floats
    middle: Floats


@jit
def _clear(spans: Spans, row: int) -> None:
    spans.low[row] = np.inf
    spans.high[row] = -np.inf
    spans.node[row] = NONE
    spans.missing[row] = False
    spans.starred[row] = False
    spans.held[row] = 0


@jit
def _meet(domains: Domains, one: int, other: int) -> int:
    """The lowest node above both."""
    while one != other:
        if domains.depth[one] >= domains.depth[other]:
            one = domains.parent[one]
        else:
            other = domains.parent[other]
    return one


@jit
def _cell_cost(domains: Domains, spans: Spans, row: int, j: int) -> float:
    """What attribute j costs a class."""
    kind = domains.kind[j]
    if kind == NODE:
        node = spans.node[row, j]
        return float(domains.cost[node]) if node >= 0 else 0.0
    if spans.starred[row, j]:
        return float(domains.full[j])
    if kind == SET:
        return float(max(spans.held[row, j] - 1, 0) * domains.step[j])
    if spans.low[row, j] > spans.high[row, j]:
        return 0.0
    found = float(spans.high[row, j] - spans.low[row, j])
    if spans.missing[row, j]:
        found += domains.step[j]
    return found


@jit
def _cover(domains: Domains, spans: Spans, row: int, held: Bools, j: int, at: int) -> bool:
    """Let a class cover one value of attribute j as well; returns whether its cell changed.

    ``held`` [places] are the values of a set so far.
    """
    kind = domains.kind[j]
    if kind == NODE:
        own = domains.node[at]
        before = spans.node[row, j]
        spans.node[row, j] = own if before < 0 else _meet(domains, before, own)
        return bool(before != spans.node[row, j])
    if kind == SET:
        changed = not held[at]
        if changed:
            held[at] = True
            spans.held[row, j] += 1
            if domains.starred[at]:
                spans.starred[row, j] = True
        return changed
    if domains.starred[at]:
        changed = not spans.starred[row, j]
        spans.starred[row, j] = True
        return changed
    number = domains.value[at]
    if np.isnan(number):
        changed = not spans.missing[row, j]
        spans.missing[row, j] = True
        return changed
    changed = False
    if number < spans.low[row, j]:
        spans.low[row, j] = number
        changed = True
    if number > spans.high[row, j]:
        spans.high[row, j] = number
        changed = True
    return changed


@jit
def _write(domains: Domains, spans: Spans, row: int, held: Bools, j: int, table: Floats) -> None:
    """What every value of attribute j would make the class's cell cost."""
    kind = domains.kind[j]
    first, last = domains.start[j], domains.start[j + 1]
    if kind == NODE:
        own = spans.node[row, j]
        for at in range(first, last):
            table[at] = domains.cost[_meet(domains, own, domains.node[at])]
        return
    if spans.starred[row, j]:
        table[first:last] = domains.full[j]
        return
    if kind == SET:
        count = spans.held[row, j]
        for at in range(first, last):
            if domains.starred[at]:
                table[at] = domains.full[j]
            else:
                table[at] = (count - held[at]) * domains.step[j]
        return
    low, high = spans.low[row, j], spans.high[row, j]
    some = low <= high
    extra = domains.step[j] if spans.missing[row, j] else 0.0
    for at in range(first, last):
        number = domains.value[at]
        if domains.starred[at]:
            table[at] = domains.full[j]
        elif np.isnan(number):
            table[at] = high - low + domains.step[j] if some else 0.0
        elif some:
            table[at] = max(high, number) - min(low, number) + extra
        else:
            table[at] = domains.step[j]  # the class has missing ones alone


@jit
def start_class(domains: Domains, growing: Growing, values: Ints32) -> None:
    """Begin a class with one record.

    Arguments:
        domains: what values of each attribute are and cost.
        growing: the class; begun anew.
        values: the places of the record's values, [m].
    """
    spans, held, table = growing
    _clear(spans, 0)
    for j in range(len(values)):
        if domains.kind[j] == SET:
            held[domains.start[j] : domains.start[j + 1]] = False
        _cover(domains, spans, 0, held, j, values[j])
        _write(domains, spans, 0, held, j, table)


@jit
def extend_class(domains: Domains, growing: Growing, values: Ints32) -> None:
    """Add one record to a class.

    Arguments:
        domains: what values of each attribute are and cost.
        growing: the class; changed.
        values: the places of the record's values, [m].
    """
    spans, held, table = growing
    for j in range(len(values)):
        if _cover(domains, spans, 0, held, j, values[j]):
            _write(domains, spans, 0, held, j, table)


@jit
def class_cost(domains: Domains, spans: Spans, row: int) -> float:
    """What the cells of a class cost, all attributes together.

    Arguments:
        domains: what values of each attribute are and cost.
        spans: what classes cover.
        row: the class.
    """
    total = 0.0
    for j in range(len(domains.kind)):
        total += _cell_cost(domains, spans, row, j)
    return total


@inner
def _cost(table: Floats, values: Ints32) -> float:
    """What a record would make a class cost."""
    cost = 0.0
    for j in range(len(values)):
        cost += table[values[j]]
    return cost


@jit
def nearest(waiting: Waiting, left: int, table: Floats, floor: float) -> int:
    """The first of the rows of least cost; -1 where all are taken.

    Arguments:
        waiting: the rows.
        left: how many there are, the first ones.
        table: what each value costs, [places].
        floor: what the class costs already: no row can cost less.
    """
    best, least = NONE, np.inf
    for row in range(left):
        if waiting.taken[row]:
            continue
        cost = _cost(table, waiting.values[row])
        if cost < least:
            best, least = row, cost
            if cost <= floor:
                break
    return best


@jit
def nearest_of_each(
    values: Ints32, taken: Bools, table: Floats, profile: Ints32, best: Ints, least: Floats
) -> None:
    """As :func:`nearest`, for each profile apart.

    Arguments:
        values: the places of every row's values, [n, m].
        taken: the rows that are passed over, [n].
        table: what each value costs, [places].
        profile: the profile of every row, [n].
        best: becomes the row of each profile, -1 where there is none, [profiles].
        least: becomes its cost, infinite where there is none, [profiles].
    """
    best[:] = NONE
    least[:] = np.inf
    for row in range(len(values)):
        if taken[row]:
            continue
        cost = _cost(table, values[row])
        kind = profile[row]
        if cost < least[kind]:
            best[kind] = row
            least[kind] = cost


@jit
def furthest(waiting: Waiting, left: int, table: Floats) -> int:
    """The first of the rows of most cost; -1 where all are taken.

    Arguments:
        waiting: the rows.
        left: how many there are, the first ones.
        table: what each value costs, [places].
    """
    best, most = NONE, -1.0
    for row in range(left):
        if waiting.taken[row]:
            continue
        cost = _cost(table, waiting.values[row])
        if cost > most:
            best, most = row, cost
    return best


@jit
def close_up(waiting: Waiting, left: int) -> int:
    """Move the rows that are not taken together, in order; returns how many there are.

    Arguments:
        waiting: the rows; moved, and none of those that are left is taken.
        left: how many there are, the first ones.
    """
    values, rows, units, profile, taken = waiting
    kept = 0
    for row in range(left):
        if not taken[row]:
            if kept != row:
                values[kept] = values[row]
                rows[kept] = rows[row]
                units[kept] = units[row]
                profile[kept] = profile[row]
            kept += 1
    taken[:kept] = False
    return kept


@jit
def grow_classes(
    domains: Domains,
    growing: Growing,
    waiting: Waiting,
    last: Ints32,
    left: int,
    free: int,
    least: int,
    first: int,
    most: int,
    class_of: Ints32,
) -> tuple[int, int, int]:
    """Up to ``most`` classes: each from the record furthest from the last one that was added.

    A class takes the record that costs it least until it has ``least`` units.

    Arguments:
        domains: what values of each attribute are and cost.
        growing: scratch.
        waiting: the rows, of which none is taken before and after.
        last: the places of the values of the record that was added last, [m]; changed.
        left: how many rows are in no class yet, the first ones.
        free: units of these.
        least: units a class has at least.
        first: the number of the first class that is made.
        most: how many classes are made at most.
        class_of: becomes the class of the rows that are in one, [rows of the table].

    Returns:
        Rows and units left, and the number of the next class.
    """
    values, rows, units, _, taken = waiting
    group = first
    while group < first + most and free >= least:
        start_class(domains, growing, last)
        row = furthest(waiting, left, growing.table)
        start_class(domains, growing, values[row])
        size = units[row]
        taken[row] = True
        class_of[rows[row]] = group
        last[:] = values[row]
        while size < least:
            row = nearest(waiting, left, growing.table, class_cost(domains, growing.spans, 0))
            extend_class(domains, growing, values[row])
            size += units[row]
            taken[row] = True
            class_of[rows[row]] = group
            last[:] = values[row]
        free -= size
        group += 1
    return close_up(waiting, left), free, group


@jit
def cover_members(
    domains: Domains, spans: Spans, row: int, held: Bools, values: Ints32, members: Ints32
) -> None:
    """What a class of these rows of ``values`` covers, from nothing.

    Arguments:
        domains: what values of each attribute are and cost.
        spans: what classes cover; one row is written.
        row: the class.
        held: becomes the values of the class's sets, [places].
        values: the places of every row's values, [n, m].
        members: the rows of the class.
    """
    _clear(spans, row)
    for j in range(values.shape[1]):
        if domains.kind[j] == SET:
            held[domains.start[j] : domains.start[j + 1]] = False
        for member in members:
            _cover(domains, spans, row, held, j, values[member, j])


@jit
def costs_together(
    domains: Domains,
    spans: Spans,
    row: int,
    held: Bools,
    values: Ints32,
    members: Ints32,
    start: Ints,
    order: Ints32,
    alive: Bools,
    found: Floats,
) -> None:
    """What the cells of one class merged with each other class would cost.

    Arguments:
        domains: what values of each attribute are and cost.
        spans: what classes cover, G of them.
        row: the class.
        held: scratch, [places].
        values: the places of every row's values, [n, m].
        members: the rows of the class itself.
        start: class g has the rows ``order[start[g]:start[g + 1]]``, needed for sets alone,
            [G + 1].
        order: rows by class.
        alive: the classes that there are, [G].
        found: becomes the costs, infinite for the class itself and those that are not alive, [G].
    """
    seen = np.full(len(held), NONE, dtype=np.int32)
    sets = False
    for j in range(values.shape[1]):
        if domains.kind[j] == SET:
            sets = True
            held[domains.start[j] : domains.start[j + 1]] = False
            for member in members:
                held[values[member, j]] = True
    for other in range(len(found)):
        if other == row or not alive[other]:
            found[other] = np.inf
            continue
        total = 0.0
        for j in range(values.shape[1]):
            kind = domains.kind[j]
            if kind == NODE:
                total += domains.cost[_meet(domains, spans.node[row, j], spans.node[other, j])]
            elif spans.starred[row, j] or spans.starred[other, j]:
                total += domains.full[j]
            elif kind == RANGE:
                low = min(spans.low[row, j], spans.low[other, j])
                high = max(spans.high[row, j], spans.high[other, j])
                if low <= high:
                    total += high - low
                    if spans.missing[row, j] or spans.missing[other, j]:
                        total += domains.step[j]
        if sets:
            for j in range(values.shape[1]):
                if domains.kind[j] != SET or spans.starred[row, j] or spans.starred[other, j]:
                    continue
                count = spans.held[row, j]
                for at in range(start[other], start[other + 1]):
                    place = values[order[at], j]
                    if not held[place] and seen[place] != other:
                        seen[place] = other
                        count += 1
                total += (count - 1) * domains.step[j]
        found[other] = total


@jit
def distances(points: Points, left: int, point: Floats) -> int:
    """Squared distance of every row from a point; returns the first of the furthest, or -1.

    Arguments:
        points: the rows; their ``found`` becomes the distances.
        left: how many there are, the first ones.
        point: the point's coordinates, [m].
    """
    numbers, _, taken, found, _ = points
    best, most = NONE, -1.0
    for row in range(left):
        if taken[row]:
            found[row] = np.inf
            continue
        total = 0.0
        for j in range(numbers.shape[1]):
            away = numbers[row, j] - point[j]
            total += away * away
        found[row] = total
        if total > most:
            best, most = row, total
    return best


@jit
def smallest(found: Floats, left: int, number: int, heap: Ints) -> int:
    """The rows of the ``number`` smallest distances; returns how many there are.

    Arguments:
        found: the distance of every row, [n]; those at infinite distance are passed over.
        left: how many rows there are, the first ones of ``found``.
        number: how many are wanted.
        heap: becomes the rows, nearest first, the first of equal ones first, [number].
    """
    held = 0
    for row in range(left):
        away = found[row]
        if away == np.inf or (held == number and away >= found[heap[held - 1]]):
            continue
        at = held if held < number else number - 1
        while at and found[heap[at - 1]] > away:
            heap[at] = heap[at - 1]
            at -= 1
        heap[at] = row
        if held < number:
            held += 1
    return held


@jit
def outermost(points: Points, left: int) -> int:
    """The row furthest from the average of all that are left, which ``middle`` becomes.

    Arguments:
        points: the rows.
        left: how many there are, the first ones.
    """
    numbers, _, taken, _, middle = points
    middle[:] = 0.0
    count = 0
    for row in range(left):
        if not taken[row]:
            count += 1
            for j in range(len(middle)):
                middle[j] += numbers[row, j]
    for j in range(len(middle)):
        middle[j] /= count
    return distances(points, left, middle)


@jit
def gather(
    points: Points, centre: int, left: int, heap: Ints, group: int, class_of: Ints32
) -> None:
    """Put a row that is not taken and the k - 1 nearest to it into one group.

    Arguments:
        points: the rows, of which those of the group become taken; ``found`` becomes the distances
            from the row, and -1 for itself.
        centre: the row.
        left: how many rows there are, the first ones.
        heap: becomes the rows of the group, nearest first, [k].
        group: the number of the group.
        class_of: becomes the group of these rows, [rows of the table].
    """
    distances(points, left, points.numbers[centre])
    points.found[centre] = -1.0
    for at in range(smallest(points.found, left, len(heap), heap)):
        points.taken[heap[at]] = True
        class_of[points.rows[heap[at]]] = group


@jit
def average_groups(
    points: Points, heap: Ints, left: int, first: int, most: int, class_of: Ints32
) -> tuple[int, int]:
    """Up to ``most`` groups of MDAV, two at a time, while 3 k records are left.

    Arguments:
        points: the rows, of which none is taken before and after.
        heap: scratch, [k].
        left: how many rows are in no group yet, the first ones.
        first: the number of the first group that is made.
        most: how many groups are made at most, an even number.
        class_of: becomes the group of the rows that are in one, [rows of the table].

    Returns:
        How many rows are left, and the number of the next group.
    """
    group = first
    while group < first + most and left >= 3 * len(heap):
        one = outermost(points, left)
        other = distances(points, left, points.numbers[one])
        gather(points, one, left, heap, group, class_of)
        if points.taken[other]:  # all records that were left are equal
            other = distances(points, left, points.numbers[one])
        gather(points, other, left, heap, group + 1, class_of)
        group += 2
        left = keep_apart(points, left)
    return left, group


@jit
def keep_apart(points: Points, left: int) -> int:
    """Move the rows that are not taken together, in order; returns how many there are.

    Arguments:
        points: the rows; moved, and none of those that are left is taken.
        left: how many there are, the first ones.
    """
    numbers, rows, taken, _, _ = points
    kept = 0
    for row in range(left):
        if not taken[row]:
            if kept != row:
                numbers[kept] = numbers[row]
                rows[kept] = rows[row]
            kept += 1
    taken[:kept] = False
    return kept


@jit
def nearest_by_profile(
    points: Points, left: int, profile: Ints32, best: Ints, least: Floats
) -> None:
    """The first of the nearest rows of each profile, and its distance.

    Arguments:
        points: the rows, with the distance of each.
        left: how many there are, the first ones.
        profile: the profile of every row, [n].
        best: becomes the row of each profile, -1 where there is none, [profiles].
        least: becomes its distance, infinite where there is none, [profiles].
    """
    best[:] = NONE
    least[:] = np.inf
    for row in range(left):
        if not points.taken[row] and points.found[row] < least[profile[row]]:
            best[profile[row]] = row
            least[profile[row]] = points.found[row]
