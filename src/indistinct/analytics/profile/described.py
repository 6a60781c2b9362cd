"""What is told of a column and of a table: their profiles, as plain data and as what to look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from indistinct.analytics.profile.concepts import Role
from indistinct.analytics.profile.hierarchy_draft import Draft, Type
from indistinct.analytics.profile.persons import Persons
from indistinct.analytics.profile.record_numbers import FEW_RECORDS, K
from indistinct.analytics.profile.safe_harbor import Tag
from indistinct.document import PlainData, many
from indistinct.frozen import dataclass, field
from indistinct.types import Plain, PlainMapping

LEFT_OUT = "left out until you decide"
FOLLOWS = "follows from"
ALSO_TOLD = "tell what other quasi-identifiers tell: leave one of them out"
IN_A_TREE = "a narrower column has a tree over it: leave it out if readers do not need it alone"
COMMAS = (
    'numbers with a decimal comma are read as texts: say decimal = "," under [source], or write'
    " them with a point"
)


SPELLINGS = "values that differ only in capitals, blanks or signs: write them alike"
LISTS = "cells that list several values: a promise takes each list for one value"


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
        return tells_apart(filled, self.distinct, self.rare_share)


@dataclass(frozen=True)
class Profile(PlainData):
    """What the columns of a table look like, and what is suggested for each.

    ``person`` is the column that says whose a record is, where people seem to have many.
    """

    told_keys: ClassVar = (
        "records attributes warnings doubts=_doubts person=counted.column people=person?"
    )

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

    @property
    def _doubts(self) -> list[Plain]:
        return [{"what": what, "attributes": names} for what, names in self.doubts]


def _doubt(note: str) -> str | None:
    """What a person should look at because of a note."""
    if note.startswith(FOLLOWS):
        return IN_A_TREE if IN_A_TREE in note else ALSO_TOLD
    return next((what for what in (COMMAS, SPELLINGS, LISTS) if note.startswith(what)), None)


_ROLES: tuple[Role, ...] = ("identifier", "quasi-identifier", "sensitive", "insensitive")


def tells_apart(filled: int, distinct: int, rare_share: float) -> bool:
    """Whether a column tells most records apart, or almost, by itself.

    Arguments:
        filled: how many records have a value.
        distinct: how many values there are.
        rare_share: the share of records whose value fewer than K have.
    """
    return filled >= FEW_RECORDS and (distinct * K > filled or rare_share >= 0.5)


NOTHING = (
    "nothing in its name or values points to more; make it a quasi-identifier if anybody could"
    " know it, and sensitive if it could harm"
)


SAME = "the same value in every record"
_UNSEEN = (NOTHING, SAME)
"""Why a column is insensitive in which nothing was seen that speaks for more."""
