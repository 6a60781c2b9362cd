"""From a plan to what is published: one table, or two linked ones, held against its promises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from indistinct.analytics.risk.population import covers
from indistinct.document import in_quotes, many
from indistinct.errors import IndistinctError, Unsatisfiable
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.intake.value_metadata import needed_metadata, published_metadata
from indistinct.metadata import CATEGORIES, NO_METADATA, ValueMetadata
from indistinct.pipeline.accounts import broken_without_made_up
from indistinct.pipeline.items_within_classes import items_within_classes
from indistinct.pipeline.leak import hold_against_ranks
from indistinct.pipeline.visits import generalized_visits, visits_within_classes
from indistinct.privacy.promise import models
from indistinct.recoding.linked_plan import LinkedPlan, without_noise
from indistinct.recoding.plan import CellPlan
from indistinct.release.apply import change
from indistinct.release.audit import Audit
from indistinct.release.audit import audit as audit_release
from indistinct.release.decoys import Insertion, with_decoys
from indistinct.release.linked import BUCKET, linked_tables
from indistinct.release.noise import with_noise
from indistinct.release.publication import Publication
from indistinct.sources.convert import like, to_polars
from indistinct.sources.engines import with_order
from indistinct.types import Bools, Frame, Ints32
from indistinct.warning_kinds import Kind, WarningText
from indistinct.warnings.beside_buckets import told_of_columns, warn_about_columns
from indistinct.warnings.columns_beside import (
    warn_about_computed,
    warn_about_people,
    warn_about_unprotected_columns,
)
from indistinct.warnings.general_knowledge import warn_about_general_knowledge
from indistinct.warnings.group_values import alike_rows
from indistinct.warnings.made_up import distinguishable
from indistinct.warnings.whose_rows import (
    warn_about_counted_rows,
    warn_about_forgotten_person,
    warn_about_population,
)

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.intake.transforming import Transformed
    from indistinct.microdata.subjects import Subjects
    from indistinct.policy import Policy
    from indistinct.randomness import Random
    from indistinct.recoding.plan import Plan
    from indistinct.sources.table import Table


def publish(
    private: PrivateTable, plan: Plan | LinkedPlan, values: Transformed, run: Run
) -> Publication:
    """What a plan makes of the table.

    Arguments:
        private: the table.
        plan: what is published instead of what.
        values: what was done to values before.
        run: draws pseudonyms and orders; is given warnings and private documents.

    Raises:
        PolicyError: a split release gives people away, and nobody accepted that.
    """
    run.tell("publishing")
    run.warnings += warn_about_counted_rows(private.table, run.policy)
    run.warnings += warn_about_forgotten_person(private.table, run.policy)
    run.warnings += warn_about_population(private)
    if isinstance(plan, LinkedPlan):
        return _linked(private, plan, run)
    visits = visits_within_classes(private, plan, run)
    changed = {**values.replaced, **visits}
    released, replaced, alike = _published(private, plan, changed, run)
    if _suppressed_break(released, private, plan):
        run.warnings.append(
            Kind.LOSS(
                "suppressed records would break a promise, as a group (people who fit no class are "
                "known to be in it) or as a part of what classes are compared with: they are left "
                'out, as by suppressed = "drop"'
            )
        )
        released, replaced, alike = _published(private, plan, changed, run, keep=False)
    noise = 0
    if isinstance(plan, CellPlan) and plan.noise:
        released = _with_noise(released, plan, run)
        noise = len(plan.noise)
    run.warnings += private.subjects.warnings
    visits = {name: visits[name] for name in generalized_visits(run)}
    run.warnings += warn_about_unprotected_columns(private, plan, replaced, visits)
    run.warnings += warn_about_general_knowledge(private, plan)
    starred = int(private.data.weight[private.data.suppressed_before].sum())
    if starred and not private.sight.rows:
        run.warnings.append(
            Kind.SETTING(
                f"records that have {SUPPRESSED} in every quasi-identifier were suppressed "
                f"before: these {starred} form no class, and do not count towards the "
                "suppression limit"
            )
        )
    decoys = 0
    if run.policy.method.decoys is not None:
        released, decoys = _with_decoys(released, private, run)
    real = _without_made_up(released, run) if noise + decoys else None
    hold_against_ranks(private, released if real is None else real, run)
    made = _of_one_table(private, released, noise=noise, decoys=decoys)
    return replace(made, real=real, alike=None if noise + decoys else alike)


def _of_one_table(
    private: PrivateTable, released: Frame, *, noise: int = 0, decoys: int = 0
) -> Publication:
    shown = published_metadata(private.metadata, private.promises_of_classes, released)
    return Publication(released, noise=noise, decoys=decoys, known=shown)


def audited(publication: Publication, private: PrivateTable) -> Audit:
    """What is published, held against its promises by code that shares none with the search."""
    policy, population, quasi = private.policy, private.population, publication.quasi
    linked = publication.link is not None
    return audit_release(
        publication.tables,
        [part.spec for part in private.promises],
        policy.quasi_identifiers,
        known=publication.known,
        population=population,
        covers=None
        if population is None
        else covers(quasi, private.taxonomies, policy.quasi_identifiers),
        person=None if linked else policy.person,
        linked=publication.link,
    )


def require_kept(
    verdict: Audit, publication: Publication, private: PrivateTable, plan: Plan | LinkedPlan
) -> None:
    """Hold back a release that breaks a promise, or is another than the plan's.

    Arguments:
        verdict: the audit of the release.
        publication: what is published.
        private: the table and its promises.
        plan: what is published instead of what.

    Raises:
        Unsatisfiable: suppressed records as a group, or the method as published, break a promise.
        IndistinctError: the audit and the search disagree, which is a bug of ours.
    """
    stars = [part.requirement for part in verdict.suppressed_group if part.holds is False]
    if stars and all(models()[part.model].compares for part in stars):
        raise Unsatisfiable(
            "suppressed-records-break",
            f"records that have {SUPPRESSED} in every quasi-identifier break "
            f"{'; '.join(map(str, stars))}: as a group, or as a part of the published records that "
            "classes are compared with",
            remedy='write reference = "original" in the promise, leave local_recoding out, or '
            'leave these records out of the table (missing = "value" keeps missing values apart)',
        )
    overlap = [part for part in verdict.promises if not part.holds and verdict.classes.count]
    if stars and not any(models()[part.requirement.model].needs_population for part in overlap):
        local = "leave local_recoding out, or " if private.policy.method.local_recoding else ""
        raise Unsatisfiable(
            "suppressed-records-break",
            f"records that have {SUPPRESSED} in every quasi-identifier break a promise as a "
            "group: people who fit no class are known to be in it",
            remedy=f"{local}leave these records out of the table, or keep their missing values "
            'apart with missing = "value"',
        )
    method, of_people = private.policy.method, publication.of_people
    broken = [part for part in verdict.promises if not part.holds]
    if not broken and of_people is not None:
        broken = [*broken_without_made_up(of_people)]
    if broken and method.variant == "paper":
        listed = "; ".join(str(part.requirement) for part in broken)
        raise Unsatisfiable(
            "broken-as-published",
            f"the release that '{method.algorithm}' makes as published breaks {listed}: it is "
            "withheld",
            remedy='choose variant = "safe", or a weaker promise',
        )
    if broken and all(models()[part.requirement.model].needs_population for part in broken):
        listed = "; ".join(str(part.requirement) for part in broken)
        raise Unsatisfiable(
            "overlapping-classes",
            f"{listed}: each class keeps it by itself, but some people are under several "
            "classes, and an attacker who compares these can learn more",
            remedy="no person may be under two classes: leave local_recoding out, choose "
            'algorithm = "optimal", or a weaker promise',
        )
    if broken or not verdict.holds:
        raise IndistinctError("the release made does not keep its promises: it is withheld")
    published = int(private.data.weight[~plan.suppressed].sum())
    shown = verdict.records - verdict.suppressed if verdict.people is None else verdict.people
    if shown > published + publication.noise + publication.decoys:
        raise IndistinctError("the release holds records that the plan suppresses: it is withheld")


# One table


def _published(
    private: PrivateTable,
    plan: Plan,
    replaced: Mapping[str, pl.Series],
    run: Run,
    *,
    keep: bool = True,
) -> tuple[Frame, dict[str, pl.Series], Ints32 | None]:
    """The table as the plan publishes it, in its own engine; and its identifiers, row by row.

    And, in memory, a number of each published row that those with equal quasi-identifiers share.

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
    items = items_within_classes(private, plan, run)
    if subjects.key is not None and policy.attributes[subjects.key].transform is None:
        published = ~plan.suppressed[private.microdata.combination_of]
        random = run.random("publication.pseudonyms")
        replaced[subjects.key] = pseudonyms(subjects, published | keep, random)
    made = change(
        private.data,
        plan,
        _published_columns(private.table, policy),
        keep_suppressed=keep,
        combination_of=combination_of,
        resolved=tuple(subjects.resolved),
    )
    shuffle = run.random("publication.shuffle") if policy.output.shuffle else None
    made = replace(made, shuffle=shuffle, replace={**replaced, **items}, sensitive=policy.sensitive)
    ordered = with_order(private.table, made)
    if ordered is None or not policy.quasi_identifiers:
        return private.table.publish(made), replaced, None
    alike = alike_rows(made.shown(policy.quasi_identifiers))[ordered.combination_of]
    alike = alike if ordered.order is None else alike[ordered.order]
    return private.table.publish(ordered), replaced, alike


def _suppressed_break(released: Frame, private: PrivateTable, plan: Plan) -> bool:
    """Whether suppressed records that are kept break a promise, as a group or beside classes."""
    if private.policy.output.suppressed != "keep" or not plan.suppressed.any():
        return False
    return audited(_of_one_table(private, released), private).suppressed_break


def pseudonyms(subjects: Subjects, published: Bools, random: Random) -> pl.Series:
    """A pseudonym of every row's person, made for one release alone, [rows].

    A number from 1 to that of published people, drawn at random: it tells nothing of the person,
    not where the records stood, and not how many people are left out. Rows of these have none.

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


def _with_noise(released: Frame, plan: CellPlan, run: Run) -> Frame:
    """The release with the plan's noise, as the kind of frame it was."""
    policy, places = run.policy, range(len(plan.attributes))
    before, fresh = to_polars(released), _pseudonyms(run.policy)
    done = with_noise(
        before,
        plan.attributes,
        [
            (tuple(plan.texts[j][plan.cell_of[j][one.group]] for j in places), one.values)
            for one in plan.noise
        ],
        Insertion(run.random("publication.noise"), fresh, policy.output.shuffle),
        {name: item.missing.tokens for name, item in policy.attributes.items()},
    )
    run.warnings += distinguishable(before, done.frame, policy, fresh, "made-up records")
    run.documents["noise.json"] = {"rows": list(done.places)}
    return like(done.frame, released)


def _without_made_up(released: Frame, run: Run) -> pl.DataFrame:
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


def _with_decoys(released: Frame, private: PrivateTable, run: Run) -> tuple[Frame, int]:
    """The release with decoys, as the kind of frame it was; and how many there are."""
    policy, asked = run.policy, run.policy.method.decoys
    assert asked is not None

    def keeps(frame: pl.DataFrame) -> bool:
        return audited(_of_one_table(private, frame), private).holds

    before = to_polars(released)
    fresh = _pseudonyms(policy)
    done = with_decoys(
        before,
        policy.quasi_identifiers,
        to=asked.to,
        limit=asked.limit,
        insertion=Insertion(run.random("publication.decoys"), fresh, policy.output.shuffle),
        keeps=keeps,
    )
    run.warnings.append(
        Kind.LOSS(
            "the release may hold decoys: they distort counts, and an attacker who learns how "
            "many a class has can subtract them; their number stays private; most stand in "
            f"classes of exactly {asked.to} records"
        )
    )
    if not done.places:
        why = "" if done.short or done.left_out else f": every class has {asked.to} records or more"
        run.warnings.append(
            Kind.SETTING(f"no decoy was made{why}; readers are told that the release may hold some")
        )
    if done.short:
        run.warnings.append(
            Kind.SETTING(
                f"{done.short} classes could not be enlarged to {asked.to} records: the limit of "
                "decoys was reached"
                + (", or a promise would not hold with more" if done.left_out else "")
            )
        )
    if done.left_out:
        run.warnings.append(
            Kind.SETTING(
                f"{many(done.left_out, 'decoy was')} left out again: with them a promise would "
                "not hold"
            )
        )
    if done.places:
        run.warnings += distinguishable(before, done.frame, policy, fresh, "decoys")
    noise = run.documents.get("noise.json")
    if isinstance(noise, Mapping) and done.order is not None:
        now = np.argsort(done.order)
        run.documents["noise.json"] = {
            "rows": sorted((now[np.array(noise["rows"]) - 1] + 1).tolist())
        }
    run.documents["decoys.json"] = {"rows": list(done.places)}
    return like(done.frame, released), len(done.places)  # of one type, decoys or none


# Linked tables


def _linked(private: PrivateTable, plan: LinkedPlan, run: Run) -> Publication:
    """A row for every person, and what the people of each bucket have."""
    run.warnings += private.subjects.warnings
    beside, left = _beside(private, ~plan.suppressed)
    run.warnings += [*plan.notes, *left, *warn_about_people(private, beside, plan.quasi)]
    run.warnings += warn_about_columns(beside, plan)
    run.warnings += warn_about_computed(private, beside.columns, plan.quasi)
    run.told += told_of_columns(beside, plan)
    holding = next(iter(plan.buckets.values())).holding
    real = linked_tables(without_noise(plan), beside, run.random) if plan.noise else None
    frames = linked_tables(plan, beside, run.random)
    hold_against_ranks(private, real or frames, run)
    if real is not None:
        with_them, what = frames["quasi"], "made-up people"
        run.warnings += distinguishable(real["quasi"], with_them, run.policy, (), what)
    return Publication(
        dict(frames),
        {"quasi": "quasi", "sensitive": "sensitive", "by": BUCKET, "holding": holding},
        len(plan.noise),
        known=_known_of_buckets(plan, private),
        instead={
            name: CATEGORIES
            for name, known in plan.known.items()
            if known.is_of_categories and not private.metadata[name].is_of_categories
        },
        told=plan.told,
        real=real,
    )


def _known_of_buckets(plan: LinkedPlan, private: PrivateTable) -> dict[str, ValueMetadata]:
    """What a reader has to know of the published values, which may be categories.

    What the algorithm says of them counts; else a category published in place of values is its own.
    """
    found = {}
    for name, part in plan.buckets.items():
        about = plan.known.get(name, private.metadata[name])
        asked = [one for one in private.promises if one.sensitive == name]
        needed = needed_metadata(about, asked)
        if needed != NO_METADATA:
            found[name] = needed.about(part.labels)
    return found


def _beside(private: PrivateTable, published: Bools) -> tuple[pl.DataFrame, list[WarningText]]:
    """Insensitive columns that are the same in all rows of a person; what is told of the others.

    What differs from record to record belongs to no row of the quasi table, and is left out. Only
    ``published`` people [n] are looked at: what is left out tells nothing of the others.
    """
    policy, people = private.policy, private.subjects
    names = [name for name in policy.named("insensitive") if name != people.key]
    beside = people.constant(private.table.text(names), published) if names else pl.DataFrame()
    left = [name for name in names if name not in beside.columns]
    dropped = [name for name in policy.sensitive if name not in private.sensitive]
    notes = []
    if left or dropped:
        listed = in_quotes([*left, *dropped])
        notes.append(
            Kind.LOSS(
                f"{listed}: not in the release: linked tables have only sensitive attributes "
                "named by promises, and columns that are the same in all records of a person"
            )
        )
    return beside, notes
