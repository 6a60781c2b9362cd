"""Columns that can be computed from others: an age from a year and a year of birth.

None of these tells it alone. Where all are published as they are, they undo what is generalized, or
changed, and no promise about equivalence classes sees that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import polars as pl

from indistinct.analytics.leakage.derivations import NEARLY, in_order, on_scales
from indistinct.types import Floats

ROWS = 1_000
"""Rows that are looked at."""

EXPLAINED = 0.9
"""The share of a column's variance from which on two others are looked at more closely."""

TRIED = 3
"""So many pairs of columns are, those that explain most."""

ROWS_EACH = 10
"""So many rows for each of more than two columns show that a sum of them is not one by chance."""

_LITTLE = 1e-9


def computed(
    texts: pl.DataFrame, kinds: Mapping[str, str], sought: Sequence[str], published: Iterable[str]
) -> list[tuple[str, ...]]:
    """Columns that rise or fall with a weighted sum of others, or a product of two others' powers.

    Nearly always, where they do not with any alone: a day of admission is that of discharge less a
    stay, a weight follows from a height and a body mass index, a part is the total less the others.

    Arguments:
        texts: the columns as text, null for missing.
        kinds: the kind that each column has by its type, ``text`` where only texts are known.
        sought: the columns that somebody would like to know.
        published: those that everybody can read.

    Returns:
        Each column that follows from two or more, with these.
    """
    readable = [name for name in published if name not in sought]
    if not sought or len(readable) < 2:
        return []
    some = texts.head(ROWS)
    others = on_scales(some, kinds, readable)
    found = []
    for name, values in (on_scales(some, kinds, sought) if len(others) > 1 else {}).items():
        far = {one: by for one, by in others.items() if not in_order(by, values, NEARLY)}
        those = _pair(values, far) or _parts(values, far)
        if those:
            found.append((name, *those))
    return found


def told_better(values: Floats, told: float, others: Mapping[str, Floats]) -> tuple[str, ...]:
    """The one or two columns that tell a changed one better than its own published values do.

    They explain nearly all of its variance, and leave half of what these leave, or less.

    Arguments:
        values: the column as it was, [n].
        told: the share of its variance that its published values explain.
        others: what others are published as, [n] each.
    """
    names, least = list(others), max(EXPLAINED, (1 + told) / 2)
    columns = np.stack([values, *others.values()])
    for kept in (columns, _logarithms(columns)) if names else ():
        explained = _explained(kept)
        best = int(np.argmax(np.diagonal(explained)))
        one, other = np.unravel_index(int(np.argmax(explained)), explained.shape)
        if explained[best, best] >= least:
            return (names[best],)
        if explained[one, other] >= least:
            return names[one], names[other]
    return ()


def told_by_scale(values: Floats, shown: Floats) -> float:
    """The share of a column's variance that its published values explain."""
    return float(_explained(np.stack([values, shown]))[0, 0])


def told_by_groups(values: Floats, shown: pl.Series) -> float:
    """The share of a column's variance that is between the groups in which it is published."""
    table = pl.DataFrame({"value": values, "group": shown}).filter(pl.col("value").is_not_nan())
    beside = (pl.col("value") - pl.col("value").mean()) ** 2
    left, whole = table.select(beside.over("group").sum(), beside.sum().alias("whole")).row(0)
    return 1 - left / whole if whole else 1.0


def _parts(values: Floats, others: Mapping[str, Floats]) -> tuple[str, ...]:
    """Columns, none of them idle, of which a sum puts the values in order.

    Those that lack most of their numbers are left aside.
    """
    there = {name: by for name, by in others.items() if np.isnan(by).mean() < 0.5}
    rows = ~np.isnan([values, *there.values()]).any(axis=0)
    if len(there) < 2 or np.count_nonzero(rows) < ROWS_EACH * len(there):
        return ()
    columns = np.stack([values, *there.values()])[:, rows]
    if not in_order(_fitted(columns), columns[0]):
        return ()
    kept = list(range(1, len(columns)))
    for at in list(kept):
        fewer = [one for one in kept if one != at]
        if fewer and in_order(_fitted(columns[[0, *fewer]]), columns[0]):
            kept = fewer
    names = list(there)
    return tuple(names[at - 1] for at in kept)


def _pair(values: Floats, others: Mapping[str, Floats]) -> tuple[str, ...]:
    """The two columns of which a sum, or else a product, puts the values in order."""
    names = list(others)
    if len(names) < 2:
        return ()
    columns = np.stack([values, *others.values()])
    for kept in (columns, _logarithms(columns)):
        explained = np.triu(_explained(kept), k=1)
        best = np.argsort(-explained, axis=None, kind="stable")[:TRIED]
        for one, other in zip(*np.unravel_index(best, explained.shape), strict=True):
            if explained[one, other] < EXPLAINED:
                break
            if in_order(_fitted(kept[[0, one + 1, other + 1]]), values):
                return names[one], names[other]
    return ()


def _logarithms(columns: Floats) -> Floats:
    """Logarithms of what is above zero; others are missing."""
    above = columns > 0
    return np.where(above, np.log(np.where(above, columns, 1.0)), np.nan)


def _explained(columns: Floats) -> Floats:
    """The share of the first column's variance that each two others explain, [c, c].

    Once each; on the diagonal what each explains alone.
    """
    there = ~np.isnan(columns)
    # Around the mean and by the deviation, so that days since 1970 lose nothing.
    count = np.maximum(there.sum(axis=1, keepdims=True), 1)
    held = np.where(there, columns, 0.0)
    held = np.where(there, held - held.sum(axis=1, keepdims=True) / count, 0.0)
    deviation = np.sqrt((held**2).sum(axis=1, keepdims=True) / count)
    held = held / np.maximum(deviation, _LITTLE)
    pairs = np.maximum(there.astype(float) @ there.T, 1.0)
    together = np.clip(held @ held.T / pairs, -1.0, 1.0)
    own, between = together[0, 1:], together[1:, 1:]
    among = 1.0 - between**2
    both = own[:, None] ** 2 + own**2 - 2 * own[:, None] * own * between
    shares = np.where(among > _LITTLE, both / np.maximum(among, _LITTLE), 0.0)
    np.fill_diagonal(shares, own**2)
    return np.triu(np.minimum(shares, 1.0))


def _fitted(columns: Floats) -> Floats:
    """The first column by least squares from the others and a constant; nan where one lacks."""
    there = ~np.isnan(columns).any(axis=0)
    rows = columns[:, there]
    middle = rows.mean(axis=1, keepdims=True) if there.any() else 0.0
    goal, *by = rows - middle
    weights = np.linalg.lstsq(np.stack(by).T, goal, rcond=None)[0]
    found = np.full(columns.shape[1], np.nan)
    found[there] = np.stack(by).T @ weights
    return found
