"""Trees as pictures: what a search went through, and what a value may be published as.

A :class:`Tree` is laid out once and said in three ways: Mermaid text for a page of Markdown, SVG,
and PNG where the extra ``report`` is installed. Nothing here computes anything about a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from indistinct import Taxonomy
from indistinct.recoding.subtree.search import SearchResult, Step
from indistinct.report.drawing import INK, LINE, MUTED, png, width_of
from indistinct_reproductions.drawing import Canvas

Kind = Literal["plain", "open", "good", "chosen"]

FILL: Mapping[Kind, str] = {
    "plain": "#ffffff",
    "open": "#fdf1dc",
    "good": "#e3f1e6",
    "chosen": "#c6e5ce",
}
EDGE: Mapping[Kind, str] = {
    "plain": "#5f6b7a",
    "open": "#c98a2b",
    "good": "#4f9463",
    "chosen": "#1f6b3a",
}
BADGE = "#274c77"

SIBLINGS = 4
"""Leaves under one node that are drawn one by one; of more, the first and the last are named."""

SIZE = 12
LINE_HEIGHT = 16
PAD = 9
GAP = 14
MARGIN = 22


@dataclass(frozen=True)
class Node:
    """One box: its lines (the first is its name), where it hangs, and what is marked about it."""

    lines: tuple[str, ...]
    parent: int | None = None
    edge: str = ""
    kind: Kind = "plain"
    badge: str = ""


@dataclass(frozen=True)
class Tree:
    """Boxes that hang on boxes; the first is the root, parents stand before their children.

    ``direction`` is where children are drawn: ``down`` for small trees, ``right`` for wide ones.
    ``legend`` says what the colours mean.
    """

    title: str
    nodes: tuple[Node, ...]
    direction: Literal["down", "right"] = "down"
    legend: Mapping[Kind, str] = field(default_factory=dict)
    note: str = ""

    def mermaid(self) -> str:
        """The tree as a Mermaid flowchart."""
        said = [f"flowchart {'TD' if self.direction == 'down' else 'LR'}"]
        for at, node in enumerate(self.nodes):
            lines = [*node.lines, f"expanded {node.badge}"] if node.badge else list(node.lines)
            box = f'n{at}["{"<br/>".join(_mermaid(line) for line in lines)}"]'
            if node.parent is None:
                said.append(f"  {box}:::{node.kind}")
            else:
                edge = f'-- "{_mermaid(node.edge)}" -->' if node.edge else "-->"
                said.append(f"  n{node.parent} {edge} {box}:::{node.kind}")
        for kind in dict.fromkeys(node.kind for node in self.nodes):
            wide = ",stroke-width:3px" if kind == "chosen" else ""
            said.append(
                f"  classDef {kind} fill:{FILL[kind]},stroke:{EDGE[kind]},color:{INK}{wide}"
            )
        return "\n".join(said) + "\n"

    def svg(self) -> str:
        """The tree as an SVG picture."""
        return _drawn(self)

    def png(self, scale: float = 2.0) -> bytes | None:
        """The tree as a PNG picture; None where the extra ``report`` is not installed."""
        return png(self.svg(), scale)


def search_tree(
    result: SearchResult,
    title: str,
    *,
    name: Callable[[Step], str] | None = None,
    short: bool = False,
    direction: Literal["down", "right"] = "down",
    note: str = "",
) -> Tree:
    """What a search went through: every table once, below the table it was first made from.

    Arguments:
        result: what the search returned.
        title: said above the picture.
        name: what a table is called (T, T1, T2, ... as they were made).
        short: one line per box, ``T5 (0, 21)``, for trees of many tables.
        direction: where children are drawn.
        note: said below the picture.
    """
    called = name or (lambda step: f"T{step.number}" if step.number else "T")
    nodes = []
    for step in result.steps:
        chosen = step.number == result.chosen.number
        kind: Kind = "chosen" if chosen else "good" if step.satisfies else "open"
        pair = f"({step.violations}, {step.rows})"
        lines = (
            (f"{called(step)}  {pair}",)
            if short
            else (called(step), f"{step.violations} violating", f"{step.rows} rows")
        )
        nodes.append(
            Node(
                lines=(*lines, "chosen") if chosen and not short else lines,
                parent=step.parent,
                edge="" if short else (step.generalized or ""),
                kind=kind,
                badge=str(step.expanded) if step.expanded is not None else "",
            )
        )
    legend: dict[Kind, str] = {
        "open": "violates the requirement",
        "good": "satisfies it",
        "chosen": "chosen",
    }
    pairs = "(violating rows, rows); " if short else ""
    return Tree(
        title,
        tuple(nodes),
        direction,
        legend,
        note or f"{pairs}the number at a corner is the order in which tables were expanded",
    )


def taxonomy_tree(
    taxonomies: Sequence[Taxonomy], title: str, *, siblings: int = SIBLINGS, note: str = ""
) -> list[Tree]:
    """One picture per hierarchy; of many leaves under one node the first and the last are named."""
    return [
        Tree(f"{title}: {taxonomy.attribute}", _taxonomy_nodes(taxonomy, siblings), note=note)
        for taxonomy in taxonomies
    ]


def _taxonomy_nodes(taxonomy: Taxonomy, siblings: int) -> tuple[Node, ...]:
    parent: dict[str, str | None] = {}
    for chain in taxonomy.chains:
        path = [_shown(label) for label in dict.fromkeys(chain)]
        for below, upper in pairwise(path):
            parent.setdefault(below, upper)
        parent.setdefault(path[-1], None)
    children: dict[str | None, list[str]] = {}
    for label, above in parent.items():
        children.setdefault(above, []).append(label)
    nodes: list[Node] = []

    def add(labels: Iterable[str], at: int | None) -> None:
        labels = sorted(labels, key=_order)
        leaves = [label for label in labels if label not in children]
        if len(leaves) > siblings and len(leaves) == len(labels):
            lines = (f"{leaves[0]} … {leaves[-1]}", f"{len(leaves)} values")
            nodes.append(Node(lines, at))
            return
        shown, rest = labels, 0
        if len(labels) > 2 * siblings:
            shown, rest = labels[:siblings], len(labels) - siblings
        for label in shown:
            nodes.append(Node((label,), at))
            add(children.get(label, ()), len(nodes) - 1)
        if rest:
            nodes.append(Node((f"… {labels[-1]}", f"{rest} more"), at))

    add(children.get(None, ()), None)
    return tuple(nodes)


def _order(label: str) -> tuple[int, float, str]:
    start = label.lstrip("[").split("-")[0].split("–")[0]
    return (0, float(start), label) if start.isdigit() else (1, 0.0, "")


def _shown(label: str | None) -> str:
    return "missing" if label is None else label


def _mermaid(text: str) -> str:
    return text.replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;")


# -------- Layout --------


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float
    height: float


def _boxes(tree: Tree) -> list[_Box]:
    """Leaves side by side in their order, every parent above the middle of its children."""
    children: dict[int, list[int]] = {}
    depth = [0] * len(tree.nodes)
    for at, node in enumerate(tree.nodes):
        if node.parent is not None:
            children.setdefault(node.parent, []).append(at)
            depth[at] = depth[node.parent] + 1
    down = tree.direction == "down"
    size = [_size(node) for node in tree.nodes]
    levels = max(depth) + 1
    # The extent of a level along the way down, and of every box across it.
    along = [
        max(size[at][1 if down else 0] for at in range(len(size)) if depth[at] == level)
        for level in range(levels)
    ]
    labelled = any(node.edge for node in tree.nodes)
    step = (46 if labelled else 26) if down else 34
    starts = [sum(along[:level]) + step * level for level in range(levels)]
    across = [extent[0 if down else 1] for extent in size]
    gap = GAP if down else 7
    place = [0.0] * len(size)
    free = 0.0

    def settle(at: int) -> None:
        nonlocal free
        below = children.get(at, [])
        if not below:
            place[at] = free
            free += across[at] + gap
            return
        begin = free
        for child in below:
            settle(child)
        first, last = below[0], below[-1]
        middle = (place[first] + place[last] + across[last]) / 2
        place[at] = middle - across[at] / 2
        if place[at] < begin:
            shift = begin - place[at]
            for inside in _all_below(at, children):
                place[inside] += shift
            place[at] = begin
            free += shift
        free = max(free, place[at] + across[at] + gap)

    for at, node in enumerate(tree.nodes):
        if node.parent is None:
            settle(at)
    found = []
    for at, (width, height) in enumerate(size):
        if down:
            found.append(_Box(place[at], starts[depth[at]], width, height))
        else:
            found.append(_Box(starts[depth[at]], place[at], along[depth[at]], height))
    return found


def _all_below(at: int, children: Mapping[int, Sequence[int]]) -> list[int]:
    found: list[int] = []
    stack = list(children.get(at, ()))
    while stack:
        found.append(stack.pop())
        stack += children.get(found[-1], ())
    return found


def _size(node: Node) -> tuple[float, float]:
    widest = max(width_of(line, SIZE, bold=at == 0) for at, line in enumerate(node.lines))
    return max(widest + 2 * PAD, 34.0), len(node.lines) * LINE_HEIGHT + 2 * PAD - 4


def _drawn(tree: Tree) -> str:
    boxes = _boxes(tree)
    left, top = MARGIN, MARGIN + 30
    boxes = [replace(box, x=box.x + left, y=box.y + top) for box in boxes]
    bottom = max(box.y + box.height for box in boxes)
    used = {node.kind for node in tree.nodes}
    legend = [(kind, text) for kind, text in tree.legend.items() if kind in used]
    legend_width = sum(width_of(text, 11) + 34 for _, text in legend)
    width = (
        max(
            max(box.x + box.width for box in boxes) - left,
            width_of(tree.title, 14, bold=True),
            width_of(tree.note, 11),
            legend_width,
        )
        + 2 * MARGIN
    )
    drawn = [
        max(box.x + box.width for box in boxes) + left,
    ]
    shift = max((width - drawn[0]) / 2, 0) if tree.direction == "down" else 0
    boxes = [replace(box, x=box.x + shift) for box in boxes]
    height = bottom + MARGIN + (26 if legend else 0) + (20 if tree.note else 0)
    canvas = Canvas(width, height, tree.title)
    canvas.text((MARGIN, MARGIN + 6), tree.title, size=14, bold=True)
    for node, box in zip(tree.nodes, boxes, strict=True):
        if node.parent is not None:
            _link(canvas, tree, node, boxes[node.parent], box)
    for node, box in zip(tree.nodes, boxes, strict=True):
        wide = 2.6 if node.kind == "chosen" else 1.2
        canvas.box(
            (box.x, box.y), (box.width, box.height), (FILL[node.kind], EDGE[node.kind]), wide
        )
        for line, text in enumerate(node.lines):
            canvas.text(
                (box.x + box.width / 2, box.y + PAD + 9 + line * LINE_HEIGHT),
                text,
                size=SIZE,
                bold=line == 0,
                anchor="middle",
            )
        if node.badge:
            canvas.badge(box.x, box.y, node.badge, BADGE)
    y = bottom + MARGIN + 8
    x = float(MARGIN)
    for kind, text in legend:
        canvas.box(
            (x, y - 10), (14, 12), (FILL[kind], EDGE[kind]), 2.2 if kind == "chosen" else 1.2
        )
        canvas.text((x + 20, y), text, size=11)
        x += width_of(text, 11) + 34
    if tree.note:
        canvas.text((MARGIN, y + (20 if legend else 0)), tree.note, size=11, colour=MUTED)
    return canvas.svg()


def _link(canvas: Canvas, tree: Tree, node: Node, above: _Box, box: _Box) -> None:
    if tree.direction == "down":
        x1, y1 = above.x + above.width / 2, above.y + above.height
        x2, y2 = box.x + box.width / 2, box.y
        end = y2 - 24 if node.edge else y2
        half = (end - y1) / 2
        canvas.curve([(x1, y1), (x1, y1 + half), (x2, end - half), (x2, end)], LINE)
        if node.edge:
            canvas.line(x2, end, x2, y2)
            canvas.label(x2, y2 - 13, node.edge)
        return
    x1, y1 = above.x + above.width, above.y + above.height / 2
    x2, y2 = box.x, box.y + box.height / 2
    half = (x2 - x1) / 2
    canvas.curve([(x1, y1), (x1 + half, y1), (x2 - half, y2), (x2, y2)], LINE)
    if node.edge:
        canvas.label((x1 + x2) / 2, y2, node.edge)
