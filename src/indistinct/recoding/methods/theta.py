"""theta-sensitive k-anonymity by exchange of records (Khan and others 2020, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from indistinct.privacy.promise import Promise
from indistinct.recoding.exchange import ThetaSettings, theta_sensitive
from indistinct.recoding.keys import Keys
from indistinct.recoding.method import CUTTING, Method, Sight, Task
from indistinct.recoding.partition import PartitionSettings
from indistinct.recoding.plan import Plan


class Theta(Method):
    """Moves records between classes until their sensitive values are diverse."""

    name = "theta"
    settings: ClassVar[frozenset[str]] = CUTTING | {
        "suppression_limit",
        "cells",
        "weight",
        "partition.start",
        "partition.donors",
        "variant",
        "max_noise",
    }
    objective: ClassVar[str | None] = "loss"
    works_towards: ClassVar[tuple[str, ...]] = ("theta-sensitive",)
    unit = "record"
    may_contain: ClassVar[tuple[str, ...]] = ("noise",)
    unsafe: ClassVar[str] = (
        "without its guard and without a bound on beliefs: a class of 100 records may have 90 "
        "equal values"
    )

    def heeds(self, keys: Keys) -> frozenset[str]:
        """How Mondrian cuts matters where it makes the first classes."""
        return self.settings - (frozenset() if _by_cuts(keys) else CUTTING)

    def sight(self, keys: Keys, promises: Sequence[Promise]) -> Sight:
        """Single records."""
        del keys, promises
        return Sight(by_record=True)

    def plan(self, task: Task) -> Plan:
        """Classes after the exchange, and what is published of each."""
        keys = task.asked.keys
        settings = ThetaSettings(
            variant=keys.variant,
            partition=keys.partition.start or "mondrian",
            donors=keys.partition.donors,
            max_noise=keys.max_noise,
            cells=keys.cells,
            weights=task.asked.weights,
            seed=task.asked.seed,
            partitioning=PartitionSettings.of(task.asked),
        )
        found = theta_sensitive(task.data, task.promises, settings, task.progress)
        if found.log:
            task.documents["moves.json"] = dict(found.log)
        return found


def _by_cuts(keys: Keys) -> bool:
    return keys.partition.start in (None, "mondrian")
