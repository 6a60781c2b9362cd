"""What an adversary learns from a release, measured: one attacker per file.

Every module of this folder that has a ``NAME`` and a ``run`` is an attacker, found by being here,
or brought by a plugin:

* ``NAME``: its name, as the command line takes it;
* ``KIND``: what it learns: who somebody is (``identity``), whether somebody is in the table
  (``membership``), or what somebody has (``attribute``);
* ``PLACE``: a number; attackers are told in the order of their places;
* ``KNOWLEDGE``: one sentence on what it knows;
* ``SOURCE``: where the attack was described;
* ``REMEDY``: what finds what to write in a policy so that it learns less
  (:mod:`~indistinct.analytics.attacks.remedies`), if anything does;
* ``LEARNS``: what it learns of an attribute ``{}``, where that is not its value;
* ``HEEDS``: what it looks at of what may be given beside the release: ``population``, ``harmful``,
  ``second``; nothing where it is not said, but one of a plugin may look at all;
* ``MOVED``: whether it looks at sensitive values that were moved at random as well;
* ``ALIASES``: further names that are taken for its own, if it has any;
* ``run(context, sensitive)``: a :class:`~indistinct.analytics.attacks.finding.Finding`, or
  :class:`~indistinct.analytics.attacks.finding.Skipped` where it has nothing to go on. The
  :class:`~indistinct.analytics.attacks.context.AttackContext` shows releases of records, long
  releases and linked tables alike: rows are people. An attacker that learns an attribute is run for
  every sensitive one; any other is run once, with None.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType, ModuleType
from typing import TypeGuard

from indistinct import plugins
from indistinct.analytics.attacks.context import AttackContext, Redrawn
from indistinct.analytics.attacks.finding import KINDS, AttackReport, Finding, Skipped, summarize
from indistinct.analytics.attacks.places import Places
from indistinct.analytics.attacks.remedies import bounded_belief
from indistinct.document import in_quotes
from indistinct.errors import PolicyError, Problem, refuse

__all__ = [
    "AttackContext",
    "AttackReport",
    "Finding",
    "Places",
    "Redrawn",
    "Skipped",
    "attackers",
    "bounded_belief",
    "findings",
    "heeding",
    "is_attacker",
    "refuse_unheeded",
    "summarize",
]

APPLIES = "Others know to whom it applies: only these people and records are counted."
"""The note on findings about an attribute that has values that are not applicable."""

STRANGERS = (
    "no person of the table fits a published class: it is another table, or writes values otherwise"
)
"""Why attackers learn nothing of people whom nothing in the release can be about."""

_NEEDED = ("KIND", "PLACE", "KNOWLEDGE", "SOURCE", "run")


@functools.cache
def attackers() -> Mapping[str, ModuleType]:
    """The module of every attacker, by name, in the order in which they are told."""
    found = {part.NAME: part for part in plugins.modules_of(__name__) if hasattr(part, "NAME")}
    found |= plugins.load("attackers", is_attacker, taken=found)
    names = sorted(found, key=lambda name: (found[name].PLACE, name))
    return MappingProxyType({name: found[name] for name in names})


def heeding(given: str) -> list[str]:
    """The attackers that look at a population, harmful values or a second release."""
    return [
        name
        for name, part in attackers().items()
        if given in getattr(part, "HEEDS", () if part.__name__.startswith(__name__) else (given,))
    ]


def refuse_unheeded(only: Sequence[str] | None, given: Mapping[str, object]) -> None:
    """Raise :class:`PolicyError` for what is given and no attacker looks at that is asked for.

    Arguments:
        only: the attackers; None for all.
        given: what attackers may look at beside the release, by its name.
    """
    there = [name for name, what in given.items() if what is not None]
    refuse(
        PolicyError,
        [
            Problem(
                "other-attacker",
                f"'{name}' is given, and of the attackers that are asked for none looks at it",
                remedy=f"leave it out, or ask for one of {in_quotes(heeding(name))}",
            )
            for name in there
            if only is not None and not {*only} & {*heeding(name)}
        ],
    )


def is_attacker(loaded: object, name: str) -> TypeGuard[ModuleType]:
    """Whether an object is an attacker of this name."""
    return (
        isinstance(loaded, ModuleType)
        and getattr(loaded, "NAME", None) == name
        and all(hasattr(loaded, part) for part in _NEEDED)
        and loaded.KIND in KINDS
        and callable(loaded.run)
    )


def findings(
    context: AttackContext,
    names: Sequence[str],
    tell: Callable[[str, float], None] = lambda _what, _share: None,
) -> Iterator[Finding | Skipped]:
    """What attackers find, one after the other, of every sensitive attribute if they learn one.

    They are run attribute by attribute: what is counted of the people and one attribute takes more
    memory than the table, and is let go before the next one.

    Arguments:
        context: what the attackers are given.
        names: their names.
        tell: is told which one is run, and the share of the runs that are done.
    """
    attributes = (*context.sensitive, *context.untried)
    learn = [name for name in names if attackers()[name].KIND == "attribute"]
    runs: list[tuple[str | None, str]] = [(None, name) for name in names if name not in learn]
    runs += [(sensitive, name) for sensitive in attributes or (None,) for name in learn]
    found: dict[str, list[Finding | Skipped]] = {name: [] for name in names}
    last: str | None = None
    for at, (sensitive, name) in enumerate(runs):
        if sensitive is None or sensitive != last:
            context.forget()
        last = sensitive
        tell(name, at / len(runs))
        one = _found(context, name, sensitive)
        if context.places.strangers and isinstance(one, Finding) and one.gain["max"] <= 0:
            one = Skipped(name, STRANGERS, one.sensitive, kind=one.kind)
        found[name].append(one)
    context.forget()
    for own in found.values():
        yield from own


def _found(context: AttackContext, name: str, sensitive: str | None) -> Finding | Skipped:
    """What one attacker finds, of an attribute if it learns one."""
    module = attackers()[name]
    if module.KIND == "attribute":
        if sensitive is None:
            return Skipped(name, "no attribute is sensitive", kind=module.KIND)
        if sensitive in context.perturbed and getattr(module, "MOVED", False):
            return _told(module.run(context, sensitive), module, context)
        why = context.why_untried(sensitive)
        if why is not None:
            return Skipped(name, why, sensitive, kind=module.KIND)
        narrowed = context.applying(sensitive)
        if narrowed is not context and not getattr(module, "WHOLE_CLASSES", False):
            found = _told(module.run(narrowed, sensitive), module, narrowed)
            if isinstance(found, Skipped):
                return found
            figures = {**found.figures, "concerned": found.people}
            return replace(found, figures=figures, note=f"{found.note} {APPLIES}".lstrip())
    return _told(module.run(context, sensitive), module, context)


def _told(
    found: Finding | Skipped, module: ModuleType, context: AttackContext
) -> Finding | Skipped:
    """A finding with what the module of its attacker says of itself."""
    if isinstance(found, Skipped):
        return replace(found, kind=module.KIND)
    name, knowledge = found.name or module.NAME, found.knowledge or module.KNOWLEDGE
    remedy = found.remedy
    if remedy is None and found.learnt and (find := getattr(module, "REMEDY", None)) is not None:
        remedy = find(context, found.sensitive)
    learns = getattr(module, "LEARNS", found.learns)
    return replace(
        found, kind=module.KIND, name=name, knowledge=knowledge, remedy=remedy, learns=learns
    )
