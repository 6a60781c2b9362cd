"""A search that looks ahead to what ``known-records`` does to items, once classes are found.

Larger classes leave more of the items, and less of the quasi-identifiers. Classes are made for the
size that is promised, for twice that size, and so on; kept are those with which quasi-identifiers
and items, half each, lose least. Every class that is larger than promised keeps what is promised.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from indistinct.document import PlainData, share
from indistinct.errors import Unsatisfiable
from indistinct.frozen import dataclass
from indistinct.pipeline.items_within_classes import protected_items
from indistinct.pipeline.searching import search
from indistinct.privacy.k_anonymity import KAnonymity
from indistinct.privacy.known_records import KnownRecords
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.plan import CellPlan, CutPlan, LevelPlan, published_classes
from indistinct.recoding.recoded import mean_loss
from indistinct.warning_kinds import Kind

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.recoding.plan import Plan

WORSE = 2
"""Sizes in a row that are no better, after which no larger one is tried."""


@dataclass(frozen=True)
class Tried(PlainData):
    """Classes of one size, and what is lost with them.

    Arguments:
        k: the size that every class has at least.
        plan: what becomes of the quasi-identifiers.
        smallest: the people of the smallest class there is.
        quasi: what the quasi-identifiers lose, the mean over them, from 0 to 1.
        items: what the items lose, the mean over attributes, from 0 to 1.
        as_root: items that are published as ``*``.
    """

    told_keys: ClassVar = "k smallest quasi_identifiers=quasi items as_root loss"

    k: int
    plan: Plan
    smallest: int
    quasi: float
    items: float
    as_root: int

    @property
    def loss(self) -> float:
        """What is lost of both, half each."""
        return (self.quasi + self.items) / 2


def searched(private: PrivateTable, run: Run) -> Plan | LinkedPlan:
    """The plan by the policy's method; with ``known-records``, for the best size of classes.

    Arguments:
        private: the table and its promises.
        run: is told the progress, given private documents about the search, and a warning where
            classes are larger than promised.

    Raises:
        Unsatisfiable: no plan of this kind keeps the promises within the policy's limits.
        HierarchyError, PolicyError: items cannot be generalized.
    """
    began = time.perf_counter()
    plan = search(private, run)
    if isinstance(plan, LinkedPlan) or not looks_ahead(private):
        return plan
    sizes = [part.class_size for part in private.promises_of_classes if part.on is None]
    first = _tried(private, plan, max([1, *sizes]))
    tried, documents = [first], [dict(run.documents)]
    limit, people = run.policy.method.time_limit, int(private.data.weight.sum())
    while tried[-1].smallest < people and not _worse(tried):
        if limit is not None and time.perf_counter() - began > limit:
            break
        k = min(max(2 * tried[-1].k, tried[-1].smallest + 1), people)
        try:
            more = search(private, run, KAnonymity(k=k))
        except Unsatisfiable:
            break
        assert not isinstance(more, LinkedPlan)
        tried.append(_tried(private, more, k))
        documents.append(dict(run.documents))
    at = min(range(len(tried)), key=lambda place: (tried[place].loss, place))
    best = tried[at]
    run.documents.clear()
    run.documents.update(documents[at])
    run.documents["class_sizes.json"] = {"tried": [one.to_dict() for one in tried], "k": best.k}
    if at == 0:
        return plan
    run.warnings.append(
        Kind.LOSS(
            f"classes have {best.k} people instead of {first.k}: items lose {share(best.items)} "
            f"instead of {share(first.items)} ({best.as_root} are *, not {first.as_root}), "
            f"quasi-identifiers {share(best.quasi)} instead of {share(first.quasi)}"
        )
    )
    # It is the best of its size, and not of all that keep the promises.
    assert isinstance(best.plan, LevelPlan | CutPlan | CellPlan)
    report = replace(best.plan.search, optimal=False, bound=plan.search.bound)
    return replace(best.plan, search=report)


def looks_ahead(private: PrivateTable) -> bool:
    """Whether larger classes than promised may be made, for the sake of items."""
    sight = private.sight
    known = any(isinstance(part, KnownRecords) for part in private.promises)
    return known and not (sight.ranks or sight.rows)


def searched_alone(private: PrivateTable, run: Run) -> Plan | None:
    """The same plan where one table is published; None also where none keeps the promises."""
    try:
        found = searched(private, run)
    except Unsatisfiable:
        return None
    return None if isinstance(found, LinkedPlan) else found


def _worse(tried: list[Tried]) -> bool:
    """Whether none of the last sizes was better than one before."""
    if len(tried) <= WORSE:
        return False
    return min(one.loss for one in tried[-WORSE:]) >= min(one.loss for one in tried[:-WORSE])


def _tried(private: PrivateTable, plan: Plan, k: int) -> Tried:
    items = protected_items(private, plan)
    class_of = published_classes(private.data, plan, private.data.attributes)
    there = ~plan.suppressed & (private.data.weight > 0)
    held = np.bincount(class_of[there], private.data.weight[there])
    return Tried(
        k,
        plan,
        int(held[held > 0].min(initial=int(private.data.weight.sum()))),
        mean_loss(private.data, plan),
        float(np.mean([one.done.ncp for one in items])),
        sum(one.done.as_root for one in items),
    )
