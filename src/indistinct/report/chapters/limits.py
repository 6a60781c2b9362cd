"""The chapter on what no figure of a report says."""

from __future__ import annotations

from indistinct.document import Line
from indistinct.report.chapters.evidence import Evidence
from indistinct.report.page import Chapter


def chapter(found: Evidence) -> Chapter:
    """What no figure here says."""
    del found
    return Chapter(
        "limits",
        "What this report does not say",
        "Evidence for the person who decides, never a certification.",
        (
            Line(
                "Whether the quasi-identifiers were well chosen: who could know what is for "
                "people to judge."
            ),
            Line("Whether other releases of the same people say more together with this one."),
            Line(
                "Whether the law of your country is kept: the figures speak to it, experts decide."
            ),
        ),
    )
