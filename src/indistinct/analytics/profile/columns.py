"""What each column of a table looks like, and which role and hierarchy that suggests.

A role is never guessed for a release: what is suggested here is a draft with its reasons, for a
person to correct. Values speak first, names second, and the columns around it speak for a column of
which neither does. Everything is computed from how often each value of a column occurs, which the
engine that holds the table counts. No value of a column is told, but for the categories of a
quasi-identifier that has few, what lies within another column, and what stands for a missing value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
import polars as pl

from indistinct.analytics.profile.amounts import (
    has_decimal_commas,
    looks_measured,
)
from indistinct.analytics.profile.codebooks import titles_of
from indistinct.analytics.profile.concepts import (
    FREE_TEXT,
    Concept,
    Role,
    concept_of,
)
from indistinct.analytics.profile.contents import (
    MOST,
    NEARLY_ALL,
    Content,
    content_of,
)
from indistinct.analytics.profile.counted import column_of_counts, told_of_counts
from indistinct.analytics.profile.hierarchy_draft import ZIP, Draft, Type, draft_hierarchy, type_of
from indistinct.analytics.profile.meaning import concept_by, meant
from indistinct.analytics.profile.missing_codes import Far, missing_codes, suspected
from indistinct.analytics.profile.names import (
    is_one_of,
    names_one_of,
    without_prefix,
    words,
)
from indistinct.analytics.profile.neighbours import (
    FEW,
    RARE,
    SOME_RECORDS,
    Neighbour,
    counted_from,
    settled,
)
from indistinct.analytics.profile.nested import Nestable, columns_around, tree_of
from indistinct.analytics.profile.person_keys import Column, Numbering, counting, crossed
from indistinct.analytics.profile.persons import (
    BLANK_BELOW,
    Persons,
    blank_below,
    filled_once,
    keys_of_people,
    persons_of,
)
from indistinct.analytics.profile.record_numbers import (
    FEW_RECORDS,
    LEAST_DIGITS,
    NEARLY_EACH,
    PER_PLACE,
    K,
    could_be_numbers,
    is_number_of_records,
    numbers_records,
    numbers_stays,
    of_one_record,
    shared_by_many,
)
from indistinct.analytics.profile.safe_harbor import (
    IS_A_POINT,
    POINTS,
    Tag,
    names_a_doorstep,
    numbers_somebody,
    recognise,
)
from indistinct.analytics.profile.safe_harbor import Column as Looked
from indistinct.analytics.profile.unread import (
    DAYS,
    are_units_of_time,
    could_count_days,
    how_to_write,
    told_of_units,
)
from indistinct.analytics.profile.values import Values, read_values
from indistinct.document import PlainData, in_quotes, many
from indistinct.frozen import dataclass, field
from indistinct.hierarchies.moments import SINCE
from indistinct.sources.engines import open_table
from indistinct.sources.table import COUNT, Table
from indistinct.types import Frame, PlainMapping

LEFT_OUT = "left out until you decide"
FOLLOWS = "follows from"
ALSO_TOLD = "tell what another quasi-identifier tells: leave one of the two out"
IN_A_TREE = "a narrower column has a tree over it: leave it out if readers do not need it alone"
COMMAS = (
    'numbers with a decimal comma are read as texts: say decimal = "," under [source], or write'
    " them with a point"
)

SPELLINGS = "values that differ only in capitals, blanks or signs: write them alike"
LISTS = "cells that list several values: a promise takes each list for one value"
_SIGNS = re.compile(r"[\s.,;:_'/()-]+")
MOST_LETTERS_OF_A_CODE = 3

MANY_COLUMNS = 60
"""From this many columns on, a policy is shorter that names those to be released alone."""

MANY_QUASI_IDENTIFIERS = 12
"""From this many quasi-identifiers on, a person should look whether all of them are needed."""


@dataclass(frozen=True)
class Warned(PlainData):
    """Something that a person should look at before a release: a code for it, and the sentence."""

    code: str
    message: str


@dataclass(frozen=True)
class AttributeProfile(PlainData):
    """What one column looks like, and what is suggested for it.

    ``distinct`` counts the different values, ``missing`` the records without one (empty cells and
    ``missing_tokens`` alike). ``unique_share`` is the share of the other records that are alone
    with their value, ``rare_share`` the share whose value fewer than five records have. ``kind`` is
    how the values are written, ``type`` what they are. ``codes`` are the numbers that were taken
    for missing. ``sure`` is false where neither name nor values speak for the role. ``called`` is
    the name without what most names of the table begin with, or the ``title`` that the file has for
    the column, where that says more.
    """

    told_keys: ClassVar = (
        "attribute title? role why kind=type written=kind sure distinct unique_share "
        "rare_share nearly_unique missing missing_tokens free_text tags hierarchy notes "
        "warnings"
    )

    attribute: str
    kind: str
    records: int
    distinct: int
    unique_share: float
    rare_share: float
    missing: int
    missing_tokens: Mapping[str, int]
    tags: tuple[Tag, ...]
    free_text: bool
    role: Role
    reasons: tuple[str, ...]
    draft: Draft = field(default_factory=Draft)
    notes: tuple[str, ...] = ()
    warnings: tuple[Warned, ...] = ()
    about: str | None = None
    type: Type = "text"
    codes: tuple[str, ...] = ()
    sure: bool = True
    called: str = ""
    title: str = ""

    @property
    def hierarchy(self) -> str | PlainMapping | None:
        """The suggested hierarchy, as a policy writes it; None where the role needs none."""
        return self.draft.spec

    @property
    def why(self) -> str:
        """The reasons for the role, in one line."""
        return "; ".join(self.reasons)

    @property
    def left_out(self) -> bool:
        """Whether the column is an identifier only until somebody decides."""
        return any(why.startswith(LEFT_OUT) for why in self.reasons)

    @property
    def nearly_unique(self) -> bool:
        """Whether most records can be told apart, or almost, by this column alone.

        So it is when a value is shared by fewer than five records on average, or when half of the
        records have a value that is as rare as that.
        """
        filled = self.records - self.missing
        return _tells_apart(filled, self.distinct, self.rare_share)


@dataclass(frozen=True)
class Profile:
    """What the columns of a table look like, and what is suggested for each.

    ``person`` is the column that says whose a record is, where people seem to have many.
    """

    table: str
    records: int
    attributes: tuple[AttributeProfile, ...]
    warnings: tuple[Warned, ...] = ()
    person: Persons | None = None

    def __getitem__(self, attribute: str) -> AttributeProfile:
        return next(item for item in self.attributes if item.attribute == attribute)

    def __repr__(self) -> str:
        roles = ", ".join(f"{len(self.with_role(role))} {role}" for role in _ROLES)
        return f"Profile({self.records} records: {roles})"

    def with_role(self, role: Role) -> tuple[AttributeProfile, ...]:
        """The columns for which that role is suggested."""
        return tuple(item for item in self.attributes if item.role == role)

    def suggested(self) -> list[dict[str, str]]:
        """The suggested roles, as ``assess`` tells them."""
        return [
            {"attribute": item.attribute, "role": item.role, "why": item.why}
            for item in self.attributes
        ]

    @property
    def counted(self) -> Persons | None:
        """The people whom promises count: those of :attr:`person` where the data agrees."""
        return self.person if self.person is not None and self.person.sure else None

    @property
    def doubts(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What a person should look at first, and the columns that it is about."""
        found: dict[str, list[str]] = {}

        def tell(what: str, name: str) -> None:
            found.setdefault(what, []).append(name)

        for item in self.attributes:
            if item.left_out:
                reason = "they could find a record" if item.distinct else "no record has a value"
                tell(f"{LEFT_OUT}, as {reason}", item.attribute)
            for warned in item.warnings:
                near = warned.code == "nearly-unique"
                tell("nearly unique, yet published" if near else warned.message, item.attribute)
        for item in self.attributes:
            if item.codes:
                tell(f"taken for missing: {', '.join(sorted(item.codes))}", item.attribute)
        for item in self.attributes:
            for what in filter(None, map(_doubt, item.notes)):
                if what not in (COMMAS, SPELLINGS, LISTS) or item.role != "identifier":
                    tell(what, item.attribute)
        for item in self.attributes:
            if not item.sure and item.role != "identifier":
                tell(f"{item.role} by its neighbours alone", item.attribute)
        return tuple((what, tuple(names)) for what, names in found.items())

    def closed(self) -> Profile:
        """The same, with all that could tell people apart left out until somebody decides.

        Nothing is insensitive of which most values are those of few records, however few there are,
        nor because nothing was seen in few records.
        """
        items = []
        for item in self.attributes:
            filled = item.records - item.missing
            rare = item.distinct * K > filled or item.rare_share >= 0.5
            if item.role == "insensitive" and item.distinct > 1 and rare:
                why = (
                    f"{LEFT_OUT}: {many(item.distinct, 'value')} in {many(filled, 'record')}: one "
                    "known value finds the record. Make it a quasi-identifier if anybody could "
                    "know it, sensitive if it could harm, insensitive if nobody can know it"
                )
                item = replace(item, role="identifier", reasons=(why,), warnings=())
            if item.role == "insensitive" and filled <= FEW_RECORDS and item.why in _UNSEEN:
                why = f"{LEFT_OUT}: {many(filled, 'record')} to look at, which show too little"
                item = replace(item, role="identifier", reasons=(why,), warnings=())
            items.append(item)
        return replace(self, attributes=tuple(items))

    def to_dict(self) -> dict[str, object]:
        """The profile as plain data."""
        return {
            "records": self.records,
            "attributes": [item.to_dict() for item in self.attributes],
            "warnings": [warned.to_dict() for warned in self.warnings],
            "doubts": [{"what": what, "attributes": list(names)} for what, names in self.doubts],
            "person": None if self.counted is None else self.counted.column,
            **({} if self.person is None else {"people": self.person.to_dict()}),
        }


def _doubt(note: str) -> str | None:
    """What a person should look at because of a note."""
    if note.startswith(FOLLOWS):
        return IN_A_TREE if IN_A_TREE in note else ALSO_TOLD
    return next((what for what in (COMMAS, SPELLINGS, LISTS) if note.startswith(what)), None)


_ROLES: tuple[Role, ...] = ("identifier", "quasi-identifier", "sensitive", "insensitive")


def profile(data: Frame, name: str = "table", *, columns: Sequence[str] | None = None) -> Profile:
    """Look at every column of a table, and suggest a role and a hierarchy for it.

    Arguments:
        data: A :class:`~indistinct.sources.table.Table`, or any frame that
            :func:`~indistinct.sources.engines.open_table` takes.
        name: What messages call a frame.
        columns: The columns to look at; all where not given.

    Raises:
        DataError: For something that is no table, or a table without records.
    """
    is_table = hasattr(data, "rows_where") and hasattr(data, "kinds")
    table: Table = data if is_table else open_table(data, name)
    records = table.height()
    names = table.columns if columns is None else columns
    called = without_prefix(names)
    looks = {column: _look(table, column, records, called[column]) for column in names}
    for column, title in {**titles_of(names), **table.titles}.items():
        if column in looks:
            by_title = _look(table, column, records, title)
            looks[column] = _telling(looks[column], by_title, title)
    codes = missing_codes({column: look.far for column, look in looks.items()})
    looks |= {
        column: _look(table, column, records, looks[column].item.called, texts)
        for column, texts in codes.items()
    }
    beside = [_beside(look) for look in looks.values()]
    keys = keys_of_people(table, beside)
    items = [_numbering(look.item, keys) for look in looks.values()]
    items = _at_work(table, _at_school(table, _with_epoch(table, items), looks), looks)
    items = _with_trees(table, _with_neighbours(table, items, looks, bool(keys)))
    items = _with_relations(table, items)
    items = _without_codes(table, _with_units(items, looks))
    beside = [replace(one, role=item.role) for one, item in zip(beside, items, strict=True)]
    persons = persons_of(table, beside, keys)
    if persons is not None and persons.sure:
        number = next(one for one in beside if one.name == persons.column)
        unsure = {item.attribute for item in items if not item.sure}
        counters = counting(table, number, [one for one in beside if one.name in unsure])
        aged = [_of_a_visit(table, item, persons) for item in items]
        known = aged != items
        if known:
            persons = replace(persons, differing=(*persons.differing, *counters))
        items = [
            _counter(item, persons, known) if item.attribute in counters else item for item in aged
        ]
        items = [_of_the_design(table, item, persons, known) for item in items]
        items = [_with_items(table, item) if item.role == "sensitive" else item for item in items]
    else:
        items = _with_counters(table, items, beside)
    counts = column_of_counts(table, list(names)) if persons is None else None
    items = [_count(item) if item.attribute == counts else item for item in items]
    warnings = list(_table_warnings(items, persons, beside))
    if counts is not None:
        warnings.insert(0, Warned("counted-rows", told_of_counts(counts)))
    return Profile(table.name, records, tuple(items), tuple(warnings), persons)


_OF_A_SCHOOL = frozenset(
    ("school", "schools", "pupil", "pupils", "student", "students", "teacher", "teachers",
     "classroom", "ecole", "eleve", "eleves", "lycee", "alumno", "alumnos", "aluno", "alunos",
     "escuela", "colegio", "escola", "schule", "schuler", "scuola", "studente", "ogrenci", "okul",
     "siswa", "sekolah", "gpa", "schtyp", "schtype", "schid", "honors")
)  # fmt: skip
_BESIDE_A_SCHOOL = (
    "prog",
    "track",
    "grade",
    "grades",
    "class",
    "classes",
    "classe",
    "dropout",
    "drop out",
    "form",
)


def _at_school(
    table: Table, items: list[AttributeProfile], looks: Mapping[str, _Look]
) -> list[AttributeProfile]:
    """The columns; a grade and a class are those of a school where another column speaks of one."""
    spoken = [words(item.called or item.attribute) for item in items]
    schools = sum(not _OF_A_SCHOOL.isdisjoint(said) for said in spoken)
    for at, item in enumerate(items) if schools else ():
        name = item.called or item.attribute
        asked = is_one_of(name, _BESIDE_A_SCHOOL) is not None and item.role == "sensitive"
        if asked and item.about in ("health", None) and item.distinct <= _MOST_GRADES:
            why = "others know a person's schooling: its table speaks of a school"
            told = replace(item, about="education", sure=True)
            read = looks[item.attribute].read
            items[at] = _in_role(table, told, read, "quasi-identifier", why)
    return items


_MOST_GRADES = 20
_PAY = ("salary", "wage", "salario", "sueldo", "salaire", "gehalt", "lohn", "stipendio", "pay")
_MANY_YEARS = ("years", "yrs", "anos", "ans", "jahre", "anni")
_LONGEST = 60


def _at_work(
    table: Table, items: list[AttributeProfile], looks: Mapping[str, _Look]
) -> list[AttributeProfile]:
    """The columns; years beside a wage are those that somebody has worked: years_bank."""
    paid = any(names_one_of(item.called or item.attribute, _PAY) for item in items)
    for at, item in enumerate(items) if paid else ():
        years = words(item.called or item.attribute)[:1]
        read = looks[item.attribute].read
        if item.sure or item.about or read is None or not years or years[0] not in _MANY_YEARS:
            continue
        largest = read[0].largest
        if item.type == "number" and largest is not None and largest <= _LONGEST:
            why = "others know how long a person has worked: its table speaks of wages"
            told = replace(item, about="occupation", sure=True)
            items[at] = _in_role(table, told, read, "quasi-identifier", why)
    return items


def _with_epoch(table: Table, items: list[AttributeProfile]) -> list[AttributeProfile]:
    """The columns; numbers of days are dates where another column has the same days written out."""
    counted = [one for one in items if any(told.code == DAYS for told in one.warnings)]
    days = [one.attribute for one in items if one.kind in ("date", "datetime")]
    first = (
        counted_from(table, [one.attribute for one in counted], days) if counted and days else None
    )
    return [_since(table, one, first) if first and one in counted else one for one in items]


def _since(table: Table, item: AttributeProfile, first: str) -> AttributeProfile:
    """The column as dates that are counted from a first day."""
    values, content = values_of(table, item.attribute, item.codes, item.called)
    if content is None:
        return item
    read = replace(content, since=f"{SINCE}{first}")
    draft = draft_hierarchy(item.called or item.attribute, values, "date", read)
    warnings = tuple(told for told in item.warnings if told.code != DAYS)
    return replace(item, type="date", draft=draft, warnings=warnings)


_BESIDE_AN_AGE = 2


def _with_units(
    items: list[AttributeProfile], looks: Mapping[str, _Look]
) -> list[AttributeProfile]:
    """Say of ages whose units stand in a column beside them that they are no years."""
    for at, item in enumerate(items):
        values = looks[item.attribute].values
        letters = item.about != "age" and all(len(value) == 1 for value in values or ())
        if not values or letters or not are_units_of_time(values):
            continue
        near = items[max(0, at - _BESIDE_AN_AGE) : at + _BESIDE_AN_AGE + 1]
        if item.about == "age":  # it is called so: age_unit
            near = items
        for one in near:
            if one is not item and one.about == "age" and one.kind in ("integer", "float"):
                warned = Warned(*told_of_units(item.attribute))
                place = items.index(one)
                items[place] = replace(one, warnings=(*one.warnings, warned))
                why = f"it says in which unit '{one.attribute}' counts"
                draft = item.draft if item.role == "quasi-identifier" else Draft("suppress")
                items[at] = replace(
                    item, role="quasi-identifier", reasons=(why,), draft=draft, sure=True
                )
                break
    return items


def _count(item: AttributeProfile) -> AttributeProfile:
    """What counts the people of every row."""
    why = "it seems to say how many people each row stands for"
    return replace(item, role="identifier", reasons=(why,), draft=Draft(), warnings=(), sure=True)


def _of_a_visit(table: Table, item: AttributeProfile, persons: Persons) -> AttributeProfile:
    """An age that most people have several of, as they are asked again: it is of the visit."""
    aged = item.role == "quasi-identifier" and item.about == "age" and item.type == "number"
    if not aged or item.attribute not in persons.differing:
        return item
    pairs = table.distinct([persons.column, item.attribute]).height
    return replace(item, about="time") if 2 * pairs >= 3 * persons.people else item


def _counter(item: AttributeProfile, persons: Persons, aged: bool) -> AttributeProfile:
    """What counts the records of a person; beside an age at each of them it tells the birth."""
    if aged:
        why = f"with an age at each record of a '{persons.column}' it tells the birth"
        draft = Draft("suppress")
        return replace(
            item, role="quasi-identifier", reasons=(why,), about="time", draft=draft, sure=True
        )
    why = f"it counts the records of every '{persons.column}'"
    return replace(item, role="insensitive", reasons=(why,), draft=Draft(), warnings=(), sure=True)


_OCCASIONS = (
    "visit", "visits", "time", "week", "day", "days", "period", "time point", "occasion", "epoch",
)  # fmt: skip
"""Words for the occasions on which a trial or a study sees its people."""


def _of_the_design(
    table: Table, item: AttributeProfile, persons: Persons, aged: bool
) -> AttributeProfile:
    """The visits, arms or tests that nearly everybody of a study has equally often tell nobody."""
    asked = item.role == "sensitive" or (item.role == "quasi-identifier" and not item.sure)
    asked = asked and 1 < item.distinct <= KEPT and not item.missing
    asked = asked and not (aged and item.kind in ("integer", "float"))
    # A yes and a no may be as frequent by chance.
    several = not item.sure and item.distinct > 2
    asked = asked and (several or names_one_of(item.attribute, _OCCASIONS) is not None)
    if not asked or not crossed(table, persons.column, item.attribute, persons.people):
        return item
    why = f"nearly every '{persons.column}' has each of its values, and equally often"
    return replace(item, role="insensitive", reasons=(why,), draft=Draft(), warnings=(), sure=True)


def _without_codes(table: Table, items: list[AttributeProfile]) -> list[AttributeProfile]:
    """The columns, without the numbers that say what texts of the same name say: SEX, SEXN."""
    quasi = [item for item in items if item.role == "quasi-identifier" and item.about]
    texts = [item for item in quasi if item.kind == "text" and 1 < item.distinct <= FEW]
    for text in texts:
        for code in quasi:
            alike = code.kind == "integer" and code.distinct == text.distinct
            alike = alike and code.about == text.about
            longer = code.attribute.lower().startswith(text.attribute.lower())
            if not alike or not longer:
                continue
            if table.distinct([text.attribute, code.attribute]).height == text.distinct:
                why = f"it says in numbers what '{text.attribute}' says: one of the two is enough"
                place = items.index(code)
                items[place] = replace(
                    code, role="identifier", reasons=(why,), draft=Draft(), notes=(), warnings=()
                )
    return items


def _with_counters(
    table: Table, items: list[AttributeProfile], beside: Sequence[Column]
) -> list[AttributeProfile]:
    """The columns; what counts the records of a claim or an order says nothing of anybody."""
    numbers = [one for one in beside if one.role == "identifier" and one.distinct < one.filled]
    unsure = {item.attribute for item in items if not item.sure}
    others = [one for one in beside if one.name in unsure and one.kind == "integer"]
    for number in sorted(numbers, key=lambda one: -one.distinct)[:1] if others else ():
        if 2 * number.distinct <= number.filled and number.could_number:
            found = counting(table, number, others)
            why = f"it counts the records of every '{number.name}'"
            items = [
                replace(
                    item, role="insensitive", reasons=(why,), draft=Draft(), warnings=(), sure=True
                )
                if item.attribute in found
                else item
                for item in items
            ]
    return items


def _with_items(table: Table, item: AttributeProfile) -> AttributeProfile:
    """A sensitive attribute of people with many records, with a hierarchy of its values."""
    if item.draft.spec is not None or item.distinct < 2 or item.type == "number":
        return item
    values, content = values_of(table, item.attribute, item.codes, item.called)
    draft = draft_hierarchy(item.called or item.attribute, values, "category", content)
    return replace(item, draft=replace(draft, categories=()))


def count_values(table: Table, column: str) -> pl.DataFrame:
    """The distinct texts of a column, null for missing, and how often each occurs."""
    value, count = table.distinct([column]).get_columns()
    return pl.DataFrame([value.alias("value"), count.alias(COUNT)])


SUSPECTED = 2 * K
"""A column with fewer values than one for so many records need not be looked at closely.

Where half of the records have a value that fewer than K share, there is a value for 2 (K - 1) of
them; the rest is what an approximate count may miss.
"""


def nearly_unique(table: Table, columns: Iterable[str]) -> list[str]:
    """Which of these columns tell most records apart, or almost, each by itself.

    The rule is that of :attr:`AttributeProfile.nearly_unique`.
    """
    found = []
    columns = list(columns)
    about = table.about(columns)
    for column in columns:
        filled, values = about[column]
        if values * SUSPECTED < filled:
            continue
        if _tells_apart(filled, values // 2, 0.0):  # about so many: no estimate is twice too high
            found.append(column)
            continue
        filled, values, rare = table.tally(column, K)
        if _tells_apart(filled, values, _share(rare, filled)):
            found.append(column)
    return found


def _tells_apart(filled: int, distinct: int, rare_share: float) -> bool:
    return filled >= FEW_RECORDS and (distinct * K > filled or rare_share >= 0.5)


KEPT = 100
"""So many values of a column are kept until all have been looked at."""


@dataclass(frozen=True)
class _Look:
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

    ``called`` is what the column's name says, if that is less than the whole of it.
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


def _look(table: Table, column: str, records: int, called: str, codes: Sequence[str] = ()) -> _Look:
    values, content = values_of(table, column, codes, called)
    filled = values.filled
    tags = recognise(
        Looked(called, values.kind, filled, values.distinct, values.sample, values.largest)
    )
    free_text = _is_free_text(called, values) and not (
        _is_doorstep(called, values, tags) or any(tag.kind.direct for tag in tags)
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
        unique_share=_share(int((counts == 1).sum()), filled),
        rare_share=_share(int(counts[counts < K].sum()), filled),
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
        sure=reasons != [_NOTHING],
    )
    unread = (Warned(*told) for told in how_to_write(called, values, plain.about))
    warnings = (*_warnings(table, plain, values), *unread)
    return _Look(
        replace(plain, warnings=warnings, notes=tuple(_notes(values))),
        frozenset(values.texts) if values.distinct <= FEW else None,
        values.sample.head(200),
        {} if content or codes else suspected(values, called),
        (values, content) if values.distinct <= KEPT else None,
        not plain.sure and RARE * values.distinct > filled and looks_measured(values),
    )


def _telling(by_name: _Look, by_title: _Look, title: str) -> _Look:
    """A column that has a name and a title, seen by the one that tells what it is about.

    What either takes for an identifier is one. A question tells less than a few words do.
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


def _with_neighbours(
    table: Table, items: Sequence[AttributeProfile], looks: Mapping[str, _Look], people: bool
) -> list[AttributeProfile]:
    """The columns, with the roles that the columns around them suggest."""
    told = settled(
        table,
        [
            Neighbour(
                name=item.attribute,
                role=item.role,
                about=item.about,
                kind=item.kind,
                distinct=item.distinct,
                filled=item.records - item.missing,
                values=looks[item.attribute].values,
                sure=item.sure,
                sample=looks[item.attribute].sample,
                gaps=item.missing > 0,
                left_out=item.left_out,
                tokens=tuple(item.missing_tokens),
                measured=looks[item.attribute].measured,
                wordy=item.free_text and item.reasons == (_FREE,),
            )
            for item in items
        ],
        patients=any(tag.kind.name == "medical-record" for item in items for tag in item.tags),
        people=people,
    )
    return [
        _in_role(table, item, looks[item.attribute].read, *told[item.attribute])
        if item.attribute in told
        else item
        for item in items
    ]


def _in_role(
    table: Table,
    item: AttributeProfile,
    read: tuple[Values, Content | None] | None,
    role: Role,
    why: str,
) -> AttributeProfile:
    """The same column in another role; its values are read again where they were too many."""
    values, content = read or values_of(table, item.attribute, item.codes, item.called)
    draft = Draft()
    if role == "quasi-identifier":
        draft = draft_hierarchy(item.called or item.attribute, values, item.type, content)
    changed = replace(item, role=role, reasons=(why,), draft=draft)
    return replace(changed, warnings=tuple(_warnings(table, changed, values)))


def _share(part: int, whole: int) -> float:
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
    if _is_doorstep(column, values, tags):
        return "identifier", ["a place this small is as good as a name"]
    if free_text:
        return "identifier", [_FREE]
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
    if found and (number := numbers_stays(column, values, found[0].role)):
        return "identifier", [number]
    if found:
        concept, why = found
        same = values.distinct == 1 and not gaps and values.filled > FEW_RECORDS
        if same and concept.role == "quasi-identifier" and not indirect:
            return "insensitive", ["the same value in every record distinguishes nobody"]
        return concept.role, [f"{why}: {concept.why}"]
    if indirect and (values.distinct > 1 or gaps):
        return "quasi-identifier", indirect
    return _role_by_values(values, gaps)


def _role_by_values(values: Values, gaps: bool) -> tuple[Role, list[str]]:
    """The role of a column of which nobody knows what it is about."""
    if is_number_of_records(values):
        return "identifier", ["a different value in every record, like a record number"]
    if values.distinct == 1 and not gaps:
        return "insensitive", [_SAME]
    if could_be_numbers(values):
        days = ", or days counted since 1899-12-30 or 1970-01-01" * could_count_days(values)
        return "identifier", [
            f"{LEFT_OUT}: its values could be numbers of people, things or places{days}"
        ]
    return "insensitive", [_NOTHING]


_FREE = "free text may hold names, places and dates, and cannot be recoded"
_NOTHING = (
    "nothing in its name or values points to more; make it a quasi-identifier if anybody could"
    " know it, and sensitive if it could harm"
)

_SAME = "the same value in every record"
_UNSEEN = (_NOTHING, _SAME)
"""Why a column is insensitive in which nothing was seen that speaks for more."""


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


def _is_doorstep(column: str, values: Values, tags: Iterable[Tag]) -> bool:
    """Whether the column holds places as small as a street or a point on the map.

    A few values that many records share are none, despite the name: U and R for addresses.
    """
    if _are_addresses(values) or _are_streets(values):
        return True
    places = [tag for tag in tags if tag.kind.name == "places"]
    shared = values.distinct <= FEW and PER_PLACE * values.distinct <= values.filled
    named = names_a_doorstep(column) and not (shared and values.kind == "text")
    shown = ("street addresses", POINTS, IS_A_POINT)
    return bool(places) and (named or any(one in tag.why for tag in places for one in shown))


_ADDRESS = (
    r"^\s*\d{1,6}[A-Za-z]?,? +\pL[^,]* [^,]*, *\pL|^\pL[^,\d]* \d{1,4} ?[A-Za-z]?, *\d{4,6} +\pL"
)
"""A number, a street of two words and a town, or a street, a number and a town."""


_STREETS = (
    r"(?i)^(rua|avenida|av|travessa|estrada|rodovia|alameda|calle|carrera|rue|boulevard|chemin"
    r"|impasse|viale|piazza|jalan|ulica|prospekt)\b[. ]"
    r"|\b(street|road|avenue|lane|boulevard)\.?$|(stra(ß|ss)e|straat|laan|gasse)$"
)


def _are_streets(values: Values) -> bool:
    """Whether most values are names of many streets, in one of several languages."""
    if values.kind != "text" or values.distinct < FEW_RECORDS:
        return False
    share = values.sample.str.strip_chars().str.contains(_STREETS).mean()
    return isinstance(share, float) and share >= MOST


def _are_addresses(values: Values) -> bool:
    """Whether most values are written as the address of a house, and hardly one repeats."""
    if values.kind != "text" or values.filled < FEW_RECORDS:
        return False
    if values.distinct < 0.9 * values.filled:
        return False
    share = values.sample.str.contains(_ADDRESS).mean()
    return isinstance(share, float) and share >= NEARLY_ALL / 2


_NAMED_AT_LENGTH = ("place", "stay", "travel", "vehicle", "nationality", "education", "occupation")
"""What columns are about of which names have many words: a faculty of humanities."""

_SENTENCE_LETTERS = 20
_SENTENCE_BLANKS = 3
_NOTE_LETTERS = 12
_LINKS = 0.1


def _is_free_text(column: str, values: Values) -> bool:
    """Whether people wrote sentences here: long, with many blanks, and hardly two alike."""
    if values.kind != "text" or values.distinct < 3:
        return False
    form = values.form
    if form.links >= _LINKS:
        return True
    if _are_lists(values):
        return False
    named = names_one_of(column, FREE_TEXT) is not None
    letters, blanks = form.letters, form.blanks
    varied = values.distinct * 5 >= values.filled
    about = concept_of(column)
    if about and about[0].name in _NAMED_AT_LENGTH:
        return varied and letters >= 2 * _SENTENCE_LETTERS
    if named:
        return blanks >= 1 and letters >= _NOTE_LETTERS and (varied or values.distinct > 20)
    long = letters >= 3 * _SENTENCE_LETTERS and values.distinct > 20
    return (varied or long) and letters >= _SENTENCE_LETTERS and blanks >= _SENTENCE_BLANKS


_BETWEEN = re.compile(r"\s*[,;|+]\s*")
_OFTEN = 3
_TERM = 4
MOST_TERMS = 0.8
"""Of lists, so many parts have so few words; of sentences with commas, fewer."""


def _are_lists(values: Values) -> bool:
    """Whether texts are lists of a few terms, each of which stands in several."""
    parts = [part for text in values.sample.to_list() for part in _BETWEEN.split(text)]
    several = 2 * len(parts) >= 3 * len(values.sample)
    terms = sum(len(part.split()) <= _TERM for part in parts)
    return several and len(parts) >= _OFTEN * len(set(parts)) and terms >= MOST_TERMS * len(parts)


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
    if values.kind == "text" and values.distinct > 2 and _are_lists(values):
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


_UNNESTED = ("sex", "age", "birth", "death", "time")
"""What nothing lies within, however often it seems so."""


def _with_trees(table: Table, items: list[AttributeProfile]) -> list[AttributeProfile]:
    """The columns; those that lie within others get a tree over these: ward, hospital, region."""
    found = {}
    for item in items:
        public = item.role in ("quasi-identifier", "insensitive") and item.distinct > 1
        if public and item.type in ("category", "text") and item.about not in _UNNESTED:
            narrow = item.role == "quasi-identifier" and item.draft.by_itself
            narrow = narrow and not names_one_of(item.called or item.attribute, ZIP)
            tokens = (*item.missing_tokens, *item.codes)
            found[item.attribute] = Nestable(
                item.attribute, item.about, item.distinct, tokens, narrow
            )
    around = columns_around(table, [*found.values()])
    return [
        _within(table, item, [found[one] for one in (item.attribute, *around[item.attribute])])
        if item.attribute in around
        else item
        for item in items
    ]


def _within(table: Table, item: AttributeProfile, columns: Sequence[Nestable]) -> AttributeProfile:
    """The column with a tree over those that it lies in."""
    wider = in_quotes([one.name for one in columns[1:]], ", then ")
    why = f"values generalize to {wider} of their records; one of a later table becomes *"
    draft = Draft({"tree": tree_of(table, columns)}, why, (), "suppress")
    return replace(item, draft=draft)


def _with_relations(table: Table, items: list[AttributeProfile]) -> list[AttributeProfile]:
    """Say of quasi-identifiers about the same thing which one follows from which."""
    quasi = [item for item in items if item.role == "quasi-identifier" and item.distinct > 1]
    tellers: dict[str, AttributeProfile] = {}
    for one, other in _perhaps_related(table, quasi):
        pairs = table.distinct([one.attribute, other.attribute]).height
        for told, teller in ((one, other), (other, one)):
            if pairs == teller.distinct + (teller.missing > 0):
                known = tellers.setdefault(told.attribute, teller)
                if teller.distinct < known.distinct:
                    tellers[told.attribute] = teller
                break
    return [_told_by(item, tellers.get(item.attribute)) for item in items]


def _perhaps_related(
    table: Table, quasi: Sequence[AttributeProfile]
) -> Iterator[tuple[AttributeProfile, AttributeProfile]]:
    """Pairs of columns about one thing, of which in some records one follows from the other."""
    alike: dict[str, list[AttributeProfile]] = {}
    for item in quasi:
        about = item.about or ("time" if item.type == "date" else None)
        if about is not None:
            alike.setdefault(about, []).append(item)
    for items in alike.values():
        if len(items) < 2:
            continue
        some = table.sample([item.attribute for item in items], SOME_RECORDS)
        codes = np.array([one.rank("dense").fill_null(0).to_numpy() for one in some.get_columns()])
        follows = np.empty((len(items), len(items)), dtype=np.bool_)
        for at, code in enumerate(codes):
            order = np.argsort(code, kind="stable")
            starts = np.flatnonzero(np.diff(code[order], prepend=-1))
            rows = codes[:, order]
            least = np.minimum.reduceat(rows, starts, axis=1)
            follows[at] = (least == np.maximum.reduceat(rows, starts, axis=1)).all(axis=1)
        first, second = np.nonzero(np.triu(follows | follows.T, k=1))
        yield from ((items[one], items[other]) for one, other in zip(first, second, strict=True))


def _told_by(item: AttributeProfile, teller: AttributeProfile | None) -> AttributeProfile:
    if teller is None:
        return item
    tree = isinstance(teller.hierarchy, Mapping) and "tree" in teller.hierarchy
    advice = IN_A_TREE if tree else "consider leaving one of the two out"
    note = f"{FOLLOWS} '{teller.attribute}': {advice} (role = \"identifier\" drops a column)"
    return replace(item, notes=(*item.notes, note))


def _beside(look: _Look) -> Column:
    item = look.item
    return Column(
        name=item.attribute,
        about=item.about,
        kind=item.kind,
        distinct=item.distinct,
        filled=item.records - item.missing,
        tokens=tuple(item.missing_tokens),
        coded=bool((look.sample.str.contains(r"\d").mean() or 0) >= 0.5),  # type: ignore[operator]
        signed=item.kind == "integer" and bool(look.sample.str.starts_with("-").any()),
        records=item.records,
        role=item.role,
        tags=item.tags,
        left_out=item.left_out,
    )


def _numbering(item: AttributeProfile, keys: Mapping[str, Numbering]) -> AttributeProfile:
    """The column, left out where others show that it numbers people."""
    shown = keys[item.attribute].shown if item.attribute in keys else ()
    if not shown or (item.role == "identifier" and not item.left_out):
        return item
    names = in_quotes(shown)
    why = f"it seems to number people: {names} hardly ever differ between its records"
    return replace(item, role="identifier", reasons=(why,), warnings=(), sure=True)


_NAMES_OF_PLACES = ("place", "nationality", "stay")
_OF_A_PERSON = ("sex", "birth", "family", "ethnicity", "religion", "occupation")


def _place_of_each_row(items: Sequence[AttributeProfile]) -> str | None:
    """The column of names of places, or of their population, where each row seems to be a place.

    Nearly every row has another one, most other columns are numbers, and none says of a person
    what groups people are in.
    """
    named = [
        item
        for item in items
        if item.about in _NAMES_OF_PLACES and item.kind == "text" and not item.free_text
        and FEW_RECORDS <= item.distinct >= NEARLY_EACH * item.records
    ]  # fmt: skip
    if not named and sum(_says(item, _SHARES | _PEOPLES) for item in items) >= _SEVERAL_SHARES:
        named = [
            item
            for item in items
            if _says(item, _PEOPLES) and FEW_RECORDS <= item.distinct >= NEARLY_EACH * item.records
        ]
    measured = sum(item.kind in ("integer", "float") for item in items)
    grouped = any(
        item.about in _OF_A_PERSON and 1 < item.distinct <= FEW and item.kind != "float"
        for item in items
    )
    somebody = any(numbers_somebody(item.called or item.attribute) for item in items)
    several = measured >= 2 and 2 * measured >= len(items) - len(named)
    return named[0].attribute if named and several and not grouped and not somebody else None


_SHARES = frozenset(
    ("pct", "percent", "percentage", "perc", "rate", "ratio", "per", "share", "prop")
)
_PEOPLES = frozenset(
    ("population", "pop", "popn", "poblacion", "populacao", "inhabitants", "habitantes",
     "habitants", "households", "einwohner", "bevolkerung", "popolazione", "beds", "nufus")
)  # fmt: skip
_SEVERAL_SHARES = 3
"""So many columns of shares, rates and numbers of inhabitants tell of places, not of people."""


def _says(item: AttributeProfile, said: frozenset[str]) -> bool:
    """Whether a column of many numbers has one of these words in its name."""
    numbers = item.kind in ("integer", "float") and item.distinct > FEW
    return numbers and not said.isdisjoint(words(item.called or item.attribute))


def _table_warnings(
    items: list[AttributeProfile], persons: Persons | None, beside: Sequence[Column]
) -> Iterator[Warned]:
    quasi = [item.attribute for item in items if item.role == "quasi-identifier"]
    if persons is not None:
        yield Warned("people-with-several-records", persons.told)
    else:
        yield from (Warned(BLANK_BELOW, blank_below(one)) for one in filled_once(beside))
    if persons is None and (place := _place_of_each_row(items)):
        yield Warned(
            "rows-are-places",
            f"each row seems to be a place and not a person, as '{place}' is another one in nearly "
            "every row and most columns are numbers: promises count rows, and not the people whom"
            " the numbers are about",
        )
    if not quasi:
        yield Warned(
            "no-quasi-identifier",
            "no quasi-identifier was recognised: name at least one, or nothing protects people",
        )
    if len(items) >= MANY_COLUMNS:
        yield Warned(
            "many-columns",
            f"{len(items)} columns: keep the tables of those that the release needs, take the "
            'other tables and the promises about them out, and write rest = "drop" above the '
            "first table: it leaves out all columns without one",
        )
    if len(quasi) >= MANY_QUASI_IDENTIFIERS:
        yield Warned(
            "many-quasi-identifiers",
            f"{len(quasi)} quasi-identifiers: the more there are, the less of each can be kept;"
            " drop what the release does not need",
        )
