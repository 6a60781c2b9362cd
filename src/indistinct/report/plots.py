"""Pictures of what leaks: bars for every column, before and after, and a map of all pairs.

They are drawn by Altair into files that load nothing from elsewhere: SVG and PNG, or HTML with all
scripts in it. Altair and its renderer are the extra ``report``.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from indistinct.analytics.leakage.assessment import Assessment
from indistinct.errors import InputError, OutputError
from indistinct.sources.writing import write_bytes
from indistinct.types import Plain

if TYPE_CHECKING:
    import altair as alt

FORMATS = (".svg", ".png", ".html")
"""Endings of the files that can be drawn."""

REMEDY = "pip install 'indistinct[report]'"

BEFORE, AFTER = "before the release", "after the release"
_COLOURS = {BEFORE: "#b5502c", AFTER: "#2c6fb5"}
_WIDTH = 420
_CELL = 34
_MOST_PAIRS = 40
_DENSITY = 2.0


def require_drawing(path: str | Path) -> None:
    """Raise unless a file of that name can be drawn here.

    Raises:
        OutputError: For a name with another ending than .svg, .png and .html.
        InputError: When the extra ``report`` is not installed.
    """
    if Path(path).suffix.lower() not in FORMATS:
        raise OutputError(
            "unknown-format",
            "a picture is drawn as .svg, .png or .html",
            file=str(path),
            remedy="name a file with one of these endings",
        )
    missing = [name for name in ("altair", "vl_convert") if importlib.util.find_spec(name) is None]
    if missing:
        raise InputError("missing-extra", f"drawing needs {' and '.join(missing)}", remedy=REMEDY)


def draw_leakage(assessment: Assessment, path: str | Path) -> Path:
    """Draw what a table leaks into a file, as :func:`drawn` does.

    The bars show the normalized leakage of every column, before and after where a release was
    assessed. The map shows that of every pair, where the assessment holds all pairs
    (``combinations=2``) of no more than 40 columns.
    """
    return drawn(lambda: _leakage(assessment), path)


def _leakage(assessment: Assessment) -> alt.TopLevelMixin:
    import altair as alt

    bars, pairs = leakage_bars(assessment), leakage_map(assessment)
    if pairs is None:
        return bars
    return alt.vconcat(bars, pairs).resolve_scale(color="independent")


def leakage_bars(assessment: Assessment) -> alt.LayerChart:
    """Bars of the normalized leakage of every column, as an Altair chart."""
    import altair as alt

    order = [item.attributes[0] for item in assessment.singles]
    rows: list[Plain] = [
        {"column": item.attributes[0], "leaks": item.normalized, "when": BEFORE}
        for item in assessment.singles
    ]
    change = assessment.change
    if change is not None:
        rows += [
            {"column": item.attribute, "leaks": item.after.normalized, "when": AFTER}
            for item in change.attributes
            if item.after is not None
        ]
    shown = [BEFORE] if change is None else [BEFORE, AFTER]
    encoding: Plain = {
        "y": alt.Y("column:N", sort=order, title=None, axis=alt.Axis(labelLimit=220)),
        "x": alt.X(
            "leaks:Q",
            title="share of the bits that tell all records apart",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%"),
        ),
        "color": alt.Color(
            "when:N",
            title=None,
            scale=alt.Scale(domain=shown, range=[_COLOURS[name] for name in shown]),
            legend=None if change is None else alt.Legend(orient="top"),
        ),
        "tooltip": ["column:N", "when:N", alt.Tooltip("leaks:Q", format=".1%")],
    }
    if change is not None:
        encoding["yOffset"] = alt.YOffset("when:N", sort=shown)
    base = alt.Chart(alt.Data(values=rows)).encode(**encoding)
    labels = base.mark_text(align="left", dx=4, fontSize=10).encode(
        text=alt.Text("leaks:Q", format=".0%"), color=alt.value("#444")
    )
    title = "What every column leaks"
    if change is not None:
        title += ", before and after the release"
    return alt.layer(base.mark_bar(), labels).properties(
        width=_WIDTH, height=alt.Step(14 if change else 20), title=title
    )


def leakage_map(assessment: Assessment) -> alt.LayerChart | None:
    """A map of the normalized leakage of all pairs, as an Altair chart; None without all pairs."""
    import altair as alt

    order = [item.attributes[0] for item in assessment.singles]
    pairs = [item for item in assessment.leakage if len(item.attributes) == 2]
    if not 2 <= len(order) <= _MOST_PAIRS or len(pairs) != len(order) * (len(order) - 1) // 2:
        return None
    rows: list[Plain] = [
        {"one": one, "other": other, "leaks": item.normalized}
        for item in (*assessment.singles, *pairs)
        for one, other in {
            (item.attributes[0], item.attributes[-1]),
            (item.attributes[-1], item.attributes[0]),
        }
    ]
    rows.sort(key=lambda row: (order.index(row["one"]), order.index(row["other"])))
    cells = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("one:N", sort=order, title=None, axis=alt.Axis(labelAngle=-45, labelLimit=160)),
        y=alt.Y("other:N", sort=order, title=None, axis=alt.Axis(labelLimit=220)),
    )
    colour = alt.Color(
        "leaks:Q",
        title="leaks",
        scale=alt.Scale(domain=[0, 1], scheme="oranges"),
        legend=alt.Legend(format="%"),
    )
    tooltip = ["one:N", "other:N", alt.Tooltip("leaks:Q", format=".1%")]
    squares = cells.mark_rect(stroke="white").encode(color=colour, tooltip=tooltip)
    text = cells.mark_text(fontSize=10).encode(
        text=alt.Text("leaks:Q", format=".0%"),
        color=alt.condition(alt.datum.leaks > 0.6, alt.value("white"), alt.value("#333")),
    )
    side = _CELL * len(order)
    title = "What every two columns leak together"
    if assessment.change is not None:
        title += ", before the release"
    return alt.layer(squares, text).properties(width=side, height=side, title=title)


def drawn(make: Callable[[], alt.TopLevelMixin], path: str | Path) -> Path:
    """Draw a chart into a file, whole or not at all.

    Raises:
        OutputError: The file cannot be written, or its name has another ending than .svg, .png
            and .html.
        InputError: The extra ``report`` is not installed.
    """
    path = Path(path)
    require_drawing(path)
    import vl_convert

    chart, ending = make(), path.suffix.lower()
    if ending == ".svg":
        content = vl_convert.vegalite_to_svg(chart.to_json()).encode("utf-8")
    elif ending == ".png":
        content = vl_convert.vegalite_to_png(chart.to_json(), scale=_DENSITY)
    else:
        content = chart.to_html(inline=True).encode("utf-8")
    write_bytes(path, content)
    return path
