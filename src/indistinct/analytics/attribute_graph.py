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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Literal

from indistinct.errors import PolicyError, Problem, Unsatisfiable, did_you_mean
from indistinct.types import Plain

Kind = Literal["identifier", "sensitive", "table", "outside"]
"""What a node is: ``table`` attributes can be cut, ``outside`` ones are not in the table."""

Origin = Literal["stated", "published", "derived", "data", "row"]
"""Why there is an edge: stated, columns of one published table, derived, dependent, one record."""

Relation = Literal["derived_from", "part_of"]

DASH = " – "


@dataclass(frozen=True)
class Edge:
    """Two attributes of which the value of one can be linked to that of the other, and why."""

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

    def to_dict(self) -> Plain:
        """The edge as plain data."""
        plain: Plain = {
            "from": self.one,
            "to": self.other,
            "source": self.source,
            "origin": self.origin,
        }
        if self.strength is not None:
            plain["strength"] = self.strength
        return plain


@dataclass(frozen=True)
class Derivation:
    """An attribute that is derived from another one, or a part of it."""

    base: str
    attribute: str
    relation: Relation = "derived_from"


@dataclass(frozen=True)
class Cuts:
    """The minimum vertex cuts of a graph.

    Arguments:
        value: what a minimum cut costs.
        source_side: the one nearest to the identifiers.
        sink_side: the one nearest to the sensitive attributes.
        union: every attribute that is in some minimum cut.
        single: attributes that cut all ways by themselves, whatever they cost.
    """

    value: Fraction = Fraction(0)
    source_side: tuple[str, ...] = ()
    sink_side: tuple[str, ...] = ()
    union: tuple[str, ...] = ()
    single: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, list[str]]:
        """The cuts as plain data."""
        return {
            "source_side": list(self.source_side),
            "sink_side": list(self.sink_side),
            "union": list(self.union),
            "single": list(self.single),
        }


@dataclass(frozen=True)
class Variant:
    """The graph with a derived attribute in the place of the one it is derived from."""

    replaced: str
    by: str
    cuts: Cuts
    graph: AttributeGraph = field(repr=False)

    def to_dict(self) -> Plain:
        """The variant as plain data."""
        return {"replaced": self.replaced, "by": self.by, "union": list(self.cuts.union)}


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
        problems = []
        for name in sorted(set(self.identifiers) & set(self.sensitive)):
            problems.append(Problem("two-roles", f"'{name}' is both an identifier and sensitive"))
        for name, cost in self.costs.items():
            if name not in self.kinds:
                near = did_you_mean(name, self.table)
                problems.append(Problem("unknown-attribute", f"no attribute '{name}': {near}"))
            elif not 0 < cost < math.inf:
                problems.append(
                    Problem("bad-cost", f"cutting '{name}' must cost more than 0, not {cost}")
                )
        if problems:
            raise PolicyError(problems)

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

    @cached_property
    def all_edges(self) -> tuple[Edge, ...]:
        """The edges, those of derivations among them, each pair of attributes once."""
        found: dict[frozenset[str], Edge] = {}
        derived = (
            Edge(item.base, item.attribute, _said(item), "derived") for item in self.derivations
        )
        for edge in (*self.edges, *derived):
            pair = frozenset((edge.one, edge.other))
            if len(pair) < 2:
                continue
            known = found.get(pair)
            if known is None or (known.origin in ("data", "row") and edge.origin not in _WEAK):
                found[pair] = edge
        return tuple(found.values())

    @cached_property
    def neighbours(self) -> dict[str, tuple[str, ...]]:
        """What every node is linked to."""
        found: dict[str, list[str]] = {name: [] for name in self.kinds}
        for edge in self.all_edges:
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
        for edge in self.all_edges:
            if {edge.one, edge.other} == {one, other}:
                return edge
        raise KeyError((one, other))

    def way(self, without: Iterable[str] = ()) -> tuple[str, ...]:
        """A shortest way from an identifier to a sensitive attribute; empty if there is none."""
        left_out = set(without)
        inner = {
            name
            for name, kind in self.kinds.items()
            if kind in ("table", "outside") and name not in left_out
        }
        return next(self._ways(inner), ())

    def unprotected(self) -> tuple[tuple[str, ...], ...]:
        """A shortest way to each sensitive attribute that passes no attribute of the table."""
        inner = set(self.of_kind("outside"))
        found: dict[str, tuple[str, ...]] = {}
        for way in self._ways(inner):
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
        bare = next(self._ways(set(outside)), None)
        if bare is not None:
            ways = (bare,) if anywhere else self.unprotected()
            raise Unsatisfiable([self._cannot_protect(way) for way in ways])
        shortest = self.way()
        if not shortest:
            return Cuts()
        prices = self._prices(anywhere)
        value, inside = _minimum(self, prices)
        single = [name for name in shortest if name in prices and not self.way(without=[name])]
        return Cuts(
            value=value,
            source_side=tuple(sorted(inside.source_side)),
            sink_side=tuple(sorted(inside.sink_side)),
            union=tuple(sorted(inside.union)),
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

    def way_through(self, name: str) -> tuple[str, ...]:
        """A way that only this attribute of a minimum cut is on: the rest of the cut avoided.

        Empty where the attribute is in no minimum cut.
        """
        rest = self._without(name)
        if self.kinds.get(name) != "table" or rest.unprotected():
            return ()
        return self.way(without=rest.cuts().source_side)

    def _ways(self, inner: set[str]) -> Iterator[tuple[str, ...]]:
        """Shortest ways from every identifier over some nodes to every sensitive attribute."""
        came: dict[str, str | None] = dict.fromkeys(self.of_kind("identifier"))
        queue = list(came)
        goals = set(self.of_kind("sensitive"))
        for name in queue:
            for other in self.neighbours[name]:
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

    def _prices(self, anywhere: bool) -> dict[str, Fraction]:
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

    def _without(self, name: str) -> AttributeGraph:
        return replace(
            self,
            table=tuple(other for other in self.table if other != name),
            edges=tuple(edge for edge in self.all_edges if name not in (edge.one, edge.other)),
            derivations=(),
            costs={other: cost for other, cost in self.costs.items() if other != name},
        )


_WEAK = ("data", "row")


def _said(item: Derivation) -> str:
    words = "is derived from" if item.relation == "derived_from" else "is a part of"
    return f"{item.attribute} {words} {item.base}"


# -------- Minimum cuts by maximum flow --------

_SOURCE, _SINK = -1, -2


@dataclass(frozen=True)
class _Inside:
    source_side: frozenset[str]
    sink_side: frozenset[str]
    union: frozenset[str]


def _minimum(graph: AttributeGraph, prices: Mapping[str, Fraction]) -> tuple[Fraction, _Inside]:
    """The minimum vertex cut, of nodes that have a price; there must be a finite one.

    Every node is split into an entrance and an exit. The arc between them holds the price; without
    a capacity it is not to be cut, as are the arcs along edges. Prices become whole numbers first.
    """
    import networkx as nx
    from networkx.algorithms.flow import preflow_push

    unit = math.lcm(*(price.denominator for price in prices.values()))
    names = list(graph.kinds)
    entrance = {name: 2 * at for at, name in enumerate(names)}
    network = nx.DiGraph()
    for name, kind in graph.kinds.items():
        begin = entrance[name]
        if name in prices:
            network.add_edge(begin, begin + 1, capacity=int(prices[name] * unit))
        else:
            network.add_edge(begin, begin + 1)
        if kind == "identifier":
            network.add_edge(_SOURCE, begin)
        elif kind == "sensitive":
            network.add_edge(begin + 1, _SINK)
    for edge in graph.all_edges:
        one, other = entrance[edge.one], entrance[edge.other]
        network.add_edge(one + 1, other)
        network.add_edge(other + 1, one)
    residual = preflow_push(network, _SOURCE, _SINK)
    open_arcs = nx.DiGraph()
    open_arcs.add_nodes_from(residual)
    open_arcs.add_edges_from(
        (begin, end)
        for begin, end, arc in residual.edges(data=True)
        if arc["flow"] < arc["capacity"]
    )
    near = nx.descendants(open_arcs, _SOURCE) | {_SOURCE}
    far = nx.ancestors(open_arcs, _SINK) | {_SINK}
    part = {
        node: number
        for number, nodes in enumerate(nx.strongly_connected_components(open_arcs))
        for node in nodes
    }

    def those(holds: Callable[[int], bool]) -> frozenset[str]:
        return frozenset(name for name in prices if holds(entrance[name]))

    def full(begin: int) -> bool:
        return not open_arcs.has_edge(begin, begin + 1)

    return Fraction(int(residual.graph["flow_value"]), unit), _Inside(
        source_side=those(lambda begin: begin in near and begin + 1 not in near),
        sink_side=those(lambda begin: begin not in far and begin + 1 in far),
        union=those(lambda begin: full(begin) and part[begin] != part[begin + 1]),
    )


def edges_between(
    columns: Sequence[str], source: str, origin: Origin = "published"
) -> tuple[Edge, ...]:
    """The edges among all columns of a published table: who has a row has all its values."""
    return tuple(
        Edge(one, other, source, origin)
        for at, one in enumerate(columns)
        for other in columns[at + 1 :]
    )
