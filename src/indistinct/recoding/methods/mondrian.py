"""Mondrian: the table cut into ever smaller parts, each published as fits it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from indistinct.privacy.promise import Promise
from indistinct.recoding.keys import Keys
from indistinct.recoding.method import CUTTING, Sight, Task
from indistinct.recoding.methods.k_member import KMember
from indistinct.recoding.partition.mondrian import refused_cuts
from indistinct.recoding.partition.settings import PartitionSettings
from indistinct.recoding.plan import CellPlan, Plan
from indistinct.recoding.refused import Refused


class Mondrian(KMember):
    """Local recoding by cuts.

    It treats records with equal quasi-identifiers differently if asked to, and with promises that
    no closure holds of: a large class may break one that parts of it keep, and equal records alone
    may be too many.
    """

    name = "mondrian"
    drawn = False
    settings: ClassVar[frozenset[str]] = CUTTING | KMember.settings

    one_off: ClassVar[str | None] = None

    def sight(self, keys: Keys, promises: Sequence[Promise]) -> Sight:
        """Single records where equal ones may be told apart."""
        apart = any(part.sensitive is not None and part.closure == "none" for part in promises)
        return Sight(by_record=apart or not keys.partition.strict)

    def refused(self, task: Task, plan: Plan) -> Refused | None:
        """The cuts of every class, unless equal records may be told apart."""
        assert isinstance(plan, CellPlan)
        settings = PartitionSettings.of(task.asked)
        return refused_cuts(task.data, task.promises, settings, plan.class_of)
