"""MDAV: near records collected around those farthest from the mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from indistinct.privacy.promise import Promise
from indistinct.recoding.keys import Keys
from indistinct.recoding.method import Method, Sight, Task
from indistinct.recoding.partition import PartitionSettings, partition
from indistinct.recoding.plan import Plan


class MDAV(Method):
    """Local recoding by clusters around the farthest records."""

    name = "mdav"
    settings: ClassVar[frozenset[str]] = frozenset({"suppression_limit", "cells", "weight"})
    objective: ClassVar[str | None] = "loss"

    def sight(self, keys: Keys, promises: Sequence[Promise]) -> Sight:
        """Single records."""
        del keys, promises
        return Sight(by_record=True)

    def plan(self, task: Task) -> Plan:
        """Classes, and what is published of each."""
        own = PartitionSettings.of(task.asked)
        return partition(task.data, task.promises, "mdav", own, task.progress)
