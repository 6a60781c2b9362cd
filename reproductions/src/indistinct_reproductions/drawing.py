"""Bars and lines as SVG text, and PNG where it can be had."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from indistinct.report import drawing
from indistinct.report.drawing import INK, LINE, MUTED, png, width_of

COLOURS = ("#274c77", "#c98a2b", "#4f9463", "#8d5a97")
"""Colours of series: told apart also by people who see few colours, and in print by lightness."""


class Canvas(drawing.Canvas):
    """A picture in the making, with the shapes of charts."""

    def bar(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        """A filled bar."""
        self.shapes.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'fill="{fill}"/>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str = LINE) -> None:
        """A straight line."""
        self.shapes.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'
        )

    def strokes(
        self, points: Sequence[tuple[float, float]], colour: str, *, dashed: bool = False
    ) -> None:
        """A line through some points, one after the other."""
        through = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        broken = ' stroke-dasharray="6 4"' if dashed else ""
        self.shapes.append(
            f'<polyline points="{through}" fill="none" stroke="{colour}" stroke-width="2"{broken}/>'
        )

    def dot(self, x: float, y: float, colour: str) -> None:
        """A point on a line."""
        self.shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')

    def head(self, points: Sequence[tuple[float, float]], colour: str) -> None:
        """The head of an arrow, between three points."""
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.shapes.append(f'<polygon points="{corners}" fill="{colour}"/>')

    def pill(self, x: float, y: float, size: tuple[float, float], fill: str, edge: str) -> None:
        """A box with round ends, so wide and so high."""
        width, height = size
        self.shapes.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
            f'rx="{height / 2:.1f}" fill="{fill}" stroke="{edge}" stroke-width="1.2"/>'
        )

    def badge(self, x: float, y: float, text: str, colour: str) -> None:
        """A number in a disc."""
        radius = 8.5 if len(text) < 3 else 11
        self.shapes.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}" stroke="#ffffff"/>'
        )
        self.text((x, y + 3.4), text, size=9.5, bold=True, anchor="middle", colour="#ffffff")


@dataclass(frozen=True)
class Bars:
    """Groups of bars, one bar per series: ``values[series]`` has one figure per group.

    ``reference[series]`` are figures to compare with, drawn as a line across the bar (None: none).
    """

    title: str
    groups: tuple[str, ...]
    values: Mapping[str, Sequence[float]]
    unit: str = ""
    reference: Mapping[str, Sequence[float | None]] | None = None
    note: str = ""

    def svg(self) -> str:
        """The bars as an SVG picture, every bar with its figure."""
        return _bars(self)

    def png(self, scale: float = 2.0) -> bytes | None:
        """The bars as a PNG picture; None where the extra ``report`` is not installed."""
        return png(self.svg(), scale)


@dataclass(frozen=True)
class Lines:
    """A line per series over the same places: ``values[series]`` has one figure per group.

    None is a gap. Lines of ``dashed`` series are broken. With ``powers`` the scale is one of powers
    of ten, on which figures of 0 or less have no place.
    """

    title: str
    groups: tuple[str, ...]
    values: Mapping[str, Sequence[float | None]]
    across: str = ""
    unit: str = ""
    dashed: frozenset[str] = frozenset()
    powers: bool = False
    note: str = ""

    def svg(self) -> str:
        """The lines as an SVG picture."""
        return _lines(self)

    def png(self, scale: float = 2.0) -> bytes | None:
        """The lines as a PNG picture; None where the extra ``report`` is not installed."""
        return png(self.svg(), scale)


def figure(value: float) -> str:
    """A figure as it stands at a bar.

    >>> figure(1204.0), figure(0.01234), figure(0.5)
    ('1,204', '0.0123', '0.5')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.3g}"


def _bars(chart: Bars) -> str:
    series = list(chart.values)
    every = [value for values in chart.values.values() for value in values]
    every += [
        value
        for values in (chart.reference or {}).values()
        for value in values
        if value is not None
    ]
    most = max(every, default=0) or 1.0
    wide, apart, tall, left, top = 52.0, 34.0, 210.0, 26.0, 84.0
    group = wide * len(series) + apart
    width = max(
        left * 2 + group * len(chart.groups),
        width_of(chart.title, 14, bold=True) + 2 * left,
        width_of(chart.note, 11) + 2 * left,
    )
    canvas = Canvas(width, top + tall + 36 + (24 if chart.note else 0), chart.title)
    canvas.text((left, 28), chart.title, size=14, bold=True)
    x = left
    for place, name in enumerate(series):
        canvas.bar(x, 42, 12, 12, COLOURS[place % len(COLOURS)])
        canvas.text((x + 18, 52), name, size=11)
        x += width_of(name, 11) + 40
    if chart.unit:
        canvas.text((x, 52), f"in {chart.unit}", size=11, colour=MUTED)
    base = top + tall
    for at, label in enumerate(chart.groups):
        start = left + at * group + apart / 2
        for place, name in enumerate(series):
            value = float(chart.values[name][at])
            height = tall * value / most
            here = start + place * wide
            canvas.bar(here + 4, base - height, wide - 8, height, COLOURS[place % len(COLOURS)])
            canvas.text(
                (here + wide / 2, base - height - 6), figure(value), size=11, anchor="middle"
            )
            printed = (chart.reference or {}).get(name)
            mark = printed[at] if printed is not None else None
            if mark is not None:
                y = base - tall * mark / most
                canvas.line(here, y, here + wide, y, INK)
                if abs(mark - value) > most / 14:
                    canvas.text(
                        (here + wide / 2, y - 5),
                        figure(mark),
                        size=10,
                        anchor="middle",
                        colour=MUTED,
                    )
        canvas.text((start + wide * len(series) / 2, base + 20), label, size=12, anchor="middle")
    canvas.line(left, base, width - left, base)
    if chart.note:
        canvas.text((left, base + 46), chart.note, size=11, colour=MUTED)
    return canvas.svg()


def _lines(chart: Lines) -> str:
    left, right, top, tall, apart = 78.0, 30.0, 96.0, 230.0, 58.0
    found = [float(v) for values in chart.values.values() for v in values if v is not None]
    marks = _powers(found) if chart.powers else _marks(max(found, default=0.0))

    def place(value: float) -> float:
        if not chart.powers:
            return value / marks[-1]
        low, high = math.log10(marks[0]), math.log10(marks[-1])
        return (math.log10(value) - low) / (high - low)

    width = max(
        left + right + apart * len(chart.groups),
        left + sum(width_of(name, 11) + 52 for name in chart.values) + width_of(chart.unit, 11),
        *(width_of(text, size, bold=size > 11) + left + right for text, size in (
            (chart.title, 14), (chart.note, 11),
        )),
    )  # fmt: skip
    base = top + tall
    canvas = Canvas(width, base + (66 if chart.note else 46), chart.title)
    canvas.text((26, 28), chart.title, size=14, bold=True)
    x = 26.0
    for at, name in enumerate(chart.values):
        colour = COLOURS[at % len(COLOURS)]
        canvas.strokes([(x, 48), (x + 24, 48)], colour, dashed=name in chart.dashed)
        canvas.text((x + 30, 52), name, size=11)
        x += width_of(name, 11) + 52
    if chart.unit:
        canvas.text((left, top - 12), f"in {chart.unit}", size=11, colour=MUTED)
    for mark in marks:
        y = base - tall * place(mark)
        canvas.line(left, y, width - right, y, "#e3e7ec")
        canvas.text((left - 8, y + 4), figure(mark), size=11, anchor="end", colour=MUTED)
    step = (width - left - right) / max(len(chart.groups), 1)
    middles = [left + step * (at + 0.5) for at in range(len(chart.groups))]
    for middle, label in zip(middles, chart.groups, strict=True):
        canvas.text((middle, base + 18), label, size=12, anchor="middle")
    for at, (name, values) in enumerate(chart.values.items()):
        colour, run = COLOURS[at % len(COLOURS)], list[tuple[float, float]]()
        for middle, value in zip([*middles, 0.0], [*values, None], strict=True):
            if value is None or (chart.powers and value <= 0):
                if len(run) > 1:
                    canvas.strokes(run, colour, dashed=name in chart.dashed)
                run = []
                continue
            run.append((middle, base - tall * place(float(value))))
            canvas.dot(*run[-1], colour)
    canvas.line(left, base, width - right, base)
    if chart.across:
        canvas.text(((left + width - right) / 2, base + 36), chart.across, size=11, anchor="middle")
    if chart.note:
        canvas.text((26, base + 56), chart.note, size=11, colour=MUTED)
    return canvas.svg()


def _marks(most: float) -> list[float]:
    """Round figures from 0 to the next one above the largest.

    >>> _marks(7.2), _marks(0.0)
    ([0.0, 2.0, 4.0, 6.0, 8.0], [0.0, 1.0])
    """
    if most <= 0:
        return [0.0, 1.0]
    unit = 10.0 ** math.floor(math.log10(most))
    step = next(part for part in (0.2, 0.5, 1.0, 2.0) if most <= 5 * part * unit) * unit
    return [float(f"{step * at:.6g}") for at in range(math.ceil(most / step - 1e-9) + 1)]


def _powers(found: Sequence[float]) -> list[float]:
    """Powers of ten around all figures above 0.

    >>> _powers([3.0, 450.0, 0.0]), _powers([])
    ([1.0, 10.0, 100.0, 1000.0], [1.0, 10.0])
    """
    above = [value for value in found if value > 0] or [1.0]
    low = math.floor(math.log10(min(above)))
    high = max(math.ceil(math.log10(max(above))), low + 1)
    return [10.0**at for at in range(low, high + 1)]
