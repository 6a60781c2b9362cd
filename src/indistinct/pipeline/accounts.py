"""What a run says of itself when it is done: certificate, run, plan, measures."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from indistinct import __version__
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.intake.asked import may_be_made_up
from indistinct.intake.kept_values import told_of_joined_rows
from indistinct.pipeline.evidence import EVIDENCE, apart, policy_text, private_evidence
from indistinct.pipeline.release import Release
from indistinct.privacy.promise import models
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.plan_document import plan_document
from indistinct.recoding.recoded import in_no_class, leaked, measured
from indistinct.release.audit import Audit, Verdict
from indistinct.release.certificate import COUNTS_MADE_UP, Certificate, made_up_among
from indistinct.release.certificate import Run as Account
from indistinct.release.documents import Content, Documents
from indistinct.release.linked import private_documents
from indistinct.sources.engines import open_table
from indistinct.types import Frame, PlainMapping
from indistinct.warnings.for_readers import (
    told_of_bins,
    told_of_changed_values,
    told_of_chosen_values,
    told_of_no_promise,
    told_of_the_program,
    told_of_the_whole_table,
)
from indistinct.warnings.left_out import (
    warn_about_lone_groups,
    warn_about_original_shares,
    warn_about_those_left_out,
)
from indistinct.warnings.made_up import warn_about_made_up
from indistinct.warnings.range_ends import warn_about_range_ends
from indistinct.warnings.what_is_left import (
    often_starred,
    warn_about_erased,
    warn_about_lost,
    warn_about_ranges,
    warn_about_search,
    warn_about_uncovered,
)

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.intake.transforming import Transformed
    from indistinct.policy import Policy
    from indistinct.recoding.plan import Plan
    from indistinct.release.publication import Publication


def accounts(
    private: PrivateTable,
    plan: Plan | LinkedPlan,
    publication: Publication,
    verdict: Audit,
    run: Run,
    transformed: Transformed,
) -> Release:
    """The release with its certificate and the private account of the run.

    Arguments:
        private: the table and its promises.
        plan: what is published instead of what.
        publication: what is published.
        verdict: the audit of it.
        run: what was asked, and what was said on the way.
        transformed: what was done to values before.
    """
    policy, subjects = private.policy, private.subjects
    weight = private.data.weight
    hidden = in_no_class(private.data, plan.quasi if isinstance(plan, LinkedPlan) else plan)
    suppressed = int(weight[hidden].sum())
    records = int(weight.sum())
    of_people = None
    if subjects.unit == "person":
        rows_out, people_out = transformed.left_out
        of_people = {
            "source": records + people_out,
            "published": records - suppressed,
            "suppressed": suppressed + people_out,
        }
        gone = hidden[private.microdata.combination_of[subjects.person_of]]
        records, suppressed = subjects.rows + rows_out, int(gone.sum()) + rows_out
    found = []
    document = plan.to_dict() | {"rows": distinct_rows(publication.quasi, verdict)}
    documents: dict[str, Content | Callable[[], Content]] = {}
    told = (
        *publication.told,
        *told_of_no_promise(policy),
        *told_of_the_program(policy),
        *told_of_changed_values(policy),
        *told_of_chosen_values(policy),
        *told_of_bins(policy),
        *told_of_the_whole_table(policy),
        *told_of_joined_rows(policy),
        *run.told,
    )
    starred: dict[str, float] = {}
    if isinstance(plan, LinkedPlan):
        measures = measured(private.data, plan.quasi)
        key = subjects.key or ""
        names = private.table.text([key])[key].gather(pl.Series(subjects.first_rows()))
        documents |= private_documents(plan, names, run.random)
    else:
        measures = measured(private.data, plan)
        document["leakage"] = leaked(private.data, plan)
        starred = often_starred(publication.tables, plan.attributes, verdict)
        left_out = bool(weight[plan.suppressed].any())
        found = warn_about_search(policy, plan, suppressed, verdict, left_out=left_out)
        documents["plan.json"] = partial(plan_document, plan, private.data)
    written = policy_text(run.asked)
    if policy.output.report:
        # What an engine holds may be gone later, and is looked at now.
        held = private.table.held
        seen = apart(private) if held and private.file is None else private
        of_report = partial(private_evidence, seen, plan, written)
        documents[EVIDENCE] = of_report if held else of_report()
    may_contain = [
        *may_be_made_up(policy),
        *(["perturbed values"] if transformed.perturbed else []),
    ]
    counting = {part.model for part in private.promises if part.counts_made_up}
    made_up = publication.noise + publication.decoys
    certificate = Certificate.from_audit(
        verdict,
        version=__version__,
        linked=publication.link,
        may_contain=may_contain,
        counts_made_up=counting,
        sensitive=publication.known,
        transformed=_all_told(transformed.told, publication.instead),
        warnings=told,
        person=policy.person if publication.link is None else None,
    )
    account = Account(
        certificate=certificate,
        records=records,
        published=records - suppressed,
        suppressed=suppressed,
        plan=document,
        measures={**measures, **transformed.measures},
        seed=run.seed,
        noise=publication.noise,
        decoys=publication.decoys,
        singled_out=run.singled_out,
        of_people=rested_on_people(verdict, publication.of_people, may_contain, counting),
        policy_sha256=hashlib.sha256(_policy_bytes(run.asked)).hexdigest(),
        source_sha256=run.source_digest,
        warnings=(
            *warn_about_made_up(made_up, verdict.records),
            *warn_about_lost(policy, plan, document.get("leakage", {}), starred),
            *run.said_first,
            *policy.warnings,
            *found,
            *warn_about_ranges(private, plan),
            *warn_about_uncovered(private),
            *warn_about_range_ends(private, plan),
            *warn_about_those_left_out(policy, suppressed),
            *warn_about_lone_groups(policy, publication, transformed.ends),
            *warn_about_original_shares(private, plan.suppressed),
            *run.warnings,
            *warn_about_erased(plan, document.get("leakage", {})),
        ),
        people=of_people,
    )
    return Release(
        tables=publication.tables,
        plan=plan,
        certificate=certificate,
        run=account,
        measures={**measures, **transformed.measures},
        output=policy.output,
        private=Documents({**documents, **run.documents}),
        policy=written,
    )


def rested_on_people(
    published: Audit,
    of_people: Audit | None,
    may_contain: Iterable[str],
    counting: Collection[str],
) -> PlainMapping:
    """Classes and promises as the custodian may rely on them: nobody made up counts.

    Arguments:
        published: the audit of the release as a reader has it.
        of_people: the audit without what is made up; None where nothing is.
        may_contain: what the release may hold that was not in the table.
        counting: the models of promises that made-up records may be what keeps.
    """
    if not made_up_among(may_contain):
        return {}
    real = of_people or published
    promises = [
        (whole if whole.requirement.model in counting else own).to_dict()
        | {COUNTS_MADE_UP: whole.requirement.model in counting}
        for whole, own in zip(published.promises, real.promises, strict=True)
    ]
    for item in promises:
        del item["violations"]
    return {"classes": real.classes.to_dict(), "promises": promises}


def broken_without_made_up(of_people: Audit) -> tuple[Verdict, ...]:
    """The promises that a release keeps only with what is made up, and must keep without."""
    known = models()
    return tuple(
        verdict
        for verdict in of_people.kept_by_all
        if verdict.holds is False and not known[verdict.requirement.model].counts_made_up
    )


def _all_told(*told: Mapping[str, str]) -> dict[str, str]:
    """What was done to each attribute, in words."""
    names = dict.fromkeys(name for part in told for name in part)
    return {name: "; ".join(part[name] for part in told if name in part) for name in names}


def _policy_bytes(policy: Policy) -> bytes:
    """The file of the policy, or its text (hierarchies given as objects spelt out)."""
    if policy.content is not None:
        return policy.content
    keys = policy.to_dict()
    for item in keys.get("attributes", {}).values():
        if isinstance(item.get("hierarchy"), Taxonomy):
            item["hierarchy"] = item["hierarchy"].rows()
    return json.dumps(keys, sort_keys=True, default=str).encode()


def distinct_rows(released: Frame, verdict: Audit) -> int:
    """Distinct rows of a release, or of its quasi table, over all of its columns.

    The audit has counted them over quasi-identifiers: its classes, all suppressed records as one.
    """
    table = open_table(released, allow_empty=True)
    if set(table.columns) == set(verdict.quasi):
        return verdict.classes.count + (verdict.suppressed > 0)
    return table.different_records()
