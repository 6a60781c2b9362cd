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
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indistinct.errors import PolicyError, Problem, did_you_mean

Values = NDArray[np.float64]

RANK_BITS = 40


def _arithmetic(costs: Values, weights: Values) -> Values:
    total: Values = (costs @ weights) / weights.sum()
    return total[..., None]


def _geometric(costs: Values, weights: Values) -> Values:
    total: Values = np.expm1(np.log1p(costs) @ (weights / weights.sum()))
    return total[..., None]


def _sum(costs: Values, weights: Values) -> Values:
    total: Values = costs @ weights
    return total[..., None]


def _max(costs: Values, weights: Values) -> Values:
    largest: Values = (costs * weights).max(axis=-1)
    return largest[..., None]


def _rank(costs: Values, weights: Values) -> Values:
    mantissa, exponent = np.frexp(-np.sort(-(costs * weights), axis=-1))
    ranked: Values = np.ldexp(np.rint(mantissa * 2.0**RANK_BITS), exponent - RANK_BITS)
    return ranked


AGGREGATES: dict[str, Callable[[Values, Values], Values]] = {
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

    def keys(self, costs: Values) -> Values:
        """Costs [..., m] as keys [..., q] that compare entry by entry; q is 1 but for ``rank``."""
        return AGGREGATES[self.name](costs, np.asarray(self.weights, dtype=np.float64))


def aggregate(name: str, weights: Sequence[float]) -> Aggregate:
    """The aggregate of that name over attributes with these weights.

    Raises :class:`PolicyError` for an unknown name, a weight that is negative or no finite number,
    or weights that are all zero.
    """
    if name not in AGGREGATES:
        raise PolicyError(
            Problem("unknown-aggregate", f"no aggregate '{name}': {did_you_mean(name, AGGREGATES)}")
        )
    if not all(0 <= weight < math.inf for weight in weights) or not any(weights):
        raise PolicyError(
            Problem(
                "bad-weight",
                "attribute weights must be finite and not negative, one at least above 0",
            )
        )
    return Aggregate(name, tuple(float(weight) for weight in weights))


def better(keys: Values, incumbent: Values | None) -> NDArray[np.bool_]:
    """Which of the keys [c, q] come strictly before the incumbent key [q], or before each its own.

    An incumbent for each of the keys is [c, q].
    """
    if incumbent is None:
        return np.ones(len(keys), dtype=np.bool_)
    if keys.shape[1] == 1:
        first: NDArray[np.bool_] = keys[:, 0] < incumbent[..., 0]
        return first
    incumbent = np.broadcast_to(incumbent, keys.shape)
    differs = keys != incumbent
    at = differs.argmax(axis=1)
    rows = np.arange(len(keys))
    before: NDArray[np.bool_] = differs.any(axis=1) & (keys[rows, at] < incumbent[rows, at])
    return before
