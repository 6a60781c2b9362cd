"""What remedies name exists: options of the command line, and keys of a policy.

That it helps as well is tested where each message is.
"""

from __future__ import annotations

import ast
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

ELSEWHERE = {"influenza", "model", "on", "unit", "sensitive", "tree", "holding"}
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


def remedies() -> Iterator[tuple[str, str]]:
    """Every remedy of the package and every summary of a code, with where it stands."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for keyword in getattr(node, "keywords", ()):
                if keyword.arg == "remedy":
                    yield f"{path.name}:{keyword.value.lineno}", written(keyword.value)
    yield from tomllib.loads((ROOT / "docs/errors.toml").read_text(encoding="utf-8")).items()


FOUND = {place: text for place, text in remedies() if isinstance(text, str)}


def sections(root: type = Section) -> Iterator[type[Section]]:
    for one in root.__subclasses__():
        yield one
        yield from sections(one)


def test_there_are_many() -> None:
    assert len(FOUND) > 500


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
    for place, text in FOUND.items():
        assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) <= known, place


def test_the_keys_that_remedies_name_exist() -> None:
    known = {
        item.alias or name for one in sections() for name, item in one.model_fields.items()
    } | {name for one in sections() for name in one.model_fields}
    known |= {item.name for kind in models().values() for item in fields(kind)}  # type: ignore[arg-type]
    for place, text in FOUND.items():
        named = {key.split(".")[-1] for key in re.findall(r"([a-z_][\w.…]*) = ", text)}
        assert named - known - {"…"} <= ELSEWHERE, place
