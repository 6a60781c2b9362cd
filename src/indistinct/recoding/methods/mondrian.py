"""Mondrian: the table cut into ever smaller parts, each published as fits it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from indistinct.privacy.promise import Promise
from indistinct.recoding.keys import Keys
from indistinct.recoding.method import CUTTING, Method, Sight, Task
from indistinct.recoding.partition import PartitionSettings, partition
from indistinct.recoding.plan import Plan


class Mondrian(Method):
    """Local recoding by cuts.

    It treats records with equal quasi-identifiers differently if asked to, and with promises that
    no closure holds of: a large class may break one that parts of it keep, and equal records alone
    may be too many.
    """

    name = "mondrian"
    settings: ClassVar[frozenset[str]] = CUTTING | {"suppression_limit", "cells", "weight"}
    objective: ClassVar[str | None] = "loss"

    def sight(self, keys: Keys, promises: Sequence[Promise]) -> Sight:
        """Single records where equal ones may be told apart."""
        apart = any(part.sensitive is not None and part.closure == "none" for part in promises)
        return Sight(by_record=apart or not keys.partition.strict)

    def plan(self, task: Task) -> Plan:
        """Classes, and what is published of each."""
        own = PartitionSettings.of(task.asked)
        return partition(task.data, task.promises, "mondrian", own, task.progress)
