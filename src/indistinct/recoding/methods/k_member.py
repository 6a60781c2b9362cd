"""k-member clustering: near records collected around one of them."""

from __future__ import annotations

from typing import ClassVar, Literal

from indistinct.recoding.method import Method, Task
from indistinct.recoding.partition import PartitionSettings, partition
from indistinct.recoding.plan import Plan


class KMember(Method):
    """Local recoding by clusters of near records."""

    name: ClassVar[Literal["mondrian", "k-member", "mdav"]] = "k-member"
    settings: ClassVar[frozenset[str]] = frozenset({"suppression_limit", "cells", "weight"})
    objective: ClassVar[str | None] = "loss"
    by_record: ClassVar[bool] = True
    drawn: ClassVar[bool] = True

    def plan(self, task: Task) -> Plan:
        """Classes, and what is published of each."""
        own = PartitionSettings.of(task.asked)
        return partition(task.data, task.promises, self.name, own, task.progress)
