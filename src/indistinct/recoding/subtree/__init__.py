"""Searches for the generalization that keeps the most distinct rows (Arca and Hewett 2021).

Three searches over one kind of state space: ``exhaustive`` (their Method 1), ``greedy`` (Method 2)
and ``iab``, Intelligent Anonymity Balance (their Algorithm 1). A state is a generalized table; how
far one step goes is the ``scope``: a whole attribute one level up, or single subtrees of its
hierarchy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.lattice import Lattice
from indistinct.recoding.limits import Limits, Progress
from indistinct.recoding.plan import CutPlan, LevelPlan, SearchReport
from indistinct.recoding.subtree.search import SEARCHES, SearchResult, TieBreak, run
from indistinct.recoding.subtree.space import space
from indistinct.types import Plain

__all__ = ["SEARCHES", "SearchResult", "keep_rows"]


def keep_rows(
    data: LeveledTable,
    promises: Sequence[Promise],
    algorithm: str = "iab",
    *,
    scope: str = "domain",
    tie_break: TieBreak = "least_general",
    lattice: Lattice | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> tuple[LevelPlan | CutPlan, SearchResult]:
    """The plan of a search for the most distinct rows, and the search itself.

    Arguments:
        data: the quasi-identifiers, and beside them one unchanged column of everything else that is
            published.
        promises: the requirements; each names its attributes.
        algorithm: ``iab``, ``exhaustive`` or ``greedy``.
        scope: ``domain``, ``subtree`` or ``siblings``.
        tie_break: which of several tables with as many rows ``iab`` returns.
        lattice: the lowest and the highest level of every attribute.
        limits: when to stop with the best so far.
        progress: is told the share done, where a limit says what the whole is.

    Raises :class:`~indistinct.errors.Unsatisfiable` where no table satisfies the requirements.
    """
    settings: Plain = {"limits": limits, "progress": progress}
    if algorithm == "iab":
        settings["tie_break"] = tie_break
    states = space(scope, data, promises, lattice)
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
