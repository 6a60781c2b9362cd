"""The chapter on what became of each value."""

from __future__ import annotations

from indistinct.document import Grid, Line
from indistinct.report.chapters.evidence import Evidence
from indistinct.report.page import Chapter, Fold

MOST_MAPPED = 200
"""Values of an attribute whose mapping a report lists; all of them are in ``private/plan.json``."""


def chapter(found: Evidence) -> Chapter | None:
    """What became of every value."""
    known = (found.plan or {}).get("attributes", {})
    folds = []
    for name, item in known.items():
        pairs = item["published"]
        if not pairs or not isinstance(pairs[0], list):
            continue
        rows = [(str(one), "left out" if other is None else str(other)) for one, other in pairs]
        more = (Line("All of them are in private/plan.json."),) if len(rows) > MOST_MAPPED else ()
        folds.append(
            Fold(
                f"{name}: what became what",
                (Grid(("value", "published as"), rows[:MOST_MAPPED]), *more),
                printed=False,
            )
        )
    if not folds:
        return None
    local = "recodings" in (found.run or {}).get("plan", {})
    note = (
        " Local recoding publishes some records in more or less detail than that." if local else ""
    )
    return Chapter(
        "mapping",
        "What became of each value",
        f"The values of the table, and what the plan publishes instead.{note} Look for values that "
        "share a group and should not.",
        folds,
    )
