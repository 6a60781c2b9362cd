"""The chapter on what is left for analysis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from indistinct.document import Line, share, shown
from indistinct.report.chapters.evidence import Evidence
from indistinct.report.page import Bars, Beside, Chapter, Facts, Heat, Part
from indistinct.types import PlainMapping

BESIDE = 4
"""Columns up to which two tables stand beside each other."""

READ = {
    "overlap": "all records counted whose cell may match",
    "uniform": "records spread evenly over their cell",
}
"""How a query reads a generalized cell, by the name of its mode."""


def chapter(found: Evidence) -> Chapter | None:
    """What the release costs."""
    if found.run is None:
        return None
    rows = [
        (name, value, shown(float(value)))
        for name, value in found.run["measures"].items()
        if isinstance(value, int | float) and 0 <= value <= 1
    ]
    parts: list[Part] = (
        [Bars("Cost, from 0 (nothing lost) to 1", ("measure", "cost"), rows, "doubt")]
        if rows
        else []
    )
    for name, kept in found.lost.items():
        parts.append(Line(f"{name}: {kept:.0%} of what it told is left.", "bad"))
    compared = found.of("comparison")
    if compared is not None:
        parts += _compared(compared)
    return Chapter(
        "utility",
        "What is left for analysis",
        "Each measure counts another loss; none of them knows your analysis. Look for a single "
        "attribute that carries the cost: a column that tells nothing is alarming, even if the "
        "mean is good.",
        parts,
    )


def _compared(compared: PlainMapping) -> Iterator[Part]:
    one = compared["releases"][0]
    lost = (one.get("loss") or {}).get("per_attribute") or {}
    if lost:
        rows = [(name, part, share(part)) for name, part in lost.items()]
        rows.sort(key=lambda row: -row[1])
        caption = "Detail of each attribute that is lost, mean over the records"
        yield Bars(caption, ("attribute", "lost"), rows, "doubt")
    together = compared.get("contingency")
    if together:
        names, after = together["attributes"], next(iter(together["after"].values()))
        both = (("before", together["before"]), ("in the release", after))
        heats = [_heat(names, when, counts) for when, counts in both]
        narrow = max(len(heat.columns) for heat in heats) <= BESIDE
        yield from [Beside(heats)] if narrow else heats
        yield Line("The darker a cell, the more records. A pattern that the release no longer "
                   "shows is alarming for anyone who studies the two together.")  # fmt: skip
    error = one.get("query_error")
    for mode, told in (error or {}).get("by_mode", {}).items():
        if told.get("mean") is not None:
            said = (
                f"{told['median']:.0%} of the true count in the median, {told['mean']:.0%} in the"
            )
            yield Facts([(f"error of counts, {READ[mode]}", f"{said} mean")])


def _heat(names: Sequence[str], when: str, counts: PlainMapping) -> Heat:
    one, other = names
    columns = (one, *("(missing)" if name is None else name for name in counts["columns"]))
    rows = [
        ("(missing)" if name is None else name, own)
        for name, own in zip(counts["rows"], counts["counts"], strict=True)
    ]
    return Heat(f"Records by {one} and {other}, {when}", columns, rows)
