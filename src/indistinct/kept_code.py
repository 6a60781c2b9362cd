"""A folder of the user where compiled code is kept from run to run, closed to all others.

Anyone who can write there can run code as this user: Numba unpickles what it finds, Jinja runs it.
The folder is made for its owner alone. One that belongs to another user or holds files of another,
that others can write to, or that others can exchange for theirs because they can write to a folder
above it, is not used: a temporary folder of the process takes its place, with a warning.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import stat
import sys
import tempfile
import warnings
from pathlib import Path

NAMED_BY = "NUMBA_CACHE_DIR"
"""The variable of the environment that names the folder."""

FOLDERS_KEPT = 4
LEAST_AGE = 86_400.0
"""Seconds that a folder is kept after its last use, so that no program loses one it works with."""


def code_folder(kind: str, digest: str) -> Path | None:
    """The folder for compiled code, made if need be; None where none can be made.

    Arguments:
        kind: what is compiled, as part of the folder's name. Of each kind the folders that were
            used last are kept.
        digest: of everything that what is compiled depends on.
    """
    try:
        root = _cache_root()
        place = root / f"{kind}-{digest}"
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
    except (OSError, RuntimeError) as error:  # RuntimeError: nobody knows where the home folder is
        if os.environ.get(NAMED_BY):
            why = (getattr(error, "strerror", None) or type(error).__name__).lower()
            warnings.warn(
                f"the folder that {NAMED_BY} names cannot be used ({why}): code is compiled anew "
                "in each run",
                RuntimeWarning,
                stacklevel=2,
            )
        return None
    _forget_old(root, kind, place)
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

    The owner of a folder above it can, and those who may write to one, unless it is sticky like
    /tmp. A group may, where it is this user's own. An owner whom the system cannot name (of a
    container or of another machine) is nobody here.
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
        f"the folder of compiled code {unsafe} belongs to another user, or others can write to "
        "it, to what is in it or to a folder above it; it is not used and code is compiled "
        f"anew. Delete it, or set {NAMED_BY} to a folder that is yours alone",
        RuntimeWarning,
        stacklevel=2,
    )
    place = Path(tempfile.mkdtemp(prefix="indistinct-code-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def _cache_root() -> Path:
    named = os.environ.get(NAMED_BY)
    if named:
        return Path(named) / "indistinct"
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "indistinct"


def _forget_old(root: Path, kind: str, current: Path) -> None:
    with contextlib.suppress(OSError):
        others = [place for place in root.glob(f"{kind}-*") if place != current]
        used = {place: place.stat().st_mtime for place in others}
        others.sort(key=used.__getitem__, reverse=True)
        for place in others[FOLDERS_KEPT - 1 :]:
            if used[place] < current.stat().st_mtime - LEAST_AGE:
                shutil.rmtree(place, ignore_errors=True)
