"""What a report has to say on each question: evidence in, chapters out.

Nothing is computed here. A chapter that has nothing to say is None. One that public readers may see
is made of the certificate and of what can be counted in the release.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from indistinct.report.chapters import (
    added,
    again,
    analyses,
    attackers,
    attributes,
    classes,
    exposed,
    leakage,
    limits,
    mapping,
    promises,
    risk,
    search,
    utility,
)
from indistinct.report.chapters.evidence import Evidence
from indistinct.report.page import Chapter

CHAPTERS: Mapping[str, Callable[[Evidence], Chapter | None]] = {
    "promises": promises.chapter,
    "attributes": attributes.chapter,
    "classes": classes.chapter,
    "risk": risk.chapter,
    "leakage": leakage.chapter,
    "attackers": attackers.chapter,
    "analyses": analyses.chapter,
    "utility": utility.chapter,
    "search": search.chapter,
    "mapping": mapping.chapter,
    "added": added.chapter,
    "exposed": exposed.chapter,
    "again": again.chapter,
    "limits": limits.chapter,
}
"""The chapters, by name, in the order of a plain report."""
