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
from indistinct.microdata.people import People
from indistinct.pipeline.cautions import cautions_of, too_noisy
from indistinct.pipeline.release import Release
from indistinct.release.audit import Audit
from indistinct.release.certificate import Certificate, Run

if TYPE_CHECKING:
    from indistinct.microdata.leveled import LeveledTable
    from indistinct.pipeline.linking import PeopleRead
    from indistinct.pipeline.transforming import Transformed
    from indistinct.policy import Policy
    from indistinct.recoding.linked import LinkedPlan
    from indistinct.recoding.plan import Plan


def accounts(
    policy: Policy,
    plan: Plan,
    microdata: Microdata,
    released: Any,
    verdict: Audit,
    measures: Mapping[str, float],
    seed: int,
    source_digest: str | None,
    further: Sequence[str],
    documents: Mapping[str, Mapping[str, Any]],
    *,
    decoys: int = 0,
    noise: int = 0,
    known: Mapping[str, ValueMetadata] | None = None,
    transformed: Transformed | None = None,
    people: People | None = None,
    left_out: tuple[int, int] = (0, 0),
) -> Release:
    """The release with its certificate and the private account of the run.

    ``further`` are warnings, ``documents`` private files by name; ``decoys`` and ``noise`` count
    made-up records; ``known`` is what a reader has to know of sensitive values, ``transformed``
    what was done to values before; ``people`` whose records they are, where people have many;
    ``left_out`` how many records were left out before, and how many people with them.
    """
    from indistinct.recoding.recoded import leaked

    weight = microdata.data.weight
    suppressed = int(weight[plan.suppressed].sum())
    records = int(weight.sum())
    of_people = None
    if people is not None:
        of_people = {
            "source": records + left_out[1],
            "published": records - suppressed,
            "suppressed": suppressed + left_out[1],
        }
        gone = plan.suppressed[microdata.combination_of[people.person_of]]
        records, suppressed = people.rows + left_out[0], int(gone.sum()) + left_out[0]
    leakage = leaked(microdata.data, plan)
    warnings = [*policy.warnings, *cautions_of(policy, plan, suppressed, verdict), *further]
    warnings += too_noisy(noise, verdict.records)
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
            *(["perturbed values"] if transformed is not None and transformed.perturbed else []),
        ],
        sensitive=known,
        transformed=None if transformed is None else transformed.told,
        person=policy.person,
    )
    run = Run(
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
        seed=seed,
        noise=noise,
        decoys=decoys,
        policy_sha256=hashlib.sha256(_policy_bytes(policy)).hexdigest(),
        source_sha256=source_digest,
        warnings=tuple(warnings),
        people=of_people,
    )
    return Release(
        tables=released,
        plan=plan,
        certificate=certificate,
        run=run,
        measures=measures,
        output=policy.output,
        private={"plan.json": _plan_document(plan, microdata), **documents},
    )


def linked_accounts(
    policy: Policy,
    plan: LinkedPlan,
    read: PeopleRead,
    tables: Mapping[str, Any],
    link: Mapping[str, str],
    verdict: Audit,
    seed: int,
    further: Sequence[str],
    known: Mapping[str, ValueMetadata],
    measures: Mapping[str, float],
    transformed: Transformed,
) -> Release:
    """The release of two linked tables, with its certificate and the private account of the run.

    Arguments:
        policy: what was asked.
        plan: who is linked to what.
        read: the people and their records.
        tables: the frames ``quasi`` and ``sensitive``.
        link: how they belong together.
        verdict: the audit of both.
        seed: of the run.
        further: warnings.
        known: what a reader has to know of sensitive values.
        measures: what the release costs.
        transformed: what was done to values before.
    """
    from indistinct.release.linked import private_documents

    # Behind the people of the table stand those of a population, who are in no class.
    gone = plan.suppressed[: read.people.count]
    suppressed = int(gone.sum())
    noise = len(plan.noise)
    rows_suppressed = int(gone[read.people.person_of].sum())
    warnings = [*policy.warnings, *further, *too_noisy(noise, verdict.records)]
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
    run = Run(
        certificate=certificate,
        records=read.people.rows,
        published=read.people.rows - rows_suppressed,
        suppressed=rows_suppressed,
        plan=plan.to_dict(),
        measures=measures,
        seed=seed,
        noise=noise,
        policy_sha256=hashlib.sha256(_policy_bytes(policy)).hexdigest(),
        source_sha256=read.source_digest,
        warnings=tuple(warnings),
        people={
            "source": read.people.count,
            "published": read.people.count - suppressed,
            "suppressed": suppressed,
        },
    )
    names = read.table.text([read.people.key])[read.people.key]
    first = read.people.first_rows()
    return Release(
        tables=dict(tables),
        plan=plan,
        certificate=certificate,
        run=run,
        measures=measures,
        output=policy.output,
        private={
            **private_documents(plan, names.gather(pl.Series(first))),
            **transformed.documents,
        },
    )


def _plan_document(plan: Plan, microdata: Microdata) -> dict[str, Any]:
    """The plan with its mappings from value to published value, for the custodian alone."""
    from indistinct.recoding.plan import CellPlan, LevelPlan
    from indistinct.recoding.split import SplitPlan

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
    from indistinct.recoding.plan import CutPlan

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
