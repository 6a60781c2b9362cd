"""That a file stays what it is while it is read."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from indistinct.errors import DataError


@contextlib.contextmanager
def unchanged(path: str | Path | None) -> Iterator[None]:
    """Refuse a file, or a folder of files, that changes while it is read.

    Raises:
        DataError: it did.
    """
    before = states(path)
    yield
    if states(path) != before:
        raise changed(str(path))


def changed(name: str) -> DataError:
    """That a file changed while it was read."""
    return DataError(
        "changed-while-read",
        "the file changed while it was read",
        file=name,
        remedy="run again when nobody writes to it, or on a copy",
    )


def states(path: str | Path | None) -> dict[Path, tuple[int, ...]]:
    """Which file it is, how large, and when it was last written to or replaced; by path."""
    if path is None or not (named := Path(path)).exists():
        return {}
    files = sorted(named.iterdir()) if named.is_dir() else [named]
    told = ((file, file.stat()) for file in files if file.is_file())
    return {
        file: (one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns)
        for file, one in told
    }
