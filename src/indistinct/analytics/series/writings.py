"""In which way a release writes the values of an attribute, so that those of two can be compared.

Where one release lists diseases and the next one groups of diseases, a person whose lists have no
label in common may still have the same disease, and it may be the only one that fits both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.release.ledger import Entry, Listed

_OF_DATA = ("microaggregate", "noise", "shift")
"""Transformations after which what stands for a value depends on the table, or on chance."""


def writing_of(entry: Entry, attribute: str) -> tuple[str, bool]:
    """How a release writes the values of an attribute, and whether only this release does.

    Values as they are in the table have the empty text. Of two releases with the same text a label
    stands for the same values, unless either writes as no other does: under a node of a hierarchy
    one class may have other values than the next.
    """
    policy, listed = _table(entry.account.get("policy")), entry.listed[attribute]
    item, method = _table(_table(policy.get("attributes")).get(attribute)), policy.get("method")
    categories = entry.account.get("categories", {}).get(attribute, ())
    parts = [*_transformed(item.get("transform"), listed), *_of_people(categories, listed)]
    made = {_table(method).get("algorithm"), *_generalizing(entry, attribute)}
    nodes = "hierarchy" in item or SUPPRESSED in listed.labels
    if nodes and "km-anonymity" in made:
        parts.append(["km-anonymity", _labels(listed)])
    own = bool(made & {"k-l-diversity", "known-records"})
    own |= "km-anonymity" in made and _table(method).get("items") == "local"
    return json.dumps(parts, sort_keys=True, default=str) if parts else "", nodes and own


def _table(found: object) -> Mapping[str, Any]:
    return found if isinstance(found, Mapping) else {}


def _generalizing(entry: Entry, attribute: str) -> set[str]:
    """The promises for which a release generalizes single values of an attribute."""
    return {
        str(promise.get("model"))
        for promise in entry.account.get("promises", ())
        if attribute
        in (promise.get("sensitive"), *_table(promise.get("parameters")).get("together", ()))
    } & {"km-anonymity", "known-records"}


def _transformed(rule: Any, listed: Listed) -> list[Any]:
    """What a transformation makes of values, with what its labels tell of how it went."""
    if rule is None:
        return []
    keys = rule.get("aggregate") if isinstance(rule, Mapping) else None
    if isinstance(keys, Mapping) and {"top", "bottom"} & {*keys}:
        numbers = sorted(number for text in listed.labels if (number := _number(text)) is not None)
        ends = {"top": numbers[-1:], "bottom": numbers[:1]}
        return [rule, {name: ends[name] for name in ends if name in keys}]
    names = rule if isinstance(rule, Mapping) else {rule: None}
    if {*_OF_DATA} & {*names} or (isinstance(keys, Mapping) and "thresholds" in keys):
        return [rule, _labels(listed)]
    return [rule]


def _of_people(categories: Any, listed: Listed) -> list[Any]:
    """Whether categories are listed in place of values, or everybody's values as one set."""
    shown = {label for label in listed.labels if label is not None}
    if shown <= {name for _, name in categories} and not shown <= {
        value for value, _ in categories
    }:
        return ["categories", sorted(map(list, categories), key=str)]
    sets = any(label.startswith("{") and label.endswith("}") for label in shown)
    return ["sets"] * sets


def _labels(listed: Listed) -> list[str]:
    return sorted(label for label in listed.labels if label is not None)


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None
