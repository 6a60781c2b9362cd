"""The same evidence, in the order in which a standard asks for it.

An outline has headings, what is asked there, and the chapters that speak to it. They are evidence
for an expert and never a certification, and each says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from indistinct.errors import InputError, did_you_mean
from indistinct.report.chapters import (
    CHAPTERS,
    Evidence,
    answers,
    attackers,
    lead,
    refusal,
    tiles,
)
from indistinct.report.page import Chapter, Group, Page

Heading = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True)
class Outline:
    """An order of chapters.

    Arguments:
        title: the heading of the report.
        note: what it is, and what it is not.
        headings: of each heading its text, what is asked there, and the chapters that speak to it.
            Chapters that stand nowhere follow at the end.
    """

    title: str
    note: str = ""
    headings: tuple[Heading, ...] = ()


ONLY = "This is evidence for the person who decides; the program cannot certify anything."

OUTLINES: Mapping[str, Outline] = {
    "plain": Outline("Report of a release"),
    "hipaa-expert": Outline(
        "Evidence for a HIPAA Expert Determination",
        f"In the order of 45 CFR 164.514(b)(1) and the guidance of HHS. {ONLY} The determination "
        f"is "
        "the expert's, with reasons and a signature of their own.",
        (
            (
                "The information, and who is to receive it",
                "For the expert to write: the recipient, what is available to them, and for how "
                "long "
                "the determination is to hold.",
                ("attributes", "added"),
            ),
            (
                "Replicability, availability and distinguishability",
                "Which attributes others could know, and how far they set people apart.",
                ("leakage", "classes"),
            ),
            (
                "The risk that the information could be used to identify an individual",
                "“Very small” is not a number in the rule: the expert says which risk is, and why.",
                ("risk", "attackers", "exposed"),
            ),
            (
                "Methods and results that justify the determination",
                "164.514(b)(1)(ii) asks that they are documented.",
                ("promises", "search", "mapping", "analyses", "utility", "again"),
            ),
        ),
    ),
    "ema-hc": Outline(
        "Evidence for an anonymisation report (EMA Policy 0070, Health Canada PRCI)",
        "In the order of the report that both authorities require, with their threshold of "
        f"0.09. {ONLY}",
        (
            (
                "Anonymisation methodology",
                "What was done, and how the risk is measured: quantitatively.",
                ("promises", "search"),
            ),
            (
                "Identification of data variables",
                "Direct identifiers, quasi-identifiers and the others, and what became of each.",
                ("attributes", "added", "mapping"),
            ),
            (
                "Assessment of anonymisation: the risk of re-identification",
                "For public data the limit is 0.09: classes of at least 11 people.",
                ("risk", "classes", "leakage", "attackers", "exposed"),
            ),
            ("Data utility considerations", "What is left for analysis.", ("analyses", "utility")),
            (
                "Conclusion",
                "For the applicant to write, on the evidence above.",
                ("limits", "again"),
            ),
        ),
    ),
    "iso-27559": Outline(
        "Evidence in the order of ISO/IEC 27559",
        f"By the parts of its framework for de-identification. {ONLY}",
        (
            (
                "Context assessment",
                "For the custodian to write: recipients, their obligations and motives, and the "
                "environment in which they hold the data.",
                (),
            ),
            (
                "Data assessment",
                "What the attributes are, and how far each sets people apart.",
                ("attributes", "leakage", "classes"),
            ),
            (
                "Identifiability assessment and mitigation",
                "The measured risk, adversarial tests, and what was done about it.",
                ("promises", "risk", "attackers", "exposed", "added", "mapping", "search"),
            ),
            (
                "De-identification governance",
                "Who answers for it, how long it holds, and how it is repeated and audited.",
                ("analyses", "utility", "limits", "again"),
            ),
        ),
    ),
    "wp216": Outline(
        "The three questions of WP216",
        "The Article 29 Working Party asks (opinion 05/2014) whether people in anonymised data "
        f"can be singled out, linked, or inferred about. {ONLY}",
        (
            (
                "Is it still possible to single out an individual?",
                "Classes of more than one, and attackers who look for a person's record.",
                ("promises", "classes", "risk", "singling-out", "exposed"),
            ),
            (
                "Is it still possible to link records relating to an individual?",
                "What each attribute tells, and attackers who ask whether somebody is in the "
                "release. "
                "Other releases of the same people are not seen here.",
                ("leakage", "linkability"),
            ),
            (
                "Can information be inferred concerning an individual?",
                "Promises about sensitive values, and attackers who learn what somebody has.",
                ("inference", "added"),
            ),
        ),
    ),
}
"""The templates, by name."""

_BY_QUESTION = {
    "singling-out": ("identity", "Attackers who single out"),
    "linkability": ("membership", "Attackers who link"),
    "inference": ("attribute", "Attackers who infer"),
}


def require_template(name: str) -> None:
    """Raise unless there is a template of that name.

    Raises:
        InputError: there is none.
    """
    if name not in OUTLINES:
        raise InputError(
            "unknown-template",
            f"there is no template '{name}': {did_you_mean(name, OUTLINES)}",
            remedy="name one of these, or leave it out for a plain report",
        )


def page(found: Evidence, template: str = "plain") -> Page:
    """The report of a release.

    Arguments:
        found: what is known of it.
        template: the order of its chapters.
    """
    outline = OUTLINES[template]
    if found.refused:
        return refusal(found)
    made = {name: chapter for name in CHAPTERS if (chapter := CHAPTERS[name](found)) is not None}
    groups = list(_groups(outline, made, found))
    used = {chapter.name for group in groups for chapter in group.chapters}
    if any(name in used for name in _BY_QUESTION):
        used.add("attackers")
    left = [chapter for name, chapter in made.items() if name not in used]
    if left:
        title = "Further evidence" if outline.headings else ""
        groups.append(Group(title, "", left))
    return Page(
        title=outline.title,
        public=found.public,
        lead=lead(found),
        tiles=tiles(found),
        answers=answers(found),
        groups=groups,
        made=f"Made by indistinct {found.certificate['version']} for the release of "
        f"{found.certificate['created']}.",
        note=outline.note,
    )


def _groups(outline: Outline, made: Mapping[str, Chapter], found: Evidence) -> Iterator[Group]:
    for title, note, names in outline.headings:
        chapters = [made[name] for name in names if name in made]
        for name in names:
            if name in _BY_QUESTION:
                kind, heading = _BY_QUESTION[name]
                chapter = attackers(found, (kind,))
                if chapter is not None:
                    chapters.append(Chapter(name, heading, chapter.reading, chapter.parts))
        yield Group(title, note, chapters)
