"""Exchanging records between classes until their rank variance suffices (Khan and others 2020).

What is done and why says :mod:`indistinct.recoding.exchange.procedure`.
Classes are slices of an array of records; an exchange of two records is a swap of two slots. Beside
it every class has its count of each sensitive value, and two sets of values it could give away: for
a record with a value that is new to it, and for one it holds already. Blocks of 64 classes have the
union of their sets, so that a search for a donor passes over whole blocks that cannot help.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels import NONE
from indistinct.kernels.jit import inner, jit
from indistinct.types import Bools, Floats, Ints, Ints32

BLOCK = 64
"""Classes per block of the index of donors."""

MANY = 64
"""A class with more values than this counts as able to give any of them, until it is asked."""

TOLERANCE = 1e-12
"""As in :mod:`indistinct.privacy.rank_variance`, which imports no compiled code."""

DONE, PAUSED, FULL, ASK = range(4)
"""What :func:`run` ended with: all classes are settled, the class to stop at is reached, the log is
full, or a move is to be asked for."""

UNASKED, REFUSE, ACCEPT = range(3)
"""Answers to a question."""

SWAP, CROSS, NOISE = range(3)
"""Kinds of move."""

NO_REPEAT, LAST, NO_DONOR, GUARD, REFUSED = range(5)
NO_VALUE, NOT_ALLOWED = range(2)

CLASS, STAGE, ATTRIBUTE, FEWER, DONOR, LOGGED, OUT, INTO = range(8)
TURNED, TURNED_ANY, BARRED, CANDIDATE, STARTED, WHY, FAILURES, CROSSED, CROSSING = range(8, 17)
CURSOR = 17
"""Places in the cursor, where :func:`run` keeps what it was about to do."""

LARGEST = 2147483647

ENTRY = 8
"""Whole numbers per move before the values of noise: kind, attribute, class, partner, the record
given and the one taken, why, the value taken."""


class Facts(NamedTuple):
    """What does not change.

    ``code`` [A, n] are the records' sensitive values; attribute a has the columns ``column[a]`` to
    ``column[a + 1]`` of every array over values. ``limits`` [A, 3] are theta, or mu / 12 where the
    second is 1 and theta goes by size, and the bound on the largest share. ``taste`` [2, values] is
    the order in which noise takes values, and their categories. ``profile`` [n] numbers the
    combinations of sensitive values. ``start`` [G + 1] are the slots of each class.

    The others tell how wide a class is, as :class:`indistinct.recoding.exchange.widths.Widths` has
    them; ``shape`` [m, 3] are levels, size of the domain and base of each attribute.
    """

    code: Ints
    column: Ints
    limits: Floats
    taste: Ints
    profile: Ints
    start: Ints
    key: Ints
    shape: Ints
    node: Ints32
    width: Floats
    weight: Floats


class State(NamedTuple):
    """What changes.

    The slots, the counts [G, values], the sets of values [A, 3, G, words] that each class holds,
    could give for a new one and for one it holds, whether it has variance enough to give [A, G],
    the sets of whole blocks, the cursor, exchanges that were refused, the log, and scratch.
    """

    slots: Ints
    counts: Ints
    sets: NDArray[np.uint64]
    able: Bools
    blocks: NDArray[np.uint64]
    cursor: Ints
    barred: Ints
    log: Ints
    figures: Floats
    failures: Ints
    falling: Ints
    known: NDArray[np.int8]
    ends: Ints
    filling: Ints


@inner
def _measure(own: Ints, out: int, into: int, falling: Ints) -> tuple[float, int, int]:
    """Rank variance, largest count and size of a class after a change of its counts.

    ``out`` and ``into`` are the values that lose and win a record, D for none.
    """
    found = 0
    size = 0
    for at in range(len(own)):
        count = own[at]
        if at == out:
            count -= 1
        if at == into:
            count += 1
        if count:
            size += count
            place = found
            while place and falling[place - 1] < count:
                falling[place] = falling[place - 1]
                place -= 1
            falling[place] = count
            found += 1
    if not found:
        return 0.0, 0, 0
    linear = 0
    square = 0
    for at in range(found):
        linear += falling[at] * (at + 1)
        square += falling[at] * (at + 1) * (at + 1)
    spread = size * square - linear * linear
    return spread / (float(size) * float(size)), falling[0], size


@inner
def _now(own: Ints, falling: Ints) -> tuple[float, int, int]:
    """Rank variance, largest count and size of a class as it is."""
    return _measure(own, len(own), len(own), falling)


@inner
def _least(limits: Floats, size: int) -> float:
    """The threshold of a class of that size."""
    least: float = limits[0]
    if limits[1] > 0.0:
        least *= float(size) * float(size) - 1.0
    return least


@inner
def _poor(limits: Floats, seen: tuple[float, int, int]) -> bool:
    """Whether a class falls short of the threshold."""
    return seen[0] < _least(limits, seen[2]) * (1.0 - TOLERANCE)


@inner
def _short(limits: Floats, seen: tuple[float, int, int]) -> bool:
    """Whether a class breaks its target."""
    large: bool = seen[1] > limits[2] * seen[2] * (1.0 + TOLERANCE)
    return large or _poor(limits, seen)


@inner
def _kept(limits: Floats, before: tuple[float, int, int], after: tuple[float, int, int]) -> bool:
    """Whether a change breaks nothing that held, and makes nothing worse that did not."""
    least = before[0]
    if not _poor(limits, before):
        least = _least(limits, after[2])
    if after[0] < least * (1.0 - TOLERANCE):
        return False
    most = max(before[1] / max(before[2], 1), limits[2])
    small: bool = after[1] <= most * after[2] * (1.0 + TOLERANCE)
    return small


@inner
def _stays(
    limits: Floats, own: Ints, out: int, into: int,
    falling: Ints,
) -> bool:  # fmt: skip
    """Whether a class that wins and loses a record keeps what it had."""
    before = _now(own, falling)
    return _kept(limits, before, _measure(own, out, into, falling))


@inner
def _top(own: Ints) -> int:
    """The largest count of a class."""
    top = 0
    for at in range(len(own)):
        top = max(top, own[at])
    return top


@inner
def _index_class(
    limits: Floats, own: Ints, guard: bool, sets: NDArray[np.uint64],
    group: int, falling: Ints,
) -> bool:  # fmt: skip
    """Write down the values a class holds and could give away; whether it may give any."""
    held, for_new, for_held = sets[0, group], sets[1, group], sets[2, group]
    for word in range(len(held)):
        held[word] = 0
        for_new[word] = 0
        for_held[word] = 0
    some = 0
    absent = NONE
    for at in range(len(own)):
        if own[at]:
            held[at >> 6] |= np.uint64(1) << np.uint64(at & 63)
            some += 1
        elif absent < 0:
            absent = at
    before = _now(own, falling)
    if _poor(limits, before):
        return False
    if not guard or some > MANY:
        for word in range(len(held)):
            for_new[word] = held[word]
            for_held[word] = held[word]
        return True
    for at in range(len(own)):
        if not own[at]:
            continue
        # What giving a value does depends on its count alone.
        first = 0
        while own[first] != own[at]:
            first += 1
        bit = np.uint64(1) << np.uint64(at & 63)
        if first < at:
            if for_new[first >> 6] & (np.uint64(1) << np.uint64(first & 63)):
                for_new[at >> 6] |= bit
        elif absent >= 0 and _kept(limits, before, _measure(own, at, absent, falling)):
            for_new[at >> 6] |= bit
        for into in range(len(own)):
            if into == at or not own[into]:
                continue
            first = 0
            while first == at or own[first] != own[into]:
                first += 1
            if first == into and _kept(limits, before, _measure(own, at, into, falling)):
                for_held[at >> 6] |= bit
                break
    return True


@inner
def _index_block(sets: NDArray[np.uint64], blocks: NDArray[np.uint64], block: int) -> None:
    """What the classes of a block could give away for each value, or for any."""
    held, for_new, for_held = sets[0], sets[1], sets[2]
    one = blocks[block]
    one[:] = 0
    last = min((block + 1) * BLOCK, len(held))
    for group in range(block * BLOCK, last):
        for word in range(held.shape[1]):
            new, old = for_new[group, word], for_held[group, word]
            if len(one) == 1:
                one[:, word] |= new | old
                continue
            for column in range(len(one)):
                bit = np.uint64(1) << np.uint64(column)
                one[column, word] |= old if held[group, 0] & bit else new


@inner
def _index(facts: Facts, state: State, group: int, guard: bool) -> None:
    """Write down what a class could give away, in all attributes."""
    for attribute in range(len(facts.code)):
        low, high = facts.column[attribute], facts.column[attribute + 1]
        state.able[attribute, group] = _index_class(
            facts.limits[attribute], state.counts[group, low:high], guard,
            state.sets[attribute], group, state.falling,
        )  # fmt: skip


@inner
def _index_again(facts: Facts, state: State, group: int, guard: bool) -> None:
    """Write down what a class could give away after a change of it."""
    _index(facts, state, group, guard)
    for attribute in range(len(facts.code)):
        _index_block(state.sets[attribute], state.blocks[attribute], group // BLOCK)


@jit
def prepare(facts: Facts, state: State, guard: bool) -> None:
    """Count every class and index all donors.

    Arguments:
        facts: what does not change.
        state: what changes; its counts, 0 before, and its sets are filled, and nothing is known
            yet.
        guard: whether a donor must keep its targets.
    """
    for group in range(len(state.counts)):
        for slot in range(facts.start[group], facts.start[group + 1]):
            for attribute in range(len(facts.code)):
                at = facts.column[attribute] + facts.code[attribute, state.slots[slot]]
                state.counts[group, at] += 1
        _index(facts, state, group, guard)
    for attribute in range(len(facts.code)):
        for block in range(state.blocks.shape[1]):
            _index_block(state.sets[attribute], state.blocks[attribute], block)


@inner
def _find_ends(key: Ints, records: Ints, ends: Ints) -> None:
    """The least two and the largest two keys of a class in every attribute."""
    for j in range(len(key)):
        low = low_next = LARGEST
        high = high_next = NONE
        for at in range(len(records)):
            own = key[j, records[at]]
            if own < low:
                low, low_next = own, low
            elif own < low_next:
                low_next = own
            if own > high:
                high, high_next = own, high
            elif own > high_next:
                high_next = own
        ends[j, 0] = low
        ends[j, 1] = low_next
        ends[j, 2] = high
        ends[j, 3] = high_next


@inner
def _width(
    key: Ints, shape: Ints, node: Ints32,
    width: Floats, weight: Floats, ends: Ints,
    size: int, out: int, into: int,
) -> float:  # fmt: skip
    """How wide a class is with one record replaced by another, or by itself."""
    total = 0.0
    for j in range(len(key)):
        low = ends[j, 0]
        high = ends[j, 2]
        if key[j, out] == low:
            low = ends[j, 1]
        if key[j, out] == high:
            high = ends[j, 3]
        low = min(low, key[j, into])
        high = max(high, key[j, into])
        base = shape[j, 2]
        if not shape[j, 0]:
            span = width[base + high] - width[base + low]
        else:
            span = 1.0
            for level in range(shape[j, 0]):
                at = base + level * shape[j, 1]
                if node[at + low] == node[at + high]:
                    span = width[at + low]
                    break
        total += weight[j] * span
    return total * size


@inner
def _one(facts: Facts, state: State, side: int, group: int, out: int, into: int) -> float:
    """How wide one of the two classes of an exchange is."""
    return _width(
        facts.key, facts.shape, facts.node, facts.width, facts.weight, state.ends[side],
        facts.start[group + 1] - facts.start[group], out, into,
    )  # fmt: skip


@inner
def _both_ends(facts: Facts, state: State, group: int, donor: int) -> None:
    """The ends of both classes of an exchange."""
    start = facts.start
    _find_ends(facts.key, state.slots[start[group] : start[group + 1]], state.ends[0])
    _find_ends(facts.key, state.slots[start[donor] : start[donor + 1]], state.ends[1])


@inner
def _fits(
    facts: Facts, state: State, group: int, donor: int, given: int, taken: int, attribute: int,
    guard: bool,
) -> bool:  # fmt: skip
    """Whether an exchange keeps what holds, in one attribute."""
    low, high = facts.column[attribute], facts.column[attribute + 1]
    out = facts.code[attribute, given]
    into = facts.code[attribute, taken]
    limits = facts.limits[attribute]
    if out == into:
        return True
    if not _stays(limits, state.counts[group, low:high], out, into, state.falling):
        return False
    return not guard or _stays(limits, state.counts[donor, low:high], into, out, state.falling)


@inner
def _barred(state: State, given: int, taken: int) -> bool:
    """Whether this exchange of values was refused already."""
    for at in range(state.cursor[BARRED]):
        if state.barred[at, 0] == given and state.barred[at, 1] == taken:
            return True
    return False


@inner
def _cheapest(facts: Facts, state: State, group: int, donor: int, tier: int, guard: bool) -> bool:
    """The cheapest pair of records that carry a value of the class and one of the donor's tier.

    In a cross-swap the donor does not hold the value that it takes.
    """
    attribute = state.cursor[ATTRIBUTE]
    cross = bool(state.cursor[CROSSING])
    fewer = bool(state.cursor[FEWER])
    code = facts.code[attribute]
    own = state.counts[group, facts.column[attribute] : facts.column[attribute + 1]]
    other = state.counts[donor, facts.column[attribute] : facts.column[attribute + 1]]
    top = _top(own)
    best = np.inf
    found = False
    measured = False
    for slot in range(facts.start[group], facts.start[group + 1]):
        given = state.slots[slot]
        out = code[given]
        if own[out] != top or (cross and other[out]):
            continue
        for place in range(facts.start[donor], facts.start[donor + 1]):
            taken = state.slots[place]
            into = code[taken]
            if other[into] != tier:
                continue
            if own[into] and (not fewer or own[into] > top - 2):
                continue
            if fewer and not own[into]:
                continue
            if state.known[out, into] < 0:
                fits = _fits(facts, state, group, donor, given, taken, attribute, guard)
                state.known[out, into] = 1 if fits else 0
            if not state.known[out, into]:
                continue
            good = True
            for further in range(len(facts.code)):
                if good and further != attribute:
                    good = _fits(facts, state, group, donor, given, taken, further, guard)
            if not good or _barred(state, facts.profile[given], facts.profile[taken]):
                continue
            if not measured:
                _both_ends(facts, state, group, donor)
                measured = True
            cost = 0.0
            for side in range(2):
                which = donor if side else group
                out_of = taken if side else given
                cost += _one(facts, state, side, which, out_of, given + taken - out_of)
            if cost < best:
                best = cost
                found = True
                state.cursor[OUT] = slot
                state.cursor[INTO] = place
    # Only the values of this class and this donor were looked up.
    for slot in range(facts.start[group], facts.start[group + 1]):
        out = code[state.slots[slot]]
        if own[out] == top:
            for place in range(facts.start[donor], facts.start[donor + 1]):
                state.known[out, code[state.slots[place]]] = NONE
    return found


@inner
def _next_tier(own: Ints, other: Ints, before: int, fewer: bool) -> int:
    """The largest count of a donor's value that the class could take, below ``before``; or 0."""
    top = _top(own)
    tier = 0
    for at in range(len(own)):
        if tier < other[at] and (not before or other[at] < before):
            if fewer:
                if 0 < own[at] <= top - 2:
                    tier = other[at]
            elif not own[at]:
                tier = other[at]
    return tier


@inner
def _wanted(own: Ints, fewer: bool, wanted: NDArray[np.uint64]) -> None:
    """The values that a class could take, as bits."""
    top = _top(own)
    for word in range(len(wanted)):
        wanted[word] = 0
    for at in range(len(own)):
        right = not own[at]
        if fewer:
            right = 0 < own[at] <= top - 2
        if right:
            wanted[at >> 6] |= np.uint64(1) << np.uint64(at & 63)


@inner
def _offers(sets: NDArray[np.uint64], donor: int, own: Ints, wanted: NDArray[np.uint64]) -> bool:
    """Whether a donor could give a wanted value for one of the most frequent values of a class."""
    top = _top(own)
    for at in range(len(own)):
        if own[at] != top:
            continue
        bit = np.uint64(1) << np.uint64(at & 63)
        which = 2 if sets[0, donor, at >> 6] & bit else 1
        for word in range(len(wanted)):
            if sets[which, donor, word] & wanted[word]:
                return True
    return False


@inner
def _block_offers(one: NDArray[np.uint64], own: Ints, wanted: NDArray[np.uint64]) -> bool:
    """Whether any class of a block could."""
    top = _top(own)
    for at in range(len(own)):
        if own[at] == top:
            column = 0 if len(one) == 1 else at
            for word in range(len(wanted)):
                if one[column, word] & wanted[word]:
                    return True
    return False


@inner
def _find(facts: Facts, state: State, guard: bool, back: bool) -> bool:
    """The next donor from the cursor on, and the cheapest exchange with it.

    It is made in the first tier of the donor's values, by falling count, that has an option. The
    cursor counts on behind the last class where earlier classes are asked too.
    """
    cursor = state.cursor
    group, attribute = cursor[CLASS], cursor[ATTRIBUTE]
    fewer = bool(cursor[FEWER])
    low, high = facts.column[attribute], facts.column[attribute + 1]
    own = state.counts[group, low:high]
    sets = state.sets[attribute]
    wanted = np.empty(sets.shape[2], dtype=np.uint64)
    _wanted(own, fewer, wanted)
    groups = len(state.counts)
    at = cursor[DONOR]
    end = groups + group if back else groups
    checked = NONE
    while at < end:
        donor = at - groups if at >= groups else at
        block = donor // BLOCK
        if block != checked:
            if not _block_offers(state.blocks[attribute, block], own, wanted):
                past = (block + 1) * BLOCK
                at = groups + past if at >= groups else min(past, groups)
                cursor[BARRED] = 0
                continue
            checked = block
        if _offers(sets, donor, own, wanted):
            other = state.counts[donor, low:high]
            tier = 0
            while True:
                tier = _next_tier(own, other, tier, fewer)
                if not tier:
                    break
                if _cheapest(facts, state, group, donor, tier, guard or donor < group):
                    cursor[DONOR] = at
                    return True
        at += 1
        cursor[BARRED] = 0
    return False


@inner
def _commit(facts: Facts, state: State, kind: int, guard: bool) -> None:
    """Carry out the exchange at the cursor and write it down."""
    cursor = state.cursor
    group, attribute, at = cursor[CLASS], cursor[ATTRIBUTE], cursor[LOGGED]
    donor = group - 1 if kind == CROSS else cursor[DONOR] % len(state.counts)
    given, taken = state.slots[cursor[OUT]], state.slots[cursor[INTO]]
    low, high = facts.column[attribute], facts.column[attribute + 1]
    own, other = state.counts[group, low:high], state.counts[donor, low:high]
    figures = state.figures[at]
    figures[0] = _now(own, state.falling)[0]
    figures[2] = _now(other, state.falling)[0]
    _both_ends(facts, state, group, donor)
    figures[4] = 0.0
    for side in range(2):
        which = donor if side else group
        out_of = taken if side else given
        figures[4] += _one(facts, state, side, which, out_of, given + taken - out_of)
        figures[4] -= _one(facts, state, side, which, out_of, out_of)
    for each in range(len(facts.code)):
        out = facts.column[each] + facts.code[each, given]
        into = facts.column[each] + facts.code[each, taken]
        state.counts[group, out] -= 1
        state.counts[group, into] += 1
        state.counts[donor, into] -= 1
        state.counts[donor, out] += 1
    state.slots[cursor[OUT]] = taken
    state.slots[cursor[INTO]] = given
    figures[1] = _now(own, state.falling)[0]
    figures[3] = _now(other, state.falling)[0]
    entry = state.log[at]
    entry[0], entry[1], entry[2], entry[3] = kind, attribute, group, donor
    entry[4], entry[5], entry[6] = given, taken, NONE
    entry[7] = facts.code[attribute, taken]
    cursor[LOGGED] = at + 1
    if kind == SWAP:
        _index_again(facts, state, donor, guard)


@inner
def _reason(facts: Facts, state: State, group: int, attribute: int, back: bool) -> int:
    """Why a class is left to noise."""
    own = state.counts[group, facts.column[attribute] : facts.column[attribute + 1]]
    if _top(own) < 2:
        return NO_REPEAT
    if group == len(state.counts) - 1 and (not back or group == 0):
        return LAST
    if state.cursor[TURNED_ANY]:
        return REFUSED
    held = state.sets[attribute, 0]
    for donor in range(0 if back else group + 1, len(held)):
        if donor != group and state.able[attribute, donor]:
            for at in range(len(own)):
                bit = np.uint64(1) << np.uint64(at & 63)
                if not own[at] and held[donor, at >> 6] & bit:
                    return GUARD
    return NO_DONOR


@inner
def _fill_value(
    limits: Floats, own: Ints, preference: Ints,
    category: Ints, number: int, falling: Ints,
) -> int:  # fmt: skip
    """The value of that number, from 0, that a record of noise may have; -1 for none."""
    passed = 0
    value: int
    # Absent values of absent categories, then other absent ones.
    for again in range(2):
        for place in range(len(own)):
            value = preference[place]
            if own[value]:
                continue
            taken = 0
            if category[value] >= 0:
                for at in range(len(own)):
                    if own[at] and category[at] == category[value]:
                        taken = 1
                        break
            if taken == again:
                if passed == number:
                    return value
                passed += 1
    before = _now(own, falling)
    if _poor(limits, before):
        return -1
    count = 0
    while True:
        larger = LARGEST
        for at in range(len(own)):
            if count < own[at] < larger:
                larger = own[at]
        if larger == LARGEST:
            return -1
        count = larger
        for place in range(len(own)):
            value = preference[place]
            if own[value] != count:
                continue
            after = _measure(own, len(own), value, falling)
            if _kept(limits, before, after):
                if passed == number:
                    return value
                passed += 1


@inner
def _add_noise(facts: Facts, state: State) -> None:
    """Add the record of noise that was chosen."""
    cursor = state.cursor
    group, attribute, at = cursor[CLASS], cursor[ATTRIBUTE], cursor[LOGGED]
    own = state.counts[group, facts.column[attribute] : facts.column[attribute + 1]]
    for place in range(1, 5):
        state.figures[at, place] = 0.0
    state.figures[at, 0] = _now(own, state.falling)[0]
    entry = state.log[at]
    entry[0], entry[1], entry[2], entry[3] = NOISE, attribute, group, NONE
    entry[4], entry[5], entry[6] = NONE, NONE, cursor[WHY]
    entry[7] = state.filling[attribute]
    for each in range(len(facts.code)):
        entry[ENTRY + each] = state.filling[each]
        state.counts[group, facts.column[each] + state.filling[each]] += 1
    state.figures[at, 1] = _now(own, state.falling)[0]
    cursor[LOGGED] = at + 1


@inner
def _next_search(cursor: Ints) -> None:
    """Look from the class on, which has no value that is new to itself."""
    cursor[FEWER] = False
    cursor[DONOR] = cursor[CLASS]
    cursor[TURNED] = False
    cursor[BARRED] = 0


@inner
def _next_class(cursor: Ints) -> None:
    cursor[CLASS] += 1
    cursor[STAGE] = 0
    cursor[ATTRIBUTE] = 0
    cursor[TURNED_ANY] = False
    cursor[CROSSED] = False
    _next_search(cursor)


@inner
def _refused(facts: Facts, state: State) -> None:
    """Remember an exchange that was refused, until a move is made or the donor is left."""
    cursor = state.cursor
    cursor[TURNED] = True
    at = cursor[BARRED]
    if at < len(state.barred):
        state.barred[at, 0] = facts.profile[state.slots[cursor[OUT]]]
        state.barred[at, 1] = facts.profile[state.slots[cursor[INTO]]]
        cursor[BARRED] = at + 1
    else:
        # Too many to remember: leave this donor.
        cursor[DONOR] += 1
        cursor[CROSSED] = True
        cursor[BARRED] = 0


@inner
def _look(facts: Facts, state: State, guard: bool, back: bool) -> bool:
    """Find an exchange for the class and attribute at the cursor; else go on to the next."""
    cursor = state.cursor
    group, attribute = cursor[CLASS], cursor[ATTRIBUTE]
    low, high = facts.column[attribute], facts.column[attribute + 1]
    limits = facts.limits[attribute]
    seen = _now(state.counts[group, low:high], state.falling)
    if not _short(limits, seen) or seen[1] < 2:
        cursor[TURNED] = False
    elif back or group < len(state.counts) - 1:
        if _find(facts, state, guard, back):
            return True
        if not cursor[FEWER] and not _poor(limits, seen):
            cursor[FEWER] = True
            cursor[DONOR] = group + 1
            return False
    elif group and not cursor[CROSSED]:
        tier = _top(state.counts[group - 1, low:high])
        cursor[CROSSING] = True
        found = _cheapest(facts, state, group, group - 1, tier, True)
        cursor[CROSSING] = False
        if found:
            return True
    cursor[TURNED_ANY] |= cursor[TURNED]
    cursor[ATTRIBUTE] = attribute + 1
    cursor[CROSSED] = False
    _next_search(cursor)
    return False


@inner
def _choose_noise(facts: Facts, state: State, back: bool) -> bool:
    """Choose a record of noise for the class at the cursor; else go on to the next class.

    Where all noise would not be enough, the class is left without any.
    """
    cursor = state.cursor
    group = cursor[CLASS]
    attributes = len(facts.code)
    attribute = NONE
    for each in range(attributes):
        own = state.counts[group, facts.column[each] : facts.column[each + 1]]
        if _short(facts.limits[each], _now(own, state.falling)):
            attribute = each
            break
    if attribute < 0:
        _next_class(cursor)
        return False
    cursor[ATTRIBUTE] = attribute
    if cursor[WHY] < 0:
        cursor[WHY] = _reason(facts, state, group, attribute, back)
    size = facts.start[group + 1] - facts.start[group]
    good = cursor[LOGGED] - cursor[STARTED] < (size + 1) * facts.column[attributes]
    for each in range(attributes):
        if good:
            low, high = facts.column[each], facts.column[each + 1]
            state.filling[each] = _fill_value(
                facts.limits[each], state.counts[group, low:high], facts.taste[0, low:high],
                facts.taste[1, low:high], cursor[CANDIDATE] if each == attribute else 0,
                state.falling,
            )  # fmt: skip
            good = state.filling[each] >= 0
    if good:
        return True
    while cursor[LOGGED] > cursor[STARTED]:
        cursor[LOGGED] -= 1
        for each in range(attributes):
            at = facts.column[each] + state.log[cursor[LOGGED], ENTRY + each]
            state.counts[group, at] -= 1
    state.failures[cursor[FAILURES], 0] = group
    state.failures[cursor[FAILURES], 1] = NOT_ALLOWED if cursor[CANDIDATE] else NO_VALUE
    cursor[FAILURES] += 1
    _next_class(cursor)
    return False


@jit
def run(
    facts: Facts, state: State, guard: bool, back: bool, ask: bool, answer: int, until: int
) -> int:
    """Go on from the cursor until something stops it.

    Arguments:
        facts: what does not change.
        state: where it stands; changed in place.
        guard: whether a donor must keep its targets.
        back: whether earlier classes are asked where no later one helps.
        ask: whether to stop before every move for an answer.
        answer: to the move that was asked for last, if there was one.
        until: the class to pause at.
    """
    cursor = state.cursor
    groups = len(state.counts)
    kind = CROSS
    while cursor[CLASS] < groups:
        if cursor[LOGGED] == len(state.log):
            return FULL
        group = cursor[CLASS]
        chosen, refused = answer == ACCEPT, answer == REFUSE
        answer = UNASKED
        if not cursor[STAGE] and cursor[ATTRIBUTE] == len(facts.code):
            cursor[STAGE] = 1
            cursor[CANDIDATE] = 0
            cursor[STARTED] = cursor[LOGGED]
            cursor[WHY] = NONE
        elif not cursor[STAGE]:
            kind = CROSS if group == groups - 1 and not back else SWAP
            if refused:
                _refused(facts, state)
            if not chosen and not _look(facts, state, guard, back):
                continue
            if ask and not chosen:
                return ASK
            _commit(facts, state, kind, guard)
            _next_search(cursor)
            cursor[CROSSED] = True
        else:
            if refused:
                cursor[CANDIDATE] += 1
            if not chosen and not _choose_noise(facts, state, back):
                if back:
                    _index_again(facts, state, group, guard)
                if cursor[CLASS] >= until:
                    return PAUSED
                continue
            if ask and not chosen:
                return ASK
            cursor[CANDIDATE] = 0
            _add_noise(facts, state)
    return DONE
