"""Attackers that strike where a class is weak, and keep to the prior elsewhere.

A detector of the literature says of every class whether it is weak: one value, one category, too
little variance. As an attacker it looks at the compatible classes of a person together. Where they
are weak it takes the belief that random worlds give; where they are not it knows no more than the
marginal distribution. The classes and records that a detector finds are counted beside.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks.finding import Finding, summarize, worst_class
from indistinct.analytics.attacks.people_scene import SURE, PeopleScene, worst_of
from indistinct.analytics.attacks.scene import Scene


def strike(
    scene: Scene,
    sensitive: str,
    *,
    name: str,
    knowledge: str,
    weak_classes: NDArray[np.bool_],
    weak_crowds: NDArray[np.bool_],
    true_count: NDArray[np.int64],
    prior: NDArray[np.float64],
    figures: Mapping[str, float | int | None] | None = None,
    note: str,
    **more: NDArray[Any],
) -> Finding:
    """The finding of an attacker that strikes at weak classes.

    Arguments:
        scene: what the attacker was given.
        sensitive: the attribute it learns.
        name: the attacker's name.
        knowledge: what it knows.
        weak_classes: which published classes are weak, [G].
        weak_crowds: which sets of compatible classes are, taken together, [K].
        true_count: records of each person's compatible classes with the truth, [n].
        prior: the share of the truth in the whole release, [n].
        figures: further figures.
        note: what makes a class weak, without a full stop.
        more: further figures by class, told of the worst one.
    """
    struck = scene.found & weak_crowds[scene.crowd_of]
    size = scene.crowd_size[scene.crowd_of]
    share = true_count / np.maximum(size, 1)
    size_of_weak = np.where(weak_classes, scene.classes.size, 0)
    records = int(size_of_weak.sum())
    return summarize(
        scene,
        sensitive,
        np.where(struck, share, prior),
        prior,
        struck & (true_count == size),
        name=name,
        knowledge=knowledge,
        figures={
            "weak_classes": int(weak_classes.sum()),
            "weak_records": records,
            "struck": float(struck.mean()) if len(struck) else 0.0,
            **(figures or {}),
        },
        worst=worst_class(scene, size_of_weak.astype(np.float64), **more) if records else {},
        note=f"{note}: {_counted(scene, int(weak_classes.sum()), records)}.",
    )


def strike_people(
    scene: PeopleScene,
    sensitive: str,
    *,
    name: str,
    knowledge: str,
    weak_classes: NDArray[np.bool_],
    weak_crowds: NDArray[np.bool_],
    belief: NDArray[np.float64],
    prior: NDArray[np.float64],
    figures: Mapping[str, float | int | None] | None = None,
    note: str,
    **more: NDArray[Any],
) -> Finding:
    """The same of people with many records.

    Arguments:
        scene: what the attacker was given.
        sensitive: the attribute it learns.
        name: the attacker's name.
        knowledge: what it knows.
        weak_classes: which published classes are weak, [G].
        weak_crowds: which sets of compatible classes are, taken together, [K].
        belief: belief in the truth where the attacker strikes, [n].
        prior: the share of the truth in the whole release, [n].
        figures: further figures.
        note: what makes a class weak, without a full stop.
        more: further figures by class, told of the worst one.
    """
    struck = scene.found & weak_crowds[scene.crowd_of]
    size_of_weak = np.where(weak_classes, scene.classes.size, 0)
    people = int(size_of_weak.sum())
    weak = int(weak_classes.sum())
    are = "is" if weak == 1 else "are"
    counted = (
        f"{weak:,} of {len(scene.classes):,} {are}, with {people:,} of {scene.records:,} people"
        if weak
        else f"none of {len(scene.classes):,} is"
    )
    return summarize(
        scene,
        sensitive,
        np.where(struck, belief, prior),
        prior,
        struck & (belief >= 1 - SURE),
        name=name,
        knowledge=knowledge,
        figures={
            "weak_classes": weak,
            "weak_people": people,
            "struck": float(struck.mean()) if len(struck) else 0.0,
            **(figures or {}),
        },
        worst=worst_of(scene, size_of_weak.astype(np.float64), **more) if people else {},
        note=f"{note}: {counted}.",
    )


def _counted(scene: Scene, classes: int, records: int) -> str:
    if not classes:
        return f"none of {len(scene.classes):,} is"
    is_or_are = "is" if classes == 1 else "are"
    return (
        f"{classes:,} of {len(scene.classes):,} {is_or_are}, "
        f"with {records:,} of {scene.records:,} records"
    )
