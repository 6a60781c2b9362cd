"""The verb *anonymize*: from a table to a release, audited before it is handed over."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import IndistinctError, Problem, Unsatisfiable
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.pipeline.accounts import accounts, broken_without_made_up
from indistinct.pipeline.leak import hold_against_ranks
from indistinct.pipeline.linking import linked_release
from indistinct.pipeline.opening import Progress, open_source
from indistinct.pipeline.population import covers
from indistinct.pipeline.private_table import PrivateTable
from indistinct.pipeline.release import Release
from indistinct.pipeline.run import Run
from indistinct.pipeline.searching import counts_rows, moves_records, search
from indistinct.pipeline.transforming import changes_values, transformed
from indistinct.pipeline.value_metadata import published_metadata
from indistinct.pipeline.warnings import distinguishable_decoys, warn_about_unprotected_columns
from indistinct.policy import LINKED
from indistinct.randomness import Random
from indistinct.recoding.plan import CellPlan
from indistinct.release.apply import change
from indistinct.release.audit import Audit
from indistinct.release.audit import audit as audit_release
from indistinct.release.decoys import with_decoys
from indistinct.release.noise import with_noise
from indistinct.release.publication import Publication
from indistinct.sources.convert import like, to_polars
from indistinct.sources.eager import EagerTable
from indistinct.sources.table import Table

if TYPE_CHECKING:
    from indistinct.metadata import ValueMetadata
    from indistinct.microdata.subjects import Subjects
    from indistinct.policy import Policy
    from indistinct.recoding.plan import Plan


def anonymize(
    data: Any,
    policy: Policy | Mapping[str, Any],
    *,
    path: str | Path | None = None,
    progress: Progress | None = None,
) -> Release:
    """Make a release of a table that keeps the promises of a policy, and prove it.

    Arguments:
        data: a frame (Polars, pandas, PyArrow, DuckDB, PySpark) or the path of a file. It is not
            changed.
        policy: roles, hierarchies, promises, method and output; a mapping of its keys will do.
        path: the file that a frame was read from, for messages and the private account.
        progress: is told what is being done.

    Raises:
        DataError: the table cannot be read.
        PolicyError: the policy does not fit the table.
        HierarchyError: a hierarchy does not cover the table's values, or is no tree.
        Unsatisfiable: no release can keep the promises within the policy's limits.
    """
    run = Run.begin(policy, progress, path)
    if run.policy.method.algorithm in LINKED:
        return linked_release(data, run)
    run.tell("reading")
    asked = run.policy
    held = moves_records(asked) or changes_values(asked) or asked.person is not None
    table, run.source_digest = open_source(data, asked, path, held=held)
    file = None if run.source_digest is None else table.name
    run.warnings += table.notes if isinstance(table, EagerTable) else ()
    values = transformed(table, run, file)
    run.tell("counting")
    private = PrivateTable.of(values.table, run, file=file)
    plan = search(private, run)
    run.tell("publishing")
    released, replaced = _published(private, plan, values.replaced, run)
    if _suppressed_break(released, private, plan):
        run.warnings.append(
            "suppressed records would break a promise as the group that whoever fits no class is "
            'known to be in: they are left out, as by suppressed = "drop"'
        )
        released, replaced = _published(private, plan, values.replaced, run, keep=False)
    noise = 0
    if isinstance(plan, CellPlan) and plan.noise:
        released = _with_noise(released, plan, run)
        noise = len(plan.noise)
    run.warnings += private.subjects.warnings
    run.warnings += warn_about_unprotected_columns(private, plan, replaced)
    starred = int(private.data.weight[private.data.suppressed_before].sum())
    if starred and not counts_rows(run.policy):
        run.warnings.append(
            f"records that have {SUPPRESSED} in every quasi-identifier were suppressed before: "
            f"the {starred} of them make no class, and do not count towards the suppression limit"
        )
    decoys = 0
    if run.policy.method.decoys is not None:
        released, decoys = _with_decoys(released, private, run)
    hold_against_ranks(private, released, run)
    if held and not isinstance(data, str | Path):
        # The run worked on a copy in memory: the release goes back to the engine of the table.
        native = nw.to_native(data, pass_through=True)
        released = released if isinstance(native, type(released)) else like(released, native)
    run.tell("auditing")
    shown = published_metadata(private.metadata, private.promises_of_classes, released)
    verdict = _audited(released, private, shown)
    _hold_against_plan(verdict, plan, private, decoys + noise)
    of_people = None
    if decoys + noise:
        of_people = _audited(_without_made_up(released, run), private, shown)
        if broken_without_made_up(of_people):
            raise IndistinctError("a promise holds only with made-up records: it is withheld")
    publication = Publication(
        released, noise=noise, decoys=decoys, known=shown, of_people=of_people
    )
    return accounts(private, plan, publication, verdict, run, values)


def _published(
    private: PrivateTable,
    plan: Plan,
    replaced: Mapping[str, pl.Series],
    run: Run,
    *,
    keep: bool = True,
) -> tuple[Any, dict[str, pl.Series]]:
    """The table as the plan publishes it, in its own engine; and its identifiers, row by row.

    Arguments:
        private: the table.
        plan: what is published instead of what.
        replaced: columns that are replaced record by record, [rows].
        run: draws pseudonyms and the order.
        keep: whether suppressed records may be published, where the policy keeps them.
    """
    policy, subjects = private.policy, private.subjects
    keep = keep and policy.output.suppressed == "keep"
    combination_of = subjects.of_rows(private.microdata.combination_of)
    replaced = dict(replaced)
    if subjects.key is not None and policy.attributes[subjects.key].transform is None:
        published = ~plan.suppressed[private.microdata.combination_of]
        random = run.random("publication.pseudonyms")
        replaced[subjects.key] = pseudonyms(subjects, published | keep, random)
    released = private.table.publish(
        change(
            private.data,
            plan,
            _published_columns(private.table, policy),
            keep_suppressed=keep,
            shuffle=run.random("publication.shuffle") if policy.output.shuffle else None,
            replace=replaced,
            combination_of=combination_of,
            resolved=tuple(subjects.resolved),
        )
    )
    return released, replaced


def _suppressed_break(released: Any, private: PrivateTable, plan: Plan) -> bool:
    """Whether suppressed records that are kept break a promise as a group."""
    if private.policy.output.suppressed != "keep" or not plan.suppressed.any():
        return False
    shown = published_metadata(private.metadata, private.promises_of_classes, released)
    return _audited(released, private, shown).suppressed_break


def pseudonyms(subjects: Subjects, published: NDArray[np.bool_], random: Random) -> pl.Series:
    """A pseudonym of every row's person, made for one release alone, [rows].

    A number from 1 to the number of people who are published, drawn at random: it tells nothing of
    the person, not where the person's records stood, and not how many people are left out. Rows of
    people who are not published have none.

    Arguments:
        subjects: the people.
        published: which of them are published, [n].
        random: draws the numbers.
    """
    count = int(published.sum())
    texts = pl.Series(random.permutation(count) + 1).cast(pl.String).str.zfill(len(str(count)))
    number = pl.Series(np.cumsum(published) - 1, dtype=pl.Int64).set(pl.Series(~published), None)
    return texts.gather(number.gather(pl.Series(subjects.person_of))).alias(subjects.key or "")


def _published_columns(table: Table, policy: Policy) -> list[str]:
    """All columns but identifiers that are not transformed, in the table's order."""
    return [
        name
        for name in table.columns
        if policy.attributes[name].role != "identifier"
        or policy.attributes[name].transform is not None
        or name == policy.person
    ]


def _with_noise(released: Any, plan: CellPlan, run: Run) -> Any:
    """The release with the plan's noise, as the kind of frame it was."""
    policy, places = run.policy, range(len(plan.attributes))
    done = with_noise(
        to_polars(released),
        plan.attributes,
        [
            (tuple(plan.texts[j][plan.cell_of[j][one.group]] for j in places), one.values)
            for one in plan.noise
        ],
        random=run.random("publication.noise"),
        fresh=_pseudonyms(policy),
        shuffle=policy.output.shuffle,
        tokens={name: item.missing.tokens for name, item in policy.attributes.items()},
    )
    run.documents["noise.json"] = {"rows": list(done.places)}
    return like(done.frame, released)


def _without_made_up(released: Any, run: Run) -> pl.DataFrame:
    """The records of the release that are somebody's."""
    rows = [
        row - 1
        for name in ("noise.json", "decoys.json")
        if isinstance(document := run.documents.get(name, {}), Mapping)
        for row in document.get("rows", ())
    ]
    frame = to_polars(released)
    kept = np.ones(frame.height, np.bool_)
    kept[rows] = False
    return frame.filter(kept)


def _pseudonyms(policy: Policy) -> list[str]:
    """Columns in which every made-up record gets a pseudonym of its own."""
    return [
        name
        for name in policy.named("identifier")
        if (rule := policy.attributes[name].transform) is not None
        and rule.name in ("pseudonymize", "replace")
    ]


def _with_decoys(released: Any, private: PrivateTable, run: Run) -> tuple[Any, int]:
    """The release with decoys, as the kind of frame it was; and how many there are."""
    policy, asked = run.policy, run.policy.method.decoys
    assert asked is not None
    promises = private.promises_of_classes

    def keeps(frame: pl.DataFrame) -> bool:
        shown = published_metadata(private.metadata, promises, frame)
        return _audited(frame, private, shown).holds

    before = to_polars(released)
    fresh = _pseudonyms(policy)
    done = with_decoys(
        before,
        policy.quasi_identifiers,
        to=asked.to,
        limit=asked.limit,
        random=run.random("publication.decoys"),
        fresh=fresh,
        shuffle=policy.output.shuffle,
        keeps=keeps,
    )
    run.warnings.append(
        "the release may hold decoys: counts in it are distorted, and whoever learns how many "
        "decoys a class has can subtract them; their number stays private"
    )
    if done.short:
        run.warnings.append(
            f"{done.short} classes could not be enlarged to {asked.to} records: the limit of "
            "decoys was reached, or the class offers no record that is not there already"
            + (", or a promise would not hold with more" if done.left_out else "")
        )
    if done.left_out:
        run.warnings.append(
            f"{done.left_out} decoys were left out again: a promise would not hold with them"
        )
    if done.places:
        run.warnings += distinguishable_decoys(before, done.frame, policy, fresh)
    noise = run.documents.get("noise.json")
    if isinstance(noise, Mapping) and done.order is not None:
        now = np.argsort(done.order)
        run.documents["noise.json"] = {
            "rows": sorted((now[np.array(noise["rows"]) - 1] + 1).tolist())
        }
    run.documents["decoys.json"] = {"rows": list(done.places)}
    return like(done.frame, released), len(done.places)  # of one type, decoys or none


def _audited(released: Any, private: PrivateTable, shown: Mapping[str, ValueMetadata]) -> Audit:
    """A release held against its promises; ``shown`` is what a reader knows of its values."""
    policy, population = private.policy, private.population
    quasi = policy.quasi_identifiers
    return audit_release(
        released,
        private.requirements,
        quasi,
        known=shown,
        population=population,
        covers=None if population is None else covers(released, private.taxonomies, quasi),
        person=policy.person,
    )


def _hold_against_plan(verdict: Audit, plan: Plan, private: PrivateTable, made_up: int) -> None:
    """The audit and the plan speak of the same release, or there is a bug of ours."""
    if verdict.suppressed_break:
        raise Unsatisfiable(
            Problem(
                "suppressed-records-break",
                f"records that have {SUPPRESSED} in every quasi-identifier break a promise as the "
                "group that whoever fits no class is known to be in",
                remedy="leave these records out of the table, or keep their missing values apart "
                'with missing = "value"',
            )
        )
    if not verdict.holds:
        raise IndistinctError("the release made does not keep its promises: it is withheld")
    published = int(private.data.weight[~plan.suppressed].sum())
    shown = verdict.records - verdict.suppressed if verdict.people is None else verdict.people
    if shown > published + made_up:
        raise IndistinctError("the release holds records that the plan suppresses: it is withheld")
