"""One way to compile a kernel, and one place where compiled code is kept.

Numba's own cache is keyed by the file that holds a function, not by the files of the functions it
calls, so an edited helper can silently keep its old code; and it raises at import where the
installation cannot be written. Here the cache lies in a folder of the user, named by a digest of
every source file of the package that compiles anything: an edit anywhere starts a new folder. Where
no such folder can be made, kernels are compiled anew in each process.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

CACHES_KEPT = 4
LEAST_AGE = 86_400.0
"""Seconds that a folder is kept after its last use, so that no program loses one it works with."""


def jit(function: Kernel) -> Kernel:
    """Compile a function on first use, without the interpreter lock, and keep the result."""
    place = cache_folder()
    if place is None:
        return cast(Kernel, numba.njit(nogil=True)(function))
    with _numba_cache(place):
        return cast(Kernel, numba.njit(nogil=True, cache=True)(function))


def inner(function: Kernel) -> Kernel:
    """Compile a function that only other kernels call.

    It has no entry for Python, and is kept as a part of its callers alone, which saves half the
    time to compile.
    """
    compiled = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    return cast(Kernel, compiled)


@functools.cache
def cache_folder() -> Path | None:
    """The folder for compiled kernels, made if need be; None where none can be made."""
    try:
        root = _cache_root()
        place = root / f"kernels-{_digest()}"
        place.mkdir(parents=True, exist_ok=True)
        probe = place / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
        os.utime(place)
    except (OSError, RuntimeError):  # RuntimeError: nobody knows where the home folder is
        return None
    _forget_old(root, place)
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
    package = Path(__file__).resolve().parents[1]
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(package.rglob("*.py")):
        text = source.read_bytes()
        if b"kernels.jit import" in text:
            digest.update(str(source.relative_to(package)).encode())
            digest.update(text)
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
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(place)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before
