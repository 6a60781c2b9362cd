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


def _note(found: Finding, sensitive: str) -> str:
    half, before = of_people(found.success["0.5"]), of_people(found.prior["0.5"])
    return (
        f"The {sensitive} is at least as likely as not for {half} (by plain frequencies for "
        f"{before}), and certain for {of_people(found.success[CERTAIN])}."
    )
