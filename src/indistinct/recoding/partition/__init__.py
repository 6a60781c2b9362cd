"""Local recoding by partitioning: records are put into classes, each published as fits it.

:func:`partition` picks the algorithm: Mondrian cuts the table into ever smaller parts; k-member
clustering and MDAV collect near records, which takes time that grows with their square.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Literal

from indistinct.errors import PolicyError, Problems, did_you_mean, refuse
from indistinct.microdata.leveled import LeveledTable
from indistinct.privacy.promise import Promise
from indistinct.recoding.limits import Progress, silent
from indistinct.recoding.partition import k_member, mdav, mondrian, publishing
from indistinct.recoding.partition.settings import Cut, Dimension, PartitionSettings
from indistinct.recoding.plan import CellPlan
from indistinct.recoding.refusals import not_quasi, unknown_sensitive, without_hierarchy

__all__ = ["ALGORITHMS", "Cut", "Dimension", "PartitionSettings", "partition"]

ALGORITHMS = ("mondrian", "k-member", "mdav")


def partition(
    data: LeveledTable,
    promises: Sequence[Promise],
    algorithm: Literal["mondrian", "k-member", "mdav"] = "mondrian",
    settings: PartitionSettings | None = None,
    progress: Progress = silent,
) -> CellPlan:
    """Classes that keep the promises, and the tight cells that are published of each.

    The promises are kept by the classes as they are published: classes whose cells are equal are
    one, and what a promise compares with is what is published.

    Arguments:
        data: the table. Where equal records may be told apart, one combination per record.
        promises: what every class must keep.
        algorithm: how classes are made.
        settings: its settings.
        progress: told the share of the work that is done.

    Raises:
        Unsatisfiable: if the promises cannot be kept within the suppression limit.
        PolicyError: for a setting, a style of cells or an attribute that does not fit.
    """
    settings = settings or PartitionSettings()
    _check(data, promises, algorithm, settings)
    began = time.perf_counter()
    publishing.check_feasible(data, promises, settings)
    if algorithm == "mondrian":
        return mondrian.mondrian(data, promises, settings, progress)
    if algorithm == "k-member":
        class_of = k_member.k_member(data, promises, settings, progress)
    else:
        class_of = mdav.mdav(data, promises, settings, progress)
    return publishing.published(data, promises, class_of, settings, algorithm, began)


def _check(
    data: LeveledTable, promises: Sequence[Promise], algorithm: str, settings: PartitionSettings
) -> None:
    problems = Problems()
    if algorithm not in ALGORITHMS:
        problems.add(
            "unknown-algorithm",
            f"no partitioning '{algorithm}': {did_you_mean(algorithm, ALGORITHMS)}",
        )
    problems += without_hierarchy(data, algorithm)
    named = [(f"promise '{part.model}' applies to", part.on or ()) for part in promises]
    problems += not_quasi(data, [("a weight is set for", settings.weights), *named])
    why = "whose values are not counted"
    problems += unknown_sensitive(promises, data.table.sensitive, why)
    refuse(PolicyError, problems)
