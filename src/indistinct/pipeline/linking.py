"""Releases of people with many records, as two linked tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import DataError, IndistinctError, PolicyError, Problem, Unsatisfiable
from indistinct.metadata import NO_METADATA, ValueMetadata
from indistinct.microdata.frequencies import Cells
from indistinct.microdata.microdata import Microdata
from indistinct.microdata.subjects import Events
from indistinct.pipeline.accounts import accounts, broken_without_made_up
from indistinct.pipeline.leak import hold_against_ranks
from indistinct.pipeline.opening import open_source
from indistinct.pipeline.population import covers
from indistinct.pipeline.private_table import PrivateTable, counted_attributes
from indistinct.pipeline.transforming import Transformed, transformed
from indistinct.pipeline.value_metadata import needed_metadata
from indistinct.pipeline.warnings import warn_about_people
from indistinct.privacy.promise import Promise
from indistinct.recoding.linked import LinkedPlan, LinkedTable
from indistinct.recoding.linked.anatomy import anatomy
from indistinct.recoding.linked.angelization import p_l_angelization
from indistinct.recoding.linked.bucketing import without_noise
from indistinct.recoding.linked.k_l_diversity import KLSettings, k_l_diversity
from indistinct.recoding.linked.settings import LinkedSettings
from indistinct.recoding.linked.theta_star import theta_star
from indistinct.recoding.partition import PartitionSettings
from indistinct.release.audit import Audit, Verdict
from indistinct.release.audit import audit as audit_release
from indistinct.release.linked import BUCKET, linked_tables
from indistinct.release.publication import Publication
from indistinct.sources.convert import like
from indistinct.sources.eager import EagerTable

if TYPE_CHECKING:
    from indistinct.pipeline.release import Release
    from indistinct.pipeline.run import Run
    from indistinct.policy import Policy


def linked_release(data: Any, run: Run) -> Release:
    """Make, audit and account for a release of linked tables, as the policy's method says.

    Raises:
        DataError, PolicyError, HierarchyError, Unsatisfiable: as :func:`indistinct.anonymize`.
    """
    private, values = read_people(data, run)
    policy = run.policy
    plan = linked_plan(private, run)
    run.tell("publishing")
    beside, left = _beside(private)
    frames = linked_tables(plan, beside, run.random)
    run.warnings += [
        *plan.notes,
        *left,
        *warn_about_people(beside, private.subjects.texts, plan.quasi),
    ]
    hold_against_ranks(private, frames, run)
    run.tell("auditing")
    link = link_of(plan)
    known = known_of_published(plan, private.metadata, private.promises)
    population = private.population
    covered = None
    if population is not None:
        covered = covers(frames["quasi"], private.taxonomies, policy.quasi_identifiers)

    def audited(frames: Mapping[str, pl.DataFrame]) -> Audit:
        return audit_release(
            frames,
            policy.requirements,
            policy.quasi_identifiers,
            known=known,
            population=population,
            covers=covered,
            linked=link,
        )

    verdict = audited(frames)
    if not verdict.holds:
        raise _withheld(policy, [part for part in verdict.promises if not part.holds])
    of_people = None
    if plan.noise:
        of_people = audited(linked_tables(without_noise(plan), beside, run.random))
        if broken := broken_without_made_up(of_people):
            raise _withheld(policy, broken)
    tables: dict[str, Any] = dict(frames)
    if not isinstance(data, str | Path):
        native = nw.to_native(data, pass_through=True)
        tables = {name: like(frame, native) for name, frame in frames.items()}
    publication = Publication(
        tables, link, len(plan.noise), known=known, told=plan.told, of_people=of_people
    )
    return accounts(private, plan, publication, verdict, run, values)


def _withheld(policy: Policy, promises: Sequence[Verdict]) -> IndistinctError:
    """What to say of a release that breaks its promises: methods as published may make one."""
    if policy.method.variant != "paper":
        return IndistinctError("the release made does not keep its promises: it is withheld")
    broken = "; ".join(str(part.requirement) for part in promises)
    return Unsatisfiable(
        Problem(
            "broken-as-published",
            f"the release that '{policy.method.algorithm}' makes as published breaks {broken}: it "
            "is withheld",
            remedy='choose variant = "safe", or ask for less',
        )
    )


def link_of(plan: LinkedPlan) -> dict[str, str]:
    """How the two tables belong together, for audit and certificate."""
    holding = next(iter(plan.buckets.values())).holding
    return {"quasi": "quasi", "sensitive": "sensitive", "by": BUCKET, "holding": holding}


def read_people(data: Any, run: Run) -> tuple[PrivateTable, Transformed]:
    """The table as people with their records; and what was done to values.

    Raises:
        DataError: the table cannot be read, or its people cannot be told.
        PolicyError: the policy does not fit the table.
        HierarchyError: a hierarchy does not cover the table's values.
    """
    run.tell("reading")
    table, run.source_digest = open_source(data, run.policy, run.path, held=True)
    run.warnings += table.notes if isinstance(table, EagerTable) else ()
    file = None if run.source_digest is None else table.name
    values = transformed(table, run, file)
    run.tell("counting")
    sensitive = sensitive_of(run.policy, run.policy.privacy_models)
    private = PrivateTable.of(values.table, run, sensitive=sensitive, file=file)
    if not private.subjects.count:
        raise DataError(Problem("no-records", "has no records", file=file))
    run.warnings += private.subjects.warnings
    return private, values


def sensitive_of(policy: Policy, promises: Sequence[Promise]) -> list[str]:
    """The sensitive attributes that are published: those of the promises, else all.

    Raises:
        PolicyError: there is none.
    """
    found = counted_attributes(promises) or list(policy.sensitive)
    if not found:
        raise PolicyError(
            Problem(
                "no-sensitive",
                "attributes: no attribute is sensitive, and linked tables publish one",
                remedy='give role = "sensitive" to what is to be kept from others',
            )
        )
    return found


def linked_table(microdata: Microdata, events: Events) -> LinkedTable:
    """People with the values of all their records, how often and where last."""
    found: dict[str, Cells] = {}
    last: dict[str, NDArray[np.int64]] = {}
    for name, cells in microdata.data.table.sensitive.items():
        codes = pl.Series(events.texts[name])
        place = {label: at for at, label in enumerate(cells.domain)}
        value = codes.replace_strict(
            pl.Series(list(place), dtype=pl.String),
            pl.Series(list(place.values()), dtype=pl.Int64),
            return_dtype=pl.Int64,
        )
        counted = (
            pl.DataFrame({"person": events.person_of, "value": value})
            .with_row_index("row")
            .group_by("person", "value")
            .agg(pl.len().cast(pl.Int64).alias("count"), pl.col("row").max().cast(pl.Int64))
            .sort("person", "value")
        )
        indptr = np.zeros(microdata.data.table.combinations + 1, np.int64)
        people = counted["person"].to_numpy()
        np.cumsum(np.bincount(people, minlength=len(indptr) - 1), out=indptr[1:])
        found[name] = Cells(
            indptr,
            counted["value"].to_numpy().astype(np.int32),
            counted["count"].to_numpy(),
            cells.domain,
            cells.exclusive,
            cells.known,
        )
        last[name] = counted["row"].to_numpy()
    return LinkedTable(microdata.data, found, last)


def linked_plan(private: PrivateTable, run: Run) -> LinkedPlan:
    """The plan by the policy's method.

    Raises:
        Unsatisfiable: no plan of this kind keeps the promises within the policy's limits.
    """
    run.tell("searching", 0.0)
    policy, promises, progress = private.policy, private.promises, run.share_of("searching")
    assert private.subjects.events is not None
    linked = linked_table(private.microdata, private.subjects.events)
    method = policy.method
    if method.algorithm == "k-l-diversity":
        own = KLSettings(variant=method.variant, cells=method.cells)
        return k_l_diversity(linked, promises, own, progress)
    settings = linked_settings(policy, run.seed)
    if method.algorithm == "anatomy":
        return anatomy(linked, promises, settings, progress)
    if method.algorithm == "p-l-angelization":
        return p_l_angelization(linked, promises, settings, progress)
    return theta_star(linked, promises, settings, progress)


def linked_settings(policy: Policy, seed: int) -> LinkedSettings:
    """How linked tables are made, as the policy's method says.

    Raises:
        PolicyError: the quasi table cannot be made so.
    """
    method = policy.method
    own = method.partition
    if own.start not in (None, "k-member", "mondrian"):
        raise PolicyError(
            Problem(
                "bad-setting",
                f"method.partition.start: the quasi table cannot be made by '{own.start}'",
                remedy='choose "k-member" or "mondrian"',
            )
        )
    partitioning = PartitionSettings(strict=own.strict)
    if own.dimension is not None:
        partitioning = replace(partitioning, dimension=own.dimension)
    if own.cut is not None:
        partitioning = replace(partitioning, cut=own.cut)
    return LinkedSettings(
        variant=method.variant,
        quasi=own.start,
        donors=own.donors,
        max_noise=method.max_noise,
        keep_history=method.keep_history,
        unchecked_tails=own.unchecked_tails,
        cells=method.cells,
        weights=policy.weights,
        suppression_limit=method.suppression_limit,
        seed=seed,
        partitioning=partitioning,
    )


def known_of_published(
    plan: LinkedPlan, known: Mapping[str, ValueMetadata], promises: Sequence[Promise]
) -> dict[str, ValueMetadata]:
    """What a reader has to know of the published values, which may be categories.

    What the algorithm says of them counts; else a category that is published in place of values is
    its own.
    """
    found = {}
    for name, part in plan.buckets.items():
        about = plan.known.get(name, known[name])
        needed = needed_metadata(about, [one for one in promises if one.sensitive == name])
        if needed != NO_METADATA:
            found[name] = needed.about(part.labels)
    return found


def _beside(private: PrivateTable) -> tuple[pl.DataFrame, list[str]]:
    """Insensitive columns that are the same in all rows of a person; what is told of the others.

    What differs from record to record belongs to no row of the quasi table, and is left out.
    """
    policy, people = private.policy, private.subjects
    names = [name for name in policy.named("insensitive") if name != people.key]
    beside = people.constant(private.table.text(names)) if names else pl.DataFrame()
    left = [name for name in names if name not in beside.columns]
    dropped = [name for name in policy.sensitive if name not in private.sensitive]
    notes = []
    if left or dropped:
        listed = ", ".join(f"'{name}'" for name in [*left, *dropped])
        notes.append(
            f"{listed}: not in the release: linked tables list the values of sensitive attributes "
            "that promises name, and columns that are the same in all records of a person"
        )
    return beside, notes
