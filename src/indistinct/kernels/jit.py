"""One way to compile a kernel, and one place where compiled code is kept.

A kernel is compiled when it is first called, or when a kernel that calls it is compiled. Only then
is Numba itself imported, so that a module of kernels can be imported anywhere at no cost.

Numba's own cache is keyed by the file that holds a function, not by the files of the functions it
calls, so an edited helper can silently keep its old code; and it raises at import where the
installation cannot be written. Here the cache lies in a folder of the user, named by a digest of
every file of this room, beside which nothing is compiled: an edit anywhere starts a new folder, and
all installations of the same code share one (`keeping` says how). Where no such folder can be made,
kernels are compiled anew in each process.

Numba unpickles what it finds in the cache, so whoever can write there can run code. The folder is
made for its owner alone. One that belongs to another user or holds files of another, that others
can write to, or that others can exchange for theirs because they can write to a folder above it,
is not used: a temporary folder of the process takes its place, with a warning.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import shutil
import stat
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Generic, ParamSpec, TypeVar

from indistinct.kernels.keeping import shared_cache

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

CACHES_KEPT = 4
LEAST_AGE = 86_400.0
"""Seconds that a folder is kept after its last use, so that no program loses one it works with."""

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
    try:
        root = _cache_root()
        place = root / f"kernels-{_digest()}"
        for folder in (*reversed(place.parents), place):
            if not folder.is_dir():
                folder.mkdir(mode=0o700, exist_ok=True)
            if folder in (root, place) and not _is_private(folder):
                return _temporary_folder(folder)
        if not (_stays(root) and _is_own(place)):
            return _temporary_folder(root)
        probe = place / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
        os.utime(place)
    except (OSError, RuntimeError):  # RuntimeError: nobody knows where the home folder is
        return None
    _forget_old(root, place)
    return place


def _is_private(folder: Path) -> bool:
    """Does a folder (and the link to it) belong to this user, and can nobody else write to it?"""
    if sys.platform == "win32":  # the folder lies in the user's profile, which Windows protects
        return True
    found = folder.stat()
    writable = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return not writable and {found.st_uid, folder.lstat().st_uid} == {os.geteuid()}


def _stays(folder: Path) -> bool:
    """Can no other user put a folder of theirs in its place?

    Who owns a folder above it can, and who may write to one, unless it is sticky like /tmp. A group
    may, where it is this user's own. An owner whom the system cannot name (of a container or of
    another machine) is nobody here.
    """
    if sys.platform == "win32":
        return True
    absolute = Path(os.path.abspath(folder))  # noqa: PTH100 - the links on the way count, too
    for above in {*absolute.parents, *folder.resolve().parents}:
        found = above.stat()
        group = 0 if found.st_gid == os.getegid() else stat.S_IWGRP
        if found.st_mode & (stat.S_IWOTH | group) and not found.st_mode & stat.S_ISVTX:
            return False
        if found.st_uid not in (0, os.geteuid(), _nameless()):
            return False
    return True


def _nameless() -> int:
    """The number that stands for every owner whom the system cannot name."""
    try:
        return int(Path("/proc/sys/kernel/overflowuid").read_text("ascii"))
    except (OSError, ValueError):
        return 0


def _is_own(place: Path) -> bool:
    """Does everything in a folder belong to this user?

    Others may have left files there before it was closed to them.
    """
    if sys.platform == "win32":
        return True
    return all(file.lstat().st_uid == os.geteuid() for file in place.rglob("*"))


def _temporary_folder(unsafe: Path) -> Path:
    """A folder of this process alone, in place of one that is not safe to load code from."""
    warnings.warn(
        f"the folder of compiled kernels {unsafe} belongs to another user, or others can write to "
        "it, to what is in it or to a folder above it; it is not used and kernels are compiled "
        "anew. Delete it, or set NUMBA_CACHE_DIR to a folder that is yours alone",
        RuntimeWarning,
        stacklevel=2,
    )
    place = Path(tempfile.mkdtemp(prefix="indistinct-kernels-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def _cache_root() -> Path:
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        return Path(named) / "indistinct"
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "indistinct"


def _digest() -> str:
    import numba

    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).resolve().parent.glob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _forget_old(root: Path, current: Path) -> None:
    with contextlib.suppress(OSError):
        others = [place for place in root.glob("kernels-*") if place != current]
        used = {place: place.stat().st_mtime for place in others}
        others.sort(key=used.__getitem__, reverse=True)
        for place in others[CACHES_KEPT - 1 :]:
            if used[place] < current.stat().st_mtime - LEAST_AGE:
                shutil.rmtree(place, ignore_errors=True)


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
