"""Every promise as the tests know it: its definition in plain Python, and parameters of each kind.

Definitions are in fractions wherever the model's are, with parameters as they are meant (0.6 is
3/5). They use nothing of the package. A new promise gets an entry in ``EXAMPLES``, and is then
tried by all tests of promises.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import strategies as st
from tests.privacy.drawing import KNOWN, LABELS, Class, Counts

from indistinct.privacy import Promise, promise

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


@cache
def least_of(epsilon: float, delta: float) -> int:
    """The least k for which no count of a class tells more than epsilon, but for delta."""
    stays, factor, least = 1 - math.exp(-epsilon), math.exp(epsilon), 1
    for n in range(1, 400):
        told = 0.0
        for m in range(n, 0, -1):
            more = math.comb(n, m) * stays**m * (1 - stays) ** (n - m)
            fewer = math.comb(n - 1, m) * stays**m * (1 - stays) ** (n - 1 - m) if m < n else 0.0
            assert fewer <= more * factor * (1 + 1e-12)
            told += max(more - fewer * factor, 0.0)
            if told > delta:
                least = max(least, m + 1)
                break
    return least


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


# What a parameter cannot be

NO_NUMBER = (True, math.nan, math.inf, "1", None)
NO_WHOLE = (0, -1, 2.0, True, "2", None)
NO_WORD = ("x", None, 1)
NO_KS: tuple[object, ...] = (
    {}, 5, None, "knee", [3], {"5": 2}, {"0": 2}, {True: 2}, {1: 2, "1": 3}, {"one": 2},
)  # fmt: skip

# What is asked of a parameter that a promise may have

STRICTER: Mapping[str, Callable[[Any], Any]] = {
    "k": lambda x: x + 1,
    "l": lambda x: x + 1 if isinstance(x, int) else x * 1.001,
    "c": lambda x: x * 0.999,
    "alpha": lambda x: x * 0.999,
    "bound": lambda x: x * 0.999,
    "p": lambda x: x + 1,
    "m": lambda x: x + 1,
    "difference": lambda x: x - 1,
    "t": lambda x: x * 0.999 - 1e-6,
    "beta": lambda x: x * 0.999,
    "delta": lambda x: x * 0.999,
    "lower": lambda x: x * 1.001,
    "upper": lambda x: x * 0.999,
}
"""A little more than each parameter promises; an entry may say it otherwise."""

FEW, SHARE = st.integers(1, 4), st.sampled_from([0.1, 0.25, 0.3, 1 / 3, 0.4, 0.5, 0.7, 1.0])
GAIN = st.sampled_from([0.05, 0.2, 0.5, 1.0, 1.5, 2.0, 4.0])
WEIGHT = st.sampled_from([0.0, 1 / 3, 0.5, 1.0, 1.5, 2.0])

Settings = Mapping[str, Any]
EVERY = ("*",)


@dataclass(frozen=True, kw_only=True)
class OfClasses:
    """What is to be known of a promise that speaks of the classes of one table.

    Arguments:
        definition: whether a class with records keeps it, in plain Python.
        usual: parameters that are right.
        wrong: what each of its parameters cannot be.
        drawn: parameters at which random classes go either way.
        golden: parameters for the tables of the golden set.
        weakest: what other parameters are while one is held against what was achieved of it.
        stricter: a little more than what was achieved, where ``STRICTER`` does not say it.
        exceeded: figures that are not kept themselves: all above them are.
        apart: figures whose meaning has a test of its own; ``EVERY`` for all of them.
        lacks: the codes of what has to be known of values: of any, and of those with categories
            in no order.
    """

    definition: Definition
    usual: Settings
    wrong: Mapping[str, Sequence[object]]
    drawn: Mapping[str, st.SearchStrategy[Any]]
    golden: Settings
    weakest: Settings = field(default_factory=dict)
    stricter: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    exceeded: Sequence[str] = ()
    apart: Sequence[str] = ()
    lacks: tuple[str | None, str | None] = (None, None)


@dataclass(frozen=True, kw_only=True)
class Example:
    """What the tests have to know of a promise.

    Arguments:
        reached: parameters of a policy that a table of 24 people can reach.
        weak: parameters so weak that a class of two people with two values each keeps them; of
            promises whose check counts values.
        classes: what is to be known of one that speaks of the classes of a table.
    """

    reached: Settings
    weak: Settings | None = None
    classes: OfClasses | None = None


WITH_CATEGORIES = ("categories-missing", None)
IN_ORDER = ("categories-missing", "categories-without-order")

EXAMPLES: Mapping[str, Example] = {
    "k-anonymity": Example(
        reached={"k": 3},
        classes=OfClasses(
            definition=lambda p, one, _: one.size >= p.k,
            usual={"k": 2},
            wrong={"k": NO_WHOLE},
            drawn={"k": st.integers(1, 9)},
            golden={"k": 5},
        ),
    ),
    "distinct-l-diversity": Example(
        reached={"l": 2},
        weak={"l": 2},
        classes=OfClasses(
            definition=lambda p, one, _: distinct(one) >= p.l,
            usual={"l": 2},
            wrong={"l": NO_WHOLE},
            drawn={"l": FEW},
            golden={"l": 3},
        ),
    ),
    "entropy-l-diversity": Example(
        reached={"l": 1.5},
        weak={"l": 1},
        classes=OfClasses(
            definition=lambda p, one, _: entropy(one) >= math.log(p.l) - 1e-9,
            usual={"l": 2},
            wrong={"l": (0.9, 0, *NO_NUMBER)},
            drawn={"l": st.sampled_from([1, 1.5, 2, 2.5, 3, 4])},
            golden={"l": 2.5},
        ),
    ),
    "recursive-cl-diversity": Example(
        reached={"c": 3, "l": 2},
        weak={"c": 9, "l": 1},
        classes=OfClasses(
            definition=recursive,
            usual={"c": 2, "l": 2},
            wrong={"c": (0, -1, *NO_NUMBER), "l": NO_WHOLE},
            drawn={"c": st.sampled_from([0.1, 0.3, 0.5, 1.0, 1.1, 2, 3.5]), "l": FEW},
            golden={"c": 2, "l": 2},
            exceeded=("c",),
            apart=("l",),
        ),
    ),
    "alpha-k-anonymity": Example(
        reached={"alpha": 0.8, "k": 3},
        weak={"alpha": 0.9, "k": 2},
        classes=OfClasses(
            definition=lambda p, one, _: (
                one.size >= p.k and Fraction(max(one.counts), one.size) <= exact(p.alpha)
            ),
            usual={"alpha": 0.5, "k": 2},
            wrong={"alpha": (0, 1.1, *NO_NUMBER), "k": NO_WHOLE},
            drawn={"alpha": SHARE, "k": st.integers(1, 9)},
            golden={"alpha": 0.6, "k": 4},
            weakest={"alpha": 1.0, "k": 1},
        ),
    ),
    "p-sensitive": Example(
        reached={"p": 2},
        weak={"p": 2},
        classes=OfClasses(
            definition=lambda p, one, _: distinct(one) >= p.p,
            usual={"p": 2},
            wrong={"p": NO_WHOLE},
            drawn={"p": FEW},
            golden={"p": 3},
        ),
    ),
    "p-plus-sensitive": Example(
        reached={"p": 2},
        weak={"p": 2},
        classes=OfClasses(
            definition=lambda p, one, _: len(categories(one)) >= p.p,
            usual={"p": 2},
            wrong={"p": NO_WHOLE},
            drawn={"p": FEW},
            golden={"p": 2},
            lacks=WITH_CATEGORIES,
        ),
    ),
    "p-alpha-sensitive": Example(
        reached={"p": 2, "alpha": 1},
        weak={"p": 2, "alpha": 0},
        classes=OfClasses(
            definition=p_alpha,
            usual={"p": 2, "alpha": 1},
            wrong={"p": NO_WHOLE, "alpha": (-0.1, *NO_NUMBER), "over": NO_WORD},
            drawn={"p": FEW, "alpha": WEIGHT, "over": st.sampled_from(["distinct", "records"])},
            golden={"p": 3, "alpha": 1},
            weakest={"p": 1, "alpha": 0.0},
            stricter={"alpha": lambda x: x + 0.001},
            lacks=IN_ORDER,
        ),
    ),
    "p-plus-alpha-sensitive": Example(
        reached={"p": 2, "alpha": 1},
        weak={"p": 2, "alpha": 0},
        classes=OfClasses(
            definition=p_plus_alpha,
            usual={"p": 2, "alpha": 1},
            wrong={"p": NO_WHOLE, "alpha": (-0.1, *NO_NUMBER)},
            drawn={"p": FEW, "alpha": WEIGHT},
            golden={"p": 2, "alpha": 0.5},
            weakest={"p": 1, "alpha": 0.0},
            stricter={"alpha": lambda x: x + 0.001},
            lacks=IN_ORDER,
        ),
    ),
    "balanced-p-plus-sensitive": Example(
        reached={"p": 2, "difference": 40},
        weak={"p": 2, "difference": 9},
        classes=OfClasses(
            definition=balanced,
            usual={"p": 2},
            wrong={"p": NO_WHOLE, "difference": (-1, 0.5)},
            drawn={"p": FEW, "difference": st.integers(0, 3)},
            golden={"p": 2, "difference": 12},
            weakest={"p": 1, "difference": 10**6},
            lacks=IN_ORDER,
        ),
    ),
    "theta-sensitive": Example(
        reached={"k": 3, "mu": 0.1},
        weak={"k": 2, "mu": 0.1},
        classes=OfClasses(
            definition=theta,
            usual={"k": 2},
            wrong={"k": NO_WHOLE, "mu": (0, 1.1, *NO_NUMBER), "theta": NO_WORD},
            drawn={
                "k": st.integers(1, 5),
                "mu": st.sampled_from([0.3, 0.5, 0.6, 0.9, 1.0]),
                "theta": st.sampled_from(["k", "size"]),
            },
            golden={"k": 3},
            apart=EVERY,
        ),
    ),
    "max-posterior": Example(
        reached={"bound": 0.6},
        weak={"bound": 0.9},
        classes=OfClasses(
            definition=lambda p, one, _: Fraction(max(one.counts), one.size) <= exact(p.bound),
            usual={"bound": 0.5},
            wrong={"bound": (0, 1.1, -0.5, *NO_NUMBER)},
            drawn={"bound": SHARE},
            golden={"bound": 0.5},
        ),
    ),
    "kl-cover": Example(
        reached={"k": 3, "l": 2},
        weak={"k": 2, "l": 2},
        classes=OfClasses(
            definition=lambda p, one, _: (
                one.size >= p.k
                and (distinct(one) if p.of == "values" else len(categories(one))) >= p.l
            ),
            usual={"k": 2, "l": 2},
            wrong={"k": NO_WHOLE, "l": NO_WHOLE, "of": NO_WORD},
            drawn={"k": FEW, "l": FEW, "of": st.sampled_from(["values", "categories"])},
            golden={"k": 3, "l": 2},
            weakest={"k": 1, "l": 1},
        ),
    ),
    "t-closeness": Example(
        reached={"t": 0.7},
        weak={"t": 1},
        classes=OfClasses(
            definition=lambda p, one, reference: (
                moved(p.distance, one, reference) <= exact(p.t) + Fraction(1, 10**9)
            ),
            usual={"t": 0.2},
            wrong={"t": (-0.1, 1.1, *NO_NUMBER), "distance": NO_WORD},
            drawn={
                "t": st.sampled_from([0.0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 1.0]),
                "distance": st.sampled_from(["equal", "ordered", "hierarchical"]),
            },
            golden={"t": 0.35},
        ),
    ),
    "basic-beta-likeness": Example(
        reached={"beta": 5},
        weak={"beta": 9},
        classes=OfClasses(
            definition=beta,
            usual={"beta": 1},
            wrong={"beta": (0, -1, *NO_NUMBER)},
            drawn={"beta": GAIN},
            golden={"beta": 2.5},
        ),
    ),
    "enhanced-beta-likeness": Example(
        reached={"beta": 5},
        weak={"beta": 9},
        classes=OfClasses(
            definition=beta,
            usual={"beta": 1},
            wrong={"beta": (0, -1, *NO_NUMBER)},
            drawn={"beta": GAIN},
            golden={"beta": 2.5},
        ),
    ),
    "delta-disclosure": Example(
        reached={"delta": 5, "absent": "skip"},
        weak={"delta": 9},
        classes=OfClasses(
            definition=delta,
            usual={"delta": 1},
            wrong={"delta": (0, -1, *NO_NUMBER), "absent": NO_WORD},
            drawn={"delta": GAIN, "absent": st.sampled_from(["break", "skip"])},
            golden={"delta": 1.6, "absent": "skip"},
            exceeded=("delta",),
        ),
    ),
    "knm-anonymity": Example(
        reached={"k": {"1": 4, "2": 4, "3": 3, "4": 2}, "diversity": 2},
        weak={"k": {"1": 2, "4": 2}},
        classes=OfClasses(
            definition=knm,
            usual={"k": dict.fromkeys("1234", 2)},
            wrong={"k": NO_KS, "diversity": (0, 2.5), "count": ("value",)},
            drawn={
                "k": st.one_of(
                    st.fixed_dictionaries(dict.fromkeys("1234", st.integers(1, 9))),
                    st.sampled_from([dict.fromkeys((1, 2, 3, 4), k) for k in (1, 4, 7)]),
                ),
                "count": st.sampled_from(["class", "rank"]),
                "diversity": st.sampled_from([True, False, False, 1, 3]),
            },
            golden={"k": {"1": 8, "2": 6, "3": 4, "4": 3}},
            apart=EVERY,
            lacks=("ranks-missing", "ranks-missing"),
        ),
    ),
    "m-invariance": Example(
        reached={"m": 2},
        weak={"m": 2},
        classes=OfClasses(
            definition=unique,
            usual={"m": 2},
            wrong={"m": NO_WHOLE},
            drawn={"m": FEW},
            golden={"m": 2},
        ),
    ),
    "tau-safety": Example(
        reached={"m": 2},
        weak={"m": 2},
        classes=OfClasses(
            definition=unique,
            usual={"m": 2},
            wrong={"m": NO_WHOLE},
            drawn={"m": FEW},
            golden={"m": 2},
        ),
    ),
    "k-map": Example(
        reached={"k": 4},
        classes=OfClasses(
            definition=lambda p, one, _: one.people >= p.k,
            usual={"k": 2},
            wrong={"k": NO_WHOLE},
            drawn={"k": st.integers(1, 20)},
            golden={"k": 6},
        ),
    ),
    "estimated-k-map": Example(
        reached={"k": 6, "fraction": 0.5},
        classes=OfClasses(
            definition=lambda p, one, _: one.size >= p.size,
            usual={"k": 20, "fraction": 0.1},
            wrong={
                "k": NO_WHOLE,
                "fraction": (0, 1.1, *NO_NUMBER),
                "significance": (0, 0.6, *NO_NUMBER),
                "estimator": NO_WORD,
            },
            drawn={"k": st.integers(1, 20), "fraction": st.sampled_from([0.1, 0.5])},
            golden={"k": 10, "fraction": 0.3},
            apart=EVERY,
        ),
    ),
    "average-risk": Example(reached={"bound": 0.3}),
    "sample-uniqueness": Example(reached={"bound": 0.1}),
    "differential-privacy": Example(
        reached={"epsilon": 1.0, "delta": 0.01},
        classes=OfClasses(
            definition=lambda p, one, _: one.size >= least_of(p.epsilon * (1 - p.search), p.delta),
            usual={"epsilon": 0.5, "delta": 5e-5},
            wrong={
                "epsilon": (0, 0.001, 7, *NO_NUMBER),
                "delta": (0, 0.1, *NO_NUMBER),
                "search": (-0.1, 0.95, *NO_NUMBER),
            },
            drawn={
                "epsilon": st.sampled_from([0.2, 0.5, 1.0]),
                "delta": st.sampled_from([0.01, 0.003]),
                "search": st.sampled_from([0.0, 0.1]),
            },
            golden={"epsilon": 1.0, "delta": 0.01},
            apart=EVERY,
        ),
    ),
    "delta-presence": Example(
        reached={"lower": 0.0, "upper": 0.9, "absent": "skip"},
        classes=OfClasses(
            definition=presence,
            usual={"lower": 0.1, "upper": 0.5},
            wrong={
                "lower": (-0.1, 1.1, *NO_NUMBER),
                "upper": (-0.1, 1.1, 0.05, *NO_NUMBER),
                "absent": ("x",),
            },
            drawn={
                "lower": st.sampled_from([0.0, 0.1, 0.25]),
                "upper": st.sampled_from([0.25, 0.5, 0.8, 1.0]),
                "absent": st.sampled_from(["break", "suppressed", "skip"]),
            },
            golden={"lower": 0.05, "upper": 0.9, "absent": "skip"},
            weakest={"lower": 0.0, "upper": 1.0},
        ),
    ),
    "known-number": Example(reached={"k": 3}),
    "known-records": Example(reached={"k": 2, "m": 1}),
    "km-anonymity": Example(reached={"k": 3, "m": 1}),
    "known-visit": Example(reached={"k": 3}),
    "kl-diversity": Example(reached={"k": 3, "l": 2}),
}
"""Every promise, with all that the tests ask of it beside what holds of all."""

SEE = "see CONTRIBUTING.md, What else a new piece needs"


def example(model: str) -> Example:
    """What is known of a promise; a test fails that asks for what is not there."""
    if model not in EXAMPLES:
        pytest.fail(f"EXAMPLES in tests/privacy/examples.py lacks '{model}': {SEE}")
    return EXAMPLES[model]


def of_classes(model: str) -> OfClasses:
    """The same of one that speaks of classes."""
    found = example(model).classes
    if found is None:
        pytest.fail(f"EXAMPLES['{model}'] in tests/privacy/examples.py lacks 'classes': {SEE}")
    return found


def usual(model: str) -> Promise:
    """A promise of that model."""
    return promise(model, sensitive="s", **of_classes(model).usual)


def stricter(model: str, name: str, figure: Any) -> Any:
    """A little more than what was achieved of a parameter."""
    ways = {**STRICTER, **of_classes(model).stricter}
    if name not in ways:
        where = f"EXAMPLES['{model}'].classes.stricter in tests/privacy/examples.py"
        pytest.fail(f"{where} lacks '{name}': {SEE}")
    return ways[name](figure)


@st.composite
def promises(draw: st.DrawFn, model: str) -> Promise:
    """A promise of that model, compared with the original distribution if with one."""
    settings = draw(st.fixed_dictionaries(dict(of_classes(model).drawn)))
    blank = promise(model, sensitive="s", **settings)
    return promise(
        model,
        sensitive="s",
        reference="original" if blank.compares else "published",
        **settings,
    )
