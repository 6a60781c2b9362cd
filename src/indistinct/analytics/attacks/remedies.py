"""What to write in a policy so that an attacker learns less: a sentence and the keys for it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from indistinct._toml import document
from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.refusals import Rerun
from indistinct.analytics.weighted import Lists
from indistinct.document import PlainData
from indistinct.frozen import dataclass, field
from indistinct.types import PlainMapping

LIKELY = 0.95
"""Beliefs from here on count as knowing; what is promised stays below."""

SMALLEST_CLASS = 5
"""The smallest class that is asked for."""

MANY = 0.5
"""The share of people with rare values of a column from which on it is better left out."""


@dataclass(frozen=True)
class Remedy(PlainData):
    """What lowers what an attacker learns.

    Arguments:
        text: what to do, as an imperative.
        policy: the keys to add to the policy, as in its file. A promise takes the place of one of
            the same model about the same attribute, the section of an attribute that of another.
    """

    text: str
    policy: PlainMapping = field(default_factory=dict)

    def toml(self) -> str:
        """The keys as they are written in the file; a key that is to go has no line.

        >>> print(Remedy("drop it", {"attributes": {"année": {"derived_from": "né"}}}).toml())
        [attributes."année"]
        derived_from = "né"
        """
        sections = {name: _kept(keys) for name, keys in self.policy.items()}
        return document({name: keys for name, keys in sections.items() if keys}).strip()


def _kept(keys: Any) -> Any:
    """The keys of a section that have a value."""
    if isinstance(keys, list):
        return keys
    return {key: value for key, value in keys.items() if value is not None}


def larger_classes(context: AttackContext, sensitive: str | None = None) -> Remedy:
    """Twice the size of the smallest class; groups, where there are exact values."""
    del sensitive
    if _exact(context):
        return _groups(context)
    smallest = int(context.rows_of_people[context.classes.ordinary].min(initial=context.records))
    promise = {"model": "k-anonymity", "k": max(2 * smallest, SMALLEST_CLASS)}
    return Remedy("ask for larger classes", {"promises": [promise]})


def _exact(context: AttackContext) -> bool:
    """Whether two tables link exact quasi-identifiers to buckets."""
    return context.linked and not _grouped(context)


def _grouped(context: AttackContext) -> bool:
    """Whether two tables link groups of people to fingerprints."""
    return any(item.model == "kl-diversity" for item in context.promises)


def _groups(context: AttackContext) -> Remedy:
    """(k, l)-diversity, which makes groups of people."""
    promise = {"model": "kl-diversity", "sensitive": context.sensitive[0], "k": 5, "l": 2}
    policy = {"promises": [promise], "method": {"algorithm": "k-l-diversity"}}
    return Remedy("publish groups of people in place of exact values", policy)


def bounded_belief(context: AttackContext, sensitive: str | None) -> Remedy:
    """A bound on the share of every value in a class, below the one that is promised."""
    assert sensitive is not None
    most = float(context.spread(sensitive).prior.max(initial=0.0))
    now = min(context.bound_of_people(sensitive), 1.0)
    bound = math.floor(100 * min(max(0.5, (most + LIKELY) / 2), (most + now) / 2)) / 100
    if not most < bound < min(LIKELY, now):
        return larger_classes(context)
    promise = {"model": "max-posterior", "sensitive": sensitive, "bound": bound}
    return Remedy(f"bound the share of every '{sensitive}' in a class", {"promises": [promise]})


def cut_classes(context: AttackContext, sensitive: str | None) -> Remedy:
    """Classes that are cut, and not gathered until their values differ; else a bound on beliefs."""
    if not isinstance(context.tried, Rerun) or not context.one_record_each:
        return bounded_belief(context, sensitive)
    return Remedy("cut classes and do not gather them", {"method": {"algorithm": "mondrian"}})


def bounded_distance(context: AttackContext, sensitive: str | None) -> Remedy:
    """t-closeness: no set of values, so no category, has a share much above the overall one."""
    if _grouped(context):
        return bounded_belief(context, sensitive)
    asked = [
        float(item.parameters["t"])
        for item in context.promises
        if item.model == "t-closeness" and item.sensitive == sensitive
    ]
    promise = {"model": "t-closeness", "sensitive": sensitive, "t": min([0.6, *asked]) / 2}
    text = f"keep the shares of '{sensitive}' in a class near those of the table"
    return Remedy(text, {"promises": [promise]})


def several_left(context: AttackContext, sensitive: str | None) -> Remedy:
    """Recursive (c, l)-diversity with l = 3: the most frequent value, another one excluded.

    Its share is then below c / (1 + c) (Machanavajjhala and others 2006).
    """
    assert sensitive is not None
    shares = np.sort(context.spread(sensitive).prior)[::-1]
    rest = float(shares[2:].sum())
    if _exact(context):
        return _groups(context)
    if _grouped(context) or not rest:
        return bounded_belief(context, sensitive)
    c = max(3, math.ceil(2 * shares[0] / rest))
    if c / (1 + c) >= LIKELY:
        return bounded_belief(context, sensitive)
    promise = {"model": "recursive-cl-diversity", "sensitive": sensitive, "c": c, "l": 3}
    text = f"ask for classes in which a third '{sensitive}' is frequent enough"
    return Remedy(text, {"promises": [promise]})


def fewer_columns(context: AttackContext, sensitive: str | None = None) -> Remedy:
    """Leave out what is published as it is; else let it count as known."""
    del sensitive
    if best := _most_telling(context.beside):
        return without(best)
    taken = {name for item in context.promises for name in item.columns}
    told = {name: _told_by(context.values[name]) for name in sorted(context.sensitive)}
    most = max(told, key=lambda name: told[name], default="")
    names = sorted(told.keys() - taken, key=lambda name: (-told[name], name))
    if context.linked or _grouped(context) or not told:
        return larger_classes(context)
    if _rare(context.values[most]) >= MANY:
        return _without_rare(context, most)
    if not names or (context.one_record_each and 2 * told[names[0]] < told[most]):
        return larger_classes(context)
    if context.one_record_each:
        text = f"let '{names[0]}' count among what others know, so that several rows share it"
        return Remedy(text, {"attributes": {names[0]: {"role": "quasi-identifier"}}})
    promises = [{"model": "known-records", "sensitive": own, "k": 2, "m": 2} for own in names]
    text = f"let several people share any two values of {' and of '.join(names)} that somebody has"
    return Remedy(text, {"promises": promises})


def fewer_joined(context: AttackContext, sensitive: str | None) -> Remedy:
    """Leave out the column that joins rows of releases best; else a bound on beliefs."""
    other = {} if context.second is None else context.second.joining
    values = {*context.sensitive, *context.untried}
    shared = {
        name: own for name, own in context.joining.items() if name in other and name not in values
    }
    best = _most_telling(shared)
    return without(best) if best else bounded_belief(context, sensitive)


def _without_rare(context: AttackContext, name: str) -> Remedy:
    """Leave out a column of which most values are those of few people: no promise keeps them."""
    text = f"leave '{name}' out, as most people have a value there that few share"
    if any(name in item.columns for item in context.promises):
        return Remedy(f"{text}, and what is promised of it")
    return Remedy(text, {"attributes": {name: {"role": "identifier"}}})


def without(name: str) -> Remedy:
    """The release without a column."""
    return Remedy(f"leave '{name}' out", {"attributes": {name: {"role": "identifier"}}})


def _most_telling(columns: Mapping[str, Lists]) -> str | None:
    """The column that tells most of whose its values are; none where all have one value."""
    told = {name: _told_by(own) for name, own in columns.items()}
    return max((name for name in told if told[name] > 0), key=lambda name: told[name], default=None)


def _told_by(column: Lists) -> float:
    """The bits that a value of a column tells of whose it is."""
    shares = np.bincount(column.index) / max(len(column.index), 1)
    return float(-(shares[shares > 0] @ np.log2(shares[shares > 0])))


def _rare(column: Lists) -> float:
    """The share of values that fewer people have than the smallest class that is asked for."""
    had = np.bincount(column.index)
    return float(had[had < SMALLEST_CLASS].sum() / max(had.sum(), 1))


def shared_sets(context: AttackContext, sensitive: str | None) -> Remedy:
    """k^m-anonymity of the sets of values; where most values are rare, they are left out."""
    assert sensitive is not None
    if sensitive in context.values and _rare(context.values[sensitive]) >= MANY:
        return _without_rare(context, sensitive)
    promise = {"model": "km-anonymity", "sensitive": sensitive, "k": SMALLEST_CLASS, "m": 2}
    text = f"let several people share any two values of '{sensitive}' that somebody has"
    return Remedy(text, {"promises": [promise]})


def without_noise(context: AttackContext, sensitive: str | None = None) -> Remedy:
    """The variant that adds noise nobody can strip."""
    del context, sensitive
    return Remedy("add noise that is not told by what it is for", {"method": {"variant": "safe"}})


def without_decoys(context: AttackContext, sensitive: str | None = None) -> Remedy:
    """No decoys, and a bound in their place."""
    bound = bounded_belief(context, sensitive)
    return Remedy(f"add no decoys, and {bound.text}", {**bound.policy, "method": {"decoys": None}})


def levels(context: AttackContext, sensitive: str | None = None) -> Remedy:
    """One level for every row."""
    del context, sensitive
    return Remedy("publish one level per attribute", {"method": {"algorithm": "optimal"}})


def shuffled(context: AttackContext, sensitive: str | None = None) -> Remedy:
    """Rows in random order."""
    del context, sensitive
    return Remedy("publish the rows in random order", {"output": {"shuffle": True}})


def absent(context: AttackContext, sensitive: str | None = None) -> Remedy:
    """A bound on the belief that somebody is in the table."""
    del context, sensitive
    promise = {"model": "delta-presence", "lower": 0.0, "upper": 0.5}
    text = "bound who can be known to be in the table (among the people of [risk] population)"
    return Remedy(text, {"promises": [promise]})
