"""Roles that other columns of the table give to one: a school, a wage, people with visits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from indistinct.analytics.profile.described import LEFT_OUT, AttributeProfile, Warned
from indistinct.analytics.profile.hierarchy_draft import Draft, draft_hierarchy
from indistinct.analytics.profile.names import is_one_of, names_one_of, words
from indistinct.analytics.profile.neighbours import FEW, counted_from
from indistinct.analytics.profile.one_column import KEPT, Look, in_role, values_of
from indistinct.analytics.profile.person_keys import Column, counting, crossed
from indistinct.analytics.profile.persons import Persons
from indistinct.analytics.profile.record_numbers import K
from indistinct.analytics.profile.unread import DAYS, are_units_of_time, told_of_units
from indistinct.document import many
from indistinct.hierarchies.moments import SINCE
from indistinct.sources.table import Table

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


def at_school(
    table: Table, items: list[AttributeProfile], looks: Mapping[str, Look]
) -> list[AttributeProfile]:
    """The columns; a grade and a class are those of a school where another column speaks of one.

    Arguments:
        table: the table.
        items: its columns.
        looks: each of them seen by itself, by name.
    """
    spoken = [words(item.called or item.attribute) for item in items]
    schools = sum(not _OF_A_SCHOOL.isdisjoint(said) for said in spoken)
    for at, item in enumerate(items) if schools else ():
        name = item.called or item.attribute
        asked = is_one_of(name, _BESIDE_A_SCHOOL) is not None and item.role == "sensitive"
        if asked and item.about in ("health", None) and item.distinct <= _MOST_GRADES:
            why = "others know a person's schooling: its table speaks of a school"
            told = replace(item, about="education", sure=True)
            read = looks[item.attribute].read
            items[at] = in_role(table, told, read, "quasi-identifier", why)
    return items


_MOST_GRADES = 20
_PAY = ("salary", "wage", "salario", "sueldo", "salaire", "gehalt", "lohn", "stipendio", "pay")
_MANY_YEARS = ("years", "yrs", "anos", "ans", "jahre", "anni")
_LONGEST = 60


def at_work(
    table: Table, items: list[AttributeProfile], looks: Mapping[str, Look]
) -> list[AttributeProfile]:
    """The columns; years beside a wage are those that somebody has worked: years_bank.

    Arguments:
        table: the table.
        items: its columns.
        looks: each of them seen by itself, by name.
    """
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
            items[at] = in_role(table, told, read, "quasi-identifier", why)
    return items


def with_epoch(table: Table, items: list[AttributeProfile]) -> list[AttributeProfile]:
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


def with_units(items: list[AttributeProfile], looks: Mapping[str, Look]) -> list[AttributeProfile]:
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


def as_count(item: AttributeProfile) -> AttributeProfile:
    """What counts the people of every row."""
    why = "it seems to say how many people each row stands for"
    return replace(item, role="identifier", reasons=(why,), draft=Draft(), warnings=(), sure=True)


def of_a_visit(table: Table, item: AttributeProfile, persons: Persons) -> AttributeProfile:
    """An age that most people have several of, as they are asked again: it is of the visit.

    Arguments:
        table: the table.
        item: the column.
        persons: the people whom its records are of.
    """
    aged = item.role == "quasi-identifier" and item.about == "age" and item.type == "number"
    if not aged or item.attribute not in persons.differing:
        return item
    pairs = table.distinct([persons.column, item.attribute]).height
    return replace(item, about="time") if 2 * pairs >= 3 * persons.people else item


def counter(item: AttributeProfile, persons: Persons, aged: bool) -> AttributeProfile:
    """What counts the records of a person; beside an age at each of them it tells the birth.

    Arguments:
        item: the column that counts.
        persons: the people whose records it counts.
        aged: whether a column has an age at each record.
    """
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


def of_the_design(
    table: Table, item: AttributeProfile, persons: Persons, aged: bool
) -> AttributeProfile:
    """The visits, arms or tests that nearly everybody of a study has equally often tell nobody.

    Arguments:
        table: the table.
        item: the column.
        persons: the people whom its records are of.
        aged: whether a column has an age at each record; then numbers are not looked at.
    """
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


def without_codes(table: Table, items: list[AttributeProfile]) -> list[AttributeProfile]:
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


def with_counters(
    table: Table, items: list[AttributeProfile], beside: Sequence[Column]
) -> list[AttributeProfile]:
    """The columns; what counts the records of a claim or an order says nothing of anybody.

    Arguments:
        table: the table.
        items: its columns.
        beside: its columns as the search for people sees them.
    """
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


def with_items(table: Table, item: AttributeProfile) -> AttributeProfile:
    """A sensitive attribute of people with many records, with a hierarchy of its values."""
    if item.draft.spec is not None or item.distinct < 2 or item.type == "number":
        return item
    values, content = values_of(table, item.attribute, item.codes, item.called)
    draft = draft_hierarchy(item.called or item.attribute, values, "category", content)
    return replace(item, draft=replace(draft, categories=()))


_FEW_PEOPLE = 100


def set_of_items(item: AttributeProfile) -> str:
    """What columns have in common of which the values are one set of items that people have.

    Codes of one system are one set of items, and so are columns that are counted: drug_1.
    """
    of_codes = isinstance(item.draft.spec, Mapping) and "code_system" in item.draft.spec
    name = "" if of_codes else re.sub(r"\d+", "", item.attribute)
    return f"{item.draft.spec} {name}"


def of_sets_of_items(
    table: Table, items: list[AttributeProfile], persons: Persons
) -> list[AttributeProfile]:
    """The columns; those are left out of which fewer than K people have any item.

    No promise about such items can be kept. Strays of one column are values of its whole set.

    Arguments:
        table: the table.
        items: its columns.
        persons: the people whom its records are of.
    """
    sets: dict[str, list[AttributeProfile]] = {}
    for item in items:
        if item.role == "sensitive" and item.draft.spec is not None:
            sets.setdefault(set_of_items(item), []).append(item)
    strays = {
        item.attribute: replace(item.draft, uncovered="suppress")
        for alike in sets.values()
        if any(one.draft.uncovered == "suppress" for one in alike)
        for item in alike
    }
    items = [replace(one, draft=strays.get(one.attribute, one.draft)) for one in items]
    few: dict[str, str] = {}
    for alike in sets.values() if persons.people >= K else ():
        filled = max(item.records - item.missing for item in alike)
        gaps = all(item.missing for item in alike)
        if not gaps or min(persons.people, filled) > _FEW_PEOPLE:
            continue
        having = set[str]().union(*(_having(table, item, persons) for item in alike))
        if len(having) < K:
            told = f"{LEFT_OUT}: {many(len(having), 'person has', 'people have')} a value"
            few |= {item.attribute: told for item in alike}
    return [
        replace(item, role="identifier", reasons=(few[item.attribute],), draft=Draft(), warnings=())
        if item.attribute in few
        else item
        for item in items
    ]


def _having(table: Table, item: AttributeProfile, persons: Persons) -> set[str]:
    """The people who have a value that stands for no missing one."""
    pairs = table.distinct([persons.column, item.attribute])
    own = pl.col(item.attribute)
    said = ~own.is_in([*item.missing_tokens, ""]) & own.is_not_null()
    return set(pairs.filter(said)[persons.column].to_list())
