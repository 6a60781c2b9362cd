"""What noise stripping and decoy stripping share: belief after records were taken out of classes.

Both take made-up records out of every class, and believe in a value as often as it occurs among
what is left of the compatible classes. In the worst case exactly those records go that hide a
person's value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks.finding import CERTAIN, Finding, of_people, summarize, worst_class
from indistinct.analytics.attacks.scene import Scene, sums


def of_true_values(
    scene: Scene, sensitive: str, amount: NDArray[np.float64]
) -> NDArray[np.float64]:
    """For every person the sum of the amounts of the true value over the compatible classes, [n].

    ``amount`` goes by the entries of :meth:`Scene.held`.
    """
    from indistinct.kernels.noise_removal import gather

    held, domain = scene.held(sensitive), len(scene.domain(sensitive))
    keys = scene.crowd_of.astype(np.int64) * domain + scene.truth(sensitive)
    pairs, of = np.unique(keys, return_inverse=True)
    found = np.zeros(len(pairs))
    gather(
        scene.crowds.indptr, scene.crowds.index, held.indptr, held.index,
        np.ascontiguousarray(amount, np.float64), pairs // domain, pairs % domain, found,
    )  # fmt: skip
    return found[of]


def stripped(
    scene: Scene,
    sensitive: str,
    *,
    name: str,
    knowledge: str,
    left: NDArray[np.int64],
    own_left: NDArray[np.int64],
    average: NDArray[np.float64],
    most: NDArray[np.int64],
    figures: Mapping[str, float | int | None],
    what: str,
) -> Finding:
    """The finding of an attacker that takes made-up records out of classes.

    Arguments:
        scene: what the attacker was given.
        sensitive: the attribute it learns.
        name: the attacker's name.
        knowledge: what it knows.
        left: records that the largest removal leaves of each class, [G].
        own_left: records that it leaves where an entry's value is kept whole, [entries].
        average: belief in an entry's value on average over all removals, [entries].
        most: how many records can be taken out of each class at most, [G].
        figures: further figures.
        what: what is taken out: noise, decoys.
    """
    held = scene.held(sensitive)
    crowd, before = scene.crowd_of, scene.true_prior(sensitive)
    size = scene.classes.size
    in_class = held.count / np.maximum(own_left, 1)
    strip = np.zeros(len(size))
    np.maximum.at(strip, held.row_of, in_class)
    base = sums(left[scene.crowds.index], scene.crowds.indptr)[crowd]
    kept = of_true_values(scene, sensitive, (own_left - left[held.row_of]).astype(np.float64))
    true = scene.true_count(sensitive)
    remaining = np.maximum(base + np.rint(kept).astype(np.int64), 1)
    worst = np.where(scene.found, true / remaining, before)
    weighed = of_true_values(scene, sensitive, average * size[held.row_of])
    mean = np.where(scene.found, weighed / np.maximum(scene.crowd_size[crowd], 1), before)
    open_classes = most > 0
    records = int(size[open_classes].sum())
    found = summarize(
        scene,
        sensitive,
        worst,
        before,
        scene.found & (true > 0) & (true == remaining),
        name=name,
        knowledge=knowledge,
        figures={
            **figures,
            "largest_belief": float(strip.max(initial=0.0)),
            "average_belief": _mean(mean),
            "average_0.5": _mean(mean >= 0.5 - 1e-12),
            "average_gain": _mean(mean - before),
            "unstripped_belief": _mean(scene.true_belief(sensitive)),
            "open_classes": int(open_classes.sum()),
            "open_records": records,
            "removable": int(most.sum()),
        },
        worst=worst_class(scene, strip, belief=strip, removable=most),
    )
    note = (
        f"{int(open_classes.sum()):,} of {len(size):,} classes could hold {what}. Who strips them "
        f"is certain of the {sensitive} of {of_people(found.success[CERTAIN])} in the worst case."
    )
    return Finding(**{**vars(found), "note": note})


def _mean(values: NDArray[Any]) -> float | None:
    return float(values.mean()) if len(values) else None
