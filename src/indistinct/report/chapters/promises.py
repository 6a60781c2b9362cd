"""The chapter on promises: what was asked, and what the audit found."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from indistinct.document import Grid, Line, many, parameters
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
    return Chapter(
        "promises",
        "Promises, and whether they are kept",
        "Each line was recomputed from the published files. “Achieved” says how far the release "
        "goes "
        "beyond what was asked. BROKEN is alarming: such a release must not leave the house.",
        (
            Grid(("promise", "asked", "on", "verdict", "achieved"), rows),
            Facts(meant),
            *_warnings(found),
        ),
    )


def _warnings(found: Evidence) -> Iterator[Line]:
    """The warnings, the most urgent kind first, below what each kind is about if that is said."""
    kinds = found.account.get("warning_kinds", ())
    told = ranked(read_warnings(found.account.get("warnings", ()), kinds))
    for kind, own in groupby(told, lambda one: one.kind):
        texts = list(own)
        if kinds:
            yield Line(f"{many(len(texts), 'warning')} on {kind.title}", "title")
        for text in texts:
            yield Line(text, "bad" if kind is Kind.RISK else "doubt")


def _meaning(model: str) -> str:
    known = models().get(model)
    text = (known.__doc__ or "").split("\n\n")[0] if known is not None else ""
    return " ".join(text.replace("`", "").split()) or "brought by a plugin"
