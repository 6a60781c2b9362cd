"""The verb *assess*: what a table gives away, and what is left to leak after a release."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from indistinct.analytics.leakage.assessment import (
    Asked,
    Assessment,
    Given,
    assess_table,
    exposed_people,
    known_roles,
)
from indistinct.analytics.leakage.event_leakage import EventLeakage, unicity_of
from indistinct.analytics.leakage.leakage_change import LeakageChange
from indistinct.analytics.profile.columns import profile
from indistinct.analytics.release_view import ReleaseView
from indistinct.analytics.weighted import Lists
from indistinct.errors import DataError, IndistinctError, Problem, refuse
from indistinct.frozen import dataclass, field
from indistinct.intake.hierarchies import taxonomy_of
from indistinct.intake.opening import (
    PolicyLike,
    Progress,
    as_policy,
    names_of,
    no_progress,
    open_source,
    plain_table,
    read_as,
    scanned_or_as_it_is,
)
from indistinct.intake.private_table import subjects_in
from indistinct.intake.sought_releases import sought_by
from indistinct.pipeline.attack import places_in, rows_that_fit
from indistinct.pipeline.release import Release
from indistinct.policy.sections import Role
from indistinct.privacy.values import not_applicable
from indistinct.release.audit.reading import read_release
from indistinct.sources.engines import emptied, open_table
from indistinct.sources.table import Table, require_columns
from indistinct.types import Frame, Ints, PlainMapping

if TYPE_CHECKING:
    from indistinct.policy import Policy


def assess(  # noqa: PLR0913, what its user may say
    data: Frame,
    policy: PolicyLike | None = None,
    *,
    release: Frame = None,
    attributes: Sequence[str] | str | None = None,
    combinations: int | None = None,
    top: int = 10,
    threshold: float = 0.5,
    key_like: float = 0.9,
    weights: str | None = None,
    exposed: int = 10,
    path: str | Path | None = None,
    source: PlainMapping | None = None,
    engine: str | None = None,
    memory: str | None = None,
    progress: Progress | None = None,
) -> Assessment:
    """How much each column of a table identifies people, and what a release of it still leaks.

    If the policy names the person of each record, people are counted instead of records: every
    person counts once. For columns that differ between the records of a person, the result says
    what one value tells, and how many people a few cells of any records single out.

    Arguments:
        data: a frame (Polars, pandas, PyArrow, DuckDB, PySpark) or the path of a file. It is not
            changed.
        policy: the role of each column; without it, roles are suggested.
        release: what was published of it: a :class:`Release`, a frame, the path of a file or of a
            release's folder.
        attributes: only these columns, and also what all of them leak together.
        combinations: report every combination of at most so many columns; by default every column,
            and the worst combinations of two or three.
        top: how many of the worst combinations are reported.
        threshold: from this share of all identifying information on, one column leaks a lot.
        key_like: from this share on, a combination of columns is nearly as good as a name.
        weights: a column of numbers: how likely each record is to be looked for (up to a factor).
        exposed: how many of the most exposed records are named, in ``Assessment.exposed``; private.
            With a release, those that are exposed in it: records of the table, or rows of the
            release if no policy says how to read its cells.
        path: the file that a frame was read from, for messages.
        source: how a file is read, ``{"separator": ";"}``, where there is no policy.
        engine: ``"duckdb"`` scans the file, or the files of a folder or pattern, as
            :func:`anonymize` does.
        memory: what the process may take then, as ``"2GB"``.
        progress: a function that gets the stage and the share done.

    Raises:
        DataError: the table or the release cannot be read, or lacks a column.
        PolicyError: the policy does not fit the table.
        HierarchyError: a hierarchy of the policy does not cover the table's values, or is not a
            tree.
    """
    tell = progress or no_progress
    attributes = None if attributes is None else names_of(attributes)
    wanted = Asked(attributes, combinations, top, threshold, key_like, weights, exposed)
    policy = None if policy is None else as_policy(policy, draft=True)
    release = release.tables if isinstance(release, Release) else release
    tell("reading", None)
    how = read_as(policy, source)
    data = scanned_or_as_it_is(data, engine, memory, how)
    asked = [*(attributes or ()), *([weights] if weights else [])]
    if policy is not None and policy.person is not None:
        looked = _people(data, policy, release, asked, path)
    else:
        looked = _records(data, policy, release, source, path)
    tell("looking at the columns", None)
    looks = profile(looked.whole, columns=_profiled(looked.whole, policy, attributes, weights))
    roles = None if policy is None else {k: v.role for k, v in policy.attributes.items()}
    looked = looked.without_identifiers(known_roles(roles, looks), asked)
    known = Given(
        roles,
        None if policy is None else functools.partial(taxonomy_of, policy, looked.whole),
        looked.release,
        looked.left_out or {},
        looked.rows,
        {} if policy is None else _not_applicable(policy),
    )
    assessed = assess_table(looked.table, looks, wanted, known, tell=tell)
    if release is not None and policy is not None and (exposed > 0 or looked.whole.held):
        assessed = _with_exposed_people(assessed, data, release, policy, exposed, path)
    if looked.first is None:
        return assessed
    first = looked.first
    records = assessed.exposed
    if assessed.exposed_rows == "table" and release is None:
        records = tuple(replace(item, row=int(first[item.row - 1]) + 1) for item in records)
    tell("looking at the records of people", None)
    events = {name: own for name, own in looked.cells.items() if name in looked.events}
    return replace(
        assessed,
        exposed=records,
        change=_without_decoys(assessed.change),
        left_out=tuple(item for item in assessed.left_out if item.attribute not in events),
        events=tuple(EventLeakage.of(name, own) for name, own in events.items()),
        unicity={
            when: found
            for when, cells in (("before", looked.cells), ("after", looked.published))
            if (found := unicity_of(cells))
        },
    )


def _not_applicable(policy: Policy) -> dict[str, frozenset[str]]:
    """The values of sensitive attributes that all promises about them leave aside."""
    found = {}
    for name in policy.sensitive:
        found[name] = not_applicable(one for one in policy.privacy_models if one.sensitive == name)
    return found


def _profiled(
    table: Table, policy: Policy | None, asked: Sequence[str] | None, weights: str | None
) -> Sequence[str] | None:
    """The columns to look at: of a table in an engine none whose values nobody asks for.

    These may be as many as its records, and all values of a column are counted.
    """
    if table.held:
        return None
    if asked:
        return [name for name in table.columns if name in asked]
    hidden = {weights, *(() if policy is None else policy.named("identifier"))}
    return [name for name in table.columns if name not in hidden]


def _with_exposed_people(
    assessed: Assessment,
    data: Frame,
    release: Frame,
    policy: Policy,
    exposed: int,
    path: str | Path | None,
) -> Assessment:
    """The same with those who are exposed in the release, where it has the policy's columns.

    Raises:
        DataError: it has them, and cells of which nobody can say whom they stand for.
    """
    try:
        if not exposed:
            places_in(data, release, policy, path)
            return assessed
        fitting = rows_that_fit(data, release, policy, path)
    except IndistinctError as error:  # its rows are told instead
        if any(problem.code == "unreadable-cell" for problem in error.problems):
            raise
        return assessed
    return replace(assessed, exposed=exposed_people(*fitting, exposed), exposed_rows="table")


@dataclass(frozen=True)
class _Looked:
    """What is looked at.

    Arguments:
        table: a row per record, or per person.
        whole: the table that was given.
        release: what was published of it, likewise.
        left_out: columns that the first lacks, and why.
        rows: records of the table, where people have many.
        first: the first record of every person.
        events: columns that differ between the records of a person.
        cells: what people have in columns that are no identifiers, over all their records.
        published: the same of the people of the release.
    """

    table: Table
    whole: Table
    release: Table | None
    left_out: Mapping[str, str] | None = None
    rows: int | None = None
    first: Ints | None = None
    events: tuple[str, ...] = ()
    cells: Mapping[str, Lists] = field(default_factory=dict)
    published: Mapping[str, Lists] = field(default_factory=dict)

    def without_identifiers(self, roles: Mapping[str, Role], asked: Sequence[str]) -> _Looked:
        """The same, with nothing in identifiers, which are often most of a table in memory."""
        if self.table is not self.whole:
            return self
        hidden = [name for name in self.whole.columns if roles.get(name) == "identifier"]
        table = emptied(self.whole, [name for name in hidden if name not in asked])
        return replace(self, table=table, whole=table)


def _records(
    data: Frame,
    policy: Policy | None,
    release: Frame,
    source: PlainMapping | None,
    path: str | Path | None,
) -> _Looked:
    """A table in which every record is of another person."""
    if policy is None:
        table = plain_table(data, source, path)
    else:
        table, _ = open_source(data, policy, path, scanned=True)
    return _Looked(
        table, table, None if release is None else _published_table(release, table.columns)
    )


def _people(
    data: Frame, policy: Policy, release: Frame, asked: Sequence[str], path: str | Path | None
) -> _Looked:
    """The people of a table, a row for each of them."""
    table, _ = open_source(data, policy, path, held=True)
    require_columns(table, asked)
    rows = table.text(table.columns)
    assert policy.person is not None
    people = subjects_in(rows, policy, table.name)
    quasi = set(policy.quasi_identifiers)
    others = [name for name in table.columns if name not in quasi and name != policy.person]
    constant = people.constant(rows.select(others))
    differing = [name for name in others if name not in constant.columns]
    _refuse_differing(asked, differing, table.name)
    own = people.texts.hstack(constant.get_columns())
    if not own.width:
        raise DataError(
            "no-columns",
            "no column has one value for each person, and leakage of people is measured in those",
            file=table.name,
            remedy="take person out of [source] to measure records",
        )
    hidden = policy.named("identifier")
    columns = [
        name
        for name in table.columns
        if name not in hidden and name != policy.person and (not asked or name in asked)
    ]
    cells = {name: Lists.gathered(people.person_of, rows[name], people.count) for name in columns}
    published: Table | None = None
    shown: Mapping[str, Lists] = {}
    if release is not None:
        found = ReleaseView.read(release, sought_by(policy))
        found.refuse_nobody()
        own_cells = found.cells([*found.quasi, *constant.columns])
        published = open_table(own_cells, found.table.name, allow_empty=True)
        shown = found.cells_of_people([name for name in hidden if name not in found.quasi])[0]
    why = dict.fromkeys(differing, "differs between the records of a person")
    why[policy.person] = "names the person"
    return _Looked(
        open_table(own.select(name for name in table.columns if name in own.columns), table.name),
        table,
        published,
        why,
        people.rows,
        people.first_rows(),
        tuple(name for name in differing if name in cells),
        cells,
        shown,
    )


def _without_decoys(change: LeakageChange | None) -> LeakageChange | None:
    """The same, without the advice to add decoys, which copy records and not people."""
    if change is None:
        return None
    attributes = tuple(
        replace(item, actions=tuple(part for part in item.actions if part.kind != "decoys"))
        for item in change.attributes
    )
    return replace(change, attributes=attributes)


def _refuse_differing(asked: Sequence[str], differing: Sequence[str], file: str) -> None:
    problems = [
        Problem(
            "differs-within-people",
            "differs between the records of a person, and people are what is looked at",
            file=file,
            attribute=name,
            remedy="leave it out",
        )
        for name in dict.fromkeys(asked)
        if name in differing
    ]
    refuse(DataError, problems)


def _published_table(release: Frame, columns: Sequence[str]) -> Table:
    """The published table that shares most columns with the private one."""
    tables = read_release(release).tables
    best = max(tables, key=lambda part: len(set(part.columns) & set(columns)))
    return open_table(best.texts(best.columns), best.name, allow_empty=True)
