"""The verb *anonymize*: from a table to a release, audited before it is handed over."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Callable, Mapping, Sequence
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
from indistinct.pipeline.cautions import telling_beside, too_telling, unlike_the_others
from indistinct.pipeline.choosing import chosen
from indistinct.pipeline.hierarchies import taxonomies_of
from indistinct.pipeline.items import Recoded, items_recoded, of_items
from indistinct.pipeline.linking import linked_release
from indistinct.pipeline.opening import Progress, as_policy, no_progress, open_source
from indistinct.pipeline.people import (
    cautions_of,
    events_of,
    has_own_pseudonym,
    most_sensitive,
    people_in,
    pseudonyms_of,
)
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
from indistinct.pipeline.value_metadata import (
    published_metadata,
    require_metadata,
    value_metadata_of,
    with_references,
)
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
    from indistinct.hierarchies.taxonomy import Taxonomy
    from indistinct.metadata import ValueMetadata
    from indistinct.policy import Policy
    from indistinct.recoding.plan import Plan
    from indistinct.requirement import Requirement


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
    from indistinct.policy import LINKED
    from indistinct.recoding.recoded import measured
    from indistinct.release.apply import change

    policy = as_policy(policy)
    tell = progress or no_progress
    if policy.method.algorithm in LINKED:
        return linked_release(data, policy, path, tell)
    tell("reading", None)
    held = moves_records(policy) or changes_values(policy) or policy.person is not None
    table, source_digest = open_source(data, policy, path, held=held)
    notes = table.notes if isinstance(table, EagerTable) else ()
    promises = [promise(part.model, **part.settings) for part in policy.requirements]
    seed = secrets.randbits(128) if policy.method.seed is None else policy.method.seed
    recoded: Recoded | None = None
    if sets := of_items(promises):
        tell("generalizing items", None)
        recoded = items_recoded(table, policy, sets, None if source_digest is None else table.name)
        table, policy = recoded.table, recoded.policy
    values = transformed(table, policy, seed)
    table, replaced = values.table, values.replaced
    tell("counting", None)
    rows, weight = texts_of(table, policy, promises)
    file = None if source_digest is None else table.name
    counted = counted_attributes(promises)
    persons = people_in(rows, policy, file)
    events = None if persons is None else events_of(persons, rows, counted)
    texts = rows if persons is None else persons.texts
    people = population_of(policy) if any(part.needs_population for part in promises) else None
    taxonomies = taxonomies_of(table, policy, texts, weight, file, people)
    known = value_metadata_of(policy, table, rows, counted, file)
    known = with_references(known, promises, rows if events is None else events, weight)
    encode = functools.partial(
        Microdata.encode,
        taxonomies=taxonomies,
        sensitive=counted,
        known=known,
        population=people,
        by_record=moves_records(policy),
        events=events,
    )
    microdata = encode(texts, weight=weight)
    choice = chosen(
        policy,
        promises,
        texts if persons is None else most_sensitive(persons, rows, known),
        weight,
        known,
        encode,
        lambda share: tell("choosing k", share),
    )
    promises = [part for part in choice.promises if part.subject == "classes"]
    require_metadata(microdata.data.table, promises)
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
    if recoded is not None:
        documents |= dict(recoded.documents)
    tell("publishing", None)
    combination_of = microdata.combination_of if weight is None else None
    if persons is not None:
        combination_of = microdata.combination_of[persons.person_of]
        if has_own_pseudonym(policy):
            replaced = {**replaced, persons.key: pseudonyms_of(persons, seed)}
    released = table.publish(
        change(
            microdata.data,
            plan,
            _published_columns(table, policy),
            keep_suppressed=policy.output.suppressed == "keep",
            shuffle=np.random.default_rng(seed) if policy.output.shuffle else None,
            replace=replaced,
            combination_of=combination_of,
            resolved=() if persons is None else tuple(persons.resolved),
        )
    )
    added = 0
    if isinstance(plan, CellPlan) and plan.noise:
        released, documents["noise.json"] = _with_noise(released, policy, plan, seed)
        added = len(plan.noise)
    decoys: tuple[int, ...] = ()
    cautions = [*notes, *choice.warnings, *values.warnings]
    if persons is not None:
        cautions += cautions_of(persons)
    if recoded is not None:
        cautions += recoded.warnings
    cautions += too_telling(table, policy, plan, microdata.data, replaced)
    if persons is not None:
        cautions += telling_beside(table, policy, persons, plan)
    starred = int(microdata.data.weight[suppressed_before(microdata.data)].sum())
    if starred and not counts_rows(policy):
        cautions.append(
            f"records that have {SUPPRESSED} in every quasi-identifier were suppressed before: "
            f"the {starred} of them make no class, and do not count towards the suppression limit"
        )

    holding = functools.partial(
        _audited,
        requirements=choice.requirements,
        policy=policy,
        people=people,
        taxonomies=taxonomies,
    )
    if policy.method.decoys is not None:
        released, decoys, further = _enlarge(
            released,
            policy,
            seed,
            keeps=lambda frame: holding(frame, published_metadata(known, promises, frame)).holds,
        )
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
    shown = published_metadata(known, promises, released)
    verdict = holding(released, shown)
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
        people=persons,
        left_out=(0, 0) if recoded is None else recoded.left_out,
    )


def texts_of(
    table: Table, policy: Policy, promises: Sequence[Promise]
) -> tuple[pl.DataFrame, NDArray[np.int64] | None]:
    """The texts of every record; on lazy engines of every distinct row, with its count."""
    columns = [*policy.quasi_identifiers, *counted_attributes(promises)]
    if counts_rows(policy):
        columns = list(dict.fromkeys([*columns, *published_beside(policy)]))
    if policy.person is not None:
        columns = [policy.person, *columns]
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
        or name == policy.person
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


def _enlarge(
    released: Any, policy: Policy, seed: int, *, keeps: Callable[[pl.DataFrame], bool]
) -> tuple[Any, tuple[int, ...], list[str]]:
    """The release with decoys, as the kind of frame it was; where they are; and warnings.

    ``keeps`` tells whether a release keeps what is promised.
    """
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
        keeps=keeps,
    )
    warnings = [
        "the release may hold decoys: counts in it are distorted, and whoever learns how many "
        "decoys a class has can subtract them; their number stays private"
    ]
    if done.short:
        warnings.append(
            f"{done.short} classes could not be enlarged to {asked.to} records: the limit of "
            "decoys was reached, or the class offers no record that is not there already"
            + (", or a promise would not hold with more" if done.left_out else "")
        )
    if done.left_out:
        warnings.append(
            f"{done.left_out} decoys were left out again: a promise would not hold with them"
        )
    if done.places:
        warnings += unlike_the_others(before, done.frame, policy, fresh)
    return like(done.frame, released), done.places, warnings  # of one type, decoys or none


def _audited(
    released: Any,
    shown: Mapping[str, ValueMetadata],
    *,
    requirements: Sequence[Requirement],
    policy: Policy,
    people: pl.DataFrame | None,
    taxonomies: Mapping[str, Taxonomy],
) -> Audit:
    """A release held against its promises; ``shown`` is what a reader knows of its values."""
    quasi = policy.quasi_identifiers
    return audit_release(
        released,
        requirements,
        quasi,
        known=shown,
        population=people,
        covers=None if people is None else covers(released, taxonomies, quasi),
        person=policy.person,
    )


def _hold_against_plan(verdict: Audit, plan: Plan, microdata: Microdata, made_up: int) -> None:
    """The audit and the plan speak of the same release, or there is a bug of ours."""
    if not verdict.holds:
        raise IndistinctError("the release made does not keep its promises: it is withheld")
    published = int(microdata.data.weight[~plan.suppressed].sum())
    shown = verdict.records - verdict.suppressed if verdict.people is None else verdict.people
    if shown > published + made_up:
        raise IndistinctError("the release holds records that the plan suppresses: it is withheld")
