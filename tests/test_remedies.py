"""What remedies name exists: options of the command line, and keys of a policy.

That it helps as well is tested where each message is.
"""

from __future__ import annotations

import ast
import functools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import typer.main

import indistinct
from indistinct.cli import app
from indistinct.policy.sections import Section
from indistinct.privacy.promise import models

SOURCE = Path(indistinct.__file__).parent
ROOT = SOURCE.parents[1]

ELSEWHERE = {"influenza", "model", "on", "unit", "sensitive", "tree", "everybody", "holding"}
"""Keys of promises in a policy, of a category, of a hierarchy and of a certificate."""


def written(node: ast.expr) -> str:
    """The text of a string as far as the program says it; what it fills in is a sign."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(written(one) for one in node.values)
    if isinstance(node, ast.BinOp):
        return written(node.left) + written(node.right)
    if isinstance(node, ast.IfExp):
        return f"{written(node.body)} {written(node.orelse)}"
    return "…"


@functools.cache
def calls() -> list[tuple[str, ast.Call]]:
    """Every call in the package, with the file that it stands in."""
    return [
        (path.name, node)
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]


def remedies() -> Iterator[tuple[str, str]]:
    """Every remedy of the package and every summary of a code, with where it stands."""
    for file, node in calls():
        for keyword in node.keywords:
            if keyword.arg == "remedy":
                yield f"{file}:{keyword.value.lineno}", written(keyword.value)
    yield from tomllib.loads((ROOT / "docs/errors.toml").read_text(encoding="utf-8")).items()


@functools.cache
def found() -> dict[str, str]:
    return {place: text for place, text in remedies() if isinstance(text, str)}


def sections(root: type = Section) -> Iterator[type[Section]]:
    for one in root.__subclasses__():
        yield one
        yield from sections(one)


def test_there_are_many() -> None:
    assert len(found()) > 500


def test_the_options_that_remedies_name_exist() -> None:
    group = typer.main.get_command(app)
    commands = [group, *(group.get_command(None, name) for name in group.list_commands(None))]  # type: ignore[attr-defined, arg-type]
    known = {
        name
        for one in commands
        for item in one.params
        for name in (*item.opts, *item.secondary_opts)
    }
    known |= {"--max-memory", "--help"}  # every verb has them when the program is started
    for place, text in found().items():
        assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) <= known, place


def test_the_keys_that_remedies_name_exist() -> None:
    known = {
        item.alias or name for one in sections() for name, item in one.model_fields.items()
    } | {name for one in sections() for name in one.model_fields}
    known |= {item.name for kind in models().values() for item in fields(kind)}  # type: ignore[arg-type]
    for place, text in found().items():
        named = {key.split(".")[-1] for key in re.findall(r"([a-z_][\w.…]*) = ", text)}
        assert named - known - {"…"} <= ELSEWHERE, place


MOST_WORDS = 35
"""Words of a clause of a message, up to a stop, a colon or a semicolon."""


def messages() -> Iterator[tuple[str, str]]:
    """Every message of a problem, and every warning about a release, with where it stands."""
    for file, node in calls():
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in ("Problem", "Warned"):
            yield from ((f"{file}:{one.lineno}", written(one)) for one in node.args[1:2])
        elif name == "warn" or (name == "append" and file == "warnings.py"):
            yield from ((f"{file}:{one.lineno}", written(one)) for one in node.args)
    yield from found().items()


def test_no_clause_of_a_message_is_too_long_to_follow() -> None:
    long = {
        place: clause
        for place, text in messages()
        for clause in re.split(r"[.;:](?:\s|$)", text)
        if len(clause.split()) > MOST_WORDS
    }
    assert not long
