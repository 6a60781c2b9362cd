"""Compiled code on disk: one copy for all installations of the same code, made by one process.

Numba names the folder of a kernel by the path of its file, so that every installation compiles the
same code anew; and processes that need a kernel at the same time all compile it. Here the folder is
named by the place in the package (the folder above it by a digest of all sources), and a process
waits for another one that compiles the same kernel.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import time
from pathlib import Path
from typing import Any

if sys.platform != "win32":
    import fcntl

PACKAGE = Path(__file__).resolve().parents[1]
LONGEST_WAIT = 60.0
"""Seconds after which a kernel is compiled although another process seems to be at it."""
BETWEEN_LOOKS = 0.02


class Turn:
    """The right of one process to compile a kernel, held in a file beside the compiled code."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._held: int | None = None

    def take(self) -> None:
        """Wait until no other process has it; where files cannot be locked, go on at once."""
        if self._held is None and sys.platform != "win32":
            with contextlib.suppress(OSError):
                self._held = os.open(self.place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
                latest = time.monotonic() + LONGEST_WAIT
                while not self._is_free() and time.monotonic() < latest:
                    time.sleep(BETWEEN_LOOKS)

    def leave(self) -> None:
        """Let the next process have it."""
        if self._held is not None:
            os.close(self._held)
            self._held = None

    def _is_free(self) -> bool:
        assert self._held is not None
        try:
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def subpath(file: str) -> str | None:
    """What the folder of a kernel's code is called: where its file lies in this package.

    None for a file outside it.
    """
    folder = Path(file).resolve().parent
    if not folder.is_relative_to(PACKAGE):
        return None
    return "_".join((PACKAGE.name, *folder.relative_to(PACKAGE).parts))


@functools.cache
def name_helpers() -> None:
    """Let compiled code find what it calls for memory, as Numba's runtime does when it begins."""
    from numba.core.runtime import nrt

    for name, address in nrt._nrt.c_helpers.items():  # noqa: SLF001 - as its initialize() does
        nrt.ll.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


@functools.cache
def shared_cache() -> Any:
    """Numba's class of caches, with a folder that does not depend on the place of installation.

    Its objects belong to one kernel each, and wait for their turn before they say that the kernel
    has to be compiled.
    """
    from numba.core import caching

    # Numba named its classes with an underscore before it documented them.
    at_folder: Any = next(
        vars(caching)[name]
        for name in ("UserProvidedCacheLocator", "_UserProvidedCacheLocator")
        if name in vars(caching)
    )

    class Place(at_folder):  # type: ignore[misc]  # Numba has no types
        @classmethod
        def get_suitable_cache_subpath(cls, py_file: str) -> str:
            return subpath(py_file) or str(super().get_suitable_cache_subpath(py_file))

    class Kept(caching.CompileResultCacheImpl):  # type: ignore[misc]  # Numba has no types
        _locator_classes = (Place,)

    class Shared(caching.FunctionCache):  # type: ignore[misc]  # Numba has no types
        _impl_class = Kept

        def __init__(self, function: Any) -> None:
            super().__init__(function)
            self.turn = Turn(Path(self.cache_path) / f"{self._impl.filename_base}.lock")

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            found = self._loaded(sig, target_context)
            if found is None:
                self.turn.take()
                found = self._loaded(sig, target_context)
                if found is not None:
                    self.turn.leave()
            return found

        def _loaded(self, sig: Any, context: Any) -> Any:
            """Compiled code, without what only compiling needs.

            Numba itself first imports all that it can compile, and SciPy where it is installed: a
            third of the time of a small run; and compiles its functions for memory, which takes
            LLVM's whole compiler. Of that, code that is kept needs the helpers of these alone, as
            it has copies of the rest; who compiles does all of it then.
            """
            name_helpers()
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, context)

        def save_overload(self, sig: Any, data: Any) -> None:
            try:
                super().save_overload(sig, data)
            finally:
                self.turn.leave()

    return Shared
