"""What promises about sensitive values ask of every class: how many, how often, how far from usual.

``cells`` [G, D] are the records per class and value; every function fills one or two figures per
class, and 0 for classes without records unless it says otherwise. Zero counts are skipped wherever
they add nothing: most classes of a search hold few of the values.
"""

from __future__ import annotations

import numpy as np

from indistinct.kernels import NONE
from indistinct.kernels.jit import jit
from indistinct.types import Floats, Ints, Ints32


@jit
def distinct(cells: Ints, found: Ints) -> None:
    """Number of different values."""
    for group in range(len(cells)):
        values = 0
        for value in range(cells.shape[1]):
            if cells[group, value]:
                values += 1
        found[group] = values


@jit
def largest(cells: Ints, total: Ints, most: Ints) -> None:
    """Number of all values, and of the most frequent one.

    Arguments:
        cells: records per class and value, [G, D].
        total: becomes the records of each class, [G].
        most: becomes those with its most frequent value, [G].
    """
    for group in range(len(cells)):
        everything = np.int64(0)
        top = np.int64(0)
        for value in range(cells.shape[1]):
            count = cells[group, value]
            everything += count
            top = max(top, count)
        total[group] = everything
        most[group] = top


@jit
def entropy(cells: Ints, found: Floats) -> None:
    """Shannon entropy in nats."""
    for group in range(len(cells)):
        everything = np.int64(0)
        weighed = 0.0
        for value in range(cells.shape[1]):
            count = cells[group, value]
            if count:
                everything += count
                weighed += count * np.log(np.float64(count))
        found[group] = np.log(np.float64(everything)) - weighed / everything if everything else 0.0


@jit
def head_and_tail(cells: Ints, place: int, first: Ints, head: Ints, tail: Ints) -> None:
    """The count of the most frequent value, and those from the ``place``-th most frequent on.

    Arguments:
        cells: records per class and value, [G, D].
        place: 1 for the most frequent value.
        first: scratch of at least ``place`` entries.
        head: becomes the count of the most frequent value, [G].
        tail: becomes the counts from the place on, added up, [G].
    """
    kept = place - 1
    for group in range(len(cells)):
        everything = np.int64(0)
        top = np.int64(0)
        held = 0
        for value in range(cells.shape[1]):
            count = cells[group, value]
            if not count:
                continue
            everything += count
            top = max(top, count)
            # The largest so far, in falling order.
            at = held
            while at and first[at - 1] < count:
                if at < kept:
                    first[at] = first[at - 1]
                at -= 1
            if at < kept:
                first[at] = count
                held = min(held + 1, kept)
        rest = everything
        for at in range(held):
            rest -= first[at]
        head[group] = top
        tail[group] = rest


@jit
def variation(cells: Ints, shares: Floats, found: Floats) -> None:
    """Half the sum of absolute differences from a distribution.

    Arguments:
        cells: records per class and value, [G, D].
        shares: the distribution, [D].
        found: becomes the distances, from 0 to 1, [G].
    """
    for group in range(len(cells)):
        everything = cells[group].sum()
        distance = 0.0
        if everything:
            for value in range(cells.shape[1]):
                distance += abs(cells[group, value] / everything - shares[value])
        found[group] = distance / 2.0


@jit
def ordered(cells: Ints, order: Ints, shares: Floats, found: Floats) -> None:
    """Mean absolute difference of cumulated shares, over all steps from one value to the next.

    Arguments:
        cells: records per class and value, [G, D].
        order: the values that count, from the smallest to the largest.
        shares: the distribution that is compared with, [D].
        found: becomes the distances, from 0 to 1, [G].
    """
    steps = len(order) - 1
    for group in range(len(cells)):
        everything = cells[group].sum()
        distance = 0.0
        if everything and steps > 0:
            ahead = 0.0
            for at in range(steps):
                value = order[at]
                ahead += cells[group, value] / everything - shares[value]
                distance += abs(ahead)
            distance /= steps
        found[group] = distance


@jit
def hierarchical(
    cells: Ints, ancestors: Ints, nodes: Ints, shares: Floats, held: Ints, found: Floats
) -> None:
    """Mean over levels of half the sum of absolute differences between shares of nodes.

    Arguments:
        cells: records per class and value, [G, D].
        ancestors: the node of every value on each level below the root, [L, D].
        nodes: how many nodes each level has, [L].
        shares: of each node in the distribution that is compared with, [L, most nodes].
        held: scratch, [most nodes].
        found: becomes the distances, from 0 to 1, [G].
    """
    levels = len(ancestors)
    for group in range(len(cells)):
        everything = cells[group].sum()
        distance = 0.0
        if everything:
            for level in range(levels):
                for node in range(nodes[level]):
                    held[node] = 0
                for value in range(cells.shape[1]):
                    count = cells[group, value]
                    if count:
                        held[ancestors[level, value]] += count
                for node in range(nodes[level]):
                    distance += abs(held[node] / everything - shares[level, node])
        found[group] = distance / (2.0 * max(levels, 1))


@jit
def kinds(
    cells: Ints, kind_of: Ints32, worth: Floats, seen: Ints, number: Ints, total: Floats
) -> None:
    """Number of different kinds of values, and what these kinds are worth together.

    Arguments:
        cells: records per class and value, [G, D].
        kind_of: the kind of each value, -1 for none, [D].
        worth: what each kind is worth, [kinds].
        seen: scratch, [kinds].
        number: becomes the number of kinds, [G].
        total: becomes what they are worth, [G].
    """
    seen[:] = NONE
    for group in range(len(cells)):
        different = 0
        together = 0.0
        for value in range(cells.shape[1]):
            kind = kind_of[value]
            if cells[group, value] and kind >= 0 and seen[kind] != group:
                seen[kind] = group
                different += 1
                together += worth[kind]
        number[group] = different
        total[group] = together


@jit
def weigh(cells: Ints, weight: Floats, once: bool, found: Floats) -> None:
    """Sum of the weights of the values.

    Arguments:
        cells: records per class and value, [G, D].
        weight: what each value weighs, [D].
        once: whether each value counts once, or else as often as it occurs.
        found: becomes the sums, [G].
    """
    for group in range(len(cells)):
        total = 0.0
        for value in range(cells.shape[1]):
            count = cells[group, value]
            if count:
                total += weight[value] if once else weight[value] * count
        found[group] = total


@jit
def largest_ratio(cells: Ints, base: Floats, found: Floats) -> None:
    """Largest quotient of a value's share and its base.

    Arguments:
        cells: records per class and value, [G, D].
        base: what the share of each value is divided by, [D].
        found: becomes the quotients, infinite over a base of 0, [G].
    """
    for group in range(len(cells)):
        everything = cells[group].sum()
        most = 0.0
        if everything:
            for value in range(cells.shape[1]):
                count = cells[group, value]
                if count:
                    gain = count / everything / base[value] if base[value] else np.inf
                    most = max(most, gain)
        found[group] = most


@jit
def largest_log_ratio(cells: Ints, base: Floats, absent: bool, found: Floats) -> None:
    """Largest absolute logarithm of the quotient of a value's share and its base.

    Arguments:
        cells: records per class and value, [G, D].
        base: what the share of each value is divided by, [D].
        absent: whether a value of positive base that the class lacks counts: its logarithm is
            infinite.
        found: becomes the logarithms in nats, infinite over a base of 0, [G].
    """
    for group in range(len(cells)):
        everything = cells[group].sum()
        most = 0.0
        if everything:
            for value in range(cells.shape[1]):
                count = cells[group, value]
                if count and base[value]:
                    most = max(most, abs(np.log(count / everything / base[value])))
                elif count or (absent and base[value]):
                    most = np.inf
                    break
        found[group] = most
