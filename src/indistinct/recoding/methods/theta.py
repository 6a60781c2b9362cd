"""theta-sensitive k-anonymity by exchange of records (Khan and others 2020, Algorithm 1)."""

from __future__ import annotations

from typing import ClassVar

from indistinct.recoding.exchange import ThetaSettings, theta_sensitive
from indistinct.recoding.method import PARTITIONING, Method, Task
from indistinct.recoding.plan import Plan


class Theta(Method):
    """Moves records between classes until their sensitive values are diverse."""

    name = "theta"
    settings: ClassVar[frozenset[str]] = PARTITIONING | {"partition.donors", "variant", "max_noise"}
    objective: ClassVar[str | None] = "loss"
    works_towards: ClassVar[tuple[str, ...]] = ("theta-sensitive",)
    unit = "record"
    by_record: ClassVar[bool] = True
    start: ClassVar[str | None] = "mondrian"
    may_contain: ClassVar[tuple[str, ...]] = ("noise",)
    unsafe: ClassVar[str] = (
        "without its guard and without a bound on beliefs: a class of 100 records may have 90 "
        "equal values"
    )

    def plan(self, task: Task) -> Plan:
        """Classes after the exchange, and what is published of each."""
        keys = task.asked.keys
        settings = ThetaSettings.of(
            task.asked,
            variant=keys.variant,
            partition=keys.partition.start or self.start,
            donors=keys.partition.donors,
            max_noise=keys.max_noise,
        )
        found = theta_sensitive(task.data, task.promises, settings, task.progress)
        if found.log:
            task.documents["moves.json"] = dict(found.log)
        return found
