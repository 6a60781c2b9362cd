"""Roles of columns that neither name nor values speak for, from the columns around them.

PNEUMONIA, COPD, ASTHMA, DIABETES: whoever recognises one of them knows all, since they stand side
by side and have the same values. So it is with a column that is called like another but for a
letter or a number (``race`` and ``drace``), with one that follows from another, with numbers of
people that stand in a second column, and with whatever stands in a table about health.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import polars as pl

from indistinct.analytics.profile.concepts import Role
from indistinct.analytics.profile.names import (
    apart,
    names_one_of,
    of_questions,
    phrases,
    says_nothing,
    words,
)
from indistinct.analytics.profile.persons import NUMBERS, PEOPLE, STAYS
from indistinct.sources.table import Table

NEAR = 5
"""Columns that are so far apart, at most, stand side by side."""

FEW = 12
"""Columns with no more values than this are alike if their values are the same."""

MOST_TELLERS = 4
"""Columns of which it is looked whether another follows from them: those with the most values."""

PER_VALUE = 10
"""A column that others may follow from has so many records of each value, on average."""

MEASURED = 5
"""So many numbers that nothing speaks for, beside something about health, were measured."""

RARE = 5
"""Texts with fewer records of each value than this, on average, are not taken for anything."""

HEALTH = ("health", "sexual life")

OF_PEOPLE = ("age", "sex", "birth", "ethnicity", "education", "family")
"""What only columns about people are about."""


@dataclass(frozen=True)
class Neighbour:
    """What has to be known of a column: its name, role, what it is about, its values if few.

    ``sure`` says that its name or its values speak for the role, ``gaps`` that records lack one,
    ``left_out`` that it is an identifier only until somebody decides.
    """

    name: str
    role: Role
    about: str | None
    kind: str
    distinct: int
    filled: int
    values: frozenset[str] | None
    sure: bool
    sample: pl.Series
    gaps: bool = False
    left_out: bool = False


def settled(
    table: Table, columns: Sequence[Neighbour], *, patients: bool, people: bool = False
) -> dict[str, tuple[Role, str]]:
    """The role of every column whose neighbours say it, and why.

    Arguments:
        table: the table, to see what follows from what.
        columns: its columns, in their order.
        patients: whether a column numbers patients or their stays: then it is about health.
        people: whether a column numbers people who have several records.
    """
    found: dict[str, tuple[Role, str]] = dict(_keys_elsewhere(table, columns))
    known = [
        item for item in columns if item.sure and item.role in ("quasi-identifier", "sensitive")
    ]
    about = [item for item in columns if item.about in HEALTH]
    whole = lru_cache(maxsize=None)(lambda name: table.distinct([name]).height)
    ill = len(about) >= 2 or 5 * len(about) >= len(columns) > 0 < len(about) or patients
    ill = ill or (bool(about) and any(item.about == "stay" for item in columns))
    measured = sum(item.kind != "text" and not item.sure for item in columns)
    ill = ill or (bool(about) and measured >= MEASURED and 2 * measured >= len(columns))
    people = people or any(item.about in OF_PEOPLE for item in columns)
    questions = of_questions([item.name for item in columns])
    unnamed = sum(item.name in questions or says_nothing(item.name) for item in columns)
    nameless = len(columns) > 0 and 3 * unnamed >= 2 * len(columns)
    what = "health" if ill else "people, and could harm them" if people else None
    beside = f"it stands in a table about {what}" if what else None
    if nameless:
        beside = "its name says nothing, nor do those of most others, and it could harm"
    named = [one for one in about if one.kind == "text"]
    called: dict[str, list[tuple[int, Neighbour]]] = {}
    for at, one in enumerate(sorted(known, key=lambda other: -len(other.name))):
        called.setdefault("".join(words(one.name)), []).append((at, one))
    for at, item in enumerate(columns):
        if item.left_out and item.kind == "text" and (told := _names(table, named, item, whole)):
            found[item.name] = told
        if item.left_out and (told := _stands_for(table, known, item, whole)):
            found[item.name] = told
        if item.sure or item.distinct < 2 - item.gaps or item.name in found:
            continue
        rare = (item.kind == "text" or not (ill or nameless)) and RARE * item.distinct > item.filled
        rare = rare and item.distinct > 1
        told = (
            _alike(table, columns, at)
            or _called_alike(called, item)
            or _follows(table, known, item, whole)
            or (("sensitive", beside) if beside and not rare else None)
        )
        if told:
            found[item.name] = told
    return found | dict(_of_families(columns, found))


MEMBERS = 2
"""So many columns whose names begin alike, all sensitive numbers, speak for another one."""


def _of_families(
    columns: Sequence[Neighbour], found: Mapping[str, tuple[Role, str]]
) -> Iterator[tuple[str, tuple[Role, str]]]:
    """Columns left out for their long numbers, where those that begin alike are measurements.

    ``csf_prot`` stands beside ``csf_gluc`` and ``csf_wbc``; ``patient_no`` is none of them.
    """
    families: dict[str, list[Neighbour]] = {}
    for item in columns:
        if len(words(item.name)) > 1:
            families.setdefault(words(item.name)[0], []).append(item)
    for family in families.values():
        roles = {one.name: found.get(one.name, (one.role,))[0] for one in family}
        keys = any(roles[one.name] == "identifier" and not one.left_out for one in family)
        ill = [one for one in family if roles[one.name] == "sensitive" and one.kind != "text"]
        for item in () if keys or says_nothing(family[0].name) else family:
            numbers = item.left_out and item.kind == "integer" and item.name not in found
            if not numbers or names_one_of(apart(item.name), (*NUMBERS, *PEOPLE, *STAYS)):
                continue
            stem = words(item.name)[:-1]
            like = [
                one
                for one in ill
                if one.sure or "float" in one.kind or stem == words(one.name)[:-1]
            ]
            if len(like) >= MEMBERS:
                yield item.name, ("sensitive", f"it is called like '{like[0].name}'")


FEW_CODES = 5
"""So few numbers are the same in many columns: they say something if they go one by one."""


def _alike(table: Table, columns: Sequence[Neighbour], at: int) -> tuple[Role, str] | None:
    """The role of the nearest column with the same few values; two values say little of others."""
    item = columns[at]
    own = item.values
    if own is None:
        return None
    for distance in range(1, NEAR + 1):
        for other in (at - distance, at + distance):
            if not 0 <= other < len(columns):
                continue
            one = columns[other]
            if one.values is None or not one.sure:
                continue
            within = own <= one.values or one.values <= own
            ill = one.role == "sensitive" and within and len(own & one.values) >= 2
            seen = one.role == "quasi-identifier" and own == one.values and len(own) > 2
            if seen and one.kind == "integer" and len(own) <= FEW_CODES:
                seen = table.distinct([item.name, one.name]).height <= len(own) + item.gaps
            if ill or seen:
                return one.role, f"it stands beside '{one.name}' and has the same values"
    return None


def _called_alike(
    called: Mapping[str, Sequence[tuple[int, Neighbour]]], item: Neighbour
) -> tuple[Role, str] | None:
    """The role of a column with the same name but for a letter or two before it or behind it."""
    own = "".join(words(item.name))
    found: list[tuple[int, Neighbour]] = []
    several = phrases(item.name) if len(words(item.name)) > 1 else None
    for more in (1, 2, 3):
        for name in {own[:-more], own[more:]} if len(own) - more >= min(more + 1, 3) else ():
            numbered = name[-1].isdigit() and own[len(name) :].isdigit()
            if not numbered and (several is None or name in several):
                found += called.get(name, ())
    alike = {at: one for at, one in found if (one.kind == "text") == (item.kind == "text")}
    if not alike:
        return None
    nearest = alike[min(alike)]
    return nearest.role, f"it is called like '{nearest.name}'"


def _follows(
    table: Table,
    known: Sequence[Neighbour],
    item: Neighbour,
    whole: Callable[[str], int],
) -> tuple[Role, str] | None:
    """The role of a quasi-identifier of which every value goes with one value of the column."""
    tellers = [
        one
        for one in known
        if one.role == "quasi-identifier"
        and 2 * item.distinct <= one.distinct
        and PER_VALUE * one.distinct <= one.filled
        and one.filled == item.filled
    ]
    tellers.sort(key=lambda one: -one.distinct)
    for one in tellers[:MOST_TELLERS]:
        if table.distinct([one.name, item.name]).height == whole(one.name):
            return one.role, f"it follows from '{one.name}'"
    return None


def _names(
    table: Table,
    known: Sequence[Neighbour],
    item: Neighbour,
    whole: Callable[[str], int],
) -> tuple[Role, str] | None:
    """The role of names of illnesses of which every one goes with one value of the column."""
    for one in known:
        told = item.distinct <= one.distinct and 2 * one.distinct <= one.filled == item.filled
        if told and table.distinct([one.name, item.name]).height == whole(one.name):
            return one.role, f"it follows from '{one.name}'"
    return None


def _stands_for(
    table: Table,
    known: Sequence[Neighbour],
    item: Neighbour,
    whole: Callable[[str], int],
) -> tuple[Role, str] | None:
    """The role of a quasi-identifier whose values go one by one with those of the column."""
    for one in known:
        near = 0.9 * one.distinct <= item.distinct <= 1.1 * one.distinct
        repeats = one.distinct > FEW and 5 * one.distinct <= 4 * one.filled
        if one.role != "quasi-identifier" or not (near and repeats):
            continue
        if table.distinct([one.name, item.name]).height <= 1.1 * whole(one.name):
            return one.role, f"its values stand for those of '{one.name}'"
    return None


ELSEWHERE = 0.8
"""From this share of numbers on, those of a column are held to be keys of another."""

SOME_ELSEWHERE = 0.2
"""The same for texts, of which so many are never in another column by chance."""

_LONG = 5
_MANY = 20


def _keys_elsewhere(
    table: Table, columns: Sequence[Neighbour]
) -> Iterator[tuple[str, tuple[Role, str]]]:
    """Columns of which the values are numbers of people or records of another column."""
    keys = [item for item in columns if item.role == "identifier" and _could_be_keys(item)]
    for item in columns:
        if item.role not in ("sensitive", "insensitive") or not _could_be_keys(item):
            continue
        for key in keys:
            held = table.distinct([key.name])[key.name]
            share = ELSEWHERE if item.kind == "integer" else SOME_ELSEWHERE
            if key.kind == item.kind and _share(item.sample.is_in(held.implode())) >= share:
                yield item.name, ("identifier", f"its values are those of '{key.name}'")
                break


def _could_be_keys(item: Neighbour) -> bool:
    if item.kind not in ("integer", "text") or item.distinct <= _MANY:
        return False
    return bool((item.sample.str.len_chars() >= _LONG).all())


def _share(held: pl.Series) -> float:
    return float(held.sum()) / max(1, len(held))
