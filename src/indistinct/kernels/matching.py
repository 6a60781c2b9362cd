"""Taking published rows for people one after the other, in the order of both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.kernels.jit import jit


@jit
def first_unused(
    crowd_of: NDArray[np.int32],
    crowd_indptr: NDArray[np.int64],
    crowd_class: NDArray[np.int32],
    row_indptr: NDArray[np.int64],
    rows: NDArray[np.int64],
    place: NDArray[np.int64],
    following: NDArray[np.int64],
    taken: NDArray[np.int64],
) -> None:
    """For every person, in order, the first published row that no one before took; -1 for none.

    The rows of class ``g`` are ``rows[row_indptr[g]:row_indptr[g + 1]]`` in published order, and
    ``place[row]`` is where a row stands in the file. A person may take the rows of the classes of
    the own crowd. ``following`` [G] is scratch.
    """
    for g in range(row_indptr.shape[0] - 1):
        following[g] = row_indptr[g]
    for person in range(crowd_of.shape[0]):
        best = -1
        first = np.int64(0)
        q = crowd_of[person]
        for at in range(crowd_indptr[q], crowd_indptr[q + 1]):
            g = crowd_class[at]
            if following[g] == row_indptr[g + 1]:
                continue
            here = place[rows[following[g]]]
            if best < 0 or here < first:
                best = g
                first = here
        if best < 0:
            taken[person] = -1
        else:
            taken[person] = rows[following[best]]
            following[best] += 1
