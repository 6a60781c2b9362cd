"""Codes of a classification of diseases: 250.01, 250.0, 250, their block, their chapter.

The classifications are ``icd-9-cm`` and ``icd-10``, which knows the codes of ICD-10-CM as well. All
that is needed is in their tables of ranges: a category between two blocks, as old and national
versions have them, is under its chapter at once, and a text outside of all chapters is no code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from indistinct.errors import PolicyError, Problem, did_you_mean
from indistinct.hierarchies import icd9, icd10
from indistinct.hierarchies.code_ranges import Code, Ranges
from indistinct.hierarchies.domain import texts, unplaced
from indistinct.hierarchies.settings import unknown, wrong
from indistinct.hierarchies.taxonomy import SUPPRESSED, Label, Taxonomy

NAMES = ("icd-9-cm", "icd-10")
"""The classifications there are."""

LEVELS = ("subcategory", "category", "block", "chapter")
"""What a code may be published as, from fine to coarse: 250.0, 250, 249-259, 240-279 endocrine and
metabolic diseases."""

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
    """The classification of that name, one of :data:`NAMES`."""
    table = {"icd-9-cm": icd9, "icd-10": icd10}[name]
    return CodeSystem(
        Ranges(table.CHAPTERS.strip().splitlines()),
        Ranges(table.BLOCKS.split(), table.ELSEWHERE),
        table.read,
    )


def code_systems_taxonomy(
    attribute: str,
    values: Iterable[Label],
    *,
    name: str,
    levels: Sequence[str] = LEVELS,
) -> Taxonomy:
    """Level 0 the codes, then shorter codes, their category, block and chapter, then ``*``.

    A level is left out when no code is longer than it: of codes of three digits there are block
    and chapter. Among longer codes, a shorter one stays as it is until its own level. Codes may be
    written with or without a dot, in capitals or not; from level 1 on they are written with a dot
    and in capitals. Leaves are in the order of the classification.

    Arguments:
        attribute: the attribute's name.
        values: the texts in the data, codes.
        name: the classification, ``"icd-9-cm"`` or ``"icd-10"`` (ICD-10-CM as well).
        levels: some of "subcategory" (one sign less per level), "category", "block", "chapter", in
            this order.

    Raises:
        PolicyError: for settings that make no sense.
        HierarchyError: for values that are no codes, and when there are no values.

    >>> for row in code_systems_taxonomy("icd", ["250.01", "401"], name="icd-9-cm").rows():
    ...     print(" < ".join(row))
    250.01 < 250.0 < 250 < 249-259 < 240-279 endocrine and metabolic diseases < *
    401 < 401 < 401 < 401-405 < 390-459 circulatory system < *
    """
    if problems := check({"name": name, "levels": levels}):
        raise PolicyError(problems)
    system = code_system(name)
    found = texts(values)
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
    levels = settings.get("levels", LEVELS)
    if not isinstance(levels, (list, tuple)) or not levels:
        example = 'levels = ["category", "block", "chapter"]'
        return [*problems, wrong(builder, "levels must be a list", example)]
    problems += [
        wrong(builder, f"there is no level {level!r}: {did_you_mean(str(level), LEVELS)}")
        for level in levels
        if level not in LEVELS
    ]
    ranks = [LEVELS.index(level) for level in levels if level in LEVELS]
    if any(low >= high for low, high in pairwise(ranks)):
        problems.append(wrong(builder, f"levels must go from fine to coarse: {', '.join(LEVELS)}"))
    return problems


def unreadable(values: Iterable[str], *, name: str, **_: object) -> list[str]:
    """The texts that are no codes of that classification."""
    system = code_system(name)
    return [value for value in values if system.read(value) is None]
