"""A colleague, or corruption: somebody who knows the values of others (Tao and others 2008).

The attacker knows the values of c other people who stand where the person stands, and subtracts
them. In the worst case they all have other values: of n records with n_s of the true value, the
belief becomes n_s / (n - c). On average over all choices of c colleagues it is
(n_s - c (n_s - 1) / (n - 1)) / (n - c).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks.finding import (
    CERTAIN,
    Finding,
    Skipped,
    of_people,
    summarize,
    with_one_more,
    worst_class,
)
from indistinct.analytics.attacks.people_scene import SURE, Mass, PeopleScene, worst_of
from indistinct.analytics.attacks.scene import Scene

NAME = "colleague"
KNOWLEDGE = "what membership knows, and the value of one other person of the class"
SOURCE = "Tao, Xiao, Li and Zhang (2008)"


def run(scene: Scene, sensitive: str | None, *, c: int = 1) -> Finding | Skipped:
    """Subtract what is known of the worst possible colleagues.

    Arguments:
        scene: what the attacker is given.
        sensitive: the attribute it learns.
        c: how many people's values the attacker knows; the figures tell of one more as well.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    return with_one_more(
        lambda known: _finding(scene, sensitive, known), "c", c, {"average_belief": "average"}
    )


def _finding(scene: Scene, sensitive: str, c: int) -> Finding:
    crowd = scene.crowd_of
    size, true = scene.crowd_size[crowd], scene.true_count(sensitive)
    before = scene.true_prior(sensitive)
    worst, average = beliefs(size, true, c)
    held = scene.held(sensitive)
    by_class = np.zeros(len(held))
    np.maximum.at(by_class, held.row_of, beliefs(scene.classes.size[held.row_of], held.count, c)[0])
    found = summarize(
        scene,
        sensitive,
        np.where(scene.found, worst, before),
        before,
        scene.found & (worst >= 1),
        name=NAME,
        knowledge=KNOWLEDGE
        if c == 1
        else f"what membership knows, and the values of {c} other people of the class",
        figures={
            "average": float(np.where(scene.found, average, before).mean()) if len(size) else None
        },
        worst=worst_class(scene, by_class, belief=by_class),
    )
    who = "that of one other person is" if c == 1 else f"those of {c} other people are"
    note = (
        f"In the worst case the {sensitive} is certain for {of_people(found.success[CERTAIN])}, "
        f"once {who} known."
    )
    return Finding(**{**vars(found), "note": note})


def run_people(scene: PeopleScene, sensitive: str | None, *, c: int = 1) -> Finding | Skipped:
    """Subtract what is known of the worst possible colleagues.

    They are people of one bucket that the person's rows are linked to, whose values leave its list;
    where everybody has all of a bucket, people of the class, whose rows leave it.

    Arguments:
        scene: what the attacker is given.
        sensitive: the attribute it learns.
        c: how many people's values the attacker knows; the figures tell of one more as well.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    return with_one_more(
        lambda known: _of_people(scene, sensitive, known), "c", c, {"average_belief": "average"}
    )


def _of_people(scene: PeopleScene, sensitive: str, c: int) -> Finding:
    own, spread = scene.own(sensitive), scene.spread(sensitive)
    before, held = scene.true_prior(sensitive), spread.held
    if scene.holding == "all":
        crowd = scene.crowd_of[own.person]
        true = np.rint(spread.pooled.of(crowd, own.label, len(spread.prior))).astype(np.int64)
        worst, average = beliefs(scene.rows_of[own.person], true, c)
        in_class = np.rint(held.amount).astype(np.int64)
        score = beliefs(scene.classes.size[held.row_of], in_class, c)[0]
        where = "class"
    else:
        worst, average = of_buckets(scene, sensitive, c)
        score = held.amount / scene.classes.size[held.row_of]
        where = "bucket"
    by_class = np.zeros(len(held))
    np.maximum.at(by_class, held.row_of, score)
    belief = np.where(scene.found, own.best(worst), before)
    mean = np.where(scene.found, own.best(average), before)
    found = summarize(
        scene,
        sensitive,
        belief,
        before,
        scene.found & (belief >= 1 - SURE),
        name=NAME,
        knowledge=f"what membership knows, and the values of one other person of the {where}"
        if c == 1
        else f"what membership knows, and the values of {c} other people of the {where}",
        figures={"average": float(mean.mean()) if len(mean) else None},
        worst=worst_of(scene, by_class, belief=by_class),
    )
    who = "those of one other person are" if c == 1 else f"those of {c} other people are"
    note = (
        f"In the worst case one of the own values of {sensitive} is certain for "
        f"{of_people(found.success[CERTAIN])}, once {who} known."
    )
    return Finding(**{**vars(found), "note": note})


def of_buckets(
    scene: PeopleScene, sensitive: str, c: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Belief in every true label, by the pairs of `Own`, once c people of a bucket are known.

    In the worst case they are of the bucket, and have the values, that hide the truth best. On
    average they are any people of the bucket that one of the person's rows, drawn blindly, is
    linked to.
    """
    shares, linked = scene.spread(sensitive).shares, scene.crowd_buckets
    size = scene.buckets[sensitive].size if scene.holding == "one" else scene.size_of
    people = size[shares.row_of]
    true = np.rint(shares.amount * people).astype(np.int64)
    worst, average = beliefs(people, true, c)
    rows = np.maximum(scene.rows_of[scene.own(sensitive).person], 1)
    more = Mass(shares.indptr, shares.index, worst - shares.amount)
    _, raised = scene.over_own(sensitive, linked, linked.count, more)
    meant = Mass(shares.indptr, shares.index, average - shares.amount)
    mean, _ = scene.over_own(sensitive, linked, linked.count * linked.count, meant)
    base = scene.believed(sensitive)
    return np.minimum(base + raised / rows, 1.0), np.clip(base + mean / rows / rows, 0.0, 1.0)


def beliefs(
    size: NDArray[np.int64], true: NDArray[np.int64], c: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Belief in the true value after subtracting c others: in the worst case, and on average.

    Arguments:
        size: records among which the person is one, n.
        true: how many of them have the person's value; 0 if the person is not among them.
        c: how many others are known; all of them where there are not so many.
    """
    known = np.minimum(c, np.maximum(size - 1, 0))
    left = np.maximum(size - known, 1)
    alike = np.maximum(known - (size - true), 0)
    others = np.maximum(true - 1, 0) / np.maximum(size - 1, 1)
    worst = np.where(true > 0, (true - alike) / left, 0.0)
    average = np.where(true > 0, (true - known * others) / left, 0.0)
    return worst, average
