"""Find who is at risk in a table about people, release it safely, and prove it.

To look first: :func:`assess` tells which columns give people away, and after a release what is left
of that.

For a release: describe the table in a :class:`Policy` (roles, hierarchies, promises, method) and
call :func:`anonymize` with a frame or a file; it returns a :class:`Release` with the published
tables, a public certificate and a private account of the run. :func:`audit` recomputes every
promise from the published tables alone.

To look closer: :class:`Taxonomy` for hierarchies, :class:`KAnonymity` and its kin for promises, and
the errors, which all descend from :class:`IndistinctError`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from indistinct.analytics.assessment import Assessment
    from indistinct.errors import (
        DataError,
        HierarchyError,
        IndistinctError,
        InputError,
        OutputError,
        PolicyError,
        Problem,
        Unsatisfiable,
    )
    from indistinct.hierarchies.files import read_hierarchy, write_hierarchy
    from indistinct.hierarchies.taxonomy import Taxonomy
    from indistinct.pipeline import Release, anonymize, assess, audit
    from indistinct.policy import Attribute, Method, Objective, Output, Policy, Source
    from indistinct.privacy.k_anonymity import KAnonymity
    from indistinct.privacy.promise import Promise
    from indistinct.release.audit import Audit
    from indistinct.release.certificate import Certificate, Run
    from indistinct.requirement import Requirement

__version__ = "0.2.0"

__all__ = [
    "Assessment",
    "Attribute",
    "Audit",
    "Certificate",
    "DataError",
    "HierarchyError",
    "IndistinctError",
    "InputError",
    "KAnonymity",
    "Method",
    "Objective",
    "Output",
    "OutputError",
    "Policy",
    "PolicyError",
    "Problem",
    "Promise",
    "Release",
    "Requirement",
    "Run",
    "Source",
    "Taxonomy",
    "Unsatisfiable",
    "__version__",
    "anonymize",
    "assess",
    "audit",
    "read_hierarchy",
    "write_hierarchy",
]

_HOMES = {
    "analytics.assessment": ("Assessment",),
    "errors": (
        "DataError",
        "HierarchyError",
        "IndistinctError",
        "InputError",
        "OutputError",
        "PolicyError",
        "Problem",
        "Unsatisfiable",
    ),
    "hierarchies.files": ("read_hierarchy", "write_hierarchy"),
    "hierarchies.taxonomy": ("Taxonomy",),
    "pipeline": ("Release", "anonymize", "assess", "audit"),
    "policy": ("Attribute", "Method", "Objective", "Output", "Policy", "Source"),
    "privacy.k_anonymity": ("KAnonymity",),
    "privacy.promise": ("Promise",),
    "release.audit": ("Audit",),
    "release.certificate": ("Certificate", "Run"),
    "requirement": ("Requirement",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """The public names, each imported when first asked for, so that the package loads quickly."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'indistinct' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"indistinct.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
