"""Histograms of one attribute: before, generalized, and with intervals of equal frequency."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from indistinct.analytics.utility.histogram import Equalization
from indistinct.report.plots import drawn

if TYPE_CHECKING:
    import altair as alt

_WIDTH, _HEIGHT = 520, 120
_COLOURS = ("#8a8a8a", "#b5502c", "#2c6fb5")


def draw_equalization(found: Equalization, path: str | Path) -> Path:
    """Draw the three histograms into a file, whole or not at all."""
    return drawn(lambda: equalization_bars(found), path)


def equalization_bars(found: Equalization) -> alt.VConcatChart:
    """The histograms one below the other, as an Altair chart."""
    import altair as alt

    charts = []
    for (stage, held), colour in zip(found.stages.items(), _COLOURS, strict=True):
        labels = ["(missing)" if label is None else label for label in held.labels]
        rows = [
            {"label": label, "records": count}
            for label, count in zip(labels, held.records, strict=True)
        ]
        charts.append(
            alt.Chart(alt.Data(values=rows))
            .mark_bar(color=colour)
            .encode(
                x=alt.X("label:N", sort=labels, title=None, axis=alt.Axis(labelOverlap=True)),
                y=alt.Y("records:Q", title="records"),
                tooltip=["label:N", "records:Q"],
            )
            .properties(width=_WIDTH, height=_HEIGHT, title=f"{found.attribute}, {stage}")
        )
    return alt.vconcat(*charts)
