"""Who of a class has which of its values, if a naive Bayes model is to be believed.

People are put together by their exact features. Each could stand in some classes, and each class
holds known numbers of values. Given how likely every value makes every feature, people are shared
out among the places (class, value) in proportion to that likelihood and to a weight of the place;
the weights are changed until each place has as many people as it has records (iterative
proportional fitting).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels.jit import jit


@jit
def make_likely(
    codes: NDArray[np.int32],
    start: NDArray[np.int64],
    table: NDArray[np.float64],
    met_indptr: NDArray[np.int64],
    met: NDArray[np.int32],
    indptr: NDArray[np.int64],
    value: NDArray[np.int32],
    stamp: NDArray[np.int64],
    begin: NDArray[np.int64],
    likely: NDArray[np.float64],
) -> None:
    """How likely the values that combinations could have make their features, the likeliest 1.

    ``table[start[j] + codes[c, j], v]`` is the logarithm of how likely value ``v`` makes feature j
    of combination ``c``; ``met[met_indptr[c]:met_indptr[c + 1]]`` are its classes, and
    ``value[indptr[g]:indptr[g + 1]]`` the values of class ``g``.

    ``likely[begin[c]:begin[c + 1]]`` becomes that of the different values of combination ``c``, in
    the order in which its classes have them. Where ``likely`` is empty, ``begin`` is made instead.
    ``stamp`` is scratch, [D].
    """
    combinations, features = codes.shape
    counts = likely.shape[0] == 0
    stamp[:] = -1
    begin[0] = 0
    for c in range(combinations):
        here = begin[c]
        top = -np.inf
        for at in range(met_indptr[c], met_indptr[c + 1]):
            g = met[at]
            for entry in range(indptr[g], indptr[g + 1]):
                v = value[entry]
                if stamp[v] == c:
                    continue
                stamp[v] = c
                if not counts:
                    score = 0.0
                    for j in range(features):
                        score += table[start[j] + codes[c, j], v]
                    likely[here] = score
                    top = max(top, score)
                here += 1
        if counts:
            begin[c + 1] = here
        else:
            for at in range(begin[c], here):
                likely[at] = np.exp(likely[at] - top)


@jit
def share_out(
    codes: NDArray[np.int32],
    start: NDArray[np.int64],
    weight: NDArray[np.int64],
    met_indptr: NDArray[np.int64],
    met: NDArray[np.int32],
    indptr: NDArray[np.int64],
    value: NDArray[np.int32],
    scale: NDArray[np.float64],
    begin: NDArray[np.int64],
    likely: NDArray[np.float64],
    own_likely: NDArray[np.float64],
    stamp: NDArray[np.int64],
    filled: NDArray[np.float64],
    counted: NDArray[np.float64],
    out_indptr: NDArray[np.int64],
    out_value: NDArray[np.int32],
    out: NDArray[np.float64],
) -> None:
    """Share people out once.

    Features, classes, values and ``likely`` are as :func:`make_likely` has them, every value of a
    class with a ``scale``.

    ``filled`` [entries] becomes how many people each place gets. Where ``counted`` has rows, it
    gets the people with each feature and value, on the rows of the table of :func:`make_likely`.
    Where ``out`` has rows, the shares of the values of combination ``c`` are written to
    ``out[out_indptr[c]:]``, in the order of ``out_value``, which rise; those of values that are not
    listed there are left out. ``own_likely`` and ``stamp`` are
    scratch, [D].
    """
    combinations, features = codes.shape
    filled[:] = 0.0
    counted[:] = 0.0
    stamp[:] = -1
    for c in range(combinations):
        here = begin[c]
        total = 0.0
        for at in range(met_indptr[c], met_indptr[c + 1]):
            g = met[at]
            for entry in range(indptr[g], indptr[g + 1]):
                v = value[entry]
                if stamp[v] != c:
                    stamp[v] = c
                    own_likely[v] = likely[here]
                    here += 1
                total += scale[entry] * own_likely[v]
        if total <= 0.0:
            continue
        each = weight[c] / total
        own = out_indptr[c] if out.shape[0] else 0
        for at in range(met_indptr[c], met_indptr[c + 1]):
            g = met[at]
            for entry in range(indptr[g], indptr[g + 1]):
                v = value[entry]
                people = each * scale[entry] * own_likely[v]
                filled[entry] += people
                if counted.shape[0]:
                    for j in range(features):
                        counted[start[j] + codes[c, j], v] += people
                if out.shape[0]:
                    low, high = own, out_indptr[c + 1]
                    while low < high:
                        middle = (low + high) // 2
                        if out_value[middle] < v:
                            low = middle + 1
                        else:
                            high = middle
                    if low < out_indptr[c + 1] and out_value[low] == v:
                        out[low] += scale[entry] * own_likely[v] / total
