"""``indistinct quasi``: which columns are the quasi-identifiers, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from indistinct.cli.assess import bar
from indistinct.cli.options import (
    AsJson,
    Data,
    Encoding,
    Separator,
    Sheet,
    names,
    source_keys,
)
from indistinct.cli.terminal import (
    Progress,
    complain,
    console,
    many,
    print_json,
    print_table,
)
from indistinct.errors import InputError, OutputError, PolicyError, Problem

if TYPE_CHECKING:
    from indistinct.analytics.attribute_graph import AttributeGraph
    from indistinct.analytics.quasi_identifiers import QuasiIdentifiers

EDGES = 40
"""How many links are told on the screen."""

KINDS = {"table": "", "outside": " (outside)", "identifier": "", "sensitive": ""}


def quasi(
    data: Data,
    policy: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The policy: roles, links, derived_from and part_of. It may lack "
            "quasi-identifiers and promises.",
        ),
    ] = None,
    identifiers: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="Where ways begin, in place of the policy's; they need not be columns.",
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Where ways end, in place of the policy's."),
    ] = None,
    published: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Another table that is published: who has it links all its columns.",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Link columns that depend on each other in the data at least so much, too.",
        ),
    ] = None,
    rows: Annotated[
        bool,
        typer.Option("--rows", help="Standing in one record with something sensitive is a link."),
    ] = False,
    accept: Annotated[
        bool, typer.Option("--accept", help="Take what is proposed as stated.")
    ] = False,
    weights: Annotated[
        bool,
        typer.Option("--weights", help="Cutting a column costs its weight in the policy, not 1."),
    ] = False,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the graph, as .svg or .png.")
    ] = None,
    mermaid: Annotated[
        bool, typer.Option("--mermaid", help="Print the graph as Mermaid text, and nothing else.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace a picture that is there already.")
    ] = False,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Sheet = None,
    as_json: AsJson = False,
) -> None:
    """Find the quasi-identifiers of DATA: what stands between people and what harms them.

    Identifiers, sensitive columns and what links one to the other make a graph; the smallest sets
    of columns that cut all ways from identifiers to what is sensitive are the quasi-identifiers.
    """
    from indistinct import pipeline

    source = source_keys(separator, encoding, sheet)
    _check(policy, list(source), plot, mermaid, as_json, force)
    with Progress() as progress:
        found = pipeline.quasi(
            data,
            policy,
            identifiers=None if identifiers is None else names(identifiers),
            sensitive=None if sensitive is None else names(sensitive),
            published={path.name: path for path in published or ()},
            threshold=threshold,
            rows=rows,
            accept=accept,
            costs="weights" if weights else None,
            source=source,
            progress=progress,
        )
        if plot is not None:
            progress("drawing", None)
            _draw(found, plot)
    if as_json:
        print_json(found.to_dict())
    elif mermaid:
        typer.echo(found.mermaid(), nl=False)
    else:
        _show(found)
        if plot is not None:
            console().print(f"\n{plot} is drawn", soft_wrap=True)


def _check(
    policy: Path | None,
    source: list[str],
    plot: Path | None,
    mermaid: bool,
    as_json: bool,
    force: bool,
) -> None:
    problems = []
    if policy is not None and source:
        given = ", ".join(f"--{name}" for name in source)
        problems.append(
            Problem(
                "policy-and-options",
                f"{given} cannot be combined with --policy {policy}",
                remedy="leave one of them out",
            )
        )
    if mermaid and as_json:
        problems.append(Problem("two-outputs", "--mermaid and --json both ask for standard output"))
    if problems:
        raise PolicyError(problems)
    if plot is None:
        return
    if plot.suffix.lower() not in (".svg", ".png"):
        raise OutputError(
            Problem(
                "unknown-format",
                "a graph is drawn as .svg or .png",
                file=str(plot),
                remedy="name a file with one of these endings",
            )
        )
    if plot.exists() and not force:
        raise OutputError(
            Problem(
                "file-exists",
                "a file of that name is there already",
                file=str(plot),
                remedy="name another file, or replace it with --force",
            )
        )


def _draw(found: QuasiIdentifiers, path: Path) -> None:
    from indistinct.sources.writing import write_bytes, write_text

    picture = found.picture()
    if path.suffix.lower() == ".svg":
        write_text(path, picture.svg())
        return
    pixels = picture.png()
    if pixels is None:
        raise InputError(
            Problem(
                "missing-extra",
                "drawing a .png needs vl_convert",
                remedy="pip install 'indistinct[report]', or draw a .svg",
            )
        )
    write_bytes(path, pixels)


def _show(found: QuasiIdentifiers) -> None:
    screen = console()
    graph = found.graph
    ends = f"from {', '.join(graph.identifiers)} to {', '.join(graph.sensitive)}"
    screen.print(f"{found.table}: ways {ends}", style="bold", soft_wrap=True)
    _show_links(graph)
    if found.quasi_identifiers:
        screen.print("\nquasi-identifiers", style="bold")
        rows = [(item.attribute, _cut(item.cuts), item.text) for item in found.why]
        print_table(("column", "cut", "why"), rows)
    else:
        screen.print("\nno quasi-identifiers: no way leads to anything sensitive", style="bold")
        screen.print(
            "State what can be linked, as [[links]] of a policy. Or begin on the safe side: "
            "--accept takes what is proposed as stated, and --rows counts it as a link that a "
            "value stands beside something sensitive in one record.",
            soft_wrap=True,
            markup=False,
        )
    _show_cuts(found)
    _show_ranking(found)
    for note in found.notes:
        complain("note", note)
    _show_proposed(found)


def _show_links(graph: AttributeGraph) -> None:
    edges = graph.all_edges
    if not edges:
        console().print("nothing links any two attributes")
        return
    told = [edge for edge in edges if edge.origin != "row"]
    rows = [
        (f"{_end(graph, edge.one)} – {_end(graph, edge.other)}", edge.why) for edge in told[:EDGES]
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
    print_table(("link", "why"), rows)


def _end(graph: AttributeGraph, name: str) -> str:
    return name + KINDS[graph.kinds[name]]


def _show_cuts(found: QuasiIdentifiers) -> None:
    if not found.quasi_identifiers:
        return
    cuts = found.cuts
    lines = [
        ("nearest to identifiers", cuts.source_side),
        ("nearest to what is sensitive", cuts.sink_side),
        ("in any smallest cut", cuts.union),
        ("cuts all ways alone", cuts.single),
    ]
    lines += [
        (f"with {item.by} in place of {item.replaced}", item.cuts.union)
        for item in found.variants
        if item.cuts.union != cuts.union
    ]
    if found.anywhere is not None:
        lines.append(("if what is outside could be cut", found.anywhere.union))
    console().print()
    print_table(("cut", "columns"), [(what, ", ".join(those) or "none") for what, those in lines])


def _show_ranking(found: QuasiIdentifiers) -> None:
    if not found.ranking:
        return
    screen = console()
    screen.print("\nbeside other rankings", style="bold")
    rows = [
        (
            item.attribute,
            item.role.replace("-identifier", ""),
            "yes" if item.quasi_identifier else "",
            bar(item.leakage.normalized),
            f"{item.leakage.normalized:.0%}",
            f"{item.leakage.separation:.1%}",
            f"{item.leakage.distinction:.2%}",
        )
        for item in found.ranking
    ]
    head = ("column", "role", "found", "leaks", "", "separation", "distinction")
    print_table(head, rows, right=("", "separation", "distinction"))
    if not found.sets:
        return
    console().print()
    sets = [
        (
            item.what,
            ", ".join(item.leakage.attributes),
            f"{item.leakage.normalized:.0%}",
            f"{item.leakage.separation:.1%}",
            f"{item.leakage.distinction:.2%}",
        )
        for item in found.sets
    ]
    print_table(
        ("set", "columns", "leaks", "separation", "distinction"),
        sets,
        right=("leaks", "separation", "distinction"),
    )


def _show_proposed(found: QuasiIdentifiers) -> None:
    if not found.proposed:
        return
    screen = console()
    screen.print(
        "\nproposed, and not counted: add to the policy what is so, or count all with --accept",
        style="bold",
        soft_wrap=True,
    )
    for item in found.proposed:
        for line in item.toml.splitlines():
            screen.print(f"    {line}", soft_wrap=True)
        if item.key != "links":
            share = "" if item.share is None else f" ({item.share:.1%} of the records)"
            screen.print(f"    # {item.why}{share}", soft_wrap=True)
        screen.print("")


def _cut(cuts: tuple[str, ...]) -> str:
    words = {"source_side": "source", "sink_side": "sink", "single": "single"}
    said = [words[kind] for kind in cuts if kind in words]
    return ", ".join(said) or ("between" if cuts else "variant")
