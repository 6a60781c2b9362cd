"""The chapter on attributes: roles, levels, and values before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from indistinct.document import Grid, Line, many, share, shown
from indistinct.recoding.styles import STYLES
from indistinct.report.chapters.evidence import VISITS, Evidence
from indistinct.report.page import Bars, Beside, Block, Chapter, Fold, Part, Strips, Tone
from indistinct.types import PlainMapping

MOST_OPEN = 40
"""Of more attributes, only those that others may know are listed openly."""

MOST_NAMED = 8
"""Nodes of a level that a report names in words."""


def chapter(found: Evidence) -> Chapter:
    """Roles, levels, and how values are distributed before and after."""
    own = {item["name"]: item for item in (found.private or {}).get("attributes", ())}
    there = {item["name"]: item for item in found.published["attributes"]}
    names = [*there, *(name for name in own if name not in there)]
    rows = {name: _attribute(name, own.get(name), there.get(name), found) for name in names}
    folds: dict[str, Part] = {}
    for name in names:
        drawn = tuple(_drawn(name, own.get(name, {})))
        if spreads := tuple(_spreads(name, own.get(name), there.get(name))):
            what = "hierarchy and values" if drawn else "values"
            folds[name] = Fold(f"{name}: {what}", (*drawn, Beside(spreads)))
    shown_first = names
    if len(names) > MOST_OPEN:
        shown_first = [name for name in names if rows[name][1] == "quasi-identifier"]
    parts = _listed(shown_first, rows, folds)
    if rest := [name for name in names if name not in shown_first]:
        others = "others" if shown_first else "attributes"
        parts = (*parts, Fold(f"{len(rest)} {others}", _listed(rest, rows, folds)))
    what = "Open an attribute to see how often each value occurs"
    what += "" if found.public else " and where in its hierarchy it is published"
    return Chapter(
        "attributes",
        "Attributes",
        f"{what}{'' if found.public else ', before and after'}. An attribute that others know and "
        "that is published as it is would be alarming; so is one that tells nothing any more.",
        parts,
    )


def _listed(
    names: Sequence[str],
    rows: Mapping[str, tuple[str, str, str]],
    folds: Mapping[str, Part],
) -> tuple[Part, ...]:
    """A table of these attributes, and what is drawn of each."""
    if not names:
        return ()
    grid = Grid(("attribute", "role", "published"), [rows[name] for name in names])
    return (grid, *(folds[name] for name in names if name in folds))


def _attribute(
    name: str, own: PlainMapping | None, there: PlainMapping | None, found: Evidence
) -> tuple[str, str, str]:
    role = own["role"] if own is not None else (there or {}).get("role", "")
    if there is None:
        return name, role, "left out"
    spread = there["spread"]
    distinct = spread["distinct"]
    many_values = "more values than are counted"
    said = [many_values if distinct is None else many(distinct, "value", "values")]
    told = found.certificate.get("transformed", {}).get(name)
    if told:
        said.append(told)
    plan = {} if found.run is None else found.run["plan"]
    height = None if own is None else own.get("height")
    if height is not None and name in plan.get("levels", {}):
        used = plan.get("levels_used", {}).get(name, [plan["levels"][name]] * 2)
        at = shown(used[0]) if used[0] == used[1] else f"{used[0]} to {used[1]}"
        said.append(f"level {at} of {height}")
    visits = found.of(VISITS) or {"levels": {}}
    if name in visits["levels"]:
        said.append(f"level {visits['levels'][name]} of {visits['heights'][name]}")
    if name in plan.get("cells", {}):
        style = plan["cells"][name]
        said.append(f"of each class {STYLES.get(style, style)}")
    if name in found.lost:
        said.append(f"only {found.lost[name]:.0%} of what it told is left")
    return name, role, "; ".join(said)


def _drawn(name: str, own: PlainMapping) -> Iterator[Part]:
    """The hierarchy with what is published of it, or cells that are at no level of it."""
    drawn = own.get("drawn") or {}
    if levels := drawn.get("levels"):
        yield _hierarchy(f"The hierarchy of {name}, and what is published of it", levels)
        yield Line("A node is as wide as its share of the records; the bar shows how many of them "
                   "are published as it. Everything in the first line would be alarming: the "
                   "attribute then tells nothing.")  # fmt: skip
    elif cells := drawn.get("cells"):
        strips = [(share(part), [Block(text, low, high, 1.0)]) for text, part, low, high in cells]
        rows = [(text, share(part)) for text, part, _, _ in cells]
        grid = Grid(("cell", "records"), rows, right=("records",))
        yield Strips(f"The most frequent cells of {name}, over its values", strips, grid)
        yield Line("Every class has a cell of its own; values are as wide as their records. Cells "
                   "across everything would be alarming: they tell nothing.")  # fmt: skip


def _hierarchy(caption: str, levels: Sequence[Sequence[tuple[str, float, float]]]) -> Strips:
    """The root first, the leaves last."""
    strips, rows = [], []
    for at, nodes in reversed([*enumerate(levels)]):
        ends = [0.0, *accumulate(wide for _, wide, _ in nodes)]
        blocks = [
            Block(label, ends[place], ends[place + 1], on)
            for place, (label, _, on) in enumerate(nodes)
        ]
        there = share(min(sum(wide * on for _, wide, on in nodes), 1.0))
        strips.append((f"level {at}: {there}", blocks))
        more = f" and {len(nodes) - MOST_NAMED} more" if len(nodes) > MOST_NAMED else ""
        rows.append((str(at), ", ".join(node[0] for node in nodes[:MOST_NAMED]) + more, there))
    head = ("level", "nodes", "records published there")
    return Strips(caption, strips, Grid(head, rows, right=head[2:]))


def _spreads(name: str, own: PlainMapping | None, there: PlainMapping | None) -> Iterator[Part]:
    both: list[tuple[str, Tone, PlainMapping | None]] = [
        ("before", "before", None if own is None else own.get("before")),
        ("in the release", "after", None if there is None else there["spread"]),
    ]
    for when, tone, spread in both:
        if spread is None or not spread["bars"]:
            continue
        rows = [(str(label), part, share(part)) for label, part in spread["bars"]]
        for what, part in (("missing", spread["missing"]), ("all others", spread["rest"])):
            if part:
                rows.append((f"({what})", part, share(part)))
        more = many(spread["distinct"], "value", "values")
        yield Bars(f"{name}, {when}: {more}", ("value", "share of the records"), rows, tone)
