"""The same evidence, in the order in which a standard asks for it.

An outline has headings, what is asked there, and the chapters that speak to it. They are evidence
for an expert and never a certification, and each says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from indistinct.errors import InputError, did_you_mean
from indistinct.frozen import dataclass
from indistinct.report.chapters import CHAPTERS, attackers
from indistinct.report.chapters.evidence import Evidence
from indistinct.report.chapters.opening import answers, lead, refusal, tiles
from indistinct.report.page import Chapter, Group, Page
from indistinct.word_lists import lists_of

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


@cache
def outlines() -> Mapping[str, Outline]:
    """The templates, by name."""
    return {
        name: Outline(
            keys["title"],
            keys.get("note", "").format(only=ONLY),
            tuple(
                (one["title"], one["asked"], tuple(one["chapters"]))
                for one in keys.get("headings", ())
            ),
        )
        for name, keys in lists_of(__file__).items()
    }


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
    if name not in outlines():
        raise InputError(
            "unknown-template",
            f"there is no template '{name}': {did_you_mean(name, outlines())}",
            remedy="name one of these, or leave it out for a plain report",
        )


def page(found: Evidence, template: str = "plain") -> Page:
    """The report of a release."""
    outline = outlines()[template]
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
                chapter = attackers.chapter(found, (kind,))
                if chapter is not None:
                    chapters.append(Chapter(name, heading, chapter.reading, chapter.parts))
        yield Group(title, note, chapters)
