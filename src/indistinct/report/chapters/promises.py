"""The chapter on promises: what was asked, and what the audit found."""

from __future__ import annotations

from indistinct.document import Grid, Line, parameters
from indistinct.privacy.promise import models
from indistinct.report.chapters.evidence import Evidence, promised_on
from indistinct.report.page import Chapter, Facts
from indistinct.warning_kinds import Kind, ranked, read_warnings


def chapter(found: Evidence) -> Chapter:
    """What was promised, and what the audit found."""
    rows = [
        (
            item["model"] + (f" of {item['sensitive']}" if item.get("sensitive") else ""),
            parameters({key: one for key, one in item["parameters"].items() if one is not None}),
            promised_on(item),
            {True: "kept", False: "BROKEN", None: "not verifiable"}[item["holds"]],
            parameters(item["achieved"]),
        )
        for item in found.account["promises"]
    ]
    meant = [
        (name, _meaning(name))
        for name in dict.fromkeys(item["model"] for item in found.account["promises"])
    ]
    told = read_warnings(found.account.get("warnings", ()), found.account.get("warning_kinds", ()))
    warnings = [Line(one, "bad" if one.kind is Kind.RISK else "doubt") for one in ranked(told)]
    return Chapter(
        "promises",
        "Promises, and whether they are kept",
        "Each line was recomputed from the published files. “Achieved” says how far the release "
        "goes "
        "beyond what was asked. BROKEN is alarming: such a release must not leave the house.",
        (Grid(("promise", "asked", "on", "verdict", "achieved"), rows), Facts(meant), *warnings),
    )


def _meaning(model: str) -> str:
    known = models().get(model)
    text = (known.__doc__ or "").split("\n\n")[0] if known is not None else ""
    return " ".join(text.replace("`", "").split()) or "brought by a plugin"
