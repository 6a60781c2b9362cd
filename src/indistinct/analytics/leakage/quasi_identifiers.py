"""Which attributes are the quasi-identifiers: those that stand between people and what harms them.

From identifiers, sensitive attributes and what links attributes to each other, the smallest sets
are found that every way from an identifier to a sensitive attribute goes through (see
:mod:`indistinct.analytics.leakage.attribute_graph`). The quasi-identifiers are the union of all of
them, also of those that come about when an attribute is replaced by one derived from it or a part
of it (Victor and Lopez 2020, section 4.1). Beside them stands what other rankings say of the same
attributes: leakage in bits, separation and distinction.

A set is as good as the links it was found from: what nobody has thought of separates nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import ClassVar

import numpy as np
import polars as pl

from indistinct.analytics.leakage.associations import MANY, Association, associations, coarse
from indistinct.analytics.leakage.attribute_graph import (
    DASH,
    AttributeGraph,
    Cuts,
    Edge,
    Kind,
    Variant,
)
from indistinct.analytics.leakage.derivations import Proposal
from indistinct.analytics.leakage.encoded import Encoded
from indistinct.analytics.leakage.information_loss import Leakage, LeakageAnalysis
from indistinct.analytics.leakage.separation import ENUMERATED, best
from indistinct.analytics.profile.values import read_values
from indistinct.document import (
    Bar,
    Document,
    Grid,
    Line,
    Part,
    Picture,
    PlainData,
    drawing,
    many,
)
from indistinct.errors import Unsatisfiable
from indistinct.frozen import dataclass, field
from indistinct.hierarchies.moments import reader
from indistinct.types import Codes, Ints, Plain

ROUNDING = 1e-12
"""Differences of leakage in bits that rounding makes."""


@dataclass(frozen=True)
class Reason(PlainData):
    """Why an attribute is a quasi-identifier.

    Arguments:
        attribute: the attribute.
        cuts: ``union``, and which of ``source_side``, ``sink_side`` and ``single`` hold it; empty
            where only the place of another attribute makes it one.
        stands_for: attributes in whose place it is one.
        setting: the variant that makes it one, in words, where the graph itself does not.
        way: a way from an identifier to a sensitive attribute that it alone interrupts.
        sources: where the links on that way come from, one for each.
    """

    told_keys: ClassVar = "attribute cuts stands_for path=way sources text"

    attribute: str
    cuts: tuple[str, ...]
    stands_for: tuple[str, ...]
    setting: str
    way: tuple[str, ...]
    sources: tuple[str, ...]

    @property
    def text(self) -> str:
        """The reason in words."""
        said = f"{DASH.join(self.way)} ({'; '.join(dict.fromkeys(self.sources))})"
        if self.setting:
            return f"{self.setting}: {said}"
        return f"{said}; every way goes through it" if "single" in self.cuts else said


@dataclass(frozen=True)
class Ranked(PlainData):
    """What the cut and the other rankings say of one attribute of the table."""

    told_keys: ClassVar = (
        "attribute role quasi_identifier cuts loss=leakage.loss normalized=leakage.normalized "
        "distinction=leakage.distinction separation=leakage.separation alone=leakage.alone"
    )

    attribute: str
    role: str
    quasi_identifier: bool
    cuts: tuple[str, ...]
    leakage: Leakage


@dataclass(frozen=True)
class Candidate(PlainData):
    """A set of attributes that a ranking puts first, and how far it is from a key."""

    told_keys: ClassVar = "what *leakage"

    what: str
    leakage: Leakage


EDGES = 40
"""How many links are told on the screen."""

KINDS = {"table": "", "outside": " (outside)", "identifier": "", "sensitive": ""}


@dataclass(frozen=True)
class QuasiIdentifiers(PlainData, Document):
    """The quasi-identifiers of a table, the graph they were found in, and the reasons.

    Arguments:
        quasi_identifiers: the union of all minimum cuts, of the graph and of its variants.
        graph: the attributes, and what links them.
        cuts: the minimum cuts of the graph.
        variants: with a derived attribute or a part instead of the whole, one at a time.
        why: the reason for each quasi-identifier.
        anywhere: the cuts if attributes outside the table could be cut too; None where that does
            not help.
        ranking: other rankings of the table's attributes, those that leak most first.
        sets: the sets of attributes that the rankings put first.
        proposed: what data and names suggest to add to the policy; not heeded here.
        notes: what a person should look at.
        warnings: what the answer leaves open.
        table: the name of the table.
        records: its records.
        threshold: the dependence from which data makes an edge, if any.
    """

    told_keys: ClassVar = (
        "quasi_identifiers cuts cost=_cost variants why anywhere graph.nodes=_nodes "
        "graph.edges=graph.all_edges ranking sets proposed notes warnings records threshold"
    )

    quasi_identifiers: tuple[str, ...]
    graph: AttributeGraph = field(repr=False)
    cuts: Cuts
    variants: tuple[Variant, ...] = ()
    why: tuple[Reason, ...] = ()
    anywhere: Cuts | None = None
    ranking: tuple[Ranked, ...] = ()
    sets: tuple[Candidate, ...] = ()
    proposed: tuple[Proposal, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    table: str = "table"
    records: int = 0
    threshold: float | None = None

    @property
    def _cost(self) -> float:
        return float(self.cuts.value)

    @property
    def _nodes(self) -> list[Plain]:
        costs = self.graph.costs
        return [
            {
                "name": name,
                "kind": kind,
                "quasi_identifier": name in self.quasi_identifiers,
                "cost": float(costs.get(name, 1)) if kind == "table" else None,
            }
            for name, kind in self.graph.kinds.items()
        ]

    def mermaid(self) -> str:
        """The graph as a Mermaid flowchart, for a page of Markdown."""
        return self.picture().mermaid()

    def picture(self) -> Picture:
        """The graph as a picture: ``.svg()``, ``.png()``, ``.mermaid()``."""
        title = f"What stands between people and what harms them: {self.table}"
        found: Picture = drawing("graphs", "GraphPicture")(
            title, self.graph, self.quasi_identifiers
        )
        return found

    def frame(self) -> pl.DataFrame:
        """The attributes of the table with other rankings, those that leak most first."""
        return pl.DataFrame(
            [{**item.to_dict(), "cuts": ", ".join(item.cuts)} for item in self.ranking],
            schema={
                "attribute": pl.String,
                "role": pl.String,
                "quasi_identifier": pl.Boolean,
                "cuts": pl.String,
                "loss": pl.Float64,
                "normalized": pl.Float64,
                "distinction": pl.Float64,
                "separation": pl.Float64,
                "alone": pl.Float64,
            },
        )

    def __repr__(self) -> str:
        return f"QuasiIdentifiers({', '.join(self.quasi_identifiers) or 'none'})"

    def parts(self) -> Iterator[Part]:
        """The links, the quasi-identifiers and why, and what other rankings say."""
        graph = self.graph
        ends = f"from {', '.join(graph.identifiers)} to {', '.join(graph.sensitive)}"
        yield Line(f"{self.table}: ways {ends}", "title")
        yield _links(graph)
        if self.quasi_identifiers:
            yield Line("\nquasi-identifiers", "title")
            rows = [(item.attribute, _sides(item.cuts), item.text) for item in self.why]
            yield Grid(("column", "cut", "why"), rows)
            yield from self._cut_parts()
        else:
            yield Line("\nno quasi-identifiers: no way leads to anything sensitive", "title")
            yield Line(
                "State what can be linked, as [[links]] of a policy. Or begin on the safe side: "
                "--accept takes the proposals as stated."
            )
        yield from self._ranking_parts()

    def _cut_parts(self) -> Iterator[Part]:
        cuts = self.cuts
        lines = [
            ("nearest to identifiers", cuts.source_side),
            ("nearest to what is sensitive", cuts.sink_side),
            ("in any smallest cut", cuts.union),
            ("cuts all ways alone", cuts.single),
        ]
        lines += [
            (f"with {item.by} instead of {item.replaced}", item.cuts.union)
            for item in self.variants
            if item.cuts.union != cuts.union
        ]
        if self.anywhere is not None:
            lines.append(("if what is outside could be cut", self.anywhere.union))
        yield Line("")
        yield Grid(
            ("cut", "columns"), [(what, ", ".join(those) or "none") for what, those in lines]
        )

    def _ranking_parts(self) -> Iterator[Part]:
        if not self.ranking:
            return
        yield Line("\ncompared with other rankings", "title")
        figures = ("separation", "distinction")
        yield Grid(
            ("column", "role", "found", "leaks", "", *figures),
            [
                (
                    item.attribute,
                    item.role.replace("-identifier", ""),
                    "yes" if item.quasi_identifier else "",
                    Bar(item.leakage.normalized),
                    *_figures(item.leakage),
                )
                for item in self.ranking
            ],
            right=("", *figures),
        )
        if self.sets:
            yield Line("")
            yield Grid(
                ("set", "columns", "leaks", *figures),
                [
                    (item.what, ", ".join(item.leakage.attributes), *_figures(item.leakage))
                    for item in self.sets
                ],
                right=("leaks", *figures),
            )

    def proposed_parts(self) -> Iterator[Part]:
        """What could be added to the policy."""
        if not self.proposed:
            return
        yield Line(
            "\nproposed, and not counted: add those that are true to the policy, or count all "
            "with --accept",
            "title",
        )
        for item in self.proposed:
            for line in item.toml.splitlines():
                yield Line(f"    {line}")
            if item.key != "links":
                share = "" if item.share is None else f" ({item.share:.1%} of the records)"
                yield Line(f"    # {item.why}{share}")
            yield Line("")


def _links(graph: AttributeGraph) -> Part:
    edges = graph.all_edges
    if not edges:
        return Line("nothing links any two attributes")
    told = [edge for edge in edges if edge.origin != "row"]
    rows = [
        (" – ".join(name + KINDS[graph.kinds[name]] for name in (edge.one, edge.other)), edge.why)
        for edge in told[:EDGES]
    ]
    if len(told) > EDGES:
        rows.append((f"and {many(len(told) - EDGES, 'other', 'others')}", ""))
    beside = {
        goal: len([edge for edge in edges if edge.origin == "row" and edge.other == goal])
        for goal in graph.sensitive
    }
    rows += [
        (f"{many(count, 'column', 'columns')} – {goal}", "in one record")
        for goal, count in beside.items()
        if count
    ]
    return Grid(("link", "why"), rows)


def _sides(cuts: tuple[str, ...]) -> str:
    words = {"source_side": "source", "sink_side": "sink", "single": "single"}
    said = [words[kind] for kind in cuts if kind in words]
    return ", ".join(said) or ("between" if cuts else "variant")


def _figures(leakage: Leakage) -> tuple[str, str, str]:
    return (
        f"{leakage.normalized:.0%}",
        f"{leakage.separation:.1%}",
        f"{leakage.distinction:.2%}",
    )


def discover(
    graph: AttributeGraph,
    *,
    analysis: LeakageAnalysis | None = None,
    roles: Mapping[str, str] | None = None,
    graph_only: bool = False,
) -> QuasiIdentifiers:
    """The quasi-identifiers of a graph of attributes.

    Arguments:
        graph: the attributes, and what links them.
        analysis: the leakage of the attributes of the table, for the comparison with rankings.
        roles: the role that each attribute of the table has so far.
        graph_only: whether standing in one record is no link, which is warned of.

    Raises:
        Unsatisfiable: a sensitive attribute is reached without passing an attribute of the table.
    """
    roles = roles or {}
    cuts = graph.cuts()
    variants = graph.variants()
    found = sorted(set(cuts.union).union(*(item.cuts.union for item in variants)))
    why = tuple(_reason(name, graph, cuts, variants) for name in found)
    ranking, sets = _ranked(analysis, found, why, roles)
    return QuasiIdentifiers(
        quasi_identifiers=tuple(found),
        graph=graph,
        cuts=cuts,
        variants=variants,
        why=why,
        anywhere=_anywhere(graph, cuts),
        ranking=ranking,
        sets=sets,
        proposed=(),
        notes=tuple(_notes(graph, found, roles)),
        warnings=tuple(_left_open(graph, found, analysis)) if graph_only else (),
        table="table",
        records=analysis.records if analysis is not None else 0,
        threshold=None,
    )


def dependent(
    data: Encoded,
    kinds: Mapping[str, str],
    missing: Callable[[str], Sequence[str]] = lambda name: (),
    identifiers: Collection[str] = (),
) -> list[Association]:
    """How much every two attributes of a table depend on each other, strongest first.

    Numbers and dates of many values are put into ten bins first; a text of many values is taken as
    it is, and where nearly every record has its own nothing can be said of it.

    Arguments:
        data: the table.
        kinds: the kind that each column has by its type, ``text`` where it is not given.
        missing: gives the texts that stand for a missing value of a column.
        identifiers: columns of names, also where they are numbers; they get no bins.
    """
    table = data.analysis.table
    columns: dict[str, Codes] = {}
    for name, codes in zip(table.attributes, table.codes, strict=True):
        texts, tokens = data.domains[name], set(missing(name))
        known = np.array([text is not None and text not in tokens for text in texts])
        plain: Ints = np.where(known[codes], codes.astype(np.int64), -1)
        if len(texts) > MANY and name not in identifiers:
            values = _as_numbers(texts, plain, table.weight, kinds.get(name, "text"))
            if values is not None:
                plain = coarse(plain, values, table.weight)
        columns[name] = plain
    return associations(columns, table.weight)


def _as_numbers(
    texts: Sequence[str | None], codes: Ints, weight: Ints, kind: str
) -> list[float | None] | None:
    """The values of a column as numbers, dates counted in days; None where it is neither."""
    count = np.bincount(codes[codes >= 0], weight[codes >= 0], minlength=len(texts))
    held = [(text, int(count[at])) for at, text in enumerate(texts) if text is not None]
    values = read_values(
        pl.DataFrame(held, schema={"value": pl.String, "count": pl.Int64}, orient="row"), kind
    )
    number: dict[str, float | None]
    if values.numbers is not None:
        number = dict(zip(values.texts.to_list(), values.numbers.to_list(), strict=True))
    elif values.date_format is not None:
        read = reader(values.date_format)
        number = {}
        for text in values.texts.to_list():
            moment = read(text)
            if moment is not None:
                number[text] = moment.year * 372.0 + moment.month * 31.0 + moment.day
    else:
        return None
    return [None if text is None else number.get(text) for text in texts]


def _reason(name: str, graph: AttributeGraph, cuts: Cuts, variants: Sequence[Variant]) -> Reason:
    holding = [item for item in variants if name in item.cuts.union]
    standing = [item for item in holding if item.by == name]
    place, setting = graph, ""
    if name not in cuts.union:
        told = (standing or holding)[0]
        place = told.graph
        with_it = "" if told.by == name else f"with {told.by} "
        setting = f"{with_it}in place of {told.replaced}"
    way = place.way_through(name)
    return Reason(
        attribute=name,
        cuts=tuple(
            kind
            for kind in ("source_side", "sink_side", "single", "union")
            if name in getattr(cuts, kind)
        ),
        stands_for=tuple(item.replaced for item in standing),
        setting=setting,
        way=way,
        sources=tuple(place.edge(*pair).why for pair in pairwise(way)),
    )


def _anywhere(graph: AttributeGraph, cuts: Cuts) -> Cuts | None:
    """The cuts over all attributes, where they cost less than those of the table alone."""
    if not cuts.union or not graph.of_kind("outside"):
        return None
    try:
        found = graph.cuts(anywhere=True)
    except Unsatisfiable:
        return None
    return found if found.value < cuts.value else None


def _ranked(
    analysis: LeakageAnalysis | None,
    found: Sequence[str],
    why: Sequence[Reason],
    roles: Mapping[str, str],
) -> tuple[tuple[Ranked, ...], tuple[Candidate, ...]]:
    if analysis is None or not analysis.attributes:
        return (), ()
    reasons = {item.attribute: item for item in why}
    ranking = [
        Ranked(
            attribute=item.attributes[0],
            role=roles.get(item.attributes[0], ""),
            quasi_identifier=item.attributes[0] in found,
            cuts=reasons[item.attributes[0]].cuts if item.attributes[0] in reasons else (),
            leakage=item,
        )
        for item in sorted(analysis.singles(), key=lambda item: -item.loss)
    ]
    return tuple(ranking), tuple(_candidates(analysis, found, roles))


def _candidates(
    analysis: LeakageAnalysis, found: Sequence[str], roles: Mapping[str, str]
) -> Iterator[Candidate]:
    chosen = [name for name in found if name in analysis.attributes]
    if chosen:
        yield Candidate("separates identifiers from what is sensitive", analysis.of(chosen))
    named = [name for name in analysis.attributes if roles.get(name) == "quasi-identifier"]
    if named and set(named) != set(chosen):
        yield Candidate("named so far", analysis.of(named))
    size = len(chosen) or len(named)
    if 0 < size < len(analysis.attributes):
        yield Candidate("leaks most, of as many", _leaking_most(analysis, size))
        pairs = best(analysis, size).attributes
        yield Candidate("tells most pairs apart, of as many", analysis.of(pairs))


def _leaking_most(analysis: LeakageAnalysis, size: int) -> Leakage:
    """The set of so many attributes that leaks most; put together one by one where many are."""
    count = len(analysis.attributes)
    if sum(math.comb(count, part) for part in range(size + 1)) <= ENUMERATED:
        return analysis.top(size, 1)[0]
    most = analysis.of(analysis.attributes).loss - ROUNDING
    worst = max(analysis.singles(), key=lambda item: item.loss)
    while len(worst.attributes) < size and worst.loss < most:
        worst = max(analysis.with_one_more(worst.attributes), key=lambda item: item.loss)
    # What leaks all there is leaks it with any others, too.
    others = [name for name in analysis.attributes if name not in worst.attributes]
    return analysis.of((*worst.attributes, *others[: size - len(worst.attributes)]))


def _notes(graph: AttributeGraph, found: Sequence[str], roles: Mapping[str, str]) -> Iterator[str]:
    reached = _reached(graph)
    unlinked = [name for name in graph.sensitive if name not in reached]
    if unlinked:
        yield (
            f"nothing links an identifier to {', '.join(unlinked)}: that may be so, or a link is "
            "missing"
        )
    left = [name for name in found if roles.get(name) == "insensitive"]
    if left:
        yield f"{', '.join(left)}: insensitive so far, so published unchanged"
    more = [
        name for name, role in roles.items() if role == "quasi-identifier" and name not in found
    ]
    if more and found:
        yield (
            f"{', '.join(more)}: quasi-identifiers that no link requires; keep them unless you "
            "are sure of the links"
        )


def _left_open(
    graph: AttributeGraph, found: Sequence[str], analysis: LeakageAnalysis | None
) -> Iterator[str]:
    """What an answer leaves open that rests on the stated links alone."""
    yield (
        "the answer rests on the stated links alone: a record shows all of its columns together, "
        "and what nobody has thought of is not protected"
    )
    reached = _reached(graph)
    known = [
        name
        for name in graph.of_kind("table")
        if any(
            graph.kinds[other] in ("identifier", "outside") and other in reached
            for other in graph.neighbours[name]
        )
    ]
    open_ones = [name for name in known if name not in found]
    if open_ones:
        alone = ""
        if analysis is not None:
            alone = (
                f"; by {', '.join(known)} together {analysis.of(known).alone:.1%} of records are"
            )
            alone += " unique"
        yield (
            f"{', '.join(open_ones)}: others can link this to a person, and it stays as it is"
            f"{alone}; without --graph-only, standing in one record with something sensitive is a "
            "link too"
        )


def _reached(graph: AttributeGraph) -> set[str]:
    seen = set(graph.of_kind("identifier"))
    queue = list(seen)
    for name in queue:
        if graph.kinds[name] == "sensitive":
            continue
        for other in graph.neighbours[name]:
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return seen


def data_edges(
    found: Sequence[Association], threshold: float, graph_kinds: Mapping[str, Kind]
) -> tuple[tuple[Edge, ...], tuple[str, ...]]:
    """The edges that data gives, and what is told instead of edges from identifiers.

    A dependence between an identifier and a sensitive attribute is told and not counted: of
    itself it would say that nothing can be protected.

    Arguments:
        found: how much attributes depend on each other, strongest first.
        threshold: the strength from which on a dependence is an edge, 0 to 1.
        graph_kinds: the kind of each attribute of the graph.
    """
    edges, notes = [], []
    for item in found:
        if item.strength < threshold:
            break
        kinds = {graph_kinds.get(item.one), graph_kinds.get(item.other)}
        if kinds == {"identifier", "sensitive"}:
            notes.append(
                f"{item.one} and {item.other} depend on each other in the data "
                f"({item.strength:.2f}): state a link if that is more than chance"
            )
        elif kinds not in ({"identifier"}, {"sensitive"}):
            edges.append(
                Edge(item.one, item.other, "dependence in the data", "data", item.strength)
            )
    return tuple(edges), tuple(notes)
