"""What a run says of itself when it is done: certificate, run, plan, measures."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import polars as pl

from indistinct import __version__
from indistinct.hierarchies.taxonomy import Taxonomy
from indistinct.metadata import ValueMetadata
from indistinct.microdata.microdata import Microdata
from indistinct.pipeline.release import Release
from indistinct.pipeline.warnings import warn_about_noise, warn_about_search
from indistinct.recoding.plan import CellPlan, CutPlan, LevelPlan
from indistinct.recoding.recoded import leaked, measured
from indistinct.recoding.split import SplitPlan
from indistinct.release.audit import Audit
from indistinct.release.certificate import Certificate
from indistinct.release.certificate import Run as Account
from indistinct.release.linked import private_documents

if TYPE_CHECKING:
    from indistinct.microdata.leveled import LeveledTable
    from indistinct.pipeline.private_table import PrivateTable
    from indistinct.pipeline.run import Run
    from indistinct.pipeline.transforming import Transformed
    from indistinct.policy import Policy
    from indistinct.recoding.linked import LinkedPlan
    from indistinct.recoding.plan import Plan


def accounts(
    private: PrivateTable,
    plan: Plan,
    released: Any,
    verdict: Audit,
    run: Run,
    digest: str | None,
    transformed: Transformed,
    known: Mapping[str, ValueMetadata],
    *,
    decoys: int = 0,
    noise: int = 0,
) -> Release:
    """The release with its certificate and the private account of the run.

    Arguments:
        private: the table and its promises.
        plan: what is published instead of what.
        released: the release.
        verdict: the audit of it.
        run: what was asked, and what was said on the way.
        digest: the digest of the source's file.
        transformed: what was done to values before.
        known: what a reader has to know of sensitive values.
        decoys: made-up records that enlarge classes.
        noise: made-up records that an algorithm added.
    """
    policy, subjects = private.policy, private.subjects
    weight = private.data.weight
    suppressed = int(weight[plan.suppressed].sum())
    records = int(weight.sum())
    of_people = None
    if subjects.unit == "person":
        rows_out, people_out = transformed.left_out
        of_people = {
            "source": records + people_out,
            "published": records - suppressed,
            "suppressed": suppressed + people_out,
        }
        gone = plan.suppressed[private.microdata.combination_of[subjects.person_of]]
        records, suppressed = subjects.rows + rows_out, int(gone.sum()) + rows_out
    leakage = leaked(private.data, plan)
    warnings = [
        *policy.warnings,
        *warn_about_search(policy, plan, suppressed, verdict),
        *run.warnings,
        *warn_about_noise(noise, verdict.records),
    ]
    erased = [name for name, told in leakage.items() if told["before"] > 0.0 == told["after"]]
    if plan.search.measure == "rows" and erased:
        warnings.append(
            f"as many rows as possible are kept, at the cost of all that {', '.join(erased)} told: "
            "rows alone do not say what a release is worth; look at the loss and the leakage beside"
        )
    certificate = Certificate.from_audit(
        verdict,
        version=__version__,
        may_contain=[
            *(["noise"] if policy.method.algorithm == "theta" else []),
            *(["decoys"] if policy.method.decoys is not None else []),
            *(["perturbed values"] if transformed.perturbed else []),
        ],
        sensitive=known,
        transformed=transformed.told,
        person=policy.person,
    )
    measures = measured(private.data, plan)
    account = Account(
        certificate=certificate,
        records=records,
        published=records - suppressed,
        suppressed=suppressed,
        plan={
            **plan.to_dict(),
            "rows": distinct_rows(released, verdict),
            "leakage": leakage,
        },
        measures=measures,
        seed=run.seed,
        noise=noise,
        decoys=decoys,
        policy_sha256=hashlib.sha256(_policy_bytes(policy)).hexdigest(),
        source_sha256=digest,
        warnings=tuple(warnings),
        people=of_people,
    )
    return Release(
        tables=released,
        plan=plan,
        certificate=certificate,
        run=account,
        measures=measures,
        output=policy.output,
        private={"plan.json": _plan_document(plan, private.microdata), **run.documents},
    )


def linked_accounts(
    private: PrivateTable,
    plan: LinkedPlan,
    tables: Mapping[str, Any],
    link: Mapping[str, str],
    verdict: Audit,
    run: Run,
    digest: str | None,
    transformed: Transformed,
    known: Mapping[str, ValueMetadata],
) -> Release:
    """The release of two linked tables, with its certificate and the private account of the run.

    Arguments:
        private: the people and their records.
        plan: who is linked to what.
        tables: the frames ``quasi`` and ``sensitive``.
        link: how they belong together.
        verdict: the audit of both.
        run: what was asked, and what was said on the way.
        digest: the digest of the source's file.
        transformed: what was done to values before.
        known: what a reader has to know of sensitive values.
    """
    policy, people = private.policy, private.subjects
    # Behind the people of the table stand those of a population, who are in no class.
    gone = plan.suppressed[: people.count]
    suppressed = int(gone.sum())
    noise = len(plan.noise)
    rows_suppressed = int(gone[people.person_of].sum())
    may_contain = []
    if policy.method.algorithm == "theta-star":
        may_contain.append("noise")
    if transformed.perturbed:
        may_contain.append("perturbed values")
    certificate = Certificate.from_audit(
        verdict,
        version=__version__,
        linked=link,
        may_contain=may_contain,
        sensitive=known,
        transformed=transformed.told,
        warnings=plan.told,
    )
    measures = measured(private.data, plan.quasi)
    account = Account(
        certificate=certificate,
        records=people.rows,
        published=people.rows - rows_suppressed,
        suppressed=rows_suppressed,
        plan=plan.to_dict(),
        measures=measures,
        seed=run.seed,
        noise=noise,
        policy_sha256=hashlib.sha256(_policy_bytes(policy)).hexdigest(),
        source_sha256=digest,
        warnings=(*policy.warnings, *run.warnings, *warn_about_noise(noise, verdict.records)),
        people={
            "source": people.count,
            "published": people.count - suppressed,
            "suppressed": suppressed,
        },
    )
    key = people.key or ""
    names = private.table.text([key])[key].gather(pl.Series(people.first_rows()))
    return Release(
        tables=dict(tables),
        plan=plan,
        certificate=certificate,
        run=account,
        measures=measures,
        output=policy.output,
        private={**private_documents(plan, names), **run.documents},
    )


def _plan_document(plan: Plan, microdata: Microdata) -> dict[str, Any]:
    """The plan with its mappings from value to published value, for the custodian alone."""
    data = microdata.data
    document = plan.to_dict()
    if isinstance(plan, LevelPlan):
        document["nodes"] = [list(node) for node in plan.nodes]
    if isinstance(plan, CellPlan):
        document["attributes"] = {
            name: {"published": list(plan.texts[j])} for j, name in enumerate(plan.attributes)
        }
        return document
    if isinstance(plan, SplitPlan):
        document["splits"] = [
            {
                **part.to_dict(),
                "published": {
                    name: _at_levels(data, j, [part.levels[name]] * int(data.domain[j]))
                    for j, name in enumerate(data.attributes)
                },
            }
            for part in plan.splits
        ]
        return document
    document["attributes"] = {
        name: {
            "level": plan.levels[name],
            "levels": int(data.heights[j]) + 1,
            "published": _mapping(plan, data, j),
        }
        for j, name in enumerate(data.attributes)
    }
    return document


def _mapping(plan: Plan, data: LeveledTable, attribute: int) -> list[list[str | None]]:
    """Every leaf of attribute j, and what it is published as (by the full-domain plan)."""
    if isinstance(plan, CutPlan):
        levels = [int(level) for level in plan.cuts[attribute]]
    else:
        levels = [plan.levels[data.attributes[attribute]]] * int(data.domain[attribute])
    return _at_levels(data, attribute, levels)


def _at_levels(data: LeveledTable, attribute: int, levels: Sequence[int]) -> list[list[str | None]]:
    """Every leaf of attribute j, and its label at a level of its own."""
    taxonomy = data.taxonomies[data.attributes[attribute]]
    leaves = taxonomy.leaves
    shown = {level: taxonomy.level(level) for level in set(levels)}
    return [
        [leaf, shown[level][at]]
        for at, (leaf, level) in enumerate(zip(leaves, levels, strict=True))
    ]


def _policy_bytes(policy: Policy) -> bytes:
    """The file of the policy, or its text (hierarchies given as objects spelt out)."""
    if policy.file is not None:
        with contextlib.suppress(OSError):
            return Path(policy.file).read_bytes()
    keys = policy.to_dict()
    for item in keys.get("attributes", {}).values():
        if isinstance(item.get("hierarchy"), Taxonomy):
            item["hierarchy"] = item["hierarchy"].rows()
    return json.dumps(keys, sort_keys=True, default=str).encode()


def distinct_rows(released: Any, verdict: Audit) -> int:
    """Distinct rows of a release, over all of its columns.

    Where these are quasi-identifiers, the audit has counted them: its classes, and all suppressed
    records as one.
    """
    if set(nw.from_native(released).lazy().collect_schema().names()) == set(verdict.quasi):
        return verdict.classes.count + (verdict.suppressed > 0)
    if isinstance(released, pl.DataFrame):
        return released.group_by(released.columns).len().height  # faster than rows that are unique
    rows = nw.from_native(released).lazy().unique().select(nw.len()).collect()
    return int(rows.item())
