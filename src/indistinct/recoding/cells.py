"""What is published of the classes of a partition: one tight cell per class and attribute.

Four styles. A ``range`` has the smallest and the largest number in the class, or its first and its
last date as far as the hierarchy publishes dates: ``[2019-03, 2020-11]``. A ``set`` has all its
values, an ``ancestor`` the lowest node of the hierarchy above them all, a ``level`` the label they
share at the lowest level of the hierarchy on which they agree. Where all branches of a hierarchy
are equally long the last two are the same.

Missing values and values that the policy suppresses:

* A class of missing values alone is published as missing.
* A range does not hide a missing value: the cell is the set of both, ``{"[20, 24]", missing}``.
* A class with a value that is suppressed on every level has the cell ``*``.

A record with ``*`` in every quasi-identifier reads as suppressed. A class that would look like this
is published with the range or the set of its values in one attribute, the one with the fewest;
only where that is not allowed either, since suppressed values are everywhere in it, is it
suppressed.
"""

from __future__ import annotations

import bisect
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from indistinct.errors import PolicyError, Problems, did_you_mean, refuse
from indistinct.hierarchies.cells import (
    ends_of,
    members_of,
    range_of,
    range_text,
    set_text,
)
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, LevelTable, Taxonomy
from indistinct.kernels.cells import agreements, masks, spans
from indistinct.microdata.domains import numbers_of
from indistinct.microdata.encoding import numbers_of_combinations
from indistinct.microdata.leveled import LeveledTable
from indistinct.recoding.plan import CellPlan, SearchReport
from indistinct.recoding.styles import STYLES
from indistinct.types import Array, Bools, Ints, Ints32

_WORD = 64
_ZEROS = re.compile(r"0\d")

FLAT = 2
"""Levels of a hierarchy that publishes a value or nothing."""


@dataclass
class _Column:
    """One attribute: the place of every class's cell, the cells, and the leaves each stands for."""

    cell_of: Ints32
    texts: list[Label]
    covered: Ints


def cells_of(
    data: LeveledTable,
    class_of: Ints32,
    style: Mapping[str, str] | str | None,
    search: SearchReport,
    *,
    scope: str = "partition",
) -> CellPlan:
    """The plan that publishes each class with the tight cells of its members.

    Arguments:
        data: the table that was partitioned.
        class_of: the class of every combination, [C]; -1 for suppressed ones, and for those of
            weight 0 (people of a population) that are to have no part in a class's cells.
        style: ``range``, ``set``, ``ancestor`` or ``level``, for all attributes or by name. Where
            none is said: ranges if all values are numbers, or dates, sets if they look like codes
            of a hierarchy of one step (see :func:`looks_like_codes`), else ancestors.
        search: how the classes were found.
        scope: what the plan calls itself.

    Raises:
        PolicyError: for an unknown style or attribute, or a range of what is no number or date.
    """
    styles = styles_of(data, style)
    present = np.ascontiguousarray(class_of, dtype=np.int32)
    groups = int(class_of.max(initial=-1)) + 1
    columns = [_column(data, j, present, groups, chosen) for j, chosen in enumerate(styles)]
    hidden = _give_others(data, present, groups, columns, styles)
    if hidden.any():
        class_of = np.where(np.append(hidden, False)[class_of], -1, class_of).astype(np.int32)
    return CellPlan(
        attributes=data.attributes,
        class_of=np.ascontiguousarray(class_of, dtype=np.int32),
        cell_of=tuple(column.cell_of for column in columns),
        texts=tuple(tuple(column.texts) for column in columns),
        covered=tuple(column.covered for column in columns),
        style=styles,
        search=search,
        scope=scope,
    )


def styles_of(data: LeveledTable, style: Mapping[str, str] | str | None) -> tuple[str, ...]:
    """The style of every attribute, those that were not named by their values.

    Raises:
        PolicyError: for an unknown style or attribute, or a range of what is no number or date.
    """
    problems = Problems()
    asked: dict[str, str] = {}
    if isinstance(style, str):
        asked = dict.fromkeys(data.attributes, style)
    elif style is not None:
        asked = dict(style)
    for name in asked:
        if name not in data.attributes:
            problems.add(
                "unknown-attribute",
                f"cells are set for '{name}', which is not a quasi-identifier: "
                f"{did_you_mean(name, data.attributes)}",
            )
    for unknown in dict.fromkeys(text for text in asked.values() if text not in STYLES):
        problems.add(
            "unknown-cells", f"cells cannot be '{unknown}': {did_you_mean(unknown, STYLES)}"
        )
    found = []
    for name in data.attributes:
        taxonomy = data.taxonomies[name]
        numbers = taxonomy.dates is not None or numbers_in_order(taxonomy) is not None
        usual = "ancestor"
        if numbers:
            flat = taxonomy.levels <= FLAT
            usual = "range" if not looks_like_codes(taxonomy) else "set" if flat else "ancestor"
        chosen = asked.get(name, usual)
        if chosen == "range" and not numbers:
            problems.add(
                "no-numbers",
                "cells cannot be ranges: not all values are numbers, nor are all dates",
                attribute=name,
                remedy='choose cells = "set", "ancestor" or "level" for it',
            )
        found.append(chosen)
    refuse(PolicyError, problems)
    return tuple(found)


def classes_as_published(plan: CellPlan) -> Ints32:
    """A number for every class, [G]: the same for classes whose cells are all equal."""
    if plan.groups == 0:
        return np.zeros(0, dtype=np.int32)
    columns, cards = [], []
    for cell_of, texts in zip(plan.cell_of, plan.texts, strict=True):
        numbers: dict[Label, int] = {}
        number = np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int32)
        columns.append(number[cell_of])
        cards.append(max(len(numbers), 1))
    return numbers_of_combinations(columns, cards, np.ones(plan.groups, dtype=np.int64))


def amounts_under(taxonomy: Taxonomy, texts: Sequence[Label], amounts: Ints) -> Ints:
    """What the leaves that each published cell stands for add up to, [cells].

    Cells are read as :class:`~indistinct.hierarchies.cells.Coverage` reads them.

    Arguments:
        taxonomy: the hierarchy of the attribute.
        texts: what the cells are, [cells].
        amounts: that of every leaf, [leaves]; ones count the leaves.
    """
    from_top, labels, _ = paths_from_top(taxonomy.compile())
    sums = np.zeros(len(labels), dtype=np.int64)
    for nodes in from_top:
        np.add.at(sums, nodes[nodes >= 0], amounts[nodes >= 0])
    under: dict[Label, int] = dict(zip(labels, sums.tolist(), strict=True))
    for leaf, amount in zip(taxonomy.leaves, amounts.tolist(), strict=True):
        under.setdefault(leaf, amount)
    whole = int(amounts.sum())
    ordered = numbers_in_order(taxonomy)
    numbers = [] if ordered is None else [number for number, _ in ordered]
    sums_up = [0]
    if ordered is not None:
        sums_up += accumulate(int(amounts[code]) for _, code in ordered)

    def of(text: Label) -> int:
        if text == SUPPRESSED:
            return whole
        if text in under and taxonomy.dates is None:
            return under[text]
        if (ends := ends_of(text, taxonomy)) is not None:
            first, last = (
                bisect.bisect_left(numbers, ends[0]),
                bisect.bisect_right(numbers, ends[1]),
            )
            return max(sums_up[last] - sums_up[first], under.get(text, 0))
        if text in under:
            return under[text]
        return sum(map(of, members_of(text) or ()))

    return np.array([of(text) for text in texts], dtype=np.int64)


def _column(
    data: LeveledTable, attribute: int, class_of: Ints32, groups: int, style: str
) -> _Column:
    taxonomy = data.taxonomies[data.attributes[attribute]]
    codes = data.table.codes[attribute]
    return _tidy(_MAKERS[style](taxonomy, codes, class_of, groups), len(taxonomy.leaves))


def _tidy(column: _Column, leaves: int) -> _Column:
    """The same with every cell once, and without those that no class has."""
    used = np.bincount(column.cell_of, minlength=len(column.texts)) > 0
    number: dict[Label, int] = {}
    became = np.zeros(len(column.texts), dtype=np.int32)
    covered = []
    for at in np.flatnonzero(used).tolist():
        text = column.texts[at]
        if text not in number:
            number[text] = len(number)
            covered.append(int(column.covered[at]))
        became[at] = number[text]
    return _Column(
        became[column.cell_of] if len(became) else np.zeros(0, dtype=np.int32),
        list(number) or [SUPPRESSED],
        np.array(covered or [leaves], dtype=np.int64),
    )


def _ranges(taxonomy: Taxonomy, codes: Array, class_of: Ints32, groups: int) -> _Column:
    ordered = numbers_in_order(taxonomy) or []
    leaves = taxonomy.leaves
    rank = np.full(len(leaves), -2, dtype=np.int32)
    for at, (_, code) in enumerate(ordered):
        rank[code] = at
    if None in taxonomy.index and None not in taxonomy.suppressed:
        rank[taxonomy.index[None]] = -1
    low, high, flags = _spans(rank, codes, class_of, groups)
    held = low <= high
    most = max(len(ordered), 1)
    starred = (flags & 2) > 0
    empty = ~held & (flags == 0)
    # One number for every way a cell can look; -1 is suppressed, -2 missing alone.
    key = (np.where(held, low, 0).astype(np.int64) * most + np.where(held, high, 0)) * 2
    key += flags & 1
    key[~held] = -2
    key[starred | empty] = -1
    looks, cell_of = np.unique(key, return_inverse=True)
    numbers, inf = [number for number, _ in ordered], Decimal("Infinity")
    shown = taxonomy.level(0)
    amount = Counter(shown)
    tails = {label for leaf, label in zip(leaves, shown, strict=True) if leaf != label}
    dates = taxonomy.dates
    texts: list[Label] = []
    covered = []
    for look in looks.tolist():
        if look < 0:
            texts.append(SUPPRESSED if look == -1 else None)
            covered.append(len(leaves) if look == -1 else 1)
            continue
        first, last = divmod(look // 2, most)
        # Tails are published as tails, however few of their values the class has.
        ends = [shown[ordered[at][1]] for at in (first, last)]
        if dates is not None:
            ends = [dates.end(str(end)) for end in ends]
        text: Label = range_text(str(ends[0]), str(ends[1]))
        inside = amount[ends[0]]
        if ends[0] != ends[1] or ends_of(text, taxonomy) is not None:
            below, above = numbers[first], numbers[last]
            inside = bisect.bisect_right(numbers, inf if ends[1] in tails else above)
            inside -= bisect.bisect_left(numbers, -inf if ends[0] in tails else below)
        texts.append(set_text([text, None]) if look % 2 else text)
        covered.append(inside + look % 2)
    return _Column(cell_of.astype(np.int32), texts, np.array(covered, dtype=np.int64))


def _sets(taxonomy: Taxonomy, codes: Array, class_of: Ints32, groups: int) -> _Column:
    order = taxonomy.compile().order
    leaves, shown = taxonomy.leaves, taxonomy.level(0)
    amount = Counter(shown)
    of_rank = np.empty(len(leaves), dtype=np.int64)
    of_rank[order] = np.arange(len(leaves))
    gone = set(taxonomy.suppressed)
    starred = np.array([leaf in gone for leaf in leaves], dtype=np.bool_)[of_rank]
    rows = order.astype(np.int32)[codes]
    if len(leaves) <= _WORD:
        cell_of, sets = _small_sets(rows, class_of, groups)
    else:
        cell_of, sets = _large_sets(rows, class_of, groups, len(leaves))
    texts: list[Label] = []
    covered = []
    for ranks in sets:
        if not len(ranks) or starred[ranks].any():
            texts.append(SUPPRESSED)
            covered.append(len(leaves))
        else:
            labels = dict.fromkeys(shown[code] for code in of_rank[ranks].tolist())
            texts.append(set_text(list(labels)))
            covered.append(sum(amount[label] for label in labels))
    return _Column(cell_of, texts, np.array(covered, dtype=np.int64))


def _small_sets(rank: Ints32, class_of: Ints32, groups: int) -> tuple[Ints32, list[Ints]]:
    found = np.empty(groups, dtype=np.uint64)
    masks(class_of, rank, found)
    distinct, cell_of = np.unique(found, return_inverse=True)
    bits = np.arange(_WORD, dtype=np.uint64)
    held = (distinct[:, None] >> bits) & np.uint64(1) > 0
    return cell_of.astype(np.int32), [np.flatnonzero(row) for row in held]


def _large_sets(
    rank: Ints32, class_of: Ints32, groups: int, leaves: int
) -> tuple[Ints32, list[Ints]]:
    here = class_of >= 0
    pairs = np.unique(class_of[here].astype(np.int64) * leaves + rank[here])
    of_class, ranks = np.divmod(pairs, leaves)
    starts = np.searchsorted(of_class, np.arange(groups + 1)).tolist()
    number: dict[bytes, int] = {}
    sets: list[Ints] = []
    cell_of = np.empty(groups, dtype=np.int32)
    for group in range(groups):
        held = ranks[starts[group] : starts[group + 1]]
        at = number.setdefault(held.tobytes(), len(sets))
        if at == len(sets):
            sets.append(held)
        cell_of[group] = at
    return cell_of, sets


def _ancestors(taxonomy: Taxonomy, codes: Array, class_of: Ints32, groups: int) -> _Column:
    """The leaves under a node are neighbours in taxonomy order, so the ends of a class decide."""
    compiled = taxonomy.compile()
    from_top, labels, covered = paths_from_top(compiled)
    order = compiled.order
    of_rank = np.empty(len(order), dtype=np.int64)
    of_rank[order] = np.arange(len(order))
    low, high, _ = _spans(order.astype(np.int32), codes, class_of, groups)
    held = low <= high
    first = of_rank[np.where(held, low, 0)]
    last = of_rank[np.where(held, high, 0)]
    agree = np.zeros(groups, dtype=np.int64)
    for nodes in from_top:
        agree += (nodes[first] == nodes[last]) & (nodes[first] >= 0)
    node = np.where(held & (agree > 0), from_top[agree - 1, first], len(labels))
    return _Column(
        node.astype(np.int32),
        [*labels, SUPPRESSED],
        np.append(covered, len(order)),
    )


def _levels(taxonomy: Taxonomy, codes: Array, class_of: Ints32, groups: int) -> _Column:
    compiled = taxonomy.compile()
    levels, leaves = compiled.code.shape
    first = np.empty(groups, dtype=np.int32)
    level = np.empty(groups, dtype=np.int32)
    agreements(class_of, codes.astype(np.int32), compiled.code.astype(np.int32), first, level)
    held = (first >= 0) & (level < levels)
    starts = np.cumsum([0, *compiled.card.tolist()])
    texts: list[Label] = [label for labels in compiled.labels for label in labels]
    covered = np.full(len(texts) + 1, leaves, dtype=np.int64)
    for at in range(levels):
        covered[starts[at] + compiled.code[at].astype(np.int64)] = compiled.leaves[at]
    own = np.where(held, level, 0)
    place = starts[own] + compiled.code[own, np.where(held, first, 0)].astype(np.int64)
    cell_of = np.where(held, place, len(texts)).astype(np.int32)
    return _Column(cell_of, [*texts, SUPPRESSED], covered)


_MAKERS: Final[Mapping[str, Callable[[Taxonomy, Array, Ints32, int], _Column]]] = {
    "range": _ranges,
    "set": _sets,
    "ancestor": _ancestors,
    "level": _levels,
}


def _spans(
    rank: Ints32, codes: Array, class_of: Ints32, groups: int
) -> tuple[Ints32, Ints32, NDArray[np.uint8]]:
    low = np.empty(groups, dtype=np.int32)
    high = np.empty(groups, dtype=np.int32)
    flags = np.empty(groups, dtype=np.uint8)
    spans(class_of, rank[codes], low, high, flags)
    return low, high, flags


def paths_from_top(compiled: LevelTable) -> tuple[Ints, list[Label], Ints]:
    """Every leaf's way down from its top, [depth, D], -1 below the leaf; labels and leaf counts."""
    numbers: dict[Label, int] = {}
    levels, leaves = compiled.code.shape
    node = np.empty((levels, leaves), dtype=np.int64)
    for level, labels in enumerate(compiled.labels):
        own = np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.int64)
        node[level] = own[compiled.code[level]]
    covered = np.zeros(len(numbers), dtype=np.int64)
    covered[node] = compiled.leaves
    new = np.ones(node.shape, dtype=np.bool_)
    new[1:] = node[1:] != node[:-1]
    depth = new.sum(axis=0) - np.cumsum(new, axis=0)
    from_top = np.full(node.shape, -1, dtype=np.int64)
    level_at, leaf_at = np.nonzero(new)
    from_top[depth[level_at, leaf_at], leaf_at] = node[level_at, leaf_at]
    return from_top, list(numbers), covered


def _give_others(
    data: LeveledTable,
    class_of: Ints32,
    groups: int,
    columns: Sequence[_Column],
    styles: Sequence[str],
) -> Bools:
    """Another cell for classes that are ``*`` in every attribute; those where there is none."""
    starred = np.zeros(groups, dtype=np.bool_)
    starred[class_of[class_of >= 0]] = True
    for column in columns:
        starred &= np.array([text == SUPPRESSED for text in column.texts])[column.cell_of]
    if not starred.any():
        return starred
    which = np.flatnonzero(starred)
    number = np.full(groups + 1, -1, dtype=np.int32)
    number[which] = np.arange(len(which), dtype=np.int32)
    inside = number[class_of]
    others = []
    for j, name in enumerate(data.attributes):
        taxonomy = data.taxonomies[name]
        codes = numbers_in_order(taxonomy) is None or looks_like_codes(taxonomy)
        style = "set" if codes or styles[j] == "set" else "range"
        others.append(_column(data, j, inside, len(which), style))
    never = np.iinfo(np.int64).max
    cost = np.stack(
        [
            np.where(np.array([text == SUPPRESSED for text in other.texts]), never, other.covered)[
                other.cell_of
            ]
            for other in others
        ]
    )
    best = cost.argmin(axis=0)
    hidden = np.zeros(groups, dtype=np.bool_)
    hidden[which[cost.min(axis=0) == never]] = True
    for j, (column, other) in enumerate(zip(columns, others, strict=True)):
        mine = (best == j) & (cost[j] < never)
        if mine.any():
            column.cell_of[which[mine]] = other.cell_of[mine] + len(column.texts)
            column.texts.extend(other.texts)
            column.covered = np.append(column.covered, other.covered)
            tidied = _tidy(column, int(data.domain[j]))
            column.cell_of, column.texts = tidied.cell_of, tidied.texts
            column.covered = tidied.covered
    return hidden


def looks_like_codes(taxonomy: Taxonomy) -> bool:
    """Whether numbers seem to name categories: between two of them there is nothing.

    Codes are written with zeros before them, or are single digits of which no hierarchy says which
    are near. Of others it has to be said, as ``type = "category"`` does (``Taxonomy.of_codes``).

    >>> from indistinct.hierarchies.taxonomy import Taxonomy
    >>> looks_like_codes(Taxonomy("sex", [["1", "*"], ["2", "*"]]))
    True
    >>> looks_like_codes(Taxonomy("age", [["1", "[0, 5)", "*"], ["2", "[0, 5)", "*"]]))
    False
    """
    known = [leaf for leaf in taxonomy.leaves if leaf is not None]
    known = [leaf for leaf in known if leaf not in taxonomy.suppressed]
    if taxonomy.dates is not None:
        return False
    if taxonomy.codes or any(_ZEROS.match(leaf) for leaf in known):
        return True
    digits = all(len(leaf) == 1 and leaf.isascii() and leaf.isdigit() for leaf in known)
    return digits and taxonomy.levels <= FLAT


def places_of(taxonomy: Taxonomy) -> list[float] | None:
    """Where the leaves lie by number or by day, NaN for the missing one; None if one is neither.

    A date that is suppressed on every level is NaN, too.
    """
    if (dates := taxonomy.dates) is None:
        return numbers_of(taxonomy.leaves)
    return [dates.places.get(leaf or "", math.nan) for leaf in taxonomy.leaves]


def numbers_in_order(taxonomy: Taxonomy) -> list[tuple[Decimal, int]] | None:
    """The leaves in the order of their numbers, with their codes; None if one is no number.

    Dates count the days to the first one of their period. The missing value and values that are
    suppressed on every level are left out.
    """
    found: list[tuple[Decimal, int]] = []
    if (dates := taxonomy.dates) is not None:
        places = taxonomy.index
        return sorted((Decimal(day), places[leaf]) for leaf, day in dates.places.items())
    without = {None, *taxonomy.suppressed}
    for code, leaf in enumerate(taxonomy.leaves):
        if leaf in without:
            continue
        ends = range_of(f"[{leaf}, {leaf}]")
        if ends is None or not ends[0].is_finite():
            return None
        found.append((ends[0], code))
    return sorted(found) or None
