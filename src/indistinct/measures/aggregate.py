"""How the costs of the attributes become one cost that can be compared.

Conventions (those of ARX where it has them): with costs x_j and weights w_j, ``arithmetic`` is
sum(w x) / sum(w), ``geometric`` prod((1 + x)^(w / sum(w))) - 1, ``sum`` sum(w x), ``max`` max(w x),
and ``rank`` the vector of the w x sorted from the largest down, compared entry by entry. Its
entries are rounded to 40 binary digits, so that what is equal up to rounding errors counts as equal
and the next entry decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from indistinct.errors import PolicyError, did_you_mean
from indistinct.frozen import dataclass
from indistinct.types import Bools, Floats, Ints

RANK_BITS = 40


def _arithmetic(costs: Floats, weights: Floats) -> Floats:
    total: Floats = (costs @ weights) / weights.sum()
    return total[..., None]


def _geometric(costs: Floats, weights: Floats) -> Floats:
    total: Floats = np.expm1(np.log1p(costs) @ (weights / weights.sum()))
    return total[..., None]


def _sum(costs: Floats, weights: Floats) -> Floats:
    total: Floats = costs @ weights
    return total[..., None]


def _max(costs: Floats, weights: Floats) -> Floats:
    largest: Floats = (costs * weights).max(axis=-1)
    return largest[..., None]


def _rank(costs: Floats, weights: Floats) -> Floats:
    mantissa, exponent = np.frexp(-np.sort(-(costs * weights), axis=-1))
    ranked: Floats = np.ldexp(np.rint(mantissa * 2.0**RANK_BITS), exponent - RANK_BITS)
    return ranked


AGGREGATES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "arithmetic": _arithmetic,
    "geometric": _geometric,
    "sum": _sum,
    "max": _max,
    "rank": _rank,
}


@dataclass(frozen=True)
class Aggregate:
    """One way of aggregating the costs of m attributes, with their weights."""

    name: str
    weights: tuple[float, ...]

    def keys(self, costs: Floats) -> Floats:
        """Costs [..., m] as keys [..., q] that compare entry by entry; q is 1 but for ``rank``."""
        return AGGREGATES[self.name](costs, np.asarray(self.weights, dtype=np.float64))


def aggregate(name: str, weights: Sequence[float]) -> Aggregate:
    """The aggregate of that name over attributes with these weights.

    Raises :class:`PolicyError` for an unknown name, a weight that is negative or no finite number,
    or weights that are all zero.
    """
    if name not in AGGREGATES:
        raise PolicyError(
            "unknown-aggregate", f"no aggregate '{name}': {did_you_mean(name, AGGREGATES)}"
        )
    if not all(0 <= weight < math.inf for weight in weights) or not any(weights):
        raise PolicyError(
            "bad-weight", "attribute weights must be finite and not negative, one at least above 0"
        )
    return Aggregate(name, tuple(float(weight) for weight in weights))


def ascending(keys: Floats) -> Ints:
    """Where the keys [c, q] stand from the best to the worst, equal ones in their order, [c]."""
    return np.lexsort(keys.T[::-1])


def better(keys: Floats, incumbent: Floats | None) -> Bools:
    """Which of the keys [c, q] come strictly before the incumbent key [q], or before each its own.

    An incumbent for each of the keys is [c, q].
    """
    if incumbent is None:
        return np.ones(len(keys), dtype=np.bool_)
    if keys.shape[1] == 1:
        return keys[:, 0] < incumbent[..., 0]
    incumbent = np.broadcast_to(incumbent, keys.shape)
    differs = keys != incumbent
    at = differs.argmax(axis=1)
    rows = np.arange(len(keys))
    before: Bools = differs.any(axis=1) & (keys[rows, at] < incumbent[rows, at])
    return before
