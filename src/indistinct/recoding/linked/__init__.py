"""Releases of two linked tables, for people with many records.

Each file holds one way from a :class:`~indistinct.recoding.linked.table.LinkedTable` to a
:class:`~indistinct.recoding.linked_plan.LinkedPlan`.
"""

from indistinct.recoding.linked.anatomy import anatomy
from indistinct.recoding.linked.angelization import p_l_angelization
from indistinct.recoding.linked.k_l_diversity import KLSettings, k_l_diversity
from indistinct.recoding.linked.m_invariant import m_invariant
from indistinct.recoding.linked.settings import LinkedSettings
from indistinct.recoding.linked.table import LinkedTable
from indistinct.recoding.linked.theta_star import theta_star
from indistinct.recoding.linked_plan import Buckets, History, LinkedNoise, LinkedPlan

__all__ = [
    "Buckets",
    "History",
    "KLSettings",
    "LinkedNoise",
    "LinkedPlan",
    "LinkedSettings",
    "LinkedTable",
    "anatomy",
    "k_l_diversity",
    "m_invariant",
    "p_l_angelization",
    "theta_star",
]
