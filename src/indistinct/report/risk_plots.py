"""Pictures of risk: how it is distributed over the records, and how it falls with k.

They are drawn as :mod:`indistinct.report.plots` draws what leaks.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from indistinct.analytics.risk.reidentification import RiskCurve, RiskReport
from indistinct.report.plots import drawn
from indistinct.types import Plain

if TYPE_CHECKING:
    import altair as alt

CURVES = {
    "records_at_risk": "records at risk (R1)",
    "highest": "highest risk (R2)",
    "success": "average risk (R3)",
}
"""The curves, by the names that the bends have, and what the picture calls them."""

_COLOURS = ("#b5502c", "#2c6fb5", "#4f9463")
_WIDTH, _HEIGHT = 420, 220


def draw_risk(report: RiskReport, path: str | Path) -> Path:
    """Draw the distribution of risk, and the curve over k where there is one, into a file."""
    return drawn(lambda: _risk(report), path)


def _risk(report: RiskReport) -> alt.TopLevelMixin:
    import altair as alt

    parts = [distribution_bars(report)]
    if report.curve is not None and report.curve.points:
        parts += [risk_curve(report.curve), elbow_lines(report.curve)]
    return alt.vconcat(*parts).resolve_scale(color="independent")


def distribution_bars(report: RiskReport) -> alt.LayerChart:
    """Bars of the share of records in every step of risk, as an Altair chart."""
    import altair as alt

    rows = [
        {"risk": f"up to {step.to:.3g}", "records": step.share, "at risk": step.to > edge}
        for edge in (report.threshold,)
        for step in report.distribution
    ]
    order = [row["risk"] for row in rows]
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("risk:N", sort=order, title=None),
        x=alt.X("records:Q", title="share of records", scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%")),
        tooltip=["risk:N", alt.Tooltip("records:Q", format=".1%")],
    )  # fmt: skip
    bars = base.mark_bar().encode(
        color=alt.Color(
            "at risk:N",
            scale=alt.Scale(domain=[False, True], range=[_COLOURS[1], _COLOURS[0]]),
            legend=None,
        )
    )
    labels = base.mark_text(align="left", dx=4, fontSize=10).encode(
        text=alt.Text("records:Q", format=".1%"), color=alt.value("#444")
    )
    return alt.layer(bars, labels).properties(
        width=_WIDTH,
        height=alt.Step(18),
        title=f"Risk of the records (above {report.threshold:g}: at risk)",
    )


def risk_curve(curve: RiskCurve) -> alt.LayerChart:
    """The three criteria over k, with their bends, as an Altair chart."""
    import altair as alt

    rows = [
        {"k": point.k, "risk": value, "criterion": name}
        for point in curve.points
        for name, value in zip(
            CURVES.values(),
            (point.risk.at_risk, point.risk.highest, point.risk.success),
            strict=True,
        )
    ]
    found = curve.selection
    bends = {} if found is None else {CURVES[name]: item.k for name, item in found.elbows.items()}
    marked = [row for row in rows if bends.get(str(row["criterion"])) == row["k"]]
    line = _lines(rows, "risk", "risk")
    dots = (
        alt.Chart(alt.Data(values=marked))
        .mark_point(size=140, strokeWidth=2, filled=False)
        .encode(x="k:Q", y="risk:Q", color=_color())
    )
    title = "Risk of releases over k" if curve.of == "releases" else "Risk of classes of k or more"
    if found is not None:
        title += f"; the bends speak for k = {found.k}"
    return alt.layer(line, dots).properties(width=_WIDTH, height=_HEIGHT, title=title)


def elbow_lines(curve: RiskCurve) -> alt.Chart:
    """How far each curve lies below the line between its ends, as an Altair chart."""
    found = curve.selection
    rows = [
        {"k": k, "d": d, "criterion": CURVES[name]}
        for name, item in ({} if found is None else found.elbows).items()
        for k, d in zip(item.ks, item.d, strict=True)
    ]
    return _lines(rows, "d", "d(k)").properties(
        width=_WIDTH, height=_HEIGHT // 2, title="How far below the chord"
    )


def _lines(rows: list[Plain], figure: str, title: str) -> alt.Chart:
    """A line of a figure over k for each criterion."""
    import altair as alt

    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=alt.OverlayMarkDef(size=18))
        .encode(
            x=alt.X("k:Q", axis=alt.Axis(tickMinStep=1, format="d")),
            y=alt.Y(f"{figure}:Q", title=title),
            color=_color(),
            tooltip=["criterion:N", "k:Q", alt.Tooltip(f"{figure}:Q", format=".3f")],
        )
    )


def _color() -> alt.Color:
    import altair as alt

    return alt.Color(
        "criterion:N",
        title=None,
        scale=alt.Scale(domain=list(CURVES.values()), range=list(_COLOURS)),
        legend=alt.Legend(orient="top"),
    )
