"""Who of a class has which of its values, if a naive Bayes model is to be believed.

People are put together by their exact features. Each could stand in some classes, and each class
holds known numbers of values. Given how likely every value makes every feature, people are shared
out among the places (class, value) in proportion to that likelihood and to a weight of the place;
the weights are changed until each place has as many people as it has records (iterative
proportional fitting). People and classes that have nothing to do with each other, by however many
others between them, are fitted one after the other.

Weights and likelihoods are numbers of eight bytes, or of four where there are very many people.
There all sweeps but the first and the last change weights by the power 1.5 of what is asked, which
comes as near in half of the sweeps (overrelaxation, Thibault and others 2021).

The likelihood of a value is the same in every class. So people who could stand in the same classes,
a *set*, meet each value once, with the weights of its places added up.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels import NONE
from indistinct.kernels.jit import inner, jit
from indistinct.types import Floats, Ints, Ints32

Real = NDArray[np.floating[Any]]
"""Numbers of eight bytes, or of four."""

FILLED = 1e-13
"""Share by which places may be filled too much or too little."""

AT_ONCE = 8
"""Shares that are multiplied before the likeliest value is 1 again, lest all become 0."""

ALIKE = 1e-9
"""Shares that differ by less are equal."""

COARSE = 1e-6
"""The same of both, where numbers have four bytes."""

LEAST, LARGEST = 2.2250738585072014e-308, 1e100
"""What a sum counts at least, and the largest factor: there may be too many people for the rows
that fit them, or too few."""


@jit
def joined(indptr: Ints, index: Ints32, number: int) -> Ints32:
    """Which classes some row leads from one to the other: they get one label, the first of them.

    Arguments:
        indptr: row r has ``index[indptr[r]:indptr[r + 1]]``.
        index: classes.
        number: how many classes there are.

    Returns:
        The label of every class, [number].
    """
    label = np.arange(number).astype(np.int32)
    for row in range(len(indptr) - 1):
        for at in range(indptr[row] + 1, indptr[row + 1]):
            one, two = index[indptr[row]], index[at]
            while label[one] != one:
                label[one] = label[label[one]]
                one = label[one]
            while label[two] != two:
                label[two] = label[label[two]]
                two = label[two]
            label[max(one, two)] = min(one, two)
    for g in range(number):
        label[g] = label[label[g]]
    return label


@jit
def fit_margins(
    indptr: Ints,
    index: Ints32,
    weight: Ints,
    size: Ints,
    more: int,
    rounds: int,
    still: float,
    of_rows: Floats,
    of_groups: Floats,
) -> float:
    """Factors whose products, where a row has a group, add up to the weights and to the sizes.

    Arguments:
        indptr: row r has ``index[indptr[r]:indptr[r + 1]]``, [rows + 1].
        index: groups.
        weight: what each row adds up to, [rows].
        size: what each group adds up to, [groups].
        more: what a further group adds up to, which every row with a weight has; below 0, what a
            further row adds up to, which has every group.
        rounds: rounds of proportional fitting, at most.
        still: a round is the last one in which no row's factor changes by a larger share.
        of_rows: becomes the factor of every row, [rows].
        of_groups: becomes the factor of every group, [groups].

    Returns:
        The factor of the further group.
    """
    groups = len(size)
    others, stranger = 0.0, 1.0 if more < 0 else 0.0
    for r in range(len(weight)):
        of_rows[r] = 1.0 if weight[r] else 0.0
    for _ in range(rounds):
        everybody = 0.0
        for g in range(groups):
            of_groups[g] = stranger
        for r in range(len(weight)):
            everybody += of_rows[r]
            for at in range(indptr[r], indptr[r + 1]):
                of_groups[index[at]] += of_rows[r]
        whole = 0.0
        for g in range(groups):
            of_groups[g] = min(size[g] / max(of_groups[g], LEAST), LARGEST)
            whole += of_groups[g]
        others = min(more / max(everybody, LEAST), LARGEST) if more > 0 else 0.0
        before, moved = stranger, False
        if more < 0:
            stranger = min(-more / max(whole, LEAST), LARGEST)
            moved = abs(stranger - before) > still * before
        for r in range(len(weight)):
            before, filled = of_rows[r], others
            for at in range(indptr[r], indptr[r + 1]):
                filled += of_groups[index[at]]
            of_rows[r] = min(weight[r] / max(filled, LEAST), LARGEST)
            moved = moved or abs(of_rows[r] - before) > still * before
        if not moved:
            break
    return others


@inner
def _lay_out(
    q: int,
    set_indptr: Ints,
    set_class: Ints32,
    indptr: Ints,
    value: Ints32,
    place: Ints32,
    met: Ints32,
    entry: Ints32,
    slot: Ints32,
) -> int:
    """The values that set ``q`` meets, ``met``; of each of its places the entry, and which of them.

    Returned is how many values there are. ``place`` says which of them a value is; it is -1 for
    all values before, and has to be again.
    """
    number = here = 0
    for at in range(set_indptr[q], set_indptr[q + 1]):
        for own in range(indptr[set_class[at]], indptr[set_class[at] + 1]):
            v = value[own]
            if place[v] < 0:
                place[v] = number
                met[number] = v
                number += 1
            entry[here], slot[here] = own, place[v]
            here += 1
    return number


@inner
def _pool(
    entry: Ints32,
    slot: Ints32,
    scale: Real,
    pooled: Real,
) -> None:
    """The weights of all places of each value together."""
    for at in range(len(entry)):
        pooled[slot[at]] = 0.0
    for at in range(len(entry)):
        pooled[slot[at]] += scale[entry[at]]


@inner
def _make_likely(
    c: int,
    codes: Ints32,
    start: Ints,
    table: Real,
    met: Ints32,
    number: int,
    features: int,
    likely: Real,
) -> None:
    """How likely each value that a combination meets makes its first features, the likeliest 1."""
    none, one = likely.dtype.type(0.0), likely.dtype.type(1.0)
    for i in range(number):
        likely[i] = one
    for j in range(features):
        row = start[j] + codes[c, j]
        for i in range(number):
            likely[i] *= table[row, met[i]]
        if (j + 1) % AT_ONCE == 0 or j + 1 == features:
            top = none
            for i in range(number):
                top = max(top, likely[i])
            scale = one / top if top else one
            for i in range(number):
                likely[i] *= scale


@inner
def _dealt(number: int, pooled: Real, likely: Real, here: int) -> Any:
    """What the likelihoods of a combination, from ``here`` on, come to with the weights of places.

    Four sums beside each other, which a processor adds up at once, on every machine in this order.
    """
    one = two = three = four = likely.dtype.type(0.0)
    even = number - number % 4
    for i in range(0, even, 4):
        one += pooled[i] * likely[here + i]
        two += pooled[i + 1] * likely[here + i + 1]
        three += pooled[i + 2] * likely[here + i + 2]
        four += pooled[i + 3] * likely[here + i + 3]
    for i in range(even, number):
        one += pooled[i] * likely[here + i]
    return (one + two) + (three + four)


@inner
def _share_out(
    members: Ints32,
    weight: Ints,
    number: int,
    pooled: Real,
    likely: Real,
    here: int,
    share: Real,
) -> None:
    """How many of the members of a set have each of its values, but for the weights of places."""
    for v in range(number):
        share[v] = 0.0
    for c in members:
        total = _dealt(number, pooled, likely, here)
        if total:
            each = likely.dtype.type(weight[c] / total)
            for v in range(number):
                share[v] += each * likely[here + v]
        here += number


@jit
def fit(
    crowd: Ints,
    crowd_indptr: Ints,
    group: Ints,
    group_indptr: Ints,
    member: Ints32,
    member_indptr: Ints,
    codes: Ints32,
    start: Ints,
    table: Real,
    weight: Ints,
    set_indptr: Ints,
    set_class: Ints32,
    indptr: Ints,
    value: Ints32,
    held: Ints,
    scale: Real,
    sweeps: int,
    plain: bool,
    counted: Floats,
    out_indptr: Ints,
    out_value: Ints32,
    out: Floats,
    person: Ints32,
    person_indptr: Ints,
    truth: Ints32,
    belief: Floats,
    right: Floats,
) -> None:
    """Change the weights of places, ``scale``, until they have the people they hold.

    What people are believed to have then is told in up to three ways, each where its arrays are
    not empty.

    Arguments:
        crowd: the sets, block by block; those of block b from ``crowd_indptr[b]`` on.
        crowd_indptr: see ``crowd``.
        group: the classes of the blocks; nobody of another block could be in them.
        group_indptr: where those of each block begin.
        member: the combinations, set by set; those of set q from ``member_indptr[q]`` on.
        member_indptr: see ``member``.
        codes: the features of each combination, [C, J].
        start: ``table[start[j] + codes[c, j], v]`` is how likely value ``v`` makes feature j of
            combination ``c``.
        table: see ``start``.
        weight: people of each combination, [C].
        set_indptr: set q is made of the classes ``set_class[set_indptr[q]:set_indptr[q + 1]]``.
        set_class: see ``set_indptr``.
        indptr: class g holds ``value[indptr[g]:indptr[g + 1]]``, each a place.
        value: see ``indptr``.
        held: how often each class has each value, [places].
        scale: the weights, [places].
        sweeps: rounds at most.
        plain: whether ``table`` is 1 throughout.
        counted: the people with each feature and value are added here, on the rows of ``table``.
        out_indptr: the shares of the values ``out_value[out_indptr[c]:...]`` of combination ``c``
            are written to ``out``.
        out_value: see ``out_indptr``.
        out: see ``out_indptr``.
        person: the people, combination by combination; those of ``c`` from ``person_indptr[c]`` on.
        person_indptr: see ``person``.
        truth: what everybody has, -1 for nothing that is listed, [n].
        belief: the share of it, [n].
        right: how often a guess of the likeliest value is right, [n].
    """
    domain, kind, one = table.shape[1], scale.dtype, scale.dtype.type(1.0)
    none = scale.dtype.type(0.0)
    slack, alike = (FILLED, ALIKE) if scale.itemsize == 8 else (COARSE, COARSE)
    features = 0 if plain else codes.shape[1]
    place, met = np.full(domain, NONE, np.int32), np.empty(domain, np.int32)
    pooled, share = np.empty(domain, kind), np.empty(domain, kind)
    likely, filled = np.empty(0, kind), np.zeros(len(scale), kind)
    for b in range(len(crowd_indptr) - 1):
        crowds = crowd[crowd_indptr[b] : crowd_indptr[b + 1]]
        begin = np.zeros(len(crowds) + 1, np.int64)
        for i in range(len(crowds)):
            begin[i + 1] = begin[i]
            for at in range(set_indptr[crowds[i]], set_indptr[crowds[i] + 1]):
                begin[i + 1] += indptr[set_class[at] + 1] - indptr[set_class[at]]
        entry, slot = np.empty(begin[-1], np.int32), np.empty(begin[-1], np.int32)
        width = np.empty(len(crowds), np.int64)
        room = 0
        for i in range(len(crowds)):
            q, places = crowds[i], slice(begin[i], begin[i + 1])
            width[i] = _lay_out(
                q, set_indptr, set_class, indptr, value, place, met, entry[places], slot[places]
            )
            room += width[i] * (member_indptr[q + 1] - member_indptr[q])
            place[met[: width[i]]] = NONE
        if room > len(likely):
            likely = np.empty(room, kind)
        here = 0
        for i in range(len(crowds)):
            q, number = crowds[i], width[i]
            for at in range(begin[i], begin[i + 1]):
                met[slot[at]] = value[entry[at]]
            for c in member[member_indptr[q] : member_indptr[q + 1]]:
                _make_likely(c, codes, start, table, met, number, features, likely[here:])
                here += number
        for sweep in range(sweeps):
            further = scale.itemsize < 8 and 0 < sweep < sweeps - 1
            here = 0
            for i in range(len(crowds)):
                q, number, places = crowds[i], width[i], slice(begin[i], begin[i + 1])
                _pool(entry[places], slot[places], scale, pooled)
                members = member[member_indptr[q] : member_indptr[q + 1]]
                _share_out(members, weight, number, pooled, likely, here, share)
                here += number * len(members)
                for at in range(begin[i], begin[i + 1]):
                    filled[entry[at]] += scale[entry[at]] * share[slot[at]]
            still = True
            for g in group[group_indptr[b] : group_indptr[b + 1]]:
                for at in range(indptr[g], indptr[g + 1]):
                    if filled[at]:
                        change = held[at] / filled[at]
                        scale[at] *= change * math.sqrt(change) if further else change
                        still &= abs(change - 1.0) <= slack
                        filled[at] = 0.0
            if still:
                break
        here = 0
        for i in range(len(crowds)):
            q, number, places = crowds[i], width[i], slice(begin[i], begin[i + 1])
            _pool(entry[places], slot[places], scale, pooled)
            for at in range(begin[i], begin[i + 1]):
                met[slot[at]] = value[entry[at]]
                place[value[entry[at]]] = slot[at]
            for c in member[member_indptr[q] : member_indptr[q + 1]]:
                own = likely[here : here + number]
                here += number
                total = _dealt(number, pooled, own, 0)
                each = one / total if total else none
                top = none
                for v in range(number):
                    own[v] *= pooled[v] * each
                    top = max(top, own[v])
                if len(counted):
                    for j in range(codes.shape[1]):
                        row = start[j] + codes[c, j]
                        for v in range(number):
                            counted[row, met[v]] += weight[c] * own[v]
                if len(out):
                    for at in range(out_indptr[c], out_indptr[c + 1]):
                        if out_value[at] < domain and place[out_value[at]] >= 0:
                            out[at] = own[place[out_value[at]]]
                if len(person):
                    ties = 0
                    for v in range(number):
                        ties += own[v] >= top - alike
                    for p in person[person_indptr[c] : person_indptr[c + 1]]:
                        if 0 <= truth[p] < domain and place[truth[p]] >= 0:
                            belief[p] = own[place[truth[p]]]
                        right[p] = (belief[p] >= top - alike) / max(ties, 1)
            place[met[:number]] = NONE
