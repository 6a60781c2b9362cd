"""(p,l)-angelization: classes that are buckets of several sensitive attributes."""

from __future__ import annotations

from typing import ClassVar

from indistinct.recoding.linked import LinkedSettings, LinkedTable, p_l_angelization
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.method import PARTITIONING, Method, Task


class PLAngelization(Method):
    """Classes with p categories and l different sets of every sensitive attribute."""

    name = "p-l-angelization"
    settings: ClassVar[frozenset[str]] = PARTITIONING
    objective: ClassVar[str | None] = "loss"
    works_towards: ClassVar[tuple[str, ...]] = (
        "p-plus-sensitive",
        "p-sensitive",
        "distinct-l-diversity",
    )
    unit = "person"
    linked: ClassVar[bool] = True

    def plan(self, task: Task) -> LinkedPlan:
        """Classes, and their buckets."""
        settings = LinkedSettings.of(task.asked)
        return p_l_angelization(
            LinkedTable.of(task).of_classes, task.promises, settings, task.progress
        )
