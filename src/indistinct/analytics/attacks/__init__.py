"""What an adversary learns from a release, measured: one attacker per file.

Every module of this folder that has a ``NAME`` and a ``run`` is an attacker, found by being here:

* ``NAME``: its name, as the command line takes it;
* ``KNOWLEDGE``: one sentence on what it knows;
* ``SOURCE``: where the attack was described;
* ``run(scene, sensitive)``: a :class:`~indistinct.analytics.attacks.finding.Finding`, or
  :class:`~indistinct.analytics.attacks.finding.Skipped` where it has nothing to go on. It is run
  for every sensitive attribute, or with None where there is none; if what it finds is of no
  attribute (who somebody is, not what they have), once is enough.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType, ModuleType

from indistinct.analytics.attacks.finding import AttackReport, Finding, Skipped, summarize
from indistinct.analytics.attacks.scene import Scene

__all__ = ["AttackReport", "Finding", "Scene", "Skipped", "attackers", "summarize"]

ORDER = (
    "record-linkage",
    "presence",
    "membership",
    "non-membership",
    "homogeneity",
    "categorical-similarity",
    "sensitive-variance",
    "skewness",
    "background-exclusion",
    "colleague",
    "noise-stripping",
    "decoy-stripping",
    "minimality",
    "learned-correlation",
    "down-coding",
    "order",
)
"""The order in which attackers are told; any other comes after these."""


def attackers() -> Mapping[str, ModuleType]:
    """The module of every attacker, by name."""
    return _attackers()


@functools.cache
def _attackers() -> Mapping[str, ModuleType]:
    found: dict[str, ModuleType] = {}
    for item in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{item.name}")
        if hasattr(module, "NAME") and callable(getattr(module, "run", None)):
            found[module.NAME] = module
    place = {name: at for at, name in enumerate(ORDER)}
    names = sorted(found, key=lambda name: (place.get(name, len(place)), name))
    return MappingProxyType({name: found[name] for name in names})
