"""Releases of two linked tables, for people with many records.

Each file holds one way from a :class:`~indistinct.recoding.linked.table.LinkedTable` to a
:class:`~indistinct.recoding.linked.plan.LinkedPlan`.
"""

from indistinct.recoding.linked.anatomy import anatomy
from indistinct.recoding.linked.angelization import p_l_angelization
from indistinct.recoding.linked.plan import Buckets, History, LinkedNoise, LinkedPlan
from indistinct.recoding.linked.settings import LinkedSettings
from indistinct.recoding.linked.table import LinkedTable
from indistinct.recoding.linked.theta_star import theta_star

__all__ = [
    "Buckets",
    "History",
    "LinkedNoise",
    "LinkedPlan",
    "LinkedSettings",
    "LinkedTable",
    "anatomy",
    "p_l_angelization",
    "theta_star",
]
