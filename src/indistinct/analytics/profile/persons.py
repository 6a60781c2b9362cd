"""Whose the records of a table are, where people have many: which column says it, and how surely.

Columns that may number people come from the data (:mod:`indistinct.analytics.profile.person_keys`)
or from their names. One of them is proposed; it is stated only where nothing speaks against it, and
is a question otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from indistinct.analytics.profile.names import apart, is_one_of, names_one_of, words
from indistinct.analytics.profile.person_keys import (
    CHANGING,
    FEWEST_NUMBERS,
    STEADY,
    Column,
    Numbering,
    person_keys,
    several_people,
)
from indistinct.analytics.profile.safe_harbor import numbers_things
from indistinct.document import PlainData, in_quotes, many
from indistinct.frozen import dataclass
from indistinct.sources.table import Table, count_column


@dataclass(frozen=True)
class Persons(PlainData):
    """A column that seems to say whose a record is, where people have many.

    Arguments:
        column: its name.
        people: how many different values it has.
        records: in how many records.
        differing: the quasi-identifiers that are not the same in all records of a person.
        sure: whether nothing speaks against it.
        doubt: what does.
        blank: how many records have none.
    """

    column: str
    people: int
    records: int
    differing: tuple[str, ...]
    sure: bool = True
    doubt: str = ""
    blank: int = 0

    @property
    def told(self) -> str:
        """What a person should know of it: a question, where there is a doubt."""
        gone = (
            f"; {many(self.blank, 'record has', 'records have')} none, and a run with it refuses"
            " them: fill it in, or take them out"
        ) * bool(self.blank)
        if self.sure:
            return (
                f"'{self.column}' has {self.people:,} values in {self.records:,} records: where"
                " people have several records, a promise about records says less about people:"
                f' [source] person = "{self.column}" makes promises to people{gone}'
            )
        return (
            f"does '{self.column}' identify people? It has {self.people:,} values in "
            f"{self.records:,} records, but {self.doubt}. Unless the policy says person = "
            f'"{self.column}" under [source], promises count records, and one person may have '
            f"many{gone}"
        )


NUMBERS = ("id", "no", "nr", "nbr", "num", "number", "key", "nummer")
"""Words for numbers of people: what else their names say counts for nothing, if they are some."""

_NUMBERED = tuple((word,) for word in NUMBERS)

PEOPLE = (
    "patient", "subject", "person", "member", "beneficiary", "bene", "client", "participant",
    "child", "infant", "newborn", "donor", "pat", "pid", "individual", "respondent", "enrollee",
    "subj", "sub", "usubj", "mrn", "pseudonym", "paciente", "pac", "sujet", "sujeto",
    "student", "pupil", "eleve", "alumno", "aluno", "employee", "customer",
)  # fmt: skip
STAYS = (
    "visit", "encounter", "admission", "hadm", "icustay", "stay", "episode", "claim", "clm",
    "record", "row", "order", "event", "ticket", "household", "family", "dwelling", "occurrence",
    "fam", "hh", "isolate", "specimen", "sample", "prescription",
    "appointment", "physician", "phy", "doctor", "provider", "practitioner", "nurse", "surgeon",
    "prescriber", "hospital", "site", "clinic", "facility", "ward", "school", "class", "teacher",
)  # fmt: skip

_SHOWN = ("url", "photograph")
"""What people are shown, and many see."""

_OF_OTHERS = 2

REPEATS = 1.5
"""From so many records of a value on, on average, it is asked whether it is a person's."""

BLANK_BELOW = "blank-below"
"""The code of the warning that numbers of people may stand in the first of their records alone."""

_NEARLY_FILLED = 0.9
"""A number that more of the records lack is a person's only where others show it."""

_SELDOM = 1.1
"""With fewer records of a number than this, on average, those that repeat may be mistyped."""


def _of_people(name: str) -> int:
    """How well a name suits a number of people: 0 says so, 2 speaks of something else."""
    for spelt in (name, apart(name)):
        if names_one_of(spelt, PEOPLE):
            return 0
        if names_one_of(spelt, STAYS):
            return 2
    return 1


def _is_named(item: Column) -> bool:
    """Whether the name of a column says that it holds numbers of people or of their records."""
    tagged = any(
        "name" in tag.by and tag.kind.name in ("medical-record", "other", "health-plan")
        for tag in item.tags
    )
    return item.role == "identifier" and (tagged or (item.could_number and _numbers(item.name)))


def _numbers(name: str) -> bool:
    """Whether a name is that of numbers of people, and ends with a word for a number."""
    return _of_people(name) == 0 and words(apart(name))[-1:] in _NUMBERED


def _are_people(item: Column) -> bool:
    """Whether texts are names of people of whom a table seems to have several records each."""
    named = any(tag.kind.name == "names" and "pattern" in tag.by for tag in item.tags)
    return named and item.distinct >= FEWEST_NUMBERS and _of_people(item.name) < _OF_OTHERS


def keys_of_people(table: Table, columns: Sequence[Column]) -> dict[str, Numbering]:
    """The columns that may number people who have several records each, with what shows it."""
    named = [
        item.name for item in columns if _is_named(item) and 0 < item.distinct < 0.999 * item.filled
    ]
    candidates = [
        item.name
        for item in columns
        if (item.role in ("identifier", "insensitive") or names_one_of(item.name, NUMBERS))
        and not any(tag.kind.name in ("names", "places") for tag in item.tags)
        and item.about != "survey"
    ]
    if named and not any(item.about in {*STEADY, *CHANGING} for item in columns):
        candidates = named  # what two other columns show of a column says less than names
    shown = person_keys(table, columns, candidates)
    found = dict.fromkeys(named, Numbering(named=True))
    found |= {name: replace(key, named=name in named) for name, key in shown.items()}
    return found or {
        name: key
        for name, key in _repeating(columns).items()
        if not _share_names(table, columns, name)
    }


_GLUED = re.compile(
    r"(pt|pts|pat|pac|subj|indiv|part|resp|child|mem|client)[-_. ]?(num|no|nr|nbr|id|code)",
    re.IGNORECASE,
)
"""Short names of numbers of somebody, whose words are not apart: ptnum."""


def _repeating(columns: Sequence[Column]) -> dict[str, Numbering]:
    """Codes that look as if they named somebody, and repeat."""
    return {
        item.name: Numbering()
        for item in columns
        if item.role == "identifier"
        and (item.could_number or _are_people(item))
        and REPEATS * item.distinct <= item.filled
        and (
            any(tag.kind.direct and tag.kind.name not in _SHOWN for tag in item.tags)
            or (item.left_out and (item.kind == "text" or _ends_with_a_number(item.name)))
        )
    }


def _ends_with_a_number(name: str) -> bool:
    """Whether a name ends with a word for a number, and speaks of no stay or thing.

    >>> _ends_with_a_number("LopNr"), _ends_with_a_number("ptnum"), _ends_with_a_number("visit_no")
    (True, True, False)
    """
    parts = words(apart(name))
    several = len(parts) > 1 and parts[-1:] in _NUMBERED
    return _GLUED.fullmatch(name) is not None or (several and _of_people(name) < _OF_OTHERS)


def persons_of(
    table: Table, columns: Sequence[Column], keys: Mapping[str, Numbering]
) -> Persons | None:
    """The column that names people: that with which most columns agree, with fewest numbers.

    A stay in hospital has the sex and the birth of its patient too, so of two such columns the
    patient's is that with fewer values.

    Arguments:
        table: the table.
        columns: its columns.
        keys: what may number people.
    """
    known = [
        item
        for item in columns
        if item.name in keys
        and (keys[item.name].shown or item.filled >= _NEARLY_FILLED * item.records)
    ]
    if not known:
        return None
    # What goes with one patient, as a membership does, is the patient's.
    known = [
        item
        for item in known
        if not any(one in keys and keys[one].named for one in keys[item.name].shown)
    ] or known
    # Of numbers that the data shows the widest one, of those that are only called so the narrowest.
    item = min(
        known,
        key=lambda one: (
            _of_people(one.name),
            -len(keys[one.name].shown),
            one.filled < one.records,
            one.distinct if keys[one.name].shown else -one.distinct,
        ),
    )
    name = item.name
    quasi = [one for one in columns if one.role == "quasi-identifier" and one is not item]
    # With more values than people some differ, and the pairs, nearly as many as records, stay.
    wide = {
        one.name for one in quasi if item.filled == item.records and one.distinct > item.distinct
    }
    others = [one.name for one in quasi if one.name not in wide]
    unlike = {
        other
        for other, inside in table.within(name, others, {name: item.tokens}).items()
        if (inside["several"] | inside["gaps"]).any()
    }
    differing = tuple(one.name for one in quasi if one.name in wide | unlike)
    doubt = _doubt(columns, name, keys[name])
    if not keys[name].shown and several_people(table, columns, name):
        doubt = "people of several sexes or births share a number"
    elif not keys[name].shown and _of_all_ages(table, columns, item):
        doubt = "ages differ as much within a number as in the whole table"
    elif not keys[name].shown and item.filled < _SELDOM * item.distinct:
        doubt = "few of them repeat, which may be a mistake"
    blank = item.records - item.filled
    return Persons(name, item.distinct, item.records, differing, not doubt, doubt, blank)


_MANY_RECORDS = 20
_AS_MUCH = 0.9
_AMONG_NAMESAKES = 0.25


def _share_names(table: Table, columns: Sequence[Column], name: str) -> bool:
    """Whether words are names that several people have, of another sex or age."""
    item = next(one for one in columns if one.name == name)
    if item.could_number or not _are_people(item):
        return False
    ages = _spread_of_ages(table, columns, item)
    return ages >= _AMONG_NAMESAKES or several_people(table, columns, name)


def _of_all_ages(table: Table, columns: Sequence[Column], number: Column) -> bool:
    """Whether a number has many records, of which the ages differ as those of all records do."""
    many_each = number.filled >= _MANY_RECORDS * number.distinct
    return many_each and _spread_of_ages(table, columns, number) >= _AS_MUCH


def _spread_of_ages(table: Table, columns: Sequence[Column], number: Column) -> float:
    """How much ages vary within a number, of how much they vary in all records: 0 to about 1."""
    ages = [one for one in columns if one.about == "age" and one.kind in ("integer", "float")]
    if not ages:
        return 0.0
    both = [number.name, ages[0].name]
    held = (
        table.distinct(both)
        .select(
            number=number.name,
            age=pl.col(ages[0].name).str.strip_chars().cast(pl.Float64, strict=False),
            count=count_column(both),
        )
        .drop_nulls()
    )
    mean = (pl.col("age") * pl.col("count")).sum() / pl.col("count").sum()
    within, whole = (
        held.select((pl.col("count") * (pl.col("age") - middle) ** 2).sum()).item()
        for middle in (mean.over("number"), mean)
    )
    records, groups = held["count"].sum(), held["number"].n_unique()
    if not whole or records <= groups:
        return 0.0
    return float(within / (records - groups) / (whole / (records - 1)))


def filled_once(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Numbers of people that most records lack, and no two have: of merged cells, maybe."""
    return tuple(
        item
        for item in columns
        if 1 < item.filled == item.distinct
        and 2 * item.filled <= item.records
        and (_is_named(item) or _of_people(item.name) == 0)
    )


def blank_below(item: Column) -> str:
    """What is to be known of a number that stands in the first of a person's records alone."""
    return (
        f"'{item.name}' is filled in {item.filled:,} of {item.records:,} records, with another"
        " value each: if a value is meant for the records below it too, as in merged cells, a class"
        " of k records may be one person's; fill in the value, and write under [source] person ="
        f' "{item.name}"'
    )


def _doubt(columns: Sequence[Column], name: str, key: Numbering) -> str:
    """What speaks against a number's being one of people; empty where nothing does."""
    if _of_people(name) == 0:
        return ""
    one_each = [
        item.name
        for item in columns
        if item.role == "identifier"
        and item.distinct == item.records
        and (is_one_of(item.name, ("id", "ids")) or _of_people(item.name) == 0)
    ]
    if one_each:
        return f"'{one_each[0]}' is different in every record, and could be a person's number"
    if _of_people(name) == _OF_OTHERS:
        return "its name is that of something of which a person has several, or people share one"
    tags = {tag.kind.name for item in columns if item.name == name for tag in item.tags}
    whose = key.shown or is_one_of(name, ("id", "ids")) or not numbers_things(name)
    if key.named and not whose and tags.isdisjoint(("medical-record", "health-plan")):
        return "its name says id, and not whose"
    if key.steady or key.named:
        return ""
    if not key.shown:
        return "nothing else in the table shows it"
    names = in_quotes(key.shown)
    return f"only {names} show it, and would of a visit or an order as well"
