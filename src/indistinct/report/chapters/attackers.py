"""The chapter on what attackers achieve; never a public one."""

from __future__ import annotations

from collections.abc import Sequence

from indistinct.analytics.attacks.finding import KINDS
from indistinct.document import Grid, Line, share
from indistinct.report.chapters.evidence import Evidence
from indistinct.report.page import Chapter, Code, Facts, Fold, Part

STRONGEST = 8
"""Attackers that a report shows at once."""


def chapter(found: Evidence, kinds: Sequence[str] = ()) -> Chapter | None:
    """What attackers achieve, or that none was tried."""
    if found.run is None:
        return None
    reading = (
        "Each attacker knows the release and what its row says. “Sure of” is the share "
        "of people whose true value it believes with 95 % or more; the next share is that of an "
        "attacker who knows only how frequent values are. A large difference is alarming. Never "
        "publish this chapter."
    )
    report = found.of("attacks")
    if report is None:
        text = "No attacker was tried. Try them:"
        command = "indistinct report DIR --data DATA"
        parts: list[Part] = [Line(text, "doubt"), Code(command, "command")]
        return Chapter("attackers", "What attackers achieve", reading, parts)
    attacks = [item for item in report["attacks"] if not kinds or item["kind"] in kinds]
    rows = [
        (
            item["name"],
            KINDS.get(item["kind"], item["kind"])
            + (f": {item['sensitive']}" if item["sensitive"] else ""),
            item["knowledge"],
            share(item["success"]["0.95"]),
            share(item["prior"]["0.95"]),
            share(item["gain"]["max"]),
        )
        for item in sorted(attacks, key=lambda item: -item["gain"]["max"])
    ]
    head = ("attacker", "learns", "knows", "sure of", "without release", "largest gain")
    parts = [Grid(head, rows[:STRONGEST], right=head[3:])]
    if rows[STRONGEST:]:
        weaker = Grid(head, rows[STRONGEST:], right=head[3:])
        parts.append(Fold(f"{len(weaker.rows)} that gain less", (weaker,), printed=False))
    skipped: dict[str, list[str]] = {}
    for item in report["skipped"]:
        skipped.setdefault(item["name"], []).append(item["why"])
    if skipped:
        reasons = [(name, "; ".join(dict.fromkeys(why))) for name, why in skipped.items()]
        parts.append(Fold("Not tried", (Facts(reasons),)))
    return Chapter("attackers", "What attackers achieve", reading, parts)
