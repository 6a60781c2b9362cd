"""Learned correlation: what classes tell about each other (Kifer 2009, the deFinetti attack).

Random worlds treat every class for itself. But if tobacco and cancer meet in one class after the
other, the smoker of the next class is the likely one. A naive Bayes model of the sensitive value
given the quasi-identifiers is fitted by expectation and maximization; who has which value of a
class is what has to be guessed. Expectation shares people out among the values of their classes, so
that every class keeps its counts (the mean of permutations, approximated by proportional fitting);
maximization counts features by value, with one pseudo-record per value that looks like everybody.
In classes of two or three the approximation believes less than the mean of permutations would.

Who has only a release of one table sees the same cells for everybody in a class. No model of these
tells the members of a class apart, so the best belief is that of random worlds; it is what the
summary tells. Linked tables tell more: the rows of a bucket have different cells, and one each of
its values. So there who has only the release learns, most of all where the quasi-identifiers are
published as they are (anatomy). Beside stands of a release of one table, as figures:

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

import numpy as np
import polars as pl
from numpy.typing import NDArray

from indistinct.analytics.attacks.context import AttackContext
from indistinct.analytics.attacks.finding import (
    THRESHOLDS,
    Finding,
    Skipped,
    of_people,
    share_of,
    summarize,
    worst_class,
)
from indistinct.analytics.attacks.remedies import bounded_belief
from indistinct.analytics.weighted import Rows, Weighted, expanded, gathered
from indistinct.kernels.proportional_fitting import make_likely, share_out
from indistinct.microdata.encoding import codes_in
from indistinct.microdata.microdata import sorted_values

NAME = "learned-correlation"
KIND = "attribute"
PLACE = 180
KNOWLEDGE = "the release alone, and learns from all its classes together"
SOURCE = "Kifer (2009), section 3"
REMEDY = bounded_belief

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
"""Most cells (classes or sets, times values) that are kept."""

CELLS_TOGETHER = 1 << 20
"""Most of them that are worked out at once."""

ALIKE = 1e-9
"""Beliefs that differ by less are equal."""


def run(context: AttackContext, sensitive: str, *, rounds: int = ROUNDS) -> Finding | Skipped:
    """Learn from all classes or buckets what each person's value is.

    Arguments:
        context: what the attacker is given.
        sensitive: the attribute it learns.
        rounds: of expectation and maximization at most.
    """
    why = _nothing_to_learn(context, sensitive)
    if why is not None:
        return Skipped(NAME, why, sensitive)
    worlds, before = context.spread(sensitive), context.true_prior(sensitive)
    blind = accuracy(context, sensitive, worlds.pooled)
    figures: dict[str, float | int | None] = {
        "accuracy": blind,
        "random_worlds_accuracy": blind,
        "prior_accuracy": float(_guess(context, sensitive).mean()),
    }
    held, base = worlds.held, context.true_belief(sensitive)
    if context.linked:
        belief, held, exact = _from_buckets(context, sensitive, rounds)
        figures |= {
            "accuracy": exact,
            "accuracy_gain": exact - blind,
            "belief_gain": float((belief - base).mean()),
        }
        usual = worlds.held.of(held.row_of, held.index, len(worlds.prior))
        top = held.largest_of((held.amount - usual) / context.classes.size[held.row_of])
        knowledge = KNOWLEDGE.replace("classes", "buckets")
        note = (
            f"Counting the own buckets finds a value of {sensitive} of {of_people(blind)}. "
            "Learning from all buckets which cells go with which value: of "
            f"{of_people(exact)}."
        )
    else:
        belief, more = base, _with_exact_values(context, sensitive, rounds, blind)
        figures |= more
        share = held.amount / context.classes.size[held.row_of]
        top = held.largest_of(share - worlds.prior[held.index])
        knowledge = KNOWLEDGE
        note = (
            f"Counting the own class finds the {sensitive} of {of_people(blind)}. Learning "
            "from all classes with everybody's exact quasi-identifiers: of "
            f"{of_people(more['exact_accuracy'])}."
        )
    return summarize(
        context,
        sensitive,
        belief,
        before,
        knowledge=knowledge,
        figures=figures,
        worst=worst_class(context, top, gain=top),
        note=note,
    )


def _nothing_to_learn(context: AttackContext, sensitive: str) -> str | None:
    """Why there is nothing to go on, where there is not."""
    if context.bucket_semantics != "one":
        return "no bucket has one value for each of its people, to be dealt out"
    if not (context.records and context.people.height and context.labels(sensitive)):
        return "nothing is published that could be learnt from"
    if context.one_record_each and context.lists_sets(sensitive):
        return "sets of values are published, which are not covered"
    return None


def _guess(context: AttackContext, sensitive: str) -> NDArray[np.float64]:
    """How often the most frequent value of the release is right, [n]."""
    own, prior = context.own(sensitive), context.spread(sensitive).prior
    most = prior >= prior.max() - ALIKE
    right = np.bincount(own.person, most[own.label], minlength=context.people.height)
    return np.asarray(right / most.sum(), np.float64)


def accuracy(context: AttackContext, sensitive: str, pooled: Weighted) -> float:
    """The share of people of whom the likeliest label is true; ties are guessed blindly.

    Arguments:
        context: people and release.
        sensitive: the attribute.
        pooled: how likely labels are, by candidate sets, [K].
    """
    own, candidates = context.own(sensitive), context.set_of
    top = pooled.largest
    tied = pooled.amount >= top[pooled.row_of] - ALIKE
    ties = np.bincount(pooled.row_of, tied, minlength=len(pooled))
    amount = pooled.of(candidates[own.person], own.label, len(context.labels(sensitive)))
    hit = amount >= np.maximum(top[candidates[own.person]] - ALIKE, ALIKE)
    hits = np.bincount(own.person, hit, minlength=len(candidates))
    right = np.minimum(hits / np.maximum(ties[candidates], 1), 1.0)
    return float(np.where(context.found, right, _guess(context, sensitive)).mean())


def _from_buckets(
    context: AttackContext, sensitive: str, rounds: int
) -> tuple[NDArray[np.float64], Weighted, float]:
    """What is learnt from buckets: belief in the truth [n], in labels by class [G], accuracy.

    Arguments:
        context: people and release.
        sensitive: the attribute.
        rounds: of expectation and maximization at most.
    """
    linked, domain = context.class_buckets, len(context.labels(sensitive))
    shares, says = learnt_of_buckets(context, sensitive, rounds), context.implied(sensitive)
    entry, at = expanded(says, shares.index)
    pair = shares.row_of[entry]
    held = gathered(
        linked.row_of[pair],
        says.index[at],
        linked.amount[pair] * shares.amount[entry],
        len(context.classes),
        domain,
    )
    pooled = context.over_classes(context.spread(sensitive).shares, held, domain).pooled
    own = context.own(sensitive)
    amount = pooled.of(context.set_of[own.person], own.label, domain)
    believed = own.best(amount / np.maximum(context.places.rows_of[own.person], 1))
    belief = np.where(context.found, believed, context.true_prior(sensitive))
    return belief, held, accuracy(context, sensitive, pooled)


def _with_exact_values(
    context: AttackContext, sensitive: str, rounds: int, blind: float
) -> dict[str, float]:
    """What models tell beside the own class, the published cells' and that of the exact values.

    Arguments:
        context: people and release.
        sensitive: the attribute.
        rounds: of expectation and maximization at most.
        blind: the accuracy of random worlds.
    """
    unmet, rows = _guess(context, sensitive), context.places.combination_of
    truth, domain = context.true_label(sensitive), len(context.labels(sensitive))

    def of_truth(shares: Weighted) -> NDArray[np.float64]:
        share = shares.of(rows, np.maximum(truth, 0), domain)
        return np.where(truth >= 0, share, 0.0)

    def accurate(shares: Weighted) -> float:
        """The share of people of whom the likeliest value is true."""
        top = shares.largest
        tied = shares.amount >= top[shares.row_of] - ALIKE
        ties = np.bincount(shares.row_of, tied, minlength=len(shares))
        right = (of_truth(shares) >= top[rows] - ALIKE) / np.maximum(ties[rows], 1)
        return share_of(np.where(context.found, right, unmet))

    learnt_shares = learnt(context, sensitive, rounds)
    before, worlds = context.true_prior(sensitive), context.true_belief(sensitive)
    belief = np.where(context.found, of_truth(learnt_shares), before)
    exact = accurate(learnt_shares)
    return {
        "model_accuracy": share_of(np.where(context.found, model(context, sensitive), unmet)),
        "fitted_accuracy": accurate(learnt(context, sensitive, 0)),
        "exact_accuracy": exact,
        "exact_accuracy_gain": exact - blind,
        **{f"exact_{at}": share_of(belief >= at - 1e-12) for at in THRESHOLDS},
        "exact_gain_mean": share_of(belief - before),
        "exact_belief_gain": share_of(belief - worlds),
    }


def random_worlds(context: AttackContext, sensitive: str) -> Weighted:
    """The share of each value among the compatible classes, for every combination."""
    places, pool = context.places, context.spread(sensitive).pooled
    share = pool.amount / np.maximum(places.set_size, 1)[pool.row_of]
    return _selected(pool, places.set_of_combination, share)


def _selected(rows: Rows, chosen: NDArray[np.int32], share: NDArray[np.float64]) -> Weighted:
    """Some rows one after the other, with the shares of their entries."""
    _, at = expanded(rows, chosen)
    indptr = np.zeros(len(chosen) + 1, np.int64)
    np.cumsum(rows.length[chosen], out=indptr[1:])
    return Weighted(indptr, rows.index[at], share[at])


def learnt(context: AttackContext, sensitive: str, rounds: int = ROUNDS) -> Weighted:
    """Belief in each value of the compatible classes, for every combination of exact values.

    Arguments:
        context: people and a release in which every record is of another person.
        sensitive: the attribute that is learnt.
        rounds: of expectation and maximization at most.
    """
    places = context.places
    guess = _Guess(
        places.weight,
        places.compatible,
        context.buckets[sensitive],
        random_worlds(context, sensitive),
        len(context.labels(sensitive)),
    )
    features = _features(places.combinations[name] for name in places.quasi)
    return _fitted(features, guess, rounds)


def learnt_of_buckets(context: AttackContext, sensitive: str, rounds: int = ROUNDS) -> Weighted:
    """Belief in each entry of the bucket, for every pair of a class and a bucket linked to it.

    The pairs are those of :attr:`AttackContext.class_buckets`.

    Arguments:
        context: people and linked tables.
        sensitive: the attribute that is learnt.
        rounds: of expectation and maximization at most.
    """
    linked, part = context.class_buckets, context.buckets[sensitive]
    cells = context.classes.cells[linked.row_of]
    share = part.amount / np.maximum(part.size, 1)[part.row_of]
    guess = _Guess(
        linked.amount,
        Rows(np.arange(len(linked.index) + 1, dtype=np.int64), linked.index),
        part,
        _selected(part, linked.index, share),
        len(part.labels),
    )
    return _fitted(_features(cells[name] for name in context.quasi), guess, rounds)


@dataclass(frozen=True)
class _Guess:
    """What has to be guessed: which values of the places that they could be in people have.

    Arguments:
        weight: people of each combination, [C].
        met: the places where each combination could be: classes, or buckets.
        held: the values of each place.
        worlds: the values of each combination, as in random worlds.
        domain: number of values.
    """

    weight: NDArray[np.int64]
    met: Rows
    held: Weighted
    worlds: Weighted
    domain: int


def _fitted(
    features: tuple[NDArray[np.int32], NDArray[np.int64], list[int]], guess: _Guess, rounds: int
) -> Weighted:
    """Belief in each value that combinations could have, by a model fitted to all of them.

    Arguments:
        features: the codes of every combination [C, J], and where those of each feature start.
        guess: what has to be guessed.
        rounds: of expectation and maximization at most.
    """
    weight, met, held, worlds = guess.weight, guess.met, guess.held, guess.worlds
    domain = guess.domain
    codes, start, sizes = features
    of_feature = np.repeat(np.arange(len(sizes)), sizes)
    everybody = np.zeros(sum(sizes))
    np.add.at(everybody, start + codes, weight[:, None])
    everybody /= max(int(weight.sum()), 1)

    table, counted = np.zeros((sum(sizes), domain)), np.zeros((sum(sizes), domain))
    scale = held.amount.astype(np.float64)
    filled = np.empty(len(scale))
    own, stamp = np.empty(domain), np.empty(domain, np.int64)
    nothing, none, begin = np.zeros((0, domain)), np.zeros(0), np.zeros(len(weight) + 1, np.int64)
    could = met.indptr, met.index, held.indptr, held.index
    make_likely(codes, start, table, *could, stamp, begin, none)
    likely = np.empty(begin[-1])

    def sweep(count: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        share_out(
            codes, start, weight, *could, scale, begin, likely, own, stamp, filled, count,
            worlds.indptr, worlds.index, out,
        )  # fmt: skip

    def fit(sweeps: int) -> None:
        make_likely(codes, start, table, *could, stamp, begin, likely)
        for _ in range(sweeps):
            sweep(nothing, none)
            scale[:] *= np.divide(held.amount, filled, out=np.ones_like(filled), where=filled > 0)

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
    return Weighted(worlds.indptr, worlds.index, out)


def model(context: AttackContext, sensitive: str) -> NDArray[np.float64]:
    """How often a naive Bayes model of the published cells guesses each person's value, [n].

    It is asked for the cells of the compatible classes, weighted by their records, and not told
    which values these classes have.
    """
    held, domain = context.buckets[sensitive], len(context.labels(sensitive))
    codes, start, sizes = _features(context.classes.cells[name] for name in context.quasi)
    size = context.classes.size
    everybody = np.zeros(sum(sizes))
    np.add.at(everybody, start + codes, size[:, None])
    everybody /= context.records
    counted = np.zeros((sum(sizes), domain))
    for j in range(len(sizes)):
        np.add.at(counted, (start[j] + codes[held.row_of, j], held.index), held.amount)
    total = np.bincount(held.index, held.amount, minlength=domain)
    table = np.log((counted + PSEUDO * everybody[:, None]) / (total + PSEUDO))
    known = np.log(np.maximum(context.spread(sensitive).prior, np.finfo(np.float64).tiny))
    sets, truth, set_of = (
        context.places.candidate_sets,
        context.true_label(sensitive),
        context.set_of,
    )
    right = np.zeros(len(set_of))
    people = np.argsort(set_of, kind="stable")
    bounds = np.searchsorted(set_of[people], np.arange(len(sets) + 1))
    together = max(CELLS_TOGETHER // max(domain, 1), 1)

    def scores(classes: NDArray[np.int32]) -> NDArray[np.float64]:
        score = known + sum(table[start[j] + codes[classes, j]] for j in range(len(sizes)))
        score = np.exp(score - score.max(axis=1, keepdims=True))
        found: NDArray[np.float64] = score / score.sum(axis=1, keepdims=True)
        return found

    every = None
    if len(size) * domain <= CELLS_AT_ONCE:
        every = np.empty((len(size), domain))
        for first in range(0, len(size), together):
            own = np.arange(first, min(first + together, len(size)), dtype=np.int32)
            every[own] = scores(own)
    there = np.flatnonzero(sets.length)
    begin, at = sets.indptr[there], 0
    while at < len(there):
        last = max(int(np.searchsorted(begin, begin[at] + together)), at + 1)
        which, entries = there[at:last], slice(begin[at], sets.indptr[there[last - 1] + 1])
        own = sets.index[entries]
        weighted = (scores(own) if every is None else every[own]) * size[own][:, None]
        belief = np.add.reduceat(weighted, begin[at:last] - begin[at])
        belief /= np.add.reduceat(size[own], begin[at:last] - begin[at])[:, None]
        top = belief >= belief.max(axis=1, keepdims=True) - ALIKE
        members = people[bounds[which[0]] : bounds[which[-1] + 1]]
        row = np.searchsorted(which, set_of[members])
        kept = (which[row] == set_of[members]) & (truth[members] >= 0)
        right[members[kept]] = (top[row, truth[members]] / top.sum(axis=1)[row])[kept]
        at = last
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
