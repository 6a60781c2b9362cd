"""The public face: the names of the package, and how quickly it loads."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

import indistinct

REPOSITORY = Path(__file__).parents[1]
HEAVY = ("duckdb", "narwhals", "numba", "numpy", "pandas", "polars", "pyarrow", "pydantic", "rich")


def loaded_by(code: str) -> set[str]:
    """The heavy packages that a fresh Python has loaded after this code."""
    script = f"import sys\n{code}\nprint(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return {name for name in HEAVY if name in done.stdout.split()}


def test_all_is_sorted_and_every_name_is_there() -> None:
    assert indistinct.__all__ == sorted(indistinct.__all__)
    for name in indistinct.__all__:
        assert getattr(indistinct, name) is not None
    assert dir(indistinct) == indistinct.__all__


def test_all_is_what_type_checkers_see() -> None:
    """The stub names every public name with its module, and nothing else."""
    stub = Path(indistinct.__file__).with_suffix(".pyi")
    seen = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.AnnAssign):
            assert ast.unparse(node) == "__version__: str"
            continue
        assert isinstance(node, ast.ImportFrom)
        (alias,) = node.names
        assert alias.name == alias.asname, "only so is it public to a type checker"
        assert alias.name not in seen
        seen[alias.name] = node.module
    assert sorted({*seen, "__version__"}) == indistinct.__all__
    for name, module in seen.items():
        assert module is not None
        assert getattr(indistinct, name) is getattr(importlib.import_module(module), name)


def test_what_is_named_as_long_is_there() -> None:
    """A test that was renamed would be left out of neither run, or of the wrong one."""
    named = (REPOSITORY / "tests/long.txt").read_text(encoding="utf-8").splitlines()
    for line in (line for line in named if not line.startswith("#")):
        file, _, test = line.partition("::")
        source = (REPOSITORY / file).read_text(encoding="utf-8")
        function = test.partition("[")[0].rpartition("::")[2]
        assert f"def {function}(" in source if test else "def test_" in source, line


def test_every_error_is_public() -> None:
    from indistinct import errors

    known = {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.IndistinctError)
    }
    assert known <= set(indistinct.__all__)


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'anonymise'"):
        indistinct.anonymise  # noqa: B018


def test_the_version_is_said_once() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == indistinct.__version__ == version("indistinct")
    citation = (REPOSITORY / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {indistinct.__version__}\n" in citation


def test_exceptions_of_lint_are_of_files_that_are_there() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    excepted = project["tool"]["ruff"]["lint"]["per-file-ignores"]
    assert [name for name in excepted if "*" not in name and not (REPOSITORY / name).exists()] == []


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by("import indistinct") == set()


def test_the_help_loads_nothing_heavy() -> None:
    assert loaded_by("import indistinct.cli") == set()


def test_the_console_script_tells_its_version() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from indistinct.cli import main; main()", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"indistinct {indistinct.__version__}\n"


def test_the_console_script_hardly_looks_for_garbage() -> None:
    code = (
        "import atexit, gc\n"
        "from indistinct.cli import main\n"
        "atexit.register(lambda: print(gc.get_count()[2] == 0, gc.get_freeze_count() > 0))\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[1] == "True True", "no old generation, and none at the end"


def test_the_wheel_has_the_package_alone_and_the_package_needs_no_reproductions() -> None:
    files = [
        item.distribution_path for item in WheelBuilder(str(REPOSITORY)).recurse_included_files()
    ]
    assert {"indistinct/cli/__init__.py", "indistinct/py.typed"} <= set(files)
    assert {Path(name).parts[0] for name in files} == {"indistinct"}
    assert not [name for name in files if "papers" in name or "reproductions" in name]
    imported = {
        name
        for path in Path(indistinct.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert not [name for name in imported if name.startswith("indistinct_reproductions")]


def test_constraints_are_names_and_versions_only() -> None:
    lines = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert lines
    assert all(len(line.split("==")) == 2 and "/" not in line for line in lines)


def _functions(path: Path) -> Iterator[tuple[str, bool, ast.FunctionDef]]:
    """The public functions of a module: name, whether it is a method of a class with bases."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, False, node
        elif isinstance(node, ast.ClassDef):
            for own in node.body:
                if isinstance(own, ast.FunctionDef):
                    yield own.name, bool(node.bases), own


def _arguments(function: ast.FunctionDef) -> list[str]:
    every = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    return [one.arg for one in every if one.arg not in ("self", "cls")]


def _doc(function: ast.FunctionDef) -> str:
    return inspect.cleandoc(ast.get_docstring(function) or "")


def test_functions_with_three_arguments_and_more_list_them() -> None:
    package = Path(indistinct.__file__).parent
    found = [
        (f"{path.relative_to(package)}:{node.lineno} {name}", name, overrides, node)
        for path in sorted(package.rglob("*.py"))
        for name, overrides, node in _functions(path)
        if not name.startswith("_") and len(_arguments(node)) > 2
    ]
    listed = {
        place: set(
            re.findall(r"\w+", " ".join(re.findall(r"^    (\w+(?:, \w+)*):", _doc(node), re.M)))
        )
        for place, _, _, node in found
    }
    told = {name for place, name, _, node in found if listed[place] >= {*_arguments(node)}}
    missing = [
        place
        for place, name, overrides, node in found
        if not listed[place] >= {*_arguments(node)}
        and not (overrides and name in told)  # the method that it overrides lists them
        and not (place.startswith("cli") and name == Path(place.split(":")[0]).stem)  # its help
    ]
    assert not missing, "\n".join(missing)
