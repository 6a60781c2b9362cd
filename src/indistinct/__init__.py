"""Find who is at risk in a table about people, release it safely, and prove it.

To look first: :func:`assess` measures how much each column identifies people, and what is left
of that; :func:`risk` how likely somebody is found; :func:`quasi` which columns stand between people
and what harms them.

For a release: describe the table in a :class:`Policy` (roles, hierarchies, promises, method) and
call :func:`anonymize` with a frame or a file; it returns a :class:`Release` with the published
tables, a public certificate and a private account of the run. :func:`audit` recomputes every
promise from the published tables alone, :func:`attack` tries out what an adversary learns from
them, and :func:`compare` puts several releases side by side. :func:`expected` joins the tables of a
linked release, to count by.

To look closer: :class:`Taxonomy` for hierarchies, :class:`KAnonymity` and its kin for promises, and
the errors, which all descend from :class:`IndistinctError`.
"""

from __future__ import annotations

import importlib
import os
import re
from typing import Any

# Polars hands freed memory back to the system, where nobody has said otherwise; it reads this once.
os.environ.setdefault("_RJEM_MALLOC_CONF", "muzzy_decay_ms:0")

__version__ = "0.5.0"


def _homes() -> dict[str, str]:
    """The module of every public name, as the stub beside this file says it."""
    # pathlib takes longer to import than the package does.
    with open(f"{__path__[0]}/__init__.pyi", encoding="utf-8") as stub:  # noqa: PTH123
        lines = re.findall(r"^from (\S+) import \(?\s*(\w+) as \2", stub.read(), re.MULTILINE)
    return {name: module for module, name in lines}


_HOMES = _homes()

__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> Any:
    """The public names, each imported when first asked for, so that the package loads quickly."""
    if name not in _HOMES:
        raise AttributeError(f"module 'indistinct' has no attribute '{name}'")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
