"""Figures come from the product's public functions; what is taken from behind them has a reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import indistinct as ind
import indistinct_reproductions

FURNITURE = "reads and writes files, draws and prints: no figure of a paper"
HIERARCHIES = "makes a hierarchy from what a paper prints of it, as the keys of a policy do"
STEPS = "papers print the steps and formulas of an algorithm; public functions tell its end"
OTHERWISE = "the paper takes records for people, or asks its own questions of linked tables"

BEHIND: dict[str, str] = {
    "indistinct.analytics.joined": OTHERWISE,
    "indistinct.analytics.published": OTHERWISE,
    "indistinct.analytics.utility.linkability": OTHERWISE,
    "indistinct.analytics.utility.linked_query_error": OTHERWISE,
    "indistinct.analytics.utility.query_error": OTHERWISE,
    "indistinct.analytics.utility.figures": OTHERWISE,
    "indistinct.cli": FURNITURE,
    "indistinct.document": FURNITURE,
    "indistinct.errors": FURNITURE,
    "indistinct.hierarchies": HIERARCHIES,
    "indistinct.intake": OTHERWISE,
    "indistinct.microdata": STEPS,
    "indistinct.pipeline": OTHERWISE,
    "indistinct.randomness": FURNITURE,
    "indistinct.recoding": STEPS,
    "indistinct.report": FURNITURE,
    "indistinct.sources": FURNITURE,
}
WHO = {STEPS: ("arca_hewett", "khan", "trees", "fazal"), OTHERWISE: ("fazal",)}
"""What takes steps, and what measures otherwise, by how their names begin."""


def imported(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    """The modules and names that are imported, but for types alone."""
    for one in body:
        if isinstance(one, ast.If) and isinstance(one.test, ast.Name):  # TYPE_CHECKING
            continue
        for node in ast.walk(one):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("indistinct."):
                yield from ((str(node.module), name.name) for name in node.names)


@pytest.mark.parametrize(
    "path", sorted(Path(*indistinct_reproductions.__path__).glob("*.py")), ids=lambda one: one.stem
)
def test_a_figure_comes_from_public_functions(path: Path) -> None:
    for module, name in imported(ast.parse(path.read_text("utf-8")).body):
        public = getattr(ind, name, None) is getattr(import_module(module), name)
        assert not public, f"{name} of {module} is public: import it from indistinct"
        known = [why for room, why in BEHIND.items() if f"{module}.".startswith(f"{room}.")]
        assert known, f"{module}: use a public function, or say why it is needed"
        assert path.stem.startswith(WHO.get(known[0], ("",))), (module, name, known[0])
