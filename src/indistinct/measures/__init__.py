"""Utility and cost: one file per measure, each an objective that a search can minimise.

A new measure is one file here: a class that derives from
:class:`~indistinct.measures.objective.Objective` and names its ``measure``. It is found by being
here.
"""

from indistinct.measures.aggregate import AGGREGATES, Aggregate, aggregate
from indistinct.measures.objective import (
    BoundObjective,
    Objective,
    Outcome,
    Recoding,
    measures,
    objective,
)

__all__ = [
    "AGGREGATES",
    "Aggregate",
    "BoundObjective",
    "Objective",
    "Outcome",
    "Recoding",
    "aggregate",
    "measures",
    "objective",
]
