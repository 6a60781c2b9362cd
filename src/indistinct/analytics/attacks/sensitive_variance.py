"""Sensitive variance: classes whose values vary too little (Khan and others 2020).

The rank variance of a class is that of the numbers 1..m given to its m values in falling order of
frequency. The attacker strikes where it is below theta = mu (k^2 - 1) / 12. It is no measure of
diversity: a class may pass and still give people away (and the other way round), which is why the
other attackers stand beside this one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks.finding import Finding, Skipped
from indistinct.analytics.attacks.noise_stripping import removable_of_buckets
from indistinct.analytics.attacks.people_scene import PeopleScene
from indistinct.analytics.attacks.scene import Pool, Scene
from indistinct.analytics.attacks.weak_classes import strike, strike_people
from indistinct.privacy.rank_variance import falls_short, rank_variance, theta, thresholds

NAME = "sensitive-variance"
KNOWLEDGE = "the exact quasi-identifiers of a person, and that the person is in the table"
SOURCE = "Khan and others (2020), section 5.1"

MU = 0.6
"""The share of the variance of k different values that is asked for where nothing is promised."""

CELLS_AT_ONCE = 1 << 22


def run(
    scene: Scene, sensitive: str | None, *, k: int | None = None, mu: float | None = None
) -> Finding | Skipped:
    """Strike where the rank variance of the compatible classes is below theta.

    Arguments:
        scene: what the attacker is given.
        sensitive: the attribute it learns.
        k: of theta(k); without, that of a theta-sensitive promise for the attribute, else the
            largest promised k, else the size of the smallest class.
        mu: the share of the full variance; without, that of the promise, else 0.6.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    promised = _promised(scene, sensitive)
    mu = float(promised.get("mu", MU)) if mu is None else mu
    sizes = scene.classes.size
    k = k or promised.get("k") or scene.k or (int(sizes.min()) if len(sizes) else 1)
    if k < 2:
        return Skipped(NAME, "classes of one record have no variance to fall short of", sensitive)
    held, pool = scene.held(sensitive), scene.pooled(sensitive)
    own = variances(held)
    asked: dict[str, float | int | None] = {"mu": mu}
    if promised.get("theta") == "size":
        weak = falls_short(own, thresholds(sizes, mu))
        weak_crowds = falls_short(variances(pool), thresholds(scene.crowd_size, mu))
        below = "what its size asks for"
    else:
        asked |= {"k": k, "theta": theta(k, mu)}
        weak = falls_short(own, theta(k, mu))
        weak_crowds = falls_short(variances(pool), theta(k, mu))
        below = f"{theta(k, mu):.4g}"
    return strike(
        scene,
        sensitive,
        name=NAME,
        knowledge=KNOWLEDGE,
        weak_classes=weak,
        weak_crowds=weak_crowds,
        true_count=scene.true_count(sensitive),
        prior=scene.true_prior(sensitive),
        figures={**asked, "smallest_variance": float(own.min()) if len(own) else None},
        note=f"A class is weak if the rank variance of {sensitive} in it is below {below}",
        variance=own,
    )


def run_people(
    scene: PeopleScene, sensitive: str | None, *, k: int | None = None, mu: float | None = None
) -> Finding | Skipped:
    """Strike where a class is linked to buckets whose rank variance is below theta.

    Where everybody has all values of a bucket of their own (a long release), it is the classes
    themselves that are looked at: how many people have each value. The figures ``stripped_*`` tell
    of buckets after all that may be noise was taken out.

    Arguments:
        scene: what the attacker is given.
        sensitive: the attribute it learns.
        k: of theta(k); without, that of a theta-sensitive promise for the attribute, else the
            largest promised k, else the size of the smallest bucket or class.
        mu: the share of the full variance; without, that of the promise, else 0.6.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    promised = _promised(scene, sensitive)
    mu = float(promised.get("mu", MU)) if mu is None else mu
    by_bucket = scene.holding != "all"
    if by_bucket:
        pool: Pool = scene.buckets[sensitive]
        sizes, what = scene.size_of, "bucket"
    else:
        held = scene.listed(sensitive).held
        pool = Pool(held.indptr, held.index, np.rint(held.amount).astype(np.int64))
        sizes, what = scene.classes.size, "class"
    people = sizes[sizes > 0]
    k = k or promised.get("k") or scene.k or (int(people.min()) if len(people) else 1)
    if k < 2:
        return Skipped(NAME, f"a {what} of one person has no variance to fall short of", sensitive)
    by_size = promised.get("theta") == "size"
    asked: dict[str, float | int | None] = {"mu": mu}
    below = "what its size asks for"
    if not by_size:
        asked |= {"k": k, "theta": theta(k, mu)}
        below = f"{theta(k, mu):.4g}"

    def falling_short(counts: Pool, size: NDArray[np.int64]) -> NDArray[np.bool_]:
        least = thresholds(size, mu) if by_size else theta(k, mu)
        return falls_short(variances(counts), least) & (size > 0)

    own = variances(pool)
    weak = falling_short(pool, sizes)
    figures = {**asked, "smallest_variance": float(own[sizes > 0].min()) if len(people) else None}
    classes = scene.classes.size
    if by_bucket:
        linked, met = scene.class_buckets, scene.crowd_buckets
        weak_rows = np.bincount(
            linked.row_of, linked.count * weak[linked.index], minlength=len(classes)
        )
        weak_classes = weak_rows > 0
        weak_crowds = np.bincount(met.row_of, weak[met.index], minlength=len(met)) > 0
        figures |= {"weak_buckets": int(weak.sum()), "bucket_people": int(sizes[weak].sum())}
        if scene.holding == "one" and "noise" in scene.may_contain:
            figures |= _stripped(scene, sensitive, k, falling_short)
    else:
        crowds = scene.places.crowds
        weak_rows = np.where(weak, classes, 0).astype(np.float64)
        weak_classes = weak
        row_of = np.repeat(np.arange(len(crowds)), crowds.length)
        weak_crowds = np.bincount(row_of, weak[crowds.index], minlength=len(crowds)) > 0
    about = "linked to a bucket" if by_bucket else "one"
    return strike_people(
        scene,
        sensitive,
        name=NAME,
        knowledge=KNOWLEDGE,
        weak_classes=weak_classes,
        weak_crowds=weak_crowds,
        belief=scene.true_belief(sensitive),
        prior=scene.true_prior(sensitive),
        figures=figures,
        note=f"A class is weak if it is {about} with a rank variance of {sensitive} below {below}",
        weak_rows=weak_rows.astype(np.int64),
    )


def _promised(scene: Scene | PeopleScene, sensitive: str) -> Mapping[str, Any]:
    """The parameters of a promise of theta-sensitivity for the attribute, if there is one."""
    return next(
        (
            item.parameters
            for item in scene.promises
            if item.model == "theta-sensitive" and item.sensitive in (None, sensitive)
        ),
        {},
    )


def _stripped(
    scene: PeopleScene,
    sensitive: str,
    k: int,
    falling_short: Callable[[Pool, NDArray[np.int64]], NDArray[np.bool_]],
) -> dict[str, int]:
    """Buckets that are weak, and those with one value, once all that may be noise is gone."""
    held = scene.buckets[sensitive]
    most = removable_of_buckets(scene, sensitive, k)
    # Which of the values that occur once are taken out does not matter to the variance.
    once = held.count == 1
    place = np.cumsum(once) - once
    first = np.append(place, once.sum())[held.indptr[:-1]]
    gone = once & (place - first[held.row_of] < most[held.row_of])
    left = Pool(held.indptr, held.index, np.where(gone, 0, held.count))
    sizes = held.size - most
    alone = (np.bincount(held.row_of[~gone], minlength=len(held)) == 1) & (sizes > 0)
    weak = falling_short(left, sizes)
    return {
        "stripped_weak_buckets": int(weak.sum()),
        "stripped_certain_buckets": int(alone.sum()),
        "stripped_certain_people": int(sizes[alone].sum()),
    }


def variances(pool: Pool) -> NDArray[np.float64]:
    """The rank variance of every row of counts."""
    found = np.zeros(len(pool))
    width = max(int(pool.length.max(initial=1)), 1)
    step = max(CELLS_AT_ONCE // width, 1)
    for first in range(0, len(pool), step):
        last = min(first + step, len(pool))
        own = slice(pool.indptr[first], pool.indptr[last])
        cells = np.zeros((last - first, width), np.int64)
        place = np.arange(own.start, own.stop) - pool.indptr[pool.row_of[own]]
        cells[pool.row_of[own] - first, place] = pool.count[own]
        found[first:last] = rank_variance(cells)
    return found
