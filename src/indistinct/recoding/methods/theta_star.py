"""(theta*,k)-utility for people with many records (Fazal and others 2023, Algorithm 1)."""

from __future__ import annotations

from typing import ClassVar

from indistinct.recoding.linked import LinkedSettings, LinkedTable, theta_star
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.method import PARTITIONING, Method, Task


class ThetaStar(Method):
    """People in buckets whose categories of sensitive values are diverse, and in classes of k."""

    name = "theta-star"
    settings: ClassVar[frozenset[str]] = PARTITIONING | {
        "partition.donors",
        "partition.unchecked_tails",
        "variant",
        "max_noise",
        "keep_history",
    }
    objective: ClassVar[str | None] = "loss"
    works_towards: ClassVar[tuple[str, ...]] = ("theta-sensitive",)
    unit = "person"
    linked: ClassVar[bool] = True
    dealt: ClassVar[bool] = True
    may_contain: ClassVar[tuple[str, ...]] = ("noise",)

    def plan(self, task: Task) -> LinkedPlan:
        """Classes of the quasi table, and buckets of the sensitive one."""
        settings = LinkedSettings.of(task.asked)
        return theta_star(LinkedTable.of(task).of_classes, task.promises, settings, task.progress)
