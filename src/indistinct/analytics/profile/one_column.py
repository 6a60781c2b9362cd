"""A column seen by itself: its values, what they are, the role they suggest, and what to look at.

Values speak first, names second; a title that the file has for the column may speak for its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from indistinct.analytics.profile.amounts import has_decimal_commas, looks_measured
from indistinct.analytics.profile.concepts import Concept, Role
from indistinct.analytics.profile.contents import Content, content_of
from indistinct.analytics.profile.described import (
    COMMAS,
    LEFT_OUT,
    LISTS,
    NOTHING,
    SAME,
    SPELLINGS,
    AttributeProfile,
    Warned,
)
from indistinct.analytics.profile.hierarchy_draft import Draft, draft_hierarchy, type_of
from indistinct.analytics.profile.long_texts import are_lists, is_doorstep, is_free_text
from indistinct.analytics.profile.meaning import concept_by, meant
from indistinct.analytics.profile.missing_codes import Far, suspected
from indistinct.analytics.profile.names import is_one_of, names_one_of, words
from indistinct.analytics.profile.neighbours import FEW, RARE
from indistinct.analytics.profile.record_numbers import (
    FEW_RECORDS,
    LEAST_DIGITS,
    PER_PLACE,
    K,
    could_be_numbers,
    is_number_of_records,
    numbers_records,
    numbers_stays,
    of_one_record,
    shared_by_many,
)
from indistinct.analytics.profile.safe_harbor import Column as Looked
from indistinct.analytics.profile.safe_harbor import (
    Tag,
    numbers_kinds,
    numbers_somebody,
    recognise,
)
from indistinct.analytics.profile.unread import could_count_days, how_to_write
from indistinct.analytics.profile.values import Values, read_values
from indistinct.document import in_quotes, many
from indistinct.frozen import dataclass
from indistinct.sources.table import COUNT, Table

_SIGNS = re.compile(r"[\s.,;:_'/()-]+")
MOST_LETTERS_OF_A_CODE = 3


def count_values(table: Table, column: str) -> pl.DataFrame:
    """The distinct texts of a column, null for missing, and how often each occurs."""
    value, count = table.distinct([column]).get_columns()
    return pl.DataFrame([value.alias("value"), count.alias(COUNT)])


KEPT = 100
"""So many values of a column are kept until all have been looked at."""


@dataclass(frozen=True)
class Look:
    """A column seen by itself: its profile, its values if they are few, and suspected codes.

    ``read`` is how they were understood, if they are few; ``measured`` says that they are spread as
    measurements are.
    """

    item: AttributeProfile
    values: frozenset[str] | None
    sample: pl.Series
    far: Far
    read: tuple[Values, Content | None] | None
    measured: bool


def values_of(
    table: Table, column: str, missing: Sequence[str] = (), called: str | None = None
) -> tuple[Values, Content | None]:
    """The values of a column without those that stand for missing, and what they are.

    Arguments:
        table: the table.
        column: the column.
        missing: texts that stand for a missing value.
        called: what the column's name says, if that is less than the whole of it.
    """
    counted, kind = count_values(table, column), table.kinds[column]
    values = read_values(counted, kind, missing)
    content = content_of(called or column, values)
    if content is not None and content.missing:
        values = read_values(counted, kind, (*missing, *content.missing))
    if content is not None and content.code_system and content.concept == "health":
        # Codes of diseases with a letter are no strays among numbers.
        values = replace(values, kind="text", numbers=None, stray=(), stray_records=0)
    if content is not None and content.ages:
        values = replace(values, kind="text", numbers=None, stray=(), stray_records=0)
    return values, content


def look_at(
    table: Table, column: str, records: int, called: str, codes: Sequence[str] = ()
) -> Look:
    """A column as its name and its values show it.

    Arguments:
        table: the table.
        column: its name.
        records: how many records the table has.
        called: what the name says, or a title.
        codes: numbers that stand for a missing value.
    """
    values, content = values_of(table, column, codes, called)
    filled = values.filled
    shape = "date" if content is not None and content.since else values.kind
    tags = recognise(Looked(called, shape, filled, values.distinct, values.sample, values.largest))
    free_text = is_free_text(called, values) and not (
        is_doorstep(called, values, tags) or any(tag.kind.direct for tag in tags)
    )
    found = meant(called, concept_by(called, content), values)
    gaps = filled < records
    role, reasons = _role(called, values, tags, free_text, found, gaps)
    concept = found[0] if found else None
    number = role == "identifier" and values.kind == "text"
    kind = "text" if free_text or number else type_of(called, values, concept, content)
    draft = Draft()
    if role == "quasi-identifier" or (content and content.code_system and role == "sensitive"):
        draft = draft_hierarchy(called, values, kind, content)
    counts = values.counts.to_numpy()
    plain = AttributeProfile(
        attribute=column,
        kind=values.kind,
        records=records,
        distinct=values.distinct,
        unique_share=share_of(int((counts == 1).sum()), filled),
        rare_share=share_of(int(counts[counts < K].sum()), filled),
        missing=records - filled,
        missing_tokens=values.missing_tokens,
        tags=tags,
        free_text=free_text,
        role=role,
        reasons=tuple(reasons),
        draft=draft,
        about=concept.name if concept else None,
        type=kind,
        called=called,
        codes=tuple(codes),
        sure=reasons != [NOTHING],
    )
    unread = (Warned(*told) for told in how_to_write(called, values, plain.about))
    warnings = (*_warnings(table, plain, values), *unread)
    return Look(
        replace(plain, warnings=warnings, notes=tuple(_notes(values))),
        frozenset(values.texts) if values.distinct <= FEW else None,
        values.sample.head(200),
        {} if content or codes else suspected(values, called),
        (values, content) if values.distinct <= KEPT else None,
        not plain.sure and RARE * values.distinct > filled and looks_measured(values),
    )


def telling(by_name: Look, by_title: Look, title: str) -> Look:
    """A column that has a name and a title, seen by the one that tells what it is about.

    What either takes for an identifier is one. A question tells less than a few words do.

    Arguments:
        by_name: the column as its name shows it.
        by_title: the same, as its title does.
        title: the title.
    """
    sure, sure_by_name = (
        look.item.role == "identifier" and not look.item.left_out for look in (by_title, by_name)
    )
    question = len(words(title)) > _MOST_WORDS
    told = by_title.item.about is not None and not (question and by_name.item.about)
    if not (sure or (told and not sure_by_name)):
        return replace(by_name, item=replace(by_name.item, title=title))
    reasons = tuple(why.replace("its name", "its title", 1) for why in by_title.item.reasons)
    return replace(by_title, item=replace(by_title.item, title=title, reasons=reasons))


_MOST_WORDS = 8
"""A longer title is a question, such as that of a survey."""


def in_role(
    table: Table,
    item: AttributeProfile,
    read: tuple[Values, Content | None] | None,
    role: Role,
    why: str,
) -> AttributeProfile:
    """The same column in another role; its values are read again where they were too many.

    Arguments:
        table: the table.
        item: the column.
        read: its values and what they are, unless they were too many.
        role: the other role.
        why: the reason to tell.
    """
    values, content = read or values_of(table, item.attribute, item.codes, item.called)
    draft = Draft()
    if role == "quasi-identifier":
        draft = draft_hierarchy(item.called or item.attribute, values, item.type, content)
    changed = replace(item, role=role, reasons=(why,), draft=draft)
    return replace(changed, warnings=tuple(_warnings(table, changed, values)))


def share_of(part: int, whole: int) -> float:
    """The share of a part; 0 of nothing."""
    return part / whole if whole else 0.0


def _role(
    column: str,
    values: Values,
    tags: tuple[Tag, ...],
    free_text: bool,
    found: tuple[Concept, str] | None,
    gaps: bool,
) -> tuple[Role, list[str]]:
    """The role to suggest, and why."""
    place = found is not None and found[0].name in ("place", "stay")
    place = place and names_one_of(column, _PEOPLE) is None
    called_id = is_one_of(column, ("id", "ids")) is not None
    direct = [
        tag
        for tag in tags
        if tag.kind.direct and (called_id or _stands_for_people(column, tag, values, place))
    ]
    if direct:
        return "identifier", [str(tag) for tag in direct]
    if values.distinct == 0:
        return "identifier", [f"{LEFT_OUT}: no value to look at"]
    if is_doorstep(column, values, tags):
        return "identifier", ["a place this small is as good as a name"]
    if free_text:
        return "identifier", [FREE]
    indirect = [str(tag) for tag in tags]
    dated = values.kind in ("date", "datetime") and (values.distinct > 1 or gaps)
    if dated and not (found and found[0].role == "quasi-identifier"):
        return "quasi-identifier", ["others know when things happened"]
    alone = of_one_record(values)
    known = found is not None and found[0].role == "quasi-identifier"
    if known and numbers_records(column, values, found):
        return "identifier", ["a different number or code in every record, like a record number"]
    if alone and not known:
        return "identifier", [alone]
    if found and (number := numbers_stays(column, values, found[0])):
        return "identifier", [number]
    if found:
        concept, why = found
        same = values.distinct == 1 and not gaps and values.filled > FEW_RECORDS
        if same and concept.role == "quasi-identifier" and not indirect:
            return "insensitive", ["the same value in every record distinguishes nobody"]
        return concept.role, [f"{why}: {concept.why}"]
    if indirect and (values.distinct > 1 or gaps):
        return "quasi-identifier", indirect
    return _role_by_values(column, values, gaps)


def _role_by_values(column: str, values: Values, gaps: bool) -> tuple[Role, list[str]]:
    """The role of a column of which nobody knows what it is about."""
    if is_number_of_records(values):
        return "identifier", ["a different value in every record, like a record number"]
    if values.distinct == 1 and not gaps:
        return "insensitive", [SAME]
    kinds = numbers_kinds(column) and 2 * values.distinct <= values.filled
    if could_be_numbers(values) and not kinds:
        days = ", or days counted since 1899-12-30 or 1970-01-01" * could_count_days(values)
        return "identifier", [
            f"{LEFT_OUT}: its values could be numbers of people, things or places{days}"
        ]
    return "insensitive", [NOTHING]


FREE = "free text may hold names, places and dates, and cannot be recoded"
_PEOPLE = (
    "subject",
    "patient",
    "person",
    "pat",
    "participant",
    "client",
    "member",
    "case",
    "record",
)
"""Words of names of which the numbers are those of people, with any other words."""


def _stands_for_people(column: str, tag: Tag, values: Values, place: bool) -> bool:
    """Whether a tag that rests on the name alone may decide: a column of few values may not.

    Nor may it for numbers of places that many records have.
    """
    if tag.by != ("name",) or tag.kind.name == "names" or numbers_somebody(column):
        return True
    if values.distinct == 0 or (values.distinct == 1 and not place):
        return True  # what another table has in it is no more than its name says
    if tag.kind.name == "telephone" and values.sample.str.contains(_DIALLED).any():
        return True
    if place and tag.kind.name == "other" and shared_by_many(values):
        return False
    if "says id" in tag.why and values.kind == "integer" and values.distinct > 2:
        lengths = values.sample.str.len_chars()
        if (lengths > LEAST_DIGITS).all():  # numbers of things, not codes of a few kinds
            return True
    several = 20 if "says id" not in tag.why else PER_PLACE - 1
    return values.distinct > several or values.distinct * 2 >= values.filled


_DIALLED = r"(\d[\s().\-/]*){7}"
"""Digits of a telephone number: one that others have as well, as of a house, is dialled too."""

IN_TIME_TO_COME = 2075
"""Dates from this year on are no dates of people who are known, but moved ones."""

NEARLY_UNIQUE = (
    "anyone who knows the value finds the record: make it a quasi-identifier, unless nobody "
    "can know it"
)


def _warnings(table: Table, item: AttributeProfile, values: Values) -> Iterator[Warned]:
    filled = item.records - item.missing
    if item.role in ("sensitive", "insensitive") and item.nearly_unique:
        yield Warned(
            "nearly-unique",
            f"nearly unique, with {many(item.distinct, 'value')} in {many(filled, 'record')}: "
            f"{NEARLY_UNIQUE}",
        )
    if item.free_text:
        yield Warned("free-text", "free text: it may name people")
    if values.stray_records and item.role == "quasi-identifier":
        what = "dates" if item.kind == "date" else "numbers"
        rows = table.rows_where(item.attribute, values.stray)
        where = f" (row {', '.join(str(row) for row in rows[:10])})" if rows else ""
        yield Warned(
            "strays",
            f"{values.stray_records:,} of its values are not {what} like the others{where}:"
            " correct them, or they are suppressed",
        )
    if values.mixed_dates:
        yield Warned(
            "dates-in-several-ways",
            "its dates are written in several ways, and cannot become months or years: write them"
            " alike, such as 2024-01-31",
        )
    if values.ambiguous_dates:
        yield Warned(
            "day-or-month-first",
            "its dates do not show whether the day or the month comes first: check the format",
        )
    if (
        values.first != values.last
        and values.last is not None
        and values.last.year >= IN_TIME_TO_COME
    ):
        yield Warned(
            "shifted-dates",
            "its dates lie in years to come, as where dates were shifted: only the days between two"
            " dates of a person are true. Publish an age and a length of stay in their place",
        )
    if values.short_years:
        yield Warned(
            "years-of-two-digits",
            "years of two digits: 00 to 68 are read as 2000 to 2068, others as 1969 to 1999",
        )


def _notes(values: Values) -> Iterator[str]:
    if values.blanks_around:
        yield "some values begin or end with a blank"
    if has_decimal_commas(values):
        yield COMMAS
    if alike := _spelled_alike(values):
        yield f"{SPELLINGS}: {in_quotes(alike)}"
    if values.kind == "text" and values.distinct > 2 and are_lists(values):
        yield LISTS


def _spelled_alike(values: Values) -> list[str]:
    """The first values that are the same word, written in several ways."""
    if values.kind != "text":
        return []
    ways: dict[str, list[str]] = {}
    for text in values.sample:
        word = _SIGNS.sub("", text).casefold()
        if len(word) > MOST_LETTERS_OF_A_CODE and word.isalpha():
            ways.setdefault(word, []).append(text.strip())
    return next(([*dict.fromkeys(one)] for one in ways.values() if len({*one}) > 1), [])
