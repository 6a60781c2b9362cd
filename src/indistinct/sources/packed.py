"""Files as bytes: unpacked while they are read, and refused before they fill the memory."""

from __future__ import annotations

import bz2
import csv
import functools
import gzip
import lzma
import zlib
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any

import numpy as np

from indistinct.errors import DataError
from indistinct.sources import memory
from indistinct.sources.dialect import SAMPLE, detect_dialect

PACKED: Mapping[str, Callable[[Any], Any]] = {
    ".gz": gzip.open,
    ".xz": lzma.open,
    ".bz2": bz2.open,
}
"""What opens a packed file, by its ending."""

BROKEN = (OSError, EOFError, lzma.LZMAError, zlib.error)
"""What reading a damaged file raises."""

DAMAGED = (
    "copy or export the file once more: it is damaged, or not of the kind that its name says; "
    "where it is locked or forbidden, let yourself read it"
)

TIGHTEST = 200
"""A file that is packed more tightly, and does not fit into memory, is hardly a table."""

SURELY = 1.5
"""A file is refused by its beginning where it would take so many times the memory that it may."""

_BLOCK = 1 << 22


def opened(path: Path) -> IO[bytes]:
    """A file, unpacked while it is read."""
    file: IO[bytes] = PACKED.get(path.suffix.lower(), functools.partial(open, mode="rb"))(path)
    return file


def bytes_of(path: Path, *, separator: bytes | None = None, cells: bool = False) -> bytes:
    """What is in a file, unpacked.

    A file that will not fit is refused by its beginning: what that takes, times how much longer
    the whole file is, packed or not. Where a limit is near, it is read until it is reached.

    Arguments:
        path: the file.
        separator: between the cells of a table; detected where not given.
        cells: whether it is a table, each cell of which takes memory.

    Raises:
        DataError: it cannot be read, or takes more memory than it may.
    """
    blocks: list[bytes] = []
    taken = size = 0
    try:
        whole, limit = path.stat().st_size, memory.allowed()
        memory.require(memory.OF_BYTES * whole, path.name)
        unpack = PACKED.get(path.suffix.lower())
        with path.open("rb") as packed, unpack(packed) if unpack else nullcontext(packed) as file:
            while block := file.read(_BLOCK):
                if cells and not blocks:
                    separator = separator or _separator_of(block)
                size += len(block)
                taken += memory.OF_BYTES * len(block)
                if cells:
                    found = times_in(block, separator or b",") + times_in(block, b"\n")
                    taken += memory.OF_CELLS * found
                expected = taken * max(whole / max(packed.tell(), 1), 1)
                needed = expected if expected > SURELY * limit else taken
                if needed > limit and size > TIGHTEST * packed.tell():
                    raise too_tight(path.name, expected, limit)
                memory.require(needed, path.name)
                blocks.append(block)
    except BROKEN as error:
        raise broken(path.name, "the file cannot be read", error) from None
    return b"".join(blocks)


def times_in(data: bytes, sought: bytes) -> int:
    """How often something is in a file: single bytes by blocks, as they may be every tenth."""
    if len(sought) != 1:
        return data.count(sought)
    held = np.frombuffer(data, np.uint8)
    blocks = (held[at : at + _BLOCK] for at in range(0, len(held), _BLOCK))
    return sum(int(np.count_nonzero(block == sought[0])) for block in blocks)


def too_tight(name: str, needed: float, limit: float) -> DataError:
    """That a file is packed as no table is, and takes more memory than it may.

    Arguments:
        name: what messages call the file.
        needed: what it takes when unpacked, in bytes, at least.
        limit: what it may take, in bytes.
    """
    return DataError(
        "packed-too-tightly",
        f"the file is packed to less than 1/{TIGHTEST} of its size, as tables hardly are: unpacked "
        f"it takes {memory.in_words(needed)} or more, and may take {memory.in_words(limit)}",
        file=name,
        remedy="look where it comes from; if it is what it should be, unpack it first, or give it "
        f"more memory (--max-memory, or {memory.VARIABLE}; --memory with --engine)",
    )


def _separator_of(start: bytes) -> bytes:
    """The separator of a table, by the bytes that it begins with, in any encoding."""
    try:
        found = detect_dialect(start[:SAMPLE].decode("latin-1"), whole=False).separator
    except csv.Error:
        found = ","
    return found.encode("latin-1")


def broken(name: str, message: str, error: BaseException, remedy: str = DAMAGED) -> DataError:
    """A refusal by a library, without its words: they may quote a cell.

    Arguments:
        name: what messages call the file.
        message: what cannot be done with it.
        error: what the library raised; only its kind is told.
        remedy: what helps.
    """
    kind = type(error).__name__
    return DataError("unreadable-file", f"{message} ({kind})", file=name, remedy=remedy)
