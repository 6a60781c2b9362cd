"""Random classes of sensitive values, and every privacy model as plain Python has it.

Definitions are in fractions wherever the model's are, with parameters as they are meant (0.6 is
3/5). Nothing here uses the package but :func:`table`, which hands classes to it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from indistinct.metadata import ValueMetadata
from indistinct.microdata.domains import SensitiveDomain
from indistinct.microdata.frequencies import ClassTable
from indistinct.privacy import Promise, promise

LABELS = ("1", "2", "3", "4", "5", None)

KNOWN = ValueMetadata(
    categories={"1": "low", "2": "low", "3": "middle", "4": "high", "5": "top", None: "low"},
    category_order=("low", "middle", "high", "top"),
    chains=(
        ("1", "small", "*"),
        ("2", "small", "*"),
        ("3", "large", "*"),
        ("4", "large", "*"),
        ("5", "5", "*"),
    ),
    ranks={"1": 4, "2": 4, "3": 3, "4": 2, "5": 1, None: 4},
)
"""Four categories from the least to the most sensitive; no chain for the missing value."""

DOMAIN = SensitiveDomain(LABELS, KNOWN)

Counts = tuple[int, ...]


@dataclass(frozen=True)
class Class:
    """Records per value of one class, and the people of the population in it."""

    counts: Counts
    people: int

    @property
    def size(self) -> int:
        return sum(self.counts)

    def __add__(self, other: Class) -> Class:
        added = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        return Class(added, self.people + other.people)


@st.composite
def classes(draw: st.DrawFn, least: int = 0) -> Class:
    """A class, often with few values and equal counts; its population holds its records."""
    top = draw(st.sampled_from([1, 2, 3, 6, 40]))
    counts = tuple(draw(st.lists(st.integers(0, top), min_size=6, max_size=6)))
    if sum(counts) < least:
        counts = (least, *counts[1:])
    return Class(counts, sum(counts) + draw(st.integers(0, 20)))


def table(drawn: Sequence[Class], reference: Counts | None = None) -> ClassTable:
    """The classes as the package sees them; the reference is that of all where not given."""
    cells = np.array([one.counts for one in drawn], np.int64).reshape(len(drawn), len(LABELS))
    whole = cells.sum(axis=0) if reference is None else np.array(reference, np.int64)
    return ClassTable(
        np.arange(len(drawn), dtype=np.int32),
        cells.sum(axis=1),
        {"s": cells},
        {"s": whole},
        {"s": DOMAIN},
        np.array([one.people for one in drawn], np.int64),
    )


# Definitions: whether a class with records keeps a model, compared with a reference.

Definition = Callable[[Any, Class, Counts], bool]


def exact(number: float) -> Fraction:
    """The fraction that was meant: 0.1 is 1/10, and 1 / 3 is 1/3."""
    return Fraction(str(number)).limit_denominator(10**6)


def distinct(one: Class) -> int:
    return sum(count > 0 for count in one.counts)


def categories(one: Class) -> set[str]:
    held = [label for label, count in zip(LABELS, one.counts, strict=True) if count]
    return {KNOWN.categories[label] for label in held}


def weight(category: str) -> Fraction:
    return Fraction(3 - KNOWN.category_order.index(category), 3)


def entropy(one: Class) -> float:
    n = one.size
    return -sum(c / n * math.log(c / n) for c in one.counts if c)


def shares(counts: Counts) -> list[Fraction]:
    return [Fraction(count, max(sum(counts), 1)) for count in counts]


def variance(one: Class) -> Fraction:
    falling = sorted((c for c in one.counts if c), reverse=True)
    ranks = [rank for rank, count in enumerate(falling, 1) for _ in range(count)]
    mean = Fraction(sum(ranks), len(ranks))
    return sum((rank - mean) ** 2 for rank in ranks) / Fraction(len(ranks))


def recursive(p: Any, one: Class, _: Counts) -> bool:
    falling = sorted((c for c in one.counts if c), reverse=True)
    tail: Fraction = exact(p.c) * sum(falling[p.l - 1 :])
    return bool(falling[0] < tail)


def p_alpha(p: Any, one: Class, _: Counts) -> bool:
    total = Fraction(0)
    for label, count in zip(LABELS, one.counts, strict=True):
        if count:
            total += weight(KNOWN.categories[label]) * (1 if p.over == "distinct" else count)
    return distinct(one) >= p.p and total >= exact(p.alpha)


def p_plus_alpha(p: Any, one: Class, _: Counts) -> bool:
    held = categories(one)
    return len(held) >= p.p and sum(map(weight, held)) >= exact(p.alpha)


def balanced(p: Any, one: Class, _: Counts) -> bool:
    half = {"low": "harmless", "middle": "harmless", "high": "sensitive", "top": "sensitive"}
    numbers = {"harmless": 0, "sensitive": 0}
    for label, count in zip(LABELS, one.counts, strict=True):
        numbers[half[KNOWN.categories[label]]] += count
    apart = abs(numbers["harmless"] - numbers["sensitive"])
    return bool(len(categories(one)) >= p.p and apart <= p.difference)


def theta(p: Any, one: Class, _: Counts) -> bool:
    of = p.k if p.theta == "k" else one.size
    return one.size >= p.k and variance(one) >= exact(p.mu) * (of * of - 1) / 12


def knm(p: Any, one: Class, reference: Counts) -> bool:
    for label, count in zip(LABELS, one.counts, strict=True):
        if not count:
            continue
        rank = KNOWN.ranks[label]
        same = [c for v, c in zip(LABELS, one.counts, strict=True) if KNOWN.ranks[v] == rank]
        if (sum(same) if p.count == "rank" else one.size) < p.k[str(rank)]:
            return False
    if p.diversity is False:
        return True
    labels = sum(count > 0 for count in reference)
    return distinct(one) >= (max(2, labels // 2) if p.diversity is True else p.diversity)


def beta(p: Any, one: Class, reference: Counts) -> bool:
    enhanced = p.model.startswith("enhanced")
    for q, usual in zip(shares(one.counts), shares(reference), strict=True):
        if q > 0 and not usual:
            return False
        if q > usual:
            gain = (q - usual) / usual
            if gain > exact(p.beta) or (enhanced and gain > -math.log(usual) + 1e-12):
                return False
    return True


def delta(p: Any, one: Class, reference: Counts) -> bool:
    for q, usual in zip(shares(one.counts), shares(reference), strict=True):
        if q and usual:
            if abs(math.log(q / usual)) >= p.delta - 1e-12:
                return False
        elif q or (usual and p.absent == "break"):
            return False
    return True


def presence(p: Any, one: Class, _: Counts) -> bool:
    if one.size > one.people:
        return False
    return one.people == 0 or exact(p.lower) <= Fraction(one.size, one.people) <= exact(p.upper)


def distance(kind: str, first: int, second: int, values: Sequence[int]) -> Fraction:
    """How far apart two values are: the ground distance that ``values`` are moved over."""
    if first == second:
        return Fraction(0)
    if kind == "equal":
        return Fraction(1)
    if kind == "ordered":
        steps = abs(values.index(first) - values.index(second))
        return Fraction(steps, len(values) - 1)
    # Of three levels the middle one has the nodes "small" and "large", and values alone.
    together = {frozenset((0, 1)), frozenset((2, 3))}
    return Fraction(1 if {first, second} in together else 2, 2)


def moved(kind: str, one: Class, reference: Counts) -> Fraction:
    """The earth mover's distance: the cost of the cheapest flow from the class to the reference."""
    everything = range(len(LABELS))
    values = [v for v in everything if reference[v]]
    if any(one.counts[v] and not reference[v] for v in everything):
        values = list(everything)
    cost = [[distance(kind, a, b, values) for b in values] for a in values]
    own, usual = shares(one.counts), shares(reference)
    return cheapest([own[v] - usual[v] for v in values], cost)


Arc = tuple[int, int, Fraction, Fraction | None]
"""From where to where, at what price, and how much at most (None: any amount)."""


def cheapest(supply: list[Fraction], cost: list[list[Fraction]]) -> Fraction:
    """The cost of moving what is too much to where too little is, along cheapest ways."""
    places = range(len(supply))
    flow = dict.fromkeys(itertools.permutations(places, 2), Fraction(0))
    total = Fraction(0)
    while any(part > 0 for part in supply):
        arcs: list[Arc] = [(a, b, cost[a][b], None) for a, b in flow]
        arcs += [(b, a, -cost[a][b], amount) for (a, b), amount in flow.items() if amount > 0]
        best = {v: Fraction(0) for v in places if supply[v] > 0}
        came: dict[int, Arc] = {}
        for _ in places:
            for arc in arcs:
                a, b, price, _room = arc
                if a in best and (b not in best or best[a] + price < best[b]):
                    best[b], came[b] = best[a] + price, arc
        end = min((v for v in places if supply[v] < 0), key=lambda v: best[v])
        way, start = [], end
        while start in came:
            way.append(came[start])
            start = came[start][0]
        amount = min(supply[start], -supply[end], *(room for *_, room in way if room is not None))
        for a, b, price, room in way:
            flow[(a, b) if room is None else (b, a)] += amount if room is None else -amount
            total += amount * price
        supply[start] -= amount
        supply[end] += amount
    return total


def unique(p: Any, one: Class, reference: Counts) -> bool:
    """All records have different values, m or more."""
    del reference
    return max(one.counts) <= 1 and distinct(one) >= p.m


DEFINITIONS: dict[str, Definition] = {
    "k-anonymity": lambda p, one, _: one.size >= p.k,
    "distinct-l-diversity": lambda p, one, _: distinct(one) >= p.l,
    "entropy-l-diversity": lambda p, one, _: entropy(one) >= math.log(p.l) - 1e-9,
    "recursive-cl-diversity": recursive,
    "alpha-k-anonymity": lambda p, one, _: (
        one.size >= p.k and Fraction(max(one.counts), one.size) <= exact(p.alpha)
    ),
    "max-posterior": lambda p, one, _: Fraction(max(one.counts), one.size) <= exact(p.bound),
    "p-sensitive": lambda p, one, _: distinct(one) >= p.p,
    "m-invariance": unique,
    "tau-safety": unique,
    "kl-cover": lambda p, one, _: (
        one.size >= p.k and (distinct(one) if p.of == "values" else len(categories(one))) >= p.l
    ),
    "p-plus-sensitive": lambda p, one, _: len(categories(one)) >= p.p,
    "p-alpha-sensitive": p_alpha,
    "p-plus-alpha-sensitive": p_plus_alpha,
    "balanced-p-plus-sensitive": balanced,
    "theta-sensitive": theta,
    "t-closeness": lambda p, one, reference: (
        moved(p.distance, one, reference) <= exact(p.t) + Fraction(1, 10**9)
    ),
    "basic-beta-likeness": beta,
    "enhanced-beta-likeness": beta,
    "delta-disclosure": delta,
    "knm-anonymity": knm,
    "k-map": lambda p, one, _: one.people >= p.k,
    "estimated-k-map": lambda p, one, _: one.size >= p.size,
    "delta-presence": presence,
}


# Promises with parameters at which random classes go either way.


def _settings(model: str) -> st.SearchStrategy[dict[str, Any]]:
    few, share = st.integers(1, 4), st.sampled_from([0.1, 0.25, 0.3, 1 / 3, 0.4, 0.5, 0.7, 1.0])
    gain = st.sampled_from([0.05, 0.2, 0.5, 1.0, 1.5, 2.0, 4.0])
    weight_of = st.sampled_from([0.0, 1 / 3, 0.5, 1.0, 1.5, 2.0])
    parts: dict[str, dict[str, st.SearchStrategy[Any]]] = {
        "k-anonymity": {"k": st.integers(1, 9)},
        "distinct-l-diversity": {"l": few},
        "entropy-l-diversity": {"l": st.sampled_from([1, 1.5, 2, 2.5, 3, 4])},
        "recursive-cl-diversity": {
            "c": st.sampled_from([0.1, 0.3, 0.5, 1.0, 1.1, 2, 3.5]),
            "l": few,
        },
        "alpha-k-anonymity": {"alpha": share, "k": st.integers(1, 9)},
        "max-posterior": {"bound": share},
        "p-sensitive": {"p": few},
        "m-invariance": {"m": few},
        "tau-safety": {"m": few},
        "kl-cover": {"k": few, "l": few, "of": st.sampled_from(["values", "categories"])},
        "p-plus-sensitive": {"p": few},
        "p-alpha-sensitive": {
            "p": few,
            "alpha": weight_of,
            "over": st.sampled_from(["distinct", "records"]),
        },
        "p-plus-alpha-sensitive": {"p": few, "alpha": weight_of},
        "balanced-p-plus-sensitive": {"p": few, "difference": st.integers(0, 3)},
        "theta-sensitive": {
            "k": st.integers(1, 5),
            "mu": st.sampled_from([0.3, 0.5, 0.6, 0.9, 1.0]),
            "theta": st.sampled_from(["k", "size"]),
        },
        "t-closeness": {
            "t": st.sampled_from([0.0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 1.0]),
            "distance": st.sampled_from(["equal", "ordered", "hierarchical"]),
        },
        "basic-beta-likeness": {"beta": gain},
        "enhanced-beta-likeness": {"beta": gain},
        "delta-disclosure": {"delta": gain, "absent": st.sampled_from(["break", "skip"])},
        "knm-anonymity": {
            "k": st.one_of(
                st.fixed_dictionaries(dict.fromkeys("1234", st.integers(1, 9))),
                st.sampled_from([dict.fromkeys((1, 2, 3, 4), k) for k in (1, 4, 7)]),
            ),
            "count": st.sampled_from(["class", "rank"]),
            "diversity": st.sampled_from([True, False, False, 1, 3]),
        },
        "k-map": {"k": st.integers(1, 20)},
        "estimated-k-map": {"k": st.integers(1, 20), "fraction": st.sampled_from([0.1, 0.5])},
        "delta-presence": {
            "lower": st.sampled_from([0.0, 0.1, 0.25]),
            "upper": st.sampled_from([0.25, 0.5, 0.8, 1.0]),
            "absent": st.sampled_from(["break", "suppressed", "skip"]),
        },
    }
    return st.fixed_dictionaries(parts[model])


@st.composite
def promises(draw: st.DrawFn, model: str) -> Promise:
    """A promise of that model, compared with the original distribution if with one."""
    settings = draw(_settings(model))
    blank = promise(model, sensitive="s", **settings)
    return promise(
        model,
        sensitive="s",
        reference="original" if blank.compares else "published",
        **settings,
    )


CHECKED = settings(max_examples=60)
"""Kernels are compiled when they are first called, which takes its time."""
