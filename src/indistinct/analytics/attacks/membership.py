"""Membership: which sensitive value does somebody have who is known to be in the table?

The attacker takes the classes that are compatible with the person's exact quasi-identifiers, and
believes in every value as its share among their records: the average over random worlds. It
succeeds where the belief in the true value is large, and is certain where one value alone is left.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.finding import (
    CERTAIN,
    Finding,
    Skipped,
    of_people,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.people_scene import SURE, PeopleScene, worst_of
from indistinct.analytics.attacks.scene import Scene

NAME = "membership"
KNOWLEDGE = "the exact quasi-identifiers of a person, and that the person is in the table"
SOURCE = "Machanavajjhala and others (2006), section 3; Fazal and others (2023)"


def run(scene: Scene, sensitive: str | None) -> Finding | Skipped:
    """Believe in each value as often as it occurs in the compatible classes."""
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    size = scene.crowd_size[scene.crowd_of]
    true = scene.true_count(sensitive)
    sure = scene.found & (scene.pooled(sensitive).largest[scene.crowd_of] == size)
    held, prior = scene.held(sensitive), scene.prior(sensitive)
    share = held.count / scene.classes.size[held.row_of]
    top = np.zeros(len(held))
    np.maximum.at(top, held.row_of, share - prior[held.index])
    found = summarize(
        scene,
        sensitive,
        scene.true_belief(sensitive),
        scene.true_prior(sensitive),
        sure & (true == size),
        name=NAME,
        knowledge=KNOWLEDGE,
        figures={
            "found": float(scene.found.mean()) if scene.people.height else 0.0,
            "misled": float((sure & (true == 0)).mean()) if scene.people.height else 0.0,
            "largest_belief": float(share.max(initial=0.0)),
        },
        worst=worst_class(scene, top, gain=top),
    )
    return Finding(**{**vars(found), "note": _note(found, sensitive)})


def run_people(scene: PeopleScene, sensitive: str | None) -> Finding | Skipped:
    """Believe in each value as the people of the compatible classes are likely to have it.

    Of several values of a person the one that is believed most counts.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    spread, own = scene.spread(sensitive), scene.own(sensitive)
    belief, prior = scene.true_belief(sensitive), scene.true_prior(sensitive)
    size = np.maximum(scene.places.crowd_size, 1)
    pooled, held = spread.pooled, spread.held
    sure = np.bincount(
        pooled.row_of, pooled.amount >= size[pooled.row_of] - SURE, minlength=len(pooled)
    )
    believed = scene.believed(sensitive)
    known = np.bincount(own.person, believed >= 1 - SURE, minlength=len(prior))
    share = held.amount / scene.classes.size[held.row_of]
    top = np.zeros(len(held))
    np.maximum.at(top, held.row_of, share - spread.prior[held.index])
    added = own.best(np.maximum(believed - spread.prior[own.label], 0))
    found = summarize(
        scene,
        sensitive,
        belief,
        prior,
        scene.found & (known > 0),
        name=NAME,
        knowledge=KNOWLEDGE,
        figures={
            "found": float(scene.found.mean()) if len(prior) else 0.0,
            "misled": float((scene.found & (sure[scene.crowd_of] > known)).mean())
            if len(prior)
            else 0.0,
            "largest_belief": float(share.max(initial=0.0)),
            "value_gain_mean": float(added.mean()) if len(prior) else 0.0,
            "value_gain_max": float(added.max(initial=0.0)),
        },
        worst=worst_of(scene, top, gain=top),
    )
    half, before = of_people(found.success["0.5"]), of_people(found.prior["0.5"])
    note = (
        f"One of the own values of {sensitive} is at least as likely as not for {half} (by plain "
        f"frequencies for {before}), and certain for {of_people(found.success[CERTAIN])}."
    )
    return Finding(**{**vars(found), "note": note})


def _note(found: Finding, sensitive: str) -> str:
    half, before = of_people(found.success["0.5"]), of_people(found.prior["0.5"])
    return (
        f"The {sensitive} is at least as likely as not for {half} (by plain frequencies for "
        f"{before}), and certain for {of_people(found.success[CERTAIN])}."
    )
