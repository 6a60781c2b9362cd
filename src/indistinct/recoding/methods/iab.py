"""Intelligent Anonymity Balance: the most distinct rows (Arca and Hewett 2021, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from indistinct.privacy.promise import Promise
from indistinct.recoding.keys import Keys
from indistinct.recoding.method import LEVELS, Method, Sight, Task
from indistinct.recoding.plan import Plan
from indistinct.recoding.subtree import keep_rows


class IAB(Method):
    """Keeps as many distinct rows as it can, one step of generalization after the other."""

    name = "iab"
    settings: ClassVar[frozenset[str]] = LEVELS | {
        "time_limit",
        "node_limit",
        "scope",
        "tie_break",
    }
    objective: ClassVar[str | None] = "rows"
    one_off: ClassVar[str | None] = None

    def sight(self, keys: Keys, promises: Sequence[Promise]) -> Sight:
        """Whole rows."""
        return Sight(rows=True)

    def plan(self, task: Task) -> Plan:
        """The levels, or cuts of hierarchies, that keep the most rows."""
        found, result = keep_rows(task, self.name)
        task.documents["search.json"] = result.to_dict()
        return found
