"""Skewness: a class in which a harmful value is far more frequent than elsewhere (Li and others).

Half of a class with a value that one in a hundred has: nobody is known for certain, and everybody
in it is suspected. The attacker strikes where the belief in a harmful value is at least twice what
the marginal distribution says. Harmful are the values of the most sensitive category, unless others
are named; where neither is known, each person's own value is looked at.
"""

from __future__ import annotations

import numpy as np

from indistinct.analytics.attacks.finding import (
    Finding,
    Skipped,
    of_people,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.people_scene import SURE, PeopleScene, worst_of
from indistinct.analytics.attacks.scene import Scene

NAME = "skewness"
KNOWLEDGE = "what membership knows, and how often each value occurs in the release"
SOURCE = "Li, Li and Venkatasubramanian (2007), section 2"

DOUBLE = 2 - 1e-12


def run(scene: Scene, sensitive: str | None) -> Finding | Skipped:
    """Strike where a class makes a harmful value at least twice as likely as the whole release."""
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    prior, pool, held = scene.prior(sensitive), scene.pooled(sensitive), scene.held(sensitive)
    labels = scene.domain(sensitive).labels
    named = scene.harmful.get(sensitive, frozenset())
    harmful = np.array([label in named for label in labels], np.bool_)
    gains = pool.count / scene.crowd_size[pool.row_of] / prior[pool.index]
    crowd, truth, before = scene.crowd_of, scene.truth(sensitive), scene.true_prior(sensitive)
    belief = scene.true_belief(sensitive)
    own_doubled = scene.found & (belief >= DOUBLE * before) & (before > 0)
    in_class = held.count / scene.classes.size[held.row_of] / prior[held.index]
    if harmful.any():
        most = np.zeros(len(pool))
        np.maximum.at(most, pool.row_of, np.where(harmful[pool.index], gains, 0.0))
        struck = scene.found & (most[crowd] >= DOUBLE)
        in_class = np.where(harmful[held.index], in_class, 0.0)
        about = f"of a harmful {sensitive}"
    else:
        struck, about = own_doubled, f"of their own {sensitive}"
    by_class = np.zeros(len(held))
    np.maximum.at(by_class, held.row_of, in_class)
    with_harm = int(harmful[truth].sum())
    hit = int((own_doubled & harmful[truth]).sum())
    doubled = float(struck.mean()) if len(struck) else 0.0
    ratio = np.divide(belief, before, out=np.ones_like(belief), where=before > 0)
    return summarize(
        scene,
        sensitive,
        np.where(struck, belief, before),
        before,
        struck & (scene.true_count(sensitive) == scene.crowd_size[crowd]),
        name=NAME,
        knowledge=KNOWLEDGE,
        figures={
            "harmful_values": int(harmful.sum()),
            "doubled": doubled,
            "harmed": hit / with_harm if with_harm else None,
            "largest_ratio": float(by_class.max(initial=0.0)) or None,
            "mean_ratio": float(ratio.mean()) if len(ratio) else None,
        },
        worst=worst_class(scene, by_class, ratio=by_class),
        note=f"The release at least doubles the suspicion {about} for {of_people(doubled)}.",
    )


def run_people(scene: PeopleScene, sensitive: str | None) -> Finding | Skipped:
    """Strike where people have a harmful value at least twice as likely as in the whole release.

    A published label is harmful if all values that it stands for are.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    spread, own, covering = scene.spread(sensitive), scene.own(sensitive), scene.covering(sensitive)
    named = scene.harmful.get(sensitive, frozenset())
    labels = scene.labels(sensitive)
    harmful = np.array(
        [
            label in named or all(covering.values[v] in named for v in covering.under[at].tolist())
            for at, label in enumerate(labels)
        ],
        np.bool_,
    )
    prior, pooled, held = spread.prior, spread.pooled, spread.held
    size = np.maximum(scene.places.crowd_size, 1)
    gains = pooled.amount / size[pooled.row_of] / prior[pooled.index]
    in_class = held.amount / scene.classes.size[held.row_of] / prior[held.index]
    believed, before = scene.believed(sensitive), prior[own.label]
    doubled_own = (before > 0) & (believed >= DOUBLE * before) & scene.found[own.person]
    if harmful.any():
        most = np.zeros(len(pooled))
        np.maximum.at(most, pooled.row_of, np.where(harmful[pooled.index], gains, 0.0))
        struck = scene.found & (most[scene.crowd_of] >= DOUBLE)
        in_class = np.where(harmful[held.index], in_class, 0.0)
        about = f"of a harmful {sensitive}"
    else:
        struck = own.best(doubled_own.astype(np.float64)) > 0
        about = f"of one of their own values of {sensitive}"
    by_class = np.zeros(len(held))
    np.maximum.at(by_class, held.row_of, in_class)
    with_harm = own.best(harmful[own.label].astype(np.float64)) > 0
    hit = own.best((doubled_own & harmful[own.label]).astype(np.float64)) > 0
    doubled = float(struck.mean()) if len(struck) else 0.0
    ratio = own.best(np.divide(believed, before, out=np.zeros_like(believed), where=before > 0))
    belief, base = scene.true_belief(sensitive), scene.true_prior(sensitive)
    return summarize(
        scene,
        sensitive,
        np.where(struck, belief, base),
        base,
        struck & (belief >= 1 - SURE),
        name=NAME,
        knowledge=KNOWLEDGE,
        figures={
            "harmful_values": int(harmful.sum()),
            "doubled": doubled,
            "harmed": int(hit.sum()) / int(with_harm.sum()) if with_harm.any() else None,
            "largest_ratio": float(by_class.max(initial=0.0)) or None,
            "mean_ratio": float(ratio.mean()) if len(ratio) else None,
        },
        worst=worst_of(scene, by_class, ratio=by_class),
        note=f"The release at least doubles the suspicion {about} for {of_people(doubled)}.",
    )
