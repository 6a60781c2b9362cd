"""The verb *quasi*: which attributes are the quasi-identifiers, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from indistinct.analytics.leakage.attribute_graph import (
    AttributeGraph,
    Derivation,
    Edge,
    edges_between,
)
from indistinct.analytics.leakage.derivations import SAMPLE, Proposal, recognise
from indistinct.analytics.leakage.encoded import encode
from indistinct.analytics.leakage.quasi_identifiers import (
    QuasiIdentifiers,
    data_edges,
    dependent,
    discover,
)
from indistinct.analytics.profile.columns import profile
from indistinct.analytics.profile.described import Profile
from indistinct.errors import (
    PolicyError,
    Problems,
    UncertainNames,
    did_you_mean,
    refuse,
    shown_names,
)
from indistinct.intake.opening import (
    PolicyLike,
    Progress,
    as_policy,
    names_of,
    no_progress,
    open_source,
    plain_table,
    read_as,
)
from indistinct.policy import Link
from indistinct.policy.policy import links_of
from indistinct.sources.engines import emptied, open_table
from indistinct.sources.files import read_table
from indistinct.sources.table import Table
from indistinct.types import Frame, PlainMapping

if TYPE_CHECKING:
    from indistinct.policy import Policy


SOMEBODY = "(somebody)"
"""Where paths start if the table has no identifier."""


_USUAL = {
    True: f"no column is an identifier: paths start at {SOMEBODY}, from what others usually know",
    False: "no link to an identifier is stated, so what others usually know counts as one: state "
    "links to decide",
}


def quasi(  # noqa: PLR0913, what its user may say
    data: Frame,
    policy: PolicyLike | None = None,
    *,
    identifiers: Sequence[str] | str | None = None,
    sensitive: Sequence[str] | str | None = None,
    links: Iterable[Link | PlainMapping] | None = None,
    published: PlainMapping | None = None,
    threshold: float | None = None,
    rows: bool = True,
    accept: bool = False,
    costs: Mapping[str, float] | Literal["weights"] | None = None,
    path: str | Path | None = None,
    source: PlainMapping | None = None,
    progress: Progress | None = None,
) -> QuasiIdentifiers:
    """The attributes between identifiers and sensitive attributes, and why.

    Arguments:
        data: a frame (Polars, pandas, PyArrow, DuckDB, PySpark) or the path of a file. It is not
            changed.
        policy: the policy, its keys, or its file: roles, links, what is derived from what. It may
            lack quasi-identifiers and promises. Without it, roles are suggested.
        identifiers: where paths begin, instead of the policy's; they need not be columns.
        sensitive: where paths end, instead of the policy's.
        links: further links, in addition to the policy's: ``{"from": "name", "to": "postcode",
            "source": "register"}``. An end that is not a column is outside the table.
        published: other published tables by name: the names of their columns, a frame, or the path
            of a file. Anyone who has such a table links all its columns.
        threshold: also link attributes that depend on each other at least so much: Cramér's V or
            mutual information, from 0 to 1, corrected for chance.
        rows: link every column to the sensitive attributes of its record; then everything that can
            be linked to a person is a quasi-identifier. If no link to an identifier is stated, what
            others usually know counts. False: only the stated links count; what nobody thought of
            is not protected.
        accept: count the proposed links too. By default they are only reported.
        costs: the cost of cutting a column, by default 1; ``weights`` takes those of the policy.
        path: the file that a frame was read from, for messages.
        source: how a file is read, ``{"separator": ";"}``, where there is no policy.
        progress: a function that gets the stage and the share done.

    Raises:
        DataError: the table cannot be read.
        PolicyError: the policy does not fit the table, or there is no identifier or nothing
            sensitive.
        Unsatisfiable: a sensitive attribute can be linked to an identifier without any column of
            the table on the way.
    """
    tell = progress or no_progress
    if threshold is not None and not 0 < threshold <= 1:
        raise PolicyError("bad-value", f"threshold must be in (0, 1], not {threshold:g}")
    tell("reading", None)
    policy = None if policy is None else as_policy(policy, draft=True)
    how = read_as(policy, source)
    if policy is None:
        table = plain_table(data, how, path)
    else:
        table, _ = open_source(data, policy, path, scanned=True)
    tell("looking at the columns", None)
    looked = profile(table)
    roles = _roles(policy, looked, table)
    starts = _named(roles, "identifier", identifiers)
    goals = _named(roles, "sensitive", sensitive)
    nobody = not starts and rows and not accept
    if nobody:
        starts = [SOMEBODY]
    stated = (*links_of(links or ()), *(policy.links if policy is not None else ()))
    edges = (
        *(Edge(*pair, link.source) for link in stated for pair in link.pairs()),
        *_published(published or {}),
    )
    derivations = _derivations(policy)
    notes = [] if policy is not None else ["roles are suggested ones: state them in a policy"]
    tell("looking for what follows from what", None)
    proposed = _proposed(table, looked, starts, roles, edges, derivations)
    if (
        rows
        and not accept
        and not {end for edge in edges for end in (edge.one, edge.other)} & set(starts)
    ):
        if not nobody:
            _require_ends(table, starts, goals, edges, (), accept=False)
        usual = tuple(_accepted(proposed))
        starts = starts if usual or not nobody else []
        proposed = tuple(item for item in proposed if item.key != "links")
        edges += usual
        notes += [_USUAL[nobody]] * bool(usual)
    if accept:
        edges += tuple(_accepted(proposed))
        derivations += tuple(item.derivation for item in proposed if item.derivation is not None)
        if proposed:
            notes.append("what is proposed is taken as stated")
    _require_ends(table, starts, goals, edges, starts if identifiers else (), accept=accept)
    # An identifier that no way begins at is not published, and so not there to be cut.
    others = tuple(
        name
        for name in table.columns
        if name not in (*starts, *goals) and roles[name] != "identifier"
    )
    if rows:
        edges += tuple(Edge(*pair, "in one record", "row") for pair in product(others, goals))
    graph = AttributeGraph(
        tuple(starts), tuple(goals), others, edges, derivations, _costs(costs, policy, others)
    )
    analysis = None
    if others:
        tell("counting", None)
        counted = table.columns if threshold is not None else others
        table = emptied(table, [name for name in table.columns if name not in counted])
        encoded = encode(table, counted)
        analysis = encoded.analysis.among(others)
        if threshold is not None:
            tell("measuring dependence", None)
            tokens = {item.attribute: list(item.missing_tokens) for item in looked.attributes}
            found = dependent(encoded, table.kinds, lambda name: tokens[name], starts)
            more, told = data_edges(found, threshold, graph.kinds)
            notes += told
            graph = replace(graph, edges=(*edges, *more))
    tell("looking for cuts", None)
    graph = graph.with_known_columns() if rows else graph
    answer = discover(graph, analysis=analysis, roles=roles, graph_only=not rows)
    return replace(
        answer,
        proposed=() if accept else tuple(proposed),
        notes=(*notes, *answer.notes),
        table=table.name,
        threshold=threshold,
    )


def _roles(policy: Policy | None, looked: Profile, table: Table) -> dict[str, str]:
    if policy is not None:
        return {name: policy.attributes[name].role for name in table.columns}
    return {item.attribute: item.role for item in looked.attributes}


def _named(roles: dict[str, str], role: str, given: Sequence[str] | str | None) -> list[str]:
    """The attributes of that role, or those that are given in the place of all of them."""
    if given is None:
        return [name for name, own in roles.items() if own == role]
    named = names_of(given)
    roles |= {name: role for name in named if name in roles}
    return list(dict.fromkeys(named))


def _published(tables: PlainMapping) -> Iterator[Edge]:
    for name, given in tables.items():
        if isinstance(given, str | Path):
            columns = read_table(given).columns
        elif isinstance(given, Sequence):
            columns = list(given)
        else:
            columns = list(open_table(given, name, allow_empty=True).columns)
        yield from edges_between(columns, name)


def _derivations(policy: Policy | None) -> tuple[Derivation, ...]:
    found = []
    for name, item in policy.attributes.items() if policy is not None else ():
        found += [Derivation(base, name, "derived_from") for base in item.derived_from]
        found += [Derivation(base, name, "part_of") for base in item.part_of]
    return tuple(found)


def _costs(
    given: Mapping[str, float] | str | None, policy: Policy | None, columns: Sequence[str]
) -> dict[str, float]:
    if given == "weights":
        if policy is None:
            remedy = "give the policy (--policy), or leave the weights out"
            raise PolicyError("no-policy", "weights stand in a policy", remedy=remedy)
        # Columns that nothing was said of yet have weights as well: roles are what is looked for.
        weights = {name: policy.attributes[name].weight for name in columns}
        return weights | {
            name: weight for name, weight in policy.weights.items() if name in weights
        }
    if given is not None and not isinstance(given, Mapping):
        remedy = 'write "weights", or a number for each column: {"age": 3}'
        raise PolicyError("bad-cost", f"costs cannot be {given!r}", remedy=remedy)
    return dict(given or {})


def _accepted(proposed: Iterable[Proposal]) -> Iterator[Edge]:
    for item in proposed:
        if item.key == "links":
            yield Edge(item.of, item.attribute, item.why)


def _require_ends(
    table: Table,
    starts: Sequence[str],
    goals: Sequence[str],
    edges: Iterable[Edge],
    given: Sequence[str],
    *,
    accept: bool,
) -> None:
    """Raise unless there are identifiers and sensitive attributes, all of them known names."""
    ends = dict.fromkeys(name for edge in edges for name in (edge.one, edge.other))
    columns = shown_names(table.columns, (*starts, *goals))
    known = (*columns, *ends)
    shown = columns if isinstance(columns, UncertainNames) else known
    problems = Problems()
    if not starts:
        problems.add(
            "no-identifier",
            "no identifier: paths to sensitive attributes need a start",
            remedy="name one (--identifiers name); with --accept it need not be a column",
        )
    if not goals:
        problems.add(
            "no-sensitive",
            "nothing is sensitive: paths from identifiers need an end",
            remedy='give a column role = "sensitive", or name it (--sensitive diagnosis)',
        )
    for name in (*starts, *goals):
        if name in known or (accept and name in given):
            continue
        problems.add(
            "unknown-attribute",
            f"'{name}' is not a column, and no link leads to it: {did_you_mean(name, shown)}",
        )
    refuse(PolicyError, problems)


def _proposed(
    table: Table,
    looked: Profile,
    starts: Sequence[str],
    roles: Mapping[str, str],
    edges: Sequence[Edge],
    derivations: Sequence[Derivation],
) -> tuple[Proposal, ...]:
    """What data and names suggest, without what is stated already."""
    told = {(item.base, item.attribute) for item in derivations}
    found = [
        item
        for item in recognise(table.sample(table.columns, SAMPLE), table.kinds, identifiers=starts)
        if not {(item.of, item.attribute), (item.attribute, item.of)} & told
    ]
    return (*found, *_known_to_others(looked, starts, roles, edges))


def _known_to_others(
    looked: Profile, starts: Sequence[str], roles: Mapping[str, str], edges: Sequence[Edge]
) -> Iterator[Proposal]:
    """Links to columns of which the name, the values or the policy say that others know them."""
    if not starts:
        return
    names = [
        item
        for item in looked.attributes
        if item.attribute in starts and any(tag.kind.name == "names" for tag in item.tags)
    ]
    start = max(names, key=lambda item: item.distinct).attribute if names else starts[0]
    linked = {
        name
        for edge in edges
        for name in (edge.one, edge.other)
        if {edge.one, edge.other} & set(starts)
    }
    for item in looked.attributes:
        name = item.attribute
        if name in linked or roles[name] in ("identifier", "sensitive"):
            continue
        if item.role == "quasi-identifier":
            yield Proposal("links", name, start, item.reasons[0].split(": ")[-1])
        elif roles[name] == "quasi-identifier":
            yield Proposal("links", name, start, "the policy calls it a quasi-identifier")
