"""The chapter on how much each attribute identifies people."""

from __future__ import annotations

from indistinct.report.chapters.evidence import Evidence
from indistinct.report.page import Chapter, Pairs


def chapter(found: Evidence) -> Chapter | None:
    """How much each attribute identifies people, before and after."""
    leaks = {} if found.run is None else found.run["plan"].get("leakage", {})
    if not leaks:
        return None
    rows = [(name, told["before"], told["after"]) for name, told in leaks.items()]
    rows.sort(key=lambda row: -row[1])
    return Chapter(
        "leakage",
        "How much each attribute identifies people",
        "The share of the information that would tell all records apart. After the release less "
        "should be left, and yet something: an attribute that tells nothing is of no use. A long "
        "bar after is alarming where many people know the attribute. It can be longer than before "
        "if records are published at several levels: the level tells something too.",
        (Pairs("Leakage of each attribute", ("attribute", "before", "after"), rows),),
    )
