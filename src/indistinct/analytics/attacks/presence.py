"""Presence: is this person in the table at all? (Nergiz, Atzori and Clifton 2007, delta-presence.)

Somebody who knows who lives in a population counts for every class how many people of it could
stand there. If as many are published, all of them are in the table; being in a table about a
disease is harm enough. The belief that a person is in it is the share of released among possible
people in the compatible classes.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.finding import Finding, Skipped, summarize, worst_class
from indistinct.analytics.attacks.people_scene import PeopleScene
from indistinct.analytics.attacks.record_linkage import of_people_not_records
from indistinct.analytics.attacks.scene import Scene, sums

NAME = "presence"
KNOWLEDGE = "the exact quasi-identifiers of everybody in a population"
SOURCE = "Nergiz, Atzori and Clifton (2007)"


def run(scene: Scene, sensitive: str | None = None) -> Finding | Skipped:
    """Compare released with possible people in every class.

    A population person whom several classes cover counts in each of them.
    """
    del sensitive
    possible = scene.class_population
    if possible is None or scene.population is None:
        return Skipped(NAME, "it needs a table of the population")
    crowds = scene.crowds
    of_crowd = sums(possible[crowds.index], crowds.indptr)
    share = scene.crowd_size / np.maximum(of_crowd, 1)
    before = min(scene.records / max(scene.population.height, 1), 1.0)
    prior = np.full(scene.people.height, before)
    belief = np.where(scene.found, share[scene.crowd_of], prior)
    met = scene.population_compatible
    assert met is not None
    out = sums(scene.classes.size[met.index], met.indptr)
    able = sums(possible[met.index], met.indptr)
    delta = out / np.maximum(able, 1)
    by_class = scene.classes.size / possible
    highest = float(delta.max(initial=0.0))
    return summarize(
        scene,
        None,
        belief,
        prior,
        scene.found & (share[scene.crowd_of] >= 1),
        name=NAME,
        knowledge=KNOWLEDGE,
        figures={
            "population": scene.population.height,
            "delta_lowest": float(delta.min()) if len(delta) else None,
            "delta_highest": highest,
        },
        worst=worst_class(scene, by_class, population=possible),
        note=(
            f"Somebody of the population is in the table with {highest:.0%} at most, "
            f"as far as the release tells; a blind guess would say {before:.0%}."
        ),
    )


def run_people(scene: PeopleScene, sensitive: str | None = None) -> Finding | Skipped:
    """Compare released with possible people in every class; every row is a person."""
    found = run(scene.places, sensitive)
    if isinstance(found, Skipped):
        return found
    return Finding(**{**vars(found), "worst": of_people_not_records(found)})
