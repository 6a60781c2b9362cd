"""The chapter on the analyses of the policy, on the table and on the release."""

from __future__ import annotations

from collections.abc import Iterator

from indistinct.document import Grid, Line, Style, brief, share, shown
from indistinct.report.chapters.evidence import Evidence
from indistinct.report.chapters.opening import CHANGES
from indistinct.report.page import Chapter, Curve, Facts, Part
from indistinct.types import PlainMapping


def chapter(found: Evidence) -> Chapter | None:
    """Estimates on the table and on the release, side by side."""
    report = found.of("analyses")
    if report is None:
        return None
    parts: list[Part] = []
    for item in report["analyses"]:
        parts += _analysed(item)
    return Chapter(
        "analyses",
        "Will the analysis still hold?",
        "The policy's analyses, on the table and on the release; ranges are read as their "
        "midpoints, other cells as categories. An interval that no longer overlaps, another "
        "sign or another significance is alarming: a reader would conclude something else.",
        parts,
    )


def _analysed(item: PlainMapping) -> Iterator[Part]:
    yield Line(str(item["name"]), "title")
    if item.get("why"):
        yield Line(f"It has no answer: {item['why']}.", "doubt")
        return
    asked = "" if item["min_overlap"] is None else f", {item['min_overlap']:.0%} asked"
    style: Style = "text" if item["kept"] is None else "good" if item["kept"] else "bad"
    used = item["records"]
    yield Line(
        f"Confidence intervals overlap by {share(item['overlap'])}{asked}; "
        f"{shown(used['original'])} records of the table and {shown(used['release'])} of the "
        "release were used.",
        style,
    )
    rows = [
        (
            one["term"],
            *(_figure(one[side]) for side in ("original", "release")),
            share(one["overlap"]),
            ", ".join(what for what in CHANGES if one[f"{what}_changed"]),
        )
        for one in item["estimates"]
    ]
    head = ("estimate", "table", "release", "overlap", "changed")
    yield Grid(head, rows, right=head[1:4])
    figures = item.get("figures", {})
    if "roc" in figures.get("original", {}):
        sides = [(side, [tuple(at) for at in figures[side]["roc"]]) for side in figures]
        axes = ("false positives", "true positives")
        yield Curve(f"ROC, held-out records: {item['name']}", axes, sides)
        yield Line("The higher a curve, the better the prediction; the diagonal is a guess. A "
                   "curve of the release far below the other one is alarming.")  # fmt: skip
        yield Facts(
            [
                (
                    f"accuracy, {side}",
                    f"{share(one['accuracy'])}; {share(one['zero_rule'])} by always "
                    "guessing the most frequent",
                )
                for side, one in figures.items()
            ]
        )


def _figure(figure: PlainMapping | None) -> str:
    if figure is None:
        return "none"
    estimate, low, high = map(brief, (figure["estimate"], figure["low"], figure["high"]))
    return f"{estimate} [{low}, {high}]"
