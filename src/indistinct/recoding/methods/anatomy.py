"""Anatomy: exact quasi-identifiers linked to buckets of l different values."""

from __future__ import annotations

from typing import ClassVar

from indistinct.recoding.linked import LinkedSettings, LinkedTable, anatomy
from indistinct.recoding.linked_plan import LinkedPlan
from indistinct.recoding.method import Method, Task


class Anatomy(Method):
    """People in buckets of different values; their quasi-identifiers stay as they are.

    Had the people of a bucket each other's values, the same buckets would be as likely.
    """

    name = "anatomy"
    settings: ClassVar[frozenset[str]] = frozenset()
    objective: ClassVar[str | None] = "loss"
    works_towards: ClassVar[tuple[str, ...]] = ("distinct-l-diversity", "max-posterior")
    unit = "person"
    linked: ClassVar[bool] = True
    dealt: ClassVar[bool] = True
    by_values: ClassVar[bool] = False

    def plan(self, task: Task) -> LinkedPlan:
        """The people as they are, and their buckets."""
        settings = LinkedSettings.of(task.asked)
        return anatomy(LinkedTable.of(task), task.promises, settings, task.progress)
