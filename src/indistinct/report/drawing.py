"""The few shapes that our pictures are made of, as SVG text, and PNG where it can be had."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Literal

INK = "#1d2733"
MUTED = "#5f6b7a"
LINE = "#9aa5b1"
FONT = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
NARROW = frozenset("ijl.,:;'|!()[]tfrI1 -")


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """About how wide a text is drawn, in pixels.

    Arguments:
        text: the text.
        size: the height of its letters, in pixels.
        bold: whether letters are bold.
    """
    units = sum(0.42 if sign in NARROW else 0.68 for sign in text)
    return units * size * (1.12 if bold else 1.0)


class Canvas:
    """A picture in the making."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width = math.ceil(width)
        self.height = math.ceil(height)
        self._title = title
        self.shapes: list[str] = []

    def box(
        self,
        at: tuple[float, float],
        size: tuple[float, float],
        colours: tuple[str, str],
        wide: float,
    ) -> None:
        """A box with round corners.

        Arguments:
            at: the upper left corner, x and y in pixels.
            size: width and height, in pixels.
            colours: of what is inside and of the edge.
            wide: how wide the edge is, in pixels.
        """
        (x, y), (width, height), (fill, edge) = at, size, colours
        self.shapes.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="5" '
            f'fill="{fill}" stroke="{edge}" stroke-width="{wide}"/>'
        )

    def text(
        self,
        at: tuple[float, float],
        text: str,
        *,
        size: float = 12,
        bold: bool = False,
        anchor: Literal["start", "middle", "end"] = "start",
        colour: str = INK,
    ) -> None:
        """A line of text.

        Arguments:
            at: x, and y of the base line, in pixels.
            text: what it says.
            size: the height of letters, in pixels.
            bold: whether letters are bold.
            anchor: which part of the line stands at x.
            colour: of letters.
        """
        x, y = at
        weight = ' font-weight="700"' if bold else ""
        self.shapes.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{colour}"{weight}>{escape(text)}</text>'
        )

    def label(self, x: float, y: float, text: str) -> None:
        """A small text on a line, which makes way for it.

        Arguments:
            x: where its middle is, in pixels.
            y: likewise, from above.
            text: what it says.
        """
        width = width_of(text, 11) + 6
        self.shapes.append(
            f'<rect x="{x - width / 2:.1f}" y="{y - 8:.1f}" width="{width:.1f}" height="14" '
            f'fill="#ffffff"/>'
        )
        self.text((x, y + 3), text, size=11, anchor="middle", colour=MUTED)

    def curve(
        self, points: Sequence[tuple[float, float]], colour: str, *, dashed: bool = False
    ) -> None:
        """A curve.

        Arguments:
            points: four, x and y in pixels: from the first to the last, bent by the two between.
            colour: of the line.
            dashed: whether the line is dashed.
        """
        broken = ' stroke-dasharray="5 4"' if dashed else ""
        start, *bends = (f"{x:.1f},{y:.1f}" for x, y in points)
        self.shapes.append(
            f'<path d="M{start} C{" ".join(bends)}" '
            f'fill="none" stroke="{colour}" stroke-width="1.3"{broken}/>'
        )

    def svg(self) -> str:
        """The picture."""
        inside = "\n".join(self.shapes)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" '
            f'height="{self.height}" viewBox="0 0 {self.width} {self.height}" '
            f'font-family="{FONT}" role="img">\n<title>{escape(self._title)}</title>\n'
            f'<rect width="{self.width}" height="{self.height}" fill="#ffffff"/>\n'
            f"{inside}\n</svg>\n"
        )


def png(svg: str, scale: float = 2.0) -> bytes | None:
    """A picture as PNG; None where the extra ``report`` is not installed."""
    try:
        import vl_convert
    except ImportError:
        return None
    return vl_convert.svg_to_png(svg, scale=scale)
