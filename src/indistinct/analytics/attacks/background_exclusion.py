"""Background knowledge of what somebody does *not* have (Machanavajjhala 2006, Martin 2007).

The attacker knows b values that the person does not have, in the worst case those that hide the
true one best: of a class with n records and n_s of the true value s, after excluding the b most
frequent others, the belief is n_s / (n - their records). l-diversity is made so that l - 2 such
exclusions leave two values.
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
from indistinct.analytics.attacks.people_scene import SURE, PeopleScene, worst_of
from indistinct.analytics.attacks.scene import Pool, Rows, Scene

NAME = "background-exclusion"
KNOWLEDGE = "what membership knows, and one value that the person does not have"
SOURCE = "Machanavajjhala and others (2006); Martin and others (2007)"


def run(scene: Scene, sensitive: str | None, *, b: int = 1) -> Finding | Skipped:
    """Exclude, for every person, the values that hide the true one best.

    Arguments:
        scene: what the attacker is given.
        sensitive: the attribute it learns.
        b: how many values the attacker can exclude; the figures tell of one more as well.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    return with_one_more(
        lambda known: _finding(scene, sensitive, known),
        "b",
        b,
        {"largest_belief": "largest_belief"},
    )


def _finding(scene: Scene, sensitive: str, b: int) -> Finding:
    pool, held = scene.pooled(sensitive), scene.held(sensitive)
    crowd, size = scene.crowd_of, scene.crowd_size[scene.crowd_of]
    true = scene.true_count(sensitive)
    left = size - hidden(most_frequent(pool, b + 1), crowd, true, b)
    before = scene.true_prior(sensitive)
    belief = np.where(scene.found, true / np.maximum(left, 1), before)
    by_class = largest_beliefs(held, b)
    found = summarize(
        scene,
        sensitive,
        belief,
        before,
        scene.found & (true > 0) & (true == left),
        name=NAME,
        knowledge=KNOWLEDGE
        if b == 1
        else f"what membership knows, and {b} values that the person does not have",
        figures={"largest_belief": float(by_class.max(initial=0.0))},
        worst=worst_class(scene, by_class, belief=by_class),
    )
    what = "one value that somebody does not have is" if b == 1 else f"{b} such values are"
    note = (
        f"In the worst case the {sensitive} is certain for {of_people(found.success[CERTAIN])}, "
        f"once {what} known."
    )
    return Finding(**{**vars(found), "note": note})


def run_people(scene: PeopleScene, sensitive: str | None, *, b: int = 1) -> Finding | Skipped:
    """Exclude, for every person, the values that hide the true ones best.

    To know that somebody does not have a value rules out what lists it: where everybody has one
    entry of a bucket, the entries with it, else the rows whose people have it. The attacker
    excludes, one after the other, the value that raises the belief most.

    Arguments:
        scene: what the attacker is given.
        sensitive: the attribute it learns.
        b: how many values the attacker can exclude; the figures tell of one more as well.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    return with_one_more(
        lambda known: _of_people(scene, sensitive, known), "b", b, {"mean_belief": "mean_belief"}
    )


def _of_people(scene: PeopleScene, sensitive: str, b: int) -> Finding:
    own, before = scene.own(sensitive), scene.true_prior(sensitive)
    excluded = after_exclusion(scene, sensitive, b)
    belief = np.where(scene.found, own.best(excluded), before)
    raised = np.where(scene.found, belief - scene.true_belief(sensitive), 0.0)
    crowds = scene.places.crowds
    by_crowd = np.zeros(len(crowds))
    np.maximum.at(by_crowd, scene.crowd_of, raised)
    by_class = np.zeros(len(scene.classes))
    np.maximum.at(
        by_class, crowds.index, by_crowd[np.repeat(np.arange(len(crowds)), crowds.length)]
    )
    found = summarize(
        scene,
        sensitive,
        belief,
        before,
        scene.found & (belief >= 1 - SURE),
        name=NAME,
        knowledge=KNOWLEDGE
        if b == 1
        else f"what membership knows, and {b} values that the person does not have",
        figures={"mean_belief": float(belief.mean()) if len(belief) else None},
        worst=worst_of(scene, by_class, raised=by_class),
    )
    what = "one value that somebody does not have is" if b == 1 else f"{b} such values are"
    note = (
        f"In the worst case one of the own values of {sensitive} is certain for "
        f"{of_people(found.success[CERTAIN])}, once {what} known."
    )
    return Finding(**{**vars(found), "note": note})


def after_exclusion(scene: PeopleScene, sensitive: str, b: int) -> NDArray[np.float64]:
    """Belief after b exclusions in every label that is true of somebody, by the pairs of `Own`."""
    own = scene.own(sensitive)
    _, sets, of = scene.alike(sensitive)
    most = b + 1
    found = scene.once("exclusions", sensitive, lambda name: _steps(scene, name, most))
    if found.shape[1] <= b:
        found = _steps(scene, sensitive, b)
    start = sets.indptr[of[own.person]]
    within = np.arange(len(own.person)) - own.indptr[own.person]
    mine: NDArray[np.float64] = found[start + within, b]
    return mine


def _steps(scene: PeopleScene, sensitive: str, most: int) -> NDArray[np.float64]:
    """Belief in every label of :meth:`PeopleScene.alike` after 0 to ``most`` exclusions."""
    from indistinct.kernels.candidate_sets import exclude

    spread, domain = scene.spread(sensitive), len(scene.labels(sensitive))
    crowd, sets, _ = scene.alike(sensitive)
    pooled, shares, places = spread.pooled, spread.shares, scene.crowd_buckets
    rows: Rows = places
    times = places.count.astype(np.float64)
    if scene.holding == "one":
        # One entry each: as if every entry were a bucket whose people have all that it says.
        entries = scene.entries(sensitive).pooled
        rows, times = entries, entries.amount
        shares = scene.implied(sensitive)
    found = np.zeros((len(sets.index), most + 1))
    exclude(
        crowd, sets.indptr, sets.index, rows.indptr, rows.index, times, shares.indptr,
        shares.index, shares.amount, pooled.indptr, pooled.index, pooled.amount,
        np.empty(int(rows.length.max(initial=0))), np.zeros(domain), np.zeros(domain), found,
    )  # fmt: skip
    return np.minimum(found, 1.0)


def most_frequent(pool: Pool, number: int) -> NDArray[np.int64]:
    """The counts of the most frequent values of each row, falling, [rows, number]."""
    order = np.lexsort((-pool.count, pool.row_of))
    place = np.arange(len(order)) - pool.indptr[pool.row_of[order]]
    found = np.zeros((len(pool), number), np.int64)
    kept = place < number
    found[pool.row_of[order][kept], place[kept]] = pool.count[order][kept]
    return found


def hidden(
    top: NDArray[np.int64], row: NDArray[np.int32], true: NDArray[np.int64], b: int
) -> NDArray[np.int64]:
    """Records of the b most frequent values other than the true one.

    Arguments:
        top: the counts of the b + 1 most frequent values of each row, [rows, b + 1].
        row: the row of every person, [n].
        true: how often the person's true value occurs in it, [n]; 0 if it does not.
        b: how many are excluded.

    If the true value is among the b + 1, the others of them are excluded; if it is not, all b of
    the first. Values with equal counts exchange for each other.
    """
    first = top[:, :b].sum(axis=1)[row]
    last = top[row, b]
    among = true > last
    found: NDArray[np.int64] = np.where(among, first + last - true, first)
    return found


def largest_beliefs(held: Pool, b: int) -> NDArray[np.float64]:
    """The largest belief in any value of each row that b exclusions can lead to.

    That of the most frequent value: the others are largest when it is the one that is left.
    """
    top = most_frequent(held, b + 1)
    left = held.size - top[:, 1:].sum(axis=1)
    found: NDArray[np.float64] = top[:, 0] / np.maximum(left, 1)
    return found
