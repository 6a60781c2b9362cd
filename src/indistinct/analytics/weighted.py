"""Compressed rows: how often values occur, or how likely they are, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import polars as pl

from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import Label
from indistinct.kernels.ragged import look_up, weave
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.microdata import sorted_values
from indistinct.types import Array, Ints, Ints32

_COUNTED: WeakValueDictionary[tuple[str, int], Ints] = WeakValueDictionary()


def numbers(number: int) -> Ints:
    """The numbers from 0 on: one array for all who ask, as long as one has it. Not to be changed.

    >>> numbers(3).tolist(), numbers(3) is numbers(3)
    ([0, 1, 2], True)
    """
    return _counted("numbers", number, np.arange)


def ones(number: int) -> Ints:
    """As many times 1, likewise."""
    return _counted("ones", number, lambda length: np.ones(length, np.int64))


def _counted(what: str, number: int, make: Callable[[int], Ints]) -> Ints:
    found = _COUNTED.get((what, number))
    if found is None:
        found = make(number)
        _COUNTED[what, number] = found
    return found


AT_ONCE = 1 << 17
"""Entries that are looked up at once: numbers of eight bytes are made for no more."""


@dataclass(frozen=True)
class Rows:
    """Compressed rows: row ``i`` holds ``index[indptr[i]:indptr[i + 1]]``, in rising order."""

    indptr: Ints
    index: Ints32

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __getitem__(self, row: int) -> Ints32:
        return self.index[self.indptr[row] : self.indptr[row + 1]]

    @property
    def length(self) -> Ints:
        """Entries of each row; made anew each time, as it would take more memory than the rows."""
        return np.diff(self.indptr)

    @property
    def row_of(self) -> Ints:
        """The row of every entry; made anew each time."""
        return np.repeat(np.arange(len(self)), self.length)

    @property
    def one_each(self) -> bool:
        """Whether every row has one entry."""
        if len(self.index) != len(self):
            return False
        each = _COUNTED.get(("numbers", len(self) + 1))
        return self.indptr is each or bool((self.indptr[1:] - self.indptr[:-1] == 1).all())


@dataclass(frozen=True)
class Weighted(Rows):
    """Rows of value codes, each with a count, an amount or a share.

    No value stands in a row twice. An amount may be 0, as of a value that is ruled out: the entry
    stays, and counts in ``length`` and ``distinct``.

    Arguments:
        amount: how often the value occurs in the row (whole numbers), or how much of it there is.
    """

    amount: Array

    @cached_property
    def size(self) -> Array:
        """The sum of the amounts of each row."""
        return sums(self.amount, self.indptr)

    @cached_property
    def largest(self) -> Array:
        """The largest amount of each row, 0 for an empty row."""
        return self.largest_of(self.amount)

    def largest_of(self, score: Array) -> Array:
        """The largest score of each row, 0 for an empty row; scores go by entries."""
        found = np.zeros(len(self), score.dtype)
        np.maximum.at(found, self.row_of, score)
        return found

    def of(self, rows: Array, values: Array) -> Array:
        """The amount of value ``values[i]`` in row ``rows[i]``; 0 in row -1."""
        found = np.zeros(len(rows), self.amount.dtype)
        for first in range(0, len(rows), AT_ONCE):
            own = slice(first, first + AT_ONCE)
            wanted = np.asarray(rows[own], np.int64), np.asarray(values[own], np.int64)
            look_up(self.indptr, self.index, *wanted, self.amount, found[own])
        return found

    def distinct(self, group_of: Ints32) -> Ints:
        """How many different groups the values of each row belong to; ``group_of`` is [D]."""
        if not len(self.index):
            return np.zeros(len(self), np.int64)
        groups = int(group_of.max()) + 1
        pairs = np.unique(self.row_of * groups + group_of[self.index])
        return np.bincount(pairs // groups, minlength=len(self)).astype(np.int64)

    def dense(self, domain: int) -> Array:
        """The amounts as a table, [rows, domain]."""
        found = np.zeros((len(self), domain), self.amount.dtype)
        found[self.row_of, self.index] = self.amount
        return found


@dataclass(frozen=True)
class Lists(Weighted):
    """Values that people have or buckets list, each with how often.

    Arguments:
        labels: what the codes stand for, sorted, missing last.
    """

    labels: tuple[Label, ...]

    @classmethod
    def gathered(cls, owner: Array, texts: pl.Series, number: int) -> Lists:
        """The lists of ``number`` owners.

        Arguments:
            owner: whose every entry is, from 0; entries of -1 are passed over.
            texts: the entries, null for a missing value.
            number: how many owners there are, those without an entry too.
        """
        labels = sorted_values(texts)
        domain, there = max(len(labels), 1), owner >= 0
        codes = codes_in(texts, labels) if len(texts) else np.zeros(0, np.int32)
        keys = owner.astype(np.int64) * domain + codes
        keys, count = np.unique(keys[there], return_counts=True)
        return cls(
            pointers(keys // domain, number),
            (keys % domain).astype(np.int32),
            count.astype(np.int64),
            labels,
        )

    @classmethod
    def single(cls, texts: pl.Series) -> Lists:
        """The lists of owners who have one value each."""
        return cls.singles(texts.to_frame())[texts.name]

    @classmethod
    def singles(cls, frame: pl.DataFrame) -> dict[str, Lists]:
        """The same of every column; what all lists have in common is held once."""
        each, once = numbers(frame.height + 1), ones(frame.height)
        found = {}
        for texts in frame.get_columns():
            labels = sorted_values(texts)
            codes = codes_in(texts, labels) if len(texts) else np.zeros(0, np.int32)
            found[texts.name] = cls(each, codes, once, labels)
        return found

    @cached_property
    def alike(self) -> tuple[Ints32, Ints]:
        """Owners who have the same labels equally often, as :meth:`grouped`."""
        return self.grouped()

    def grouped(self, beside: Ints | None = None) -> tuple[Ints32, Ints]:
        """Owners who have the same labels equally often.

        Returns:
            The group of every owner [owners], and an owner of each group.
        """
        entry = pl.DataFrame({"owner": self.row_of, "value": self.index, "count": self.amount})
        texts = (
            entry.select("owner", text=pl.format("{}x{}", "value", "count"))
            .group_by("owner")
            .agg(pl.col("text").sort().str.join(" "))
        )
        owners = pl.DataFrame({"owner": np.arange(len(self))})
        if beside is not None:
            owners = owners.with_columns(beside=pl.Series(beside))
        found = owners.join(texts, on="owner", how="left", maintain_order="left").drop("owner")
        group = found.select(pl.struct(pl.all()).rank("dense")).to_series().to_numpy() - 1
        _, first = np.unique(group, return_index=True)
        return group.astype(np.int32), first.astype(np.int64)


class MadeLists(Mapping[str, Lists]):
    """The lists of columns, each made anew whenever it is asked for.

    Arguments:
        names: the columns.
        make: what makes the lists of one of them.
    """

    def __init__(self, names: Iterable[str], make: Callable[[str], Lists]) -> None:
        self._names, self._make = dict.fromkeys(names), make

    def __getitem__(self, name: str) -> Lists:
        if name not in self._names:
            raise KeyError(name)
        return self._make(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def sums(values: Array, indptr: Ints) -> Array:
    """The sum of each compressed row."""
    upto = np.zeros(len(values) + 1, values.dtype)
    np.cumsum(values, out=upto[1:])
    return upto[indptr[1:]] - upto[indptr[:-1]]


def compressed(rows: Sequence[Any]) -> Rows:
    """Lists of numbers as compressed rows."""
    indptr = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=indptr[1:])
    parts = [np.asarray(row, np.int32) for row in rows]
    return Rows(indptr, np.concatenate([np.zeros(0, np.int32), *parts]))


def each_its_own(number: int) -> Rows:
    """Rows of one entry each: the row's own number."""
    return Rows(numbers(number + 1), np.arange(number, dtype=np.int32))


def pointers(rows: Array, number: int) -> Ints:
    """Where each of some rows begins, given the row of every entry in rising order."""
    indptr = np.zeros(number + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=number), out=indptr[1:])
    return indptr


def expanded(rows: Rows, chosen: Array) -> tuple[Ints, Ints]:
    """The entries of the chosen rows one after the other.

    Returns for each the place in ``chosen`` that it comes from, and its place among all entries.
    """
    if rows.one_each:
        return np.arange(len(chosen)), np.asarray(chosen, np.int64)
    length = rows.length[chosen]
    place = np.repeat(np.arange(len(chosen)), length)
    ends = np.cumsum(length)
    within = np.arange(len(place)) - np.repeat(ends - length, length)
    return place, rows.indptr[chosen][place] + within


def chosen_rows(rows: Rows, chosen: Array) -> Rows:
    """Some of the rows, in the order given."""
    if len(chosen) == len(rows) and (chosen == numbers(len(rows))).all():
        return Rows(rows.indptr, rows.index)
    if rows.one_each:
        return Rows(numbers(len(chosen) + 1), rows.index[chosen])
    place, at = expanded(rows, chosen)
    return Rows(pointers(place, len(chosen)), rows.index[at])


def alongside(
    parts: Sequence[Rows], first: Array, flags: Sequence[Array] | None = None
) -> tuple[Rows, Array]:
    """Rows of several kinds as one, whose entries are numbered one kind after the other.

    Arguments:
        parts: as many rows of each kind.
        first: the number of the first entry of each kind.
        flags: whether something is true of the entries of each kind, if that is asked for.

    Returns:
        The rows, and the flags of all their entries.
    """
    indptr = np.zeros(len(parts[0]) + 1, np.int64)
    for part in parts:
        indptr += part.indptr
    following, index = indptr[:-1].copy(), np.empty(int(indptr[-1]), np.int32)
    found = np.empty(0 if flags is None else len(index), np.bool_)
    for at, (part, offset) in enumerate(zip(parts, first.tolist(), strict=False)):
        place = np.empty(len(part.index), np.int64)
        weave(part.indptr, part.index, offset, following, index, place)
        if flags is not None:
            found[place] = flags[at]
    return Rows(indptr, index), found


def numbered_anew(rows: Rows, to: Array) -> Rows:
    """Rows with every entry replaced, each once and rising; -1 leaves it out."""
    new = to.astype(np.int32)[rows.index] if len(to) else np.zeros(0, np.int32)
    there, width = new >= 0, max(int(to.max(initial=0)) + 1, 1)
    if rows.one_each:
        # Nothing is to be sorted where everybody has one.
        if there.all():
            return Rows(rows.indptr, new)
        indptr = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(there, out=indptr[1:])
        return Rows(indptr, new[there])
    keys = np.sort(rows.row_of[there] * width + new[there])
    keys = keys[np.diff(keys, prepend=-1) > 0]
    return Rows(pointers(keys // width, len(rows)), (keys % width).astype(np.int32))


def stacked(parts: Sequence[Weighted]) -> Weighted:
    """The rows of each of some parts, one part after the other."""
    length = np.concatenate([part.length for part in parts])
    indptr = np.zeros(len(length) + 1, np.int64)
    np.cumsum(length, out=indptr[1:])
    index = np.concatenate([part.index for part in parts])
    return Weighted(indptr, index, np.concatenate([part.amount for part in parts]))


def gathered(rows: Array, codes: Array, amount: Array, number: int, domain: int) -> Weighted:
    """Amounts by row and code, those of equal ones added up.

    Arguments:
        rows: the row of every amount.
        codes: its code, below ``domain``.
        amount: the amounts.
        number: how many rows there are.
        domain: how many codes there are.
    """
    width = max(domain, 1)
    keys, place = np.unique(np.asarray(rows, np.int64) * width + codes, return_inverse=True)
    total = np.bincount(place, amount, minlength=len(keys)).astype(np.float64)
    return Weighted(pointers(keys // width, number), (keys % width).astype(np.int32), total)
