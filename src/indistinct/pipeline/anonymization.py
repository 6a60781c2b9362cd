"""The verb *anonymize*: from a table to a release, audited before it is handed over."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from indistinct.errors import DataError
from indistinct.intake.asked import holds_records, reads_its_release
from indistinct.intake.chosen_promises import settled
from indistinct.intake.opening import (
    AUTO,
    SCANNED,
    PolicyLike,
    Progress,
    Scanned,
    open_source,
    scanned_by_itself,
)
from indistinct.intake.outline import OutlinedTable
from indistinct.intake.private_table import PrivateTable
from indistinct.intake.run import Run
from indistinct.intake.transforming import Transformed, transformed
from indistinct.pipeline.accounts import accounts
from indistinct.pipeline.analyses import columns_of, with_analyses
from indistinct.pipeline.background_knowledge import with_background_knowledge
from indistinct.pipeline.known_numbers import with_known_numbers
from indistinct.pipeline.looking_ahead import searched
from indistinct.pipeline.publishing import audited, publish, require_kept
from indistinct.pipeline.recording import hold_against_ledger
from indistinct.sources.convert import to_polars
from indistinct.sources.engines import open_table
from indistinct.types import Frame
from indistinct.warning_kinds import Kind

if TYPE_CHECKING:
    from indistinct.pipeline.release import Release
    from indistinct.recoding.linked_plan import LinkedPlan
    from indistinct.recoding.plan import Plan
    from indistinct.sources.table import Table

Planned = Callable[[PrivateTable, Run], "tuple[PrivateTable, Plan | LinkedPlan]"]
"""What finds a plan, and the table as the plan sees it."""


def anonymize(
    data: Frame,
    policy: PolicyLike,
    *,
    path: str | Path | None = None,
    progress: Progress | None = None,
    engine: str | None = None,
    memory: str | None = None,
) -> Release:
    """Make a release of a table that keeps the promises of a policy, and prove it.

    Arguments:
        data: a frame (Polars, pandas, PyArrow, DuckDB, PySpark) or a file's path; left unchanged.
        policy: roles, hierarchies, promises, method and output; or its keys, or its file.
        path: the file that a frame was read from, for messages and the private account.
        progress: a function that gets the stage and the share done.
        engine: ``"duckdb"`` scans the file, or the files of a folder or pattern, where they are:
            they need not fit into memory. The release is a DuckDB relation then. ``"spark"`` reads
            a path of the cluster or ``table:NAME`` by the running session, and the release is a
            Spark frame. ``"auto"`` scans a file of millions of records where the method counts
            combinations, as the command line does: less time, and half of the memory or less.
        memory: what the process may take then, as ``"2GB"``; asked for alone it means DuckDB.

    Raises:
        DataError: the table cannot be read.
        PolicyError: the policy does not fit the table.
        HierarchyError: a hierarchy does not cover the table's values, or is not a tree.
        Unsatisfiable: no release can keep the promises within the policy's limits.
    """
    if engine == AUTO and memory is None:
        return _by_size(data, policy, progress, path)
    run = Run.begin(policy, progress, path)
    run.scanned = Scanned.of(None if engine == AUTO else engine, memory)
    return released(data, run)


def _by_size(
    data: Frame, policy: PolicyLike, progress: Progress | None, path: str | Path | None
) -> Release:
    """The release of a large file, scanned where that can be; of all else in memory."""
    run = Run.begin(policy, progress, path)
    needed = holds_records(run.policy) or reads_its_release(run.policy)
    if not needed and scanned_by_itself(data, run.policy):
        run.scanned = Scanned()
        with contextlib.suppress(DataError):  # reading says it better, where it fails as well
            return released(data, run)
        run = Run.begin(policy, progress, path)
    return released(data, run)


def released(data: Frame, run: Run, planned: Planned | None = None) -> Release:
    """The release of a table, audited.

    Arguments:
        data: a frame or a path.
        run: what is asked.
        planned: what finds the plan; the policy's method where not given.

    Raises:
        DataError, PolicyError, HierarchyError, Unsatisfiable: as :func:`anonymize` does.
    """
    private, values = read(data, run, in_place=planned is None)

    def found(private: PrivateTable) -> tuple[PrivateTable, Plan | LinkedPlan]:
        if isinstance(private, OutlinedTable):
            return private.cut(run)
        return (private, searched(private, run)) if planned is None else planned(private, run)

    (private, plan), values = with_known_numbers(
        found(private), values, run, lambda left: found(counted(left, run))
    )
    publication = publish(private, plan, values, run)
    if holds_records(run.policy) and not isinstance(data, str | Path):
        # The run worked on a copy in memory: the release goes back to the engine of the table.
        publication = publication.like(data)
    run.tell("auditing")
    verdict = audited(publication, private)
    if publication.real is not None:
        of_people = audited(publication.without_made_up, private)
        publication = replace(publication, of_people=of_people)
    require_kept(verdict, publication, private, plan)
    with_background_knowledge(private, publication, run, values)
    record = hold_against_ledger(private, plan, publication, run)
    release = accounts(private, plan, publication, verdict, run, values)
    release = with_analyses(release, run.to_analyse, run, private.metadata)
    return release if record is None else replace(release, record=record)


def opened(data: Frame, run: Run) -> Table:
    """The table: in memory, or scanned where that is asked for or it does not fit.

    Raises:
        DataError: it cannot be read, or its records are needed and do not fit.
        PolicyError: the policy does not fit it.
    """
    policy = run.policy
    held = holds_records(policy) or (run.scanned is not None and reads_its_release(policy))
    table, run.source_digest = open_source(data, policy, run.path, held=held, scanned=run.scanned)
    if SCANNED in table.notes and reads_its_release(policy):
        rows, notes = to_polars(table), table.notes
        table = open_table(rows, table.name, missing_tokens=policy.missing_tokens())
        table.notes = notes
    return table


def read(data: Frame, run: Run, *, in_place: bool = False) -> tuple[PrivateTable, Transformed]:
    """The private table; and what was done to its values before.

    Arguments:
        data: a frame or a path.
        run: what is asked; is given warnings.
        in_place: whether a table whose combinations do not fit may be cut where it is.

    Raises:
        DataError, PolicyError, HierarchyError: as :func:`anonymize`; or people cannot be told.
    """
    run.tell("reading")
    table = opened(data, run)
    run.warnings += map(Kind.SOURCE, table.notes)
    file = None if run.source_digest is None else table.name
    run.to_analyse = columns_of(run.policy, table)
    values = transformed(table, run, file)
    return counted(values, run, in_place=in_place), values


def counted(values: Transformed, run: Run, *, in_place: bool = False) -> PrivateTable:
    """The private table of transformed values.

    Arguments:
        values: the table, and what was done to its values.
        run: what is asked; is given warnings.
        in_place: whether a table whose combinations do not fit may be cut where it is.

    Raises:
        DataError, HierarchyError: as :func:`read` does.
    """
    run.tell("counting" if values.table.held else "counting in place")
    file, told = (None if run.source_digest is None else values.table.name), len(run.warnings)
    try:
        private = settled(PrivateTable.of(values.table, run, file=file), run)
    except DataError as error:
        if not in_place:
            raise
        private = OutlinedTable.in_place(values.table, run, file, error)
    run.warnings[told:] = [one for one in run.warnings[told:] if one not in run.warnings[:told]]
    if not private.subjects.count:
        raise DataError("no-records", "has no records", file=file)
    return private
