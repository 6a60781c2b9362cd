"""How much memory a table may take: what is free, or what the user allows.

Tables are refused before anything is allocated for them: where memory runs out inside of a library,
the process is ended by the system and can say nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from indistinct.errors import DataError

if TYPE_CHECKING:
    import polars as pl

VARIABLE = "INDISTINCT_MAX_MEMORY"
"""Environment variable with the memory that a table may take, as ``2GB``."""

OF_BYTES, OF_CELLS, OF_COMBINATIONS = 4, 48, 1000
"""How much memory a run takes for each byte of a CSV file, for each of its cells, and for each
combination that an engine counts; measured."""

LARGEST = 1 << 50
"""The largest size of memory, in bytes: a larger one bounds no more."""

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)I?B?", re.IGNORECASE)
_UNITS = " KMGT"
_allowed: ContextVar[int | None] = ContextVar("allowed", default=None)


def size_of(text: str) -> int | None:
    """The bytes that a text such as ``2GB`` or ``500 MB`` stands for; None where it is no size.

    >>> size_of("2GB"), size_of("1.5 k"), size_of("-1")
    (2147483648, 1536, None)
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        return None
    size = float(found[1]) * 1024 ** max(_UNITS.index(found[2].upper() or " "), 0)
    return int(min(size, LARGEST))


def in_words(size: float) -> str:
    """A number of bytes, for a message.

    >>> in_words(2147483648), in_words(5000), in_words(17)
    ('2.0 GB', '4.9 KB', '17 bytes')
    """
    for power in range(4, 0, -1):
        if size >= 1024**power:
            return f"{size / 1024**power:.1f} {_UNITS[power]}B"
    return f"{size:.0f} bytes"


def allow(size: int | None) -> None:
    """Let tables take this much memory from now on; None: what the environment says, or is free."""
    _allowed.set(size)


def allowed() -> int:
    """How many bytes of memory a table may take.

    Raises:
        DataError: the environment names no size.
    """
    given = _allowed.get()
    if given is not None:
        return given
    named = os.environ.get(VARIABLE, "").strip()
    if not named:
        return min(_free())
    size = size_of(named)
    if size is None:
        message = f"{VARIABLE} is not a size of memory"
        raise DataError("bad-memory", message, remedy=f"write {VARIABLE}=2GB")
    return size


def hand_back() -> None:
    """Let freed arrays of a megabyte or more go back to the system at once, from now on.

    The C library of Linux keeps what is freed for what may come: up to half of the memory of a run
    that makes arrays of many sizes. Nothing is done where there is another library.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, _AT_ONCE)
        library.malloc_trim(0)


_MMAP_THRESHOLD, _AT_ONCE = -3, 1 << 20
"""What ``mallopt`` calls the least size that has memory of its own; and that size."""


def require(needed: float, name: str) -> None:
    """Refuse a file that would take more memory than it may.

    Raises:
        DataError: it would.
    """
    if needed <= (limit := allowed()):
        return
    raise DataError(
        "too-little-memory",
        f"the table takes about {in_words(needed)} of memory, and may take {in_words(limit)}",
        file=name,
        remedy=f"give it more (--max-memory, or {VARIABLE}), or have its files scanned "
        "where they are: --engine duckdb of anonymize, assess and risk",
    )


def require_rows(needed: float, name: str, ceiling: int) -> None:
    """Refuse to hold the records of a table in an engine, where they take more than they may.

    Arguments:
        needed: what they take, in bytes.
        name: what messages call the table.
        ceiling: how many bytes they may take.

    Raises:
        DataError: they do.
    """
    if needed <= ceiling:
        return
    raise DataError(
        "needs-rows",
        "what is asked for goes record by record, and the records take about "
        f"{in_words(needed)} of memory where {in_words(ceiling)} are allowed",
        file=name,
        remedy="give it more (--max-memory, or --memory with --engine); or choose a method "
        'that counts combinations, "optimal" or "mondrian", and no transform of values',
    )


def require_combinations(found: int, columns: Sequence[str], name: str, ceiling: int) -> None:
    """Refuse to hold more combinations of columns than there may be.

    Arguments:
        found: how many there are.
        columns: the columns.
        name: what messages call the table.
        ceiling: how many bytes the process may take.

    Raises:
        DataError: there are.
    """
    most = most_combinations(ceiling)
    if found <= most:
        return
    if len(columns) == 1:
        what = f"'{columns[0]}' has more than {most:,} values"
        remedy = "coarsen it in a query or a copy of the table (date_trunc, round), or leave it out"
    else:
        what = f"there are more than {most:,} combinations of {', '.join(map(repr, columns))}"
        remedy = (
            "leave out or coarsen columns with a value for nearly every record (assess: "
            "--attributes)"
        )
    raise DataError(
        "combinations-do-not-fit",
        f"{what}, which are counted by the engine and held here",
        file=name,
        remedy=f"{remedy}; or give it more memory (--max-memory, or --memory with --engine)",
    )


def require_classes(found: int, spanning: int, name: str, ceiling: int) -> None:
    """Refuse to hold more classes of a table that was cut where it is than there may be.

    Arguments:
        found: how many classes there are.
        spanning: the combinations that are held of them.
        name: the table's.
        ceiling: how many bytes the process may take.

    Raises:
        DataError: there are.
    """
    if spanning <= most_combinations(ceiling):
        return
    needed = in_words(spanning * OF_COMBINATIONS)
    raise DataError(
        "combinations-do-not-fit",
        f"the table was cut where it is into {found:,} classes, which take about {needed} "
        f"of memory where {in_words(ceiling)} are allowed",
        file=name,
        remedy="ask for larger classes, leave out or coarsen columns; or give it more memory "
        "(--max-memory, or --memory with --engine)",
    )


def require_texts(found: int, columns: Sequence[str], name: str, most: int) -> None:
    """Refuse to hold combinations whose texts have more bytes than they may.

    Arguments:
        found: how many bytes the texts have.
        columns: the columns of texts.
        name: what messages call the table.
        most: how many bytes they may have.

    Raises:
        DataError: they have.
    """
    if found <= most:
        return
    raise DataError(
        "combinations-do-not-fit",
        f"the combinations have {in_words(found)} of texts in {', '.join(map(repr, columns))}, "
        f"and may have {in_words(most)}",
        file=name,
        remedy="leave out columns of long texts; or give it more memory (--max-memory, or --memory "
        "with --engine)",
    )


def most_combinations(ceiling: int) -> int:
    """How many combinations of columns may be held under a ceiling of bytes.

    >>> most_combinations(2 << 30)
    2147483
    """
    return ceiling // OF_COMBINATIONS


def most_drawn(looked_at: pl.DataFrame, ceiling: int) -> int:
    """How many records may be brought home that are looked at one by one, in place of all."""
    characters = sum(int(texts.str.len_bytes().sum()) for texts in looked_at.get_columns())
    each = OF_CELLS * looked_at.width + characters / max(looked_at.height, 1)
    return int(ceiling / OF_A_SAMPLE / each)


LOOKED_AT = 1000
"""Records by which it is told how long their texts are."""

OF_A_SAMPLE = 8
"""Which part of the memory that a table may take is for them."""


def _free() -> Iterator[int]:
    """What is free: of the machine, of the container, of the process."""
    yield os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        yield int(next(line for line in lines if line.startswith("MemAvailable:")).split()[1]) << 10
    for most, used in (("memory.max", "memory.current"), _CGROUP_1):
        with contextlib.suppress(OSError, ValueError):  # "max", where there is no limit
            folder = Path("/sys/fs/cgroup")
            yield int((folder / most).read_text("ascii")) - int((folder / used).read_text("ascii"))


_CGROUP_1 = ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes")
