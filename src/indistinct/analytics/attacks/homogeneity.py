"""Homogeneity: classes in which everybody has the same value (Machanavajjhala and others 2006).

Whoever is found in such a class is known, however large it is: k-anonymity does not help.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.finding import Finding, Skipped
from indistinct.analytics.attacks.people_scene import SURE, PeopleScene
from indistinct.analytics.attacks.scene import Scene
from indistinct.analytics.attacks.weak_classes import strike, strike_people

NAME = "homogeneity"
KNOWLEDGE = "the exact quasi-identifiers of a person, and that the person is in the table"
SOURCE = "Machanavajjhala and others (2006), section 2; Khan and others (2020)"


def run(scene: Scene, sensitive: str | None) -> Finding | Skipped:
    """Strike where the compatible classes hold one value."""
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    return strike(
        scene,
        sensitive,
        name=NAME,
        knowledge=KNOWLEDGE,
        weak_classes=scene.held(sensitive).length == 1,
        weak_crowds=scene.pooled(sensitive).length == 1,
        true_count=scene.true_count(sensitive),
        prior=scene.true_prior(sensitive),
        note=f"A class is weak if everybody in it has the same {sensitive}",
    )


def run_people(scene: PeopleScene, sensitive: str | None) -> Finding | Skipped:
    """Strike where everybody of the compatible classes has a value, whatever else they have."""
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    spread = scene.spread(sensitive)
    return strike_people(
        scene,
        sensitive,
        name=NAME,
        knowledge=KNOWLEDGE,
        weak_classes=spread.held.largest >= scene.classes.size - SURE,
        weak_crowds=spread.pooled.largest >= np.maximum(scene.places.crowd_size, 1) - SURE,
        belief=scene.true_belief(sensitive),
        prior=scene.true_prior(sensitive),
        note=f"A class is weak if everybody in it has the same value of {sensitive}",
    )
