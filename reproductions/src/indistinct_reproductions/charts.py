"""Heat maps of counts, and histograms of many values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from indistinct.report.drawing import INK, MUTED, png, width_of
from indistinct_reproductions.drawing import COLOURS, Canvas, figure

_LIGHT, _DARK = (0xF3, 0xF6, 0xFA), (0x27, 0x4C, 0x77)
"""The colours of no record, and of the most records in a cell."""


@dataclass(frozen=True)
class HeatMap:
    """How often values of one column go with those of another: ``counts[row][column]``."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: Sequence[Sequence[int]]
    note: str = ""

    def svg(self) -> str:
        """The map as an SVG picture, every cell with its count."""
        return _map(self)

    def png(self, scale: float = 2.0) -> bytes | None:
        """The map as a PNG picture; None where the extra ``report`` is not installed."""
        return png(self.svg(), scale)


@dataclass(frozen=True)
class Histograms:
    """Panels one above the other, each with a bar for every label: records by label."""

    title: str
    panels: Mapping[str, Mapping[str, int]]
    note: str = ""

    def svg(self) -> str:
        """The panels as an SVG picture."""
        return _panels(self)

    def png(self, scale: float = 2.0) -> bytes | None:
        """The panels as a PNG picture; None where the extra ``report`` is not installed."""
        return png(self.svg(), scale)


def _map(chart: HeatMap) -> str:
    left = 40 + max((width_of(label, 11) for label in chart.rows), default=0.0)
    wide = max(64.0, *(width_of(label, 11) + 12 for label in chart.columns))
    tall, top = 17.0, 70.0
    width = max(
        left + wide * len(chart.columns) + 26,
        width_of(chart.title, 14, bold=True) + 52,
        width_of(chart.note, 11) + 52,
    )
    bottom = top + tall * len(chart.rows)
    canvas = Canvas(width, bottom + (44 if chart.note else 20), chart.title)
    canvas.text((26, 28), chart.title, size=14, bold=True)
    for at, label in enumerate(chart.columns):
        canvas.text((left + wide * (at + 0.5), top - 8), label, size=11, anchor="middle")
    most = max((count for row in chart.counts for count in row), default=0) or 1
    for i, (label, row) in enumerate(zip(chart.rows, chart.counts, strict=True)):
        y = top + i * tall
        canvas.text((left - 8, y + 12.5), label, size=11, anchor="end")
        for j, count in enumerate(row):
            share = count / most
            canvas.bar(left + j * wide, y, wide - 1, tall - 1, _shade(share))
            colour = "#ffffff" if share > 0.5 else INK
            canvas.text(
                (left + wide * (j + 0.5), y + 12.5), f"{count:,}", size=10, anchor="middle",
                colour=colour,
            )  # fmt: skip
    if chart.note:
        canvas.text((26, bottom + 26), chart.note, size=11, colour=MUTED)
    return canvas.svg()


def _shade(share: float) -> str:
    mixed = (
        round(light + (dark - light) * share) for light, dark in zip(_LIGHT, _DARK, strict=True)
    )
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _panels(chart: Histograms) -> str:
    left, high, apart, room = 70.0, 110.0, 62.0, 640.0
    width = max(
        left + room + 26,
        width_of(chart.title, 14, bold=True) + 52,
        width_of(chart.note, 11) + 52,
    )
    bottom = 44 + (high + apart) * len(chart.panels)
    canvas = Canvas(width, bottom + (24 if chart.note else 0), chart.title)
    canvas.text((26, 28), chart.title, size=14, bold=True)
    for at, (name, bars) in enumerate(chart.panels.items()):
        top = 44 + at * (high + apart) + 28
        base = top + high
        most = max(bars.values(), default=0) or 1
        canvas.text((left, top - 8), name, size=11, colour=MUTED)
        canvas.text((left - 8, top + 4), figure(most), size=10, anchor="end", colour=MUTED)
        step = room / max(len(bars), 1)
        label_wide = max((width_of(label, 10) for label in bars), default=0.0) + 8
        every = max(1, -(-int(label_wide) // max(int(step), 1)))
        for place, (label, count) in enumerate(bars.items()):
            height = high * count / most
            gap = 2 if step > 8 else 0.5
            colour = COLOURS[at % len(COLOURS)]
            canvas.bar(left + place * step, base - height, step - gap, height, colour)
            if place % every == 0:
                middle = left + (place + 0.5) * step
                canvas.text((middle, base + 14), label, size=10, anchor="middle")
        canvas.line(left, base, left + room, base)
    if chart.note:
        canvas.text((26, bottom + 8), chart.note, size=11, colour=MUTED)
    return canvas.svg()
