"""Every notebook runs as it stands and shows what it says."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[1] / "docs"
SPEC = importlib.util.spec_from_file_location("notebooks", DOCS / "notebooks.py")
assert SPEC is not None
assert SPEC.loader is not None
notebooks = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(notebooks)
PATHS = sorted(notebooks.NOTEBOOKS.glob("*.ipynb"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_it_shows_what_it_says(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    kept = notebooks.lasting(notebook)
    notebooks.run(notebook)
    assert notebooks.lasting(notebook) == kept, "python docs/notebooks.py --write"
    assert f"(notebooks/{path.name})" in (DOCS / "README.md").read_text(encoding="utf-8")
