"""What a policy asks of its method, as methods are given it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from indistinct.recoding.method import Asked, Method, Sight, method_named

if TYPE_CHECKING:
    from indistinct.policy import Attribute, Policy

CODES = {"mask", "code_system"}
"""Hierarchies of codes."""


def method_of(policy: Policy) -> Method:
    """The method that a policy names."""
    found = method_named(policy.method.algorithm)
    assert found is not None, "a policy names a method that there is"
    return found


def may_be_made_up(policy: Policy) -> list[str]:
    """What the method of a policy may add to a release: noise, decoys."""
    added = method_of(policy).may_contain if policy.method.max_noise != 0 else ()
    return [*added, *["decoys"] * (policy.method.decoys is not None)]


def sight_of(policy: Policy) -> Sight:
    """What a policy's method has to see of the table."""
    return method_of(policy).sight(policy.method, policy.privacy_models)


def holds_records(policy: Policy) -> bool:
    """Whether the table is needed in memory, record by record."""
    moved = sight_of(policy).by_record or any(
        item.transform is not None for item in policy.attributes.values()
    )
    items = any(part.subject == "items" for part in policy.privacy_models)
    return moved or items or policy.person is not None or policy.ledger is not None


def reads_its_release(policy: Policy) -> bool:
    """Whether the release is needed in memory, once it is made: to guard, enlarge or analyse it."""
    guarded = policy.output.spreadsheet_safe and policy.output.format == "csv"
    return guarded or policy.method.decoys is not None or bool(policy.analyses)


def asked_of(policy: Policy, seed: int = 0) -> Asked:
    """What a policy asks of its method."""
    return Asked(
        keys=policy.method.model_copy(update={"cells": _cells(policy)}),
        weights=policy.weights,
        min_level=_bounds(policy, "min_level"),
        max_level=_bounds(policy, "max_level"),
        seed=seed,
    )


def _cells(policy: Policy) -> Mapping[str, str] | str | None:
    """How classes are published, with what is said of the type of attributes."""
    said = policy.method.cells
    typed = {name: policy.attributes[name] for name in policy.quasi_identifiers}
    found = {}
    for name, item in typed.items():
        if item.type == "number":
            found[name] = "range"
        elif _of_codes(item):
            found[name] = "ancestor"
        elif item.type is not None and not (  # dates have ranges of their own
            isinstance(item.hierarchy, Mapping) and "date" in item.hierarchy
        ):
            found[name] = "set" if item.hierarchy in (None, "suppress") else "ancestor"
    if not found:
        return said
    if isinstance(said, str):
        kept = dict.fromkeys(policy.quasi_identifiers, said)
        return kept | {name: style for name, style in found.items() if said == "range" != style}
    return found | dict(said or {})


def _of_codes(item: Attribute) -> bool:
    """Whether digits are under a mask or a code system, which say which codes are near."""
    return isinstance(item.hierarchy, Mapping) and bool(CODES & item.hierarchy.keys())


def are_codes(item: Attribute) -> bool:
    """Whether a policy says that values of digits are codes, and no numbers."""
    return item.type == "category" or (item.type is None and _of_codes(item))


def _bounds(policy: Policy, key: str) -> Mapping[str, int]:
    given = {name: getattr(item, key) for name, item in policy.attributes.items()}
    return {name: level for name, level in given.items() if level is not None}
