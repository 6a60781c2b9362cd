"""The chapter on how many people look alike."""

from __future__ import annotations

from collections.abc import Sequence

from indistinct.document import Line, many, share, shown
from indistinct.report.chapters.evidence import Evidence
from indistinct.report.page import Bars, Beside, Chapter, Facts, Tone
from indistinct.types import PlainMapping


def chapter(found: Evidence) -> Chapter | None:
    """How large classes are."""
    published = found.published
    if not published["sizes"]:
        return None
    more = found.units[1]
    after = _size_bars(f"in the release, share of the {more}", published["sizes"], "after")
    before = found.of("sizes")
    said = [after] if before is None else [_size_bars("before", before, "before"), after]
    of = found.account["classes"]
    facts = [
        ("classes", shown(of["count"])),
        ("smallest", shown(of["smallest"])),
        ("on average", shown(of["mean"])),
        ("largest", shown(of["largest"])),
    ]
    told = (Line("Made-up records count here, which are not marked.", "doubt"),)
    return Chapter(
        "classes",
        "How many people look alike",
        f"A class: {more} that share all quasi-identifiers as they are published. Many small "
        "classes leave little margin above what was promised; classes of one would be alarming.",
        (Facts(facts), Beside(said), *(told if found.made_up else ())),
    )


def _size_bars(caption: str, sizes: Sequence[PlainMapping], tone: Tone) -> Bars:
    total = sum(item["records"] for item in sizes) or 1
    rows = [
        (
            _between(item["from"], item["to"]),
            item["records"] / total,
            f"{share(item['records'] / total)} in {many(item['classes'], 'class', 'classes')}",
        )
        for item in sizes
    ]
    return Bars(f"Size of classes, {caption}", ("size of the class", "share"), rows, tone)


def _between(low: int, high: int | None) -> str:
    if high is None:
        return f"{shown(low)} or more"
    return shown(low) if low == high else f"{shown(low)} to {shown(high)}"
