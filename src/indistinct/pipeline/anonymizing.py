"""The verb *anonymize*: from a table to a release, audited before it is handed over."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.errors import IndistinctError
from indistinct.hierarchies.taxonomy import SUPPRESSED
from indistinct.microdata.microdata import Microdata
from indistinct.pipeline.accounts import accounts
from indistinct.pipeline.cautions import too_telling, unlike_the_others
from indistinct.pipeline.choosing import chosen
from indistinct.pipeline.hierarchies import taxonomies_of
from indistinct.pipeline.knowledge import (
    knowledge_of,
    published_knowledge,
    require_known,
    with_references,
)
from indistinct.pipeline.opening import Progress, open_source, silent, understood
from indistinct.pipeline.population import covers, population_of
from indistinct.pipeline.release import Release
from indistinct.pipeline.searching import (
    counted_attributes,
    counts_rows,
    moves_records,
    published_beside,
    search,
    suppressed_before,
)
from indistinct.pipeline.splitting import leak_of, require_accepted
from indistinct.pipeline.transforming import changes_values, transformed
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.privacy.promise import Promise, promise
from indistinct.recoding.plan import CellPlan
from indistinct.recoding.split import SplitPlan
from indistinct.release.audit import Audit
from indistinct.release.audit import audit as audit_release
from indistinct.sources.convert import like, to_polars
from indistinct.sources.eager import EagerTable
from indistinct.sources.table import Table, count_column

if TYPE_CHECKING:
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
    from indistinct.recoding.recoded import measured
    from indistinct.release.apply import change

    policy = understood(policy)
    tell = progress or silent
    tell("reading", None)
    held = moves_records(policy) or changes_values(policy)
    table, source_digest = open_source(data, policy, path, held=held)
    promises = [promise(part.model, **part.settings) for part in policy.requirements]
    seed = secrets.randbits(128) if policy.method.seed is None else policy.method.seed
    values = transformed(table, policy, seed)
    table, replaced = values.table, values.replaced
    tell("counting", None)
    texts, weight = texts_of(table, policy, promises)
    file = None if source_digest is None else table.name
    people = population_of(policy) if any(part.needs_population for part in promises) else None
    taxonomies = taxonomies_of(table, policy, texts, weight, file, people)
    known = knowledge_of(policy, table, texts, counted_attributes(promises), file)
    known = with_references(known, promises, texts, weight)
    encode = functools.partial(
        Microdata.encode,
        taxonomies=taxonomies,
        sensitive=counted_attributes(promises),
        known=known,
        population=people,
        by_record=moves_records(policy),
    )
    microdata = encode(texts, weight=weight)
    choice = chosen(
        policy, promises, texts, weight, known, encode, lambda share: tell("choosing k", share)
    )
    promises = choice.promises
    require_known(microdata.data.table, promises)
    tell("searching", 0.0)
    plan, documents = search(
        policy,
        promises,
        texts,
        weight,
        microdata,
        encode,
        lambda share: tell("searching", share),
        seed,
    )
    documents |= choice.documents | dict(values.documents)
    tell("publishing", None)
    released = table.publish(
        change(
            microdata.data,
            plan,
            _published_columns(table, policy),
            keep_suppressed=policy.output.suppressed == "keep",
            shuffle=np.random.default_rng(seed) if policy.output.shuffle else None,
            replace=replaced,
            combination_of=microdata.combination_of if weight is None else None,
        )
    )
    added = 0
    if isinstance(plan, CellPlan) and plan.noise:
        released, documents["noise.json"] = _with_noise(released, policy, plan, seed)
        added = len(plan.noise)
    decoys: tuple[int, ...] = ()
    cautions = [*choice.warnings, *values.warnings]
    cautions += too_telling(table, policy, plan, microdata.data, replaced)
    starred = int(microdata.data.weight[suppressed_before(microdata.data)].sum())
    if starred and not counts_rows(policy):
        cautions.append(
            f"records that have {SUPPRESSED} in every quasi-identifier were suppressed before: "
            f"the {starred} of them make no class, and do not count towards the suppression limit"
        )
    if policy.method.decoys is not None:
        released, decoys, further = _enlarge(released, policy, seed)
        cautions += further
        documents["decoys.json"] = {"rows": list(decoys)}
    if isinstance(plan, SplitPlan) and len(plan.splits) > 1:
        name = next(str(part.sensitive) for part in promises if isinstance(part, KNMAnonymity))
        leak = leak_of(policy, name, texts, released, taxonomies, known)
        cautions.append(require_accepted(policy, leak))
        documents["leak.json"] = leak.to_dict()
    if held and not isinstance(data, str | Path):
        # The run worked on a copy in memory: the release goes back to the engine of the table.
        native = nw.to_native(data, pass_through=True)
        released = released if isinstance(native, type(released)) else like(released, native)
    tell("auditing", None)
    shown = published_knowledge(known, promises, released)
    verdict = audit_release(
        released,
        choice.requirements,
        policy.quasi_identifiers,
        known=shown,
        population=people,
        covers=None if people is None else covers(released, taxonomies, policy.quasi_identifiers),
    )
    _hold_against_plan(verdict, plan, microdata, len(decoys) + added)
    measures = measured(microdata.data, plan)
    return accounts(
        policy,
        plan,
        microdata,
        released,
        verdict,
        measures,
        seed,
        source_digest,
        cautions,
        documents,
        decoys=len(decoys),
        noise=added,
        known=shown,
        transformed=values,
    )


def texts_of(
    table: Table, policy: Policy, promises: Sequence[Promise]
) -> tuple[pl.DataFrame, NDArray[np.int64] | None]:
    """The texts of every record; on lazy engines of every distinct row, with its count."""
    columns = [*policy.quasi_identifiers, *counted_attributes(promises)]
    if counts_rows(policy):
        columns = list(dict.fromkeys([*columns, *published_beside(policy)]))
    if isinstance(table, EagerTable):
        return table.text(columns), None
    counted = table.distinct(columns)
    count = count_column(columns)
    return counted.select(columns), counted[count].to_numpy().astype(np.int64)


def _published_columns(table: Table, policy: Policy) -> list[str]:
    """All columns but identifiers that are not transformed, in the table's order."""
    return [
        name
        for name in table.columns
        if policy.attributes[name].role != "identifier"
        or policy.attributes[name].transform is not None
    ]


def _with_noise(
    released: Any, policy: Policy, plan: CellPlan, seed: int
) -> tuple[Any, dict[str, Any]]:
    """The release with the plan's noise, as the kind of frame it was; and where it is."""
    from indistinct.release.noise import with_noise

    places = range(len(plan.attributes))
    done = with_noise(
        to_polars(released),
        plan.attributes,
        [
            (tuple(plan.texts[j][plan.cell_of[j][one.group]] for j in places), one.values)
            for one in plan.noise
        ],
        random=np.random.default_rng([seed, 2]),
        fresh=_pseudonyms(policy),
        shuffle=policy.output.shuffle,
        tokens={name: item.missing.tokens for name, item in policy.attributes.items()},
    )
    return like(done.frame, released), {"rows": list(done.places)}


def _pseudonyms(policy: Policy) -> list[str]:
    """Columns in which every made-up record gets a pseudonym of its own."""
    return [
        name
        for name in policy.named("identifier")
        if (rule := policy.attributes[name].transform) is not None
        and rule.name in ("pseudonymize", "replace")
    ]


def _enlarge(released: Any, policy: Policy, seed: int) -> tuple[Any, tuple[int, ...], list[str]]:
    """The release with decoys, as the kind of frame it was; where they are; and warnings."""
    from indistinct.release.decoys import with_decoys

    asked = policy.method.decoys
    assert asked is not None
    before = to_polars(released)
    fresh = _pseudonyms(policy)
    done = with_decoys(
        before,
        policy.quasi_identifiers,
        to=asked.to,
        limit=asked.limit,
        random=np.random.default_rng([seed, 1]),
        fresh=fresh,
        shuffle=policy.output.shuffle,
    )
    warnings = [
        "the release may hold decoys: counts in it are distorted, and whoever learns how many "
        "decoys a class has can subtract them; their number stays private"
    ]
    if done.short:
        warnings.append(
            f"{done.short} classes could not be enlarged to {asked.to} records: the limit of "
            "decoys was reached, or the class offers no record that is not there already"
        )
    if done.places:
        warnings += unlike_the_others(before, done.frame, policy, fresh)
    return like(done.frame, released), done.places, warnings  # of one type, decoys or none


def _hold_against_plan(verdict: Audit, plan: Plan, microdata: Microdata, made_up: int) -> None:
    """The audit and the plan speak of the same release, or there is a bug of ours."""
    if not verdict.holds:
        raise IndistinctError("the release made does not keep its promises: it is withheld")
    published = int(microdata.data.weight[~plan.suppressed].sum())
    starred = verdict.suppressed
    if verdict.records - starred > published + made_up:
        raise IndistinctError("the release holds records that the plan suppresses: it is withheld")
