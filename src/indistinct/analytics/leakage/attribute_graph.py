"""Attributes and what links them: the smallest sets that separate identifiers from the sensitive.

Nodes are the attributes of the table that is published, of other tables and of what people know;
an edge says that the value of one can be linked to that of the other. Attributes of the table can
be generalized, which cuts them out; all others cannot. A set of attributes that every way from an
identifier to a sensitive attribute goes through is a vertex cut, and the quasi-identifiers are the
union of all smallest ones.

The idea of finding quasi-identifiers as what separates is Yan, Herman, Mahmood, Feng and Xie's
(Engineering Letters 26, 2018), which Victor and Lopez (2020) take up; that they are the vertices of
minimum cuts, where the papers speak of single cut vertices, is ours: attributes in parallel have no
single one. Which vertices are in some minimum cut is read off the residual network of one maximum
flow, after Picard and Queyranne (Mathematical Programming Study 13, 1980).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, Literal

from indistinct.document import PlainData
from indistinct.errors import PolicyError, Problem, Problems, Unsatisfiable, did_you_mean, refuse
from indistinct.frozen import dataclass, field

Kind = Literal["identifier", "sensitive", "table", "outside"]
"""What a node is: ``table`` attributes can be cut, ``outside`` ones are not in the table."""

Origin = Literal["stated", "published", "derived", "data", "row", "known"]
"""Why there is an edge: stated, columns of one published table, derived, dependent, one record, or
over columns that others know (:meth:`AttributeGraph.with_known_columns`)."""

Relation = Literal["derived_from", "part_of"]

DASH = " – "


@dataclass(frozen=True)
class Edge(PlainData):
    """Two attributes of which the value of one can be linked to that of the other, and why."""

    told_keys: ClassVar = "from=one to=other source origin strength?"

    one: str
    other: str
    source: str = ""
    origin: Origin = "stated"
    strength: float | None = None

    @property
    def why(self) -> str:
        """Where the link comes from, in words."""
        if self.origin == "data" and self.strength is not None:
            return f"{self.strength:.2f} in the data"
        return self.source or "stated"


@dataclass(frozen=True)
class Derivation:
    """An attribute that is derived from another one, or a part of it."""

    base: str
    attribute: str
    relation: Relation = "derived_from"


@dataclass(frozen=True)
class Cuts(PlainData):
    """The minimum vertex cuts of a graph.

    Arguments:
        value: what a minimum cut costs.
        source_side: the one nearest to the identifiers.
        sink_side: the one nearest to the sensitive attributes.
        union: every attribute that is in some minimum cut.
        single: attributes that cut all ways by themselves, at any cost.
    """

    told_keys: ClassVar = "source_side sink_side union single"

    value: Fraction = Fraction(0)
    source_side: tuple[str, ...] = ()
    sink_side: tuple[str, ...] = ()
    union: tuple[str, ...] = ()
    single: tuple[str, ...] = ()


@dataclass(frozen=True)
class Variant(PlainData):
    """The graph with a derived attribute in the place of the one it is derived from."""

    told_keys: ClassVar = "replaced by union=cuts.union"

    replaced: str
    by: str
    cuts: Cuts
    graph: AttributeGraph = field(repr=False)


@dataclass(frozen=True)
class AttributeGraph:
    """Attributes, what links them, and which of them can be cut.

    Arguments:
        identifiers: where ways begin.
        sensitive: where ways end.
        table: the other attributes of the table that is published; only these can be cut.
        edges: what links two attributes; an end that is none of the above is outside the table.
        derivations: attributes that stand for others: each is an edge as well.
        costs: what cutting an attribute of the table costs, 1 unless said; more than 0.

    Raises:
        PolicyError: an attribute has two roles, a cost is not above 0, or of no such attribute.
    """

    identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    table: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    derivations: tuple[Derivation, ...] = ()
    costs: Mapping[str, float | Fraction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        problems = Problems()
        for name in sorted(set(self.identifiers) & set(self.sensitive)):
            problems.add("two-roles", f"'{name}' is both an identifier and sensitive")
        for name, cost in self.costs.items():
            if name not in self.kinds:
                near = did_you_mean(name, self.table)
                problems.add("unknown-attribute", f"no attribute '{name}': {near}")
            elif not (isinstance(cost, int | float) and 0 < cost < math.inf):
                problems.add("bad-cost", f"cutting '{name}' must cost more than 0, not {cost}")
        refuse(PolicyError, problems)

    @cached_property
    def kinds(self) -> dict[str, Kind]:
        """What every node is, identifiers first and sensitive attributes last."""
        found: dict[str, Kind] = dict.fromkeys(self.identifiers, "identifier")
        for name in self.table:
            found.setdefault(name, "table")
        ends = [name for edge in self.edges for name in (edge.one, edge.other)]
        ends += [name for item in self.derivations for name in (item.base, item.attribute)]
        for name in ends:
            if name not in self.sensitive:
                found.setdefault(name, "outside")
        for name in self.sensitive:
            if found.get(name) != "identifier":
                found.pop(name, None)
                found[name] = "sensitive"
        return found

    @property
    def all_edges(self) -> tuple[Edge, ...]:
        """The edges, those of derivations among them, each pair of attributes once."""
        return tuple(self._by_pair.values())

    @cached_property
    def _by_pair(self) -> dict[frozenset[str], Edge]:
        found: dict[frozenset[str], Edge] = {}
        derived = (
            Edge(item.base, item.attribute, _said(item), "derived") for item in self.derivations
        )
        for edge in (*self.edges, *derived):
            pair = frozenset((edge.one, edge.other))
            if len(pair) < 2:
                continue
            known = found.get(pair)
            if known is None or (known.origin in _WEAK and edge.origin not in _WEAK):
                found[pair] = edge
        return found

    @cached_property
    def neighbours(self) -> dict[str, tuple[str, ...]]:
        """What every node is linked to."""
        return self._linked(self.all_edges)

    @cached_property
    def _linked_plainly(self) -> dict[str, tuple[str, ...]]:
        """The same by links that lead over nothing."""
        return self._linked(edge for edge in self.all_edges if edge.origin != "known")

    def _linked(self, edges: Iterable[Edge]) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {name: [] for name in self.kinds}
        for edge in edges:
            found[edge.one].append(edge.other)
            found[edge.other].append(edge.one)
        return {name: tuple(others) for name, others in found.items()}

    def of_kind(self, kind: Kind) -> tuple[str, ...]:
        """The nodes of that kind."""
        return self._by_kind.get(kind, ())

    @cached_property
    def _by_kind(self) -> dict[Kind, tuple[str, ...]]:
        found: dict[Kind, list[str]] = {}
        for name, kind in self.kinds.items():
            found.setdefault(kind, []).append(name)
        return {kind: tuple(names) for kind, names in found.items()}

    def edge(self, one: str, other: str) -> Edge:
        """The edge between two nodes.

        Raises KeyError where there is none.
        """
        return self._by_pair[frozenset((one, other))]

    def way(self, without: Iterable[str] = ()) -> tuple[str, ...]:
        """A shortest way from an identifier to a sensitive attribute; empty if there is none."""
        return next(self._ways(self._inner(without)), ())

    def unprotected(self) -> tuple[tuple[str, ...], ...]:
        """A shortest way to each sensitive attribute that passes no attribute of the table."""
        found: dict[str, tuple[str, ...]] = {}
        for way in self._ways(self.of_kind("outside")):
            found.setdefault(way[-1], way)
        return tuple(found[name] for name in self.sensitive if name in found)

    def cuts(self, *, anywhere: bool = False) -> Cuts:
        """The minimum vertex cuts between identifiers and sensitive attributes.

        Arguments:
            anywhere: attributes outside the table can be cut as well, at a cost of 1 each.

        Raises:
            Unsatisfiable: a sensitive attribute is reached without passing anything that can be
                cut.
        """
        outside = () if anywhere else self.of_kind("outside")
        bare = next(self._ways(outside), None)
        if bare is not None:
            ways = (bare,) if anywhere else self.unprotected()
            raise Unsatisfiable([self._cannot_protect(way) for way in ways])
        shortest = self.way()
        if not shortest:
            return Cuts()
        flow = _Flow.of(self, self._prices(anywhere=True)) if anywhere else self._flow
        single = [name for name in shortest if name in flow.priced and not self.way([name])]
        return Cuts(
            value=flow.value,
            source_side=tuple(sorted(flow.cut(flow.near))),
            sink_side=tuple(sorted(flow.cut(flow.before_far))),
            union=tuple(sorted(flow.union)),
            single=tuple(sorted(single)),
        )

    def variants(self) -> tuple[Variant, ...]:
        """The graph with each derived attribute in the place of what it is derived from.

        One attribute is replaced at a time, and only by one that is published. What is derived
        from something derived stands for both.
        """
        found = []
        for base, attribute in self._stand_ins():
            if self.kinds[base] not in ("table", "outside") or self.kinds[attribute] != "table":
                continue
            graph = self._replaced(base, attribute)
            found.append(Variant(base, attribute, graph.cuts(), graph))
        return tuple(found)

    def with_known_columns(self) -> AttributeGraph:
        """The graph in which what follows from a column that others know is known as well.

        If a register tells the postcode and a map the region, no generalization of the postcode
        hides the region. So what is linked to columns of the table, by more than standing in one
        record, is linked to everything else that these are linked to, but for what is sensitive.
        """
        passed = {name for name, kind in self.kinds.items() if kind == "table"}
        known = [edge for edge in self.all_edges if edge.origin != "row"]
        beside: dict[str, list[Edge]] = {name: [] for name in self.kinds}
        for edge in known:
            beside[edge.one].append(edge)
            beside[edge.other].append(edge)
        more: list[Edge] = []
        for start in (*self.of_kind("identifier"), *self.of_kind("outside")):
            came: dict[str, tuple[tuple[str, Edge], ...]] = {start: ()}
            queue = [start]
            for name in queue:
                for edge in beside[name]:
                    other = edge.other if edge.one == name else edge.one
                    if other in came or self.kinds[other] == "sensitive":
                        continue
                    came[other] = (*came[name], (name, edge))
                    if other in passed:
                        queue.append(other)
            more += [_over(start, name, steps) for name, steps in came.items() if len(steps) > 1]
        return replace(self, edges=(*self.edges, *more))

    def way_through(self, name: str) -> tuple[str, ...]:
        """A way that only this attribute of a minimum cut is on: the rest of the cut avoided.

        Of the minimum cuts with the attribute, the one nearest to the identifiers is avoided. Empty
        where the attribute is in no minimum cut.
        """
        if self.kinds.get(name) != "table" or not self._can_be_cut:
            return ()
        flow = self._flow
        if name not in flow.union:
            return ()
        cut = flow.cut_with(name)
        if cut not in self._to_cuts:
            inner = self._inner(cut)
            self._to_cuts[cut] = inner, {way[-1]: way for way in self._ways(inner, goals=cut)}
        inner, ways = self._to_cuts[cut]
        return ways[name][:-1] + next(self._ways(inner, starts=(name,)))

    @cached_property
    def _can_be_cut(self) -> bool:
        """Whether there are ways, and all of them pass an attribute of the table."""
        return not self.unprotected() and bool(self.way())

    @cached_property
    def _flow(self) -> _Flow:
        return _Flow.of(self, self._prices(anywhere=False))

    @cached_property
    def _to_cuts(self) -> dict[frozenset[str], tuple[set[str], dict[str, tuple[str, ...]]]]:
        """What can be passed without a minimum cut, and the ways to each attribute of the cut."""
        return {}

    def _inner(self, without: Iterable[str] = ()) -> set[str]:
        """The nodes that a way can pass."""
        return {*self.of_kind("table"), *self.of_kind("outside")}.difference(without)

    def _ways(
        self,
        inner: Collection[str],
        starts: Sequence[str] | None = None,
        goals: Collection[str] | None = None,
    ) -> Iterator[tuple[str, ...]]:
        """Shortest ways over some nodes: from every identifier to every sensitive attribute.

        Links that lead over columns count where no others reach a node.
        """
        came: dict[str, str | None] = dict.fromkeys(starts or self.of_kind("identifier"))
        goals = self._goals if goals is None else goals
        for linked in (self._linked_plainly, self.neighbours):
            queue = [name for name in came if name not in goals]
            for name in queue:
                for other in linked[name]:
                    if other in came or not (other in inner or other in goals):
                        continue
                    came[other] = name
                    if other in goals:
                        way = [other]
                        while (before := came[way[-1]]) is not None:
                            way.append(before)
                        yield tuple(reversed(way))
                    else:
                        queue.append(other)

    @cached_property
    def _goals(self) -> frozenset[str]:
        return frozenset(self.of_kind("sensitive"))

    def _cannot_protect(self, way: tuple[str, ...]) -> Problem:
        edges = [self.edge(*pair) for pair in pairwise(way)]
        why = "; ".join(dict.fromkeys(edge.why for edge in edges))
        what = "directly" if len(way) == 2 else "over attributes outside the table only"
        return Problem(
            "cannot-separate",
            f"'{way[0]}' leads to '{way[-1]}' {what}: {DASH.join(way)} ({why}); no generalization "
            f"of the table can protect '{way[-1]}'",
            remedy=f"do not publish '{way[-1]}', or take back the link if it is not so",
        )

    def _prices(self, *, anywhere: bool) -> dict[str, Fraction]:
        prices = {name: Fraction(str(self.costs.get(name, 1))) for name in self.of_kind("table")}
        if anywhere:
            prices |= dict.fromkeys(self.of_kind("outside"), Fraction(1))
        return prices

    def _stand_ins(self) -> Iterator[tuple[str, str]]:
        """What stands for what, over any number of derivations, in the order they were given."""
        direct: dict[str, list[str]] = {}
        for item in self.derivations:
            direct.setdefault(item.base, []).append(item.attribute)
        for base, names in direct.items():
            seen = {base: None}
            queue = list(names)
            for name in queue:
                if name not in seen:
                    seen[name] = None
                    queue += direct.get(name, ())
            yield from ((base, name) for name in list(seen)[1:])

    def _replaced(self, base: str, by: str) -> AttributeGraph:
        def now(name: str) -> str:
            return by if name == base else name

        return replace(
            self,
            table=tuple(name for name in self.table if name != base),
            edges=tuple(
                replace(edge, one=now(edge.one), other=now(edge.other)) for edge in self.all_edges
            ),
            derivations=(),
            costs={name: cost for name, cost in self.costs.items() if name != base},
        )


_WEAK = ("data", "row", "known")


def _over(start: str, end: str, steps: Sequence[tuple[str, Edge]]) -> Edge:
    """The edge that a way over columns of the table is worth."""
    names, edges = zip(*steps, strict=True)
    why = "; ".join(dict.fromkeys(edge.why for edge in edges))
    return Edge(start, end, f"over {', '.join(names[1:])}: {why}", "known")


def _said(item: Derivation) -> str:
    words = "is derived from" if item.relation == "derived_from" else "is a part of"
    return f"{item.attribute} {words} {item.base}"


# -------- Minimum cuts by maximum flow --------

_SOURCE, _SINK = 0, 1


@dataclass(frozen=True)
class _Flow:
    """A maximum flow from identifiers to sensitive attributes, which must be finite.

    Every node is split into an entrance and an exit, its successor. The arc between them holds the
    price; without one nothing limits it, as nothing limits arcs along edges. A set of nodes of the
    network that no open arc leaves is the side of a minimum cut.

    Arguments:
        value: what a minimum cut costs.
        priced: the attributes that can be cut, and their entrances.
        open: where the arcs lead that more could flow on, from every node of the network.
        near: the nodes of the network that more could flow to: the smallest side.
        before_far: those from which no more could flow to the end: the largest side.
        union: every attribute that is in some minimum cut.
    """

    value: Fraction
    priced: Mapping[str, int]
    open: list[list[int]]
    near: frozenset[int]
    before_far: frozenset[int]
    union: frozenset[str]

    @classmethod
    def of(cls, graph: AttributeGraph, prices: Mapping[str, Fraction]) -> _Flow:
        """The flow through attributes that may be cut at a price; there must be a way."""
        unit = math.lcm(*(price.denominator for price in prices.values()))
        capacity = {name: int(price * unit) for name, price in prices.items()}
        endless = sum(capacity.values()) + 1
        entrance = {name: 2 + 2 * at for at, name in enumerate(graph.kinds)}
        network = _Network(2 + 2 * len(entrance))
        for name, kind in graph.kinds.items():
            begin = entrance[name]
            network.add(begin, begin + 1, capacity.get(name, endless))
            if kind == "identifier":
                network.add(_SOURCE, begin, endless)
            elif kind == "sensitive":
                network.add(begin + 1, _SINK, endless)
        for edge in graph.all_edges:
            network.add(entrance[edge.one] + 1, entrance[edge.other], endless)
            network.add(entrance[edge.other] + 1, entrance[edge.one], endless)
        value = network.fill()
        ahead, back = network.open()
        part = _parts(ahead, back)
        priced = {name: entrance[name] for name in prices}
        return cls(
            value=Fraction(value, unit),
            priced=priced,
            open=ahead,
            near=frozenset(_reached(ahead, _SOURCE)),
            before_far=frozenset(range(len(ahead))) - _reached(back, _SINK),
            union=frozenset(
                name
                for name, at in priced.items()
                if at + 1 not in ahead[at] and part[at] != part[at + 1]
            ),
        )

    def cut(self, side: Collection[int]) -> frozenset[str]:
        """The attributes that lead out of a side."""
        return frozenset(
            name for name, at in self.priced.items() if at in side and at + 1 not in side
        )

    @cached_property
    def _nearest(self) -> frozenset[str]:
        return self.cut(self.near)

    def cut_with(self, name: str) -> frozenset[str]:
        """Of the minimum cuts with an attribute, the one nearest to the identifiers."""
        at = self.priced[name]
        if at in self.near:
            return self._nearest
        return self.cut(self.near | _reached(self.open, at))


class _Network:
    """Nodes and arcs with capacities, of which every second one is the way back."""

    def __init__(self, nodes: int) -> None:
        self.arcs: list[list[int]] = [[] for _ in range(nodes)]
        self.ends: list[int] = []
        self.left: list[int] = []

    def add(self, begin: int, end: int, capacity: int) -> None:
        """Add an arc.

        Arguments:
            begin: the node it leaves.
            end: the node it leads to.
            capacity: how much can flow through it.
        """
        for node, other, room in ((begin, end, capacity), (end, begin, 0)):
            self.arcs[node].append(len(self.ends))
            self.ends.append(other)
            self.left.append(room)

    def fill(self) -> int:
        """Send as much as can flow, and return how much (Dinic 1970)."""
        total = 0
        while _SINK in (level := self._levels()):
            tried = [0] * len(self.arcs)
            way: list[int] = []
            while True:
                node = self.ends[way[-1]] if way else _SOURCE
                if node == _SINK:
                    total += self._send(way)
                    continue
                arcs = self.arcs[node]
                while tried[node] < len(arcs):
                    arc = arcs[tried[node]]
                    if self.left[arc] and level.get(self.ends[arc]) == level[node] + 1:
                        way.append(arc)
                        break
                    tried[node] += 1
                else:
                    if not way:
                        break
                    tried[self.ends[way.pop() ^ 1]] += 1
        return total

    def _send(self, way: list[int]) -> int:
        """Fill a way, and go back on it to before its first arc without room."""
        room = min(self.left[arc] for arc in way)
        for arc in way:
            self.left[arc] -= room
            self.left[arc ^ 1] += room
        del way[next(at for at, arc in enumerate(way) if not self.left[arc]) :]
        return room

    def _levels(self) -> dict[int, int]:
        level = {_SOURCE: 0}
        queue = [_SOURCE]
        for node in queue:
            for arc in self.arcs[node]:
                if self.left[arc] and self.ends[arc] not in level:
                    level[self.ends[arc]] = level[node] + 1
                    queue.append(self.ends[arc])
        return level

    def open(self) -> tuple[list[list[int]], list[list[int]]]:
        """Where arcs with room lead to from every node, and where they come from."""
        ahead: list[list[int]] = [[] for _ in self.arcs]
        back: list[list[int]] = [[] for _ in self.arcs]
        for arc, room in enumerate(self.left):
            if room:
                ahead[self.ends[arc ^ 1]].append(self.ends[arc])
                back[self.ends[arc]].append(self.ends[arc ^ 1])
        return ahead, back


def _reached(ahead: Sequence[Sequence[int]], start: int) -> set[int]:
    """The nodes that arcs lead to from one, itself among them."""
    seen, queue = {start}, [start]
    for node in queue:
        for other in ahead[node]:
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return seen


def _parts(ahead: Sequence[Sequence[int]], back: Sequence[Sequence[int]]) -> list[int]:
    """The number of the strongly connected part that each node is in (Kosaraju, Sharir 1981)."""
    left: list[int] = []
    seen: set[int] = set()
    for start in range(len(ahead)):
        if start in seen:
            continue
        seen.add(start)
        path = [(start, iter(ahead[start]))]
        while path:
            node, others = path[-1]
            other = next((end for end in others if end not in seen), None)
            if other is None:
                left.append(node)
                path.pop()
            else:
                seen.add(other)
                path.append((other, iter(ahead[other])))
    part = [-1] * len(ahead)
    for start in reversed(left):
        queue = [start] if part[start] < 0 else []
        for node in queue:
            if part[node] < 0:
                part[node] = start
                queue += [other for other in back[node] if part[other] < 0]
    return part


def edges_between(columns: Sequence[str], source: str) -> tuple[Edge, ...]:
    """The edges among all columns of a published table: who has a row has all its values."""
    return tuple(
        Edge(one, other, source, "published")
        for at, one in enumerate(columns)
        for other in columns[at + 1 :]
    )
