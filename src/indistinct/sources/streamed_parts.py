"""Combinations that are read batch by batch from where they are kept, as often as they are asked.

They are coded where they are kept: this process sees numbers, some at a time. Regions are put
together as many at once as may be held, so that each of those takes one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.sources.parts import Ask, Coding, Part, Place, Walked, Work
from indistinct.types import Array, Ints, Ints32

if TYPE_CHECKING:
    import pyarrow as pa

BATCHES = 1 << 17
"""Rows that are looked at together, about."""

_BYTES = 400
"""What a combination takes while the regions of it and of others are put together, at most."""


def side_by_side(columns: Sequence[Array], rows: int) -> Ints32:
    """Codes of columns, a row for each combination, [n, m]."""
    found = np.empty((rows, len(columns)), dtype=np.int32)
    for at, own in enumerate(columns):
        found[:, at] = own
    return found


def part_of(table: pa.Table | pa.RecordBatch, quasi: int, columns: int) -> Part:
    """The combinations of a table or batch of Arrow.

    Arguments:
        table: columns of codes, then how many records have them, [n] each.
        quasi: how many of the codes are of quasi-identifiers; these come first.
        columns: how many columns of codes there are.
    """
    codes = [np.asarray(table.column(at)) for at in range(columns)]
    weight = np.asarray(table.column(columns), dtype=np.int64)
    rows = len(weight)
    return Part(side_by_side(codes[:quasi], rows), side_by_side(codes[quasi:], rows), weight)


def together(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches of Arrow, small ones put together."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(one.num_rows for one in held) >= BATCHES:
            yield from pa.Table.from_batches(held).combine_chunks().to_batches()
            held = []
    if held:
        yield from pa.Table.from_batches(held).combine_chunks().to_batches()


class StreamedParts:
    """The combinations of a table, read as often as they are asked.

    Arguments:
        read: reads them all: the codes of quasi-identifiers and of sensitive attributes, and how
            many records have them.
        quasi: how many of the columns are of quasi-identifiers; these come first.
        columns: how many columns have codes.
        ceiling: how many bytes the process may take.
        forget: what is done when they are not asked again.
    """

    def __init__(
        self,
        read: Callable[[], Iterable[pa.RecordBatch]],
        quasi: int,
        columns: int,
        ceiling: int,
        forget: Callable[[], None],
    ) -> None:
        self._read, self._quasi, self._columns = read, quasi, columns
        self._held, self.close = max(ceiling // _BYTES, 1), forget

    def added_up(self, ask: Ask) -> tuple[Ints, Ints]:
        """The sums by key over all parts."""
        return ask(self._parts())

    def by_region(self, place: Place, work: Work) -> Iterator[tuple[int, bytes]]:
        """What is made of each region that has a combination, one after the other."""
        size = np.zeros(1, dtype=np.int64)
        for part in self._parts():
            own = np.bincount(place(part) + 1)
            size = np.pad(size, (0, max(len(own) - len(size), 0)))
            size[: len(own)] += own
        for some in at_once(size[1:], self._held):
            for region, part in self._regions(place, some):
                yield region, work(part)

    def _parts(self) -> Iterator[Part]:
        return (part_of(batch, self._quasi, self._columns) for batch in together(self._read()))

    def _regions(self, place: Place, some: Ints) -> Iterator[tuple[int, Part]]:
        """The combinations of some regions, one after the other."""
        held: list[Part] = []
        regions: list[Ints32] = []
        for part in self._parts():
            region = place(part)
            here = np.isin(region, some)
            held.append(Part(*(one[here] for one in part)))
            regions.append(region[here])
        whole = Part(*map(np.concatenate, zip(*held, strict=True)))
        region = np.concatenate(regions)
        held.clear()
        order = np.argsort(region, kind="stable")
        ends = np.searchsorted(region[order], some, side="right")
        for own, rows in zip(some.tolist(), np.split(order, ends[:-1]), strict=True):
            yield own, Part(*(one[rows] for one in whole))


def at_once(size: Ints, most: int) -> list[Ints]:
    """Regions that have a combination, as many together as have so many, or one that has more.

    >>> [some.tolist() for some in at_once(np.array([4, 0, 3, 9, 2, 5]), 7)]
    [[0, 2], [3], [4, 5]]
    """
    found: list[list[int]] = []
    room = 0
    for own in np.flatnonzero(size).tolist():
        room -= int(size[own])
        if room < 0 or not found:
            found.append([])
            room = most - int(size[own])
        found[-1].append(own)
    return [np.array(some, dtype=np.int64) for some in found]


def codes_of(texts: pl.Series, coding: Coding) -> pl.Series:
    """The code of some texts, null where a text is no value of the column."""
    place = {label: int(code) for label, code in zip(coding.labels, coding.codes, strict=True)}
    return pl.Series("c", [place.get(text) for text in texts.to_list()], dtype=pl.Int32)


def looked_up(tree: Walked, kept: Array, made: Sequence[pl.Series]) -> tuple[pa.Table, int]:
    """What is published at each leaf that is, by its number; and how many records these have.

    Arguments:
        tree: the tree.
        kept: whether a combination of the change is published.
        made: what is published of it, by column.
    """
    import pyarrow as pa

    here = np.flatnonzero(np.asarray(kept)[tree.row])
    rows = pl.Series(tree.row[here])
    found = pa.table({"leaf": pa.array(tree.leaves[here].astype(np.int32))})
    for at, column in enumerate(made):
        found = found.append_column(f"p{at}", column.cast(pl.String).gather(rows).to_arrow())
    return found, int(tree.records[here].sum())
