"""Nets as pictures: places are round, transitions are boxes.

Arcs go from what is taken to what is given; what is only read is joined by a broken line.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from indistinct.report.drawing import INK, LINE, MUTED, png, width_of
from indistinct_reproductions.drawing import Canvas
from indistinct_reproductions.nets import Net, Reached
from indistinct_reproductions.reproduction import Ledger

LOOKS: Mapping[str, tuple[str, str]] = {
    "place": ("#ffffff", "#5f6b7a"),
    "begins": ("#e3e7ec", "#3c4a5a"),
    "fires": ("#c6e5ce", "#1f6b3a"),
    "never": ("#fdf1dc", "#c98a2b"),
}
WORDS: Mapping[str, str] = {
    "place": "place",
    "begins": "place with tokens at the beginning",
    "fires": "transition that fires",
    "never": "transition that never fires",
}

READS = "#c3cbd4"

_SIZE, _PAD, _TALL, _GAP, _STEP, _MARGIN = 11, 10, 26, 14, 54, 24


@dataclass(frozen=True)
class NetPicture:
    """A net, and what of it can happen.

    Arguments:
        title: said above the picture.
        net: the net.
        reached: all its markings from one on.
        note: said below the picture.
    """

    title: str
    net: Net
    reached: Reached
    note: str = ""

    @property
    def begins(self) -> list[str]:
        """The places with tokens at the beginning."""
        return [one.name for one in self.net.places if self.reached.start.tokens(one.name)]

    def look(self, name: str) -> str:
        """How a place or a transition is drawn."""
        if name in self.names[: len(self.net.places)]:
            return "begins" if name in self.begins else "place"
        return "fires" if name in self.reached.fired else "never"

    @property
    def arcs(self) -> dict[tuple[str, str], bool]:
        """Every arc, from and to, and whether it only reads."""
        only = {
            (place, part.name)
            for part in self.net.transitions
            for place in {*part.reads.values()} - {*part.takes.values()}
        }
        return {arc: arc in only for arc in self.net.flow}

    @property
    def names(self) -> tuple[str, ...]:
        """Places, then transitions."""
        places = tuple(part.name for part in self.net.places)
        return (*places, *(part.name for part in self.net.transitions))

    def mermaid(self) -> str:
        """The net as a Mermaid flowchart."""
        number = {name: f"n{at}" for at, name in enumerate(self.names)}
        said = ["flowchart LR"]
        for name in self.names:
            look, text = self.look(name), name.replace('"', "#quot;")
            box = f'(["{text}"])' if look in ("place", "begins") else f'["{text}"]'
            said.append(f"  {number[name]}{box}:::{look}")
        for (one, other), reads in self.arcs.items():
            said.append(f"  {number[one]} {'-.->' if reads else '-->'} {number[other]}")
        for look, (fill, edge) in LOOKS.items():
            said.append(f"  classDef {look} fill:{fill},stroke:{edge},color:{INK}")
        return "\n".join(said) + "\n"

    def svg(self) -> str:
        """The net as an SVG picture."""
        return _drawn(self)

    def png(self, scale: float = 2.0) -> bytes | None:
        """The net as a PNG picture; None where the extra ``report`` is not installed."""
        return png(self.svg(), scale)


def _depths(picture: NetPicture) -> dict[str, int]:
    """How many arcs everything is from the beginning: a transition lies behind all it needs."""
    depth = dict.fromkeys(picture.begins, 0)
    waiting = list(picture.net.transitions)
    needs = {part.name: {*part.takes.values(), *part.reads.values()} for part in waiting}
    while ready := [part for part in waiting if needs[part.name] <= depth.keys()]:
        for part in ready:
            depth[part.name] = 1 + max(depth[place] for place in needs[part.name])
        for part in ready:
            for place in part.gives:
                depth.setdefault(place, depth[part.name] + 1)
        waiting = [part for part in waiting if part not in ready]
    return depth


@dataclass(frozen=True)
class _Layout:
    """Where everything stands: points that long arcs pass stand between places and transitions.

    Arguments:
        boxes: left, top and width of every place and transition; of points, of no width.
        chains: for every arc what it passes, its ends included.
    """

    boxes: Mapping[str, tuple[float, float, float]]
    chains: Mapping[tuple[str, str], tuple[str, ...]]


def _layers(picture: NetPicture) -> tuple[list[list[str]], dict[tuple[str, str], tuple[str, ...]]]:
    """Names by their depth, in an order in which few arcs cross, and what every arc passes."""
    depth = _depths(picture)
    last = max(depth.values(), default=0)
    layers: list[list[str]] = [[] for _ in range(last + 1)]
    for name in picture.names:
        layers[depth.setdefault(name, last)].append(name)
    chains: dict[tuple[str, str], tuple[str, ...]] = {}
    beside: dict[str, list[str]] = {}
    for at, (one, other) in enumerate(picture.arcs):
        step = 1 if depth[one] < depth[other] else -1
        points = []
        for level in range(depth[one] + step, depth[other], step):
            points.append(f"\0{at} {level}")
            layers[level].append(points[-1])
        chain = chains[one, other] = (one, *points, other)
        for part, following in itertools.pairwise(chain):
            beside.setdefault(part, []).append(following)
            beside.setdefault(following, []).append(part)
    for _ in range(8):
        place = {name: at - len(layer) / 2 for layer in layers for at, name in enumerate(layer)}
        for layer in layers:
            mean = {
                name: sum(place[o] for o in beside.get(name, [name]))
                / len(beside.get(name, [name]))
                for name in layer
            }
            layer.sort(key=lambda name: mean[name])
            place |= {name: at - len(layer) / 2 for at, name in enumerate(layer)}
    return layers, chains


def _tall(name: str) -> float:
    return 4.0 if name.startswith("\0") else float(_TALL)


def _laid_out(picture: NetPicture) -> tuple[_Layout, float, float]:
    """Where everything stands, and how wide and how high that is."""
    layers, chains = _layers(picture)
    heights = [sum(_tall(name) + _GAP for name in layer) for layer in layers]
    boxes: dict[str, tuple[float, float, float]] = {}
    x = float(_MARGIN)
    for layer, height in zip(layers, heights, strict=True):
        wide = max((width_of(n, _SIZE) for n in layer if n[0] != "\0"), default=0.0) + 2 * _PAD
        y = _MARGIN + 34 + (max(heights) - height) / 2
        for name in layer:
            boxes[name] = (x, y, wide)
            y += _tall(name) + _GAP
        x += wide + _STEP
    return _Layout(boxes, chains), x - _STEP, max(heights)


def _drawn(picture: NetPicture) -> str:
    layout, right, tall = _laid_out(picture)
    looks = [look for look in LOOKS if any(picture.look(name) == look for name in picture.names)]
    widest = max(
        right,
        _MARGIN + width_of(picture.title, 14, bold=True),
        _MARGIN + sum(width_of(WORDS[look], 11) + 40 for look in looks),
        _MARGIN + width_of(picture.note, 11),
    )
    bottom = _MARGIN + 34 + tall
    canvas = Canvas(widest + _MARGIN, bottom + (66 if picture.note else 46), picture.title)
    canvas.text((_MARGIN, _MARGIN + 6), picture.title, size=14, bold=True)
    for arc, reads in picture.arcs.items():
        _arc(canvas, layout, layout.chains[arc], reads)
    for name in picture.names:
        left, up, wide = layout.boxes[name]
        if picture.look(name) in ("place", "begins"):
            canvas.pill(left, up, (wide, _TALL), *LOOKS[picture.look(name)])
        else:
            canvas.box((left, up), (wide, _TALL), LOOKS[picture.look(name)], 1.2)
        canvas.text((left + wide / 2, up + _TALL / 2 + 4), name, size=_SIZE, anchor="middle")
    x = float(_MARGIN)
    for look in looks:
        canvas.box((x, bottom + 18), (12, 12), LOOKS[look], 1.2)
        canvas.text((x + 18, bottom + 28), WORDS[look], size=11, colour=MUTED)
        x += width_of(WORDS[look], 11) + 40
    if picture.note:
        canvas.text((_MARGIN, bottom + 50), picture.note, size=11, colour=MUTED)
    return canvas.svg()


def _arc(canvas: Canvas, layout: _Layout, chain: Sequence[str], reads: bool) -> None:
    """An arc through the points it passes, and its head."""
    colour = READS if reads else LINE
    right = layout.boxes[chain[0]][0] < layout.boxes[chain[-1]][0]
    for one, other in itertools.pairwise(chain):
        (x1, up, wide), (x2, down, width) = layout.boxes[one], layout.boxes[other]
        y1, y2 = up + _tall(one) / 2, down + _tall(other) / 2
        x1, x2 = (x1 + wide, x2) if right else (x1, x2 + width)
        half = (x1 + x2) / 2
        canvas.curve([(x1, y1), (half, y1), (half, y2), (x2, y2)], colour, dashed=reads)
        if other != chain[-1]:
            end = x2 + (width if right else -width)
            canvas.curve([(x2, y2), (x2, y2), (end, y2), (end, y2)], colour, dashed=reads)
    back = -6 if right else 6
    canvas.head([(x2, y2), (x2 + back, y2 - 3), (x2 + back, y2 + 3)], colour)


def show(ledger: Ledger, name: str, title: str, net: Net, reached: Reached) -> None:
    """Add a net to a reproduction: the picture, and its places and transitions as tables."""
    ledger.picture(name, NetPicture(title, net, reached))
    ledger.sheet(
        f"{name}-places",
        f"{title}: places",
        ("place", "what lies there", "at the beginning"),
        [(place.name, place.holds, bool(reached.start.tokens(place.name))) for place in net.places],
    )
    ledger.sheet(
        f"{name}-transitions",
        f"{title}: transitions",
        ("transition", "in the paper", "takes", "reads", "gives", "fires"),
        [
            (
                part.name,
                part.rule,
                ", ".join(part.takes.values()),
                ", ".join(part.reads.values()),
                ", ".join(part.gives),
                part.name in reached.fired,
            )
            for part in net.transitions
        ],
    )
