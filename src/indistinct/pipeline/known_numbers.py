"""Records left out of people who have more than others, once classes are found."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from indistinct.document import some_of
from indistinct.errors import Unsatisfiable
from indistinct.privacy.known_number import KnownNumber
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.numbers import records_kept
from indistinct.recoding.plan import published_classes
from indistinct.warning_kinds import Kind

if TYPE_CHECKING:
    from indistinct.intake.private_table import PrivateTable
    from indistinct.intake.run import Run
    from indistinct.intake.transforming import Transformed
    from indistinct.recoding.plan import Plan
    from indistinct.types import Bools

Found = tuple["PrivateTable", "Plan | LinkedPlan"]


def with_known_numbers(
    found: Found, values: Transformed, run: Run, again: Callable[[Transformed], Found]
) -> tuple[Found, Transformed]:
    """The table and its plan, with each number of records that of k people of a class.

    What is left after records are left out is searched anew, since promises may speak of what they
    held; classes may then be others, so that it is done until nothing is left to do.

    Arguments:
        found: the table and its plan.
        values: what was done to values before.
        run: draws what is left out, and is given a warning.
        again: the table and plan of what is left.

    Raises:
        Unsatisfiable: more records than the policy's suppression limit would be left out.
    """
    asked = max((p.k for p in found[0].promises if isinstance(p, KnownNumber)), default=0)
    before, turn = values.left_out[0], 0
    rows = found[0].subjects.rows
    while asked and not (stays := _staying(*found, asked, run, turn)).all():
        values = values.rows(stays, run.policy)
        found, turn = again(values), turn + 1
    lost, limit = values.left_out[0] - before, run.policy.method.suppression_limit
    why = f"so that {asked} people of a class have each number of records (known-number)"
    if lost > math.floor(limit * rows + 1e-9):
        raise Unsatisfiable(
            "too-many-records-left-out",
            f"{some_of(lost, rows, 'record')} would be left out, {why}, and {limit:.1%} of them "
            "may be",
            remedy=f"allow suppression_limit = {min(math.ceil(100 * lost / rows + 1), 100) / 100}, "
            "or promise a smaller k"
            if lost < rows
            else "promise a smaller k",
        )
    if lost:
        run.warnings.append(
            Kind.LOSS(f"{some_of(lost, rows, 'record is')} left out, drawn at random, {why}")
        )
    return found, values


def _staying(private: PrivateTable, plan: Plan | LinkedPlan, k: int, run: Run, turn: int) -> Bools:
    assert not isinstance(plan, LinkedPlan)
    of_combination = published_classes(private.data, plan, private.data.attributes).astype(np.int64)
    # People who are suppressed and published as * are one more group.
    shown = run.policy.output.suppressed == "keep"
    of_combination[plan.suppressed] = of_combination.max(initial=0) + 1 if shown else -1
    class_of = of_combination[private.microdata.combination_of]
    return records_kept(private.subjects, class_of, k, run.random(f"publication.numbers {turn}"))
