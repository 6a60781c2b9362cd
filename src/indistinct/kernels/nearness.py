"""How likely each published record is a person's, by values that were changed at random."""

from __future__ import annotations

import math

from indistinct.kernels.jit import inner, jit
from indistinct.types import Floats, Ints, Ints32

NORMAL, LAPLACE, UNIFORM = 0, 1, 2
"""What numbers were moved by; uniform: no farther than so much, or to any value."""


@inner
def _log_chance(
    own: Floats, shown: Floats, spread: Floats, kind: Ints, drawn: Floats, same: Floats,
    i: int, r: int,
) -> float:  # fmt: skip
    """The logarithm of how likely a person's values became those of a record, but for a constant.

    The arguments are those of :func:`link_nearest`, a person and a record.
    """
    total = 0.0
    for c in range(len(kind)):
        x, y = own[c, i], shown[c, r]
        if math.isnan(x) and math.isnan(y):  # what is missing stays missing
            continue
        if math.isnan(x) or math.isnan(y):
            return -math.inf
        away = abs(y - x) / spread[c, i]
        total += drawn[c, r]
        if x == y:
            total += same[c, r]
        elif kind[c] == NORMAL:
            total -= away * away / 2
        elif kind[c] == LAPLACE:
            total -= away
        elif away > 1:
            return -math.inf
    return total


@jit
def link_nearest(
    people: Ints, classes: tuple[Ints32, Ints, Ints32, Ints], own: Floats, shown: Floats,
    spread: Floats, kind: Ints, drawn: Floats, same: Floats, found: Floats,
) -> None:  # fmt: skip
    """How likely the likeliest record of each person's classes is theirs; 0 where none can be.

    Arguments:
        people: who is looked at, [looked].
        classes: the set of classes of everybody, -1 for none, [n]; set s holds the classes
            ``index[indptr[s]:indptr[s + 1]]``, and class g the records ``first[g]:first[g + 1]``.
        own: true numbers, or codes of values, NaN where missing, [C, n].
        shown: published ones, records in the order of classes, [C, r].
        spread: how far each person's numbers were moved, [C, n].
        kind: what they were moved by, [C].
        drawn: the logarithm of how likely a record shows its value whatever was true, [C, r].
        same: what is added to it where that was true, [C, r].
        found: what is filled, [looked].
    """
    set_of, indptr, index, first = classes
    for at in range(len(people)):
        i = people[at]
        s, best, total = set_of[i], -math.inf, 0.0
        if s >= 0:
            for e in range(indptr[s], indptr[s + 1]):
                for r in range(first[index[e]], first[index[e] + 1]):
                    best = max(best, _log_chance(own, shown, spread, kind, drawn, same, i, r))
        if best > -math.inf:
            for e in range(indptr[s], indptr[s + 1]):
                for r in range(first[index[e]], first[index[e] + 1]):
                    total += math.exp(
                        _log_chance(own, shown, spread, kind, drawn, same, i, r) - best
                    )
        found[at] = 1 / total if total > 0 else 0.0
