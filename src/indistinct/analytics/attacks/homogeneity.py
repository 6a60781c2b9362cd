"""Homogeneity: do all people of a class have the same value?

A person found in such a class is known, however large it is: k-anonymity does not help.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.context import SURE, AttackContext
from indistinct.analytics.attacks.finding import Finding, Skipped
from indistinct.analytics.attacks.remedies import bounded_belief
from indistinct.analytics.attacks.weak_classes import Weak, target_weak_classes

NAME = "homogeneity"
KIND = "attribute"
PLACE = 60
KNOWLEDGE = "the exact quasi-identifiers of a person, and that the person is in the table"
SOURCE = "Machanavajjhala and others (2006), section 2; Khan and others (2020)"
REMEDY = bounded_belief


def run(context: AttackContext, sensitive: str) -> Finding | Skipped:
    """Strike where everybody of the compatible classes has a value, and perhaps others."""
    spread = context.spread(sensitive)
    what = sensitive if context.one_record_each else f"value of {sensitive}"
    weak = Weak(
        classes=spread.held.largest >= context.classes.size - SURE,
        sets=spread.pooled.largest >= np.maximum(context.places.set_size, 1) - SURE,
        belief=context.true_belief(sensitive),
        prior=context.true_prior(sensitive),
        because=f"A class is weak if everybody in it has the same {what}",
    )
    return target_weak_classes(context, sensitive, weak)
