"""The chapter on those who are easiest to find in the release."""

from __future__ import annotations

from indistinct.document import Grid, Line, shown
from indistinct.report.chapters.evidence import Evidence
from indistinct.report.page import Chapter, Part


def chapter(found: Evidence) -> Chapter | None:
    """The records that are easiest to find in the release, by their rows."""
    item = found.of("exposed")
    if item is None:
        return None
    units, others = found.units[1], shown(item["smallest"] - 1)
    rows = [tuple(map(shown, row)) for row in item["rows"]]
    head = ("row", "alike in the table", "alike in the release")
    parts: list[Part] = [
        Line(
            f"{shown(item['records'])} {units} share their class with only {others} others, the "
            "fewest of all. First those who were rarest in the table:"
        ),
        Grid(head, rows, right=head),
    ]
    if item["suppressed"]:
        out = ", ".join(map(shown, item["suppressed"]))
        parts.append(Line(f"Left out are, among others, rows {out}."))
    return Chapter(
        "exposed",
        "Who is most exposed",
        "Rows of the table, counted from 1 without its header. Look these people up: is anything "
        "known of them to others that the policy does not call a quasi-identifier?",
        parts,
    )
