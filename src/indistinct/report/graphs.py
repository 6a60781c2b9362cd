"""Graphs of attributes as pictures: identifiers on the left, sensitive attributes on the right.

A :class:`GraphPicture` is said in three ways: Mermaid text for a page of Markdown, SVG, and PNG
where the extra ``report`` is installed. Nothing here computes which attributes separate.
"""

from __future__ import annotations

from collections.abc import Mapping

from indistinct.analytics.leakage.attribute_graph import AttributeGraph, Edge, Kind
from indistinct.frozen import dataclass
from indistinct.report.drawing import INK, LINE, MUTED, Canvas, png, width_of

LOOKS = ("identifier", "quasi", "table", "outside", "sensitive")
FILL: Mapping[str, str] = {
    "identifier": "#e3e7ec",
    "quasi": "#c6e5ce",
    "table": "#ffffff",
    "outside": "#f6f2ea",
    "sensitive": "#f7dcd2",
}
EDGE: Mapping[str, str] = {
    "identifier": "#3c4a5a",
    "quasi": "#1f6b3a",
    "table": "#5f6b7a",
    "outside": "#c98a2b",
    "sensitive": "#b5502c",
}
WORDS: Mapping[str, str] = {
    "identifier": "identifier",
    "quasi": "quasi-identifier",
    "table": "in the table",
    "outside": "outside the table",
    "sensitive": "sensitive",
}

ALONE = 12
"""So many attributes without a link are named below the picture."""

_SIZE, _PAD, _TALL, _GAP, _STEP, _MARGIN = 12, 12, 30, 22, 92, 24


@dataclass(frozen=True)
class GraphPicture:
    """A graph of attributes, with those that separate marked."""

    title: str
    graph: AttributeGraph
    marked: tuple[str, ...] = ()

    def look(self, name: str) -> str:
        """How an attribute is drawn."""
        kind: Kind = self.graph.kinds[name]
        return "quasi" if name in self.marked else kind

    def mermaid(self) -> str:
        """The graph as a Mermaid flowchart."""
        names = list(self.graph.kinds)
        number = {name: f"n{at}" for at, name in enumerate(names)}
        said = ["flowchart LR"]
        for name in names:
            box = f'["{_mermaid(name)}"]'
            said.append(f"  {number[name]}{box}:::{self.look(name)}")
        for edge in self.graph.all_edges:
            arrow = "-.-" if edge.origin in ("data", "derived", "row", "known") else "---"
            label = f'|"{_mermaid(edge.why)}"|'
            said.append(f"  {number[edge.one]} {arrow}{label} {number[edge.other]}")
        for look in LOOKS:
            if any(self.look(name) == look for name in names):
                said.append(f"  classDef {look} fill:{FILL[look]},stroke:{EDGE[look]},color:{INK}")
        return "\n".join(said) + "\n"

    def svg(self) -> str:
        """The graph as an SVG picture."""
        return _drawn(self)

    def png(self, scale: float = 2.0) -> bytes | None:
        """The graph as a PNG picture; None where the extra ``report`` is not installed."""
        return png(self.svg(), scale)

    def _repr_svg_(self) -> str:
        return self.svg()


def _mermaid(text: str) -> str:
    return text.replace("&", "#amp;").replace('"', "#quot;").replace("<", "#lt;")


@dataclass(frozen=True)
class _Box:
    x: float
    y: float
    width: float


def _layers(graph: AttributeGraph) -> list[list[str]]:
    """The linked attributes by their distance from an identifier, the sensitive ones last."""
    linked = [name for name in graph.kinds if graph.neighbours[name]]
    goals = [name for name in linked if graph.kinds[name] == "sensitive"]
    depth = {name: 0 for name in linked if graph.kinds[name] == "identifier"}
    starts = list(depth)
    for queue in (starts, goals.copy()):
        for name in queue:
            for other in graph.neighbours[name]:
                if other not in depth and other not in goals:
                    depth[other] = depth.get(name, 0) + 1
                    queue.append(other)
    for name in linked:
        if name not in goals:
            depth.setdefault(name, 1)
    last = max(depth.values(), default=0) + 1
    depth |= dict.fromkeys(goals, last)
    layers = [[name for name in linked if depth[name] == at] for at in range(last + 1)]
    layers = [layer for layer in layers if layer]
    for _ in range(4):
        place = {name: at - len(layer) / 2 for layer in layers for at, name in enumerate(layer)}
        for layer in layers:
            mean = {
                name: sum(place[other] for other in graph.neighbours[name])
                / len(graph.neighbours[name])
                for name in layer
            }
            layer.sort(key=lambda name: mean[name])
            place |= {name: at - len(layer) / 2 for at, name in enumerate(layer)}
    return layers


def _drawn(picture: GraphPicture) -> str:
    graph = picture.graph
    layers = _layers(graph)
    alone = [name for name in graph.kinds if not graph.neighbours[name]]
    rows = max((len(layer) for layer in layers), default=0)
    tall = rows * (_TALL + _GAP)
    top = _MARGIN + 34
    boxes: dict[str, _Box] = {}
    x = float(_MARGIN)
    for layer in layers:
        wide = max(width_of(name, _SIZE, bold=True) for name in layer) + 2 * _PAD
        begin = top + (tall - len(layer) * (_TALL + _GAP)) / 2
        for at, name in enumerate(layer):
            boxes[name] = _Box(x, begin + at * (_TALL + _GAP), wide)
        x += wide + _STEP
    looks = [look for look in LOOKS if any(picture.look(name) == look for name in graph.kinds)]
    legend = sum(width_of(WORDS[look], 11) + 40 for look in looks)
    note = ""
    if alone:
        more = f" and {len(alone) - ALONE} more" if len(alone) > ALONE else ""
        note = f"without a link: {', '.join(alone[:ALONE])}{more}"
    width = max(
        x - _STEP,
        _MARGIN + width_of(picture.title, 14, bold=True),
        _MARGIN + legend,
        _MARGIN + width_of(note, 11),
    )
    bottom = top + tall
    canvas = Canvas(width + _MARGIN, bottom + (46 if note else 26), picture.title)
    canvas.text((_MARGIN, _MARGIN + 6), picture.title, size=14, bold=True)
    labels = []
    for edge in graph.all_edges:
        labels.append(_link(canvas, edge, boxes[edge.one], boxes[edge.other]))
    for label in labels:
        if label is not None:
            canvas.label(*label)
    for name, box in boxes.items():
        look = picture.look(name)
        wide_edge = 2.6 if look == "quasi" else 1.2
        canvas.box((box.x, box.y), (box.width, _TALL), (FILL[look], EDGE[look]), wide_edge)
        canvas.text(
            (box.x + box.width / 2, box.y + _TALL / 2 + 4),
            name,
            size=_SIZE,
            bold=look == "quasi",
            anchor="middle",
        )
    x = float(_MARGIN)
    for look in looks:
        canvas.box((x, bottom), (12, 12), (FILL[look], EDGE[look]), 1.2)
        canvas.text((x + 18, bottom + 10), WORDS[look], size=11, colour=MUTED)
        x += width_of(WORDS[look], 11) + 40
    if note:
        canvas.text((_MARGIN, bottom + 32), note, size=11, colour=MUTED)
    return canvas.svg()


def _link(canvas: Canvas, edge: Edge, one: _Box, other: _Box) -> tuple[float, float, str] | None:
    """Draw an edge; what stands on it and where, if anything."""
    if one.x > other.x:
        one, other = other, one
    y1, y2 = one.y + _TALL / 2, other.y + _TALL / 2
    dashed = edge.origin in ("data", "derived", "row", "known")
    colour = LINE if dashed else INK
    if one.x == other.x:
        x = one.x + one.width
        bend = x + 26
        points = [(x, y1), (bend, y1), (bend, y2), (x, y2)]
        at = (x + 20, (y1 + y2) / 2)
    else:
        x1, x2 = one.x + one.width, other.x
        half = (x1 + x2) / 2
        points = [(x1, y1), (half, y1), (half, y2), (x2, y2)]
        at = (half, (y1 + y2) / 2)
    canvas.curve(points, colour, dashed=dashed)
    if edge.origin == "data" and edge.strength is not None:
        return (*at, f"{edge.strength:.2f}")
    return None
