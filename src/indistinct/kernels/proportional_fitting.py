"""Who of a class has which of its values, if a naive Bayes model is to be believed.

People are put together by their exact features. Each could stand in some classes, and each class
holds known numbers of values. Given how likely every value makes every feature, people are shared
out among the places (class, value) in proportion to that likelihood and to a weight of the place;
the weights are changed until each place has as many people as it has records (iterative
proportional fitting). People and classes that have nothing to do with each other, by however many
others between them, are fitted one after the other.

Throughout, ``table[start[j] + codes[c, j], v]`` is the logarithm of how likely value ``v`` makes
feature j of combination ``c``; ``met[met_indptr[c]:met_indptr[c + 1]]`` are its classes, and
``value[indptr[g]:indptr[g + 1]]`` the values of class ``g``, each a place.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels.jit import inner, jit
from indistinct.types import Floats, Ints, Ints32

FILLED = 1e-13
"""Share by which places may be filled too much or too little."""


@jit
def joined(indptr: Ints, index: Ints32, number: int) -> Ints32:
    """Which of ``number`` classes some row leads from one to the other: the same label, [number].

    The label is the first class. Row r has the classes ``index[indptr[r]:indptr[r + 1]]``.
    """
    label = np.arange(number).astype(np.int32)
    for row in range(indptr.shape[0] - 1):
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


@inner
def _make_likely(
    c: int,
    codes: Ints32,
    start: Ints,
    table: Floats,
    met_indptr: Ints,
    met: Ints32,
    indptr: Ints,
    value: Ints32,
    likely: Floats,
    first: int,
) -> int:
    """How likely its places make a combination, the likeliest 1, from ``first``; where they end."""
    here, top = first, -np.inf
    for at in range(met_indptr[c], met_indptr[c + 1]):
        g = met[at]
        for entry in range(indptr[g], indptr[g + 1]):
            score = 0.0
            for j in range(codes.shape[1]):
                score += table[start[j] + codes[c, j], value[entry]]
            likely[here] = score
            top = max(top, score)
            here += 1
    for at in range(first, here):
        likely[at] = np.exp(likely[at] - top)
    return here


@jit
def fit(
    member: Ints,
    member_indptr: Ints,
    group: Ints,
    group_indptr: Ints,
    codes: Ints32,
    start: Ints,
    table: Floats,
    weight: Ints,
    met_indptr: Ints,
    met: Ints32,
    indptr: Ints,
    value: Ints32,
    held: Ints,
    scale: Floats,
    sweeps: int,
) -> None:
    """Change the weights of places, ``scale``, until they have the people they hold.

    Arguments:
        member: the combinations, block by block; those of block b from ``member_indptr[b]`` on.
        member_indptr: see ``member``.
        group: the classes of the blocks; no combination of another block could be in them.
        group_indptr: where those of each block begin.
        codes: see above.
        start: see above.
        table: see above.
        weight: people of each combination.
        met_indptr: see above.
        met: see above.
        indptr: see above.
        value: see above.
        held: how often each class has each value, [places].
        scale: the weights, [places].
        sweeps: rounds at most.
    """
    likely, filled = np.empty(0), np.zeros(scale.shape[0])
    for b in range(member_indptr.shape[0] - 1):
        room = 0
        for c in member[member_indptr[b] : member_indptr[b + 1]]:
            for at in range(met_indptr[c], met_indptr[c + 1]):
                room += indptr[met[at] + 1] - indptr[met[at]]
        if room > likely.shape[0]:
            likely = np.empty(room)
        here = 0
        for c in member[member_indptr[b] : member_indptr[b + 1]]:
            here = _make_likely(
                c, codes, start, table, met_indptr, met, indptr, value, likely, here
            )
        for _ in range(sweeps):
            here = 0
            for c in member[member_indptr[b] : member_indptr[b + 1]]:
                total, first = 0.0, here
                for at in range(met_indptr[c], met_indptr[c + 1]):
                    for entry in range(indptr[met[at]], indptr[met[at] + 1]):
                        total += scale[entry] * likely[here]
                        here += 1
                each = weight[c] / total if total > 0.0 else 0.0
                for at in range(met_indptr[c], met_indptr[c + 1]):
                    for entry in range(indptr[met[at]], indptr[met[at] + 1]):
                        filled[entry] += each * scale[entry] * likely[first]
                        first += 1
            still = True
            for g in group[group_indptr[b] : group_indptr[b + 1]]:
                for entry in range(indptr[g], indptr[g + 1]):
                    if filled[entry] > 0.0:
                        change = held[entry] / filled[entry]
                        scale[entry] *= change
                        still &= abs(change - 1.0) <= FILLED
                        filled[entry] = 0.0
            if still:
                break


@jit
def share_out(
    begin: int,
    end: int,
    codes: Ints32,
    start: Ints,
    table: Floats,
    weight: Ints,
    met_indptr: Ints,
    met: Ints32,
    indptr: Ints,
    value: Ints32,
    scale: Floats,
    counted: Floats,
    out_indptr: Ints,
    out_value: Ints32,
    out: Floats,
) -> None:
    """Share the people of combinations ``begin`` to ``end`` out once.

    Where ``counted`` has rows, the people with each feature and value are added on the rows of
    ``table``. Where ``out`` has rows, the shares of the values of combination ``c`` are added to
    ``out[out_indptr[c - begin]:]``, in the order of ``out_value``, which rise; those of values that
    are not listed there are left out.
    """
    likely = np.empty(0)
    for c in range(begin, end):
        room = 0
        for at in range(met_indptr[c], met_indptr[c + 1]):
            room += indptr[met[at] + 1] - indptr[met[at]]
        if room > likely.shape[0]:
            likely = np.empty(room)
        _make_likely(c, codes, start, table, met_indptr, met, indptr, value, likely, 0)
        here, total = 0, 0.0
        for at in range(met_indptr[c], met_indptr[c + 1]):
            for entry in range(indptr[met[at]], indptr[met[at] + 1]):
                likely[here] *= scale[entry]
                total += likely[here]
                here += 1
        if total <= 0.0:
            continue
        here = 0
        for at in range(met_indptr[c], met_indptr[c + 1]):
            for entry in range(indptr[met[at]], indptr[met[at] + 1]):
                v, share = value[entry], likely[here] / total
                here += 1
                if counted.shape[0]:
                    for j in range(codes.shape[1]):
                        counted[start[j] + codes[c, j], v] += weight[c] * share
                if out.shape[0]:
                    low, last = out_indptr[c - begin], out_indptr[c - begin + 1]
                    high = last
                    while low < high:
                        middle = (low + high) // 2
                        if out_value[middle] < v:
                            low = middle + 1
                        else:
                            high = middle
                    if low < last and out_value[low] == v:
                        out[low] += share
