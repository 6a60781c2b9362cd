"""The best full-domain release, by proof; of whole rows or of every rank by itself if asked to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from indistinct.privacy.promise import Promise
from indistinct.recoding.full_domain import Settings, full_domain
from indistinct.recoding.full_domain.local import refused_classes
from indistinct.recoding.keys import Keys
from indistinct.recoding.method import LEVELS, Method, Sight, Task
from indistinct.recoding.plan import LevelPlan, Plan
from indistinct.recoding.refused import Refused
from indistinct.recoding.split import split_by_rank


class Optimal(Method):
    """Full-domain generalization that proves its result the best, or by how much it may miss."""

    name = "optimal"
    settings: ClassVar[frozenset[str]] = LEVELS | {
        "objective",
        "suppression_limit",
        "time_limit",
        "node_limit",
        "local_recoding",
        "weight",
        "mode",
    }

    one_off: ClassVar[str | None] = None
    together: ClassVar[bool] = True

    def heeds(self, keys: Keys) -> frozenset[str]:
        """All but local recoding, where whole rows or ranks by themselves are looked at."""
        sight = self.sight(keys, ())
        return self.settings - {"local_recoding"} if sight.rows or sight.ranks else self.settings

    def sight(self, keys: Keys, promises: Sequence[Promise]) -> Sight:
        """Whole rows where their number is the objective, ranks where every rank is by itself."""
        ranks = keys.mode == "split"
        return Sight(by_record=ranks, ranks=ranks, rows=keys.objective.measure == "rows")

    def plan(self, task: Task) -> Plan:
        """The levels of least cost, by the search that the name says."""
        settings, goal = Settings.of(task.asked), task.asked.objective
        if task.ranks is None:
            return full_domain(task.data, task.promises, goal, settings, task.progress)
        return split_by_rank(task.data, task.ranks, task.promises, goal, settings, task.progress)

    def refused(self, task: Task, plan: Plan) -> Refused | None:
        """The classes that local recoding would have made sooner."""
        if not isinstance(plan, LevelPlan):
            return None
        lattice, bound = task.asked.lattice(task.data), task.asked.objective.bind(task.data)
        return refused_classes(task.data, lattice, task.promises, bound, plan)
