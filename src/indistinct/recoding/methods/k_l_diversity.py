"""(k,l)-diversity for people with sets of items."""

from __future__ import annotations

from typing import ClassVar, Literal

from indistinct.recoding.linked import KLSettings, LinkedTable, k_l_diversity
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.method import Method, Task


class KLDiversity(Method):
    """People in buckets of k with generalized sets of items, and in groups of l buckets."""

    name = "k-l-diversity"
    settings: ClassVar[frozenset[str]] = frozenset({"cells", "variant"})
    objective: ClassVar[str | None] = "loss"
    works_towards: ClassVar[tuple[str, ...]] = ("kl-diversity",)
    unit = "person"
    linked: ClassVar[bool] = True
    holding: ClassVar[Literal["all"] | None] = "all"

    def plan(self, task: Task) -> LinkedPlan:
        """Groups of the quasi table, and buckets of items."""
        own = KLSettings(variant=task.asked.keys.variant, cells=task.asked.keys.cells)
        return k_l_diversity(LinkedTable.of(task), task.promises, own, task.progress)
