"""The frontier of an exploration as an SVG picture."""

from __future__ import annotations

from indistinct.analytics.utility.exploration import Exploration
from indistinct.report.drawing import MUTED, Canvas

WIDE, TALL, LEFT, LOW = 620, 340, 64, 56
BEST, OTHER, TAKE = "#2c6fb5", "#9aa5b1", "#b5502c"


def frontier_svg(found: Exploration) -> str:
    """What is kept over the highest risk: the frontier in blue, the recommended point in orange."""
    canvas = Canvas(WIDE, TALL, "What policies keep, over the highest risk of a record")
    able = [
        (at, float(item.risk["highest"] or 0.0), item.kept)
        for at, item in enumerate(found.points)
        if item.risk is not None and item.kept is not None
    ]
    most = max((risk for _, risk, _ in able), default=1.0) or 1.0

    def place(risk: float, kept: float) -> tuple[float, float]:
        return LEFT + risk / most * (WIDE - LEFT - 40), 24 + (1 - kept) * (TALL - LOW - 24)

    for part in range(5):
        x, y = place(most * part / 4, part / 4)
        canvas.text(
            (x, TALL - LOW + 20), f"{most * part / 4:.3g}", size=11, anchor="middle", colour=MUTED
        )
        canvas.text((LEFT - 10, y + 4), f"{part / 4:.0%}", size=11, anchor="end", colour=MUTED)
    canvas.text((WIDE - 40, TALL - 12), "highest risk of a record", anchor="end")
    canvas.text((LEFT - 10, 14), "detail kept", size=12)
    best = set(found.frontier)
    named: list[tuple[float, float]] = []
    for at, risk, kept in sorted(able, key=lambda item: item[0] in best):
        x, y = place(risk, kept)
        colour = TAKE if at == found.recommended else BEST if at in best else OTHER
        canvas.shapes.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>')
    for at, risk, kept in sorted(able, key=lambda item: item[0] != found.recommended):
        x, y = place(risk, kept)
        room = all(abs(x - left) > 20 or abs(y - top) > 14 for left, top in named)
        if at == found.recommended or (at in best and room):
            named.append((x, y))
            canvas.text((x + 8, y - 6), str(at + 1), size=11, bold=at == found.recommended)
    return canvas.svg()
