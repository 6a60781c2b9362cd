"""Compiled code is kept where nobody else can put code of theirs."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from indistinct import kept_code


def mode(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_the_folder_is_private_whatever_the_umask(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(kept_code, "_cache_root", lambda: tmp_path / "new" / "indistinct")
    before = os.umask(0)
    try:
        place = kept_code.code_folder("kernels", "of-these")
    finally:
        os.umask(before)
    assert place is not None
    assert place.parent == tmp_path / "new" / "indistinct"
    assert {mode(folder) for folder in (place, place.parent, place.parent.parent)} == {0o700}
    assert kept_code.code_folder("kernels", "of-these") == place, "it is used again"


def unsafe(folder: Path) -> Path:
    """The folder in place of one that is not safe, which is warned of."""
    with pytest.warns(RuntimeWarning, match=re.escape(f"{folder} belongs to another user,")):
        place = kept_code.code_folder("kernels", "of-these")
    assert place is not None
    assert not place.is_relative_to(folder.parent)
    assert mode(place) == 0o700
    return place


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
@pytest.mark.parametrize("which", ["root", "place"])
@pytest.mark.parametrize("bits", [0o770, 0o707])
def test_a_folder_that_others_can_write_to_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, which: str, bits: int
) -> None:
    root = tmp_path / "indistinct"
    monkeypatch.setattr(kept_code, "_cache_root", lambda: root)
    place = kept_code.code_folder("kernels", "of-these")
    assert place is not None
    folder = {"root": root, "place": place}[which]
    folder.chmod(bits)
    unsafe(folder)
    folder.chmod(0o700)
    assert kept_code.code_folder("kernels", "of-these") == place


@pytest.mark.skipif(sys.platform == "win32", reason="owners are of POSIX")
def test_a_folder_of_somebody_else_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    root = tmp_path / "indistinct"
    monkeypatch.setattr(kept_code, "_cache_root", lambda: root)
    assert kept_code.code_folder("kernels", "of-these") is not None
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    unsafe(root)


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
@pytest.mark.parametrize(
    ("bits", "safe"), [(0o777, False), (0o1777, True), (0o757, False), (0o755, True)]
)
def test_a_folder_that_others_can_exchange_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bits: int, *, safe: bool
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(bits)
    root = shared / "own" / "indistinct"
    monkeypatch.setattr(kept_code, "_cache_root", lambda: root)
    if safe:
        place = kept_code.code_folder("kernels", "of-these")
        assert place is not None
        assert place.parent == root
    else:
        unsafe(root)


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_a_group_may_write_above_only_where_it_is_the_users_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o770)
    monkeypatch.setattr(kept_code, "_cache_root", lambda: shared / "indistinct")
    monkeypatch.setattr(os, "getegid", lambda: shared.stat().st_gid)
    assert kept_code.code_folder("kernels", "of-these") is not None
    monkeypatch.setattr(os, "getegid", lambda: shared.stat().st_gid + 1)
    unsafe(shared / "indistinct")


@pytest.mark.skipif(sys.platform == "win32", reason="owners are of POSIX")
def test_a_link_on_the_way_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    open_to_all, closed = tmp_path / "open", tmp_path / "closed"
    open_to_all.mkdir()
    closed.mkdir()
    open_to_all.chmod(0o777)
    (open_to_all / "link").symlink_to(closed, target_is_directory=True)
    monkeypatch.setattr(kept_code, "_cache_root", lambda: open_to_all / "link" / "indistinct")
    unsafe(open_to_all / "link" / "indistinct")


@pytest.mark.skipif(sys.platform == "win32", reason="owners are of POSIX")
@pytest.mark.parametrize("where", ["planted.nbi", "deeper/planted.nbi"])
def test_a_folder_in_which_somebody_left_files_is_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: str
) -> None:
    root = tmp_path / "indistinct"
    monkeypatch.setattr(kept_code, "_cache_root", lambda: root)
    place = kept_code.code_folder("kernels", "of-these")
    assert place is not None
    planted = place / where
    planted.parent.mkdir(exist_ok=True)
    planted.touch()
    own = Path.lstat

    def seen(path: Path) -> os.stat_result:
        found = own(path)
        if path != planted:
            return found
        return os.stat_result((*found[:4], found.st_uid + 1, *found[5:]))

    monkeypatch.setattr(Path, "lstat", seen)
    unsafe(root)


def test_a_home_that_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(kept_code, "_cache_root", unknown)
    assert kept_code.code_folder("kernels", "of-these") is None


@pytest.mark.skipif(sys.platform == "win32", reason="links are of POSIX")
def test_a_named_folder_that_cannot_be_used_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What somebody named is not left out in silence; what nobody named is."""
    named = tmp_path / "loop"
    named.symlink_to(named)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(named))
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR .*cannot be used"):
        assert kept_code.code_folder("kernels", "of-these") is None
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(named))
    monkeypatch.setattr(sys, "platform", "linux")
    assert kept_code.code_folder("kernels", "of-these") is None


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_the_command_says_once_and_in_plain_words_that_a_folder_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "indistinct"
    folder.mkdir()
    folder.chmod(0o777)
    code = (
        "import warnings; from indistinct import cli, kept_code; cli._say_warnings(); "
        "[kept_code.code_folder(kind, 'of-these') for kind in ('kernels', 'templates')]; "
        "warnings.warn('of somebody else', RuntimeWarning)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path), "NUMBA_CACHE_DIR": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    ours, *others = done.stderr.splitlines()
    assert ours.startswith(f"warning: the folder of compiled code {folder} belongs to another user")
    assert "RuntimeWarning: of somebody else" in others[0]
    assert ".py" not in ours
