"""Attributes of visits, generalized so that no visit singles out a person of its class.

An attacker knows one visit of a person (its date, its ward) and the quasi-identifiers, and looks
for people of the class who have such a visit. Every attribute is published at one level of its
hierarchy, the same for all (full-domain recoding, Samarati 2001). Visits that fewer than k people
of a class have even then are published as ``*`` in every attribute, where k people have such ones;
if fewer have, further visits of the class are, those that fewest people have first.

All choices of levels are looked at, the cheapest first, until none can be better. Visits that are
equal, of one class, are treated alike, and nothing depends on the order of rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from indistinct.document import in_quotes, many
from indistinct.errors import PolicyError, Unsatisfiable
from indistinct.frozen import dataclass
from indistinct.hierarchies.taxonomy import Label, Taxonomy
from indistinct.types import Bools, Floats, Ints, Ints32, Plain

LITTLE = 0.25
"""The share of an attribute's information of which is said that little is left."""
MORE = 0.1
"""How much more of that share has to be left so that a way is worth advising."""
WIDER_LIMITS = (0.05, 0.1, 0.2)
"""Shares of visits published as ``*`` that are tried where little of an attribute is left."""
TIMES_LARGER = (10, 40)
"""Sizes of classes that are tried there, in multiples of the k of visits."""
MOST_TRIED = 20_000_000
"""Rows times choices of levels of one search; nothing is tried where the first took more."""
MOST_NODES = 1_000_000
"""Choices of levels that are compared, at most."""


@dataclass(frozen=True, eq=False)
class VisitAttribute:
    """An attribute of visits.

    Arguments:
        taxonomy: its hierarchy.
        leaf: the leaf of every row, [rows].
        weight: of its loss.
        levels: the lowest and the highest level that may be published.
    """

    taxonomy: Taxonomy
    leaf: Ints32
    weight: float = 1.0
    levels: tuple[int, int | None] = (0, None)

    @property
    def allowed(self) -> range:
        """The levels that may be published."""
        top = self.taxonomy.levels - 1
        lowest, highest = self.levels
        return range(min(lowest, top), min(top if highest is None else highest, top) + 1)

    def at(self, level: int) -> tuple[Ints, tuple[Label, ...], Floats]:
        """Of every leaf the number of its label and its loss, and the labels by number, sorted."""
        shown = self.taxonomy.level(level)
        labels = tuple(sorted(set(shown), key=lambda label: (label is None, label or "")))
        place = {label: at for at, label in enumerate(labels)}
        number = np.array([place[label] for label in shown], np.int64)
        under = np.bincount(number)[number]
        return number, labels, (under - 1) / max(len(shown) - 1, 1)


@dataclass(frozen=True, eq=False)
class VisitPlan:
    """What the attributes of visits are published as.

    Arguments:
        attributes: their names.
        levels: the level of each.
        heights: the highest level of its hierarchy.
        starred: the rows that are ``*`` in all of them, [rows].
        loss: the mean loss, 0 to 1.
        nodes: choices of levels that were possible.
        checked: how many were looked at.
    """

    attributes: tuple[str, ...]
    levels: tuple[int, ...]
    heights: tuple[int, ...]
    starred: Bools
    loss: float
    nodes: int
    checked: int

    def to_dict(self) -> Plain:
        """The plan as plain data."""
        return {
            "levels": dict(zip(self.attributes, self.levels, strict=True)),
            "heights": dict(zip(self.attributes, self.heights, strict=True)),
            "loss": self.loss,
            "records": len(self.starred),
            "starred": int(self.starred.sum()),
            "nodes": self.nodes,
            "checked": self.checked,
        }


def visits_protected(
    attributes: Sequence[VisitAttribute], class_of: Ints32, person_of: Ints32, k: int, allowed: int
) -> VisitPlan:
    """The choice of levels that loses least, with the visits that are ``*``.

    Arguments:
        attributes: what is known of a visit.
        class_of: the class of every row, -1 of rows that are not to be looked at: these are ``*``,
            and count nowhere.
        person_of: the person of every row.
        k: people of a class who have a visit that looks like any one of them.
        allowed: rows that may be ``*``, beside those that are not to be looked at.

    Raises:
        PolicyError: there are too many choices of levels.
        Unsatisfiable: a class has fewer than k people, or no choice stars so few rows.
    """
    names = tuple(item.taxonomy.attribute for item in attributes)
    ways = [item.allowed for item in attributes]
    nodes = int(np.prod([len(way) for way in ways], dtype=object))
    if nodes > MOST_NODES:
        raise PolicyError(
            "too-many-combinations",
            f"the attributes of visits have {many(nodes, 'choice')} of levels, too many to compare",
            remedy="set min_level and max_level, or make their hierarchies lower",
        )
    there = np.flatnonzero(class_of >= 0)
    rows = _Rows(class_of[there], person_of[there], k, allowed)
    shown = [
        {level: _Level(item, level, there) for level in way}
        for item, way in zip(attributes, ways, strict=True)
    ]
    weights = np.array([item.weight for item in attributes]) / max(
        sum(item.weight for item in attributes), 1e-300
    )
    every = [
        (sum(w * own[at].loss for w, own, at in zip(weights, shown, node, strict=True)), node)
        for node in product(*ways)
    ]
    best: tuple[float, tuple[int, ...], Bools] | None = None
    checked = 0
    for general, node in sorted(every):
        if best is not None and general >= best[0]:
            break
        checked += 1
        own = [levels[at] for levels, at in zip(shown, node, strict=True)]
        starred = rows.starred(node, [level.code for level in own])
        if starred is None:
            continue
        of_rows = sum(w * level.losses for w, level in zip(weights, own, strict=True))
        loss = float(np.where(starred, 1.0, of_rows).mean()) if len(starred) else 0.0
        if best is None or loss < best[0] - 1e-12:
            best = loss, node, starred
    if best is None:
        raise Unsatisfiable(
            "unsatisfiable",
            f"known-visit promises that {k} people have every visit of a class, and no choice of "
            f"levels makes it so with at most {many(allowed, 'visit')} published as *",
            attribute=names[0],
            remedy="raise max_level, allow a larger suppression_limit, or promise a k that no "
            "class is smaller than",
        )
    loss, node, of_those = best
    starred = np.ones(len(class_of), np.bool_)
    starred[there] = of_those
    heights = tuple(item.taxonomy.levels - 1 for item in attributes)
    return VisitPlan(names, node, heights, starred, loss, nodes, checked)


@dataclass(frozen=True, eq=False)
class Visits:
    """Attributes of visits, and the classes within which people must have such visits.

    Arguments:
        attributes: what is known of a visit.
        class_of: the class of every row, -1 of rows that are not to be looked at.
        person_of: the person of every row.
        k: people of a class who have a visit that looks like any one of them.
    """

    attributes: Sequence[VisitAttribute]
    class_of: Ints32
    person_of: Ints32
    k: int

    def protected(self, allowed: int) -> VisitPlan:
        """What is published of them where so many rows may be ``*``."""
        return visits_protected(self.attributes, self.class_of, self.person_of, self.k, allowed)

    def shares_left(self, done: VisitPlan) -> dict[str, float]:
        """Of every attribute the share of its information that is left."""
        shares = {}
        there = self.class_of >= 0
        for item, level in zip(self.attributes, done.levels, strict=True):
            shown, leaf = item.at(level)[0], item.leaf[there].astype(np.int64)
            if level == item.taxonomy.levels - 1:
                shown = np.full_like(shown, -1)
            cell = np.where(done.starred, -1, shown[item.leaf])[there]
            pairs = leaf * (int(cell.max(initial=0)) + 2) + cell + 1
            told = _bits(leaf)
            left = (told + _bits(cell) - _bits(pairs)) / told if told else 1.0
            shares[item.taxonomy.attribute] = left
        return shares

    def lost(self, done: VisitPlan) -> list[str]:
        """The attributes of which a quarter of the information is left, or less."""
        return [name for name, left in self.shares_left(done).items() if left <= LITTLE]

    def without(self, allowed: int) -> list[str]:
        """Attributes that have to go so that more than a quarter is left of all others.

        One after the other is tried beside those that stay, the first first.
        """
        stay: list[VisitAttribute] = []
        for item in self.attributes:
            tried = replace(self, attributes=[*stay, item])
            if not tried.lost(tried.protected(allowed)):
                stay.append(item)
        return [item.taxonomy.attribute for item in self.attributes if item not in stay]

    def in_larger_classes(self, k: int) -> Visits:
        """About the same where each class has k people: classes put together, one after another."""
        there = self.class_of >= 0
        pairs = np.unique(np.stack([self.class_of[there], self.person_of[there]], 1), axis=0)
        people = np.cumsum(np.bincount(pairs[:, 0]))
        larger = np.full(len(people) + 1, -1, np.int32)
        first = before = number = 0
        while first < len(people):
            after = max(int(np.searchsorted(people, before + k)) + 1, first + 1)
            rest = people[-1] - people[min(after, len(people)) - 1] < k
            after = len(people) if rest else after
            larger[first:after] = number
            first, before, number = after, int(people[after - 1]), number + 1
        return replace(self, class_of=larger[self.class_of])


def _bits(codes: Ints | Ints32) -> float:
    """The entropy of values, in bits."""
    shares = np.unique(codes, return_counts=True)[1] / max(len(codes), 1)
    return float(-(shares * np.log2(shares)).sum())


def told_of_lost(visits: Visits, done: VisitPlan, k_of_classes: int, limit: float) -> str:
    """That little of visits is left, and what keeps more, each way tried.

    Arguments:
        visits: what was looked at.
        done: what is published of it.
        k_of_classes: people of a class, as promised.
        limit: the share of rows that may be ``*``.
    """
    lost, k = visits.lost(done), visits.k
    rows = int((visits.class_of >= 0).sum())
    allowed = math.floor(limit * rows + 1e-9)
    told = (
        f"the release keeps little or nothing of {in_quotes(lost)}: fewer than {k} people of a "
        "class have such a visit"
    )
    if rows * done.checked > MOST_TRIED:
        return (
            f"{told}; a larger suppression_limit, larger classes (a larger k in k-anonymity, with "
            f"known-visit of k = {k}) or fewer attributes of visits keep more"
        )
    ways, left, now = [], set(lost), visits.shares_left(done)

    def kept_by(other: Visits, allowed: int) -> list[str]:
        shares = other.shares_left(other.protected(allowed))
        return [name for name in lost if shares[name] >= now[name] + MORE]

    for wider in (wider for wider in WIDER_LIMITS if wider > limit):
        if kept := kept_by(visits, math.floor(wider * rows)):
            ways.append(f"to keep more of {in_quotes(kept)}, write suppression_limit = {wider}")
            left -= set(kept)
            break
    people = len(np.unique(visits.person_of[visits.class_of >= 0]))
    for larger in (TIMES_LARGER[0] * k, TIMES_LARGER[1] * k):
        if not max(k, k_of_classes) < larger <= people // 2:
            continue
        classes = f"k = {larger} in k-anonymity, and promise known-visit with k = {k}"
        if more := kept_by(visits.in_larger_classes(larger), allowed):
            ways.append(f"to keep more, probably of {in_quotes(more)}, write {classes}")
            left -= set(more)
            break
    if left:
        gone = visits.without(allowed)
        stay = [item.taxonomy.attribute for item in visits.attributes]
        stay = [name for name in stay if name not in gone]
        if left & set(stay):
            ways.append(
                f'to keep more of {in_quotes(stay)}, write role = "identifier" instead of role and '
                f"level of {in_quotes(gone)}"
            )
        elif not ways:
            ways.append("no more would be left of one of them alone")
    return f"{told}; {'; '.join(ways)}"


class _Level:
    """An attribute of the rows at one level."""

    def __init__(self, item: VisitAttribute, level: int, there: Ints) -> None:
        number, _, loss = item.at(level)
        leaf = item.leaf[there]
        self.code = number[leaf]
        self.losses = loss[leaf]
        self.loss = float(self.losses.mean()) if len(leaf) else 0.0


class _Rows:
    """Visits of people in classes, of which so many may be ``*``."""

    def __init__(self, class_of: Ints32, person_of: Ints32, k: int, allowed: int) -> None:
        self._class, self._person, self._k = class_of.astype(np.int64), person_of, k
        self._allowed = allowed
        self._failed: set[tuple[int, ...]] = set()
        self._rows = np.argsort(self._class, kind="stable")
        self._sorted = self._class[self._rows]

    def starred(self, node: tuple[int, ...], codes: Sequence[Ints]) -> Bools | None:
        """The rows that have to be ``*``; None where they are more, or all of a class too few.

        What the first attributes single out, more of them do as well: their levels fail once.
        """
        if any(node[:length] in self._failed for length in range(1, len(node))):
            return None
        group, number, people = self._class, 0, np.zeros(0, np.int64)
        for length, code in enumerate(codes, 1):
            group = group * (int(code.max(initial=0)) + 1) + code
            _, group = np.unique(group, return_inverse=True)
            number = int(group.max(initial=-1)) + 1
            people = self._people(group, number)
            if int((people < self._k)[group].sum()) > self._allowed:
                self._failed.add(node[:length])
                return None
        gone = people < self._k
        if not gone.any():
            return np.zeros(len(group), np.bool_)
        class_of = np.zeros(number, np.int64)
        class_of[group] = self._class
        order = np.lexsort((np.arange(number), people, class_of))
        classes = class_of[order]
        for place in np.unique(class_of[gone]).tolist():
            own = order[_run_of(place, classes)]
            rows = self._rows[_run_of(place, self._sorted)]
            for least in range(int(gone[own].sum()), len(own) + 1):
                # Of a class those that fewest have are first: what is gone is a run of them.
                gone[own[:least]] = True
                if len(np.unique(self._person[rows[gone[group[rows]]]])) >= self._k:
                    break
            else:
                return None
        starred = np.asarray(gone[group])
        return starred if int(starred.sum()) <= self._allowed else None

    def _people(self, group: Ints, number: int) -> Ints:
        """How many people have a row in each group."""
        people = int(self._person.max(initial=0)) + 1
        pairs = np.unique(group * people + self._person)
        return np.bincount(pairs // people, minlength=number)


def _run_of(value: int, sorted_values: Ints) -> slice:
    """Where a value stands among rising ones."""
    first, last = np.searchsorted(sorted_values, [value, value + 1])
    return slice(int(first), int(last))
