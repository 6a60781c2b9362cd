"""Pictures of two columns before and after: a heat map for the table and for every release.

They are drawn as :mod:`indistinct.report.plots` draws what leaks.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from indistinct.analytics.utility.contingency import Contingency, Counts, said
from indistinct.report.plots import drawn
from indistinct.types import Plain

if TYPE_CHECKING:
    import altair as alt

MOST = 40
"""Values of a column that a map has room for; the rest is put together."""

_CELL = 18
_WRITTEN = 12


def draw_contingency(found: Contingency, path: str | Path) -> Path:
    """Draw the heat maps of two columns into a file, whole or not at all."""
    return drawn(lambda: _maps(found), path)


def _maps(found: Contingency) -> alt.TopLevelMixin:
    import altair as alt

    maps = [heat_map(counts, found.attributes, of) for of, counts in found.tables().items()]
    return alt.hconcat(*maps).resolve_scale(x="independent", y="independent", color="independent")


def heat_map(counts: Counts, attributes: tuple[str, str], title: str) -> alt.Chart | alt.LayerChart:
    """A heat map of how often values go together, as an Altair chart.

    Arguments:
        counts: how often each value goes with each of the other attribute.
        attributes: the attributes, that of rows first.
        title: what stands above.
    """
    import altair as alt

    shown = counts.within(MOST, MOST)
    one, other = attributes
    rows: list[Plain] = [
        {"one": said(row), "other": said(column), "records": int(shown.counts[i, j])}
        for i, row in enumerate(shown.rows)
        for j, column in enumerate(shown.columns)
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("one:N", sort=list(map(said, shown.rows)), title=one),
        x=alt.X(
            "other:N",
            sort=list(map(said, shown.columns)),
            title=other,
            axis=alt.Axis(labelAngle=-45, labelLimit=160),
        ),
        tooltip=[
            alt.Tooltip("one:N", title=one),
            alt.Tooltip("other:N", title=other),
            alt.Tooltip("records:Q", format=","),
        ],
    )
    cells = base.mark_rect(stroke="white").encode(
        color=alt.Color("records:Q", scale=alt.Scale(scheme="blues"), title="records")
    )
    chart = cells
    few = len(shown.rows) <= _WRITTEN and len(shown.columns) <= _WRITTEN
    if few:
        half = float(shown.counts.max(initial=0)) / 2
        chart = alt.layer(
            cells,
            base.mark_text(fontSize=9).encode(
                text=alt.Text("records:Q", format=","),
                color=alt.condition(
                    alt.datum.records > half, alt.value("white"), alt.value("#333")
                ),
            ),
        )
    cell = 2 * _CELL if few else _CELL
    return chart.properties(
        width=cell * len(shown.columns), height=_CELL * len(shown.rows), title=title
    )
