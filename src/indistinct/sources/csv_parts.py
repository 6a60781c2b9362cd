"""Large CSV files that are plainly written, in parts: their texts are held as codes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.sources import memory
from indistinct.sources.csv_records import read_fast
from indistinct.sources.dialect import SAMPLE, Dialect, detect_encoding
from indistinct.sources.table import NAMELESS
from indistinct.sources.text import as_codes

LARGE = 1 << 25

_PART = 1 << 24


def read_in_parts(
    path: Path,
    encoding: str | None,
    head: Callable[[bytes], tuple[list[str], Dialect, str]],
    coded: Collection[str] | bool,
    tidied: Callable[[pl.Series], pl.Series],
) -> pl.DataFrame | None:
    """The records with texts held as codes; None where something is not as plain as it could be.

    Arguments:
        path: the file.
        encoding: as the caller says, if at all.
        head: tells what stands before the first record.
        coded: the columns that are needed; all others are empty.
        tidied: makes cells of the texts of a column.
    """
    memory.require(memory.OF_BYTES * path.stat().st_size, path.name)
    memory.hand_back()
    with path.open("rb") as file:
        data = file.read(max(_PART, 4 * SAMPLE))
        found, mark = detect_encoding(data)
        if {found, encoding} - {None, "utf-8"}:
            return None
        columns, dialect, start = head(data[mark:])
        kept = [name for name in columns if coded is True or name in coded]  # type: ignore[operator]
        codes = {name: _Codes() for name in kept}
        data, height, cells, size = data[mark + len(start.encode()) :], 0, 0, 0
        quote = (dialect.quote or "").encode()
        if len(columns) < 2 or any(column.startswith(NAMELESS) for column in columns):
            return None
        while data:
            more = file.read(_PART)
            end = _end_of_records(data, quote) if more else len(data)
            body, data = data[:end], data[end:] + more
            quoted = bool(quote) and quote in body
            if not body or b"\r" in body or len(quote) > 1:
                return None
            if (frame := read_fast(body, columns, dialect, quoted)) is None:
                return None
            size, height = size + len(body), height + frame.height
            cells += len(columns) * frame.height
            memory.require(memory.OF_BYTES * size + memory.OF_CELLS * cells, path.name)
            for name in kept:
                codes[name].add(frame[name])
            del frame, body, more
    memory.hand_back()
    held = [
        codes[name].column(name, tidied)
        if name in codes
        else pl.Series(name, [None], pl.Null).new_from_index(0, height)
        for name in columns
    ]
    return pl.DataFrame(held)


def _end_of_records(data: bytes, quote: bytes) -> int:
    """Where the last record ends that is there as a whole: at a line's end outside of quotes."""
    end = data.rfind(b"\n") + 1
    inside = bool(quote) and data.count(quote, 0, end) % 2
    while end and inside:
        before = data.rfind(b"\n", 0, end - 1) + 1
        inside ^= data.count(quote, before, end) % 2
        end = before
    return end


class _Codes:
    """The texts of a column as numbers, which grow with what is read.

    Where most of the first texts differ, numbers would take more than the texts: these are held.
    """

    def __init__(self) -> None:
        self._number: dict[str | None, int] = {}
        self._parts: list[NDArray[np.unsignedinteger]] = []
        self._texts: list[pl.Series] = []

    def add(self, texts: pl.Series) -> None:
        """Take further texts."""
        if self._texts or (not self._parts and 2 * texts.n_unique() > len(texts)):
            self._texts.append(texts)
            return
        own = as_codes(texts)
        assert isinstance(own.dtype, pl.Enum)
        labels = [*own.dtype.categories.to_list(), *[None] * bool(own.null_count())]
        number = [self._number.setdefault(label, len(self._number)) for label in labels]
        kind = np.min_scalar_type(max(number, default=0))
        codes = own.to_physical().fill_null(len(own.dtype.categories)).to_numpy()
        self._parts.append(np.array(number, kind)[codes])

    def column(self, name: str, tidied: Callable[[pl.Series], pl.Series]) -> pl.Series:
        """All of them, tidied."""
        if self._texts:
            return tidied(pl.concat(self._texts).alias(name))
        labels = tidied(pl.Series(name, list(self._number), pl.String))
        codes = pl.Series(np.concatenate(self._parts).astype(np.uint32))
        return labels.cast(pl.Enum(labels.unique().drop_nulls().sort())).gather(codes)
