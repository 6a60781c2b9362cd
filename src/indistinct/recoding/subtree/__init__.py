"""Searches for the generalization that keeps the most distinct rows (Arca and Hewett 2021).

Three searches over one kind of state space: ``exhaustive`` (their Method 1), ``greedy`` (Method 2)
and ``iab``, Intelligent Anonymity Balance (their Algorithm 1). A state is a generalized table; how
far one step goes is the ``scope``: a whole attribute one level up, or single subtrees of its
hierarchy.
"""

from __future__ import annotations

import numpy as np

from indistinct.recoding.method import Task
from indistinct.recoding.plan import CutPlan, LevelPlan, SearchReport
from indistinct.recoding.subtree.search import SEARCHES, SearchResult, run
from indistinct.recoding.subtree.space import space
from indistinct.types import Plain

__all__ = ["SEARCHES", "SearchResult", "keep_rows"]


def keep_rows(task: Task, algorithm: str) -> tuple[LevelPlan | CutPlan, SearchResult]:
    """The plan of a search for the most distinct rows, and the search itself.

    Arguments:
        task: the quasi-identifiers, and beside them one unchanged column of everything else that is
            published; the requirements, each of which names its attributes; and from the policy the
            ``scope`` of a step, which of several tables with as many rows ``iab`` returns, and when
            to stop with the best so far.
        algorithm: ``iab``, ``exhaustive`` or ``greedy``.

    Raises :class:`~indistinct.errors.Unsatisfiable` where no table satisfies the requirements.
    """
    data, scope = task.data, task.asked.keys.scope
    settings: Plain = {"limits": task.asked.limits, "progress": task.progress}
    if algorithm == "iab":
        settings["tie_break"] = task.asked.keys.tie_break
    states = space(scope, data, task.promises, task.asked.lattice(data))
    result = run(algorithm, states, **settings)
    proved = algorithm != "greedy" and scope != "siblings" and result.optimal
    report = SearchReport(
        algorithm=algorithm,
        measure="rows",
        aggregate="sum",
        value=float(result.chosen.rows),
        optimal=proved,
        bound=float(result.bound),
        nodes=len(result.steps),
        checked=len(result.steps),
        seconds=result.seconds,
        stopped_by=result.stopped_by,
        counters={
            "generated": result.generated,
            "distinct": result.distinct,
            "expanded": result.expanded,
        },
    )
    cuts = states.levels_of(result.chosen.state)
    if scope == "domain":
        node = tuple(int(cut[0]) if len(cut) else 0 for cut in cuts)
        everybody = np.zeros(data.table.combinations, dtype=np.int32)
        return LevelPlan(data.attributes, (node,), everybody, report), result
    return CutPlan(data.attributes, tuple(cuts), data.table.codes, report, scope), result
