"""Which folders of a run stand under their names, for code that breaks off the run.

A run can be asked to end at any moment, also just after its folder has appeared. What tells the two
apart is the folder itself: it stands if the name leads to what was staged.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

from indistinct.frozen import dataclass, field


@dataclass(frozen=True)
class Followed:
    """The folders that were staged within a block."""

    _staged: list[tuple[Path, os.stat_result]] = field(default_factory=list)

    def add(self, path: Path, staged: os.stat_result) -> None:
        """Follow a folder that is to stand at a path."""
        self._staged.append((path.absolute(), staged))

    @property
    def standing(self) -> list[str]:
        """Those that stand, complete, each as an absolute path."""
        stands = []
        for path, staged in self._staged:
            with contextlib.suppress(OSError):
                if os.path.samestat(path.stat(), staged):
                    stands.append(str(path))
        return stands


_followed: ContextVar[Followed | None] = ContextVar("followed", default=None)


@contextlib.contextmanager
def following(followed: Followed) -> Iterator[None]:
    """Follow the folders that are staged within the block."""
    before = _followed.set(followed)
    try:
        yield
    finally:
        _followed.reset(before)


def follow(path: Path, handle: int) -> None:
    """Follow the staged folder that a handle is open for, if anybody asked to."""
    if (followed := _followed.get()) is not None:
        followed.add(path, os.fstat(handle))
