"""Codes of a classification: 250.01, 250.0, 250, their block, their chapter; A10BA02, A10BA, ...

The classifications of diseases are ``icd-9-cm`` and ``icd-10``, which knows the codes of ICD-10-CM
as well. All that is needed is in their tables of ranges: a category between two blocks, as old and
national versions have them, is under its chapter at once, and a text outside of all chapters is no
code. Drugs are classified by ``atc`` (Anatomical Therapeutic Chemical, WHO), places by ``us-zip``,
``us-state`` and ``country``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from indistinct.errors import PolicyError, Problem, did_you_mean, refuse
from indistinct.frozen import dataclass
from indistinct.hierarchies import icd9, icd10
from indistinct.hierarchies.code_ranges import Code, Ranges
from indistinct.hierarchies.domain import texts, unplaced
from indistinct.hierarchies.places import place_of
from indistinct.hierarchies.settings import rising_levels, unknown, wrong
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy
from indistinct.word_lists import lists_of

LEVELS = ("subcategory", "category", "block", "chapter")
"""What a code of a disease may be published as, from fine to coarse: 250.0, 250, 249-259, 240-279
endocrine and metabolic diseases."""

LISTS: Mapping[str, tuple[str, ...]] = {
    "atc": ("chemical", "pharmacological", "therapeutic", "anatomical"),
    "us-zip": ("five-digits", "three-digits", "one-digit"),
    "us-state": ("division", "region"),
    "country": ("subregion", "region"),
}
"""The other classifications, each with its levels from fine to coarse: of A10BA02 the groups A10BA,
A10B, A10 and A; of 02139-4307 the areas 02139, 021** and 0****; of Maine New England and Northeast;
of Mali Western Africa and Africa."""

DISEASES = ("icd-9-cm", "icd-10")
"""The classifications of diseases."""

NAMES = (*DISEASES, *LISTS)
"""The classifications there are."""

KEYS = ("name", "levels")


@dataclass(frozen=True)
class CodeSystem:
    """A classification: how its codes are read, and what they belong to."""

    chapters: Ranges
    """The chapters; a category in none of them is no category."""

    blocks: Ranges
    """The blocks of categories within the chapters."""

    written: Callable[[str], Code | None]
    """What reads a text as a code, whether or not there is such a chapter."""

    def read(self, text: str) -> Code | None:
        """A text as a code of a category in a chapter, or None."""
        code = self.written(text)
        return code if code is not None and self.chapters.home(code.category) else None

    def chapter(self, category: str) -> str:
        """The chapter of a category that :meth:`read` has found."""
        found = self.chapters.home(category)
        assert found is not None
        return found

    def block(self, category: str) -> str:
        """The block of a category; its chapter if it is between two blocks."""
        return self.blocks.home(category) or self.chapter(category)


@cache
def code_system(name: str) -> CodeSystem:
    """The classification of diseases of that name."""
    table = {"icd-9-cm": icd9, "icd-10": icd10}[name]
    lists = lists_of(table.__file__)
    return CodeSystem(
        Ranges(lists["chapters"].splitlines()),
        Ranges(lists["blocks"].split(), lists["elsewhere"]),
        table.read,
    )


_ATC = re.compile(r"[ABCDGHJLMNPRSV](\d\d([A-Z]([A-Z](\d\d)?)?)?)?", re.ASCII)
_ZIP = re.compile(r"(\d{1,5})(?:-\d{4})?", re.ASCII)


def _listed(name: str, text: str) -> tuple[str, ...] | None:
    """What a text belongs to at every level of a classification that is a list; None for no code.

    >>> _listed("us-zip", "2139"), _listed("us-zip", "021")
    (('02139', '021**', '0****'), ('021**', '021**', '0****'))
    """
    if name == "atc":
        code = text.strip().upper()
        found = _ATC.fullmatch(code)
        return tuple(code[:length] for length in (5, 4, 3, 1)) if found else None
    if name == "us-zip":
        written = _ZIP.fullmatch(text.strip())
        if written is None:
            return None
        # Numbers have lost the zeros that they began with; an area has three digits.
        area = written[1].zfill(3) if len(written[1]) <= 3 else written[1].zfill(5)
        return (area.ljust(5, "*"), f"{area[:3]}**", f"{area[0]}****")
    place = place_of(name, text)
    return place and (place.group, place.region)


def read(name: str, text: str) -> object | None:
    """What a text is in the classification of that name, or None if it is no code of it."""
    return _listed(name, text) if name in LISTS else code_system(name).read(text)


def group_of(text: str, name: str, level: str) -> str | None:
    """The group of a level that a code belongs to, or that a text is; None for neither.

    Arguments:
        text: the code, or the text of a group.
        name: the code system.
        level: the level, as :func:`levels_of` names it.

    >>> group_of("250.01", "icd-9-cm", "block"), group_of("249-259", "icd-9-cm", "block")
    ('249-259', '249-259')
    >>> group_of("A10BA02", "atc", "therapeutic"), group_of("hoarse", "icd-10", "chapter")
    ('A10', None)
    """
    if name in LISTS:
        chain = _listed(name, text)
        return None if chain is None else chain[LISTS[name].index(level)]
    system = code_system(name)
    code = system.read(text)
    if code is None:
        first = re.split("[- ]", text, maxsplit=1)[0]
        return text if first != text and group_of(first, name, level) == text else None
    if level == "chapter":
        return system.chapter(code.category)
    if level == "block":
        return system.block(code.category)
    return code.cut(level == "subcategory")


def groups_of(values: Iterable[str | None], name: str, level: str | None) -> dict[str, list[str]]:
    """The values of every group of a level that holds some; no code is in none.

    Arguments:
        values: codes and other texts, None for missing.
        name: the code system.
        level: the level, as :func:`levels_of` names it; the coarsest where not given.
    """
    level = level or levels_of(name)[-1]
    found: dict[str, list[str]] = {}
    for value in sorted({one for one in values if one is not None}):
        group = group_of(value, name, level)
        if group is not None:
            found.setdefault(group, []).append(value)
    return found


def levels_of(name: str) -> tuple[str, ...]:
    """The levels of the classification of that name, from fine to coarse."""
    return LISTS.get(name, LEVELS)


def _list_taxonomy(
    attribute: str, found: Sequence[str], name: str, levels: Sequence[str] | None
) -> Taxonomy:
    known = levels_of(name)
    read_as = [(text, _listed(name, text)) for text in found]
    rows = [(text, *chain) for text, chain in read_as if chain is not None]
    if bad := len(found) - len(rows):
        raise unplaced(attribute, bad, f"a code of {name}")
    at = [known.index(level) + 1 for level in levels or known]
    if levels is None:  # a level on which nothing changes would be one for nothing
        at = [one for one in at if any(row[one] != row[max(0, one - 1)] for row in rows)]
    chains = [(row[0], *(row[one] for one in at), SUPPRESSED) for row in rows]
    return Taxonomy(attribute, sorted(chains, key=lambda chain: (*chain[::-1],)))


def code_systems_taxonomy(
    attribute: str,
    values: Iterable[Label],
    *,
    name: str,
    levels: Sequence[str] | None = None,
) -> Taxonomy:
    """Level 0 the codes, then shorter codes, their category, block and chapter, then ``*``.

    A level is left out when no code is longer than it: of codes of three digits there are block
    and chapter. Among longer codes, a shorter one stays as it is until its own level. Codes may be
    written with or without a dot, in capitals or not; from level 1 on they are written with a dot
    and in capitals. Leaves are in the order of the classification.

    Arguments:
        attribute: the attribute's name.
        values: the texts in the data, codes.
        name: the classification: ``"icd-9-cm"``, ``"icd-10"`` (ICD-10-CM as well), ``"atc"`` for
            drugs, ``"us-zip"``, ``"us-state"`` (codes or names), ``"country"`` (ISO codes or
            English names).
        levels: of diseases some of "subcategory" (one sign less per level), "category", "block",
            "chapter"; of ``atc`` "chemical", "pharmacological", "therapeutic", "anatomical"; of
            ``us-zip`` "five-digits", "three-digits", "one-digit"; of ``us-state`` "division",
            "region"; of ``country`` "subregion", "region"; in this order.

    Raises:
        PolicyError: for settings that make no sense.
        HierarchyError: for values that are no codes, and when there are no values.

    >>> for row in code_systems_taxonomy("icd", ["250.01", "401"], name="icd-9-cm").rows():
    ...     print(" < ".join(row))
    250.01 < 250.0 < 250 < 249-259 < 240-279 endocrine and metabolic diseases < *
    401 < 401 < 401 < 401-405 < 390-459 circulatory system < *
    """
    refuse(PolicyError, check({"name": name} | ({} if levels is None else {"levels": levels})))
    found = texts(values)
    if name in LISTS:
        return _list_taxonomy(attribute, found, name, levels)
    system, levels = code_system(name), levels or LEVELS
    read = [(system.read(text), text) for text in found]
    codes = sorted((code, text) for code, text in read if code is not None)
    if bad := len(found) - len(codes):
        raise unplaced(attribute, bad, f"a code of {name}")
    longest = max((len(code.rest) for code, _ in codes), default=0)
    lengths = list(range(longest - 1, 0, -1)) if "subcategory" in levels else []
    if longest and "category" in levels:
        lengths.append(0)

    chains = []
    for code, text in codes:
        chain = [text, *map(code.cut, lengths)]
        if "block" in levels:
            chain.append(system.block(code.category))
        if "chapter" in levels:
            chain.append(system.chapter(code.category))
        chains.append((*chain, SUPPRESSED))
    return Taxonomy(attribute, chains)


def check(settings: Mapping[str, object]) -> list[Problem]:
    """What is wrong with the settings, without looking at data."""
    builder = "code_system"
    problems = unknown(builder, settings, KEYS)
    name = settings.get("name")
    if name not in NAMES:
        hint = did_you_mean(str(name or ""), NAMES)
        problems.append(wrong(builder, f"there is no code system {name!r}: {hint}"))
    known = levels_of(str(name))
    return problems + rising_levels(builder, settings.get("levels", known), known, known[-2:])


def unreadable(values: Iterable[str], *, name: str, **_: object) -> list[str]:
    """The texts that are no codes of a classification.

    Arguments:
        values: the texts.
        name: the classification.
        _: further settings of the hierarchy, which do not count here.
    """
    return [value for value in values if read(name, value) is None]
