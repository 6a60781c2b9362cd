"""m-invariance: buckets whose values stay the same from release to release."""

from __future__ import annotations

from typing import ClassVar

from indistinct.recoding.linked import LinkedSettings, LinkedTable, m_invariant
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.method import Method, Task


class MInvariant(Method):
    """Keeps people in buckets of the values they were published with."""

    name = "m-invariant"
    settings: ClassVar[frozenset[str]] = frozenset({"suppression_limit", "max_noise"})
    objective: ClassVar[str | None] = "loss"
    works_towards: ClassVar[tuple[str, ...]] = ("m-invariance", "tau-safety")
    unit = "person"
    linked: ClassVar[bool] = True
    dealt: ClassVar[bool] = True
    may_contain: ClassVar[tuple[str, ...]] = ("noise",)

    def plan(self, task: Task) -> LinkedPlan:
        """The people, exact or generalized, and their buckets."""
        settings = LinkedSettings.of(task.asked)
        linked = LinkedTable.of(task).of_classes
        earlier = None if task.earlier is None else task.earlier()
        return m_invariant(linked, task.promises, settings, earlier, task.progress)
