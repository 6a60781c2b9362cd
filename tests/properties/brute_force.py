"""Small random tables, and every node of their lattice tried in plain Python.

Nothing here uses the package but :func:`leveled`, which hands a case to it, and the promises at the
end, which are models defined outside of it. Everything else is dictionaries and textbook formulas.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl
from hypothesis import strategies as st
from numpy.typing import NDArray

from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.measures import Objective
from indistinct.microdata.frequencies import ClassTable
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import Microdata
from indistinct.microdata.subjects import Subjects
from indistinct.privacy import Closure, Promise

Label = str | None
Levels = tuple[int, ...]

SHAPES: tuple[tuple[tuple[Label, ...], ...], ...] = (
    (("a", "*"), ("b", "*")),
    (("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*")),
    (("a", "x", "*"), ("b", "x", "*"), ("c", "*")),
    (
        ("a", "x", "p", "*"),
        ("b", "x", "p", "*"),
        ("c", "y", "p", "*"),
        ("d", "z", "*"),
        ("e", "z", "*"),
    ),
    (("a", "a", "x", "*"), ("b", "b", "x", "*"), ("c", "c", "c", "*")),
    (("a", "x"), ("b", "x"), ("c", "y")),
    (("a",), ("b",)),
    (("a", "*"),),
)
"""Hierarchies: flat, even, uneven, deep, with repeats, rootless, of one level, of one leaf."""


@dataclass(frozen=True)
class Case:
    """A table of weighted rows, with the full chains of every attribute and a sensitive value."""

    chains: tuple[tuple[tuple[Label, ...], ...], ...]
    rows: tuple[tuple[int, ...], ...]
    weights: tuple[int, ...]
    sensitive: tuple[Label, ...]
    missing: tuple[str | None, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"q{j}" for j in range(len(self.chains)))

    @property
    def records(self) -> int:
        return sum(self.weights)

    def full(self, j: int) -> list[tuple[Label, ...]]:
        """All chains of attribute j, of one length, that of a missing value last."""
        levels = max(2 if self.missing[j] else 1, *map(len, self.chains[j]))
        padded = [(*c, *[c[-1]] * (levels - len(c))) for c in self.chains[j]]
        tops = {c[-1] for c in padded}
        if self.missing[j] == "value":
            top = tops.pop() if len(tops) == 1 and len(padded[0]) > 1 else None
            padded.append((*[None] * (levels - 1), top))
        elif self.missing[j] == "suppress":
            padded.append(("*",) * levels)
        return padded

    def leaf(self, row: int, j: int) -> int:
        return self.rows[row][j] % len(self.full(j))


@st.composite
def cases(
    draw: st.DrawFn,
    attributes: int = 4,
    largest: int = 60,
    rows: int = 14,
    missing: Sequence[str | None] = (None, None, "value", "suppress"),
) -> Case:
    """Tables of 2 attributes and more whose lattice has at most ``largest`` nodes."""
    chains: list[tuple[tuple[Label, ...], ...]] = []
    nodes = 1
    for _ in range(draw(st.integers(2, attributes))):
        shape = draw(st.sampled_from(SHAPES))
        levels = max(map(len, shape))
        if nodes * levels > largest:
            shape = SHAPES[0]
        nodes *= max(map(len, shape))
        chains.append(shape)
    # A hierarchy of a single level cannot be given a missing value that joins a root.
    ways = tuple(
        draw(st.sampled_from(missing)) if max(map(len, shape)) > 1 else None for shape in chains
    )
    row = st.tuples(
        st.tuples(*[st.integers(0, 5)] * len(chains)),
        st.integers(1, 5),
        st.sampled_from(["u", "v", "w", None]),
    )
    drawn = draw(st.lists(row, min_size=1, max_size=rows))
    return Case(
        tuple(chains),
        tuple(codes for codes, _, _ in drawn),
        tuple(weight for _, weight, _ in drawn),
        tuple(value for _, _, value in drawn),
        ways,
    )


def taxonomies(case: Case) -> dict[str, Taxonomy]:
    return {
        name: Taxonomy(name, case.chains[j]).extended(case.missing[j])  # type: ignore[arg-type]
        for j, name in enumerate(case.names)
    }


def texts(case: Case) -> pl.DataFrame:
    """The raw values; a suppressed missing value is missing in the raw table."""
    columns: dict[str, list[Label]] = {}
    for j, name in enumerate(case.names):
        full = case.full(j)
        leaves = [case.leaf(row, j) for row in range(len(case.rows))]
        is_missing = [case.missing[j] is not None and at == len(full) - 1 for at in leaves]
        columns[name] = [
            None if gone else full[at][0] for at, gone in zip(leaves, is_missing, strict=True)
        ]
    columns["s"] = list(case.sensitive)
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def microdata(case: Case) -> Microdata:
    """The case as the package sees it."""
    weight = np.array(case.weights, dtype=np.int64)
    return Microdata.encode(Subjects.of_records(texts(case), weight), taxonomies(case), ["s"])


def leveled(case: Case) -> LeveledTable:
    return microdata(case).data


# What becomes of a table at a node.


def published(case: Case, levels: Levels) -> list[tuple[Label, ...]]:
    """The published label of every cell, row by row."""
    return [
        tuple(case.full(j)[case.leaf(row, j)][level] for j, level in enumerate(levels))
        for row in range(len(case.rows))
    ]


@dataclass(frozen=True)
class Asked:
    """A promise as brute force sees it: is a class of these sensitive values good?"""

    good: Callable[[Mapping[Label, int], Mapping[Label, int]], bool]
    on: tuple[str, ...] | None
    lasting: bool
    moving: bool = False
    """Whether it compares with what is kept."""


def order_matters(case: Case, asked: Sequence[Asked]) -> bool:
    """Whether leaving out the violators in another order could end elsewhere."""
    sets = [set(one.on or case.names) for one in asked]
    # Whoever is "*" throughout is in no class over some attributes.
    starred = any(own < set(case.names) for own in sets) and any(
        0 < sum(chain[level] == "*" for chain in case.full(j)) < len(case.full(j))
        for j in range(len(case.names))
        for level in range(len(case.full(j)[0]))
    )
    return any(
        one.moving or starred or any(other - own for other in sets)
        for one, own in zip(asked, sets, strict=True)
        if not one.lasting
    )


def every_release(
    case: Case, levels: Levels, asked: Sequence[Asked], allowed: int
) -> Iterator[frozenset[int]]:
    """All rows that can be kept at a node if classes of any promise may be left out at will."""
    cells = published(case, levels)
    whole = _values(case, range(len(case.rows)))
    found = {frozenset(range(len(case.rows)))}
    waiting = list(found)
    while waiting:
        kept = waiting.pop()
        good = True
        for one in asked:
            at = [j for j, name in enumerate(case.names) if name in (one.on or case.names)]
            classes: dict[tuple[Label, ...], set[int]] = {}
            for row in kept:
                classes.setdefault(tuple(cells[row][j] for j in at), set()).add(row)
            beside = _values(case, kept) if one.moving else whole
            for rows in classes.values():
                good &= one.good(_values(case, rows), beside)
                left = kept - rows
                if left not in found and sum(case.weights[row] for row in left) >= (
                    case.records - allowed
                ):
                    found.add(left)
                    waiting.append(left)
        if good:
            yield kept


def settled(
    case: Case, cells: Sequence[tuple[Label, ...]], asked: Sequence[Asked], kept: set[int]
) -> set[int]:
    """What is left when the violators of each promise are dropped until none is left."""
    whole = _values(case, range(len(case.rows)))
    names = case.names
    groups: dict[frozenset[str], list[Asked]] = {}
    for one in asked:
        groups.setdefault(frozenset(names if one.on is None else one.on), []).append(one)
    while True:
        before = len(kept)
        for on, promises in groups.items():
            classes: dict[tuple[Label, ...], list[int]] = {}
            for row in kept:
                key = tuple(cells[row][j] for j, name in enumerate(names) if name in on)
                classes.setdefault(key, []).append(row)
            for rows in classes.values():
                values = _values(case, rows)
                if not all(one.good(values, whole) for one in promises):
                    kept = kept - set(rows)
        if len(kept) == before:
            return kept


def kept_rows(case: Case, levels: Levels, asked: Sequence[Asked]) -> set[int]:
    """The rows that are published at a node: the greatest set that keeps every promise.

    For promises that are not closed under supersets there is no greatest one; the violators of
    the others go first.
    """
    cells = published(case, levels)
    kept = set(range(len(case.rows)))
    kept = settled(case, cells, [one for one in asked if one.lasting], kept)
    kept = kept if all(one.lasting for one in asked) else settled(case, cells, asked, kept)
    # Who is "*" throughout is in no class, if anybody is not: the others keep it by themselves.
    starred = {row for row, labels in enumerate(cells) if set(labels) == {"*"}}
    some = any(one.moving or set(one.on or case.names) < set(case.names) for one in asked)
    if not some or len(starred) in (0, len(cells)):
        return kept
    return settled(case, cells, asked, kept - starred) | (kept & starred)


def _values(case: Case, rows: Any) -> Counter[Label]:
    found: Counter[Label] = Counter()
    for row in rows:
        found[case.sensitive[row]] += case.weights[row]
    return found


# What a node costs.


def cost(case: Case, levels: Levels, kept: set[int], goal: Objective) -> tuple[float, ...]:
    """The objective of a node, by the formulas of the conventions."""
    n = case.records
    rows = range(len(case.rows))
    weight = case.weights
    cells = published(case, levels)
    gs = goal.gs_factor
    g = 1.0 if gs <= 0.5 else 1.0 - 2.0 * (gs - 0.5)
    s = 2.0 * gs if gs < 0.5 else 1.0
    if goal.measure == "kl-divergence":
        return (_divergence(case, cells, kept),)
    if goal.measure in ("discernibility", "average-class-size"):
        whole: Counter[Any] = Counter()
        rest: Counter[Any] = Counter()
        for row in rows:
            whole[cells[row]] += weight[row]
            if row in kept:
                rest[cells[row]] += weight[row]
        gone = n - sum(rest.values())
        if goal.measure == "average-class-size":
            return (n / (len(rest) + (gone > 0)),)
        if goal.monotonic:
            return (float(sum(c * c for c in whole.values())),)
        return (float(sum(c * c for c in rest.values()) + n * gone),)
    costs = []
    for j, level in enumerate(levels):
        full = case.full(j)
        leaves = len(full)
        height = len(full[0]) - 1
        if goal.measure == "height":
            costs.append(float(level))
            continue
        if goal.measure == "non-uniform-entropy":
            costs.append(_bits(case, cells, j, kept, counted=not goal.monotonic))
            continue
        total = 0.0
        for row in rows:
            label = cells[row][j]
            if goal.measure == "loss":
                under = leaves if label == "*" else sum(label in chain for chain in full)
                share = under / leaves
            else:
                share = level / height if height else 0.0
            if row in kept or goal.monotonic:
                total += g * share * weight[row]
            else:
                total += (1.0 if s == 1.0 else share + s * (1.0 - share)) * weight[row]
        if goal.measure == "precision":
            costs.append(total / n)
        else:
            least = g * n / leaves
            costs.append(max((total - least) / (n - least), 0.0) if n - least > 1e-9 else 0.0)
    return _aggregated(costs, [goal.weights.get(name, 1.0) for name in case.names], goal)


def _divergence(case: Case, cells: Sequence[tuple[Label, ...]], kept: set[int]) -> float:
    """What a reader believes of each combination, against how frequent it is."""
    n = case.records
    share: Counter[Any] = Counter()
    size: Counter[Any] = Counter()
    believed: dict[Any, float] = {}
    rows = [tuple(case.leaf(row, j) for j in range(len(case.names))) for row in range(len(cells))]
    shown = [cells[row] if row in kept else None for row in range(len(cells))]
    for row, cell in enumerate(shown):
        share[rows[row]] += case.weights[row]
        size[cell] += case.weights[row]
    for row, cell in enumerate(shown):
        under = 1
        for j, label in enumerate(cell or ["*"] * len(case.names)):
            full = case.full(j)
            under *= len(full) if label == "*" else sum(label in chain for chain in full)
        if case.weights[row]:
            believed[rows[row]] = size[cell] / n / under
    return sum(c / n * math.log2(c / n / believed[x]) for x, c in share.items() if c)


def _bits(
    case: Case, cells: Sequence[tuple[Label, ...]], j: int, kept: set[int], *, counted: bool
) -> float:
    raw: Counter[int] = Counter()
    under: Counter[Label] = Counter()
    gone: Counter[Label] = Counter()
    for row, weight in enumerate(case.weights):
        raw[case.leaf(row, j)] += weight
        under[cells[row][j]] += weight
        if row not in kept:
            gone[cells[row][j]] += weight
    bits = 0.0
    for row, weight in enumerate(case.weights):
        bits -= weight * math.log2(raw[case.leaf(row, j)] / under[cells[row][j]])
        if counted and row not in kept:
            bits -= weight * math.log2(gone[cells[row][j]] / sum(gone.values()))
    return bits


def _aggregated(costs: list[float], weights: list[float], goal: Objective) -> tuple[float, ...]:
    weighted = [w * x for w, x in zip(weights, costs, strict=True)]
    by = goal.aggregated_by
    if by == "rank":
        return tuple(sorted(weighted, reverse=True))
    if by == "max":
        return (max(weighted),)
    if by == "sum":
        return (sum(weighted),)
    if by == "arithmetic":
        return (sum(weighted) / sum(weights),)
    product = math.prod(
        (1.0 + x) ** (w / sum(weights)) for w, x in zip(weights, costs, strict=True)
    )
    return (product - 1.0,)


@dataclass(frozen=True)
class Node:
    """One node, tried: ``cost`` is None where more is suppressed than is allowed."""

    levels: Levels
    kept: frozenset[int]
    suppressed: int
    cost: tuple[float, ...] | None


def lattice(
    case: Case, lowest: Mapping[str, int] | None = None, highest: Mapping[str, int] | None = None
) -> Iterator[Levels]:
    lowest, highest = lowest or {}, highest or {}
    ranges = []
    for j, name in enumerate(case.names):
        top = len(case.full(j)[0]) - 1
        ranges.append(range(lowest.get(name, 0), highest.get(name, top) + 1))
    yield from itertools.product(*ranges)


def every_node(
    case: Case,
    asked: Sequence[Asked],
    goal: Objective,
    allowed: int,
    lowest: Mapping[str, int] | None = None,
    highest: Mapping[str, int] | None = None,
) -> dict[Levels, Node]:
    found = {}
    for levels in lattice(case, lowest, highest):
        kept = kept_rows(case, levels, asked)
        suppressed = case.records - sum(case.weights[row] for row in kept)
        key = cost(case, levels, kept, goal) if suppressed <= allowed else None
        found[levels] = Node(levels, frozenset(kept), suppressed, key)
    return found


def best(nodes: Mapping[Levels, Node]) -> tuple[float, ...] | None:
    """The least cost, entries taken as equal when they are so to nine decimals."""
    keys = [node.cost for node in nodes.values() if node.cost is not None]
    return min(keys, key=lambda key: [round(entry, 9) for entry in key]) if keys else None


# Promises from outside of the package: each is one class, found by being imported.


@dataclass(frozen=True, kw_only=True)
class DistinctValues(Promise):
    """At least ``l`` different sensitive values in every class; stays true when records join."""

    model: ClassVar[str] = "test-distinct"
    closure: ClassVar[Closure] = "superset"
    needs_sensitive: ClassVar[bool] = True
    l: int  # noqa: E741

    def breaks(self, classes: ClassTable) -> NDArray[np.bool_]:
        distinct = (classes.cells[str(self.sensitive)] > 0).sum(axis=1)
        broken: NDArray[np.bool_] = (distinct < self.l) & (classes.size > 0)
        return broken

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        return {"l": int((classes.cells[str(self.sensitive)] > 0).sum(axis=1).min())}


@dataclass(frozen=True, kw_only=True)
class EntropyOfValues(Promise):
    """Entropy of at least log2(l) in every class; stays true when good classes merge."""

    model: ClassVar[str] = "test-entropy"
    closure: ClassVar[Closure] = "union"
    needs_sensitive: ClassVar[bool] = True
    l: float  # noqa: E741

    def breaks(self, classes: ClassTable) -> NDArray[np.bool_]:
        cells = classes.cells[str(self.sensitive)]
        share = cells / np.maximum(classes.size, 1)[:, None]
        bits = -(share * np.log2(np.where(cells > 0, share, 1.0))).sum(axis=1)
        broken: NDArray[np.bool_] = (bits < math.log2(self.l) - 1e-9) & (classes.size > 0)
        return broken

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        return {"l": None}


@dataclass(frozen=True, kw_only=True)
class CloseToTable(Promise):
    """Distance of at most ``t`` between each class and the whole table; good classes may merge."""

    model: ClassVar[str] = "test-closeness"
    closure: ClassVar[Closure] = "union"
    needs_sensitive: ClassVar[bool] = True
    t: float

    def breaks(self, classes: ClassTable) -> NDArray[np.bool_]:
        whole = classes.reference[str(self.sensitive)]
        share = classes.cells[str(self.sensitive)] / np.maximum(classes.size, 1)[:, None]
        distance = np.abs(share - whole / whole.sum()).sum(axis=1) / 2
        broken: NDArray[np.bool_] = (distance > self.t + 1e-9) & (classes.size > 0)
        return broken

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        return {"t": None}


@dataclass(frozen=True, kw_only=True)
class AtMost(Promise):
    """No class of more than ``most`` records: broken by growing and by merging."""

    model: ClassVar[str] = "test-at-most"
    closure: ClassVar[Closure] = "none"
    most: int

    def breaks(self, classes: ClassTable) -> NDArray[np.bool_]:
        broken: NDArray[np.bool_] = classes.size > self.most
        return broken

    def achieved(self, classes: ClassTable) -> dict[str, float | int | None]:
        return {"most": int(classes.size.max(initial=0))}


def asked(promise: Promise) -> Asked:
    """The same promise as a plain function of a class."""
    moving = promise.compares and promise.reference == "published"
    good = _GOOD[promise.model](promise)
    return Asked(good, promise.on, promise.closure == "superset", moving)


def _entropy(values: Mapping[Label, int]) -> float:
    total = sum(values.values())
    return -sum(c / total * math.log2(c / total) for c in values.values() if c)


def _distance(values: Mapping[Label, int], whole: Mapping[Label, int]) -> float:
    n, total = sum(values.values()), sum(whole.values())
    return sum(abs(values.get(v, 0) / n - c / total) for v, c in whole.items()) / 2


_GOOD: dict[str, Callable[[Any], Callable[[Mapping[Label, int], Mapping[Label, int]], bool]]] = {
    "k-anonymity": lambda p: lambda values, whole: sum(values.values()) >= p.k,
    "test-distinct": lambda p: lambda values, whole: sum(c > 0 for c in values.values()) >= p.l,
    "test-entropy": lambda p: lambda values, whole: _entropy(values) >= math.log2(p.l) - 1e-9,
    "test-closeness": lambda p: lambda values, whole: _distance(values, whole) <= p.t + 1e-9,
    "t-closeness": lambda p: lambda values, whole: _distance(values, whole) <= p.t + 1e-9,
    "test-at-most": lambda p: lambda values, whole: sum(values.values()) <= p.most,
}
