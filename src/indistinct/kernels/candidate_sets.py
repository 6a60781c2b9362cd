"""What attackers of people work out crowd by crowd: over buckets, over exclusions, over sets.

A crowd is everybody who could stand in the same published rows. Its rows are linked to buckets:
``bucket[indptr[q]:indptr[q + 1]]`` are those of crowd ``q``, with as many rows as ``times`` says.
Bucket ``b`` lists ``label[b_indptr[b]:b_indptr[b + 1]]``, rising.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels import NONE
from indistinct.kernels.jit import inner, jit
from indistinct.kernels.ragged import place_of
from indistinct.types import Floats, Ints, Ints32

_ONE = np.uint64(1)
_PAIRS = np.uint64(0x5555555555555555)
_FOURS = np.uint64(0x3333333333333333)
_EIGHTS = np.uint64(0x0F0F0F0F0F0F0F0F)
_BYTES = np.uint64(0x0101010101010101)


@inner
def ones(word: np.uint64) -> int:
    """How many bits of a word are set."""
    word -= (word >> _ONE) & _PAIRS
    word = (word & _FOURS) + ((word >> np.uint64(2)) & _FOURS)
    word = (word + (word >> np.uint64(4))) & _EIGHTS
    return int((word * _BYTES) >> np.uint64(56))


@jit
def over_buckets(
    indptr: Ints,
    bucket: Ints32,
    times: Floats,
    b_indptr: Ints,
    label: Ints32,
    amount: Floats,
    pair_crowd: Ints,
    pair_label: Ints,
    total: Floats,
    most: Floats,
) -> None:
    """Sum and maximum of ``times`` times ``amount`` over the buckets that list a label.

    Arguments:
        indptr: crowd q has ``bucket[indptr[q]:indptr[q + 1]]``.
        bucket: buckets.
        times: how often each of them counts, by entries of ``bucket``.
        b_indptr: bucket b lists ``label[b_indptr[b]:b_indptr[b + 1]]``, rising.
        label: labels.
        amount: how much of a label its bucket has, by entries of ``label``.
        pair_crowd: the crowd of every pair, [P].
        pair_label: the label of every pair, [P].
        total: becomes the sum, [P].
        most: becomes the maximum, 0 at least, [P].
    """
    for p in range(len(pair_crowd)):
        total[p] = 0.0
        most[p] = 0.0
        for at in range(indptr[pair_crowd[p]], indptr[pair_crowd[p] + 1]):
            b = bucket[at]
            place = place_of(label, b_indptr[b], b_indptr[b + 1], pair_label[p])
            if place >= 0:
                own = times[at] * amount[place]
                total[p] += own
                most[p] = max(most[p], own)


@jit
def exclude(
    crowd: Ints,
    own_indptr: Ints,
    own: Ints32,
    indptr: Ints,
    bucket: Ints32,
    times: Floats,
    b_indptr: Ints,
    label: Ints32,
    share: Floats,
    all_indptr: Ints,
    all_label: Ints32,
    all_amount: Floats,
    alive: Floats,
    gone: Floats,
    lost: Floats,
    found: Floats,
) -> None:
    """Belief in each own label after the exclusions that raise it most, one after the other.

    People have several labels, and to exclude one makes rows that list it less likely: a row whose
    bucket lists it with a share of f keeps 1 - f of its weight. Only labels that are not the own
    are excluded, as long as rows are left.

    Arguments:
        crowd: the crowd of everybody who is looked at, [U].
        own_indptr: person u has ``own[own_indptr[u]:own_indptr[u + 1]]``, rising, [U + 1].
        own: labels.
        indptr: crowd q has ``bucket[indptr[q]:indptr[q + 1]]``.
        bucket: buckets.
        times: rows of the crowd in each of them, by entries of ``bucket``.
        b_indptr: bucket b lists ``label[b_indptr[b]:b_indptr[b + 1]]``, rising.
        label: labels.
        share: of a bucket's people that have a label, by entries of ``label``.
        all_indptr: crowd q has ``all_label[all_indptr[q]:all_indptr[q + 1]]``.
        all_label: labels.
        all_amount: rows of the crowd with each of them, by entries of ``all_label``.
        alive: scratch as long as the longest crowd.
        gone: scratch, [D].
        lost: scratch, [D].
        found: becomes the belief in each entry of ``own`` after s exclusions, [entries, most + 1].
    """
    most = found.shape[1] - 1
    for u in range(len(crowd)):
        first, last = indptr[crowd[u]], indptr[crowd[u] + 1]
        begin, end = all_indptr[crowd[u]], all_indptr[crowd[u] + 1]
        for o in range(own_indptr[u], own_indptr[u + 1]):
            for e in range(begin, end):
                gone[all_label[e]] = all_amount[e]
                lost[all_label[e]] = 0.0
            total = 0.0
            hit = 0.0
            for i in range(last - first):
                alive[i] = times[first + i]
                total += alive[i]
                k = bucket[first + i]
                place = place_of(label, b_indptr[k], b_indptr[k + 1], own[o])
                if place >= 0:
                    weight = alive[i] * share[place]
                    hit += weight
                    for at in range(b_indptr[k], b_indptr[k + 1]):
                        lost[label[at]] += weight * share[at]
            for step in range(most + 1):
                belief = hit / total if total > 1e-9 else 0.0
                found[o, step] = belief
                if step == most:
                    break
                best = belief
                chosen = NONE
                for e in range(begin, end):
                    x = all_label[e]
                    left = total - gone[x]
                    if left > 1e-9:
                        raised = (hit - lost[x]) / left
                        better = raised > best + 1e-12
                        if better and place_of(own, own_indptr[u], own_indptr[u + 1], x) < 0:
                            best = raised
                            chosen = x
                if chosen < 0:
                    found[o, step:] = belief
                    break
                for i in range(last - first):
                    k = bucket[first + i]
                    place = place_of(label, b_indptr[k], b_indptr[k + 1], chosen)
                    if place < 0:
                        continue
                    taken = alive[i] * share[place]
                    alive[i] -= taken
                    total -= taken
                    place = place_of(label, b_indptr[k], b_indptr[k + 1], own[o])
                    held = share[place] if place >= 0 else 0.0
                    hit -= taken * held
                    for at in range(b_indptr[k], b_indptr[k + 1]):
                        gone[label[at]] -= taken * share[at]
                        lost[label[at]] -= taken * share[at] * held


@jit
def recognize(
    indptr: Ints,
    value: Ints32,
    hit_indptr: Ints,
    hit: Ints32,
    of_value: NDArray[np.uint64],
    of_label: NDArray[np.uint64],
    crowd_of: Ints32,
    crowd_indptr: Ints,
    crowd_class: Ints32,
    class_start: Ints,
    everybody: NDArray[np.uint64],
    before: NDArray[np.uint64],
    after: NDArray[np.uint64],
    candidates: Ints,
    right: Ints,
    near: Ints,
    near_right: Ints,
    whole: Ints,
) -> None:
    """Rows whose published sets hold all values of a person but one, for each one left out.

    Rows stand class by class, a bit each.

    Arguments:
        indptr: person p has ``value[indptr[p]:indptr[p + 1]]``, [n + 1].
        value: values.
        hit_indptr: entry e of ``value`` is told from the person's others by
            ``hit[hit_indptr[e]:hit_indptr[e + 1]]``.
        hit: labels.
        of_value: the rows whose sets cover each value, [values, words].
        of_label: the rows that list each label, [labels, words].
        crowd_of: the crowd of every person, [n].
        crowd_indptr: crowd q is made of ``crowd_class[crowd_indptr[q]:crowd_indptr[q + 1]]``.
        crowd_class: classes.
        class_start: class g has the rows from ``class_start[g]`` on, [G + 1].
        everybody: a bit for every row, [words].
        before: scratch, [longest + 1, words].
        after: scratch, [longest + 1, words].
        candidates: becomes the number of such rows, by entries of ``value``.
        right: of these, those that show the value left out.
        near: becomes the number of such rows in the person's crowd, by entries of ``value``.
        near_right: of these, those that show the value left out.
        whole: becomes the number of rows that hold all values, [n].
    """
    words = len(everybody)
    for p in range(len(indptr) - 1):
        first = indptr[p]
        number = indptr[p + 1] - first
        before[0, :] = everybody
        after[number, :] = everybody
        for i in range(number):
            for w in range(words):
                before[i + 1, w] = before[i, w] & of_value[value[first + i], w]
        for i in range(number - 1, -1, -1):
            for w in range(words):
                after[i, w] = after[i + 1, w] & of_value[value[first + i], w]
        whole[p] = 0
        for w in range(words):
            whole[p] += ones(before[number, w])
        for i in range(number):
            e = first + i
            candidates[e] = 0
            right[e] = 0
            for w in range(words):
                left = before[i, w] & after[i + 1, w]
                candidates[e] += ones(left)
                shown = np.uint64(0)
                for at in range(hit_indptr[e], hit_indptr[e + 1]):
                    shown |= of_label[hit[at], w]
                right[e] += ones(left & shown)
            near[e] = 0
            near_right[e] = 0
            for at in range(crowd_indptr[crowd_of[p]], crowd_indptr[crowd_of[p] + 1]):
                g = crowd_class[at]
                for row in range(class_start[g], class_start[g + 1]):
                    w = row >> 6
                    bit = np.uint64(row & 63)
                    if ((before[i, w] & after[i + 1, w]) >> bit) & _ONE:
                        near[e] += 1
                        for h in range(hit_indptr[e], hit_indptr[e + 1]):
                            if (of_label[hit[h], w] >> bit) & _ONE:
                                near_right[e] += 1
                                break


@jit
def compose(
    crowd: Ints32,
    other_crowd: Ints32,
    size: Ints,
    other_size: Ints,
    indptr: Ints,
    index: Ints32,
    amount: Floats,
    other_indptr: Ints,
    other_index: Ints32,
    other_amount: Floats,
    own_indptr: Ints,
    own: Ints32,
    total: Floats,
    common: Ints,
    product: Floats,
    odds: Floats,
) -> None:
    """What two releases say together of every person.

    Arguments:
        crowd: the crowd of every person in the first release, [n].
        other_crowd: the same in the second, [n].
        size: rows of each crowd of the first release.
        other_size: rows of each crowd of the second.
        indptr: crowd q of the first has ``index[indptr[q]:indptr[q + 1]]``, rising.
        index: atoms.
        amount: how many of the crowd's rows have each atom, by entries of ``index``.
        other_indptr: as ``indptr``, of the second release.
        other_index: as ``index``.
        other_amount: as ``amount``.
        own_indptr: person p has ``own[own_indptr[p]:own_indptr[p + 1]]``, [n + 1].
        own: atoms.
        total: becomes the sum of the products of amounts, [n].
        common: becomes the number of atoms that both allow, [n].
        product: becomes the product of the amounts of each entry of ``own``.
        odds: becomes the belief in each entry of ``own`` by the product of odds, from 0 to 1.
    """
    for p in range(len(crowd)):
        q, r = crowd[p], other_crowd[p]
        total[p] = 0.0
        common[p] = 0
        at, other = indptr[q], other_indptr[r]
        while at < indptr[q + 1] and other < other_indptr[r + 1]:
            if index[at] < other_index[other]:
                at += 1
            elif index[at] > other_index[other]:
                other += 1
            else:
                total[p] += amount[at] * other_amount[other]
                common[p] += 1
                at += 1
                other += 1
        for o in range(own_indptr[p], own_indptr[p + 1]):
            one = place_of(index, indptr[q], indptr[q + 1], own[o])
            two = place_of(other_index, other_indptr[r], other_indptr[r + 1], own[o])
            a = amount[one] if one >= 0 else 0.0
            b = other_amount[two] if two >= 0 else 0.0
            product[o] = a * b
            x = a / size[q] if size[q] else 0.0
            y = b / other_size[r] if other_size[r] else 0.0
            # Sums of shares may miss the whole by a rounding.
            x = 1.0 if x > 1.0 - 1e-9 else x
            y = 1.0 if y > 1.0 - 1e-9 else y
            both = x * y
            neither = (1.0 - x) * (1.0 - y)
            # One release is certain that it is so and the other that it is not: nothing follows.
            odds[o] = both / (both + neither) if both + neither > 0.0 else x


@jit
def compose_sets(
    crowd: Ints32,
    other_crowd: Ints32,
    indptr: Ints,
    index: Ints32,
    amount: Floats,
    other_indptr: Ints,
    other_index: Ints32,
    other_amount: Floats,
    member_indptr: Ints,
    member: Ints32,
    own_indptr: Ints,
    own: Ints32,
    weight: Floats,
    most: Floats,
) -> None:
    """What two releases of whole sets say together of the value of every person they say most of.

    Arguments:
        crowd: the crowd of every person in the first release, [n].
        other_crowd: the same in the second, [n].
        indptr: crowd q of the first has ``index[indptr[q]:indptr[q + 1]]``, rising.
        index: sets.
        amount: how likely each set is, by entries of ``index``.
        other_indptr: as ``indptr``, of the second release.
        other_index: as ``index``.
        other_amount: as ``amount``.
        member_indptr: set s holds ``member[member_indptr[s]:member_indptr[s + 1]]``.
        member: values.
        own_indptr: person p has ``own[own_indptr[p]:own_indptr[p + 1]]``, [n + 1].
        own: values.
        weight: scratch, 0 for every value before, and after.
        most: becomes the largest sum, of all own values, of the products of the sets that hold the
            value, [n].
    """
    for p in range(len(crowd)):
        most[p] = 0.0
        for fill in (True, False):
            at, end = indptr[crowd[p]], indptr[crowd[p] + 1]
            other, last = other_indptr[other_crowd[p]], other_indptr[other_crowd[p] + 1]
            while at < end and other < last:
                if index[at] < other_index[other]:
                    at += 1
                elif index[at] > other_index[other]:
                    other += 1
                else:
                    s = index[at]
                    for m in range(member_indptr[s], member_indptr[s + 1]):
                        if fill:
                            weight[member[m]] += amount[at] * other_amount[other]
                        else:
                            weight[member[m]] = 0.0
                    at += 1
                    other += 1
            if fill:
                for o in range(own_indptr[p], own_indptr[p + 1]):
                    most[p] = max(most[p], weight[own[o]])
