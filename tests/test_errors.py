"""Every code of a problem has a summary, and every summary a problem."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import Result

import indistinct
from indistinct.errors import DataError, IndistinctError, PolicyError, Problem

REPOSITORY = Path(__file__).parents[1]
PACKAGES = [REPOSITORY / "src", REPOSITORY / "reproductions"]
SUMMARIES = tomllib.loads((REPOSITORY / "docs" / "errors.toml").read_text(encoding="utf-8"))


def named(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def kinds(error: type[IndistinctError]) -> Iterator[str]:
    yield error.__name__
    for kind in error.__subclasses__():
        yield from kinds(kind)


PROBLEMS = {"Problem", "add", "ThetaInfeasible", *kinds(IndistinctError)}
"""What is called with a code and a message: problems, their lists, and errors of one problem."""


def constants(node: ast.expr) -> Iterator[str]:
    """The texts that an argument can be."""
    if isinstance(node, ast.IfExp):
        yield from constants(node.body)
        yield from constants(node.orelse)
    elif isinstance(node, ast.Constant):
        yield str(node.value)


def codes_in(text: str) -> set[str]:
    """The codes of the problems that a module tells of, also through functions of its own."""
    tree = ast.parse(text)
    place_of = dict.fromkeys(PROBLEMS, 0)
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [argument.arg for argument in node.args.args if argument.arg != "self"]
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and named(call) in PROBLEMS and len(call.args) > 1:
                    first = call.args[0]
                    if isinstance(first, ast.Name) and first.id in names:
                        place_of[node.name] = names.index(first.id)
        if isinstance(node, ast.ListComp) and isinstance(node.elt, ast.Call):
            rows = node.generators[0].iter
            if named(node.elt) == "Problem" and isinstance(node.elt.args[0], ast.Name):
                assert isinstance(rows, ast.Tuple)
                for row in rows.elts:
                    assert isinstance(row, ast.Tuple)
                    found |= set(constants(row.elts[0]))
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and named(call) in place_of:
            at, least = place_of[named(call)], 1 + (named(call) in PROBLEMS)
            found |= (
                set(constants(call.args[at])) if len(call.args) >= max(at + 1, least) else set()
            )
    return found


def used() -> set[str]:
    sources = [path for package in PACKAGES for path in package.rglob("*.py")]
    return set().union(*(codes_in(path.read_text(encoding="utf-8")) for path in sources))


def test_codes_are_found_through_functions() -> None:
    text = """
def _bad(name, code, message):
    return DataError(Problem(code, message))
_bad("age", "one-code", "text")
raise DataError("two-codes" if late else "three-codes", "text", file="no-code")
raise DataError("no code")
found = [Problem(code, text) for code, text in (("four-codes", "a"), ("five-codes", "b"))]
"""
    assert codes_in(text) == {"one-code", "two-codes", "three-codes", "four-codes", "five-codes"}


def test_every_code_has_a_summary() -> None:
    assert used() - {"error"} == set(SUMMARIES)


def test_summaries_are_sorted_sentences() -> None:
    assert list(SUMMARIES) == sorted(SUMMARIES)
    for code, text in SUMMARIES.items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code), code
        assert re.search(r"\w{3}.*\.$", text), code


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:s3cret@host/db?table=t",
        "postgresql:/me:s3cr/et@3cret@host/db",
        "postgresql://host/db?user=me&password=s3cret&table=t",
        "s3://host/x?secret_access_key=s3cret",
    ],
)
def test_an_address_is_told_without_its_password(
    address: str, tmp_path: Path, run: Callable[..., Result]
) -> None:
    for problem in (
        Problem("x", f"no '{address}' here", file=address, remedy=f"see {address}"),
        Problem("x", f"{address}: no such file"),
    ):
        told = f"{problem} {problem.to_dict()} {problem!r}"
        assert "3cret" not in told
        assert "host" in told
    for verb in (indistinct.audit, indistinct.assess):
        with pytest.raises(DataError, match=r"address (of a server|holds a pass)") as caught:
            verb(address)
        assert "3cret" not in str(caught.value)
    done = run("anonymize", address, "--quasi", "a", "--k", "2", "--out", tmp_path / "out")
    assert done.exit_code == 2, done.output
    assert "3cret" not in done.output


def test_the_same_of_many_attributes_is_said_once() -> None:
    found = [
        Problem("a", "has no column", "p.toml", attribute="age"),
        Problem("b", "has no column", "p.toml", attribute="sex"),
        Problem("a", "has no column", "p.toml", attribute="zip", remedy="leave it out"),
        Problem("a", "has no column", "p.toml", attribute="ward", remedy="leave it out"),
        Problem("a", 'attributes."a b".role: wrong', rows=(3,)),
        Problem("a", "attributes.c.role: wrong", rows=(4,)),
    ]
    error = PolicyError(found)
    assert error.problems == tuple(found)
    assert str(error).splitlines() == [
        "p.toml, attribute 'age': has no column",
        "p.toml, attribute 'sex': has no column",
        "p.toml: attributes 'zip', 'ward': has no column",
        "  remedy: leave it out",
        'row 3: attributes."a b".role: wrong',
        "row 4: attributes.c.role: wrong",
    ]
