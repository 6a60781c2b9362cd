"""What a policy says that warnings turn on: what is promised, and what is done to values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from indistinct.intake.transform_facts import shows_others
from indistinct.privacy.alpha_k_anonymity import AlphaKAnonymity
from indistinct.privacy.max_posterior import MaxPosterior
from indistinct.sources.table import Table

if TYPE_CHECKING:
    from indistinct.policy import Policy
    from indistinct.privacy.promise import Promise


def unpromised(policy: Policy) -> list[str]:
    """Sensitive attributes of whose values in a class no promise speaks."""
    about = {
        part.sensitive
        for part in policy.privacy_models
        if not part.allows_one_value
        and (part.subject != "items" or getattr(part, "bound", None) is not None)
    }
    return [name for name in policy.sensitive if name not in about]


def partly_promised(policy: Policy) -> list[str]:
    """Sensitive attributes of which promises are about some values alone."""
    parts = [
        part
        for part in policy.privacy_models
        if part.subject != "items" and not part.allows_one_value
    ]
    whole = {
        part.sensitive
        for part in parts
        if not (getattr(part, "values", ()) or getattr(part, "not_values", ()))
    }
    about = dict.fromkeys(part.sensitive for part in parts)
    return [name for name in about if name is not None and name not in whole]


def bounds_on_values(policy: Policy) -> dict[str, float]:
    """The smallest share of a class that promises allow any value, by sensitive attribute."""
    found: dict[str, float] = {}
    for part in policy.privacy_models:
        if isinstance(part, MaxPosterior | AlphaKAnonymity) and part.about_all:
            most = part.alpha if isinstance(part, AlphaKAnonymity) else part.bound
            found[str(part.sensitive)] = min(most, found.get(str(part.sensitive), 1.0))
    return found


def told_apart_by_distance(policy: Policy) -> set[str]:
    """Sensitive attributes that are codes, or whose distances a promise weighs."""
    codes = {name for name in policy.sensitive if policy.attributes[name].type == "category"}
    distances = ("ordered", "hierarchical")
    return codes | {
        part.sensitive
        for part in policy.privacy_models
        if part.sensitive is not None and getattr(part, "distance", None) in distances
    }


def masked_identifiers(policy: Policy) -> list[str]:
    """Identifiers of which some characters are published: a known one has these."""
    rules = {name: policy.attributes[name].transform for name in policy.named("identifier")}
    return [name for name, rule in rules.items() if rule is not None and rule.mask is not None]


def replaced_alike(policy: Policy) -> list[str]:
    """Columns whose equal values are published as one other: they show what belongs together."""
    rules = {name: item.transform for name, item in policy.attributes.items()}
    ways = ("pseudonymize", "replace")
    return [name for name, rule in rules.items() if rule is not None and rule.name in ways]


def shifted_alike(policy: Policy) -> dict[str, str]:
    """Columns of dates that are moved by as many days for all of a person's, and their format."""
    rules = {
        name: item.transform and item.transform.shift
        for name, item in policy.attributes.items()
        if item.role != "quasi-identifier"
    }
    return {name: rule.format for name, rule in rules.items() if rule and rule.by == policy.person}


def compared_with_original(promises: Iterable[Promise]) -> list[str]:
    """The sensitive attributes of promises that compare with the original distribution."""
    return [
        name
        for name in dict.fromkeys(
            part.sensitive for part in promises if part.compares and part.reference == "original"
        )
        if name is not None
    ]


def read_beside(policy: Policy, table: Table) -> list[str]:
    """Columns beside quasi-identifiers of which what is published may tell others.

    Lists and the like have no text that could be compared, nor has what was put for a value by a
    key or by chance.
    """
    replaced = replaced_alike(policy)
    return [
        name
        for name in policy.published_beside
        if name in table.columns and table.kinds[name] != "other" and name not in replaced
    ]


def compared_beside(policy: Policy, table: Table) -> list[str]:
    """Those of them of which others may know what is published."""
    return [name for name in read_beside(policy, table) if not shows_others(policy, name)]
