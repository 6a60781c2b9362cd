"""Standard output and error that may be closed or full: what a verb has made stands even so."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO, cast

LEFT = (errno.EPIPE, errno.EBADF)
"""Nobody reads, as after ``| head``, or the stream was closed before: no fault of the place."""


class Stream:
    """A stream that remembers why it could not be written to, and takes all the rest in silence."""

    def __init__(self, target: TextIO | None) -> None:
        self._closed = target is None
        self._target: TextIO = target or io.TextIOWrapper(io.BytesIO(), "utf-8")
        self.lost: int | None = None

    def write(self, text: str) -> int:
        """Write what can be written; the number of characters given."""
        if self._closed and text:
            self.lost = errno.EBADF
        with self._losing():
            self._target.write(text)
        return len(text)

    def flush(self) -> None:
        """Write what is held back."""
        with self._losing():
            self._target.flush()

    @contextlib.contextmanager
    def _losing(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:  # a closed file is a ValueError
            self.lost = self.lost or getattr(error, "errno", None) or errno.EBADF
            self._drop()

    def _drop(self) -> None:
        """Let what is held back go nowhere, or the interpreter would complain of it at its end."""
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._target.fileno())
            os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)


@contextlib.contextmanager
def kept(*, silent: bool = False) -> Iterator[Stream]:
    """Standard output, which is not to end a verb within the block, and standard error.

    Arguments:
        silent: whether standard output gets nothing.
    """
    before = sys.stdout, sys.stderr
    out, told = Stream(io.StringIO() if silent else sys.stdout), Stream(sys.stderr)
    sys.stdout, sys.stderr = cast("TextIO", out), cast("TextIO", told)
    try:
        yield out
    finally:
        told.flush()
        sys.stdout, sys.stderr = before
