"""The chapter on how the release was chosen."""

from __future__ import annotations

from indistinct.document import shown
from indistinct.measures import measures
from indistinct.report.chapters.evidence import Evidence
from indistinct.report.page import Chapter, Facts


def chapter(found: Evidence) -> Chapter | None:
    """How the plan was found, and what was proved of it."""
    if found.run is None:
        return None
    plan = found.run["plan"]
    objective = plan.get("objective") or {}
    proved = (
        "optimal, by proof: no release of this kind does better"
        if plan.get("optimal")
        else plan.get("unproved") or "not proved optimal"
    )
    wanted = (
        "scope",
        "nodes",
        "checked",
        "recodings",
        "classes",
        "stopped_by",
    )
    facts = [
        ("algorithm", str(plan.get("algorithm", ""))),
        (
            _aim(objective.get("measure")),
            f"{objective.get('measure', '')} ({objective.get('aggregate', '')})",
        ),
        ("value", shown(objective.get("value"))),
        ("proved", proved),
        *((key.replace("_", " "), shown(plan[key])) for key in wanted if plan.get(key) is not None),
    ]
    return Chapter(
        "search",
        "How the release was chosen",
        "What the search minimized, and whether it is proved optimal. A search that was "
        "stopped early may have missed a better release; the promises hold anyway.",
        (Facts(facts),),
    )


def _aim(measure: str | None) -> str:
    known = measures().get(measure or "")
    return "maximized" if known is not None and known.maximized else "minimized"
