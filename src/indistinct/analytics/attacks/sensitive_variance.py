"""Sensitive variance: classes whose values vary too little (Khan and others 2020).

The rank variance of a class is that of the numbers 1..m given to its m values in falling order of
frequency. The attacker strikes where it is below theta = mu (k^2 - 1) / 12. It is no measure of
diversity: a class may pass and still give people away (and the other way round), which is why the
other attackers stand beside this one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks.finding import Finding, Skipped
from indistinct.analytics.attacks.scene import Pool, Scene
from indistinct.analytics.attacks.weak_classes import strike
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
    promised = next(
        (
            item.parameters
            for item in scene.promises
            if item.model == "theta-sensitive" and item.sensitive in (None, sensitive)
        ),
        {},
    )
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
