"""What a policy says of changed values: which can be followed, and which are somebody else's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from indistinct.document import in_quotes
from indistinct.policy.sections import TRANSFORMS
from indistinct.sources.table import Table
from indistinct.types import Plain

if TYPE_CHECKING:
    from indistinct.policy import Policy
    from indistinct.policy.sections import Transform


OF_TEXTS = ("mask", "pseudonymize")
"""Transformations that need no more than the texts of an identifier."""

IDENTIFIER = "identifier"

PERTURBING = tuple(n for n, w in TRANSFORMS.items() if w.by_chance or w.becomes == "shared")
"""Transformations after which a record may hold a value that was not its own."""

EXCHANGED = tuple(n for n, w in TRANSFORMS.items() if w.becomes == "another")
"""Those after which it holds one of another record, as that one had it."""

FOLLOWED = tuple(n for n, w in TRANSFORMS.items() if w.becomes in ("coarser", "shared"))
"""Transformations that publish the same for equal values, so that the truth can be followed."""

MOVED = tuple(n for n, w in TRANSFORMS.items() if w.becomes == "moved")
"""Transformations after which nothing says which published value is whose."""

_MOVED = "was moved at random in the release, so nothing says which published value is whose"


def is_linked(rule: Transform) -> bool:
    """Whether a true value says which record is likely its own, although it was changed.

    It was moved by a known amount, exchanged within a window or between some records, or stayed
    with a known probability.
    """
    if rule.swap is not None:
        return rule.swap.window is not None or rule.swap.share < 1
    return rule.name in (*MOVED, "pram")


def changes_values(policy: Policy) -> bool:
    """Whether transformations need the records in memory."""
    return any(
        item.role != "identifier" or item.transform.name not in OF_TEXTS
        for item in policy.attributes.values()
        if item.transform is not None
    )


def known_beside(policy: Policy, table: Table) -> list[str]:
    """Insensitive columns of which others may know what is published."""
    return [
        name
        for name in policy.named("insensitive")
        if name != policy.person
        and name in table.columns
        and table.kinds[name] != "other"
        and ((rule := policy.attributes[name].transform) is None or rule.name in FOLLOWED)
    ]


def shows_others(policy: Policy, name: str) -> bool:
    """Whether what is published of an attribute is not what others may know of a person."""
    rule = policy.attributes[name].transform
    return rule is not None and rule.name in (*PERTURBING, "pseudonymize")


def is_moved(policy: Policy, name: str) -> bool:
    """Whether values were moved at random, so that published ones are near the true ones."""
    rule = policy.attributes[name].transform
    return rule is not None and rule.name in MOVED


_TAKEN_FOR_TRUE = (
    "{}: values were swapped, or drawn at random, and attackers other than pram-stripping take "
    "those of the release for true; one who allows for it, as the certificate lets readers do, "
    "believes less of small classes, and more of large ones: what most of a class show nearly all "
    "of them may have"
)
"""The note on attributes whose values became those of other records."""


def untried_in(policy: Policy) -> dict[str, str]:
    """The attributes whose truth cannot be found again in a release, each with the reason.

    Exchanged values are those of the table, and drawn ones as far as they can be read: an attacker
    who takes them for the truth is right or wrong as often as is counted.
    """
    found = {}
    for name in (*policy.quasi_identifiers, *policy.sensitive):
        rule = policy.attributes[name].transform
        if is_moved(policy, name):
            found[name] = f"{name} {_MOVED}"
        elif rule is not None and rule.name == "synthesize" and name in policy.quasi_identifiers:
            found[name] = f"{name} was drawn from a model for the release, and is nobody's"
    return found


def depends_on_others(rule: Transform) -> bool:
    """Whether what becomes of a value depends on other values of the table, or on chance.

    Exchanged values are those of the table, as often as they are there.
    """
    centres = rule.aggregate is not None and bool(rule.aggregate.thresholds)
    if centres and rule.aggregate is not None and rule.aggregate.show != "range":
        return True
    return rule.name in (*MOVED, "microaggregate", "synthesize")


def shows_suppressed(policy: Policy) -> list[str]:
    """The attributes in which published records hold what values of all records became together.

    Suppressed records are among them: transformations come before the search.
    """
    rules = {name: item.transform for name, item in policy.attributes.items()}
    return [
        name
        for name, rule in rules.items()
        if rule is not None
        and (rule.name in EXCHANGED or (depends_on_others(rule) and rule.name not in MOVED))
    ]


def policy_of_originals(policy: Policy) -> Policy:
    """The same policy for a look at the original values of transformed quasi-identifiers.

    Hierarchies speak of transformed values. Where original ones are held against a release, those
    that a hierarchy does not cover count as suppressed. Of sensitive values that were moved at
    random nothing is known but what the certificate says.
    """
    changed = {}
    for name, item in policy.attributes.items():
        if item.transform is None:
            continue
        update: Plain = {"uncovered": "suppress"}
        if item.role == "sensitive" and item.transform.name in MOVED:
            update |= {"categories": None, "hierarchy": None, "order": ()}
        changed[name] = item.model_copy(update=update)
    if not changed:
        return policy
    return policy.model_copy(update={"attributes": {**policy.attributes, **changed}})


def taken_for_true(policy: Policy, names: Sequence[str]) -> list[str]:
    """The note on attributes of which attackers take for true what is a value of other records."""
    rules = {name: item.transform for name, item in policy.attributes.items()}
    drawn = [name for name in names if (rule := rules.get(name)) and rule.name in EXCHANGED]
    return [_TAKEN_FOR_TRUE.format(in_quotes(drawn))] * bool(drawn)
