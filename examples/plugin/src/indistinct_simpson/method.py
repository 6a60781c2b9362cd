"""The algorithm: all attributes raised together, step by step, until the promises hold."""

from __future__ import annotations

import time
from typing import ClassVar

import numpy as np

from indistinct.errors import Problem, Unsatisfiable
from indistinct.recoding.full_domain import allowed_units
from indistinct.recoding.full_domain.evaluation import Evaluator
from indistinct.recoding.grouping import Grouper
from indistinct.recoding.method import Method, Task
from indistinct.recoding.plan import LevelPlan, SearchReport


class EvenSteps(Method):
    """Full-domain generalization on the straight way up: quick, and rarely the best."""

    name = "even-steps"
    settings: ClassVar[frozenset[str]] = frozenset({"objective", "suppression_limit", "weight"})

    def plan(self, task: Task) -> LevelPlan:
        """The first node on the way that suppresses no more than the policy allows.

        Raises:
            Unsatisfiable: not even the last one keeps the promises.
        """
        began, data = time.perf_counter(), task.data
        objective = task.asked.objective
        bound = objective.bind(data)
        allowed = allowed_units(task.asked.keys.suppression_limit, data.table.records)
        evaluator = Evaluator(data, task.promises, bound, allowed, Grouper(data))
        top = int(data.heights.max())
        for step in range(top + 1):
            levels = np.minimum(step, data.heights)
            looked = evaluator.evaluate(levels)
            if looked.key is None:
                continue
            report = SearchReport(
                algorithm=self.name,
                measure=objective.measure,
                aggregate=objective.aggregated_by,
                value=bound.value(looked.key),
                optimal=False,
                bound=0.0,
                nodes=top + 1,
                checked=step + 1,
                seconds=time.perf_counter() - began,
            )
            node_of = np.where(evaluator.suppressed(levels), -1, 0).astype(np.int32)
            return LevelPlan(data.attributes, (tuple(levels.tolist()),), node_of, report)
        raise Unsatisfiable(
            Problem(
                "unsatisfiable",
                "no step keeps the promises",
                remedy='raise method.suppression_limit, or choose algorithm = "optimal"',
            )
        )
