"""The chapter on what is left out, changed and made up."""

from __future__ import annotations

from indistinct.document import shown
from indistinct.report.chapters.evidence import Evidence
from indistinct.report.page import Chapter, Facts


def chapter(found: Evidence) -> Chapter | None:
    """What is left out, and what is made up."""
    may = found.certificate.get("may_contain", ())
    facts = [("the release may contain", ", ".join(may) or "nothing that was not in the table")]
    facts += list(found.certificate.get("transformed", {}).items())
    if found.run is not None:
        facts += [
            ("records suppressed", shown(found.run["suppressed"])),
            ("records of noise", shown(found.run["added"]["noise"])),
            ("decoys", shown(found.run["added"]["decoys"])),
        ]
    return Chapter(
        "added",
        "Left out, changed and made up",
        "Readers who count must allow for these. Many left-out records make the release look "
        "smoother than the table; made-up records are nobody's.",
        (Facts(facts),),
    )
