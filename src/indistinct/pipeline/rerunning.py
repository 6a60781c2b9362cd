"""What the program tried in place of the classes of a release, found by running it once more."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.analytics.attacks import AttackContext
from indistinct.analytics.attacks.refusals import Tried
from indistinct.errors import IndistinctError
from indistinct.kernels.ragged import Ragged
from indistinct.microdata.leveled import LeveledTable
from indistinct.pipeline.asked import asked_of, method_of
from indistinct.pipeline.private_table import PrivateTable
from indistinct.pipeline.run import Run
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.method import Task
from indistinct.recoding.plan import Plan


def tried_by(context: AttackContext, private: PrivateTable) -> Tried | None:
    """What the policy's method tried of a table and refused, in place of the published classes.

    Arguments:
        context: the release.
        private: the table, with the policy that the release was made by.

    Returns:
        None where the method cannot tell, no promise is about the values of classes, or it makes
        other classes of this table than the published ones.
    """
    policy = private.policy
    about = any(part.sensitive is not None for part in policy.privacy_models)
    if not about or not context.one_record_each or private.sight.ranks or private.sight.rows:
        return None
    if any(part.is_open or part.subject != "classes" for part in policy.privacy_models):
        return None
    run = Run(policy, policy.method.seed or 0)
    method = method_of(policy)
    try:
        again = PrivateTable.of(private.table, run, file=private.file, subjects=private.subjects)
        data = again.data
        if data.suppressed_before.any():
            return None
        task = Task(asked_of(policy, run.seed), data, again.promises_of_classes, _nothing)
        plan = method.plan(task)
        refused = None if isinstance(plan, LinkedPlan) else method.refused(task, plan)
    except IndistinctError:
        return None
    if refused is None or isinstance(plan, LinkedPlan):
        return None
    of = again.microdata.combination_of
    class_of = _published(context, data, plan)
    if class_of is None:
        return None
    people = class_of[of]
    held = np.bincount(people[people >= 0], minlength=len(context.classes))
    if (held != context.classes.size)[context.classes.ordinary].any():
        return None
    order = np.argsort(of, kind="stable")
    members = Ragged.by_owner(of[order], order, data.table.combinations)
    each = members.select(refused.parts.value)
    lengths = refused.parts.sums(members.lengths[refused.parts.value])
    parts = Ragged(np.concatenate([[0], np.cumsum(lengths)]), each.value)
    return Tried(people, refused.attempt, parts)


def _published(context: AttackContext, data: LeveledTable, plan: Plan) -> NDArray[np.int32] | None:
    """The published class of every combination, -1 for suppressed ones; None where one is not."""
    quasi = list(context.quasi)
    if set(quasi) != set(data.attributes):
        return None
    shown = {
        name: pl.Series(plan.labels(data, j), dtype=pl.String)[
            np.maximum(plan.cells(data, j), 0).astype(np.int64)
        ]
        for j, name in enumerate(data.attributes)
    }
    classes = context.classes.cells.with_columns(
        pl.Series("\0class", range(len(context.classes)), dtype=pl.Int32)
    ).filter(context.classes.ordinary)
    joined = pl.DataFrame(shown).join(
        classes, on=quasi, how="left", nulls_equal=True, maintain_order="left"
    )
    found = joined["\0class"].fill_null(-1).to_numpy()
    if (found[~plan.suppressed] < 0).any():
        return None
    return np.where(plan.suppressed, -1, found).astype(np.int32)


def _nothing(share: float) -> None:
    """Nobody is told how far the search is."""
    del share
