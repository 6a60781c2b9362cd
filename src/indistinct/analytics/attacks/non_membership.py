"""Non-membership: which sensitive values can somebody *not* have?

A value that occurs in no compatible class is excluded. That alone can harm ("she does not have what
she says she has"), and many exclusions leave few values: the attacker here knows nothing of how
often the values of a class occur, only which do, and believes in each of those as in the whole
release, in proportion.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.finding import Finding, Skipped, summarize, worst_class
from indistinct.analytics.attacks.people_scene import SURE, PeopleScene, worst_of
from indistinct.analytics.attacks.scene import Scene

NAME = "non-membership"
KNOWLEDGE = "the exact quasi-identifiers of a person, and that the person is in the table"
SOURCE = "Fazal and others (2023)"


def run(scene: Scene, sensitive: str | None) -> Finding | Skipped:
    """Exclude every published value that occurs in none of a person's compatible classes."""
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    pool, prior = scene.pooled(sensitive), scene.prior(sensitive)
    values = int((prior > 0).sum())
    left = np.bincount(pool.row_of, weights=prior[pool.index], minlength=len(pool))
    crowd = scene.crowd_of
    possible = scene.true_count(sensitive) > 0
    before = scene.true_prior(sensitive)
    held = np.where(possible, before / np.maximum(left[crowd], 1e-300), 0.0)
    excluded = np.where(scene.found, values - pool.length[crowd], 0)
    wrong = int((scene.found & ~possible & (before > 0)).sum())
    pairs = int(excluded.sum())
    rate = pairs / (scene.people.height * values) if scene.people.height and values else 0.0
    by_class = (values - scene.held(sensitive).length).astype(np.float64)
    return summarize(
        scene,
        sensitive,
        np.where(scene.found, held, before),
        before,
        possible & (pool.length[crowd] == 1),
        name=NAME,
        knowledge=KNOWLEDGE,
        figures={
            "values": values,
            "excluded_pairs": pairs,
            "exclusion_rate": rate,
            "right": 1 - wrong / pairs if pairs else None,
        },
        worst=worst_class(scene, by_class, excluded=by_class.astype(np.int64)),
        note=(
            f"On average {rate:.1%} of the {values:,} published values of {sensitive} "
            "can be ruled out for a person."
        ),
    )


def run_people(scene: PeopleScene, sensitive: str | None) -> Finding | Skipped:
    """Exclude every published label that nobody of a person's compatible classes can have.

    A label is possible where one is listed that has a value in common with it. Of what is left the
    attacker believes as much as before, in proportion, and nothing more than certainty.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    covering, labels, own = scene.covering(sensitive), scene.labels(sensitive), scene.own(sensitive)
    prior = scene.listed(sensitive).prior
    touched = scene.lifted(sensitive, covering.touching, len(labels))
    pool = touched.pooled
    left = np.bincount(pool.row_of, weights=prior[pool.index], minlength=len(pool))
    crowd, found = scene.crowd_of, scene.found
    there = pool.of(crowd[own.person], own.label, len(labels)) > 0
    scale = float(prior.sum()) / np.maximum(left, 1e-300)
    truth = scene.spread(sensitive).prior[own.label]
    held = np.where(there, np.minimum(truth * scale[crowd[own.person]], 1.0), 0.0)
    before = scene.true_prior(sensitive)
    possible = own.best(there.astype(np.float64)) > 0
    excluded = np.where(found, len(labels) - pool.length[crowd], 0)
    wrong = int((found[own.person] & ~there).sum())
    pairs, people = int(excluded.sum()), scene.people.height
    rate = pairs / (people * len(labels)) if people and labels else 0.0
    support = pool.length[crowd][found]
    by_class = len(labels) - touched.held.length
    alone = found & possible & (pool.length[crowd] == 1)
    return summarize(
        scene,
        sensitive,
        np.where(alone, 1.0, np.where(found, own.best(held), before)),
        before,
        alone | (found & (own.best(held) >= 1 - SURE) & (scene.true_belief(sensitive) >= 1 - SURE)),
        name=NAME,
        knowledge=KNOWLEDGE,
        figures={
            "values": len(labels),
            "excluded_pairs": pairs,
            "exclusion_rate": rate,
            "right": 1 - wrong / pairs if pairs else None,
            "support_mean": float(support.mean()) if len(support) else None,
            "support_smallest": int(support.min()) if len(support) else None,
            "support_one": float((found & (pool.length[crowd] == 1)).mean()) if people else 0.0,
        },
        worst=worst_of(scene, by_class.astype(np.float64), excluded=by_class),
        note=(
            f"On average {rate:.1%} of the {len(labels):,} published values of {sensitive} "
            "can be ruled out for a person."
        ),
    )
