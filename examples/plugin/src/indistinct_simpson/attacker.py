"""The attacker: names of every person the most frequent value among the records that fit them."""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.finding import Finding, Skipped, summarize
from indistinct.analytics.attacks.scene import Scene

NAME = "best-guess"
KNOWLEDGE = "the exact quasi-identifiers of a person, and that the person is in the table"
SOURCE = "Simpson (1949)"


def run(scene: Scene, sensitive: str | None) -> Finding | Skipped:
    """Believe in the most frequent value by its share, and in no other."""
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    truth, prior = scene.truth(sensitive), scene.prior(sensitive)
    beliefs = scene.beliefs(sensitive)[scene.combination_of]
    right = beliefs.argmax(axis=1) == truth
    return summarize(
        scene,
        sensitive,
        belief=np.where(right, beliefs.max(axis=1), 0.0),
        prior=np.where(prior.argmax() == truth, prior.max(), 0.0),
        certain=right & (beliefs.max(axis=1) == 1),
        name=NAME,
        knowledge=KNOWLEDGE,
        figures={"guessed": float(right.mean())},
    )
