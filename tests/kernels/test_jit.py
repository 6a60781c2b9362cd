"""Compiled kernels are kept where that is safe, and never kept too long."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

import indistinct
from indistinct import kept_code
from indistinct.kernels import jit, keeping

PACKAGE = Path(jit.__file__).resolve().parents[1]

HELPER = """
from indistinct.kernels.jit import jit

@jit
def amount(x: int) -> int:
    return x + {plus}
"""

CALLER = """
from indistinct.kernels.helper import amount
from indistinct.kernels.jit import jit

@jit
def twice(x: int) -> int:
    return 2 * amount(x)
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package with two kernels of its own: one calls the other, in another file."""
    package = tmp_path / "copy" / "indistinct"
    (package / "kernels").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    shutil.copy(PACKAGE / "kept_code.py", package)
    for name in ("__init__.py", "jit.py", "keeping.py", "grouping.py", "costs.py", "lattice.py"):
        shutil.copy(PACKAGE / "kernels" / name, package / "kernels" / name)
    (package / "kernels" / "caller.py").write_text(CALLER)
    edit(package, plus=1)
    return package


def edit(package: Path, plus: int) -> None:
    (package / "kernels" / "helper.py").write_text(HELPER.format(plus=plus))


def run(code: str, path: Path, environment: Mapping[str, str]) -> str:
    known = {
        key: value for key, value in os.environ.items() if key not in ("NUMBA_CACHE_DIR", "HOME")
    }
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**known, "PYTHONPATH": str(path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def places(root: Path) -> dict[str, str]:
    """Where every system keeps caches, below one folder."""
    return {
        "HOME": str(root),
        "XDG_CACHE_HOME": str(root / "caches"),
        "LOCALAPPDATA": str(root / "local"),
        "USERPROFILE": str(root),
    }


TWICE = (
    "from indistinct.kernels.caller import twice\n"
    "print(twice(10), len(twice.dispatcher.stats.cache_hits))"
)


def test_an_edited_helper_behind_a_cached_caller_is_compiled_anew(
    copy: Path, tmp_path: Path
) -> None:
    where = places(tmp_path / "home")
    assert run(TWICE, copy.parent, where) == "22 0"
    assert run(TWICE, copy.parent, where) == "22 1"
    stamp = (copy / "kernels" / "caller.py").stat().st_mtime_ns
    edit(copy, plus=1000)
    assert run(TWICE, copy.parent, where) == "2020 0"
    assert (copy / "kernels" / "caller.py").stat().st_mtime_ns == stamp
    edit(copy, plus=1)
    assert run(TWICE, copy.parent, where) == "22 1"


def test_kept_code_is_loaded_without_what_compiling_needs(copy: Path, tmp_path: Path) -> None:
    where = places(tmp_path / "home")
    run(TWICE, copy.parent, where)
    code = (
        f"{TWICE}\n"
        "import sys, numba, numpy as np\n"
        "from numba.core.runtime import rtsys\n"
        "compilers = {'numba.np.linalg', 'numba.cpython.unicode', 'scipy.linalg'}\n"
        "print(sorted(compilers & set(sys.modules)), rtsys._init)\n"
        "more = numba.njit(lambda x: twice(x) + np.argsort(-np.arange(x))[0])\n"
        "print(more(10), compilers <= {*sys.modules, 'scipy.linalg'}, rtsys._init)"
    )
    told = run(code, copy.parent, where).split("\n")
    assert told == ["22 1", "[] False", "31 True True"], (
        "and what is compiled afterwards can be all of it"
    )


def test_old_caches_are_forgotten(copy: Path, tmp_path: Path) -> None:
    where = places(tmp_path / "home")
    code = "from indistinct.kernels.jit import cache_folder; print(cache_folder())"
    edited = (
        "from pathlib import Path\n"
        "from indistinct.kernels.jit import cache_folder\n"
        f"helper = Path({str(copy / 'kernels' / 'helper.py')!r})\n"
        f"for plus in range({kept_code.FOLDERS_KEPT + 2}):\n"
        f"    helper.write_text({HELPER!r}.format(plus=plus))\n"
        "    cache_folder.cache_clear()\n"
        "    print(cache_folder())"
    )
    folders = [Path(line) for line in run(edited, copy.parent, where).splitlines()]
    assert len(folders) == kept_code.FOLDERS_KEPT + 2
    for folder in folders:
        assert folder.is_dir()
        assert folder.is_relative_to(tmp_path)
    assert sorted(folders[0].parent.iterdir()) == sorted(folders), "each was used just now"
    for age, folder in enumerate(reversed(folders)):
        used = folder.stat().st_mtime - age * (kept_code.LEAST_AGE + 60)
        os.utime(folder, (used, used))
    edit(copy, 0)
    assert Path(run(code, copy.parent, where)) == folders[0], "the oldest is used again"
    kept = {folders[0], *folders[1 - kept_code.FOLDERS_KEPT :]}
    assert set(folders[0].parent.iterdir()) == kept


def test_without_a_place_to_write_kernels_still_work(copy: Path, tmp_path: Path) -> None:
    """A folder below a file cannot be made, not even by the superuser."""
    (tmp_path / "file").write_text("in the way")
    where = places(tmp_path / "file" / "home")
    code = (
        "from indistinct.kernels.jit import cache_folder\n"
        "from indistinct.kernels.caller import twice\n"
        "print(cache_folder(), twice(10))"
    )
    assert run(code, copy.parent, where) == "None 22"


def test_nothing_is_written_into_the_installation(copy: Path, tmp_path: Path) -> None:
    where = {**places(tmp_path / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
    before = sorted(copy.rglob("*"))
    assert run(TWICE, copy.parent, where) == "22 0"
    assert sorted(copy.rglob("*")) == before


def test_the_cache_of_numba_is_respected(copy: Path, tmp_path: Path) -> None:
    where = {**places(tmp_path / "home"), "NUMBA_CACHE_DIR": str(tmp_path / "named")}
    assert run(TWICE, copy.parent, where) == "22 0"
    assert list((tmp_path / "named" / "indistinct").glob("kernels-*/*/*.nbi"))
    assert not (tmp_path / "home").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="modes are of POSIX")
def test_a_temporary_folder_goes_with_its_process(copy: Path, tmp_path: Path) -> None:
    named, temporary = tmp_path / "named", tmp_path / "temporary"
    (named / "indistinct").mkdir(parents=True)
    (named / "indistinct").chmod(0o777)
    temporary.mkdir()
    code = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "from indistinct.kernels.jit import cache_folder\n"
        "from indistinct.kernels.caller import twice\n"
        "print(twice(10), cache_folder().parent, any(cache_folder().iterdir()))"
    )
    where = {"NUMBA_CACHE_DIR": str(named), "TMPDIR": str(temporary)}
    assert run(code, copy.parent, {**places(tmp_path), **where}) == f"22 {temporary} True"
    assert not any(temporary.iterdir())
    assert not any((named / "indistinct").iterdir())


def test_kernels_are_imported_without_numba(copy: Path, tmp_path: Path) -> None:
    code = (
        "import sys\nfrom indistinct.kernels.caller import twice\n"
        "print('numba' in sys.modules, twice.__name__)\n"
        "print(twice(10), 'numba' in sys.modules)"
    )
    assert run(code, copy.parent, places(tmp_path)) == "False twice\n22 True"


def test_the_package_itself_is_what_is_digested() -> None:
    assert Path(str(indistinct.__file__)).resolve().parent == PACKAGE
    assert len(jit._digest()) == 16


def test_installations_of_the_same_code_share_what_is_compiled(copy: Path, tmp_path: Path) -> None:
    where = places(tmp_path / "home")
    assert run(TWICE, copy.parent, where) == "22 0"
    other = tmp_path / "elsewhere" / "indistinct"
    shutil.copytree(copy, other)
    assert run(TWICE, other.parent, where) == "22 1"


def test_one_process_compiles_what_several_need(copy: Path, tmp_path: Path) -> None:
    """Whoever comes second waits, and loads what the first one left."""
    slow = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from indistinct.kernels.caller import twice\n"
        "cache = twice.dispatcher._cache\n"
        "save = cache._save_overload\n"
        "def late(*given):\n"
        "    Path(sys.argv[1]).touch()\n"
        "    while not Path(sys.argv[2]).exists():\n"
        "        time.sleep(0.01)\n"
        "    save(*given)\n"
        "cache._save_overload = late\n"
        "print(twice(10), len(twice.dispatcher.stats.cache_hits))"
    )
    quick = (
        "import sys\n"
        "from pathlib import Path\n"
        "from indistinct.kernels import keeping\n"
        "from indistinct.kernels.caller import twice\n"
        "keeping.time.sleep = lambda seconds: Path(sys.argv[2]).touch()\n"
        "print(twice(10), len(twice.dispatcher.stats.cache_hits))"
    )
    compiled, waiting = tmp_path / "compiled", tmp_path / "waiting"
    environment = {**os.environ, **places(tmp_path / "home"), "PYTHONPATH": str(copy.parent)}
    environment.pop("NUMBA_CACHE_DIR", None)

    def start(code: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", code, str(compiled), str(waiting)]
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)

    with start(slow) as first:
        while not compiled.exists():
            assert first.poll() is None
            time.sleep(0.01)
        with start(quick) as second:
            assert second.communicate()[0] == "22 1\n"
        assert first.communicate()[0] == "22 0\n"
    assert waiting.exists()


def test_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first, second = (keeping.Turn(tmp_path / "kernel.lock") for _ in range(2))
    first.take()
    monkeypatch.setattr(keeping, "LONGEST_WAIT", 0.0)
    second.take()
    second.leave()
    first.leave()


def test_a_place_that_cannot_be_locked_is_used_all_the_same(tmp_path: Path) -> None:
    turn = keeping.Turn(tmp_path / "missing" / "kernel.lock")
    turn.take()
    turn.leave()
    assert not list(tmp_path.iterdir())


def test_versions_of_numba_that_name_their_classes_otherwise_keep_kernels(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caching = pytest.importorskip("numba.core.caching")
    own = keeping.shared_cache.__wrapped__()
    name = "UserProvidedCacheLocator"
    assert hasattr(caching, name) != hasattr(caching, f"_{name}")
    now, other = (name, f"_{name}") if hasattr(caching, name) else (f"_{name}", name)
    locator = getattr(caching, now)
    monkeypatch.delattr(caching, now)
    monkeypatch.setattr(caching, other, locator, raising=False)
    found = keeping.shared_cache.__wrapped__()
    assert found.__mro__[1:] == own.__mro__[1:]
    assert issubclass(found._impl_class._locator_classes[0], locator)
