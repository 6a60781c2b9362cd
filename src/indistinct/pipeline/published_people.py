"""What was published of people: a row for each of them, from a long release or linked tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.analytics.joined import JoinedRelease
from indistinct.errors import DataError, Problem
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.pipeline.attacking import SPREADSHEET_GUARD
from indistinct.pipeline.release import Release
from indistinct.release.audit.linking import link_between
from indistinct.release.audit.reading import Published, PublishedTable, read_release

if TYPE_CHECKING:
    from indistinct.analytics.published import Original
    from indistinct.policy import Policy

ATTRIBUTE, VALUE = "attribute", "value"


@dataclass(frozen=True)
class PublishedPeople:
    """A release of people as it lies before a reader, and how its rows belong to people.

    Arguments:
        published: its tables, and its certificate where there is one.
        table: the table with the quasi-identifiers.
        quasi: the quasi-identifiers that it has.
        person: the column of the pseudonym; None for linked tables, which have a row per person.
        link: how linked tables belong together; None for a long release.
        notes: what a reader should know of it.
    """

    published: Published
    table: PublishedTable
    quasi: tuple[str, ...]
    person: str | None
    link: Mapping[str, str] | None
    notes: tuple[str, ...]

    @property
    def rows(self) -> int:
        """Rows of the table with the quasi-identifiers."""
        name = self.person or self.link_column
        return self.table.texts([name]).height

    @property
    def link_column(self) -> str:
        """The column of the bucket."""
        assert self.link is not None
        return self.link["by"]

    def cells(self, policy: Policy | None, beside: Sequence[str] = ()) -> pl.DataFrame:
        """The published quasi-identifiers, a row per person.

        Somebody with several combinations has a row for each. What stands for a missing value is
        null where a policy says what does.

        Arguments:
            policy: says what stands for a missing value.
            beside: further columns of the table that are the same in all records of a person.
        """
        further = [name for name in beside if name not in self.quasi and self.table.find(name)]
        own = [*self.quasi, *further]
        names = own if self.person is None else [self.person, *own]
        texts = canonical_cells(self.table.texts(names), policy, own)
        if self.person is None:
            return texts
        self._refuse_nobody(texts[self.person])
        return texts.unique(names, keep="first", maintain_order=True).drop(self.person)

    def first_rows(self) -> NDArray[np.int64]:
        """The first row of the table of every row of :meth:`cells`, from 0."""
        names = [*self.quasi] if self.person is None else [self.person, *self.quasi]
        texts = self.table.texts(names)
        if self.person is None:
            return np.arange(texts.height)
        rows = texts.with_row_index("\0row").unique(names, keep="first", maintain_order=True)
        return rows["\0row"].to_numpy().astype(np.int64)

    def joined(self, original: Original, policy: Policy, path: str) -> JoinedRelease:
        """The release as measures of people see it; what it lacks counts as suppressed.

        Raises:
            DataError: cells that cannot be read, or rows of nobody.
        """
        changed = [name for name, item in policy.attributes.items() if item.transform is not None]
        if self.person is not None:
            found = [name for name in policy.sensitive if self.table.find(name) is not None]
            texts = self.table.texts([self.person, *self.quasi, *found])
            texts = canonical_cells(texts, policy, [*self.quasi, *found])
            texts = _with_stars(texts, original.attributes)
            return JoinedRelease.of_long(
                original, texts, self.person, found, name=path, transformed=changed
            )
        texts = self.table.texts([*self.quasi, self.link_column])
        texts = canonical_cells(texts, policy, self.quasi)
        quasi = _with_stars(texts, original.attributes).select(original.attributes)
        assert self.link is not None
        return JoinedRelease.of_linked(
            original,
            quasi,
            texts[self.link_column],
            self._listed(policy),
            self.link.get("holding"),
            name=path,
            transformed=changed,
        )

    def _listed(self, policy: Policy) -> dict[str, pl.DataFrame]:
        """Of each sensitive attribute the rows of the sensitive table: bucket and value."""
        assert self.link is not None
        by = self.link_column
        table = next(part for part in self.published.tables if part.name == self.link["sensitive"])
        found = {}
        for name in policy.sensitive:
            if table.find(name) is not None:
                found[name] = canonical_cells(table.texts([by, name]), policy, [name])
            elif table.find(ATTRIBUTE) is not None and table.find(VALUE) is not None:
                rows = table.texts([by, ATTRIBUTE, VALUE])
                own = rows.filter(pl.col(ATTRIBUTE) == name).select(by, pl.col(VALUE).alias(name))
                if own.height:
                    found[name] = canonical_cells(own, policy, [name])
        return found

    def _refuse_nobody(self, column: pl.Series) -> None:
        nobody = column.is_null()
        if nobody.any():
            raise DataError(
                Problem(
                    "row-without-person",
                    f"{int(nobody.sum())} rows name no person",
                    file=self.table.name,
                    attribute=self.person,
                    rows=tuple(at + 1 for at in nobody.arg_true().head(11).to_list()),
                    remedy="people of a release are counted by their pseudonyms",
                )
            )


def published_people(
    release: Any,
    quasi: Sequence[str],
    person: str | None,
    source: Mapping[str, Any] | None = None,
) -> PublishedPeople:
    """A release of a table in which people have many records.

    Arguments:
        release: a :class:`Release`, a frame, a mapping of names to frames, the path of a file or of
            a release's folder.
        quasi: the quasi-identifiers. None of them: those that its certificate names.
        person: the column of the person; that of the certificate goes before.
        source: how files are read.

    Raises:
        DataError: it cannot be read, has no quasi-identifier, or nothing says whose its rows are.
    """
    published = read_release(
        release.tables if isinstance(release, Release) else release, source or {}
    )
    if isinstance(release, str | Path) and published.claims and published.claims.linked:
        # One of two linked tables was named: they are read together.
        published = read_release(published.claims.path.parent, source or {})
    link: Mapping[str, str] | None
    if isinstance(release, Release):
        link, own = release.certificate.linked, release.certificate.person
        quasi = quasi or release.certificate.quasi_identifiers
    elif published.claims is not None:
        link, own = published.claims.linked, published.claims.person
        quasi = quasi or published.claims.quasi
    else:
        link, own = link_between(published), None
    person = None if link is not None else own or person
    table = _table(published, quasi, link)
    there = tuple(name for name in quasi if table.find(name) is not None)
    key = person if link is None else link["by"]
    problems = []
    if not there:
        problems.append(
            Problem(
                "missing-column",
                "the release has none of the quasi-identifiers",
                file=table.name,
                remedy="name the columns as the release does",
            )
        )
    if key is None or table.find(key) is None:
        problems.append(
            Problem(
                "people-not-told",
                "people have many records, and nothing in the release says whose each is",
                file=table.name,
                attribute=key,
                remedy="keep the column of the person, with a pseudonym made for the release",
            )
        )
    if problems:
        raise DataError(problems)
    notes = list(published.notes)
    notes += [
        f"has no column '{name}': it counts as suppressed throughout"
        for name in quasi
        if name not in there
    ]
    if any(part.matches is False for part in published.tables):
        notes.append("is not the release that its certificate speaks of")
    found = PublishedPeople(published, table, there, person, link, tuple(notes))
    return replace(found, notes=(*notes, *_torn(found)))


def speaks_of_people(release: Any, source: Mapping[str, Any] | None = None) -> bool:
    """Whether a release itself says whose its rows are: by its certificate, or by its two tables.

    Raises:
        DataError: it cannot be read.
    """
    if isinstance(release, Release):
        return release.certificate.person is not None or release.linked
    published = read_release(release, source or {})
    claims = published.claims
    if claims is None:
        return link_between(published) is not None
    return claims.person is not None or claims.linked is not None


def canonical_cells(
    texts: pl.DataFrame, policy: Policy | None, names: Sequence[str]
) -> pl.DataFrame:
    """Published texts with what stands for a missing value null, and no guard of spreadsheets."""
    if policy is None:
        return texts
    guarded = policy.output.spreadsheet_safe and policy.output.format == "csv"
    columns = []
    for name in names:
        column = texts[name]
        if guarded:
            column = column.str.replace(SPREADSHEET_GUARD, "$1")
        known = policy.attributes.get(name)
        tokens = ["", *(() if known is None else known.missing.tokens)]
        columns.append(column.set(column.is_in(tokens), None))
    return texts.with_columns(columns)


def _table(
    published: Published, quasi: Sequence[str], link: Mapping[str, str] | None
) -> PublishedTable:
    if link is not None:
        for part in published.tables:
            if part.name == link["quasi"]:
                return part
        raise DataError(Problem("no-table", "the release lacks this table", file=link["quasi"]))
    return max(
        published.tables, key=lambda part: sum(part.find(name) is not None for name in quasi)
    )


def _torn(found: PublishedPeople) -> list[str]:
    """What is wrong with the people of a long release."""
    if found.person is None:
        return []
    rows = found.table.texts([found.person, *found.quasi]).unique()
    several = rows.height - rows[found.person].n_unique()
    if not several:
        return []
    return [
        f"the quasi-identifiers differ between the records of people: {several} more combinations "
        "than people, each of which counts as somebody's"
    ]


def _with_stars(texts: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The columns that a release lacks, suppressed throughout."""
    return texts.with_columns(
        pl.lit(SUPPRESSED).alias(name) for name in names if name not in texts.columns
    )
