"""From a private table to the plan that its policy's method finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.errors import Problem, Unsatisfiable
from indistinct.intake.asked import asked_of, method_of
from indistinct.microdata.leveled import LeveledTable
from indistinct.microdata.microdata import row_numbers
from indistinct.pipeline.recording import earlier_signatures
from indistinct.privacy.knm_anonymity import KNMAnonymity
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.method import Task
from indistinct.recoding.plan import CellPlan, CutPlan, LevelPlan

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.privacy.promise import Promise
    from indistinct.recoding.plan import Plan

OTHERS = "(other columns)"
"""Stands for everything that is published beside the quasi-identifiers, in searches for rows."""

SPLIT = "(split)"
"""Keeps records with equal quasi-identifiers and different ranks apart."""


def search(private: PrivateTable, run: Run, *more: Promise) -> Plan | LinkedPlan:
    """The plan by the policy's method.

    Arguments:
        private: the table and its promises.
        run: is told the progress, and given private documents about the search.
        more: further promises of classes of combinations.

    Raises:
        Unsatisfiable: no plan of this kind keeps the promises within the policy's limits.
    """
    run.tell("searching", 0.0)
    sight = private.sight
    try:
        if sight.linked:
            return _of_people(private, run)
        if sight.ranks:
            return _of_ranks(private, run)
        return _of_rows(private, run) if sight.rows else _of_combinations(private, run, more)
    except Unsatisfiable as error:
        promises = private.promises_of_classes
        raise type(error)([relieved(problem, promises) for problem in error.problems]) from None


def relieved(problem: Problem, promises: Sequence[Promise]) -> Problem:
    """A search's failure, with what the promises it names say that would ask for less."""
    reliefs = [
        f"{part.model} with {part.relaxation_hint}"
        for part in promises
        if part.relaxation_hint is not None and part.model in problem.message
    ]
    if problem.code != "unsatisfiable" or not reliefs:
        return problem
    return replace(problem, remedy="; or ".join([problem.remedy or "ask for less", *reliefs]))


def _found(
    private: PrivateTable,
    run: Run,
    data: LeveledTable,
    promises: Sequence[Promise] | None = None,
    **more: Any,
) -> Any:
    """The plan that the method finds for these combinations, [C]."""
    task = Task(
        asked=asked_of(private.policy, run.seed),
        data=data,
        promises=private.promises_of_classes if promises is None else promises,
        progress=run.share_of("searching"),
        documents=run.documents,
        **more,
    )
    return method_of(private.policy).plan(task)


def _of_people(private: PrivateTable, run: Run) -> LinkedPlan:
    kept = private.policy.ledger is not None
    earlier = partial(earlier_signatures, private) if kept else None
    events = private.subjects.events
    found = _found(private, run, private.data, events=events, earlier=earlier)
    assert isinstance(found, LinkedPlan)
    return found


def _of_combinations(private: PrivateTable, run: Run, more: Sequence[Promise] = ()) -> Plan:
    """Those whom an earlier release suppressed are left alone; not where all follows from the
    policy alone: others would decide what becomes of them.
    """
    data, present = private.data, private.present
    promises = [*private.promises_of_classes, *more]
    alike = any(part.by_policy_alone for part in promises)
    if alike or present is private.subjects:
        found: Plan = _found(private, run, data, promises)
        return found
    found = _found(private, run, private.encode(present).data, promises)
    assert isinstance(found, LevelPlan | CellPlan)
    return found.beside(data.suppressed_before)


def _of_rows(private: PrivateTable, run: Run) -> Plan:
    """Everything that is published beside the quasi-identifiers is one more column."""
    policy, microdata, texts = private.policy, private.microdata, private.subjects.texts
    beside = {_unused(OTHERS, texts.columns): row_numbers(texts, policy.published_beside)}
    whole = private.encode(private.subjects, unchanged=beside)
    promises = [
        replace(part, on=part.on or policy.quasi_identifiers)
        for part in private.promises_of_classes
    ]
    same = np.zeros(whole.data.table.combinations, dtype=np.int32)
    same[whole.combination_of] = microdata.combination_of
    found = _found(private, run, whole.data, promises)
    assert isinstance(found, LevelPlan | CutPlan)
    return found.onto(microdata.data, same)


def _of_ranks(private: PrivateTable, run: Run) -> Plan:
    """Records with equal quasi-identifiers and different ranks are different combinations."""
    promises, texts = private.promises_of_classes, private.subjects.texts
    name = next(str(part.sensitive) for part in promises if isinstance(part, KNMAnonymity))
    rank_of = private.metadata[name].ranks
    rank_of_row = np.array([rank_of[value] for value in texts[name].to_list()], dtype=np.int32)
    column = _unused(SPLIT, texts.columns)
    whole = private.encode(private.subjects, unchanged={column: rank_of_row}, by_record=False)
    table = whole.data.table
    ranks = table.codes[-1].astype(np.int64)
    table = replace(table, attributes=table.attributes[:-1], codes=table.codes[:-1])
    data = LeveledTable(table, whole.data.taxonomies)
    gone = data.suppressed_before
    there = np.flatnonzero(gone if gone.all() else ~gone).astype(np.int32)
    found = _found(private, run, data.restricted(there), ranks=ranks[there])
    assert isinstance(found, LevelPlan)
    node_of = np.full(len(gone), -1, dtype=np.int32)
    node_of[there] = found.node_of
    return replace(found, node_of=node_of[whole.combination_of])


def _unused(name: str, columns: Sequence[str]) -> str:
    while name in columns:
        name += "_"
    return name
