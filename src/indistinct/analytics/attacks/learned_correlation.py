"""Learned correlation: what classes tell about each other (Kifer 2009, the deFinetti attack).

Random worlds treat every class for itself. But if tobacco and cancer meet in one class after the
other, the smoker of the next class is the likely one. A naive Bayes model of the sensitive value
given the quasi-identifiers is fitted by expectation and maximization; who has which value of a
class is what has to be guessed. Expectation shares people out among the values of their classes, so
that every class keeps its counts (the mean of permutations, approximated by proportional fitting);
maximization counts features by value, with one pseudo-record per value that looks like everybody.
In classes of two or three the approximation believes less than the mean of permutations would.

Who has only the release sees the same cells for everybody in a class. No model of these tells the
members of a class apart, so the best belief is that of random worlds; it is what the summary tells.
Beside stands, as figures:

* ``model_*``: the model that the published cells alone give, without looking at the person's class;
  it also tells about people who are not in the table;
* ``fitted_accuracy``: no model, but everybody's exact quasi-identifiers: where classes overlap,
  that a class is filled by others tells where somebody stands;
* ``exact_*``: the attack with the exact quasi-identifiers of all people (what Kifer assumes, and
  what an anatomized release publishes). Compare its accuracy, the share of people whose most likely
  value is the true one, with that of random worlds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.analytics.attacks.finding import (
    THRESHOLDS,
    Finding,
    Skipped,
    of_people,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.people_scene import (
    SURE,
    Mass,
    PeopleScene,
    expanded,
    massed,
    worst_of,
)
from indistinct.analytics.attacks.scene import Pool, Rows, Scene
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.microdata import sorted_values

NAME = "learned-correlation"
KNOWLEDGE = "only the release, of which all classes together are learnt from"
SOURCE = "Kifer (2009), section 3"

ROUNDS = 2
"""Rounds of expectation and maximization at most.

Further rounds make beliefs more extreme and, for attributes that depend on each other as those of
people do, no better: the model takes them for independent, and counts their evidence twice.
"""

SWEEPS = 3
"""Rounds of proportional fitting in each of them."""

LAST_SWEEPS = 20
PSEUDO = 1.0
STILL = 1e-4
"""Change of any learnt share that calls for another round."""

CELLS_AT_ONCE = 1 << 24

ALIKE = 1e-9
"""Beliefs that differ by less are equal."""


@dataclass(frozen=True)
class Shares(Rows):
    """Beliefs in some values per row, as compressed rows of value codes (rising) and shares."""

    share: NDArray[np.float64]

    @cached_property
    def row_of(self) -> NDArray[np.int64]:
        """The row of every entry."""
        return np.repeat(np.arange(len(self)), self.length)

    def of(
        self, rows: NDArray[np.int32], values: NDArray[np.int32], domain: int
    ) -> NDArray[np.float64]:
        """The belief in value ``values[i]``, a code below ``domain``, of row ``rows[i]``."""
        if not len(self.index):
            return np.zeros(len(rows))
        keys = self.row_of * domain + self.index
        wanted = rows.astype(np.int64) * domain + values
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[at] == wanted, self.share[at], 0.0)

    def hits(self, rows: NDArray[np.int32], belief: NDArray[np.float64]) -> NDArray[np.float64]:
        """How often a guess of the most likely value is right; ties are guessed blindly.

        Arguments:
            rows: the row of every person, [n].
            belief: the belief of that row in the person's true value, [n].
        """
        top = np.zeros(len(self))
        np.maximum.at(top, self.row_of, self.share)
        ties = np.bincount(self.row_of, self.share >= top[self.row_of] - ALIKE, minlength=len(self))
        return np.where(belief >= top[rows] - ALIKE, 1.0, 0.0) / np.maximum(ties[rows], 1)


def run(scene: Scene, sensitive: str | None, *, rounds: int = ROUNDS) -> Finding | Skipped:
    """Learn from all classes what each person's value is.

    Arguments:
        scene: what the attacker is given.
        sensitive: the attribute it learns.
        rounds: of expectation and maximization at most.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    if not scene.records or not scene.people.height:
        return Skipped(NAME, "nothing is published that could be learnt from", sensitive)
    before, worlds = scene.true_prior(sensitive), scene.true_belief(sensitive)
    prior = scene.prior(sensitive)
    unmet = np.isclose(before, prior.max()) / np.isclose(prior, prior.max()).sum()
    rows, truth, domain = scene.combination_of, scene.truth(sensitive), len(prior)

    def accuracy(shares: Shares, belief: NDArray[np.float64]) -> float:
        return float(np.where(scene.found, shares.hits(rows, belief), unmet).mean())

    learnt_shares = learnt(scene, sensitive, rounds)
    belief = np.where(scene.found, learnt_shares.of(rows, truth, domain), before)
    blind = accuracy(random_worlds(scene, sensitive), worlds)
    exact = accuracy(learnt_shares, belief)
    fitted_shares = learnt(scene, sensitive, 0)
    fitted = accuracy(fitted_shares, fitted_shares.of(rows, truth, domain))
    held = scene.held(sensitive)
    top = np.zeros(len(held))
    np.maximum.at(top, held.row_of, held.count / held.size[held.row_of] - prior[held.index])
    return summarize(
        scene,
        sensitive,
        worlds,
        before,
        scene.found & (scene.true_count(sensitive) == scene.crowd_size[scene.crowd_of]),
        name=NAME,
        knowledge=KNOWLEDGE,
        figures={
            "accuracy": blind,
            "random_worlds_accuracy": blind,
            "prior_accuracy": float(unmet.mean()),
            "model_accuracy": float(np.where(scene.found, model(scene, sensitive), unmet).mean()),
            "fitted_accuracy": fitted,
            "exact_accuracy": exact,
            "exact_accuracy_gain": exact - blind,
            **{f"exact_{at}": float(np.mean(belief >= at - 1e-12)) for at in THRESHOLDS},
            "exact_gain_mean": float((belief - before).mean()),
            "exact_belief_gain": float((belief - worlds).mean()),
        },
        worst=worst_class(scene, top, gain=top),
        note=(
            f"Counting the own class finds the {sensitive} of {of_people(blind)}. Who also knows "
            f"everybody's exact quasi-identifiers, and learns from all classes: of "
            f"{of_people(exact)}."
        ),
    )


def run_people(
    scene: PeopleScene, sensitive: str | None, *, rounds: int = ROUNDS
) -> Finding | Skipped:
    """Learn from all buckets which of their rows has which value.

    Linked tables tell more than classes: the rows of a bucket have different cells, and one each of
    its values. So here who has only the release learns, most of all where the quasi-identifiers are
    published as they are (anatomy).

    Arguments:
        scene: what the attacker is given.
        sensitive: the attribute it learns.
        rounds: of expectation and maximization at most.
    """
    if sensitive is None:
        return Skipped(NAME, "no attribute is sensitive")
    if scene.holding != "one":
        return Skipped(
            NAME, "no bucket has one value for each of its people, to be dealt out", sensitive
        )
    if not (scene.records and scene.people.height and scene.labels(sensitive)):
        return Skipped(NAME, "nothing is published that could be learnt from", sensitive)
    linked, domain = scene.class_buckets, len(scene.labels(sensitive))
    shares = learnt_of_buckets(scene, sensitive, rounds)
    says = scene.implied(sensitive)
    entry, at = expanded(says, shares.index)
    pair = shares.row_of[entry]
    held = massed(
        linked.row_of[pair],
        says.index[at],
        linked.count[pair] * shares.share[entry],
        len(scene.classes),
        domain,
    )
    worlds = scene.spread(sensitive)
    learnt_spread = scene.over_classes(worlds.shares, held, domain)
    own, before = scene.own(sensitive), scene.true_prior(sensitive)
    amount = learnt_spread.pooled.of(scene.crowd_of[own.person], own.label, domain)
    believed = amount / np.maximum(scene.rows_of[own.person], 1)
    belief = np.where(scene.found, own.best(believed), before)

    def accuracy(pooled: Mass) -> float:
        """The share of people of whom the likeliest label is true; ties are guessed blindly."""
        top = pooled.largest
        tied = pooled.amount >= top[pooled.row_of] - ALIKE
        ties = np.bincount(pooled.row_of, tied, minlength=len(pooled))
        crowd = scene.crowd_of[own.person]
        hit = pooled.of(crowd, own.label, domain) >= np.maximum(top[crowd] - ALIKE, ALIKE)
        right = np.bincount(own.person, hit, minlength=len(before)) / np.maximum(
            ties[scene.crowd_of], 1
        )
        return float(np.where(scene.found, np.minimum(right, 1.0), guess).mean())

    most = worlds.prior >= worlds.prior.max() - ALIKE
    guess = np.bincount(own.person, most[own.label], minlength=len(before)) / most.sum()
    blind, exact = accuracy(worlds.pooled), accuracy(learnt_spread.pooled)
    gained = held.amount - worlds.held.of(held.row_of, held.index, domain)
    top = np.zeros(len(held))
    np.maximum.at(top, held.row_of, gained / scene.classes.size[held.row_of])
    return summarize(
        scene,
        sensitive,
        belief,
        before,
        scene.found & (belief >= 1 - SURE),
        name=NAME,
        knowledge=KNOWLEDGE.replace("classes", "buckets"),
        figures={
            "accuracy": exact,
            "random_worlds_accuracy": blind,
            "accuracy_gain": exact - blind,
            "prior_accuracy": float(guess.mean()),
            "belief_gain": float((belief - scene.true_belief(sensitive)).mean()),
        },
        worst=worst_of(scene, top, gain=top),
        note=(
            f"Counting the own buckets finds a value of {sensitive} of {of_people(blind)}. Who "
            f"learns from all buckets which cells go with which value: of {of_people(exact)}."
        ),
    )


def random_worlds(scene: Scene, sensitive: str) -> Shares:
    """The share of each value among the compatible classes, for every combination."""
    pool, crowd = scene.pooled(sensitive), scene.crowd_of_combination
    length = pool.length[crowd]
    indptr = np.zeros(len(crowd) + 1, np.int64)
    np.cumsum(length, out=indptr[1:])
    at = np.arange(indptr[-1]) + np.repeat(pool.indptr[crowd] - indptr[:-1], length)
    share = pool.count / np.maximum(scene.crowd_size, 1)[pool.row_of]
    return Shares(indptr, pool.index[at], share[at])


def learnt(scene: Scene, sensitive: str, rounds: int = ROUNDS) -> Shares:
    """Belief in each value of the compatible classes, for every combination of exact values.

    Arguments:
        scene: people and release.
        sensitive: the attribute that is learnt.
        rounds: of expectation and maximization at most.
    """
    combinations = (scene.combinations[name] for name in scene.quasi)
    return _fitted(
        _features(combinations),
        scene.weight,
        scene.compatible,
        scene.held(sensitive),
        random_worlds(scene, sensitive),
        len(scene.domain(sensitive)),
        rounds,
    )


def learnt_of_buckets(scene: PeopleScene, sensitive: str, rounds: int = ROUNDS) -> Shares:
    """Belief in each value of the bucket, for every pair of a class and a bucket linked to it.

    The pairs are those of :attr:`PeopleScene.class_buckets`.
    """
    linked, part = scene.class_buckets, scene.buckets[sensitive]
    cells = scene.classes.cells[linked.row_of]
    pairs = len(linked.index)
    length = part.length[linked.index]
    indptr = np.zeros(pairs + 1, np.int64)
    np.cumsum(length, out=indptr[1:])
    at = np.arange(indptr[-1]) + np.repeat(part.indptr[linked.index] - indptr[:-1], length)
    share = part.count / np.maximum(part.size, 1)[part.row_of]
    worlds = Shares(indptr, part.index[at], share[at])
    return _fitted(
        _features(cells[name] for name in scene.quasi),
        linked.count,
        Rows(np.arange(pairs + 1, dtype=np.int64), linked.index),
        part,
        worlds,
        len(part.labels),
        rounds,
    )


def _fitted(
    features: tuple[NDArray[np.int32], NDArray[np.int64], list[int]],
    weight: NDArray[np.int64],
    met: Rows,
    held: Pool,
    worlds: Shares,
    domain: int,
    rounds: int,
) -> Shares:
    """Belief in each value that combinations could have, by a model fitted to all of them.

    Arguments:
        features: the codes of every combination [C, J], and where those of each feature start.
        weight: people of each combination, [C].
        met: the places where each combination could be: classes, or buckets.
        held: the values of each place.
        worlds: the values of each combination, as in random worlds.
        domain: number of values.
        rounds: of expectation and maximization at most.
    """
    from indistinct.kernels.proportional_fitting import share_out

    codes, start, sizes = features
    of_feature = np.repeat(np.arange(len(sizes)), sizes)
    everybody = np.zeros(sum(sizes))
    np.add.at(everybody, start + codes, weight[:, None])
    everybody /= max(int(weight.sum()), 1)

    table, counted = np.zeros((sum(sizes), domain)), np.zeros((sum(sizes), domain))
    scale = held.count.astype(np.float64)
    filled = np.empty(len(scale))
    scratch = np.empty(domain), np.empty(domain, np.int64), np.empty(domain, np.int32)
    nothing, none = np.zeros((0, domain)), np.zeros(0)

    def sweep(count: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        share_out(
            codes, start, table, weight, met.indptr, met.index, held.indptr, held.index, scale,
            *scratch, filled, count, worlds.indptr, worlds.index, out,
        )  # fmt: skip

    def fit(sweeps: int) -> None:
        for _ in range(sweeps):
            sweep(nothing, none)
            scale[:] *= np.divide(held.count, filled, out=np.ones_like(filled), where=filled > 0)

    for _ in range(rounds):
        fit(SWEEPS)
        sweep(counted, none)
        sums = np.zeros((len(sizes), domain))
        np.add.at(sums, of_feature, counted)
        shares = (counted + PSEUDO * everybody[:, None]) / (sums[of_feature] + PSEUDO)
        change = np.abs(shares - np.exp(table)).max(initial=0.0)
        table[:] = np.log(shares)
        if change < STILL:
            break
    fit(LAST_SWEEPS)
    out = np.zeros(len(worlds.index))
    sweep(nothing, out)
    return Shares(worlds.indptr, worlds.index, out)


def model(scene: Scene, sensitive: str) -> NDArray[np.float64]:
    """How often a naive Bayes model of the published cells guesses each person's value, [n].

    It is asked for the cells of the compatible classes, weighted by their records, and not told
    which values these classes have.
    """
    held, domain = scene.held(sensitive), len(scene.domain(sensitive))
    codes, start, sizes = _features(scene.classes.cells[name] for name in scene.quasi)
    size = scene.classes.size
    everybody = np.zeros(sum(sizes))
    np.add.at(everybody, start + codes, size[:, None])
    everybody /= scene.records
    counted = np.zeros((sum(sizes), domain))
    for j in range(len(sizes)):
        np.add.at(counted, (start[j] + codes[held.row_of, j], held.index), held.count)
    total = np.bincount(held.index, held.count, minlength=domain)
    table = np.log((counted + PSEUDO * everybody[:, None]) / (total + PSEUDO))
    known = np.log(np.maximum(scene.prior(sensitive), np.finfo(np.float64).tiny))
    crowds, truth, crowd_of = scene.crowds, scene.truth(sensitive), scene.crowd_of
    right = np.zeros(len(crowd_of))
    people = np.argsort(crowd_of, kind="stable")
    bounds = np.searchsorted(crowd_of[people], np.arange(len(crowds) + 1))
    every = np.empty((len(size), domain)) if len(size) * domain <= CELLS_AT_ONCE else None

    def scores(classes: NDArray[np.int32]) -> NDArray[np.float64]:
        score = known + sum(table[start[j] + codes[classes, j]] for j in range(len(sizes)))
        score = np.exp(score - score.max(axis=1, keepdims=True))
        found: NDArray[np.float64] = score / score.sum(axis=1, keepdims=True)
        return found

    if every is not None:
        every[:] = scores(np.arange(len(size), dtype=np.int32))
    for q in range(len(crowds)):
        own = crowds[q]
        if not len(own):
            continue
        belief = size[own] @ (scores(own) if every is None else every[own])
        belief /= size[own].sum()
        top = belief >= belief.max() - ALIKE
        members = people[bounds[q] : bounds[q + 1]]
        right[members] = top[truth[members]] / top.sum()
    return right


def _features(
    columns: Iterable[pl.Series],
) -> tuple[NDArray[np.int32], NDArray[np.int64], list[int]]:
    """Columns as codes [rows, J], where the codes of each start among all of them, how many."""
    coded, sizes = [], []
    for column in columns:
        labels = sorted_values(column)
        coded.append(codes_in(column, labels))
        sizes.append(len(labels))
    start = np.cumsum([0, *sizes])[:-1].astype(np.int64)
    return np.ascontiguousarray(np.stack(coded, axis=1)), start, sizes
