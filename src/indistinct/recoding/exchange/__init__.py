"""Theta-sensitive k-anonymity by exchanging records between classes (Khan and others 2020).

:func:`theta_sensitive` goes from a table to a plan. :func:`replay` works through a small example in
plain terms, as papers print them; :func:`exchange` is the same on codes.
"""

from __future__ import annotations

from indistinct.recoding.exchange.moves import Exchanged, Move, Proposal, Rules, ThetaInfeasible
from indistinct.recoding.exchange.procedure import exchange
from indistinct.recoding.exchange.replay import Replay, replay
from indistinct.recoding.exchange.target import Target
from indistinct.recoding.exchange.theta import ThetaSettings, targets_of, theta_sensitive
from indistinct.recoding.exchange.widths import Widths

__all__ = [
    "Exchanged",
    "Move",
    "Proposal",
    "Replay",
    "Rules",
    "Target",
    "ThetaInfeasible",
    "ThetaSettings",
    "Widths",
    "exchange",
    "replay",
    "targets_of",
    "theta_sensitive",
]
