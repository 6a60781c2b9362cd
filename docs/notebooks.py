"""Run the notebooks of ``docs/notebooks`` in this process: ``python docs/notebooks.py [--write]``.

A notebook keeps what its cells showed when they were written, so that it can be read where nothing
runs it. Its cells need nothing but this package: no kernel, and no library for notebooks.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

NOTEBOOKS = Path(__file__).parent / "notebooks"
VARYING = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z|(?<=seconds of search</th>)(<td[^>]*>[\d.]+</td>)*")
"""What differs from run to run: the time of a release, and the seconds of a search."""


def cells(notebook: Any, kind: str = "code") -> Iterator[tuple[Any, str]]:
    """The cells of a kind, each with its text."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == kind:
            yield cell, "".join(cell["source"])


def run(notebook: Any) -> None:
    """Run all cells one after the other, and put what they show into the notebook.

    The seed of a release is the same each time here; a seed in the notebook would teach to set one.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, (cell, text) in enumerate(cells(notebook), 1):
        tree, out = ast.parse(text), io.StringIO()
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        value = None
        with contextlib.redirect_stdout(out), mock.patch("secrets.randbits", lambda bits: bits):
            exec(compile(tree, f"cell {number}", "exec"), names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)  # noqa: S307
        cell["execution_count"] = number
        cell["outputs"] = list(_outputs(out.getvalue(), value, number))


def _outputs(printed: str, value: Any, number: int) -> Iterator[dict[str, Any]]:
    if printed:
        yield {"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)}
    if value is None:
        return
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_().splitlines(keepends=True)
    yield {
        "data": data,
        "execution_count": number,
        "metadata": {},
        "output_type": "execute_result",
    }


def lasting(notebook: Any) -> str:
    """What every run of a notebook shows alike, as text."""
    return VARYING.sub("", json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


def main(arguments: list[str]) -> int:
    """Run all notebooks; with ``--write`` keep what they show, else say which show otherwise."""
    changed = 0
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        before = path.read_text(encoding="utf-8")
        notebook = json.loads(before)
        kept = lasting(notebook)
        run(notebook)
        if lasting(notebook) != kept:
            changed += 1
            sys.stdout.write(f"{path.name} shows something else\n")
            if "--write" in arguments:
                text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
                path.write_text(text, encoding="utf-8")
    return 0 if "--write" in arguments else min(changed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
