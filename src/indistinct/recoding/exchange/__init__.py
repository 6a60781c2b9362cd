"""Theta-sensitive k-anonymity by exchanging records between classes (Khan and others 2020).

:func:`theta_sensitive` goes from a table to a plan.
"""

from __future__ import annotations

from indistinct.recoding.exchange.moves import Move, Proposal, Rules, ThetaInfeasible
from indistinct.recoding.exchange.target import Target
from indistinct.recoding.exchange.theta import ThetaSettings, targets_of, theta_sensitive
from indistinct.recoding.exchange.widths import Widths

__all__ = [
    "Move",
    "Proposal",
    "Rules",
    "Target",
    "ThetaInfeasible",
    "ThetaSettings",
    "Widths",
    "targets_of",
    "theta_sensitive",
]
