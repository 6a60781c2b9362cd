"""A release as a reader finds it, in any form: rows about people, and what is listed of them.

There are three forms. In a table of records every row is about another person. In a long release a
pseudonym says whose each row is; people are counted, and somebody whose quasi-identifiers differ
between rows counts once for each combination. Of two linked tables the first has a row for every
person, with the number of a bucket, and the second says what each bucket lists.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import polars as pl

from indistinct.analytics.joined import JoinedRelease, shares_of
from indistinct.analytics.published import Original, is_suppressed, read_rows
from indistinct.analytics.weighted import Lists, MadeLists, expanded, numbers, pointers
from indistinct.document import many
from indistinct.errors import DataError, Problem, Problems, refuse
from indistinct.frozen import dataclass, field
from indistinct.hierarchies.cells import members_of
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.metadata import ValueMetadata
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.microdata import sorted_values
from indistinct.release.audit.linking import link_between
from indistinct.release.audit.reading import (
    Published,
    PublishedTable,
    missing_columns,
    read_release,
)
from indistinct.release.audit.verdict import TIMES
from indistinct.release.certificate import made_up_among
from indistinct.requirement import Requirement
from indistinct.sources.text import recoded
from indistinct.sources.writing import unguarded
from indistinct.types import Floats, Frame, Ints, Ints32, PlainMapping

_ROW, _CHANCE = "\0row", "\0chance"
_NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d*)?")

ATTRIBUTE, VALUE = "attribute", "value"
"""Columns of a sensitive table that lists several attributes."""

MOST_EXPECTED = 5_000_000
"""Rows that linked tables may have once everybody stands beside each value of the bucket."""


@runtime_checkable
class Made(Protocol):
    """A release as the package makes it: its tables, and its certificate."""

    @property
    def tables(self) -> Any:
        """The published frame, or frames by name."""

    @property
    def certificate(self) -> Any:
        """What is said of it in public."""

    @property
    def run(self) -> Any:
        """What the custodian knows of it."""


@dataclass(frozen=True)
class Sought:
    """What is looked for in a release, and how its cells are read.

    Arguments:
        quasi: the quasi-identifiers; none of them for those that the certificate names.
        sensitive: the sensitive attributes.
        person: the column of the person; that of a certificate goes before.
        missing: of attributes the texts that stand for a missing value, as an empty text does; None
            where cells are taken as they are.
        guarded: whether cells that a spreadsheet would run have an apostrophe before them.
        source: how files are read.
        spelt: of attributes the texts that are read as others: numbers as the table writes them.
    """

    quasi: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    person: str | None = None
    missing: Mapping[str, Sequence[str]] | None = None
    guarded: bool = False
    source: PlainMapping = field(default_factory=dict)
    spelt: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def cells(self, texts: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
        """Published texts, in some columns with missing values null and without guards."""
        if self.missing is None:
            return texts
        columns = []
        for name in names:
            column = texts[name]
            if self.guarded:
                column = column.replace(unguarded(column))
            if name in self.spelt:
                column = column.replace(self.spelt[name])
            tokens = ["", *self.missing.get(name, ())]
            columns.append(column.set(column.is_in(tokens), None))
        return texts.with_columns(columns)

    def coded(self, codes: pl.Series) -> pl.Series:
        """The same of a column that is held as codes, by its distinct texts."""
        assert isinstance(codes.dtype, pl.Enum)
        name, labels = codes.name, codes.dtype.categories
        return recoded(codes, self.cells(pl.DataFrame([labels.alias(name)]), [name])[name])


@dataclass(frozen=True)
class Said:
    """What is said of a release by its certificate and by its run, as far as they are there.

    Arguments:
        promises: the promises.
        known: what is known of sensitive values.
        may_contain: what it may contain that was not in the source.
        kept_by_people: whether what is promised of beliefs holds without what is made up.
        quasi: the quasi-identifiers.
        person: the column that tells people apart.
        linked: how two tables belong together.
        run: the private account of the run.
    """

    promises: tuple[Requirement, ...] = ()
    known: Mapping[str, ValueMetadata] = field(default_factory=dict)
    may_contain: tuple[str, ...] = ()
    quasi: tuple[str, ...] = ()
    person: str | None = None
    linked: Mapping[str, str] | None = None
    run: PlainMapping | None = None
    kept_by_people: bool = False

    @classmethod
    def of(cls, release: Frame, published: Published) -> Said:
        """What a release that was made here says, or the certificate beside its files."""
        if isinstance(release, Made):
            one = release.certificate
            return cls(
                tuple(map(Requirement.from_dict, one.promises)),
                one.sensitive,
                one.may_contain,
                one.quasi_identifiers,
                one.person,
                one.linked,
                release.run.to_dict(),
                any("counts_made_up" in item for item in one.promises),
            )
        claims = published.claims
        if claims is None:
            return cls(linked=link_between(published))
        return cls(
            claims.promises,
            claims.known,
            claims.may_contain,
            claims.quasi,
            claims.person,
            claims.linked,
            None if claims.folder is None else _account(claims.folder / "private" / "run.json"),
            any(claims.as_asked),
        )

    @property
    def added(self) -> Mapping[str, int] | None:
        """How many records were added, by what was added; None where that is not known."""
        added = None if self.run is None else self.run.get("added")
        if not isinstance(added, Mapping):
            return None
        return {str(key): count for key, count in added.items() if isinstance(count, int)}

    @property
    def of_people(self) -> PlainMapping | None:
        """The account, if it says what classes and promises are without what is made up."""
        added = self.added
        return self.run if added is not None and any(added.values()) else None

    @property
    def seconds(self) -> float | None:
        """How long the search took; None where that is not known."""
        plan = None if self.run is None else self.run.get("plan")
        seconds = plan.get("seconds") if isinstance(plan, Mapping) else None
        return float(seconds) if isinstance(seconds, int | float) else None


def told_of_made_up(may_contain: Sequence[str]) -> list[str]:
    """The note that figures of a release count records of nobody, where they may."""
    if not made_up_among(may_contain):
        return []
    return [
        "may contain made-up records, which figures of its classes count as people: real classes "
        "may be smaller, down to the k that is promised"
    ]


@dataclass(frozen=True)
class ReleaseView:
    """A release as a reader finds it.

    Arguments:
        published: its tables.
        table: the table with the quasi-identifiers.
        sought: what was looked for, with the quasi-identifiers of the certificate where none were
            named.
        said: what its certificate and its run say.
        person: the column of the pseudonym of a long release.
        link: how linked tables belong together.
        as_codes: whether :meth:`cells` of records are held as codes.
    """

    published: Published
    table: PublishedTable
    sought: Sought
    said: Said
    person: str | None = None
    link: Mapping[str, str] | None = None
    as_codes: bool = False

    @classmethod
    def read(
        cls,
        release: Frame,
        sought: Sought,
        *,
        as_records: bool = False,
        as_codes: bool = False,
        suggested: Callable[[PublishedTable], tuple[str, ...]] | None = None,
    ) -> ReleaseView:
        """A release of any form.

        Arguments:
            release: a release that was made here, a frame, a mapping of names to frames, the path
                of a file or of a release's folder.
            sought: what is looked for.
            as_records: take every row for another person, even if the release names people.
            as_codes: hold the texts of files and cells of records as codes.
            suggested: what names the quasi-identifiers of a table of which nothing else does.

        Raises:
            DataError: it cannot be read, has no quasi-identifier, or people are asked for and
                nothing says whose its rows are.
        """
        native = release.tables if isinstance(release, Made) else release
        published = read_release(native, sought.source, coded=as_codes)
        claims = published.claims
        if isinstance(native, str | Path) and claims and claims.linked and not as_records:
            # One of two linked tables was named: they are read together. A server gives both.
            published = read_release(claims.folder or native, sought.source, coded=as_codes)
        said = Said.of(release, published)
        link = None if as_records else said.linked
        person = None if as_records or link is not None else said.person or sought.person
        quasi = sought.quasi or said.quasi
        table = _table(published, (*quasi, *sought.sensitive), person, link)
        if suggested is not None and not quasi:
            quasi = suggested(table)
        problems = _not_there(table, quasi, person, link)
        if link is not None and not problems:
            problems += missing_columns(_named(published, link["sensitive"]), [link["by"]])
        refuse(DataError, problems)
        sought = replace(sought, quasi=quasi)
        return cls(published, table, sought, said, person, link, as_codes)

    def spelt_as(self, texts: pl.DataFrame) -> ReleaseView:
        """The same, with numbers written as a table writes them: 24.0 as 24.

        Arguments:
            texts: the values of the table; those of two spellings say nothing of a third.
        """
        spelt = {}
        for name in (*self.quasi, *self.sensitive):
            tokens = (self.sought.missing or {}).get(name, ())
            own = [*texts[name].drop_nulls().unique().to_list(), *tokens]
            shown = self.listed[name][name] if self.link and name in self.listed else None
            cells = self.cells([name])[name] if shown is None else shown
            found = _other_spellings(cells.drop_nulls().unique().to_list(), own)
            if found:
                spelt[name] = found
        return self.respelt(spelt)

    def respelt(self, spelt: Mapping[str, Mapping[Any, Any]]) -> ReleaseView:
        """The same, with some cells written otherwise, by attribute."""
        known = self.sought.spelt
        both = {name: {**known.get(name, {}), **cells} for name, cells in spelt.items() if cells}
        return replace(self, sought=replace(self.sought, spelt={**known, **both})) if both else self

    @property
    def quasi(self) -> tuple[str, ...]:
        """The quasi-identifiers that it has."""
        return tuple(name for name in self.sought.quasi if self.table.find(name) is not None)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive attributes that it tells of."""
        if self.link is not None:
            return tuple(self.listed)
        return tuple(name for name in self.sought.sensitive if self.table.find(name) is not None)

    @property
    def lacking(self) -> tuple[str, ...]:
        """What was looked for, and is not there."""
        there = {*self.quasi, *self.sensitive}
        return tuple(
            name for name in (*self.sought.quasi, *self.sought.sensitive) if name not in there
        )

    def nearly_called(self, name: str) -> str:
        """Which column has nearly the name of a missing one, for the end of a message."""
        plain = name.strip().lower()
        near = [own for own in self.table.columns if own.strip().lower() == plain]
        return f"; '{near[0]}' may be '{name}'" if near else ""

    @property
    def intact(self) -> bool:
        """Whether its tables are those that its certificate speaks of, where it speaks of them."""
        return all(part.matches is not False for part in self.published.tables)

    @cached_property
    def height(self) -> int:
        """Rows of the table with the quasi-identifiers, those of nobody too."""
        counted = self.table.counted(self.table.columns[:1])
        return int(counted[TIMES].sum()) if TIMES in counted.columns else counted.height

    @property
    def counted(self) -> tuple[pl.DataFrame, pl.Series] | None:
        """The different :attr:`rows` of a table in an engine, and how many it has of each.

        None of a table in memory.
        """
        if not self.table.in_engine or self.person is not None:
            return None
        found = self.table.counted(self.quasi)
        return self.sought.cells(found.select(self.quasi), self.quasi), found[TIMES]

    @cached_property
    def nobody(self) -> pl.Series:
        """Which rows name no person; for long releases."""
        assert self.person is not None
        return self.table.texts([self.person])[self.person].is_null()

    @cached_property
    def _records(self) -> pl.DataFrame:
        """The rows of a long release that name a person, with their numbers from 0."""
        assert self.person is not None
        own = [*self.quasi, *self.sensitive]
        texts = self._texts(own, self.person)
        return texts.with_row_index(_ROW).filter(~self.nobody)

    @cached_property
    def _people(self) -> pl.DataFrame:
        """The first row of every person and combination of a long release.

        A person with rows in a class is not among those whom no class fits: other rows of such a
        person, with ``*`` in every quasi-identifier, make no combination.
        """
        assert self.person is not None
        key = [self.person, *self.quasi]
        rows = self._records.unique(key, keep="first", maintain_order=True)
        starred = is_suppressed(rows, self.quasi)
        known = rows.filter(~starred)[self.person]
        return rows.filter(~(starred & rows[self.person].is_in(known.implode())))

    @cached_property
    def rows(self) -> pl.DataFrame:
        """The published quasi-identifiers, a row per person."""
        return self.cells(self.quasi) if self.person is None else self._people.select(self.quasi)

    @property
    def first_rows(self) -> Ints:
        """The first row of the table of every row of :attr:`rows`, from 0."""
        if self.person is None:
            return np.arange(self.height)
        return self._people[_ROW].to_numpy().astype(np.int64)

    def _read(self, names: Sequence[str]) -> Sequence[str]:
        """Those of some columns in which NaN is missing: none where cells are taken as they are."""
        return () if self.sought.missing is None else names

    def _texts(self, names: Sequence[str], *keys: str) -> pl.DataFrame:
        """Some columns of the table as they are read, beside those that name people."""
        return self.sought.cells(self.table.texts([*keys, *names], self._read(names)), names)

    def cells(self, names: Sequence[str]) -> pl.DataFrame:
        """Some columns of the table, a row per person and combination of them."""
        own = [name for name in dict.fromkeys(names) if self.table.find(name) is not None]
        if self.person is None and self.as_codes:
            return pl.DataFrame([self.sought.coded(self.table.codes(name)) for name in own])
        if self.person is None:
            return self._texts(own)
        rows = self._texts(own, self.person)
        rows = rows.filter(~self.nobody)
        return rows.unique([self.person, *own], keep="first", maintain_order=True).select(own)

    @cached_property
    def _buckets(self) -> tuple[tuple[str | None, ...], Ints32, dict[str, Lists]]:
        """The names of buckets, the bucket of every row, and what buckets list."""
        if self.person is not None:
            owner = self._records[self.person]
            people = tuple(owner.unique(maintain_order=True).to_list())
            of = codes_in(owner, people)
            lists = {
                name: Lists.gathered(of, self._records[name], len(people))
                for name in self.sensitive
            }
            return people, codes_in(self._people[self.person], people), lists
        own = self.table.texts([self.by])[self.by]
        names = sorted_values(pl.concat([own, *(part[self.by] for part in self.listed.values())]))
        lists = {
            name: Lists.gathered(codes_in(part[self.by], names), part[name], len(names))
            for name, part in self.listed.items()
        }
        return names, codes_in(own, names), lists

    def cells_of_people(self, without: Collection[str] = ()) -> tuple[Mapping[str, Lists], Ints]:
        """The cells of every published person, column by column; of linked tables, of every row.

        Where every record is of another person, they are made when they are asked for.

        Returns:
            The cells, and whose every row of :attr:`rows` is.
        """
        own = {self.person, None if self.link is None else self.by, *without}
        names = [name for name in self.table.columns if name not in own]
        if self.person is None and self.link is None:
            return MadeLists(names, lambda name: Lists.single(self.cells([name])[name])), numbers(
                self.height + 1
            )[:-1]
        keys = [] if self.person is None else [self.person]
        texts = self._texts(names, *keys)
        if self.person is not None:
            texts = texts.filter(~self.nobody)
            people = self._buckets[0]
            of = codes_in(texts[self.person], people)
            found = {name: Lists.gathered(of, texts[name], len(people)) for name in names}
            return found, self.bucket_of.astype(np.int64)
        found = {name: Lists.single(texts[name]) for name in names}
        if self.link is not None:
            for name, part in self.lists.items():
                place, at = expanded(part, self.bucket_of)
                indptr = pointers(place, self.height)
                found[name] = Lists(indptr, part.index[at], part.amount[at], part.labels)
        return found, np.arange(self.height)

    def visits(self, names: Sequence[str]) -> tuple[Ints32, pl.DataFrame]:
        """Some columns of a long release, a row per record; and whose each is."""
        assert self.person is not None
        texts = self._texts(names, self.person)
        texts = texts.filter(~self.nobody)
        return codes_in(texts[self.person], self._buckets[0]), texts.select(names)

    @property
    def people_published(self) -> int:
        """How many people a long release has rows of, suppressed or not."""
        return len(self._buckets[0])

    @property
    def by(self) -> str:
        """The column of the bucket, of linked tables."""
        assert self.link is not None
        return self.link["by"]

    @property
    def bucket_of(self) -> Ints32:
        """The bucket of every row of :attr:`rows`; people have one each in a long release, [r]."""
        return self._buckets[1]

    @property
    def bucket_size(self) -> Ints:
        """Rows of every bucket, [B]."""
        return np.bincount(self.bucket_of, minlength=len(self._buckets[0])).astype(np.int64)

    @property
    def lists(self) -> Mapping[str, Lists]:
        """Of each sensitive attribute what every bucket lists, [B]."""
        return self._buckets[2]

    @property
    def pseudonyms(self) -> tuple[str | None, ...] | None:
        """The pseudonym of every row of :attr:`rows`, of a long release."""
        if self.person is None:
            return None
        return tuple(self._buckets[0][at] for at in self.bucket_of.tolist())

    @cached_property
    def listed(self) -> dict[str, pl.DataFrame]:
        """Of each sensitive attribute the rows of the sensitive table: bucket and value."""
        assert self.link is not None
        table, by = _named(self.published, self.link["sensitive"]), self.by
        found = {}
        for name in self.sought.sensitive:
            if table.find(name) is not None:
                found[name] = self.sought.cells(table.texts([by, name], self._read([name])), [name])
            elif table.find(ATTRIBUTE) is not None and table.find(VALUE) is not None:
                rows = table.texts([by, ATTRIBUTE, VALUE], self._read([VALUE]))
                own = rows.filter(pl.col(ATTRIBUTE) == name).select(by, pl.col(VALUE).alias(name))
                if own.height:
                    found[name] = self.sought.cells(own, [name])
        return found

    def expected(self, names: Sequence[str]) -> tuple[pl.DataFrame, Ints, Floats]:
        """Some columns of linked tables: a row for everybody and each value that may be theirs.

        A set of values is somebody's who has them all. Values of several columns that buckets list
        are taken as independent of each other.

        Arguments:
            names: the columns; those that neither table has are left out.

        Returns:
            The columns, the row of :attr:`rows` that each row is of, and how likely it is.

        Raises:
            OverflowError: there would be more rows than :data:`MOST_EXPECTED`.
        """
        own = [name for name in names if self.table.find(name) is not None]
        texts = self.sought.cells(self.table.texts([*own, self.by]), own)
        found = pl.DataFrame({_ROW: np.arange(self.height), _CHANCE: np.ones(self.height)})
        found = found.with_columns(texts[name] for name in own)
        for name in (name for name in names if name in self.lists and name not in own):
            part, bucket = self.lists[name], self.bucket_of[found[_ROW].to_numpy()]
            if part.length[bucket].sum() > MOST_EXPECTED:
                raise OverflowError(f"more than {MOST_EXPECTED} rows")
            place, at = expanded(part, bucket)
            shares = shares_of(part, self.bucket_size, self.semantics())[at]
            held = [list(members_of(label) or (label,)) for label in part.labels]
            labels = pl.Series(name, held, pl.List(pl.String)).gather(pl.Series(part.index[at]))
            found = found.select(pl.all().gather(pl.Series(place)))
            found = found.with_columns(labels, pl.col(_CHANCE) * pl.Series(shares)).explode(name)
        return found.drop(_ROW, _CHANCE), found[_ROW].to_numpy(), found[_CHANCE].to_numpy()

    def semantics(self, usual: str | None = None) -> str:
        """How the values of a bucket belong to its people: ``one``, ``some`` or ``all``.

        Arguments:
            usual: what holds where the release does not say; without, ``one`` if every bucket lists
                as many values as it has people, else ``some``.
        """
        if self.link is None:
            return "all"
        said = self.link.get("holding") or usual
        if said is not None:
            return said
        size = self.bucket_size
        return "one" if all((part.size == size).all() for part in self.lists.values()) else "some"

    @property
    def torn(self) -> int:
        """How many combinations of quasi-identifiers there are more than people."""
        return 0 if self.person is None else len(self.rows) - len(self._buckets[0])

    @property
    def told_torn(self) -> str:
        """What a reader should know of people with several combinations."""
        return (
            "the quasi-identifiers differ between the records of people: "
            f"{self.torn} more combinations than people, each of which counts as somebody's"
        )

    def refuse_nobody(self) -> None:
        """Raise :class:`DataError` for rows of a long release that name no person."""
        if self.person is not None and self.nobody.any():
            raise DataError(
                "row-without-person",
                f"{many(int(self.nobody.sum()), 'row names')} no person",
                file=self.table.name,
                attribute=self.person,
                rows=tuple(at + 1 for at in self.nobody.arg_true().head(11).to_list()),
                remedy="people of a release are counted by their pseudonyms",
            )

    def notes(self) -> list[str]:
        """What a reader should know of it."""
        notes = list(self.published.notes)
        notes += [
            f"has no column '{name}': it counts as suppressed throughout{self.nearly_called(name)}"
            for name in self.sought.quasi
            if name not in self.quasi
        ]
        if not self.intact:
            notes.append("is not the release that its certificate describes")
        if self.torn:
            notes.append(self.told_torn)
        return [*notes, *told_of_made_up(self.said.may_contain)]

    def with_stars(self, names: Sequence[str]) -> pl.DataFrame:
        """The published quasi-identifiers, a row per person; what it lacks counts as suppressed."""
        return self.rows.select(
            name if name in self.quasi else pl.lit(SUPPRESSED).alias(name) for name in names
        )

    def joined(self, original: Original, name: str, transformed: Sequence[str]) -> JoinedRelease:
        """The release as measures of people see it; what it lacks counts as suppressed.

        Arguments:
            original: the private table.
            name: what messages call the release.
            transformed: attributes whose values were changed before.

        Raises:
            DataError: cells that cannot be read, or rows of nobody.
        """
        if self.person is not None:
            self.refuse_nobody()
        rows = self.with_stars(original.attributes)
        published = read_rows(original, rows, name, transformed)
        if self.person is not None:
            return JoinedRelease(published, self.bucket_of, self.lists, "all")
        return JoinedRelease.of_linked(
            published,
            self.table.texts([self.by])[self.by],
            self.listed,
            None if self.link is None else self.link.get("holding"),
        )


def _other_spellings(cells: Sequence[str], values: Sequence[str]) -> dict[str, str]:
    """Of cells that are numbers of a table, and written otherwise, how the table writes them.

    >>> _other_spellings(["24.0", "7", "[20, 24]"], ["24", "30"])
    {'24.0': '24'}
    """
    known = set(values)
    strange = [cell for cell in cells if cell not in known and _NUMBER.fullmatch(cell)]
    if not strange:
        return {}
    ways: dict[float, list[str]] = {}
    for value in values:
        if _NUMBER.fullmatch(value):
            ways.setdefault(float(value), []).append(value)
    own = {cell: ways.get(float(cell), []) for cell in strange}
    return {cell: found[0] for cell, found in own.items() if len(found) == 1}


def _account(path: Path) -> PlainMapping | None:
    """The private account of a run, where it lies beside its release and can be read."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return document if isinstance(document, Mapping) else None


def _named(published: Published, name: str) -> PublishedTable:
    for part in published.tables:
        if part.name == name:
            return part
    raise DataError("no-table", "the release lacks this table", file=name)


def _table(
    published: Published, names: Sequence[str], person: str | None, link: Mapping[str, str] | None
) -> PublishedTable:
    """The table with the quasi-identifiers."""
    if link is not None:
        _named(published, link["sensitive"])
        return _named(published, link["quasi"])
    return max(
        published.tables,
        key=lambda part: (
            person is not None and part.find(person) is not None,
            sum(part.find(name) is not None for name in names),
        ),
    )


def _not_there(
    table: PublishedTable, quasi: Sequence[str], person: str | None, link: Mapping[str, str] | None
) -> list[Problem]:
    """What a release cannot be read without."""
    problems = Problems()
    if not any(table.find(name) is not None for name in quasi):
        problems += missing_columns(table, quasi) or [
            Problem(
                "missing-column",
                "the release has no quasi-identifier that is known",
                file=table.name,
                remedy="name the columns as the release does",
            )
        ]
    if link is not None:
        problems += missing_columns(table, [link["by"]])
    elif person is not None and table.find(person) is None:
        problems.add(
            "release-without-people",
            "people have many records, and nothing in the release says whose its rows are",
            file=table.name,
            attribute=person,
            remedy="give the release with the pseudonyms that were made for it, or the folder "
            "of the two linked tables",
        )
    return problems
