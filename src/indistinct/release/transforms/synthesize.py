"""Values drawn from a model of the columns: their distributions, and a Gaussian copula.

Every column keeps its own distribution, as far as a sample shows it. How columns go together is
described by one correlation for every two of them, of their ranks turned into normal scores; of
columns without an order (categories) little of it is caught. Records are drawn from that model, as
many as the table has (Song 2000; Patki and others 2016 do so for tables).

This promises nothing. Categories, and numbers of a column with few distinct ones, are values of the
table, rare ones among them; other numbers and dates lie between two neighbouring values of it. Of
numbers and dates the four smallest and the four largest are drawn as the fifth: the ends tell
nobody apart.
Differential privacy would need noise in the model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.microdata.encoding import codes_in
from indistinct.microdata.microdata import sorted_values
from indistinct.randomness import Random
from indistinct.release.transforms.measured import Measured

ENDS = 4
"""How many of the smallest and of the largest numbers are drawn as the next one."""

FEW = 20
"""A column with so few distinct numbers is drawn from them, without others in between."""


@dataclass(frozen=True, eq=False)
class Part:
    """A column to be drawn: as it is stored, as text, and as numbers or dates where it is such."""

    values: pl.Series
    texts: pl.Series
    measured: Measured | None


def synthesize(parts: Sequence[Part], random: Random) -> list[pl.Series]:
    """The columns, drawn together; as many records as there are.

    Which records have a missing value is drawn by itself, with the share that the column has.
    """
    if not parts or not len(parts[0].values):
        return [part.values for part in parts]
    records = len(parts[0].values)
    orders, scores = [], np.full((len(parts), records), np.nan)
    for j, part in enumerate(parts):
        key = _key(part)
        order = np.lexsort((random.random(records), key))[: int(np.isfinite(key).sum())]
        scores[j, order] = _normal_scores(len(order))
        orders.append(order)
    drawn = random.standard_normal((records, len(parts))) @ _root(scores).T
    share = 0.5 * (1.0 + np.vectorize(math.erf, otypes=[np.float64])(drawn / math.sqrt(2.0)))
    there = random.random((records, len(parts))) * records
    return [
        _column(part, order, share[:, j], there[:, j] < len(order))
        for j, (part, order) in enumerate(zip(parts, orders, strict=True))
    ]


def told(*, joint: bool) -> str:
    """What the certificate says of it."""
    how = "together with the others drawn so" if joint else "by itself"
    return f"synthetic: drawn from a model, {how}; that alone promises nothing"


def _key(part: Part) -> NDArray[np.float64]:
    """What a column is ranked by, infinite for missing values."""
    if part.measured is not None:
        steps = part.measured.steps.astype(np.float64)
        return np.where(part.measured.there, steps, np.inf)
    known = sorted_values(part.texts.drop_nulls())
    codes = codes_in(part.texts, [*known, None]).astype(np.float64)
    return np.where(codes == len(known), np.inf, codes)


def _normal_scores(count: int) -> NDArray[np.float64]:
    normal = NormalDist()
    return np.array([normal.inv_cdf((at + 0.5) / count) for at in range(count)])


def _root(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """A root of the correlation matrix of the scores, NaN where they are missing.

    Every correlation is over the records that have both values; what is no matrix of correlations
    then is replaced by one that is near.
    """
    columns = len(scores)
    correlation = np.eye(columns)
    for j in range(columns):
        for other in range(j):
            both = np.isfinite(scores[j]) & np.isfinite(scores[other])
            one, two = scores[j, both], scores[other, both]
            if len(one) > 1 and np.ptp(one) > 0 and np.ptp(two) > 0:
                correlation[j, other] = correlation[other, j] = np.corrcoef(one, two)[0, 1]
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    found: NDArray[np.float64] = root / np.sqrt((root**2).sum(axis=1, keepdims=True))
    return found


def _without_ends(order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Places of values in their order, those at the ends replaced by the fifth from there."""
    if len(order) <= 2 * ENDS:
        return np.full_like(order, order[len(order) // 2])
    return order[np.clip(np.arange(len(order)), ENDS, len(order) - 1 - ENDS)]


def _column(
    part: Part, order: NDArray[np.intp], share: NDArray[np.float64], there: NDArray[np.bool_]
) -> pl.Series:
    """The values at these shares of the column's distribution, where they are not missing."""
    count = len(order)
    own = part.measured
    if not count:
        return part.values
    if own is not None:
        order = _without_ends(order)
    if own is None or len(np.unique(own.present)) <= FEW:
        place = order[np.minimum((share * count).astype(np.int64), count - 1)]
        return part.values.gather(pl.Series(place)).set(pl.Series(~there), None)
    ordered = own.steps[order]
    at = np.clip(share[there] * count - 0.5, 0.0, count - 1.0)
    low = np.floor(at).astype(np.int64)
    high = np.minimum(low + 1, count - 1)
    between = ordered[low] + np.rint((at - low) * (ordered[high] - ordered[low])).astype(np.int64)
    return replace(own, steps=np.zeros(len(share), np.int64), there=there).column(between)
