"""Levels and records by chance, for differential privacy (Bild, Kuhn and Prasser 2018)."""

from __future__ import annotations

from typing import ClassVar

from indistinct.privacy.differential_privacy import DifferentialPrivacy
from indistinct.recoding.full_domain.by_chance import by_chance
from indistinct.recoding.method import LEVELS, Method, Task
from indistinct.recoding.plan import Plan


class SafePub(Method):
    """Draws levels and records, so that no record changes much what is published."""

    name = "safepub"
    settings: ClassVar[frozenset[str]] = LEVELS | {"weight"}
    objective: ClassVar[str | None] = "precision"
    works_towards: ClassVar[tuple[str, ...]] = ("differential-privacy",)
    unit = "record"
    by_record: ClassVar[bool] = True
    by_values: ClassVar[bool] = False
    drawn: ClassVar[bool] = True

    def plan(self, task: Task) -> Plan:
        """One node of the lattice, and the records that stay."""
        asked = next(item for item in task.promises if isinstance(item, DifferentialPrivacy))
        size = max(item.sufficient_size for item in task.promises)
        return by_chance(task.data, asked, size, task.asked)
