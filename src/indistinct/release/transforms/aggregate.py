"""Values put together: the ends of a range, groups by thresholds, groups by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.document import many
from indistinct.errors import DataError
from indistinct.hierarchies import decimals
from indistinct.release.transforms.measured import Least, Measured, owned_by_enough
from indistinct.release.transforms.texts import mapped
from indistinct.sources.table import ROWS_FOUND
from indistinct.types import Ints

Show = Literal["range", "mean", "median"]

MOVED_END = "; too few were beyond the requested end, so it is the value of a record"
"""What the certificate adds where an end was moved."""


def code_ends(column: Measured, *, bottom: float | None, top: float | None) -> pl.Series:
    """Numbers below the bottom published as the bottom, and those above the top as the top.

    Arguments:
        column: the numbers.
        bottom: the least that is published, in the column's unit; None for no bound.
        top: the most that is published, likewise.

    Raises:
        DataError: the column holds dates, or an end is a fraction among whole numbers.
    """
    _require_numbers(column)
    found = column.present
    for limit, pick in ((bottom, np.maximum), (top, np.minimum)):
        if limit is not None:
            found = pick(found, column.limit(limit))
    return column.column(found)


def shared_ends(
    column: Measured, *, bottom: float | None, top: float | None, least: Least
) -> tuple[float | None, float | None]:
    """The ends, moved inwards until enough values, or people, are at or beyond each.

    An end that nobody reaches stays where it is, and both where all values are too few.

    Arguments:
        column: the numbers.
        bottom: the lower end, in the column's unit; None for none.
        top: the upper end, likewise.
        least: how many are enough.

    Raises:
        DataError: as :func:`code_ends` does.
    """
    _require_numbers(column)
    if top is not None:
        top = _shared_end(column, column.limit(top), top, least, 1)
    if bottom is not None:
        bottom = _shared_end(column, column.limit(bottom), bottom, least, -1)
    return bottom, top


def _shared_end(column: Measured, limit: int, said: float, least: Least, sign: int) -> float:
    away = sign * column.present
    if not (away >= sign * limit).any():
        return said
    order = np.argsort(-away, kind="stable")
    owners = order if least.owners is None else least.owners[column.there][order]
    first = np.sort(np.unique(owners, return_index=True)[1])
    if len(first) < least.k or away[order[first[least.k - 1]]] >= sign * limit:
        return said
    return float(column.present[order[first[least.k - 1]]] / 10**column.digits)


def by_thresholds(
    column: Measured, thresholds: Sequence[float], show: Show, least: Least, *, fixed: bool = False
) -> pl.Series:
    """Numbers as the group between two thresholds, or as the mean or median of that group.

    A threshold belongs to the group above it: ``[18, 40)``. A group of too few is put to the next:
    ``[18, 65)``, or ``any`` where one is left. Means and medians are rounded to as many decimal
    places as a tenth of the values have, and no person has most of the values of a group.

    Arguments:
        column: the numbers.
        thresholds: where groups begin, rising.
        show: what is published of a group.
        least: how many a group needs. Where all numbers are too few, each is published as ``any``.
        fixed: whether ranges stay as they are in any case.

    Raises:
        DataError: the column holds dates, or all its values are too few for a mean or median.
    """
    _require_numbers(column)
    known = [decimals.parsed(limit) for limit in thresholds]
    limits = [number for number in known if number is not None]
    digits = max(column.digits, decimals.places(limits))
    edges = np.array([decimals.at(number, digits) for number in limits], np.int64)
    present = column.present
    group = np.searchsorted(edges, present * 10 ** (digits - column.digits), side="right")
    order = np.argsort(present, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    if show != "range":
        starts = owned_by_enough(column, starts, order, least)
        sizes = np.diff(np.append(starts, len(order)))
        group[order] = np.repeat(np.arange(len(starts)), sizes)
        return column.column(column.near(_centres(present, group, len(starts), show)))
    names = [decimals.written(*number) for number in limits]
    labels = [_range(low, high) for low, high in pairwise([None, *names, None])]
    owners = order if least.owners is None else np.unique(least.owners[column.there])
    if not fixed and len(owners) < least.k:
        labels = [_range(None, None)] * len(labels)
    elif not fixed:
        starts = owned_by_enough(column, starts, order, least, share=1.0)
        lows, highs = group[order[starts]], group[order[np.append(starts[1:], len(order)) - 1]]
        ends = [None, *names, None]
        for low, high in zip(lows.tolist(), highs.tolist(), strict=True):
            labels[low] = _range(ends[low], ends[high + 1])
        group = lows[np.searchsorted(lows, group, side="right") - 1]
    of = np.zeros(len(column.there), np.uint32)
    of[column.there] = group
    texts = pl.Series(labels, dtype=pl.String).gather(pl.Series(of))
    return texts.set(pl.Series(~column.there), None).alias(column.name)


def _range(low: str | None, high: str | None) -> str:
    """What a group between two thresholds is called."""
    if low is None:
        return "any" if high is None else f"<{high}"
    return f">={low}" if high is None else f"[{low}, {high})"


def by_name(texts: pl.Series, groups: Mapping[str, Sequence[str]], other: str | None) -> pl.Series:
    """Texts as the name of the group they are in.

    Arguments:
        texts: the column, null for missing.
        groups: the values of each group, by its name.
        other: what values in no group are published as; None where there may be none.

    Raises:
        DataError: values are in no group, and there is no other. It names the rows.
    """
    home = {value: name for name, values in groups.items() for value in values}
    left = [text for text in texts.drop_nulls().unique().to_list() if text not in home]
    if left and other is None:
        found = texts.is_in(pl.Series(left, dtype=pl.String).implode()).fill_null(False)
        raise DataError(
            "no-group",
            f"{many(len(left), 'value is')} in no group",
            attribute=texts.name,
            rows=tuple((found.arg_true().head(ROWS_FOUND) + 1).to_list()),
            remedy='put them into one, or name the group of all others: other = "other"',
        )
    if other is not None:
        home |= dict.fromkeys(left, other)
    return mapped(texts, home)


def told(
    *,
    bottom: float | None,
    top: float | None,
    thresholds: Sequence[float],
    show: Show,
    k: int,
    of_people: bool = False,
) -> str:
    """What the certificate says of it.

    Arguments:
        bottom: what smaller numbers are published as.
        top: what larger numbers are published as.
        thresholds: where groups of numbers begin, rising; none where no such groups are made.
        show: what is published of a group of numbers.
        k: the fewest values, or people, of a group.
        of_people: whether people are counted, as they have many records.
    """
    if thresholds:
        whose = "people" if of_people else "values"
        how = "groups"
        if show != "range":
            how = f"the {show} of groups of {k} or more {whose} of the table, suppressed ones too,"
        return f"aggregated to {how} between {', '.join(f'{limit:.15g}' for limit in thresholds)}"
    parts = []
    if bottom is not None:
        parts.append(f"{bottom:.15g} stands for {bottom:.15g} or less")
    if top is not None:
        parts.append(f"{top:.15g} stands for {top:.15g} or more")
    return ", ".join(parts) if parts else "aggregated to groups"


def _centres(present: Ints, group: NDArray[np.intp], groups: int, show: Show) -> Ints:
    found = np.empty_like(present)
    for g in range(groups):
        own = np.sort(present[group == g])
        if not len(own):
            continue
        if show == "mean":
            away = int((own - own[0]).sum())
            centre = int(own[0]) + (2 * away + len(own)) // (2 * len(own))
        else:
            low, high = int(own[(len(own) - 1) // 2]), int(own[len(own) // 2])
            centre = low + (high - low + 1) // 2
        found[group == g] = centre
    return found


def _require_numbers(column: Measured) -> None:
    if column.kind != "number":
        raise DataError(
            "no-numbers",
            "only numbers have a top, a bottom and thresholds, and these are dates",
            attribute=column.name,
            remedy='round dates: transform = { round = "month" }',
        )
