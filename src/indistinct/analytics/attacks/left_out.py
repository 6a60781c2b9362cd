"""What follows of people who were left out though there were enough of them for a class.

A class that is large enough is left out for its values alone: they broke a promise. Everybody's
quasi-identifiers tell who is in it, and only values that break one are left. How
often each occurs among the people who are left out is not published, unless rows of ``*`` are; so
they are taken to have what the published people have, and any value that there is once more than
these, spread over all values. Every class is looked at by itself. What its people have is
enumerated as counts of values; where there are too many, counts are drawn from Polya's urn, in
which values gather as they do where a promise is broken, and weighed (of two urns, as in Owen and
Zhou 2000, "Safe and effective importance sampling").
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from indistinct.analytics.attacks.lattice_node import Node
from indistinct.analytics.attacks.promised_values import Asked, Seen
from indistinct.frozen import dataclass
from indistinct.randomness import simulation
from indistinct.types import Bools, Floats, Ints

DRAWN = 2000
"""Counts that are drawn of each urn, where there are too many."""

CELLS = 1 << 21
"""Counts of values that are held at once, at most."""

SAME = 1e-12
"""Chances that differ by less are equal."""


@dataclass(frozen=True)
class LeftOut:
    """What is believed of people who were left out for their values.

    Arguments:
        likely: the belief in everybody's own value, [n]; not a number for people who are published,
            were too few, of whom nothing was tried or nothing follows.
        noise: its standard error, [n]; 0 where it is exact.
        people: of whom something was tried, [n].
        passed: people of whom nothing was tried though they were many enough, [n].
        classes: the classes that were looked at.
        alike: how many of their people have one value with others of their class, at least.
    """

    likely: Floats
    noise: Floats
    people: Bools
    passed: Bools
    classes: int
    alike: int

    @property
    def note(self) -> str:
        """What was found, after other sentences."""
        number = int(self.people.sum())
        if not number:
            return ""
        which = "a class" if self.classes == 1 else f"{self.classes:,} classes"
        also = f": at least {self.alike:,} of them share a value with others of it" * (
            self.alike > 0
        )
        return (
            f" {number:,} people were left out of {which} that would have been large enough, for "
            f"what they have{also}."
        )


def classes_left_out(node: Node, asked: Asked) -> list[Ints]:
    """The people of the classes of a full-domain release that were left out, and large enough.

    A class is large enough if, beside the published ones, it keeps what is promised of sizes.
    """
    every = list(range(len(node.levels)))
    part, weight = node.grouped(node.levels, every), node.places.weight
    shown = node.class_of >= 0
    size = np.bincount(part, weight)
    large = np.ones(len(size), np.bool_)
    for on, k in asked.sizes:
        group = node.grouped(node.levels, list(on))
        beside = np.bincount(group[shown], weight[shown], minlength=int(group.max(initial=0)) + 1)
        large[part[beside[group] + size[part] < k]] = False
    out = large[part] & ~shown
    of = np.where(out, part, -1)[node.places.combination_of]
    order = np.argsort(of, kind="stable")
    begin = int((of < 0).sum())
    lengths = np.unique(of[of >= 0], return_counts=True)[1]
    return np.split(order[begin:], np.cumsum(lengths)[:-1]) if len(lengths) else []


def beliefs_in_left_out(
    seen: Seen, sensitive: str, groups: Sequence[Ints], *, enumerated: int, seed: int
) -> LeftOut:
    """What is believed of people of classes that break some promise about values.

    Arguments:
        seen: the values and promises.
        sensitive: the attribute that is learnt.
        groups: the people of each class.
        enumerated: counts of values up to which all are tried.
        seed: of what is drawn.
    """
    people = len(seen.kind)
    likely, noise = np.full(people, np.nan), np.zeros(people)
    tried, passed = np.zeros((2, people), np.bool_)
    classes = alike = 0
    for at, group in enumerate(groups):
        random = simulation([seed, 0x3134, at])
        own = seen.values[sensitive].truth[group]
        if not seen.breaks(np.array([len(group)]), seen.counted_among(group)).any():
            passed[group] = True  # What it breaks depends on more than is published.
            continue
        possible = _Possible.of(seen, sensitive, len(group), enumerated, random)
        kept = 1.0
        for name in seen.about - {sensitive}:
            other = _Possible.of(seen, name, len(group), enumerated, random)
            kept *= 1 - float(other.weight @ other.broken)
        weight = possible.weight * np.where(possible.broken, 1.0, 1.0 - kept)
        total = weight.sum()
        if not total:
            passed[group] = True
            continue
        weight = weight / total
        share = possible.counts[:, own] / len(group)
        mean = weight @ share
        tried[group] = True
        classes += 1
        if (np.abs(weight - possible.weight) > SAME).any():
            likely[group] = mean
        if not possible.exact:
            noise[group] = np.sqrt(weight**2 @ (share - mean) ** 2)
            continue
        least = int(possible.counts[weight > 0].max(axis=1).min())
        alike += least * (least > 1)
    return LeftOut(likely, noise, tried, passed, classes, alike)


@dataclass(frozen=True)
class _Possible:
    """What people of a class may have of one attribute.

    Arguments:
        counts: how often each value occurs, [possibilities, D].
        weight: how likely these are before anything is known of promises; adds up to 1.
        broken: whether they break a promise about the attribute.
        exact: whether these are all possibilities.
    """

    counts: Ints
    weight: Floats
    broken: Bools
    exact: bool

    @classmethod
    def of(
        cls, seen: Seen, name: str, people: int, enumerated: int, random: np.random.Generator
    ) -> _Possible:
        """All possibilities, or some that are drawn.

        Arguments:
            seen: the values and promises.
            name: the attribute.
            people: how many people the class has.
            enumerated: possibilities up to which all are tried.
            random: where chance comes from.
        """
        width = len(seen.values[name].domain)
        exact = comb(people + width - 1, people) <= enumerated
        hidden = seen.hidden(name)
        known = seen.shown(name)
        prior = (known + 1 / width) / (known.sum() + 1)
        if exact:
            counts, by = _compositions(people, width), np.zeros(1)
        else:
            urns = [float(a) * prior for a in (1, people)]
            times = max(min(DRAWN, CELLS // width), 100)
            counts = np.concatenate(
                [random.multinomial(people, random.dirichlet(a, times)) for a in urns]
            )
            by = np.logaddexp.reduce([_log_urn(counts, a) for a in urns])
        if hidden is None or hidden.sum() < people:
            chance = _log_dealt(counts, prior)
        else:
            chance = _log_chosen(counts, hidden)
        log = chance - by
        weight = np.exp(log - log.max()) if np.isfinite(log).any() else np.zeros(len(log))
        broken = seen.breaks_about(name, np.full(len(counts), people), counts)
        return cls(counts, weight / max(weight.sum(), 1e-300), broken, exact)


def _compositions(people: int, values: int) -> Ints:
    """All counts of so many values that add up to a number, [possibilities, values].

    >>> _compositions(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    found, left = np.zeros((1, 0), np.int64), np.array([people])
    for _ in range(values - 1):
        each = left + 1
        own = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
        found = np.hstack([np.repeat(found, each, axis=0), own[:, None]])
        left = np.repeat(left, each) - own
    return np.hstack([found, left[:, None]])


def _log_factorials(most: int) -> Floats:
    return np.cumsum(np.log(np.maximum(np.arange(most + 1), 1)))


def _log_dealt(counts: Ints, prior: Floats) -> Floats:
    """The chance of counts where everybody's value is drawn by itself; a logarithm."""
    table = _log_factorials(int(counts.sum(axis=1).max()))
    chance: Floats = table[-1] - table[counts].sum(axis=1) + counts @ np.log(prior)
    return chance


def _log_chosen(counts: Ints, hidden: Ints) -> Floats:
    """The same where the values are drawn from published ones, without putting any back."""
    table = _log_factorials(int(hidden.sum()))
    rest = hidden - counts
    chance = (table[hidden] - table[counts] - table[np.maximum(rest, 0)]).sum(axis=1)
    return np.where((rest < 0).any(axis=1), -np.inf, chance)


def _log_urn(counts: Ints, start: Floats) -> Floats:
    """The same for Polya's urn, which begins with so much of every value."""
    most = int(counts.sum(axis=1).max())
    rising = np.zeros((len(start), most + 1))
    rising[:, 1:] = np.cumsum(np.log(start[:, None] + np.arange(most)), axis=1)
    table = _log_factorials(most)
    total = np.log(start.sum() + np.arange(most)).sum()
    own = rising[np.arange(len(start)), counts] - table[counts]
    chance: Floats = table[-1] - total + own.sum(axis=1)
    return chance
