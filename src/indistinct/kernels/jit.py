"""One way to compile a kernel, and one place where compiled code is kept.

A kernel is compiled when it is first called, or when a kernel that calls it is compiled. Only then
is Numba itself imported, so that a module of kernels can be imported anywhere at no cost.

Numba's own cache is keyed by the file that holds a function, not by the files of the functions it
calls, so an edited helper can silently keep its old code; and it raises at import where the
installation cannot be written. Here the cache lies in a folder of the user, named by a digest of
every file of this room, beside which nothing is compiled: an edit anywhere starts a new folder, and
all installations of the same code share one (`keeping` says how). Where no such folder can be made,
kernels are compiled anew in each process.

The folder is closed to others, as Numba unpickles what it finds (:mod:`indistinct.kept_code`).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

from indistinct.kept_code import code_folder
from indistinct.kernels.keeping import shared_cache

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

_COMPILING = threading.RLock()


class Kernel(Generic[Arguments, Result]):
    """A function that Numba compiles when it is first needed.

    Kernels that call it see the dispatcher of Numba itself: ``_numba_type_`` is how Numba asks an
    object that stands in a global variable for its type.
    """

    def __init__(self, function: Callable[Arguments, Result], *, inner: bool) -> None:
        self.function = function
        self.inner = inner
        functools.update_wrapper(self, function)

    def __call__(self, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        """The function's result."""
        return self.dispatcher(*args, **kwargs)  # type: ignore[no-any-return]

    @functools.cached_property
    def dispatcher(self) -> Any:
        """What Numba made of the function; it compiles for the types it is called with."""
        import numba

        if self.inner:
            alone = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
            return alone(self.function)
        place = cache_folder()
        if place is None:
            return numba.njit(nogil=True)(self.function)
        made = numba.njit(nogil=True)(self.function)
        with _numba_cache(place):
            made._cache = shared_cache()(self.function)  # noqa: SLF001 - as enable_caching() does
        return made

    @property
    def _numba_type_(self) -> Any:
        return self.dispatcher._numba_type_


def jit(function: Callable[Arguments, Result]) -> Kernel[Arguments, Result]:
    """Compile a function on first use, without the interpreter lock, and keep the result."""
    return Kernel(function, inner=False)


def inner(function: Callable[Arguments, Result]) -> Kernel[Arguments, Result]:
    """Compile a function that only other kernels call.

    It has no entry for Python, and is kept as a part of its callers alone, which saves half the
    time to compile.
    """
    return Kernel(function, inner=True)


@functools.cache
def cache_folder() -> Path | None:
    """The folder for compiled kernels, made if need be; None where none can be made."""
    return code_folder("kernels", _digest())


def _digest() -> str:
    import numba

    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).resolve().parent.glob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def _numba_cache(place: Path) -> Iterator[None]:
    import numba

    with _COMPILING:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(place)
        try:
            yield
        finally:
            numba.config.CACHE_DIR = before
