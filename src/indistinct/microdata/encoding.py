"""From the text of a table to codes: every value a leaf, every record a combination."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.kernels.grouping import LARGEST_KEY, Scratch, number_keys
from indistinct.kernels.ragged import pointers
from indistinct.microdata.frequencies import Cells, FrequencyTable
from indistinct.types import Bools, Ints, Ints32

_Code = TypeVar("_Code", bound="np.integer[Any]")


def leaf_codes(column: pl.Series, taxonomy: Taxonomy) -> Ints32:
    """The leaf code of every row, -1 where the taxonomy does not cover the value.

    ``column`` is text with null for missing; None is a leaf like any other.
    """
    return codes_in(column, taxonomy.leaves)


def codes_in(column: pl.Series, domain: Sequence[str | None]) -> Ints32:
    """The position in a domain of the text of every row, -1 where it is not there."""
    if isinstance(column.dtype, pl.Enum):
        place = {label: at for at, label in enumerate(domain)}
        values = [*column.dtype.categories.to_list(), None]
        table = np.array([place.get(value, -1) for value in values], dtype=np.int32)
        held = column.to_physical().cast(pl.UInt32)
        there: Ints32 = table[held.fill_null(len(values) - 1).to_numpy()]
        return there
    texts = [label for label in domain if label is not None]
    coded = column.cast(pl.Enum(texts), strict=False).to_physical()
    if not coded.null_count() and texts == list(domain[: len(texts)]):
        return coded.to_numpy().astype(np.int32)
    coded = coded.cast(pl.UInt32)
    position = [at for at, label in enumerate(domain) if label is not None]
    table = np.array([*position, -1], dtype=np.int32)
    found: Ints32 = table[coded.fill_null(len(texts)).to_numpy()]
    if None in domain and column.null_count():
        found[column.is_null().to_numpy()] = domain.index(None)
    return found


FEW_COLUMNS = 16
"""Columns of codes that are numbered one by one."""


def distinct_rows(rows: Ints, domain: int) -> tuple[Ints, Ints]:
    """The distinct rows of codes [C, s], and the place of every row among them [n].

    Arguments:
        rows: the codes, [n, s].
        domain: how many codes there are.
    """
    if rows.shape[1] > FEW_COLUMNS:
        found, place = np.unique(rows, axis=0, return_inverse=True)
        return found, place.ravel()
    if not rows.shape[1]:
        return rows[:1].astype(np.int64), np.zeros(len(rows), np.int64)
    columns = [own.astype(np.int32) for own in rows.T]
    ones = np.ones(len(rows), dtype=np.int64)
    codes, _, number = count_combinations(columns, [domain] * len(columns), ones)
    return np.column_stack(codes).astype(np.int64), number.astype(np.int64)


def count_combinations(
    columns: Sequence[NDArray[_Code]], domains: Sequence[int], weight: Ints
) -> tuple[list[NDArray[_Code]], Ints, Ints32]:
    """The distinct combinations of some columns of codes, sorted, with their weights.

    Returns the codes per column [C], the weight [C], and the combination of every row [n].

    Arguments:
        columns: the codes of each column, [n] each.
        domains: how many codes each column has.
        weight: what each row weighs, [n].
    """
    rows = len(weight)
    if not columns:
        return [], np.array([weight.sum()], dtype=np.int64), np.zeros(rows, dtype=np.int32)
    if _mostly_differ(columns, domains):
        return _sorted_combinations(columns, domains, weight)
    return _hashed_combinations(columns, domains, weight)


_FEW_ROWS, _MOST_SORTED = 1 << 12, 1 << 21
"""Rows that tell whether nearly all differ; and up to so many are sorted sooner than hashed."""


def _mostly_differ(columns: Sequence[NDArray[_Code]], domains: Sequence[int]) -> bool:
    """Whether nearly all of many rows have a combination of their own, by some of them."""
    rows = len(columns[0])
    if not _FEW_ROWS < rows <= _MOST_SORTED or math.prod(domains) >= LARGEST_KEY:
        return False
    some = _keys([column[:: rows // _FEW_ROWS] for column in columns], domains)
    return len(np.unique(some)) > 0.99 * len(some)


def _keys(columns: Sequence[NDArray[_Code]], domains: Sequence[int]) -> Ints:
    """The codes of every row as one number, the first column first."""
    key = np.zeros(len(columns[0]), np.int64)
    for column, domain in zip(columns, domains, strict=True):
        key *= max(domain, 1)
        key += column
    return key


def numbers_of_combinations(
    columns: Sequence[NDArray[_Code]], domains: Sequence[int], weight: Ints
) -> Ints32:
    """The number of every row's combination, as :func:`count_combinations` says it, [n].

    Arguments:
        columns: the codes of each column, [n] each.
        domains: how many codes each column has.
        weight: what each row weighs, [n].
    """
    if columns and _mostly_differ(columns, domains):
        return _numbered(*_in_order(columns, domains))
    return count_combinations(columns, domains, weight)[2]


def _in_order(columns: Sequence[NDArray[_Code]], domains: Sequence[int]) -> tuple[Ints, Bools]:
    """The order of the rows by their codes, and where in it another combination begins."""
    key = _keys(columns, domains)
    order = np.argsort(key)
    key.sort()
    return order, np.append(True, key[1:] != key[:-1])


def _numbered(order: Ints, begins: Bools) -> Ints32:
    number = np.cumsum(begins, dtype=np.int32)
    number -= 1
    combination_of = np.empty(len(order), np.int32)
    combination_of[order] = number
    return combination_of


def _sorted_combinations(
    columns: Sequence[NDArray[_Code]], domains: Sequence[int], weight: Ints
) -> tuple[list[NDArray[_Code]], Ints, Ints32]:
    """What :func:`count_combinations` says, in less memory; quicker where most rows differ."""
    order, begins = _in_order(columns, domains)
    combination_of = _numbered(order, begins)
    starts = np.flatnonzero(begins)
    del begins
    first = order[starts]
    if (weight == weight[0]).all():
        del order
        size = np.empty_like(starts)
        np.subtract(starts[1:], starts[:-1], out=size[:-1])
        size[-1] = len(weight) - starts[-1]
        size *= weight[0]
    else:
        size = np.add.reduceat(weight[order], starts)
        del order
    del starts
    return [column[first] for column in columns], size, combination_of


def _hashed_combinations(
    columns: Sequence[NDArray[_Code]], domains: Sequence[int], weight: Ints
) -> tuple[list[NDArray[_Code]], Ints, Ints32]:
    weight = np.ascontiguousarray(weight)
    scratch = Scratch.of(len(weight))
    scratch.key[:] = 0
    product = 1
    for column, domain in zip(columns, domains, strict=True):
        if product > LARGEST_KEY // max(domain, 1):
            product = number_keys(product, weight, scratch)
            scratch.key[:] = scratch.class_of
        np.multiply(scratch.key, max(domain, 1), out=scratch.key)
        np.add(scratch.key, column, out=scratch.key)
        product *= max(domain, 1)
    groups = number_keys(product, weight, scratch)
    class_of, size, first = scratch.class_of, scratch.size[:groups], scratch.first[:groups]
    del scratch  # several times what is still needed
    found = [column[first] for column in columns]
    order = order_of(found, domains)
    rank = np.empty(groups, dtype=np.int32)
    rank[order] = np.arange(groups, dtype=np.int32)
    for at, column in enumerate(found):
        found[at] = column[order]
    return found, size[order], rank[class_of]


def order_of(columns: Sequence[NDArray[_Code]], domains: Sequence[int]) -> Ints:
    """The order of combinations by their codes, the first column first."""
    if math.prod(max(domain, 1) for domain in domains) >= LARGEST_KEY:
        return np.lexsort(columns[::-1])
    return np.argsort(_keys(columns, domains))


def frequency_table(
    codes: Mapping[str, NDArray[_Code]],
    domains: Mapping[str, int],
    sensitive: Mapping[str, tuple[Ints32, tuple[str | None, ...]]],
    weight: Ints,
) -> tuple[FrequencyTable, Ints32]:
    """The frequency table of coded rows, and the combination of every row [n].

    Arguments:
        codes: the codes of each attribute, [n] each.
        domains: how many codes each of them has.
        sensitive: for each sensitive attribute its codes, [n], and its values in code order, [D].
        weight: how many units each row stands for, [n].
    """
    columns, total, combination_of = count_combinations(
        list(codes.values()), [domains[name] for name in codes], weight
    )
    cells = {
        name: _cells(values, domain, combination_of, len(total), weight)
        for name, (values, domain) in sensitive.items()
    }
    table = FrequencyTable(
        attributes=tuple(codes),
        codes=tuple(
            column.astype(np.min_scalar_type(max(domains[name] - 1, 0)), copy=False)
            for name, column in zip(codes, columns, strict=True)
        ),
        weight=total,
        sensitive=cells,
    )
    return table, combination_of


def record_table(
    codes: Mapping[str, Ints32],
    domains: Mapping[str, int],
    sensitive: Mapping[str, tuple[Ints32, tuple[str | None, ...]]],
    weight: Ints,
) -> tuple[FrequencyTable, Ints32]:
    """The rows as a frequency table of their own, none of them put together; and their numbers.

    Arguments:
        codes: the codes of each attribute, [n] each.
        domains: how many codes each of them has.
        sensitive: for each sensitive attribute its codes, [n], and its values in code order, [D].
        weight: how many units each row stands for, [n].
    """
    rows = len(weight)
    each = np.arange(rows + 1, dtype=np.int64)
    table = FrequencyTable(
        attributes=tuple(codes),
        codes=tuple(
            column.astype(np.min_scalar_type(max(domains[name] - 1, 0)))
            for name, column in codes.items()
        ),
        weight=weight,
        sensitive={
            name: Cells(each, values.astype(np.int32), weight, domain)
            for name, (values, domain) in sensitive.items()
        },
    )
    return table, np.arange(rows, dtype=np.int32)


def cells_of_people(
    values: Ints32,
    domain: tuple[str | None, ...],
    person_of: Ints32,
    combination_of: Ints32,
    table: FrequencyTable,
) -> Cells:
    """How many people of each combination have each value.

    Arguments:
        values: the value of every record, [rows].
        domain: the labels of the values.
        person_of: the person of every record, [rows].
        combination_of: the combination of every person, [n].
        table: the frequency table of the people.
    """
    ones = np.ones(len(values), dtype=np.int64)
    people = len(combination_of)
    sizes = [max(people, 1), max(len(domain), 1)]
    (person, value), _, _ = count_combinations([person_of, values], sizes, ones)
    each = np.ones(len(person), dtype=np.int64)
    home = combination_of[person].astype(np.int32)
    cells = _cells(value, domain, home, table.combinations, each)
    return replace(cells, exclusive=len(person) == people)


def _cells(
    values: Ints32,
    domain: tuple[str | None, ...],
    combination_of: Ints32,
    combinations: int,
    weight: Ints,
) -> Cells:
    columns, count, _ = count_combinations(
        [combination_of, values], [max(combinations, 1), max(len(domain), 1)], weight
    )
    indptr = pointers(np.bincount(columns[0], minlength=combinations))
    return Cells(indptr, columns[1], count, domain)
