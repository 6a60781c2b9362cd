"""Rows of different lengths in one array: the one type for compressed rows.

The values of people, the entries of buckets, the classes that a person could be in: each is a list
per owner. The lists lie one after the other in ``value``, and ``indptr`` says where each begins.
Kernels take the two as plain arrays. A class that says more of every entry, such as its count,
inherits from :class:`Ragged` and names these columns in ``entries``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from indistinct.frozen import dataclass
from indistinct.kernels import NONE
from indistinct.kernels.jit import inner, jit
from indistinct.types import Array, Ints, Ints32, Plain


def pointers(lengths: ArrayLike) -> Ints:
    """Where rows of these lengths begin, and where the last one ends, [rows + 1].

    >>> pointers([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    given = np.asarray(lengths, dtype=np.int64)
    found = np.zeros(len(given) + 1, dtype=np.int64)
    np.cumsum(given, out=found[1:])
    return found


@inner
def first_from(value: Ints32, low: int, high: int, wanted: int) -> int:
    """The first place of ``value[low:high]`` that has a value or more; else high.

    Arguments:
        value: numbers, rising from ``low`` to ``high``.
        low: the first place.
        high: the place after the last.
        wanted: the value.
    """
    while low < high:
        middle = (low + high) // 2
        if value[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def place_of(value: Ints32, low: int, high: int, wanted: int) -> int:
    """Where a value stands in ``value[low:high]``; -1 where it does not.

    Arguments:
        value: numbers, rising from ``low`` to ``high``.
        low: the first place.
        high: the place after the last.
        wanted: the value.
    """
    place = first_from(value, low, high, wanted)
    return place if place < high and value[place] == wanted else NONE


@jit
def look_up(
    indptr: Ints, value: Ints32, rows: Ints, wanted: Ints, amount: Array, found: Array
) -> None:
    """The amounts of some values in some rows.

    Arguments:
        indptr: row r is ``value[indptr[r]:indptr[r + 1]]``, rising, [rows + 1].
        value: the entries of all rows.
        rows: the row of each that is looked up, -1 for one without values, [N].
        wanted: the value of each that is looked up, [N].
        amount: by entries of ``value``.
        found: becomes the amounts, [N]; left as it is where the row lacks the value.
    """
    for i in range(len(rows)):
        place = place_of(value, indptr[rows[i]], indptr[rows[i] + 1], wanted[i])
        if place >= 0:
            found[i] = amount[place]


@jit
def weave(
    indptr: Ints,
    value: Ints32,
    offset: int,
    following: Ints,
    woven: Ints32,
    place: Ints,
) -> None:
    """Put the values of every row, with ``offset`` added, where the row goes on in ``woven``.

    Arguments:
        indptr: row r is ``value[indptr[r]:indptr[r + 1]]``, [rows + 1].
        value: the entries of all rows.
        offset: what is added to every value.
        following: where each row goes on in ``woven``, [rows]; moved on.
        woven: the entries of the rows that are made; some are written.
        place: becomes where every value went, by entries of ``value``.
    """
    for row in range(len(indptr) - 1):
        here = following[row]
        for at in range(indptr[row], indptr[row + 1]):
            woven[here] = value[at] + offset
            place[at] = here
            here += 1
        following[row] = here


@jit
def largest_few(indptr: Ints, amount: Array, found: Array) -> None:
    """The largest amounts of each row, falling.

    Arguments:
        indptr: row r has ``amount[indptr[r]:indptr[r + 1]]``, [rows + 1].
        amount: the amounts of all rows.
        found: becomes the largest amounts, 0 everywhere before, [rows, number].
    """
    last = found.shape[1] - 1
    for row in range(len(found)):
        for at in range(indptr[row], indptr[row + 1]):
            own = max(found[row, last], amount[at])
            place = last
            while place and found[row, place - 1] < own:
                found[row, place] = found[row, place - 1]
                place -= 1
            found[row, place] = own


@inner
def grown(array: Any, needed: int) -> Any:
    """The array, doubled until it has so many entries."""
    while len(array) < needed:
        array = np.concatenate((array, array))
    return array


@dataclass(frozen=True, eq=False)
class Ragged:
    """Rows of different lengths, one after the other.

    Arguments:
        indptr: row ``r`` is ``value[indptr[r]:indptr[r + 1]]``, [rows + 1].
        value: the entries of all rows, [entries].

    >>> rows = Ragged.of([[5, 7], [], [6]])
    >>> len(rows), rows.lengths.tolist(), rows.row_of.tolist(), rows[0].tolist()
    (3, [2, 0, 1], [0, 0, 2], [5, 7])
    >>> rows.select(np.array([2, 0])).value.tolist()
    [6, 5, 7]
    """

    entries: ClassVar[tuple[str, ...]] = ("value",)
    """The fields that have an element for every entry."""

    indptr: Ints
    value: Ints32

    @classmethod
    def of(cls, rows: Sequence[ArrayLike]) -> Ragged:
        """The rows given, each a sequence of numbers."""
        parts = [np.asarray(row, dtype=np.int32) for row in rows]
        flat = np.concatenate([np.zeros(0, dtype=np.int32), *parts])
        return Ragged(pointers([len(part) for part in parts]), flat)

    @classmethod
    def by_owner(cls, owner: Array, value: Array, rows: int) -> Ragged:
        """The entries of each owner as a row.

        Arguments:
            owner: whose every entry is, from 0 and rising, [entries].
            value: the entries, [entries].
            rows: how many owners there are, those without an entry too.
        """
        lengths = np.bincount(owner, minlength=rows)
        return Ragged(pointers(lengths), np.ascontiguousarray(value, dtype=np.int32))

    @classmethod
    def distinct(cls, owner: Array, value: Array, rows: int, domain: int) -> Ragged:
        """The different entries of each owner as a row, rising.

        Arguments:
            owner: whose every entry is, from 0 and in any order, [entries].
            value: the entries, from 0 and below ``domain``, [entries].
            rows: how many owners there are.
            domain: how many values there are.
        """
        keys = np.unique(np.asarray(owner, dtype=np.int64) * max(domain, 1) + value)
        return cls.by_owner(*np.divmod(keys, max(domain, 1)), rows)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.indptr) - 1

    def __getitem__(self, row: int) -> Ints32:
        return self.value[self.indptr[row] : self.indptr[row + 1]]

    @property
    def lengths(self) -> Ints:
        """Entries of each row, [rows]."""
        return np.diff(self.indptr)

    @cached_property
    def row_of(self) -> Ints:
        """The row of every entry, [entries]."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def select(self, rows: Array) -> Self:
        """Some of the rows, in the order given, with all that is said of their entries."""
        begin, lengths = self.indptr[rows], self.lengths[rows]
        indptr = pointers(lengths)
        place = np.arange(indptr[-1]) + np.repeat(begin - indptr[:-1], lengths)
        chosen: Plain = {name: getattr(self, name)[place] for name in self.entries}
        return replace(self, indptr=indptr, **chosen)

    def sums(self, amounts: Array) -> Array:
        """What numbers of the entries [entries] add up to in each row, [rows]."""
        upto = np.zeros(len(amounts) + 1, dtype=np.result_type(amounts.dtype, np.int64))
        np.cumsum(amounts, out=upto[1:])
        return upto[self.indptr[1:]] - upto[self.indptr[:-1]]


@dataclass(frozen=True, eq=False)
class Counted(Ragged):
    """Rows in which every entry occurs so often.

    Arguments:
        count: how often the row has the value, [entries].
    """

    entries: ClassVar[tuple[str, ...]] = ("value", "count")

    count: Ints

    def dense(self, domain: int) -> Ints:
        """How often each value below ``domain`` occurs in each row, [rows, domain]."""
        found = np.zeros((len(self), domain), dtype=np.int64)
        np.add.at(found, (self.row_of, self.value), self.count)
        return found
