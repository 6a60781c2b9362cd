"""Noise stripping: which records of a class were made up, and what is left without them?

An algorithm that adds noise to classes of k records until they are diverse enough gives the noise
away: it has values that its class did not have, so they occur there once, and without it the class
was not diverse enough. A removal is *consistent* if

* all removed values occur once in the class,
* at least k records are left,
* the class broke what is promised about its values (theta-sensitivity, a bound on the largest
  posterior) as long as one of the removed records was still missing, since noise is added until
  that holds.

Of s records with n_1 values that occur once, a removal of r of them leaves a belief of
n_s / (s - r) in a value s that stays. In the worst case the true value stays and as many others
leave as can. Whether a class had exactly k records before is not known in general; what an attacker
concludes who knows it has figures of its own (``exact``), so has the average over all removals.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from indistinct.analytics.attacks.finding import CERTAIN, Finding, Skipped, of_people, summarize
from indistinct.analytics.attacks.people_scene import SURE, Lists, Mass, PeopleScene, worst_of
from indistinct.analytics.attacks.removal import of_true_values, stripped
from indistinct.analytics.attacks.scene import Pool, Scene, sums
from indistinct.privacy.rank_variance import falls_short, rank_variance, theta, thresholds

NAME = "noise-stripping"
KNOWLEDGE = (
    "what membership knows, k, and that noise has values which its class did not have before"
)
SOURCE = "after Khan and others (2020), Algorithm 1, lines 36 to 48, read as an attacker would"

Broken = Callable[[NDArray[np.int64]], NDArray[np.bool_]]
"""Which classes, given as rows of falling counts, noise would still be added to."""


def run(
    scene: Scene, sensitive: str | None, *, k: int | None = None, anyway: bool = False
) -> Finding | Skipped:
    """Take out of every class whatever may be noise.

    Arguments:
        scene: what the attacker is given.
        sensitive: the attribute it learns.
        k: records that a class has at least without noise; without, the largest promised k.
        anyway: go on where nothing says that the release may contain noise.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    if "noise" not in scene.may_contain and not anyway:
        return Skipped(NAME, "nothing says that the release may contain noise", sensitive)
    k = k or scene.k
    if k is None:
        return Skipped(NAME, "no k is promised that classes have without noise", sensitive)
    held, size = scene.held(sensitive), scene.classes.size
    once = held.count == 1
    singles = np.bincount(held.row_of[once], minlength=len(size)).astype(np.int64)
    most = removable(held, singles, k, condition(scene, sensitive))
    row = held.row_of
    own = np.minimum(most[row], singles[row] - once)
    exact, exact_certain = _exactly(scene, sensitive, once, singles, np.maximum(size - k, 0), most)
    return stripped(
        scene,
        sensitive,
        name=NAME,
        knowledge=KNOWLEDGE,
        left=size - most,
        own_left=size[row] - own,
        average=_average(held, once, singles, most),
        most=most,
        figures={"k": k, "exact_belief": exact, "exact_certain": exact_certain},
        what="noise",
    )


def run_people(
    scene: PeopleScene, sensitive: str | None, *, k: int | None = None, anyway: bool = False
) -> Finding | Skipped:
    """Take out of every bucket whatever may be noise.

    A made-up person has a row in the quasi table, too. Nobody can tell which of a bucket's rows it
    is, so each of them is real with the share of people that are left of the bucket. In the worst
    case the true value stays and as many others leave as can. Who also knows somebody's bucket
    learns more: of that the figures ``bucket_*`` tell.

    Arguments:
        scene: what the attacker is given.
        sensitive: the attribute it learns.
        k: people that a bucket has at least without noise; without, the largest promised k.
        anyway: go on where nothing says that the release may contain noise.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    if "noise" not in scene.may_contain and not anyway:
        return Skipped(NAME, "nothing says that the release may contain noise", sensitive)
    if scene.holding != "one":
        return Skipped(
            NAME,
            "people have several values, and no single one of them is noise",
            sensitive,
        )
    if scene.lists_sets(sensitive):
        return Skipped(NAME, "sets of values are listed, and noise has one value", sensitive)
    k = k or scene.k
    if k is None:
        return Skipped(NAME, "no k is promised that buckets have without noise", sensitive)
    held = scene.buckets[sensitive]
    most = removable_of_buckets(scene, sensitive, k)
    once = held.count == 1
    singles = np.bincount(held.row_of[once], minlength=len(held)).astype(np.int64)
    row, people = held.row_of, np.maximum(held.size, 1)
    own_left = held.size[row] - np.minimum(most[row], singles[row] - once)
    left = held.size - most
    believed = _over_buckets(scene, sensitive, left / people, own_left / people[row])
    own, before = scene.own(sensitive), scene.true_prior(sensitive)
    belief = np.where(scene.found, own.best(believed), before)
    in_bucket = held.count / np.maximum(own_left, 1)
    sure = in_bucket >= 1 - SURE
    known = np.zeros(len(held), np.bool_)
    known[row[sure]] = True
    was = np.zeros(len(held), np.bool_)
    was[row[held.count == held.size[row]]] = True
    linked = scene.class_buckets
    open_rows = np.bincount(
        linked.row_of, linked.count * (most > 0)[linked.index], minlength=len(scene.classes)
    )
    found = summarize(
        scene,
        sensitive,
        belief,
        before,
        scene.found & (belief >= 1 - SURE),
        name=NAME,
        knowledge=KNOWLEDGE,
        figures={
            "k": k,
            "largest_belief": float(in_bucket.max(initial=0.0)),
            "unstripped_belief": float(scene.true_belief(sensitive).mean())
            if len(before)
            else None,
            "open_buckets": int((most > 0).sum()),
            "open_people": int(scene.size_of[most > 0].sum()),
            "removable": int(most.sum()),
            "bucket_certain": int(known.sum()),
            "bucket_certain_people": int(left[known].sum()),
            "bucket_certain_before": int(was.sum()),
        },
        worst=worst_of(scene, open_rows.astype(np.float64), open_people=open_rows.astype(np.int64))
        if open_rows.any()
        else {},
    )
    note = (
        f"{int((most > 0).sum()):,} of {len(held):,} buckets could hold noise. Who strips them is "
        f"certain of the {sensitive} of {of_people(found.success[CERTAIN])} in the worst case; who "
        f"also knows the bucket, of {int(left[known].sum()):,} people."
    )
    return Finding(**{**vars(found), "note": note})


def removable_of_buckets(scene: PeopleScene, sensitive: str, k: int) -> NDArray[np.int64]:
    """How many people a consistent removal takes out of each bucket at most, [B]."""
    held: Lists = scene.buckets[sensitive]
    singles = np.bincount(held.row_of[held.count == 1], minlength=len(held)).astype(np.int64)
    return removable(held, singles, k, condition(scene, sensitive))


def _over_buckets(
    scene: PeopleScene,
    sensitive: str,
    real: NDArray[np.float64],
    own_real: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Belief in every label that is true of somebody, by the pairs of :class:`Own`.

    Arguments:
        scene: what the attacker is given.
        sensitive: the attribute.
        real: the share of each bucket's rows that are left, [B].
        own_real: the share that is left where an entry's value is kept whole, [entries].
    """
    held, linked = scene.buckets[sensitive], scene.crowd_buckets
    crowd = scene.crowd_of[scene.own(sensitive).person]
    base = np.bincount(linked.row_of, linked.count * real[linked.index], minlength=len(linked))
    share = Mass(held.indptr, held.index, held.count / np.maximum(held.size, 1)[held.row_of])
    kept = Mass(held.indptr, held.index, own_real - real[held.row_of])
    had, _ = scene.over_own(sensitive, linked, linked.count, share)
    rows = base[crowd] + scene.over_own(sensitive, linked, linked.count, kept)[0]
    found: NDArray[np.float64] = np.divide(had, rows, out=np.zeros(len(rows)), where=rows > 0)
    return found


def noise_strip(counts: NDArray[np.int64], k: int, broken: Broken | None = None) -> float:
    """The largest belief in a value of one class after any consistent removal.

    Arguments:
        counts: how often each value occurs in the class.
        k: records that it had at least without noise.
        broken: whether noise is added to classes with these counts; any, where not given.

    >>> noise_strip(np.array([2, 1]), k=2), noise_strip(np.array([1, 2, 1, 1]), k=4)
    (1.0, 0.5)
    """
    held = np.flatnonzero(counts)
    pool = Pool(np.array([0, len(held)]), held.astype(np.int32), counts[held].astype(np.int64))
    once = pool.count == 1
    singles = np.array([once.sum()])
    most = removable(pool, singles, k, broken)
    left = pool.size - np.minimum(most, singles - once)
    return float((pool.count / left).max(initial=0.0))


def condition(scene: Scene | PeopleScene, sensitive: str) -> Broken | None:
    """When noise is added, as far as the promises tell; None where they do not.

    Where several attributes have a variance to reach, noise may be there for the sake of another
    one, and nothing follows from this one.
    """
    about = [p for p in scene.promises if p.model in ("theta-sensitive", "max-posterior")]
    mine = [p for p in about if p.sensitive == sensitive]
    if not any(p.model == "theta-sensitive" for p in mine) or len(mine) < len(about):
        return None
    variances = [p.parameters for p in mine if p.model == "theta-sensitive"]
    bounds = [float(p.parameters.get("bound", 0.5)) for p in mine if p.model == "max-posterior"]

    def broken(falling: NDArray[np.int64]) -> NDArray[np.bool_]:
        size = falling.sum(axis=1)
        own = rank_variance(falling)
        found = np.zeros(len(falling), np.bool_)
        for asked in variances:
            mu = float(asked.get("mu", 0.6))
            by_size = asked.get("theta") == "size" or "k" not in asked
            found |= falls_short(own, thresholds(size, mu) if by_size else theta(asked["k"], mu))
        for bound in bounds:
            found |= falling.max(axis=1, initial=0) > bound * (1 + 1e-12) * size
        return found

    return broken


def removable(
    held: Pool, singles: NDArray[np.int64], k: int, broken: Broken | None
) -> NDArray[np.int64]:
    """How many records a consistent removal takes out of each class at most, [G].

    Which values occurring once are removed does not matter to the promises, only how many. Every
    state on the way, with one record or more still to be added, has to be one that noise is added
    to.
    """
    most = np.minimum(singles, np.maximum(held.size - k, 0))
    if broken is None or not most.any():
        return most
    which = np.flatnonzero(most)
    falling = _falling(held, which)
    last = np.count_nonzero(falling, axis=1)
    allowed = np.zeros(len(which), np.int64)
    going = np.ones(len(which), np.bool_)
    for step in range(1, int(most.max()) + 1):
        going &= most[which] >= step
        if not going.any():
            break
        falling[going, last[going] - step] = 0
        going[going] = broken(falling[going])
        allowed[going] = step
    most[which] = allowed
    return most


def _falling(held: Pool, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The counts of some rows, falling, padded with zeros."""
    found = np.zeros((len(rows), int(held.length[rows].max(initial=1))), np.int64)
    number = np.full(len(held), -1)
    number[rows] = np.arange(len(rows))
    place = np.arange(len(held.index)) - held.indptr[held.row_of]
    inside = number[held.row_of] >= 0
    found[number[held.row_of[inside]], place[inside]] = held.count[inside]
    return -np.sort(-found, axis=1)


def _average(
    held: Pool, once: NDArray[np.bool_], singles: NDArray[np.int64], most: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Belief in each entry's value, on average over how many are removed, and which of them."""
    row = held.row_of
    total = np.zeros(len(row))
    for r in range(int(most.max(initial=0)) + 1):
        inside = most[row] >= r
        stays = np.where(once, 1 - r / np.maximum(singles[row], 1), 1.0)
        left = np.maximum(held.size[row] - r, 1)
        total += np.where(inside, stays * held.count / left, 0.0)
    found: NDArray[np.float64] = total / (most[row] + 1)
    return found


def _exactly(
    scene: Scene,
    sensitive: str,
    once: NDArray[np.bool_],
    singles: NDArray[np.int64],
    more: NDArray[np.int64],
    most: NDArray[np.int64],
) -> tuple[float | None, float | None]:
    """Mean belief, and share known for certain, of who knows that classes had exactly k records.

    Classes with more records beyond k than can be noise contradict that, and are left as they are.
    """
    if not scene.people.height:
        return None, None
    held, row = scene.held(sensitive), scene.held(sensitive).row_of
    taken = np.where(more <= most, more, 0)
    stays = np.where(once, 1 - taken[row] / np.maximum(singles[row], 1), 1.0)
    expected: NDArray[np.float64] = (stays * held.count).astype(np.float64)
    left = (scene.classes.size - taken)[scene.crowds.index]
    total = sums(left, scene.crowds.indptr)[scene.crowd_of]
    share = of_true_values(scene, sensitive, expected) / np.maximum(total, 1)
    belief = np.where(scene.found, share, scene.true_prior(sensitive))
    return float(belief.mean()), float((scene.found & (share >= 1 - 1e-12)).mean())
