"""What an adversary learns from a release, measured: one attacker per file.

Every module of this folder that has a ``NAME`` and a ``run`` or ``run_people`` is an attacker,
found by being here (or brought by a plugin):

* ``NAME``: its name, as the command line takes it;
* ``KNOWLEDGE``: one sentence on what it knows;
* ``SOURCE``: where the attack was described;
* ``run(scene, sensitive)``: a :class:`~indistinct.analytics.attacks.finding.Finding`, or
  :class:`~indistinct.analytics.attacks.finding.Skipped` where it has nothing to go on. It is run
  for every sensitive attribute, or with None where there is none; if what it finds is of no
  attribute (who somebody is, not what they have), once is enough;
* ``run_people(scene, sensitive)``: the same of people with many records, who are given as a
  :class:`~indistinct.analytics.attacks.people_scene.PeopleScene`.

An attacker may be of records only, of people only, or of both.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType, ModuleType
from typing import TypeGuard

from indistinct import plugins
from indistinct.analytics.attacks.finding import AttackReport, Finding, Skipped, summarize
from indistinct.analytics.attacks.people_scene import PeopleScene
from indistinct.analytics.attacks.scene import Scene

__all__ = [
    "AttackReport",
    "Finding",
    "PeopleScene",
    "Scene",
    "Skipped",
    "attackers",
    "attackers_of_people",
    "is_attacker",
    "summarize",
]

ORDER = (
    "record-linkage",
    "presence",
    "membership",
    "worst-posterior",
    "non-membership",
    "homogeneity",
    "categorical-similarity",
    "sensitive-variance",
    "skewness",
    "background-exclusion",
    "colleague",
    "vertical",
    "fingerprint-correlation",
    "composition",
    "noise-stripping",
    "decoy-stripping",
    "minimality",
    "learned-correlation",
    "down-coding",
    "order",
)
"""The order in which attackers are told; any other comes after these."""


def attackers() -> Mapping[str, ModuleType]:
    """The module of every attacker of records, by name."""
    return _attackers("run")


def attackers_of_people() -> Mapping[str, ModuleType]:
    """The module of every attacker of people with many records, by name."""
    return _attackers("run_people")


@functools.cache
def _attackers(function: str) -> Mapping[str, ModuleType]:
    found = {part.NAME: part for part in plugins.modules_of(__name__) if hasattr(part, "NAME")}
    found |= plugins.load("attackers", is_attacker, taken=found)
    place = {name: at for at, name in enumerate(ORDER)}
    names = sorted(found, key=lambda name: (place.get(name, len(place)), name))
    able = [name for name in names if callable(getattr(found[name], function, None))]
    return MappingProxyType({name: found[name] for name in able})


def is_attacker(loaded: object, name: str) -> TypeGuard[ModuleType]:
    """Whether an object is an attacker of this name."""
    return (
        isinstance(loaded, ModuleType)
        and getattr(loaded, "NAME", None) == name
        and hasattr(loaded, "KNOWLEDGE")
        and hasattr(loaded, "SOURCE")
        and any(callable(getattr(loaded, way, None)) for way in ("run", "run_people"))
    )
